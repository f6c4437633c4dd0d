"""Which tool calls touched a path: candidates by the ways of a search, each decided on its decoded arguments.

A path in a call ends in the name that is looked for, and then a search for that name finds the call; or the folder of
the whole session holds what is looked for, and then every call of that session is looked at. So nothing is missed,
whatever indexes the file has.
"""

from __future__ import annotations

import os
import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Final, NamedTuple

from hermes_tui.model import Anchor, Capabilities, Deed, Region, Session, Touch, Touches
from hermes_tui.query import Query, plan
from hermes_tui.query.fold import fold
from hermes_tui.query.terms import Clause, Term, TermKind
from hermes_tui.store.cells import fetch, fetch_columns, listed, text_cell, time_cell, times
from hermes_tui.store.connection import Connection, Ticket
from hermes_tui.store.decode import named_arguments, stored_calls
from hermes_tui.store.events import Found, Spoilt
from hermes_tui.store.readable import NotJsonError
from hermes_tui.store.schema import column
from hermes_tui.store.search import run
from hermes_tui.store.sessions import get_sessions
from hermes_tui.store.sieve import Sieve
from hermes_tui.store.survey import Survey
from hermes_tui.store.thin import Condition
from hermes_tui.store.touches import resolved, steps, touches

Fits = Callable[[Sequence[str], Sequence[str]], bool]  # whether the names of a path hold those looked for

FIRST: Final = 400  # rows a search is asked for at first
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
    """The calls that name `path` or something below it, the last written first, as a search has it.

    `path` is a whole path or some names in a row out of one, compared without regard to case; `~` stands for the home
    of whoever asks. Where no call names it so, any part of a path counts, and the answer is `partly`. A path in a call
    is completed by the folder the call works in and that of its session. A call that compaction or a branch has stored
    again counts once, at its first row. Raises StoreError and Cancelled.
    """
    wanted = _wanted(path)
    if not wanted or "tool_calls" not in capabilities.message_columns:
        return Touches(path=path, rows=(), total=0)
    survey = Survey() if survey is None else survey
    whole = _of(connection, capabilities, path, _leads_through, limit, survey, ticket)
    if whole.total or path.strip().endswith(("/", "\\")):
        return whole
    part = _of(connection, capabilities, path, _part_of, limit, survey, ticket)
    return replace(part, partly=True) if part.total else whole


def _of(
    connection: Connection,
    capabilities: Capabilities,
    path: str,
    fits: Fits,
    limit: int,
    survey: Survey,
    ticket: Ticket | None,
) -> Touches:
    """The calls with a path that `fits` what is looked for."""
    wanted = _wanted(path)
    inside = _inside(connection, capabilities, wanted, fits, ticket)
    reading = Reading(connection, capabilities, ticket)
    asked = max(FIRST, 2 * limit)
    while True:
        ids, spoilt = _search(connection, capabilities, wanted, asked, survey, ticket)
        ended = len(ids) < asked
        edge = 0 if ended else min(ids)  # a search with a limit has found all that is newer than its last hit
        near = sorted({*ids, *(row for row in inside if row >= edge)}, reverse=True)
        rest = reading.read(near, lambda act: any(fits(_folded(act.full), names) for names in wanted), limit)
        if ended or rest:
            break
        asked *= 8
    acts = reading.acts
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


