"""Which messages a scroll asks for: those in view at once, then the ones the reader is coming to, a portion at a time.

What is asked for is answered in order: a portion is small, since what comes into view waits for one of them at most.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain

from hermes_tui.model import OutlineRow

AHEAD = 8
"""Windows read ahead in the direction the reader goes."""
BEHIND = 2
"""Windows kept on the other side."""
MOST = 4_000_000
"""Stored bytes read ahead on both sides; messages in the window are wanted whatever their size."""
ROWS = 48
"""Messages of one portion."""
BYTES = 400_000
"""Stored bytes of one portion; a longer message is a portion of its own."""


class Ahead:
    """What was asked for and is on its way, and where the reader is going."""

    def __init__(self) -> None:
        self._asked: set[int] = set()
        self._portion: frozenset[int] = frozenset()  # the one read ahead last
        self._top = 0
        self._down = True

    def clear(self) -> None:
        """Nothing is on its way any more."""
        self._asked.clear()
        self._portion = frozenset()

    def look(self, top: int) -> tuple[int, int]:
        """The window begins at this line: how many windows above and below it are worth having."""
        if top != self._top:
            self._down = top > self._top
            self._top = top
        return (BEHIND, AHEAD) if self._down else (AHEAD, BEHIND)

    def arrived(self, ids: Iterable[int]) -> None:
        """These were handed over, of those asked for at once; nothing where none of them is there any more."""
        found = frozenset(ids)
        self._asked -= found
        if not found or not self._portion.isdisjoint(found):
            self._portion = frozenset()

    def wanted(
        self, rows: Sequence[OutlineRow], entries: range, far: range, lacks: Callable[[int], bool]
    ) -> Iterator[tuple[int, ...]]:
        """What to ask for now: entries `entries` are in view, `far` are worth having, `lacks` says what is missing."""
        self._asked.intersection_update([row.id for row in rows[far.start : far.stop]])  # asked for again another time
        for ids in (self._in_view(rows, entries, lacks), self._ahead(rows, entries, far, lacks)):
            if ids:
                self._asked.update(ids)
                yield ids

    def _in_view(self, rows: Sequence[OutlineRow], entries: range, lacks: Callable[[int], bool]) -> tuple[int, ...]:
        ids = [rows[index].id for index in entries]
        return tuple([each for each in ids if each not in self._asked and lacks(each)])

    def _ahead(
        self, rows: Sequence[OutlineRow], entries: range, far: range, lacks: Callable[[int], bool]
    ) -> tuple[int, ...]:
        if not self._portion.isdisjoint(self._asked):
            return ()
        below, above = range(entries.stop, far.stop), range(entries.start - 1, far.start - 1, -1)
        found: list[int] = []
        size, left = 0, MOST
        for index in chain(below, above) if self._down else chain(above, below):
            row = rows[index]
            if row.size > left:
                continue
            left -= row.size
            if row.id in self._asked or not lacks(row.id):
                continue
            if found and (len(found) == ROWS or size + row.size > BYTES):
                break
            found.append(row.id)
            size += row.size
        self._portion = frozenset(found)
        return tuple(found)
