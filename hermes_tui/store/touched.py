"""Which tool calls touched a path: candidates by the ways of a search, each decided on its decoded arguments.

A path in a call ends in the name that is looked for, and then a search for that name finds the call; or the folder of
the whole session holds what is looked for, and then every call of that session is looked at. So nothing is missed,
whatever indexes the file has.
"""

from __future__ import annotations

import os
import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple

from hermes_tui.model import Anchor, Capabilities, Deed, Region, Session, Touch, Touches
from hermes_tui.query import Query, plan
from hermes_tui.query.fold import fold
from hermes_tui.query.terms import Clause, Term, TermKind
from hermes_tui.store.cells import fetch, fetch_columns, listed, text_cell, time_cell, times
from hermes_tui.store.connection import Connection, Ticket
from hermes_tui.store.decode import named_arguments, stored_calls
from hermes_tui.store.events import Event, Found, Spoilt
from hermes_tui.store.readable import NotJsonError
from hermes_tui.store.schema import column
from hermes_tui.store.search import run
from hermes_tui.store.sessions import get_sessions
from hermes_tui.store.sieve import Sieve
from hermes_tui.store.survey import Survey
from hermes_tui.store.thin import Condition
from hermes_tui.store.touches import resolved, steps, touches

CHUNK: Final = 200  # rows whose calls are read in one statement
CALLING: Final = "m.tool_calls IS NOT NULL"
_SPLITTING: Final = re.compile("[\\s\"'`\\\\;|&()<>]+")  # what a shell or JSON may write otherwise than it is


class Act(NamedTuple):
    """One path of one call, and the row that holds it."""

    message: int
    session: str
    time: float | None
    tool: str
    path: str
    full: str
    deed: Deed


def touched(
    connection: Connection,
    capabilities: Capabilities,
    path: str,
    *,
    limit: int = 200,
    survey: Survey | None = None,
    ticket: Ticket | None = None,
) -> Touches:
    """The calls that name `path` or something below it, the newest first; undated ones last.

    `path` is a whole path or some names in a row out of one, compared without regard to case; `~` stands for the home
    of whoever asks. A path in a call is completed by the folder the call works in and that of its session. A call that
    compaction or a branch has stored again counts once. Raises StoreError and Cancelled.
    """
    wanted = _wanted(path)
    if not wanted or "tool_calls" not in capabilities.message_columns:
        return Touches(path=path, rows=(), total=0)
    ids = set(_inside(connection, capabilities, wanted, ticket))
    spoilt = 0
    for event in _searched(connection, capabilities, wanted, survey, ticket):
        match event:
            case Found() if event.message.tool_calls:
                ids.add(event.message.id)
            case Spoilt():
                spoilt = event.count
            case _:
                pass
    folders = _Folders(connection, capabilities, ticket)
    acts = [
        act
        for act in acts_of(connection, capabilities, sorted(ids), folders, ticket=ticket)
        if any(_leads_through(_folded(act.full), names) for names in wanted)
    ]
    acts.sort(key=lambda act: (-1.0 if act.time is None else act.time, act.message), reverse=True)
    shown = acts[:limit]
    owners = _sessions(connection, capabilities, [act.session for act in shown], ticket)
    rows = tuple(told(act, owners.get(act.session)) for act in shown)
    return Touches(path=path, rows=rows, total=len(acts), truncated=len(shown) < len(acts), spoilt=spoilt)


def told(act: Act, session: Session | None, *, count: int = 1) -> Touch:
    """An act as it is answered."""
    return Touch(
        path=act.path,
        deed=act.deed,
        tool=act.tool,
        anchor=Anchor(act.session, act.message),
        timestamp=act.time,
        session=session,
        count=count,
        full=act.full,
    )


class _Folders:
    """The folder each session worked in, read once for each."""

    def __init__(self, connection: Connection, capabilities: Capabilities, ticket: Ticket | None) -> None:
        self._connection, self._ticket = connection, ticket
        self._cell = column(capabilities, "sessions", "cwd", alias="s")
        self._known: dict[str, str | None] = {}

    def of(self, session_ids: Iterable[str]) -> dict[str, str | None]:
        """By session."""
        missing = sorted({session for session in session_ids if session not in self._known})
        if missing:
            rest = "FROM sessions AS s WHERE s.id IN (SELECT value FROM json_each(?))"
            cells = [text_cell("s.id"), text_cell(self._cell)]
            self._known |= dict.fromkeys(missing)
            self._known |= dict(fetch(self._connection, cells, rest, [listed(missing)], ticket=self._ticket))
        return self._known


def acts_of(
    connection: Connection,
    capabilities: Capabilities,
    ids: Sequence[int],
    folders: _Folders | None = None,
    *,
    ticket: Ticket | None = None,
) -> Iterator[Act]:
    """What the calls in these rows touch, in the order of `ids`; a call that is stored again is told at its first row.

    Raises StoreError and Cancelled.
    """
    folders = folders or _Folders(connection, capabilities, ticket)
    told_once: set[tuple[object, ...]] = set()
    cells = ["m.id", text_cell("m.session_id"), time_cell(column(capabilities, "messages", "timestamp"))]
    cells.append(text_cell("m.tool_calls"))
    for start in range(0, len(ids), CHUNK):
        rest = f"FROM messages AS m WHERE m.id IN (SELECT value FROM json_each(?)) AND {CALLING}"
        rows = fetch(connection, cells, rest, [listed(ids[start : start + CHUNK])], ticket=ticket)
        known = folders.of(session or "" for _, session, _, _ in rows)
        moments = times(time for _, _, time, _ in rows)
        for (message, session, _, calls), moment in sorted(zip(rows, moments, strict=True), key=lambda row: row[0][0]):
            for act, mark in _acts(message, session or "", moment, calls, known.get(session or "")):
                if mark not in told_once:
                    told_once.add(mark)
                    yield act


