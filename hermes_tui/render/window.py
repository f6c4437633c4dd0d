"""Which part of a long text is shown, cut into rows: all of it, its first rows, or the rows around a match.

A capped text costs what its shown rows cost, however long it is: only the window is cleaned and broken.
"""

from __future__ import annotations

from bisect import bisect_left

from hermes_tui.model.record import dataclass
from hermes_tui.render.clean import clean_with_map
from hermes_tui.render.ink import Ink
from hermes_tui.render.output import Output
from hermes_tui.render.page import Block, Inker, Source
from hermes_tui.render.prose import Cut, fence_at, plain_cuts, read_prose

SLACK = 3  # rows more than the cap that are shown all the same: a fold that saves less is a nuisance


@dataclass(frozen=True, slots=True)
class Reach:
    """A text of a message, `start..end` of it, and how its rows look.

    `width` is the room for rows without their indent, `measure` the same for sentences (Markdown with `prose`). `data`
    says whether text that is no prose is data; None: its beginning tells.
    """

    source: Source
    text: str
    start: int
    end: int
    width: int
    measure: int
    indent: int = 0
    ink: Ink = Ink.BODY
    prose: bool = False
    data: bool | None = False
    bar: str = ""


@dataclass(slots=True)
class Window:
    """Rows cut from a stretch of a `Reach` that begins at `low`, and whether they come to its end."""

    block: Block
    low: int
    complete: bool

    def shows(self, offset: int) -> bool:
        """Whether the place `offset` of the stored text is on a row."""
        if self.block.cleaned is None or not self.block.cuts or offset < self.low:
            return False
        return self.block.cleaned.span(offset - self.low, offset - self.low)[0] < self.block.cuts[-1][1]

    def end(self) -> int:
        """Where in the stored text the last row ends."""
        if self.block.cleaned is None or not self.block.cuts:
            return self.low
        return self.low + self.block.cleaned.source(self.block.cuts[-1][1])

    def mark(self, spans: list[tuple[int, int]]) -> None:
        """Note which of the sorted `spans` of the stored text lie in the window."""
        cleaned, stop, marks = self.block.cleaned, self.end(), self.block.marks
        if cleaned is None:
            return
        first = bisect_left(spans, (self.low, 0))
        if first and spans[first - 1][1] > self.low:
            first -= 1
        for start, end in spans[first : bisect_left(spans, (stop, 0))]:
            left, right = cleaned.span(max(0, start - self.low), end - self.low)
            right = min(right, len(self.block.text))
            if marks and left < marks[-1][1]:  # several places in one removed code share a character
                left, right = marks.pop()[0], max(right, left)
            if left < right:
                marks.append((left, right))


def cut(reach: Reach, low: int, cap: int | None) -> Window:
    """The rows of `reach` from `low` on: all, or with `cap` about that many."""
    limit = None if cap is None else cap + SLACK + 1
    high = reach.end if limit is None else _enough(reach.text, low, reach.end, rows=limit, width=reach.width)
    cleaned = clean_with_map(reach.text[low:high])
    cuts: list[Cut]
    inker: Inker
    if reach.prose:
        fence = fence_at(reach.text, low) if low else ("", "")
        prose = read_prose(cleaned.text, reach.measure, wide=reach.width, limit=limit, fence=fence)
        cuts, inker = prose.cuts, prose
    else:
        cuts = plain_cuts(cleaned.text, reach.width, reach.ink, limit=limit)
        inker = Output(cleaned, reach.text, low, data=reach.data)
    complete = high == reach.end and (limit is None or len(cuts) < limit)
    if cap is not None and not complete:
        del cuts[cap:]
    block = Block(cleaned.text, reach.indent, reach.source, cleaned, low, cuts, inker=inker, bar=reach.bar)
    return Window(block, low, complete)


def cut_around(reach: Reach, offset: int, cap: int) -> Window:
    """About `cap` rows of `reach` with the place `offset` of the stored text on one of them, not far from the top."""
    for above in (cap // 3, 2, 0):
        window = cut(reach, _before(reach, offset, above), cap)
        if window.shows(offset):
            break
    return window


def _enough(text: str, low: int, end: int, *, rows: int, width: int) -> int:
    """A place in `low..end` by which `rows` rows of `width` cells are surely full, as near as is cheap to tell."""
    farthest = min(end, low + rows * width * 2 + 4096)
    position = low
    for _ in range(rows):
        position = text.find("\n", position, farthest) + 1
        if position == 0:
            return farthest
    return position


def _before(reach: Reach, offset: int, rows: int) -> int:
    """Where to begin so that about `rows` rows stand above `offset`: at a line, or in a very long one at a blank."""
    text = reach.text
    least = max(reach.start, offset - max(1, rows) * reach.width)
    position = text.rfind("\n", least, offset) + 1 or least
    for _ in range(rows - 1):
        if position <= least:
            break
        position = text.rfind("\n", least, position - 1) + 1 or (least if least == reach.start else position)
    if position == reach.start or text[position - 1] == "\n":
        return position
    blank = text.find(" ", position, min(offset, position + 80))
    return blank + 1 if blank >= 0 else position
