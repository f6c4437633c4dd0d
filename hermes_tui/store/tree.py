"""The whole lineage of a session as rows from top to bottom, whatever its links say: nothing is told twice or lost.

A continuation stands below what it continues, on the same level; everything else that began in a session stands below
that session, one level further in. So a conversation of ten thousand compressions is a straight line.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Final, NamedTuple

from hermes_tui.model import Capabilities, Session, SessionKind, TreeRow
from hermes_tui.store.catalogue import NO_FACE, Catalogue, faces, load
from hermes_tui.store.cells import fetch_columns, listed, text_cell
from hermes_tui.store.connection import Connection, Ticket
from hermes_tui.store.details import detailed
from hermes_tui.store.lineage import FORKS
from hermes_tui.store.schema import column

DETAILED: Final = 200  # sessions in a tree up to which each comes with counts, status and preview
RAILS: Final = 60  # levels above a row of which it knows the lines; no screen is as wide as deeper ones would need
ORPHANED: Final = "__orphaned__"  # what a migration of old files wrote for the parent of what looked like a sub-agent

# Up to where the parents end or go round in a loop, and from everything found there down again.
_RELATED: Final = """
    FROM (WITH RECURSIVE
      up(id) AS (
        SELECT ? UNION
        SELECT {parent} FROM up JOIN sessions AS c ON c.id = up.id WHERE {parent} IS NOT NULL AND {parent} <> ''),
      family(id) AS (
        SELECT id FROM up UNION
        SELECT c.id FROM family JOIN sessions AS c ON {parent} = family.id WHERE c.id IS NOT NULL)
    SELECT id FROM family)