class Reading:
    """Calls being read: what those that were looked at touch, each once however often it is stored."""

    def __init__(self, connection: Connection, capabilities: Capabilities, ticket: Ticket | None) -> None:
        self._connection, self._ticket = connection, ticket
        self._folder = column(capabilities, "sessions", "cwd", alias="s")
        self._cells = ["m.id", text_cell("m.session_id"), time_cell(column(capabilities, "messages", "timestamp"))]
        self._cells.append(text_cell("m.tool_calls"))
        self._folders: dict[str, str | None] = {}
        self._looked_at: set[int] = set()
        self._known: dict[tuple[object, ...], Act] = {}

    @property
    def acts(self) -> list[Act]:
        """All that was found so far, the last written first; of one call in the order it names its paths."""
        return sorted(self._known.values(), key=lambda act: -act.message)

    def read(self, ids: Sequence[int], wanted: Callable[[Act], bool], limit: int | None = None) -> bool:
        """Look at the calls of these rows in their order, and keep what is wanted; stop behind `limit` acts.

        Says whether it stopped. Raises StoreError and Cancelled.
        """
        for start in range(0, len(ids), CHUNK):
            chunk = [row for row in ids[start : start + CHUNK] if row not in self._looked_at]
            for act, mark in self._of(chunk):
                known = self._known.get(mark)
                if (known is None or act.message < known.message) and wanted(act):
                    self._known[mark] = act
            if limit is not None and len(self._known) > limit:
                return True
        return False

    def _of(self, ids: Sequence[int]) -> Iterator[tuple[Act, tuple[object, ...]]]:
        if not ids:
            return
        rest = f"FROM messages AS m WHERE m.id IN (SELECT value FROM json_each(?)) AND {CALLING}"
        rows = fetch(self._connection, self._cells, rest, [listed(ids)], ticket=self._ticket)
        self._find_folders({session or "" for _, session, _, _ in rows})
        for (message, session, _, calls), moment in zip(rows, times(row[2] for row in rows), strict=True):
            self._looked_at.add(message)
            yield from _acts(message, session or "", moment, calls, self._folders.get(session or ""))

    def _find_folders(self, sessions: set[str]) -> None:
        missing = sorted(sessions - self._folders.keys())
        if missing:
            rest = "FROM sessions AS s WHERE s.id IN (SELECT value FROM json_each(?))"
            cells = [text_cell("s.id"), text_cell(self._folder)]
            self._folders |= dict.fromkeys(missing)
            self._folders |= dict(fetch(self._connection, cells, rest, [listed(missing)], ticket=self._ticket))


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


def _part_of(names: Sequence[str], wanted: Sequence[str]) -> bool:
    """Whether `wanted` stands anywhere in `names`, also from the middle of one into the middle of another."""
    hay, needle = "/".join(names), "/".join(wanted)
    return hay.startswith(needle) if needle.startswith("/") else needle in hay


def _search(
    connection: Connection,
    capabilities: Capabilities,
    wanted: Iterable[tuple[str, ...]],
    limit: int,
    survey: Survey | None,
    ticket: Ticket | None,
) -> tuple[set[int], int]:
    """The newest `limit` rows with a call whose arguments hold the last name of what is looked for, and how many rows
    cannot be read."""
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
    ids: set[int] = set()
    spoilt = 0
    for event in run(
        connection,
        capabilities,
        plan(query, capabilities),
        limit=limit,
        rewound=True,
        hidden=True,
        weigh=False,
        sieve=Sieve(condition=Condition(CALLING)),
        survey=survey,
        ticket=ticket,
    ):
        match event:
            case Found():
                ids.add(event.message.id)
            case Spoilt():
                spoilt = event.count
            case _:
                pass
    return set(sorted(ids, reverse=True)[:limit]), spoilt


def _composed_apart(name: str) -> str:
    """With blanks for letters that can be written as several: stored JSON escapes these in either way."""
    return "".join(" " if unicodedata.normalize("NFD", char) != char else char for char in name)


def _inside(
    connection: Connection,
    capabilities: Capabilities,
    wanted: Sequence[tuple[str, ...]],
    fits: Fits,
    ticket: Ticket | None,
) -> list[int]:
    """Rows with calls of sessions whose folder already holds what is looked for."""
    if "cwd" not in capabilities.session_columns:
        return []
    rest = (
        "FROM (SELECT s.cwd AS folder, json_group_array(s.id) AS ids FROM sessions AS s WHERE s.cwd <> '' GROUP BY 1)"
    )
    found = fetch(connection, [text_cell("folder"), "json(ids)"], rest, ticket=ticket)
    sessions = [
        session for folder, ids in found if any(fits(_folded(folder), names) for names in wanted) for session in ids
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
