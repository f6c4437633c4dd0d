"""A conversation without its texts: every row in reading order, its state, its kind, its size.

Reading order is by session of the chain, then by id; never by time, since clocks step back.
"""

from __future__ import annotations

from collections import Counter, OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

from hermes_tui.model import Capabilities, Compaction, OutlineRow, Session, SessionKind, Transcript
from hermes_tui.model.record import dataclass
from hermes_tui.store.catalogue import NO_FACE, faces, load
from hermes_tui.store.connection import Connection, Ticket
from hermes_tui.store.folding import Place, same_messages, stand_in
from hermes_tui.store.generations import compactions
from hermes_tui.store.held import Held, compared_sizes, held, total
from hermes_tui.store.version import Version, is_told, version

KEPT_ROWS: Final = 60_000  # of conversations read before, in all; the newest is kept whatever its size


@dataclass(frozen=True, slots=True)
class _Reading:
    """A conversation as read, from which state of the file."""

    transcript: Transcript
    held: Mapping[str, Held]
    version: Version


class Readings:
    """Conversations read through one channel. Reading one again costs what was written since: nothing where nothing
    was, the new rows where rows came, all of it where rows changed."""

    def __init__(self) -> None:
        self._known: OrderedDict[str, _Reading] = OrderedDict()  # by the first session; newest use last

    def transcript(
        self, connection: Connection, capabilities: Capabilities, session_id: str, *, ticket: Ticket | None = None
    ) -> Transcript:
        """As `transcript`."""
        now = version(connection)
        known = self._reading(session_id)
        if known is not None and known.version == now and is_told(connection):
            transcript = known.transcript
            chosen = next((each for each in transcript.segments if each.id == session_id), transcript.session)
            return transcript if chosen == transcript.session else replace(transcript, session=chosen)
        old = known.held if known is not None and known.version[:2] == now[:2] else {}
        read, rows = _read(connection, capabilities, session_id, old, ticket)
        self._keep(_Reading(read, rows, now))
        return read

    def _reading(self, session_id: str) -> _Reading | None:
        for key, reading in self._known.items():
            if session_id in reading.held:
                self._known.move_to_end(key)
                return reading
        return None

    def _keep(self, reading: _Reading) -> None:
        for key in [key for key, known in self._known.items() if known.held.keys() & reading.held.keys()]:
            del self._known[key]
        self._known[reading.transcript.segments[0].id] = reading
        while len(self._known) > 1 and sum(len(each.transcript.rows) for each in self._known.values()) > KEPT_ROWS:
            self._known.popitem(last=False)


def transcript(
    connection: Connection, capabilities: Capabilities, session_id: str, *, ticket: Ticket | None = None
) -> Transcript:
    """The conversation that holds the session. Its sessions come with their counts, without preview and status.

    Raises KeyError where there is no such session, StoreError and Cancelled.
    """
    return _read(connection, capabilities, session_id, {}, ticket)[0]


def _read(
    connection: Connection,
    capabilities: Capabilities,
    session_id: str,
    known: Mapping[str, Held],
    ticket: Ticket | None,
) -> tuple[Transcript, dict[str, Held]]:
    catalogue = load(connection, capabilities, [session_id], ticket=ticket)
    chain = catalogue.lineage.chain(session_id)
    shown = faces(connection, capabilities, chain, ticket=ticket) if chain else {}
    rows = {
        each: held(connection, capabilities, each, known=known.get(each), ticket=ticket)
        for each in chain or (session_id,)
    }
    if chain:
        sessions = [catalogue.session(each, shown.get(each, NO_FACE)) for each in chain]
    elif rows[session_id].rows:
        sessions = [_orphan(session_id)]
    else:
        raise KeyError(session_id)
    segments = tuple(session._replace(counts=rows[session.id].counts) for session in sessions)
    read, stands_for, cuts = _fold(connection, capabilities, list(rows.values()), ticket)
    found = Transcript(
        session=next(segment for segment in segments if segment.id == session_id),
        segments=segments,
        rows=tuple(read),
        counts=total(segment.counts for segment in segments),
        stands_for=stands_for,
        compactions=cuts,
    )
    return found, rows


def _orphan(session_id: str) -> Session:
    """Messages whose session has no row: what is left of it is read all the same."""
    return Session(
        id=session_id,
        source="unknown",
        kind=SessionKind.ORPHAN,
        conversation=session_id,
        segments=(session_id,),
    )


def _fold(
    connection: Connection, capabilities: Capabilities, held: Sequence[Held], ticket: Ticket | None
) -> tuple[list[OutlineRow], dict[int, int], tuple[Compaction, ...]]:
    """One row for each message, at the place of its first; copy -> the row that stands for it; and the cuts."""
    rows = [row for each in held for row in each.rows]
    if len(held) == 1 and held[0].counts.live == len(rows):
        return rows, {}, compactions([rows], {}, frozenset()) if held[0].summarised else ()
    alike = {row.id: row for row in _of_one_time(rows)}
    sizes = compared_sizes(connection, capabilities, list(alike), ticket=ticket)
    segments = {each.session_id: number for number, each in enumerate(held)}
    places = (
        Place(segments[row.session_id], row.id, row.state, row.role, row.timestamp, sizes.get(row.id, 0))
        for row in alike.values()
    )
    firsts: dict[int, OutlineRow] = {}  # id of the first row of a message that is folded -> what stands in its place
    shown: dict[int, OutlineRow] = {}  # the same for every folded row
    stands_for: dict[int, int] = {}
    for group in same_messages(connection, capabilities, places, ticket=ticket):
        standing = stand_in(group)
        row = firsts[group[0].id] = alike[standing.id]._replace(copies=len(group))
        shown |= {place.id: row for place in group}
        stands_for |= {place.id: standing.id for place in group if place is not standing}
    repeats = shown.keys() - firsts.keys()
    cuts = compactions([each.rows for each in held], shown, repeats)
    return [firsts.get(row.id, row) for row in rows if row.id not in repeats] if shown else rows, stands_for, cuts


def _of_one_time(rows: Sequence[OutlineRow]) -> list[OutlineRow]:
    """The rows that share their time with another one: only these can be the same message."""
    times = [row.timestamp for row in rows]
    if len(set(times)) == len(times):
        return []
    often = Counter(times)
    return [row for row, time in zip(rows, times, strict=True) if often[time] > 1]
