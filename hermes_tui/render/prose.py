"""Light reading of Markdown: enough to know headings, lists, quotes and fenced code apart, line by line.

Nothing is hidden or rewritten: the text on screen is the text that was stored, in calmer and louder ink.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from hermes_tui.render.cells import wrap
from hermes_tui.render.ink import Ink

Cut = tuple[int, int, int, Ink]  # start, end, hang, ink: a one row of a text

_FENCE = re.compile(r"[ ]{0,3}(?:[-*+] +|\d{1,3}[.)] +)?(`{3,}|~{3,})(.*)")
_FENCES = re.compile(r"^[ ]{0,3}(?:[-*+] +|\d{1,3}[.)] +)?(`{3,}|~{3,})(.*)$", re.MULTILINE)
_FENCE_FIRST = "`~-*+0123456789"  # a fence may open a list item
_LINE_FIRST = "#>-*+•0123456789"
_HEADING = re.compile(r"[ ]{0,3}#{1,6}(?=\s|$)")
_ITEM = re.compile(r"\s*(?:[-*+•]|\d{1,3}[.)])\s+")
_QUOTE = re.compile(r"[ ]{0,3}>\s?")
_INLINE = re.compile(
    r"(?P<inline>`[^`\n]{1,500}`)"
    r"|(?P<strong>\*\*(?=\S)[^*\n]{1,500}\*\*)"
    r"|(?P<link>\bhttps?://[^\s<>\"'`)\]]+)"
    r"|(?P<media>\[(?:image|audio|video|file|application)(?:/[\w.+-]+)?(?: [\d.,]+ [KMG]?B)?\])"
)
_LONG_LINE = 4000  # beyond this a line is data, and not read for inline marks


def prose_cuts(text: str, width: int, *, wide: int, limit: int | None = None, fence: str = "") -> list[Cut]:
    """Break clean Markdown into rows: sentences at `width` cells between words, code and tables at `wide`.

    `fence` is the fence the text begins inside of, "" for none. At most `limit` rows.
    """
    cuts: list[Cut] = []
    for start, end in lines(text):
        if limit is not None and len(cuts) >= limit:
            break
        first = text[start : min(end, start + 200)].lstrip()[:1]
        found = _FENCE.match(text, start, end) if first and first in _FENCE_FIRST else None
        ink, room, hang = Ink.BODY, width, 0
        if found and (not fence or _closes(found, fence)):
            fence = "" if fence else found[1]
            ink, room = Ink.FENCE, wide
        elif fence:
            ink, room = Ink.CODE, wide
        elif first == "|":
            room = wide
        elif first and first in _LINE_FIRST:
            ink, hang = _classify(text, start, end)
        if end - start <= room and text[start:end].isascii():
            cuts.append((start, end, 0, ink))
            continue
        if not hang and text[start] == " " and room == width:
            hang = end - start - len(text[start:end].lstrip(" "))
        hang = hang if hang * 2 < room else 0
        left = None if limit is None else limit - len(cuts)
        rows = wrap(text, start, end, room, hang=hang, limit=left)
        cuts += ((row, stop, 0 if row == start else hang, ink) for row, stop in rows)
    return cuts


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


def fence_at(text: str, offset: int) -> str:
    """The fence that is open at `offset` of stored text, "" for none."""
    fence = ""
    for found in _FENCES.finditer(text, 0, offset):
        if not fence:
            fence = found[1]
        elif _closes(found, fence):
            fence = ""
    return fence


def inline_runs(text: str, start: int, end: int) -> list[tuple[int, int, Ink]]:
    """Bullets, `code`, **strong**, links and placeholders of the line that `start..end` is a part of."""
    left = text.rfind("\n", max(0, start - _LONG_LINE), start) + 1
    if left == 0 and start > _LONG_LINE:
        return []
    right = text.find("\n", end, left + _LONG_LINE)
    if right < 0:
        right = len(text)
        if right - left > _LONG_LINE:
            return []
    runs: list[tuple[int, int, Ink]] = []
    if bullet := _ITEM.match(text, left, right):
        runs.append((left, bullet.end(), Ink.BULLET))
    for found in _INLINE.finditer(text, left, right):
        if found.end() > start and found.start() < end and found.lastgroup:
            runs.append((found.start(), found.end(), Ink(found.lastgroup)))
    return runs


def _classify(text: str, start: int, end: int) -> tuple[Ink, int]:
    """The ink of a line that may be a heading, quote or list item, and how far its further rows hang in."""
    if _HEADING.match(text, start, end):
        return Ink.HEADING, 0
    if quote := _QUOTE.match(text, start, end):
        return Ink.QUOTE, quote.end() - start
    item = _ITEM.match(text, start, end)
    return Ink.BODY, item.end() - start if item else 0


def _closes(found: re.Match[str], fence: str) -> bool:
    return found[1][0] == fence[0] and len(found[1]) >= len(fence) and not found[2].strip()
