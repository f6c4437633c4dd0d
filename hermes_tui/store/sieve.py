"""Filters of a query as conditions: which sessions pass, which rows are worth reading, and which messages pass.

`Sieve.admits` decides, on a decoded message. The SQL beside it only keeps rows from being read in vain: it lets through
every row that can pass.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import field
from functools import cached_property

from hermes_tui.model import Capabilities, Message, Region, SessionKind
from hermes_tui.model.record import dataclass
from hermes_tui.query import Field, Filter, Query
from hermes_tui.query.filters import PERIODS
from hermes_tui.query.fold import folded_needle
from hermes_tui.store.catalogue import Catalogue, load
from hermes_tui.store.cells import fetch_columns, listed, text_cell
from hermes_tui.store.connection import Connection, Ticket
from hermes_tui.store.decode import LATEST
from hermes_tui.store.held import STATES as STATE_CELLS
from hermes_tui.store.held import state_cell
from hermes_tui.store.lineage import SUBAGENT
from hermes_tui.store.schema import column
from hermes_tui.store.thin import Condition

FEW = 2_000  # sessions whose messages are looked up by session rather than walked past
HANDY = 50_000  # messages of theirs that are kept as a list of ids


@dataclass(frozen=True, slots=True)
class SessionSet:
    """Sessions that pass: those with an id in `ids`, or with `inverse` those without (rows of no session too)."""

    ids: frozenset[str]
    inverse: bool = False

    def __contains__(self, session_id: str) -> bool:
        return (session_id in self.ids) != self.inverse


@dataclass(frozen=True)
class Sieve:
    """What the filters of one query let through. `sessions` is None where no filter asks about them; `ids` are the
    only rows that can pass, ascending, where these are few enough to list."""

    filters: tuple[Filter, ...] = ()
    sessions: SessionSet | None = None
    condition: Condition = field(default=Condition("1"))
    ids: tuple[int, ...] | None = None
    now: float = 0.0

    def narrowed(self, condition: Condition) -> Condition:
        """`condition`, and the row can pass."""
        return condition if self.condition.sql == "1" else condition.and_(self.condition)

    def admits(self, message: Message) -> bool:
        """Whether a message passes every filter."""
        if self.sessions is not None and message.session_id not in self.sessions:
            return False
        return all(test(message) is not negated for test, negated in self._tests)

    @cached_property
    def _tests(self) -> list[tuple[Callable[[Message], bool], bool]]:
        found = [(self._test(part), part.negated) for part in self.filters if not part.of_sessions]
        return [(test, negated) for test, negated in found if test is not None]

    def _test(self, part: Filter) -> Callable[[Message], bool] | None:
        match part.field:
            case Field.ROLE:
                return lambda message: whole(part, message.role)
            case Field.TOOL:
                return lambda message: any(whole(part, name) for name in _tool_names(message))
            case Field.IS:
                return lambda message: message.state.value in part.values
            case Field.AFTER | Field.BEFORE | Field.ON:
                first, last = part.period(self.now)
                return lambda message: _within(message.timestamp, first, last)
            case _:
                return None  # in: says where a message is looked into, not which one


def sieve(
    connection: Connection,
    capabilities: Capabilities,
    query: Query,
    *,
    now: float,
    profile: str | None = None,
    ticket: Ticket | None = None,
) -> Sieve:
    """The sieve of a query on one store. `now` is in Unix seconds, `profile` the name of the store's own profile.

    Raises StoreError and Cancelled.
    """
    if not query.filters:
        return Sieve()
    asking = [part for part in query.filters if part.of_sessions]
    sessions = sessions_passing(connection, capabilities, asking, profile=profile, ticket=ticket) if asking else None
    ids = None
    condition = _row_condition(query, capabilities, now)
    if sessions is not None:
        if not sessions.inverse and len(sessions.ids) <= FEW:
            ids = _rows_of(connection, sessions.ids, ticket)
        mark = "NOT IN" if sessions.inverse else "IN"
        asked = Condition(f"m.session_id {mark} (SELECT value FROM json_each(?))", (listed(sorted(sessions.ids)),))
        condition = condition if ids is not None else condition.and_(asked)
    return Sieve(query.filters, sessions, condition, ids, now)


def sessions_passing(
    connection: Connection,
    capabilities: Capabilities,
    filters: Sequence[Filter],
    *,
    profile: str | None = None,
    ticket: Ticket | None = None,
) -> SessionSet:
    """The sessions that pass those of `filters` that ask about sessions. Raises StoreError and Cancelled."""
    asking = [part for part in filters if part.of_sessions]
    facts = SessionFacts(connection, capabilities, asking, profile=profile, ticket=ticket)
    passing = set(facts.ids)
    for part in asking:
        chosen = facts.chosen(part)
        passing = passing - chosen if part.negated else passing & chosen
    if all(part.negated for part in asking):  # a row whose session is not there has none of what is not wanted
        return SessionSet(frozenset(set(facts.ids) - passing), inverse=True)
    return SessionSet(frozenset(passing))


_COLUMNS = {
    Field.SOURCE: "source",
    Field.MODEL: "model",
    Field.TITLE: "title",
    Field.PROFILE: "profile_name",
    Field.CWD: "cwd",
    Field.SESSION: "title",
    Field.CONVERSATION: "title",
}


class SessionFacts:
    """What filters ask of all sessions, read once."""

    def __init__(
        self,
        connection: Connection,
        capabilities: Capabilities,
        filters: Sequence[Filter],
        *,
        profile: str | None = None,
        ticket: Ticket | None = None,
    ) -> None:
        self._connection, self._capabilities, self._ticket = connection, capabilities, ticket
        self._profile = profile or ""
        names = sorted({_COLUMNS[part.field] for part in filters if part.field in _COLUMNS})
        cells = [text_cell("s.id")]
        cells += [text_cell(column(capabilities, "sessions", name, alias="s")) for name in names]
        self.ids, *columns = fetch_columns(
            connection, cells, "FROM sessions AS s WHERE s.id IS NOT NULL", ticket=ticket
        )
        self._held: dict[str, list[str | None]] = dict(zip(names, columns, strict=True))

    def chosen(self, part: Filter) -> set[str]:
        """The sessions that have what `part` asks for, its negation apart."""
        match part.field:
            case Field.SESSION:
                return self._named(part)
            case Field.CONVERSATION:
                chain = self._catalogue.lineage.chain
                return {member for session in self._named(part) for member in chain(session)}
            case Field.IS:
                return {session for session in self.ids if any(self._is(session, flag) for flag in part.values)}
            case Field.SOURCE:
                return self._pick(part, lambda cell: whole(part, cell or ""))
            case Field.PROFILE:
                return self._pick(part, lambda cell: whole(part, cell or self._profile))
            case Field.CWD:
                folders = {folded for value in part.values for folded in _places(value)}
                return self._pick(part, lambda cell: _holds(cell, folders))
            case _:
                wanted = [_folded(value) for value in part.values]
                return self._pick(part, lambda cell: _holds(cell, wanted))

    def _pick(self, part: Filter, test: Callable[[str | None], bool]) -> set[str]:
        known: dict[str | None, bool] = {}
        picked = set()
        for session, cell in zip(self.ids, self._held[_COLUMNS[part.field]], strict=True):
            if cell not in known:
                known[cell] = test(cell)
            if known[cell]:
                picked.add(session)
        return picked

    def _named(self, part: Filter) -> set[str]:
        """Sessions by id, else by the beginning of one, else by title."""
        found: set[str] = set()
        everyone = set(self.ids)
        for value in part.values:
            wanted = _folded(value)
            exact = {value} & everyone
            begun = exact or {session for session in self.ids if session.startswith(value)}
            found |= begun or {
                session
                for session, title in zip(self.ids, self._held["title"], strict=True)
                if title is not None and _folded(title.strip()) == wanted
            }
        return found

    @cached_property
    def _catalogue(self) -> Catalogue:
        return load(self._connection, self._capabilities, ticket=self._ticket)

    def _is(self, session_id: str, flag: str) -> bool:
        link = self._catalogue.links[session_id]
        match flag:
            case "archived":
                return self._catalogue.flags(session_id).archived
            case "pinned":
                return self._catalogue.flags(session_id).pinned
            case "running":
                return link.open
            case "branch":
                return self._catalogue.lineage.kind(session_id) is SessionKind.BRANCH
            case _:
                return link.source == SUBAGENT or self._catalogue.lineage.kind(session_id) is SessionKind.DELEGATE


def whole(part: Filter, cell: str) -> bool:
    """Whether a cell is one of the values, without regard to case; `*` in a value stands for anything."""
    small = cell.casefold()
    return any(
        re.fullmatch(".*".join(map(re.escape, value.casefold().split("*"))), small, re.DOTALL) is not None
        if "*" in value
        else value.casefold() == small
        for value in part.values
    )


def _folded(text: str) -> str:
    return folded_needle(text, case=True, accents=True)


def _holds(cell: str | None, wanted: Iterable[str]) -> bool:
    folded = _folded(cell or "")
    return any(value in folded for value in wanted)


def _places(value: str) -> set[str]:
    """A folder as typed, and with `~` spelt out."""
    return {_folded(value), _folded(os.path.expanduser(value))}


def _tool_names(message: Message) -> list[str]:
    return [message.tool_name or "", *(call.name for call in message.tool_calls)]


def _within(moment: float | None, first: float | None, last: float | None) -> bool:
    if moment is None:
        return False
    return (first is None or moment >= first) and (last is None or moment < last)


# -- SQL --------------------------------------------------------------------------------------------------------------


def _rows_of(connection: Connection, sessions: Iterable[str], ticket: Ticket | None) -> tuple[int, ...] | None:
    """The messages of these sessions; None when they are too many to list."""
    sql = """
        SELECT json_group_array(id) FROM (
          SELECT m.id FROM messages m WHERE m.session_id IN (SELECT value FROM json_each(?)) LIMIT ?)
    """
    ids = connection.json(sql, (listed(sorted(sessions)), HANDY + 1), ticket=ticket)
    return tuple(sorted(ids)) if len(ids) <= HANDY else None


def _row_condition(query: Query, capabilities: Capabilities, now: float) -> Condition:
    condition = Condition("1")
    for part in query.filters:
        if part.of_sessions or part.negated:
            continue
        if (asked := _asked(part, capabilities, now)) is not None:
            condition = asked if condition.sql == "1" else condition.and_(asked)
    if query.regions == {Region.TOOLS}:
        calls = column(capabilities, "messages", "tool_calls")
        name = column(capabilities, "messages", "tool_name")
        place = Condition(f"m.role = 'tool' OR {calls} IS NOT NULL OR {name} IS NOT NULL")
        condition = place if condition.sql == "1" else condition.and_(place)
    return condition


def _asked(part: Filter, capabilities: Capabilities, now: float) -> Condition | None:
    """One filter as SQL that lets through all that can pass; None where that is everything."""
    if any("*" in value or not value.isascii() for value in part.values) and part.field not in PERIODS:
        return None
    match part.field:
        case Field.ROLE:
            return Condition(
                "lower(m.role) IN (SELECT value FROM json_each(?))", (listed(map(str.lower, part.values)),)
            )
        case Field.TOOL:
            return _tool_condition(part, capabilities)
        case Field.IS:
            places = ", ".join(str(place) for place, state in enumerate(STATE_CELLS) if state.value in part.values)
            return Condition(f"({state_cell(capabilities)}) IN ({places})")
        case Field.AFTER | Field.BEFORE | Field.ON:
            return _period_condition(part.period(now), column(capabilities, "messages", "timestamp"))
        case _:
            return None


def _tool_condition(part: Filter, capabilities: Capabilities) -> Condition:
    name = column(capabilities, "messages", "tool_name")
    calls = column(capabilities, "messages", "tool_calls")
    # A name of plain letters stands in JSON as it is; what is escaped there is read.
    some = " OR ".join([f"instr(lower({calls}), ?) > 0"] * len(part.values))
    odd = f"instr({calls}, '\\u') > 0 OR instr({calls}, char(0)) > 0 OR typeof({calls}) = 'blob'"
    small = [value.lower() for value in part.values]
    params = (listed(small), *small)
    return Condition(
        f"lower({name}) IN (SELECT value FROM json_each(?)) OR typeof({name}) = 'blob' OR {some} OR {odd}", params
    )


def _period_condition(period: tuple[float | None, float | None], cell: str) -> Condition:
    """Times that are no plain Unix seconds (text, milliseconds) are read and judged then."""
    first, last = period
    low, high = 0.0 if first is None else first, LATEST if last is None else last
    odd = f"typeof({cell}) NOT IN ('real', 'integer') OR {cell} < 0 OR {cell} > {LATEST}"
    return Condition(f"({cell} >= ? AND {cell} < ?) OR {odd}", (low, high))
