"""Which rows of a conversation are the same message, stored again by compaction.

Compaction writes the tail that it keeps a second time: behind the summary in the same session, or at the beginning of
the session that goes on. Rows with the same role, content, time, call and tool are one message. Two live rows of one
session never are: whoever wrote them meant both.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple

from hermes_tui.model import Capabilities, State
from hermes_tui.store.cells import fetch, listed
from hermes_tui.store.connection import Connection, Ticket
from hermes_tui.store.schema import column

PORTION: Final = 1 << 20  # bytes of content compared in one statement
_STANDS: Final = {State.LIVE: 0, State.COMPACTED: 1, State.REWOUND: 2}
_SAME: Final = ("role", "content", "timestamp", "tool_call_id", "tool_calls", "tool_name")


class Place(NamedTuple):
    """A row as folding sees it; places sort in reading order. `size` is in bytes, of what is compared."""

    segment: int  # which session of the conversation, root 0
    id: int
    state: State
    role: str
    time: float | None
    size: int


def same_messages(
    connection: Connection, capabilities: Capabilities, places: Iterable[Place], *, ticket: Ticket | None = None
) -> list[list[Place]]:
    """The groups of rows that are one message, each in reading order; rows that stand alone are in none.

    Only rows of equal role, time and size are compared, so this costs little where nothing was stored again.
    Raises StoreError and Cancelled.
    """
    alike: dict[tuple[str, float | None, int], list[Place]] = {}
    for place in places:
        alike.setdefault((place.role, place.time, place.size), []).append(place)
    candidates = [group for group in alike.values() if len(group) > 1 and _foldable(group)]
    known = {place.id: place for group in candidates for place in group}
    groups = []
    for portion in _portions(candidates):
        for ids in _equal(connection, capabilities, portion, ticket):
            groups += _apart(sorted(known[message] for message in ids))
    return groups


def stand_in(group: Sequence[Place]) -> Place:
    """The row that is shown for a group: live before compacted before rewound, then the newest."""
    return min(group, key=lambda place: (_STANDS[place.state], -place.id))


def _foldable(group: Sequence[Place]) -> bool:
    return any(place.state is not State.LIVE for place in group) or len({place.segment for place in group}) > 1


def _portions(groups: Sequence[Sequence[Place]]) -> Iterator[list[int]]:
    portion: list[int] = []
    size = 0
    for group in groups:
        portion += [place.id for place in group]
        size += sum(place.size for place in group)
        if size >= PORTION:
            yield portion
            portion, size = [], 0
    if portion:
        yield portion


def _equal(
    connection: Connection, capabilities: Capabilities, ids: Sequence[int], ticket: Ticket | None
) -> list[list[int]]:
    """Those of `ids` that agree in every cell, as SQLite compares them: NULs and bytes count."""
    same = ", ".join(column(capabilities, "messages", name) for name in _SAME)
    rest = f"""
        FROM (SELECT json_group_array(m.id) AS ids FROM messages AS m
          WHERE m.id IN (SELECT value FROM json_each(?)) GROUP BY {same} HAVING COUNT(*) > 1)
    """
    return [found for (found,) in fetch(connection, ["json(ids)"], rest, [listed(ids)], ticket=ticket)]


def _apart(group: Sequence[Place]) -> list[list[Place]]:
    """The group, split where a session has several live rows of it: a part for each, the copies dealt out in order."""
    live: dict[int, int] = {}
    for place in group:
        if place.state is State.LIVE:
            live[place.segment] = live.get(place.segment, 0) + 1
    count = max(live.values(), default=1)
    if count == 1:
        return [list(group)]
    parts: list[list[Place]] = [[] for _ in range(count)]
    dealt: dict[tuple[int, bool], int] = {}
    for place in group:
        kind = (place.segment, place.state is State.LIVE)
        number = dealt.get(kind, 0)
        parts[number % count].append(place)
        dealt[kind] = number + 1
    return [part for part in parts if len(part) > 1]
