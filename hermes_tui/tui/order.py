"""The orders and groupings a reader can choose from, and how the rows of a list are put into one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from datetime import date

from hermes_tui.model import Session, SessionKey, SessionList
from hermes_tui.render import day, moment
from hermes_tui.tui.columns import Column
from hermes_tui.tui.cycle import Cycle


class ListOrder(Cycle):
    """How the session list is sorted; the value is read by people."""

    ACTIVITY = "last activity"
    STARTED = "start"
    LENGTH = "length"
    TOKENS = "tokens"
    COST = "cost"
    TITLE = "title"

    @property
    def column(self) -> Column:
        """The column that shows what it goes by."""
        return _COLUMNS[self]


_COLUMNS = {
    ListOrder.ACTIVITY: Column.ACTIVE,
    ListOrder.STARTED: Column.STARTED,
    ListOrder.LENGTH: Column.MESSAGES,
    ListOrder.TOKENS: Column.TOKENS,
    ListOrder.COST: Column.COST,
    ListOrder.TITLE: Column.TITLE,
}


class Grouping(Cycle):
    """What the rows of the session list stand together by; the value is read by people."""

    NONE = "nothing"
    DAY = "day"
    SOURCE = "source"
    PROJECT = "project"
    MODEL = "model"


class HitOrder(Cycle):
    """How hits are sorted; the value is what `Library.search` takes and what people read."""

    NEWEST = "newest"
    BEST = "best"
    OLDEST = "oldest"


def arranged(rows: Iterable[Session], order: ListOrder, sizes: Mapping[SessionKey, int]) -> tuple[Session, ...]:
    """`rows`, which come by last activity, in another order. Rows that lack the value go last, as they came.

    `sizes` are the messages of each session, which only the order by length asks for.
    """
    match order:
        case ListOrder.ACTIVITY:
            return tuple(rows)
        case ListOrder.STARTED:
            return _most_first(rows, lambda session: session.started_at)
        case ListOrder.LENGTH:
            return _most_first(rows, lambda session: length(session, sizes))
        case ListOrder.TOKENS:
            return _most_first(rows, tokens)
        case ListOrder.COST:
            return _most_first(rows, lambda session: session.cost_usd)
        case ListOrder.TITLE:
            return tuple(sorted(rows, key=_by_title))


def length(session: Session, sizes: Mapping[SessionKey, int]) -> int | None:
    """How many messages a conversation has in all its sessions; None where it has none."""
    return sum(sizes.get((session.profile, segment), 0) for segment in session.segments) or None


def tokens(session: Session) -> int | None:
    """Tokens in and out; None where the store does not tell. Stores begin with 0, which tells nothing."""
    return (session.input_tokens or 0) + (session.output_tokens or 0) or None


def _most_first(rows: Iterable[Session], value: Callable[[Session], float | None]) -> tuple[Session, ...]:
    def least(session: Session) -> float:
        found = value(session)
        return float("inf") if found is None else -found

    return tuple(sorted(rows, key=least))


def _by_title(session: Session) -> tuple[bool, str]:
    title = session.title or session.preview
    return (not title, title.casefold())


def renewed(listing: SessionList, page: SessionList) -> SessionList:
    """`listing` with the rows of `page`, which were read later, in their places: conversations that are new or went on.
    What was taken away meanwhile is still there."""
    fresh = {(row.profile, segment) for row in page.rows for segment in (row.id, *row.segments)}
    ids = {session_id for _, session_id in fresh}
    kept = [row for row in listing.rows if row.id not in ids or row.key not in fresh]
    rows = tuple(sorted((*page.rows, *kept), key=_by_activity))
    return replace(listing, rows=rows, total=len(rows), of=len(rows))


def _by_activity(session: Session) -> tuple[float, str]:
    return (1.0 if session.last_active_at is None else -session.last_active_at, session.id)


class Grouper:
    """Names the group that a row stands in, and puts groups in order: days newest first, others by their names, and
    what belongs to none last."""

    def __init__(self, grouping: Grouping, order: ListOrder, now: float) -> None:
        self._grouping = grouping
        self._by_start = order is ListOrder.STARTED
        self._hours: dict[float, tuple[str, str]] = {}  # of hours that are of one day
        self._days: dict[float, tuple[str, str]] = {}
        today = moment(now)
        self._today = None if today is None else today.date()

    @property
    def place(self) -> Callable[[Session], tuple[str, str]]:
        """Tells of a row what its group is sorted by, and what it is called."""
        match self._grouping:
            case Grouping.DAY:
                return self._day
            case Grouping.SOURCE:
                return lambda session: _called(session.source, "no source")
            case Grouping.PROJECT:
                return lambda session: _called(session.project or session.cwd, "no project")
            case Grouping.MODEL:
                return lambda session: _called(session.model, "no model")
            case Grouping.NONE:
                return lambda session: ("", "")

    def _day(self, session: Session) -> tuple[str, str]:
        time = session.started_at if self._by_start else session.last_active_at
        time = time or session.started_at or session.last_active_at
        if time is None:
            return _LAST, "no date"
        hour = time // 3600
        found = self._hours.get(hour)
        if found is None:
            first, last = moment(hour * 3600), moment(hour * 3600 + 3599)
            if first is not None and last is not None and first.date() == last.date():
                found = self._hours[hour] = self._named(time, first.date())
            else:
                found = self._quarter(time)
        return found

    def _quarter(self, time: float) -> tuple[str, str]:
        quarter = time // 900  # no zone is off by less
        found = self._days.get(quarter)
        if found is None:
            then = moment(time)
            found = self._days[quarter] = (_LAST, "no date") if then is None else self._named(time, then.date())
        return found

    def _named(self, time: float, then: date) -> tuple[str, str]:
        past = 0 if self._today is None else (self._today - then).days
        name = {0: "today, ", 1: "yesterday, "}.get(past, "") + day(time)
        return f"{9_999_999 - then.toordinal():07}", name


_LAST = "\U0010ffff"
"""Sorts behind everything that is called something."""


def _called(name: str | None, none: str) -> tuple[str, str]:
    return (name.casefold(), name) if name else (_LAST, none)
