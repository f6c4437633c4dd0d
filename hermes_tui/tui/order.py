"""The orders a reader can choose from, and how the list is put into one."""

from __future__ import annotations

from dataclasses import replace
from enum import Enum

from hermes_tui.model import Session, SessionList


class ListOrder(Enum):
    """How the session list is sorted; the value is read by people."""

    ACTIVITY = "last activity"
    STARTED = "start"
    TITLE = "title"

    def next(self) -> ListOrder:
        """The order that the sort key goes to from here."""
        orders = list(ListOrder)
        return orders[(orders.index(self) + 1) % len(orders)]


class HitOrder(Enum):
    """How hits are sorted; the value is what `Library.search` takes and what people read."""

    NEWEST = "newest"
    BEST = "best"
    OLDEST = "oldest"

    def next(self) -> HitOrder:
        """The order that the sort key goes to from here."""
        orders = list(HitOrder)
        return orders[(orders.index(self) + 1) % len(orders)]


def arrange(listing: SessionList, order: ListOrder) -> SessionList:
    """`listing`, which comes by last activity, in another order. Rows that lack the value go last."""
    match order:
        case ListOrder.ACTIVITY:
            return listing
        case ListOrder.STARTED:
            rows = sorted(listing.rows, key=_by_start)
        case ListOrder.TITLE:
            rows = sorted(listing.rows, key=_by_title)
    return replace(listing, rows=tuple(rows))


def _by_start(session: Session) -> float:
    return float("inf") if session.started_at is None else -session.started_at


def _by_title(session: Session) -> tuple[bool, str]:
    title = session.title or session.preview
    return (not title, title.casefold())
