"""Display cells: how wide text is on a terminal, cutting it to a width, and breaking it into rows.

Everything here takes text that `render.clean` has made safe, so the width of a string is the sum over its characters.
"""

from __future__ import annotations

import re

from rich.cells import get_character_cell_size

ELLIPSIS = "…"


class _Widths(dict[str, int]):
    """Cells of one character, remembered for good: 0 (combining), 1 or 2."""

    def __missing__(self, character: str) -> int:
        width = self[character] = get_character_cell_size(character)
        return width


_WIDTHS = _Widths()
_width_of = _WIDTHS.__getitem__

# Runs of characters of one width, by the blocks that are all of that width: most text of most languages.
_NARROW = re.compile("[\x20-\x7e\xa0-\xac\xae-\u02ff\u0370-\u0482\u2010-\u2015\u2018-\u201f\u2026\u2500-\u25fc]*")
_WIDE = re.compile("[\u3041-\u3096\u30a0-\u30ff\u3001-\u3029\u4e00-\u9fff\uac00-\ud7a3\uff01-\uff60]*")


def cells(text: str) -> int:
    """How many cells `text` takes on a terminal."""
    return len(text) if text.isascii() else sum(map(_width_of, text))


def fit(text: str, width: int) -> str:
    """`text`, cut to at most `width` cells; what is cut shows as `…`. Takes one line."""
    if len(text) <= width and (text.isascii() or cells(text) <= width):
        return text
    if width <= 0:
        return "" if cells(text) else text
    if len(text) <= width * 4 and cells(text) <= width:
        return text
    return text[: fill(text, 0, len(text), width - 1, least=0)] + ELLIPSIS


def pad(text: str, width: int) -> str:
    """`text` cut or filled up with blanks to exactly `width` cells."""
    shown = fit(text, width)
    return shown + " " * (width - cells(shown))


def fill(text: str, start: int, end: int, width: int, *, least: int = 1) -> int:
    """The largest stop in `start..end` so that `text[start:stop]` fits `width` cells, at least `least` characters.

    Combining marks stay with their base. No more than a few characters a cell are taken, so that a line made of
    combining marks alone still breaks.
    """
    stop = min(end, start + width)
    if text[start:stop].isascii() and (stop >= end or text[stop].isascii()):
        return max(stop, min(end, start + least))
    for run, per in ((_NARROW, 1), (_WIDE, 2)):
        stop = min(end, start + width // per)
        if (found := run.match(text, start, min(end, stop + 1))) and found.end() >= min(end, stop + 1):
            return max(stop, min(end, start + least))
    total = 0
    farthest = min(end, start + 4 * max(width, 1))
    for position in range(start, farthest):
        total += _width_of(text[position])
        if total > width:
            return max(position, min(end, start + least))
    return farthest


def wrap(
    text: str, start: int, end: int, width: int, *, hang: int = 0, limit: int | None = None
) -> list[tuple[int, int]]:
    """Break the line `text[start:end]` (no newline in it) into rows of at most `width` cells, as (start, end) offsets.

    A row ends at a blank, and the blanks at the break belong to no row; a word that is longer than a row, or a run in a
    script without blanks, is cut where the row is full. Rows after the first have `hang` cells less. At most `limit`
    rows.
    """
    if end - start <= width and text[start:end].isascii():
        return [(start, end)]
    rows: list[tuple[int, int]] = []
    room = width
    while limit is None or len(rows) < limit:
        stop = fill(text, start, end, room)
        if stop >= end:
            rows.append((start, end))
            break
        room = max(1, width - hang)
        if text[stop] != " ":
            stop = _word_break(text, start, stop, end, room)
        following = stop
        rows.append((start, stop))
        while following < end and text[following] == " ":
            following += 1
        if following >= end:
            break
        start = following
    return rows


def _word_break(text: str, start: int, stop: int, end: int, room: int) -> int:
    """Where the row `start..stop` ends, so as not to end inside a word that the next row, of `room` cells, can hold."""
    blank = text.rfind(" ", start, stop)
    if blank <= start or text[start:blank].isspace():
        return stop
    after = text.find(" ", stop, min(end, blank + room + 2))
    after = end if after < 0 and end <= blank + 1 + room else after
    if after >= 0 and text[blank:after].isascii():
        return blank
    return blank if after >= 0 and blank > start + (stop - start) // 2 else stop
