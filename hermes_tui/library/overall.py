"""What is asked of many sessions in several stores at once: days, paths, charts, jobs; a part of `Stores`."""

from __future__ import annotations

import time
from abc import abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import chain
from typing import TYPE_CHECKING, TypeVar

from hermes_tui.library import merging
from hermes_tui.library.library import Library
from hermes_tui.model import Session, SessionKey
from hermes_tui.query import Field
from hermes_tui.store.connection import StoreError, Ticket

if TYPE_CHECKING:  # not needed to start
    from hermes_tui.model import Activity, Day, DayUse, Job, Moment, Share, Touch, Touches

Name = str | None
T = TypeVar("T")


class Overall:
    """These questions of `Stores`; a store that fails is a note of the answer, unless all do."""

    many: bool

    @abstractmethod
    def of(self, name: Name) -> Library:
        """The library of a store."""

    @abstractmethod
    def _all(self, ask: Callable[[Library], T]) -> tuple[dict[Name, T], dict[Name, StoreError]]:
        """What each answers, and who failed."""

    def day(self, start: float, end: float, *, limit: int | None = None, ticket: Ticket | None = None) -> Day:
        """All that was said from `start` to before `end` in all stores, the oldest first."""
        parts, errors = self._all(lambda library: library.day(start, end, limit=limit, ticket=ticket))
        if not self.many:
            (only,) = parts.values()
            return replace(only, moments=tuple(map(_unnamed_moment, only.moments)))
        days = parts.values()
        moments = sorted(
            chain.from_iterable(each.moments for each in days), key=lambda one: (one.timestamp, one.anchor.message_id)
        )
        from hermes_tui.model import Day

        return Day(
            start=start,
            end=end,
            moments=tuple(moments[:limit]),
            sessions=sum(each.sessions for each in days),
            undated=sum(each.undated for each in days),
            truncated=any(each.truncated for each in days) or (limit is not None and len(moments) > limit),
            total=sum(each.total for each in days),
            hidden=tuple(merging.summed(dict(each.hidden) for each in days).items()),
            notes=merging.failures(errors),
        )

    def touched(self, path: str, *, limit: int = 200, ticket: Ticket | None = None) -> Touches:
        """The tool calls of all stores that read, wrote or ran `path`, the newest first."""
        parts, errors = self._all(lambda library: library.touched(path, limit=limit, ticket=ticket))
        if not self.many:
            (only,) = parts.values()
            return replace(only, rows=tuple(map(_unnamed_touch, only.rows)))
        whole = [each for each in parts.values() if each.total and not each.partly]
        found = whole or list(parts.values())
        rows = sorted(chain.from_iterable(each.rows for each in found), key=lambda row: -(row.timestamp or 0.0))
        from hermes_tui.model import Touches

        return Touches(
            path=path,
            rows=tuple(rows[:limit]),
            total=sum(each.total for each in found),
            truncated=any(each.truncated for each in found) or len(rows) > limit,
            spoilt=sum(each.spoilt for each in parts.values()),
            partly=any(each.partly for each in found),
            notes=merging.failures(errors),
        )

    def activity(
        self, *, days: int = 90, by: Field = Field.SOURCE, now: float | None = None, ticket: Ticket | None = None
    ) -> Activity:
        """What was used in all stores on each of the last `days` local days as of `now`, and by source or model."""
        moment = time.time() if now is None else now
        parts, errors = self._all(lambda library: library.activity(days=days, by=by, now=moment, ticket=ticket))
        if not self.many:
            return next(iter(parts.values()))
        shares: dict[str, list[Share]] = {}
        for share in chain.from_iterable(part.by for part in parts.values()):
            shares.setdefault(share.name, []).append(share)
        from hermes_tui.model import Activity

        return Activity(
            days=tuple(_one_day(same) for same in zip(*(part.days for part in parts.values()), strict=True)),
            by=tuple(sorted(map(_one_share, shares.values()), key=lambda share: (-share.sessions, share.name))),
            undated=sum(part.undated for part in parts.values()),
            earlier=sum(part.earlier for part in parts.values()),
            notes=merging.failures(errors),
        )

    def jobs(self, rows: Sequence[Session], *, ticket: Ticket | None = None) -> tuple[tuple[Name, Job], ...]:
        """The automation among the rows of a list, each job with the name of its store; the last run first."""
        if not self.many:
            return tuple((None, job) for job in self.of(None).jobs(rows, ticket=ticket))
        found: list[tuple[Name, Job]] = []
        for name, own in merging.grouped(rows, lambda row: row.profile).items():
            with suppress(StoreError):  # a list tells itself of a store that does not answer any more
                found += [(name, job) for job in self.of(name).jobs(own, ticket=ticket)]
        return tuple(sorted(found, key=lambda pair: -(pair[1].last or 0.0)))

    def sizes(self, *, ticket: Ticket | None = None) -> Mapping[SessionKey, int]:
        """Rows of messages by session; those of rows without any are left out."""
        parts, _ = self._all(lambda library: library.sizes(ticket=ticket))
        return {
            (name if self.many else None, session_id): rows
            for name, part in parts.items()
            for session_id, rows in part.items()
        }


def _unnamed_moment(moment: Moment) -> Moment:
    """Without the name of its store, as rows are while only one is open."""
    if moment.anchor.profile is None:
        return moment
    anchor, session = replace(moment.anchor, profile=None), moment.session._replace(profile=None)
    return replace(moment, anchor=anchor, session=session)


def _unnamed_touch(touch: Touch) -> Touch:
    if touch.anchor.profile is None:
        return touch
    session = None if touch.session is None else touch.session._replace(profile=None)
    return replace(touch, anchor=replace(touch.anchor, profile=None), session=session)


def _one_day(same: Sequence[DayUse]) -> DayUse:
    messages = [each.messages for each in same if each.messages is not None]
    return replace(
        same[0],
        sessions=sum(each.sessions for each in same),
        messages=sum(messages) if len(messages) == len(same) else None,
        input=sum(each.input for each in same),
        output=sum(each.output for each in same),
        cost_usd=_dollars(each.cost_usd for each in same),
    )


def _one_share(same: Sequence[Share]) -> Share:
    return same[0]._replace(
        sessions=sum(each.sessions for each in same),
        tokens=sum(each.tokens for each in same),
        cost_usd=_dollars(each.cost_usd for each in same),
    )


def _dollars(amounts: Iterable[float | None]) -> float | None:
    known = [amount for amount in amounts if amount is not None]
    return sum(known) if known else None
