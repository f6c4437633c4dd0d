"""Reading ahead: the text is there before the window is, also where it is read slowly."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator

import pytest

from hermes_tui.model import Kind, OutlineRow, State
from hermes_tui.tui.ahead import MOST, Ahead

WINDOW = 10  # entries, a line each


def rows(many: int, size: int = 1_000) -> list[OutlineRow]:
    return [OutlineRow(number, "s", "user", State.LIVE, Kind.TURN, size) for number in range(1, many + 1)]


class Scroll:
    """A window over rows, and a lane that reads so many of them between two keys, in the order they were asked for."""

    def __init__(self, held: list[OutlineRow], pace: int, *, gone: frozenset[int] = frozenset()) -> None:
        self.rows, self.pace, self.gone = held, pace, gone
        self.here: set[int] = set()
        self.queue: deque[list[int]] = deque()
        self.ahead = Ahead()
        self.top = 0
        self.read: list[int] = []

    def ask(self) -> None:
        above, below = self.ahead.look(self.top)
        last = min(len(self.rows), self.top + WINDOW + below * WINDOW)
        far = range(max(0, self.top - above * WINDOW), last)
        view = range(self.top, min(self.top + WINDOW, len(self.rows)))
        self.queue += [list(ids) for ids in self.ahead.wanted(self.rows, view, far, lambda one: one not in self.here)]

    def work(self, pace: int | None = None) -> None:
        left = self.pace if pace is None else pace
        while self.queue and left > 0:
            asked = self.queue[0]
            taken, rest = asked[:left], asked[left:]
            left -= len(taken)
            self.read += taken
            self.queue[0] = rest
            if not rest:
                self.queue.popleft()
                found = [one for one in self.read if one not in self.gone]
                self.read = []
                self.here.update(found)
                self.ahead.arrived(found)
                self.ask()

    def blank(self) -> bool:
        return any(row.id not in self.here and row.id not in self.gone for row in self.view())

    def view(self) -> list[OutlineRow]:
        return self.rows[self.top : self.top + WINDOW]

    def go(self, top: int) -> bool:
        """Scroll there; whether what is painted then has something missing."""
        self.top = top
        self.ask()
        return self.blank()

    def pages(self, direction: int) -> Iterator[bool]:
        while 0 <= (top := self.top + direction * (WINDOW - 2)) <= len(self.rows) - WINDOW:
            yield self.go(top)
            self.work()


@pytest.mark.parametrize("pace", [WINDOW, 3 * WINDOW])
def test_holding_page_down_and_up_shows_no_blank(pace: int) -> None:
    scroll = Scroll(rows(1_000), pace)
    scroll.go(0)
    scroll.work(100)
    assert not any(scroll.pages(1))
    scroll.work(100)  # who turns round waits a moment at most
    assert sum(scroll.pages(-1)) <= 2


def test_what_comes_into_view_waits_for_one_portion_at_most() -> None:
    scroll = Scroll(rows(1_000), 10_000)
    scroll.go(0)
    scroll.work(WINDOW)
    assert not scroll.blank()
    scroll.go(700)
    waiting = [len(ids) for ids in scroll.queue]
    assert sum(waiting[:-1]) <= 48 + WINDOW
    scroll.work()
    assert not scroll.blank()
    assert not scroll.queue  # and then there is nothing left to ask for


def test_messages_that_are_gone_are_not_asked_for_again_and_again() -> None:
    scroll = Scroll(rows(200), 10_000, gone=frozenset(range(15, 60)))
    scroll.go(0)
    scroll.work()
    assert not scroll.queue
    assert not any(scroll.pages(1))


def test_long_messages_are_read_alone_and_no_more_than_memory_should_hold() -> None:
    scroll = Scroll(rows(200, MOST // 4), 10_000)
    scroll.go(0)
    assert len(scroll.queue[0]) == WINDOW  # what is in view is wanted whatever its size
    assert len(scroll.queue[1]) == 1
    scroll.work()
    assert len(scroll.here) == WINDOW + 4