"""


class _Place(NamedTuple):
    """A row that is still to be written: where it stands, and the lines of the levels above it."""

    id: str
    depth: int
    rails: tuple[bool, ...]
    last: bool


def tree(
    connection: Connection, capabilities: Capabilities, session_id: str, *, ticket: Ticket | None = None
) -> tuple[TreeRow, ...]:
    """The lineage that holds the session, its beginning first; brothers in the order they began.

    Sessions come with counts, status and preview of themselves alone in lineages of up to DETAILED sessions. Raises
    KeyError where there is no such session, and StoreError and Cancelled.
    """
    ids = related(connection, capabilities, session_id, ticket=ticket)
    catalogue = load(connection, capabilities, ids, ticket=ticket)
    if session_id not in catalogue.links:
        raise KeyError(session_id)
    shown = faces(connection, capabilities, ids, ticket=ticket)
    held = [catalogue.session(key, shown.get(key, NO_FACE)) for key in ids if key in catalogue.links]
    if len(held) <= DETAILED:
        held = _alone(connection, capabilities, held, ticket)
    drawn = _Tree(catalogue, held)
    rows = drawn.rows(session_id)
    named = {row.id: names for row in rows if (names := drawn.strangers(row.id))}
    there = _there(connection, {name for names in named.values() for name in names}, ticket)
    told = {row.id: wrong for row in rows if row.session is not None and (wrong := drawn.wrong(row.id, there))}
    return tuple(
        replace(row, wrong=told.get(row.id), current=row.id == session_id)
        if row.id in told or row.id == session_id
        else row
        for row in rows
    )


def related(
    connection: Connection, capabilities: Capabilities, session_id: str, *, ticket: Ticket | None = None
) -> list[str]:
    """The ids of the lineage that holds this one, also those that are named as a parent and not there."""
    parent = column(capabilities, "sessions", "parent_session_id", alias="c")
    rest = _RELATED.format(parent=parent)
    (ids,) = fetch_columns(connection, [text_cell("id")], rest, [session_id], ticket=ticket)
    return [key for key in ids if key is not None]


def _alone(
    connection: Connection, capabilities: Capabilities, held: Sequence[Session], ticket: Ticket | None
) -> list[Session]:
    """With counts, status and preview of each session by itself."""
    single = [session._replace(segments=(session.id,)) for session in held]
    found = detailed(connection, capabilities, single, ticket=ticket)
    return [whole._replace(segments=session.segments) for whole, session in zip(found, held, strict=True)]


def _there(connection: Connection, ids: Iterable[str], ticket: Ticket | None) -> frozenset[str]:
    wanted = sorted(ids)
    if not wanted:
        return frozenset()
    rest = "FROM sessions AS s WHERE s.id IN (SELECT value FROM json_each(?))"
    (found,) = fetch_columns(connection, [text_cell("s.id")], rest, [listed(wanted)], ticket=ticket)
    return frozenset(found)


class _Tree:
    """One lineage, and how it is drawn."""

    def __init__(self, catalogue: Catalogue, held: Sequence[Session]) -> None:
        self._links = catalogue.links
        self._lineage = catalogue.lineage
        self._sessions = {session.id: session for session in held}
        self._children: dict[str, list[str]] = {}
        for session in sorted(held, key=lambda each: (each.started_at or 0.0, each.id)):
            parent = self._links[session.id].parent
            if parent and parent != session.id:
                self._children.setdefault(parent, []).append(session.id)

    def rows(self, session_id: str) -> list[TreeRow]:
        """Every session of the lineage once; the one asked for is not marked yet."""
        top, loop = self._top(session_id)
        rows: list[TreeRow] = []
        left = self._level([top], depth=0, rails=(), cut=top if loop else None)
        while left:
            place = left.pop()
            session = self._sessions.get(place.id)
            rows.append(
                TreeRow(
                    id=place.id,
                    session=session,
                    edge=SessionKind.ROOT if session is None else self._lineage.kind(place.id),
                    depth=place.depth,
                    rails=place.rails,
                    last=place.last,
                    tip=session is not None and session.conversation == place.id,
                    loop=loop and place.id == top,
                )
            )
            inner = (*place.rails, not place.last)[-RAILS:]
            forks = [key for key in self._children.get(place.id, ()) if key != top and not self._continues(key)]
            left += self._level(forks, depth=place.depth + 1, rails=inner, cut=top if loop else None)
        return rows

    def strangers(self, session_id: str) -> list[str]:
        """Sessions outside of the lineage that the marks of this one name."""
        link = self._links.get(session_id)
        return [] if link is None else [name for name in link.forks.values() if name not in self._links]

    def wrong(self, session_id: str, there: frozenset[str]) -> str | None:
        """A sentence about marks that cannot be true; `there` are those of `strangers` that are in the store."""
        link = self._links[session_id]
        if link.parent == session_id:
            return "It names itself as its parent."
        if not link.forks:
            return None
        if link.forks.get("_delegate_from") == ORPHANED:
            return (
                "An upgrade of the file took it for a sub-agent that lost its parent. It may well be a conversation of "
                "its own; Hermes' lists leave it out."
            )
        kind = self._lineage.kind(session_id)
        if "_delegate_from" in link.forks and kind in (SessionKind.BRANCH, SessionKind.RESET):
            return (
                f"It is marked as a {kind.value} and, by an upgrade of the file, as a sub-agent's besides; "
                "Hermes' lists leave it out."
            )
        if link.parent:
            return None
        named, marked = next((link.forks[mark], kind) for mark, kind in FORKS.items() if mark in link.forks)
        whose = "that of a sub-agent" if marked is SessionKind.DELEGATE else f"a {marked.value}"
        rest = "but it has no parent" if named in self._links or named in there else "which is not in this store"
        return f"It is marked as {whose} of {named}, {rest}."

    def _top(self, session_id: str) -> tuple[str, bool]:
        """Where the lineage begins, and whether that is a cut through a loop."""
        seen = {session_id: None}
        at = session_id
        while (link := self._links.get(at)) is not None and link.parent and link.parent != at:
            at = link.parent
            if at in seen:
                order = list(seen)
                ring = order[order.index(at) :]
                first = min(ring, key=lambda key: (self._links[key].started or 0.0, key))
                return self._lineage.chain(first)[0], True
            seen[at] = None
        return at, at in self._links and self._links[at].parent == at

    def _continues(self, session_id: str) -> bool:
        """Whether it goes on with the conversation of its parent, and stands on that one's level."""
        return self._lineage.chain(session_id)[0] != session_id

    def _level(self, ids: Sequence[str], *, depth: int, rails: tuple[bool, ...], cut: str | None) -> list[_Place]:
        """The rows of one level, each with the conversation it begins; the first of them last, as a stack has them."""
        level = [member for key in ids for member in (self._lineage.chain(key) or (key,))]
        places = [_Place(key, depth, rails, last=False) for key in level]
        if places:
            places[-1] = places[-1]._replace(last=True)
        return places[::-1]
