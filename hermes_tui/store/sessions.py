"""The sessions of a store: the list with one row for each conversation, single sessions, and finding them by name.

Every session is in exactly one of a row of the list, a row's `segments`, or `SessionList.hidden`. What takes a look at
messages (counts, status, preview) is filled in for asked rows only, by `detailed`.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Final, TypeVar

from hermes_tui.model import Capabilities, Session, SessionList, Status
from hermes_tui.store.catalogue import NO_FACE, Catalogue, Face, faces, load, unread
from hermes_tui.store.cells import fetch_columns, text_cell, time_cell, times
from hermes_tui.store.connection import Connection, Ticket
from hermes_tui.store.details import detailed
from hermes_tui.store.lineage import SUBAGENT
from hermes_tui.store.previews import Previewer
from hermes_tui.store.schema import column

if TYPE_CHECKING:
    from hermes_tui.store.chosen import Chosen

__all__ = [
    "AUTOMATION",
    "chain",
    "conversations",
    "detailed",
    "find_matching",
    "find_sessions",
    "get_session",
    "list_sessions",
    "previews",
]

# Sources no person types into; any other source, known or not, is listed.
AUTOMATION: Final = frozenset({"cron", "tool", "kanban", "webhook", "batch", "curator"})
FEW: Final = 1000  # sessions that are read one by one rather than with a walk over the table

Value = TypeVar("Value")
Amount = TypeVar("Amount", int, float)


def list_sessions(
    connection: Connection,
    capabilities: Capabilities,
    *,
    everything: bool = False,
    limit: int | None = None,
    preview: int = 0,
    chosen: Chosen | None = None,
    ticket: Ticket | None = None,
) -> SessionList:
    """One row for each conversation, the last used first (ties by id); with `chosen`, of those that pass it.

    Left out by default are archived, hidden, sub-agent and automation conversations; each of their sessions is counted
    in `hidden` under the first of these reasons that applies, automation under its source; before these comes
    "filters" for those that do not pass. `everything` leaves out nothing but that, and so does a filter that asks for
    what is left out. The first `preview` rows come with counts, status and preview; of the others only is known which
    are empty. Raises StoreError and Cancelled.
    """
    catalogue = load(connection, capabilities, ticket=ticket)
    hidden: dict[str, int] = {}
    found: list[tuple[float, str, tuple[str, ...]]] = []
    beside = 0  # would be listed, but do not pass
    for segments in catalogue.lineage.chains():
        reason = None if everything else reason_of(catalogue, segments)
        if chosen is not None:
            if not chosen.passes(catalogue, segments):
                beside += reason is None
                reason = "filters"
            elif reason is not None and chosen.asks_for(reason):
                reason = None
        if reason is None:
            found.append((-activity_of(catalogue, segments), segments[-1], segments))
        else:
            hidden[reason] = hidden.get(reason, 0) + len(segments)
    found.sort()
    cut = [segments for _, _, segments in found[:limit]]
    ids = [session_id for segments in cut for session_id in segments]
    shown = faces(connection, capabilities, ids if len(ids) <= FEW else None, ticket=ticket)
    rows = tuple(conversation(catalogue, shown, segments) for segments in cut)
    if preview > 0:
        rows = detailed(connection, capabilities, rows[:preview], ticket=ticket) + rows[preview:]
    total = len(found)
    return SessionList(
        rows=rows,
        hidden=hidden,
        truncated=len(rows) < total,
        total=total,
        of=total + beside,
    )


def conversations(
    connection: Connection, capabilities: Capabilities, *, ticket: Ticket | None = None
) -> list[tuple[str | None, Session]]:
    """All conversations in the order of `list_sessions`, each with the reason that leaves it out by default, or None.

    Counts, status and preview are those of rows behind the first ones of that. Raises StoreError and Cancelled.
    """
    catalogue = load(connection, capabilities, ticket=ticket)
    found = [(-activity_of(catalogue, chain), chain[-1], chain) for chain in catalogue.lineage.chains()]
    found.sort()
    shown = faces(connection, capabilities, ticket=ticket)
    return [(reason_of(catalogue, chain), conversation(catalogue, shown, chain)) for _, _, chain in found]


def previews(
    connection: Connection, capabilities: Capabilities, ids: Sequence[str], *, ticket: Ticket | None = None
) -> dict[str, str]:
    """The first real words of a person in the conversation of each of these sessions; "" where there are none.

    Ids that are not in the store are left out. Raises StoreError and Cancelled.
    """
    lineage = load(connection, capabilities, ids, ticket=ticket).lineage
    chains = {session_id: segments for session_id in ids if (segments := lineage.chain(session_id))}
    words = Previewer(connection, capabilities, ticket=ticket).first_words(list(chains.values()))
    return dict(zip(chains, words, strict=True))


def get_session(
    connection: Connection, capabilities: Capabilities, session_id: str, *, ticket: Ticket | None = None
) -> Session | None:
    """One session by itself, None where there is none of that id. Its kind, `conversation` and `segments` are right;
    counts, preview and status are not looked up. Raises StoreError and Cancelled."""
    found = get_sessions(connection, capabilities, [session_id], ticket=ticket)
    return found[0] if found else None


def get_sessions(
    connection: Connection, capabilities: Capabilities, ids: Sequence[str], *, ticket: Ticket | None = None
) -> tuple[Session, ...]:
    """`get_session` for several, in the order of `ids`; those that are not there are left out."""
    if not ids:
        return ()
    catalogue = load(connection, capabilities, ids, ticket=ticket)
    shown = faces(connection, capabilities, ids, ticket=ticket)
    held = [session_id for session_id in ids if session_id in catalogue.links]
    return tuple(catalogue.session(session_id, shown.get(session_id, NO_FACE)) for session_id in held)


def chain(
    connection: Connection, capabilities: Capabilities, session_id: str, *, ticket: Ticket | None = None
) -> tuple[str, ...]:
    """The sessions of the conversation that holds this one, root to tip; () where there is none of that id."""
    return load(connection, capabilities, [session_id], ticket=ticket).lineage.chain(session_id)


def find_sessions(
    connection: Connection,
    capabilities: Capabilities,
    text: str,
    *,
    limit: int | None = 50,
    part_of_id: bool = True,
    ticket: Ticket | None = None,
) -> tuple[Session, ...]:
    """Sessions whose title or id is `text`, begins with it or holds it (in this order, the newest first), without
    regard to case; archived and hidden ones too. Without `part_of_id` an id has to be `text` as a whole.

    Each comes as from `get_session`. Raises StoreError and Cancelled.
    """
    wanted = _folded(text.strip())
    if not wanted:
        return ()
    title = text_cell(column(capabilities, "sessions", "title", alias="s"))
    started = time_cell(column(capabilities, "sessions", "started_at", alias="s"))
    rest = f"""
        FROM sessions AS s WHERE s.id IS NOT NULL
          AND (s.id LIKE ? ESCAPE '!' OR {title} LIKE ? ESCAPE '!' OR {_odd_name("s.id")} OR {_odd_name(title)})
    """
    holding = _holding(wanted)
    keys, names, began = fetch_columns(
        connection, [text_cell("s.id"), title, started], rest, [holding, holding], ticket=ticket
    )
    found = []
    for key, name, moment in zip(keys, names, times(began), strict=True):
        ranks = [
            rank
            for held in (key, name)
            if held is not None and (rank := _rank(_folded(held), wanted)) is not None
            if rank == 0 or held is name or part_of_id
        ]
        if ranks:
            found.append((min(ranks), -(moment or 0.0), key))
    found.sort()
    return get_sessions(connection, capabilities, [key for _, _, key in found[:limit]], ticket=ticket)


def find_matching(
    connection: Connection,
    capabilities: Capabilities,
    matches: Callable[[str], bool],
    *,
    holding: Sequence[str] = (),
    limit: int | None = 50,
    ticket: Ticket | None = None,
) -> tuple[Session, ...]:
    """Sessions of which `matches` says so of the title, the newest first; as from `get_session`.

    `holding` are small letters and signs of ASCII that all of them have, to ask about fewer.
    Raises StoreError and Cancelled, and what `matches` raises.
    """
    title = text_cell(column(capabilities, "sessions", "title", alias="s"))
    started = time_cell(column(capabilities, "sessions", "started_at", alias="s"))
    rest = "FROM sessions AS s WHERE s.id IS NOT NULL"
    if holding:
        held = " AND ".join([f"{title} LIKE ? ESCAPE '!'"] * len(holding))
        rest += f" AND (({held}) OR {_odd_name(title)})"
    keys, names, began = fetch_columns(
        connection, [text_cell("s.id"), title, started], rest, [*map(_holding, holding)], ticket=ticket
    )
    found = [
        (-(moment or 0.0), key)
        for key, name, moment in zip(keys, names, times(began), strict=True)
        if name and matches(name)
    ]
    found.sort()
    return get_sessions(connection, capabilities, [key for _, key in found[:limit]], ticket=ticket)


def _holding(small: str) -> str:
    """The LIKE pattern, with `!` to escape, of names that hold these letters."""
    return "%" + re.sub("[%_!]", r"!\g<0>", small) + "%"


def _odd_name(cell: str) -> str:
    """Names of more than ASCII, or with a NUL: SQLite folds ASCII only, so these are left to Python."""
    return f"length({cell}) <> length(CAST({cell} AS BLOB))"


def reason_of(catalogue: Catalogue, segments: Sequence[str]) -> str | None:
    """Why a conversation is not in the list by default: what was set on its tip, or what began it."""
    flags = catalogue.flags(segments[-1])
    if flags.archived:
        return "archived"
    if flags.hidden:
        return "hidden"
    root = catalogue.links[segments[0]]
    if (root.forks or root.source == SUBAGENT) and catalogue.lineage.delegated(root.id):
        return "subagent"
    return root.source if root.source in AUTOMATION else None


def activity_of(catalogue: Catalogue, segments: Sequence[str]) -> float:
    """When a conversation was last used; before all times where no cell holds one."""
    if len(segments) == 1:
        activity = catalogue.links[segments[0]].activity
        return -1.0 if activity is None else activity
    known = [time for session_id in segments if (time := catalogue.links[session_id].activity) is not None]
    return max(known) if known else -1.0


def conversation(catalogue: Catalogue, shown: dict[str, Face], segments: tuple[str, ...]) -> Session:
    """A list row: the newest tip, where its conversation began, and sums over both and what is between."""
    tip = catalogue.session(segments[-1], shown.get(segments[-1], NO_FACE))
    if catalogue.silent and catalogue.silent.issuperset(segments):
        tip = tip._replace(status=Status.EMPTY)
    if len(segments) == 1:
        return tip
    held = [shown.get(session_id, NO_FACE) for session_id in segments]
    root = catalogue.links[segments[0]]
    activity = activity_of(catalogue, segments)
    return tip._replace(
        source=root.source,
        started_at=root.started,
        last_active_at=activity if activity >= 0 else None,
        parent_id=root.parent,
        kind=catalogue.lineage.kind(root.id),
        title=_newest(face.title for face in held),
        model=_newest(face.model for face in held),
        cwd=_newest(face.cwd for face in held),
        branch=_newest(face.branch for face in held),
        project=_newest(face.project for face in held),
        owner=_newest(face.owner for face in held),
        unread=unread(activity, next((face.read for face in reversed(held) if face.read is not None), None)),
        input_tokens=_sum(face.input_tokens for face in held),
        output_tokens=_sum(face.output_tokens for face in held),
        cost_usd=_sum(face.cost_usd for face in held),
        pinned=any(catalogue.flags(session_id).pinned for session_id in segments),
    )


def _newest(values: Iterable[Value | None]) -> Value | None:
    """The tip's, or that of the last segment that has one."""
    return next((value for value in reversed(list(values)) if value), None)


def _sum(amounts: Iterable[Amount | None]) -> Amount | None:
    known = [amount for amount in amounts if amount is not None]
    return sum(known) if known else None


def _folded(text: str) -> str:
    return (
        text.lower() if text.isascii() else unicodedata.normalize("NFC", unicodedata.normalize("NFC", text).casefold())
    )


def _rank(name: str, wanted: str) -> int | None:
    """0 for the whole name, 1 for its beginning, 2 for a part of it."""
    if name == wanted:
        return 0
    if name.startswith(wanted):
        return 1
    return 2 if wanted in name else None
