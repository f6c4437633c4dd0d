"""Tables of Markdown: columns made even with blanks that are drawn and not in the text, where the table fits.

Rows that are too long for the width stand as they are stored, and so does a table of which most are.
"""

from __future__ import annotations

import re
from itertools import pairwise

from hermes_tui.render.cells import cells
from hermes_tui.render.ink import Gap

_RULE = re.compile(
    r"[ ]{0,12}\|(?:[ \t]{0,40}:?-{1,200}:?[ \t]{0,40}\|){1,100}(?:[ \t]{0,40}:?-{1,200}:?)?[ \t]{0,40}(?=\n|\Z)"
)
_PIPE = re.compile(r"\\.|`[^`\n]{1,200}`|(?P<pipe>\|)")
_COLUMNS = 64  # a table of more is data


class Table:
    """A stretch of lines `start..end` that begin with a bar; `rule` is where the line below the head begins.

    `end` moves while the lines are read. The columns are measured when the first row is painted: blanks between them
    never make another row.
    """

    __slots__ = ("_gaps", "_text", "_width", "end", "rule", "start")

    def __init__(self, text: str, start: int, rule: int, end: int, width: int) -> None:
        self.start = start
        self.rule = rule
        self.end = end
        self._text = text
        self._width = width
        self._gaps: dict[int, tuple[Gap, ...]] | None = None

    def gaps(self, start: int) -> tuple[Gap, ...]:
        """What is drawn into the row at `start` to make columns even; nothing where the table does not fit."""
        if self._gaps is None:
            self._gaps = _align(self._text, self._rows(), self._width)
        return self._gaps.get(start, ())

    def _rows(self) -> list[tuple[int, int]]:
        rows: list[tuple[int, int]] = []
        place = self.start
        while place <= self.end:
            stop = self._text.find("\n", place, self.end)
            rows.append((place, self.end if stop < 0 else stop))
            place = rows[-1][1] + 1
        return rows


def rule_below(text: str, end: int) -> int:
    """Where the line below one that ends at `end` begins, if it is the rule below a table's head; else -1."""
    return end + 1 if _RULE.match(text, end + 1) else -1


def pipes(text: str, start: int, end: int) -> list[int]:
    """Where the bars between the cells of a row are."""
    return [found.start() for found in _PIPE.finditer(text, start, end) if found["pipe"]]


def _align(text: str, rows: list[tuple[int, int]], width: int) -> dict[int, tuple[Gap, ...]]:
    """The gaps of each row by its offset; none for rows that do not fit."""
    if max(end - start for start, end in rows) > width * 4:
        return {}
    bars = [pipes(text, start, end) for start, end in rows]
    columns = max(map(len, bars)) - 1
    if not 1 <= columns <= _COLUMNS or not all(bars):
        return {}
    sizes = [[cells(text[left:right]) for left, right in pairwise(row)] for row in bars]
    widest = [max((row[at] for row in sizes if at < len(row)), default=0) for at in range(columns)]
    indents = [cells(text[start : row[0]]) for (start, _), row in zip(rows, bars, strict=True)]
    tails = [cells(text[row[-1] : end]) for (_, end), row in zip(rows, bars, strict=True)]
    _narrow(widest, sizes, width - max(indents) - columns - max(tails))
    fit = [all(size <= most for size, most in zip(row, widest, strict=False)) for row in sizes]
    if 2 * sum(fit) <= len(fit):
        return {}
    sides = [_side(text[left + 1 : right].strip()) for left, right in pairwise(bars[1])]
    sides += [""] * (columns - len(sides))
    found: dict[int, tuple[Gap, ...]] = {}
    for number, ((start, _), row) in enumerate(zip(rows, bars, strict=True)):
        if not fit[number]:
            continue
        missing = (most - size for most, size in zip(widest, sizes[number], strict=False))
        cells_of = zip(pairwise(row), missing, sides, strict=False)
        found[start] = tuple(
            gap
            for (left, right), many, side in cells_of
            for gap in _gaps(text, left + 1, right, many, side, number == 1)
        )
    return found


def _narrow(widest: list[int], sizes: list[list[int]], room: int) -> None:
    """Make columns narrower until they fit `room` cells together, the widest first, by leaving out its widest cells."""
    known = [sorted({row[at] for row in sizes if at < len(row)}) for at in range(len(widest))]
    while sum(widest) > room and any(known):
        at = widest.index(max(widest))
        known[at] = known[at][:-1]
        if not known[at]:
            widest[:] = [-1] * len(widest)
            return
        widest[at] = known[at][-1]


def _side(rule: str) -> str:
    """`<` to the left, `>` to the right, `=` in the middle, "" as it comes."""
    return {(True, True): "=", (True, False): "<", (False, True): ">"}.get((rule[:1] == ":", rule[-1:] == ":"), "")


def _gaps(text: str, left: int, right: int, missing: int, side: str, rule: bool) -> list[Gap]:
    """What fills a cell `left..right` up by `missing` cells."""
    if missing <= 0:
        return []
    if rule:
        dash = text.rfind("-", left, right)
        return [(dash, "-" * missing)] if dash >= 0 else [(right, " " * missing)]
    before = {">": missing, "=": missing // 2}.get(side, 0)
    return [(at, " " * many) for at, many in ((left, before), (right, missing - before)) if many]