def _acts(
    message: int, session: str, moment: float | None, calls: str, folder: str | None
) -> Iterator[tuple[Act, tuple[object, ...]]]:
    """Each with what it has in common with a copy of itself: its time and the call's id, where it has both."""
    try:
        stored = stored_calls(calls)
    except NotJsonError:
        return
    for place, item in enumerate(stored):
        number, name, arguments = named_arguments(item)
        for path, deed, within in touches(name, arguments):
            act = Act(message, session, moment, name, path, resolved(path, within, folder), deed)
            same = (moment, number, name) if moment is not None and number else (message, place, name)
            yield act, (*same, path, deed)


def _wanted(path: str) -> list[tuple[str, ...]]:
    """What is looked for, as names in a row: as it was typed, and with the home of whoever asks for `~` or instead."""
    typed = path.strip()
    home = os.path.expanduser("~")
    forms = [typed]
    if typed == "~" or typed.startswith(("~/", "~\\")):
        forms.append(home + typed[1:])
    elif home not in ("~", "/") and (typed == home or typed.startswith((home + "/", home + "\\"))):
        forms.append("~" + typed[len(home) :])
    found = [_folded(form) for form in forms]
    return [names for names in dict.fromkeys(found) if any(name not in ("", "..") for name in names)]


def _folded(path: str) -> tuple[str, ...]:
    return tuple(fold(name, case=True, accents=False).text for name in steps(path))


def _leads_through(names: Sequence[str], wanted: Sequence[str]) -> bool:
    """Whether `wanted` stands in `names`, one behind the other."""
    many = len(wanted)
    return any(tuple(names[at : at + many]) == tuple(wanted) for at in range(len(names) - many + 1))


def _searched(
    connection: Connection,
    capabilities: Capabilities,
    wanted: Iterable[tuple[str, ...]],
    survey: Survey | None,
    ticket: Ticket | None,
) -> Iterator[Event]:
    """A search for calls whose arguments hold the last name of what is looked for."""
    clauses = []
    for names in wanted:
        pieces = [piece for piece in _SPLITTING.split(_composed_apart(names[-1])) if piece]
        terms = [Term(max(pieces, key=len), TermKind.CODE)] if pieces else []
        clauses.append(Clause(tuple(terms)))
    query = Query(
        text=" OR ".join(names[-1] for names in wanted),
        clauses=tuple(clauses),
        regions=frozenset({Region.TOOLS}),
        titles=False,
    )
    return run(
        connection,
        capabilities,
        plan(query, capabilities),
        limit=1 << 60,
        weigh=False,
        sieve=Sieve(condition=Condition(CALLING)),
        survey=survey,
        ticket=ticket,
    )


def _composed_apart(name: str) -> str:
    """With blanks for letters that can be written as several: stored JSON escapes these in either way."""
    return "".join(" " if unicodedata.normalize("NFD", char) != char else char for char in name)


def _inside(
    connection: Connection, capabilities: Capabilities, wanted: Sequence[tuple[str, ...]], ticket: Ticket | None
) -> list[int]:
    """Rows with calls of sessions whose folder already holds what is looked for."""
    if "cwd" not in capabilities.session_columns:
        return []
    rest = (
        "FROM (SELECT s.cwd AS folder, json_group_array(s.id) AS ids FROM sessions AS s WHERE s.cwd <> '' GROUP BY 1)"
    )
    found = fetch(connection, [text_cell("folder"), "json(ids)"], rest, ticket=ticket)
    sessions = [
        session
        for folder, ids in found
        if any(_leads_through(_folded(folder), names) for names in wanted)
        for session in ids
    ]
    return calling_rows(connection, sessions, ticket=ticket)


def calling_rows(connection: Connection, session_ids: Sequence[str], *, ticket: Ticket | None = None) -> list[int]:
    """The rows of these sessions that call tools, ascending."""
    ids: list[int] = []
    for start in range(0, len(session_ids), CHUNK):
        chunk = [listed(session_ids[start : start + CHUNK])]
        rest = f"FROM messages AS m WHERE m.session_id IN (SELECT value FROM json_each(?)) AND {CALLING}"
        (held,) = fetch_columns(connection, ["m.id"], rest, chunk, ticket=ticket)
        ids += held
    return sorted(ids)


def _sessions(
    connection: Connection, capabilities: Capabilities, ids: Iterable[str], ticket: Ticket | None
) -> dict[str, Session]:
    wanted = list(dict.fromkeys(ids))
    if not wanted:
        return {}
    return {session.id: session for session in get_sessions(connection, capabilities, wanted, ticket=ticket)}
