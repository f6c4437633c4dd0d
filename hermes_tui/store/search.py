"""Run a Plan on a store: candidates by index or scan, every one decoded and verified, in short statements.

    for event in run(connection, capabilities, plan, order=Order.NEWEST, limit=200, ticket=ticket): ...

yields a `Found` for each message that matches (whatever its state), a `Coming` before several of them, a `Progress`
after each statement, and a `Damaged` when an index turned out to lie and the plan was made again without it. Nothing is
held between two statements.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, TypeVar

from hermes_tui.model import Capabilities, Index, Message, Route, Trust
from hermes_tui.query import Matcher, Plan, Scope, Step, TooSlow, plan
from hermes_tui.query.match import Text
from hermes_tui.query.terms import USUAL_REGIONS
from hermes_tui.store.connection import Connection, StoreDamaged, Ticket
from hermes_tui.store.decode import message_fields
from hermes_tui.store.events import Coming, Damaged, Event, Found, Progress, Slow, Spoilt
from hermes_tui.store.indexes import distrust, hollow
from hermes_tui.store.messages import read_messages
from hermes_tui.store.reach import Order, Reach
from hermes_tui.store.sieve import Sieve
from hermes_tui.store.survey import SURVEYED, Survey, survey_rows
from hermes_tui.store.thin import Condition, scope_condition, thin_condition
from hermes_tui.store.version import Version, is_told, version

T = TypeVar("T")

FIRST_PAGE, LAST_PAGE = 200, 2_000  # candidates of an index per statement; the first are few, to be shown at once
FIRST_ROWS, READ_ROWS = 16, 64  # rows decoded at a time, at first and later
SCAN_IDS = (2_000, 50_000)  # ids per scan statement, at first and at most

_STANDS_FOR = {"nul": Scope.NULS, "glob": Scope.ESCAPED, "accent": Scope.ACCENTED}
"""Patterns of a Step, and the surveyed rows that hold all they meet: what is asked of every row costs most."""


def count_messages(connection: Connection, *, ticket: Ticket | None = None) -> int:
    """All rows of `messages`, counted once as long as the store tells that it stays the same."""
    counted: dict[Version, int] = connection.learned("how many messages", dict)
    now = version(connection)
    if now not in counted or not is_told(connection):
        counted.clear()
        counted[now] = int(connection.value("SELECT count(*) FROM messages", ticket=ticket))
    return counted[now]


def count_within(connection: Connection, edge: int, order: Order, *, ticket: Ticket | None = None) -> int:
    """Rows from the near end of `order` as far as the row `edge`."""
    nearer = ">=" if order is Order.NEWEST else "<="
    return int(connection.value(f"SELECT count(*) FROM messages WHERE id {nearer} ?", (edge,), ticket=ticket))


def run(
    connection: Connection,
    capabilities: Capabilities,
    the_plan: Plan,
    *,
    order: Order = Order.NEWEST,
    limit: int = 200,
    rewound: bool = False,
    hidden: bool = False,
    weigh: bool = True,
    sieve: Sieve | None = None,
    survey: Survey | None = None,
    ticket: Ticket | None = None,
) -> Iterator[Event]:
    """Run `the_plan` until every row it covers was looked at, or `limit` visible messages older ones cannot pass.

    Hits carry their weight when `weigh`. `sieve` is what the filters let through. `survey` remembers, from one search
    on this connection to the next, which rows the indexes cannot speak for.
    Raises StoreError when the store itself fails, Cancelled when `ticket` was cancelled.
    """
    survey = Survey() if survey is None else survey
    survey.renew(connection)
    reach = Reach(newest=order is Order.NEWEST, limit=limit, rewound=rewound, hidden=hidden)
    search = _Search(connection, capabilities, survey, reach, sieve or Sieve(), ticket or Ticket(), weigh=weigh)
    while True:
        if lesser := _without_hollow(capabilities, survey):
            capabilities = search.capabilities = lesser
            the_plan = plan(the_plan.query, capabilities)
            yield Damaged(capabilities, the_plan)
        try:
            yield from search.steps(the_plan)
            if _read_through(connection, capabilities, survey, ticket):
                return
        except StoreDamaged:
            lesser = _without(capabilities, search.asking)
            if lesser is None:
                raise
            capabilities = search.capabilities = lesser
            the_plan = plan(the_plan.query, capabilities)
            yield Damaged(capabilities, the_plan)


def _read_through(connection: Connection, capabilities: Capabilities, survey: Survey, ticket: Ticket | None) -> bool:
    """Whether no index that was believed has a hole. It is read for that once, when the first hits are told already."""
    if survey.sound:
        return True
    asked = [index for index in (capabilities.word, capabilities.trigram) if index is not None and index.usable]
    survey.hollow = frozenset(index.table for index in asked if hollow(connection, index, ticket=ticket))
    survey.sound = True
    return not survey.hollow


def _without_hollow(capabilities: Capabilities, survey: Survey) -> Capabilities | None:
    """`capabilities` without the indexes that have holes; None when none of those is believed."""
    lesser = capabilities
    for route, index in ((Route.WORD, capabilities.word), (Route.TRIGRAM, capabilities.trigram)):
        if index is not None and index.usable and index.table in survey.hollow:
            lesser = _without(lesser, route) or lesser
    return None if lesser is capabilities else lesser


def _without(capabilities: Capabilities, route: Route | None) -> Capabilities | None:
    """`capabilities` with the index of `route` no longer trusted; None when no index was to blame."""

    def damaged(index: Index | None) -> Index | None:
        return index and distrust(index, Trust.DAMAGED)

    match route:
        case Route.WORD:
            return replace(capabilities, word=damaged(capabilities.word))
        case Route.TRIGRAM:
            return replace(capabilities, trigram=damaged(capabilities.trigram))
        case _:
            return None


class _Search:
    """One run: which rows were looked at."""

    def __init__(
        self,
        connection: Connection,
        capabilities: Capabilities,
        survey: Survey,
        reach: Reach,
        sieve: Sieve,
        ticket: Ticket,
        *,
        weigh: bool,
    ) -> None:
        self._weigh = weigh
        self.capabilities = capabilities
        self.asking: Route | None = None  # the index being asked right now
        self._connection = connection
        self._survey = survey
        self._reach = reach
        self._sieve = sieve
        self._few = None if sieve.ids is None else frozenset(sieve.ids)
        self._ticket = ticket
        self._checked: set[int] = set()
        self._spoilt: set[int] = set()
        if sieve.ids is not None:
            reach.low, reach.high = (sieve.ids[0] - 1, sieve.ids[-1]) if sieve.ids else (0, 0)
            return
        # Two subqueries: min and max asked at once walk the whole table.
        ends = "SELECT json_array((SELECT min(id) FROM messages), (SELECT max(id) FROM messages))"
        low, high = (end or 0 for end in connection.json(ends, ticket=ticket))
        reach.low, reach.high = int(low) - 1, int(high)

    def steps(self, the_plan: Plan) -> Iterator[Event]:
        matcher, exact = Matcher(the_plan.query), Matcher(the_plan.query.exact())
        verify = _Verifier(matcher, exact if exact.query != matcher.query else None, self._sieve, weigh=self._weigh)
        total = len(the_plan.steps)
        for number, step in enumerate(the_plan.steps):
            doing = step.reason if step.route is not Route.SCAN else ", ".join(scope.value for scope in step.scope)
            edge = None
            for part, ids in self._candidates(step):
                yield from self._verified(ids, step, verify)
                edge = self._reach.edge(step.tier)
                yield Progress(number, total, part, doing, edge)
                if verify.hopeless:
                    yield Slow(verify.slow, gave_up=True)
                    return
            yield Progress(number, total, 1.0, doing, edge)
        if verify.slow:
            yield Slow(verify.slow, gave_up=False)
        if self._spoilt:
            yield Spoilt(len(self._spoilt))

    def _candidates(self, step: Step) -> Iterator[tuple[float, list[int]]]:
        if step.route is not Route.SCAN:
            return self._ask_index(step)
        return self._scan(step) if self._sieve.ids is None else self._scan_few(step, self._sieve.ids)

    def _ask_index(self, step: Step) -> Iterator[tuple[float, list[int]]]:
        index = self.capabilities.word if step.route is Route.WORD else self.capabilities.trigram
        assert index is not None  # a plan asks only for an index that is there
        page = FIRST_PAGE
        newest = self._reach.newest
        low, high = self._reach.low, self._reach.high
        thin = self._sieve.narrowed(thin_condition(step.thin, self.capabilities))
        while low < high:
            low, high = self._reach.bounds(low, high, step.tier)
            self.asking = step.route
            sql = (
                f"SELECT json_group_array(rowid) FROM (SELECT rowid FROM {index.table} WHERE {index.table} MATCH ?"
                f" AND rowid > ? AND rowid <= ? ORDER BY rowid {'DESC' if newest else 'ASC'} LIMIT ?)"
            )
            ids = self._json(sql, (step.match, low, high, page))
            self.asking = None
            if ids and newest:
                high = ids[-1] - 1
            elif ids:
                low = ids[-1]
            more = len(ids) == page
            fresh = [row for row in ids if row not in self._checked and (self._few is None or row in self._few)]
            yield self._reach.done(low, high), self._thinned(fresh, thin)
            if not more:
                return
            page = min(page * 2, LAST_PAGE)

    def _scan(self, step: Step) -> Iterator[tuple[float, list[int]]]:
        newest, width = self._reach.newest, SCAN_IDS[0]
        low, high = self._reach.low, self._reach.high
        thin, anything = self._thin(step), self._sieve.narrowed(Condition("1"))
        while True:
            low, high = self._reach.bounds(low, high, step.tier)
            if low >= high:
                return
            first, last = (max(low, high - width), high) if newest else (low, min(high, low + width))
            ids: set[int] = set()
            surveyed = self._surveyed(step, first, last)
            if surveyed:
                odd = self._over(first, last, partial(self._look, surveyed)) - self._checked
                ids.update(self._sifted(odd, step, thin, first, last))
            if Scope.ELSEWHERE in step.scope:  # such a reply is not judged by what `thin` looks at
                found = self._over(first, last, partial(self._look, (Scope.ELSEWHERE,))) - self._checked
                ids.update(self._thinned(sorted(found), anything))
            where = self._where(step, surveyed)
            if where.sql != "0":
                ids.update(self._over(first, last, partial(self._walk, where)))
            low, high = (low, first) if newest else (last, high)
            yield self._reach.done(low, high), sorted(ids - self._checked, reverse=newest)
            width = min(width * 2, SCAN_IDS[1])

    def _scan_few(self, step: Step, few: Sequence[int]) -> Iterator[tuple[float, list[int]]]:
        """The rows that filters have picked out already: which of them the indexes speak for matters little."""
        thin = self._thin(step)
        ordered = few[::-1] if self._reach.newest else few
        for start in range(0, len(ordered), LAST_PAGE):
            low, high = self._reach.bounds(self._reach.low, self._reach.high, step.tier)
            near = [row for row in ordered[start : start + LAST_PAGE] if low < row <= high]
            if not near:
                return
            chunk = [row for row in near if row not in self._checked]
            yield (start + LAST_PAGE) / max(1, len(ordered)), self._thinned(chunk, thin)

    def _thin(self, step: Step, *, without: Container[str] = ()) -> Condition:
        reasoning = Scope.REASONING in step.scope
        thin = thin_condition(step.thin, self.capabilities, reasoning=reasoning, without=without)
        if Scope.ELSEWHERE in step.scope and thin.sql != "1" and self._sieve.ids is not None:
            thin = thin.or_(scope_condition([Scope.ELSEWHERE], self.capabilities))
        return self._sieve.narrowed(thin)

    def _surveyed(self, step: Step, first: int, last: int) -> tuple[Scope, ...]:
        """The scopes whose rows in (first, last] are taken from the survey: those of the step, and where it knows these
        rows already, those that an expensive pattern would have to find in each row that is walked."""
        scopes: list[Scope] = [scope for scope in step.scope if scope in SURVEYED and scope is not Scope.ELSEWHERE]
        walks = any(scope not in SURVEYED for scope in step.scope)
        if walks and Scope.REASONING not in step.scope and self._survey.knows(first, last):
            operators = {pattern.operator for group in step.thin for pattern in group}
            scopes += [scope for operator, scope in _STANDS_FOR.items() if operator in operators]
        return tuple(dict.fromkeys(scopes))

    def _sifted(self, odd: set[int], step: Step, thin: Condition, first: int, last: int) -> list[int]:
        """Those of the surveyed rows in (first, last] that can hold what is looked for. Most are only long: what an
        expensive pattern looks for is in the few that the survey names for it."""
        if Scope.LONG not in step.scope or not self._survey.knows(first, last):
            return self._thinned(sorted(odd), thin)
        rare = odd & self._look(tuple(_STANDS_FOR.values()), first, last)
        lean = self._thin(step, without=tuple(_STANDS_FOR))
        return self._thinned(sorted(rare), thin) + self._thinned(sorted(odd - rare), lean)

    def _where(self, step: Step, surveyed: Sequence[Scope]) -> Condition:
        """The rows a scan walks; those with what is rare are looked at apart where they are `surveyed`."""
        walked = [scope for scope in step.scope if scope not in SURVEYED]
        if not walked:
            return Condition("0")
        thin = self._thin(step, without=[operator for operator, scope in _STANDS_FOR.items() if scope in surveyed])
        return scope_condition(walked, self.capabilities).and_(thin)

    def _walk(self, where: Condition, first: int, last: int) -> Iterable[int]:
        sql = f"SELECT json_group_array(m.id) FROM messages m WHERE m.id > ? AND m.id <= ? AND ({where.sql})"
        return self._json(sql, (first, last, *where.params))

    def _look(self, scopes: tuple[Scope, ...], first: int, last: int) -> set[int]:
        return survey_rows(
            self._connection, self.capabilities, self._survey, scopes, first=first, last=last, ticket=self._ticket
        )

    def _thinned(self, ids: list[int], thin: Condition) -> list[int]:
        """Those of `ids` whose raw text can hold what is looked for; the others count as looked at."""
        if thin.sql == "1" or not ids:
            return ids
        kept: set[int] = set()
        listed = "SELECT json_group_array(m.id) FROM messages m WHERE m.id IN (SELECT value FROM json_each(?))"
        sql = f"{listed} AND ({thin.sql})"
        for start in range(0, len(ids), LAST_PAGE):
            chunk = ids[start : start + LAST_PAGE]
            kept.update(self._each(chunk, lambda some: self._json(sql, (json.dumps(some), *thin.params))))
        return [row for row in ids if row in kept]

    def _verified(self, ids: Sequence[int], step: Step, verify: _Verifier) -> Iterator[Coming | Found]:
        start = 0
        while start < len(ids):
            if self._reach.beyond(ids[start], step.tier):
                return
            chunk = ids[start : start + (READ_ROWS if self._checked else FIRST_ROWS)]
            start += len(chunk)
            self._checked.update(chunk)
            hits = [found for message in self._each(chunk, self._read) if (found := verify(message, step)) is not None]
            if hits:
                yield Coming(frozenset(hit.message.session_id for hit in hits))
            for hit in hits:
                self._reach.add(hit.message, hit.tier)
                yield hit

    def _read(self, ids: Sequence[int]) -> Iterable[Message]:
        return read_messages(self._connection, self.capabilities, ids, ticket=self._ticket)

    def _over(self, first: int, last: int, ask: Callable[[int, int], Iterable[int]]) -> set[int]:
        """What `ask` finds in (first, last]; where the file is damaged, in all of it but the ids that are."""
        try:
            return set(ask(first, last))
        except StoreDamaged:
            if last - first <= 1:
                self._spoilt.add(last)
                return set()
        middle = (first + last) // 2
        return self._over(first, middle, ask) | self._over(middle, last, ask)

    def _each(self, ids: Sequence[int], ask: Callable[[Sequence[int]], Iterable[T]]) -> list[T]:
        """What `ask` finds for `ids`, in their order, but those where the file is damaged."""
        try:
            return list(ask(ids))
        except StoreDamaged:
            if len(ids) == 1:
                self._spoilt.update(ids)
                return []
        middle = len(ids) // 2
        return self._each(ids[:middle], ask) + self._each(ids[middle:], ask)

    def _json(self, sql: str, params: Sequence[Any]) -> list[int]:
        answer: list[int] = self._connection.json(sql, params, ticket=self._ticket)
        return answer


PATIENT = 20  # messages that a regular expression may take too long on before the rest are left alone


class _Verifier:
    """Decides by decoded text, and cuts the snippet with the same engine."""

    def __init__(self, matcher: Matcher, exact: Matcher | None, sieve: Sieve, *, weigh: bool) -> None:
        self._weigh = weigh
        self.slow = 0  # messages a regular expression took too long on
        self._matcher = matcher
        self._exact = exact
        self._sieve = sieve
        self._telling = bool(matcher.query.terms or matcher.query.pattern)

    @property
    def hopeless(self) -> bool:
        """Whether going on would take ages."""
        return self.slow >= PATIENT

    def __call__(self, message: Message, step: Step) -> Found | None:
        if self.hopeless or not self._sieve.admits(message):
            return None
        regions = self._matcher.query.regions
        fields = [Text(field) for field in message_fields(message, regions)]  # folded once for all that follows
        if not fields and regions != USUAL_REGIONS:
            return None
        try:
            if not self._matcher.matches(fields):
                return None
        except TooSlow:
            self.slow += 1
            return None
        tier = 0 if self._exact is None or self._exact.matches(fields) else 1
        excerpt = self._matcher.excerpt(fields if self._telling else [_beginning(message)])
        weight = self._matcher.weight(fields) if self._weigh else 0.0
        return Found(message, excerpt.snippet, excerpt.spans, step.route, tier, weight)


def _beginning(message: Message) -> str:
    """What there is to show of a message when nothing in it was looked for."""
    calls = (f"{call.name} {call.arguments}" for call in message.tool_calls)
    return next((text for text in (message.text, *calls, message.reasoning) if text.strip()), "")
