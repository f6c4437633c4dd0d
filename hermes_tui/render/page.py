"""A message as rows of a screen: which stretch of which text is on which row, and where a place of the text went.

Rows are offsets, not strings, so that a message of fifty thousand rows is cheap to keep and only the rows on screen
are ever cut out of it. All offsets into a `Block` are code points of its cleaned text; a `Place` speaks of the stored
text, so it outlives another width, another fold and another lens.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import field
from enum import StrEnum
from itertools import pairwise
from typing import NamedTuple, Protocol

from hermes_tui.model.record import dataclass
from hermes_tui.render.cells import cells, fill
from hermes_tui.render.clean import Cleaned
from hermes_tui.render.ink import Gap, Ink, Mark, Run, Shade, Tint
from hermes_tui.render.prose import Cut


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
    COLUMN = "column"  # of the row as it is stored; `number` counts the columns


class Source(NamedTuple):
    """One text of a message; `number` counts its tool calls."""

    field: Field
    number: int = 0


class Place(NamedTuple):
    """Where in a message: a code point of one of its texts, or (source None) a row of the frame around them."""

    source: Source | None
    offset: int


class Piece(NamedTuple):
    """A stretch of one row in one look.

    `mark` says whether it matched the query, `tint` is the colour that the stored text asked for, `drawn` that it is
    not in the text: an indent, or blanks between the columns of a table.
    """

    text: str
    ink: Ink
    mark: Mark
    tint: Tint | None = None
    drawn: bool = False


class Inker(Protocol):
    """Whatever knows the looks within a row of a text; asked for rows that are painted and for no others."""

    def runs(self, start: int, end: int, ink: Ink) -> Sequence[Run]:
        """Stretches in another ink than `ink`, the row's own; of two that overlap the later one holds."""
        ...

    def gaps(self, start: int) -> Sequence[Gap]:
        """What is drawn within the row that is not in the text, in order."""
        ...

    def shades(self, start: int, end: int) -> Sequence[Shade]:
        """Colours that the stored text brought along; sorted, not overlapping."""
        ...


@dataclass(slots=True, eq=False)
class Block:
    """A stretch of text cut into rows: a window on a text of the message, or a line of the frame.

    `base` is where the window begins in the stored text; `cuts` are its rows; `marks` are the stretches that match the
    query; `runs` those in another ink than their row, or `inker` knows them. `bar` is drawn at the left of the indent.
    `about` is the text that a line of the frame tells the gist of.
    """

    text: str
    indent: int = 0
    source: Source | None = None
    cleaned: Cleaned | None = None
    base: int = 0
    cuts: list[Cut] = field(default_factory=list)
    marks: list[tuple[int, int]] = field(default_factory=list)
    runs: tuple[Run, ...] = ()
    inker: Inker | None = None
    bar: str = ""
    about: Source | None = None


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
        lead = (block.bar + " " * (block.indent - len(block.bar)))[: block.indent]
        if ink is not Ink.CODE:
            lead += " " * hang
        if lead:
            pieces.append(Piece(lead, Ink.META, Mark.NONE, drawn=True))
        if hang and ink is Ink.CODE:  # code has a background, and it begins where its first row does
            pieces.append(Piece(" " * hang, ink, Mark.NONE, drawn=True))
        inker = block.inker
        shades = inker.shades(left, right) if inker else ()
        gaps = dict(inker.gaps(left)) if inker else {}
        marks = _marks_in(block.marks, left, right)
        leading = block.marks[0] if current and marks and block is self._first_marked() else None
        edges = {left, right, *gaps}
        for stretches in (marks, shades):
            edges.update(edge for stretch in stretches for edge in stretch[:2] if left < edge < right)
        looks = [ink] * (right - left)
        for low, high, look in inker.runs(left, right, ink) if inker else block.runs:
            low, high = max(low, left), min(high, right)
            if low < high:
                looks[low - left : high - left] = [look] * (high - low)
                edges.update((low, high))
        level, tint = Mark.NONE, None
        for start, end in pairwise(sorted(edges)):
            if marks:
                mark = next(((low, high) for low, high in marks if low <= start < high), None)
                level = Mark.NONE if mark is None else Mark.CURRENT if mark == leading else Mark.HIT
            if shades:
                tint = next((tint for low, high, tint in shades if low <= start < high), None)
            if start in gaps:
                pieces.append(Piece(gaps[start], looks[start - left], Mark.NONE, drawn=True))
            pieces.append(Piece(block.text[start:end], looks[start - left], level, tint))
        return pieces

    def text(self, number: int) -> str:
        """Row `number` as plain text, indentation included."""
        return "".join(piece.text for piece in self.pieces(number))

    def mark_row(self) -> int | None:
        """The row of the first match on the page, if anything on it matches."""
        block = self._first_marked()
        return None if block is None else self._row_of(self.blocks.index(block), block.marks[0][0])

    def place(self, number: int, cell: int = 0) -> Place:
        """What is read at row `number`, `cell` cells from its left end; an indent belongs to what follows it."""
        block, cut = self._row(number)
        if block.source is None or block.cleaned is None:
            return Place(None, number)
        offset = self._offset(block, cut, cell) if cell else cut[0]
        return Place(block.source, block.base + block.cleaned.source(offset))

    def cell(self, number: int, place: Place) -> int:
        """The cell of row `number` that a place on it is in; the first or the last of the row for places beside it."""
        block, (left, right, hang, _) = self._row(number)
        x = block.indent + hang
        if block.cleaned is None:
            return x
        inside = max(0, place.offset - block.base)
        offset, start = max(left, min(block.cleaned.span(inside, inside)[0], right)), left
        for at, text in block.inker.gaps(left) if block.inker else ():
            if at > offset:
                break
            x += cells(block.text[start:at]) + cells(text)
            start = at
        return x + cells(block.text[start:offset])

    def stored(self, number: int, low: int = 0, high: int | None = None) -> str:
        """The text on row `number` from cell `low` up to cell `high`, without what is only drawn there."""
        block, cut = self._row(number)
        start = self._offset(block, cut, low) if low else cut[0]
        return block.text[start : cut[1] if high is None else max(start, self._offset(block, cut, high))]

    def locate(self, place: Place) -> int:
        """The row that shows `place`, or the one nearest to it that this view has."""
        if place.source is None:
            return max(0, min(place.offset, self.height - 1))
        for number, block in enumerate(self.blocks):
            if block.source == place.source and block.cleaned is not None:
                inside = max(0, place.offset - block.base)
                return self._row_of(number, block.cleaned.span(inside, inside)[0])
        return 0

    def _offset(self, block: Block, cut: Cut, cell: int) -> int:
        """The offset of the character of a row that covers a cell, or of the row's end."""
        left, right, hang, _ = cut
        room, start = cell - block.indent - hang, left
        for at, text in (*(block.inker.gaps(left) if block.inker else ()), (right, "")):
            taken = cells(block.text[start:at])
            if room < taken:
                break
            room -= taken
            start = at
            if room < cells(text):
                return at
            room -= cells(text)
        return fill(block.text, start, right, room, least=0) if room > 0 else start

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


def _marks_in(marks: list[tuple[int, int]], start: int, end: int) -> list[tuple[int, int]]:
    """The ranges that overlap `start..end`; `marks` is sorted and its ranges do not overlap."""
    first = bisect_right(marks, (start, _FAR)) - 1
    if first < 0 or marks[first][1] <= start:
        first += 1
    return marks[first : bisect_left(marks, (end, 0))]
