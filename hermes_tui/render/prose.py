"""Light reading of Markdown: enough to know headings, lists, quotes, tables and fenced code apart, line by line.

Nothing is hidden or rewritten: the text on screen is the text that was stored, in calmer and louder ink, and with
blanks drawn between the columns of a table.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import field

from hermes_tui.model.record import dataclass
from hermes_tui.render.cells import wrap
from hermes_tui.render.code import Fence
from hermes_tui.render.ink import Gap, Ink, Run, Shade
from hermes_tui.render.inline import ITEM, LONG, line_runs
from hermes_tui.render.table import Table, pipes, rule_below

Cut = tuple[int, int, int, Ink]  # start, end, hang, ink: a row of a text

_FENCE = re.compile(r"[ ]{0,12}(?:[-*+] +|\d{1,3}[.)] +)?(`{3,}(?![^\n]*`)|~{3,})(.*)")
_FENCES = re.compile("^" + _FENCE.pattern + "$", re.MULTILINE)
_FENCE_FIRST = "`~-*+0123456789"  # a fence may open a list item
_LINE_FIRST = "#>-*+•_0123456789"
_HEADING = re.compile(r"[ ]{0,3}#{1,6}(?=\s|$)")
_RULE = re.compile(r"[ ]{0,3}(?:(?:-[ \t]?){3,200}|(?:\*[ \t]?){3,200}|(?:_[ \t]?){3,200})")
_QUOTE = re.compile(r"[ ]{0,3}>(?:[ ]?>){0,20}\s?")
_MARKED = frozenset((Ink.BODY, Ink.QUOTE, Ink.HEADING))  # rows that are read for marks within the line
_DEEPEST = 60  # cells that further rows hang in, at most


@dataclass(slots=True, eq=False)
class Prose:
    """Clean Markdown in rows, with what it takes to ink those that are painted."""

    text: str
    cuts: list[Cut] = field(default_factory=list)
    fences: list[Fence] = field(default_factory=list)
    tables: list[Table] = field(default_factory=list)
    _line: tuple[int, list[Run]] = (-1, [])  # the marks of the line that was read last: its rows come one by one

    def runs(self, start: int, end: int, ink: Ink) -> Sequence[Run]:
        """What is in another ink than the row."""
        if ink is Ink.CODE:
            index = bisect_right(self.fences, start, key=_start) - 1
            return self.fences[index].runs(self.text, start, end) if index >= 0 else ()
        return self._marks(start) if ink in _MARKED else ()

    def gaps(self, start: int) -> Sequence[Gap]:
        """What is drawn within the row that is not in the text."""
        table = self._table(start)
        return table.gaps(start) if table else ()

    def shades(self, start: int, end: int) -> Sequence[Shade]:
        """Prose brings no colours of its own."""
        return ()

    def _marks(self, start: int) -> list[Run]:
        """Those of the whole line that the row is of."""
        left = self.text.rfind("\n", max(0, start - LONG), start) + 1
        if left == 0 and start > LONG:
            return []
        if left != self._line[0]:
            right = self.text.find("\n", left, left + LONG)
            right = len(self.text) if right < 0 else right
            runs = line_runs(self.text, left, right) if right - left <= LONG else []
            if self._table(left):
                runs = [*((at, at + 1, Ink.SIGN) for at in pipes(self.text, left, right)), *runs]
            self._line = left, runs
        return self._line[1]

    def _table(self, start: int) -> Table | None:
        index = bisect_right(self.tables, start, key=_start) - 1
        return self.tables[index] if index >= 0 and start < self.tables[index].end else None


def read_prose(
    text: str, width: int, *, wide: int, limit: int | None = None, fence: tuple[str, str] = ("", "")
) -> Prose:
    """Break clean Markdown into rows: sentences at `width` cells between words, code and tables at `wide`.

    `fence` is the fence the text begins inside of and what stands behind it, "" for none. At most `limit` rows.
    """
    prose = Prose(text)
    cuts = prose.cuts
    open_fence = fence[0]
    if open_fence:
        prose.fences.append(Fence(0, len(text), fence[1]))
    for start, end in lines(text):
        if limit is not None and len(cuts) >= limit:
            break
        first = text[start : min(end, start + 200)].lstrip()[:1]
        found = _FENCE.match(text, start, end) if first and first in _FENCE_FIRST else None
        ink, room, hang = Ink.BODY, width, 0
        if found and (not open_fence or _closes(found, open_fence)):
            ink, room = Ink.FENCE, wide
            open_fence = _turn(prose, found, open_fence)
        elif open_fence:
            ink, room = Ink.CODE, wide
        elif first == "|":
            room = wide
            ink = _table_row(prose, start, end, wide)
        elif first and first in _LINE_FIRST:
            ink, hang = _classify(text, start, end, first)
        if end - start <= room and text[start:end].isascii():
            cuts.append((start, end, 0, ink))
            continue
        if not hang and text[start] == " ":
            hang = end - start - len(text[start:end].lstrip(" "))
        hang = hang if hang * 2 < room and hang <= _DEEPEST else 0
        left = None if limit is None else limit - len(cuts)
        rows = wrap(text, start, end, room, hang=hang, limit=left)
        cuts += ((row, stop, 0 if row == start else hang, ink) for row, stop in rows)
    return prose


def plain_cuts(text: str, width: int, ink: Ink, *, limit: int | None = None) -> list[Cut]:
    """Break clean text into rows of one ink. At most `limit` rows."""
    cuts: list[Cut] = []
    for start, end in lines(text):
        if limit is not None and len(cuts) >= limit:
            break
        if end - start <= width and text[start:end].isascii():
            cuts.append((start, end, 0, ink))
            continue
        left = None if limit is None else limit - len(cuts)
        cuts += ((row, stop, 0, ink) for row, stop in wrap(text, start, end, width, limit=left))
    return cuts


def lines(text: str) -> Iterator[tuple[int, int]]:
    """The lines of `text` as (start, end) offsets without their newlines; one empty line for an empty text."""
    start = 0
    while (end := text.find("\n", start)) >= 0:
        yield start, end
        start = end + 1
    yield start, len(text)


def fence_at(text: str, offset: int) -> tuple[str, str]:
    """The fence that is open at `offset` of stored text and what stands behind it, "" for none."""
    fence, info = "", ""
    for found in _FENCES.finditer(text, 0, offset):
        if not fence:
            fence, info = found.groups()
        elif _closes(found, fence):
            fence, info = "", ""
    return fence, info


def _turn(prose: Prose, found: re.Match[str], fence: str) -> str:
    """Open a block of code or close it; the fence that is open then."""
    if fence:
        prose.fences[-1].end = found.start()
        return ""
    prose.fences.append(Fence(min(found.end() + 1, len(prose.text)), len(prose.text), found[2]))
    return found[1]


def _table_row(prose: Prose, start: int, end: int, wide: int) -> Ink:
    """The ink of a line that begins with a bar: the head of a table, the rule below it, a row; it is taken in there."""
    table = prose.tables[-1] if prose.tables else None
    if table is not None and table.end == start - 1:
        table.end = end
        return Ink.RULE if start == table.rule else Ink.BODY
    rule = rule_below(prose.text, end)
    if rule < 0:
        return Ink.BODY
    prose.tables.append(Table(prose.text, start, rule, end, wide))
    return Ink.HEADING


def _classify(text: str, start: int, end: int, first: str) -> tuple[Ink, int]:
    """The ink of a line that may be a heading, rule, quote or list item, and how far its further rows hang in.

    `first` is its first character that is no blank.
    """
    if first == "#":
        return (Ink.HEADING if _HEADING.match(text, start, end) else Ink.BODY), 0
    if first == ">":
        quote = _QUOTE.match(text, start, end)
        return (Ink.QUOTE, quote.end() - start) if quote else (Ink.BODY, 0)
    if first in "-*_" and _RULE.fullmatch(text, start, end):
        return Ink.RULE, 0
    item = ITEM.match(text, start, end) if first != "_" else None
    return Ink.BODY, item.end() - start if item else 0


def _closes(found: re.Match[str], fence: str) -> bool:
    return found[1][0] == fence[0] and len(found[1]) >= len(fence) and not found[2].strip()


def _start(part: Fence | Table) -> int:
    return part.start
