"""The colours that terminal output brought along, as far as they are safe: foreground, bold, underline, nothing else.

`render.clean` takes escape sequences out of the text; here those that set colours are read where they stood. For a
row that is painted the sequences since the last one that reset all colours are read, and no others.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from functools import lru_cache

from hermes_tui.render.clean import Cleaned
from hermes_tui.render.ink import Shade, Tint

PLAIN = Tint()
_MOST = 32  # numbers of one sequence that are read
_BACK = 500  # sequences that a colour lasts for: one that was set before and never reset is taken for forgotten
_RESETS = frozenset(("", "0", "00"))


class Shades:
    """The tints of one cleaned text; `stored` is the text it came from, which begins at `base` in `stored`."""

    def __init__(self, cleaned: Cleaned, stored: str, base: int) -> None:
        self._edits = cleaned
        self._stored = stored
        self._base = base

    def within(self, start: int, end: int) -> list[Shade]:
        """The stretches of `start..end` of the cleaned text that are not plain, from left to right."""
        froms = self._edits.froms
        if not froms:
            return []
        index = bisect_left(froms, start)
        least = max(0, index - _BACK)
        while index > least and self._codes(index - 1) not in _RESETS:
            index -= 1
        shades: list[Shade] = []
        tint, since = PLAIN, start
        while index < len(froms) and froms[index] < end:
            codes = self._codes(index)
            new = tint if codes is None else tinted(tint, codes)
            if new != tint:
                at = max(start, froms[index])
                if tint != PLAIN and since < at:
                    shades.append((since, at, tint))
                tint, since = new, at
            index += 1
        if tint != PLAIN and since < end:
            shades.append((since, end, tint))
        return shades

    def _codes(self, edit: int) -> str | None:
        """What stands in the sequence that an edit took out, if it is one that sets colours."""
        stored = self._stored
        start, end = self._edits.starts[edit] + self._base, self._edits.ends[edit] + self._base
        if end - start < 2 or stored[end - 1] != "m":
            return None
        return stored[start + (2 if stored[start] == "\x1b" else 1) : end - 1] if stored[start] in "\x1b\x9b" else None


@lru_cache(maxsize=4096)
def tinted(tint: Tint, codes: str) -> Tint:
    """`tint` after the sequence that holds `codes`, as in `1;31` or `38:2::10:20:30`."""
    if codes and codes[0] in "<=>?":  # the same letter, another meaning
        return tint
    color, bold, underline = tint
    numbers = _numbers(codes)
    for number, parts in numbers:
        match number:
            case 0:
                color, bold, underline = PLAIN
            case 1 | 22:
                bold = number == 1
            case 4 | 24 | 21:
                underline = number != 24 and parts[1:2] != ["0"]
            case 38:
                color = _color(parts, numbers, color)
            case 48 | 58:  # a background, the colour of a line: read over
                _color(parts, numbers, None)
            case 39:
                color = None
            case _ if 30 <= number <= 37:
                color = number - 30
            case _ if 90 <= number <= 97:
                color = number - 90 + 8
    return Tint(color, bold, underline)


def _numbers(codes: str) -> Iterator[tuple[int, list[str]]]:
    """Each code with the parts that colons divide it into."""
    for code in codes.split(";", _MOST)[:_MOST]:
        parts = code.split(":")
        yield _number(parts[0]) or 0, parts


def _color(
    parts: list[str], following: Iterator[tuple[int, list[str]]], old: int | tuple[int, int, int] | None
) -> int | tuple[int, int, int] | None:
    """The colour that a 38 begins: with its numbers after colons, or in the codes that follow it."""
    if len(parts) > 1:
        kind, values = _number(parts[1]), [_number(part) for part in parts[2:]]
        values = values[1:] if kind == 2 and len(values) > 3 else values  # the place of the colour space
    else:
        kind, _ = next(following, (None, []))
        wanted = {5: 1, 2: 3}.get(kind or 0, 0)
        values = [number for _, (number, _) in zip(range(wanted), following, strict=False)]
    match kind, values:
        case 5, [int(index), *_] if 0 <= index <= 255:
            return index
        case 2, [int(red), int(green), int(blue), *_] if max(red, green, blue) <= 255:
            return red, green, blue
        case _:
            return old


def _number(text: str) -> int | None:
    return int(text) if text.isdecimal() and text.isascii() and len(text) < 6 else None
