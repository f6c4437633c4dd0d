"""Marks within a line of Markdown: `code`, **bold**, *italics*, ~~struck~~ words, links, bullets, boxes, placeholders.

Every pattern runs up to the next mark of its kind, so that a line costs its length however it is put together.
"""

from __future__ import annotations

import re

from hermes_tui.render.ink import Ink, Run

LONG = 4000  # characters; beyond this a line is data, and not read for marks

# A bracket that opens in an address closes in it; what ends the sentence around it is not part of it.
ADDRESS = r"\bhttps?://(?:[^\s<>\"'`()\]]|\([^\s<>\"'`()\]]{0,200}\)){1,2000}(?<![.,;:!?])"
ITEM = re.compile(r"[ \t>]{0,80}(?:[-*+•]|\d{1,9}[.)])[ \t]+(?:\[[ xX]\](?=[ \t]|$)[ \t]*)?")
_MARK = re.compile(
    r"(?=[`!\[*_~h])(?:"  # most characters begin no mark, and need no more than one look
    r"(?P<code>(?<!`)(?P<tick>`{1,2})(?!`)[^`\n]{1,500}(?P=tick)(?!`))"
    r"|(?P<image>!?\[(?P<label>[^\[\]\n]{1,300})\]\((?P<target>[^()\s]{1,1000})(?: [\"'][^\"'\n]{0,200}[\"'])?\))"
    r"|(?P<media>\[(?:image|audio|video|file|application|document)(?:/[\w.+-]{1,80})?"
    r"(?: [^\[\]\s]{0,200}[./][^\[\]\s]{0,200})?(?: [\d.,]{1,12} [KMG]?B)?\](?!\())"
    r"|(?P<strong>(?:\*\*(?=[^\s*])[^*\n]{1,500}(?<=\S)\*\*)|(?:(?<![\w_])__(?=[^\s_])[^_\n]{1,500}(?<=\S)__(?![\w_]|\.\w)))"
    r"|(?P<strike>~~(?=[^\s~])[^~\n]{1,500}(?<=\S)~~)"
    r"|(?P<italic>(?:(?<![\w*\\])\*(?=[^\s*])[^*\n]{1,500}(?<=\S)\*(?![\w*]))"
    r"|(?:(?<![\w_\\])_(?=[^\s_])[^_\n]{1,500}(?<=\S)_(?![\w_]|\.\w)))"
    rf"|(?P<link>{ADDRESS}))"
)
_WIDTHS = {"strong": 2, "strike": 2, "italic": 1}


def line_runs(text: str, left: int, right: int) -> list[Run]:
    """The marks of the line `left..right`, from left to right; of two that overlap the later one holds."""
    runs: list[Run] = []
    if bullet := ITEM.match(text, left, right):
        runs.append((left, bullet.end(), Ink.BULLET))
        left = bullet.end()
    _read(text, left, right, runs)
    return runs


def _read(text: str, left: int, right: int, runs: list[Run]) -> None:
    for found in _MARK.finditer(text, left, right):
        start, end = found.span()
        match found.lastgroup:
            case "code":
                runs.append((start, end, Ink.INLINE))
            case "image":
                signs, label, target = (found.span(name) for name in ("image", "label", "target"))
                runs += ((*signs, Ink.SIGN), (*label, Ink.LINK), (*target, Ink.LINK))
            case "strong" | "strike" | "italic" as kind:
                width = _WIDTHS[kind]
                inside = start + width, end - width
                runs += ((start, end, Ink.SIGN), (*inside, Ink(kind)))
                _read(text, *inside, runs)  # what is inside has no mark of this kind, so it ends
            case "media" | "link" as kind:
                runs.append((start, end, Ink(kind)))
