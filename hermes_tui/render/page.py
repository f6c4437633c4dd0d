"""A message as rows of a screen: which stretch of which text is on which row, and where a place of the text went.

Rows are offsets, not strings, so that a message of fifty thousand rows is cheap to keep and only the rows on screen
are ever cut out of it. All offsets into a `Block` are code points of its cleaned text; a `Place` speaks of the stored
text, so it outlives another width, another fold and another lens.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import pairwise
from typing import NamedTuple, Protocol

from hermes_tui.render.clean import Cleaned
from hermes_tui.render.ink import Ink, Mark
from hermes_tui.render.prose import Cut, inline_runs


class Marker(Protocol):
    """Whatever knows where a query matches: `hermes_tui.query.Matcher`, or a find box."""

    def spans(self, text: str) -> list[tuple[int, int]]:
        """Half-open code point ranges of `text` that match, sorted, not overlapping."""
        ...


class Field(StrEnum):
    """The texts of a message that a query is matched against."""

    TEXT = "text"
    TOOL_NAME = "tool_name"
    CALL = "call"
    ARGUMENTS = "arguments"
    REASONING = "reasoning"


class Source(NamedTuple):
    """One text of a message; `number` counts its tool calls."""

    field: Field
    number: int = 0


class Place(NamedTuple):
    """Where in a message: a code point of one of its texts, or (source None) a row of the frame around them."""

    source: Source | None
    offset: int


class Piece(NamedTuple):
    """A stretch of one row in one look. `mark` says whether it matched the query."""

    text: str
    ink: Ink
    mark: Mark


Run = tuple[int, int, Ink]


@dataclass(slots=True, eq=False)
class Block:
    """A stretch of text cut into rows: a window on a text of the message, or a line of the frame.

    `base` is where the window begins in the stored text; `cuts` are its rows; `marks` are the stretches that match the
    query; `runs` those in another ink than their row. `bar` is drawn at the left of the indent.
    """

    text: str
    indent: int = 0
    source: Source | None = None
    cleaned: Cleaned | None = None
    base: int = 0
    cuts: list[Cut] = field(default_factory=list)
    marks: list[tuple[int, int]] = field(default_factory=list)
    runs: tuple[Run, ...] = ()
    prose: bool = False
    bar: str = ""


@dataclass(slots=True, eq=False)
class Page:
    """All rows of one message in one view.

    `lead` counts the empty rows it begins with; `foldable` says whether unfolding would show more.
    """

    blocks: list[Block] = field(default_factory=list)
    firsts: list[int] = field(default_factory=list)  # the number of the first row of each block
    height: int = 0
    lead: int = 0
    foldable: bool = False

    def add(self, block: Block) -> None:
        """Put the rows of `block` below the others."""
        self.blocks.append(block)
        self.firsts.append(self.height)
        self.height += len(block.cuts)

    def ink(self, number: int) -> Ink:
        """The ink of the whole of row `number`, for what is drawn beside its text."""
        block, cut = self._row(number)
        return block.runs[0][2] if block.runs else cut[3]

    def pieces(self, number: int, *, current: bool = False) -> list[Piece]:
        """Row `number` as pieces from left to right; with `current` the first match of the page is the current one."""
        block, (left, right, hang, ink) = self._row(number)
        pieces = []
        if block.indent or hang:
            pieces.append(Piece(block.bar + " " * (block.indent - len(block.bar) + hang), Ink.META, Mark.NONE))
        runs = inline_runs(block.text, left, right) if block.prose and ink in _PROSE else block.runs
        marks = _marks_in(block.marks, left, right)
        leading = block.marks[0] if current and marks and block is self._first_marked() else None
        edges = {left, right}
        for start, end, *_ in (*runs, *marks):
            edges.update(edge for edge in (start, end) if left < edge < right)
        for start, end in pairwise(sorted(edges)):
            look = next((run_ink for low, high, run_ink in reversed(runs) if low <= start < high), ink)
            mark = next(((low, high) for low, high in marks if low <= start < high), None)
            level = Mark.NONE if mark is None else Mark.CURRENT if mark == leading else Mark.HIT
            pieces.append(Piece(block.text[start:end], look, level))
        return pieces

    def text(self, number: int) -> str:
        """Row `number` as plain text, indentation included."""
        return "".join(piece.text for piece in self.pieces(number))

    def mark_row(self) -> int | None:
        """The row of the first match on the page, if anything on it matches."""
        block = self._first_marked()
        return None if block is None else self._row_of(self.blocks.index(block), block.marks[0][0])

    def place(self, number: int) -> Place:
        """What is read at row `number`."""
        block, cut = self._row(number)
        if block.source is None or block.cleaned is None:
            return Place(None, number)
        return Place(block.source, block.base + block.cleaned.source(cut[0]))

    def locate(self, place: Place) -> int:
        """The row that shows `place`, or the one nearest to it that this view has."""
        if place.source is None:
            return max(0, min(place.offset, self.height - 1))
        for number, block in enumerate(self.blocks):
            if block.source == place.source and block.cleaned is not None:
                inside = max(0, place.offset - block.base)
                return self._row_of(number, block.cleaned.span(inside, inside)[0])
        return 0

    def _row(self, number: int) -> tuple[Block, Cut]:
        index = bisect_right(self.firsts, number) - 1
        block = self.blocks[index]
        return block, block.cuts[number - self.firsts[index]]

    def _row_of(self, index: int, offset: int) -> int:
        """The row of block `index` that holds or precedes `offset`; its first row for what lies before it."""
        return self.firsts[index] + max(0, bisect_right(self.blocks[index].cuts, (offset, _FAR)) - 1)

    def _first_marked(self) -> Block | None:
        return next((block for block in self.blocks if block.marks), None)


_FAR = 1 << 62
_PROSE = frozenset((Ink.BODY, Ink.QUOTE, Ink.HEADING))


def _marks_in(marks: list[tuple[int, int]], start: int, end: int) -> list[tuple[int, int]]:
    """The ranges that overlap `start..end`; `marks` is sorted and its ranges do not overlap."""
    first = bisect_right(marks, (start, _FAR)) - 1
    if first < 0 or marks[first][1] <= start:
        first += 1
    return marks[first : bisect_left(marks, (end, 0))]
