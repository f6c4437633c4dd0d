"""Fenced code blocks: where they stand, and their text byte for byte as it would be in a file.

The line breaks around the code belong to the fences: what is copied has none at its end that is not in the code. A
block in a list or quote is without the blanks and signs that put it there.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

_FENCE = re.compile(
    r"^(?P<quote>(?:[ ]{0,3}>[ ]?){0,8})(?P<lead>[ ]{0,12}(?:[-*+] {1,4}|\d{1,3}[.)] {1,4})?)"
    r"(?P<fence>`{3,}+(?![^\n`]*+`)|~{3,}+)(?P<info>[^\n]*+)",
    re.MULTILINE,
)
_QUOTED = re.compile(r"[ ]{0,3}>[ ]?")


@dataclass(frozen=True, slots=True)
class Fence:
    """A block from the line of its fence at `start` to `stop`, behind its closing line; `lines` are those of its code.

    `begin..end` is the code as it stands in the text; `plain` says that it stands there without anything before its
    lines. `shown` is where the fence itself begins.
    """

    start: int
    shown: int
    begin: int
    end: int
    stop: int
    info: str
    lines: tuple[tuple[int, int], ...]
    plain: bool

    @property
    def language(self) -> str:
        """The first word behind the fence, in small letters: `python` of ```` ```Python title=a ````."""
        words = self.info.replace("{", " ").replace(",", " ").split()
        return words[0].lstrip(".").lower() if words else ""


def fences(text: str) -> Iterator[Fence]:
    """The blocks of `text` in order; one that is never closed goes on to the end."""
    if "```" not in text and "~~~" not in text:
        return
    at = 0
    while found := _FENCE.search(text, at):
        fence = _block(text, found)
        yield fence
        at = fence.stop


def _block(text: str, found: re.Match[str]) -> Fence:
    depth, sign, indent = found["quote"].count(">"), found["fence"], len(found["lead"])
    at = begin = min(found.end() + 1, len(text))
    lines: list[tuple[int, int]] = []
    raw_end, stop = begin, len(text)
    while at < len(text) or (at == len(text) and not lines and found.end() < len(text)):
        end = text.find("\n", at)
        end = len(text) if end < 0 else end
        left = _inside(text, at, end, depth)
        if left < 0:  # the quote is over, and the block with it
            stop = at
            break
        if _closes(text, left, end, sign):
            stop = min(end + 1, len(text))
            break
        left = _outdented(text, left, end, indent)
        lines.append((left, end))
        raw_end = end
        at = end + 1
    if lines and raw_end > lines[-1][0] and text[raw_end - 1] == "\r":
        raw_end -= 1
        lines[-1] = lines[-1][0], raw_end
    plain = depth == 0 and indent == 0
    return Fence(
        found.start(),
        found.start("fence"),
        begin,
        max(begin, raw_end),
        stop,
        found["info"].strip(),
        tuple(lines),
        plain,
    )


def _inside(text: str, start: int, end: int, depth: int) -> int:
    """Where a line begins behind the signs of `depth` quotes, -1 where it has fewer."""
    for _ in range(depth):
        sign = _QUOTED.match(text, start, end)
        if sign is None:
            return -1
        start = sign.end()
    return start


def _outdented(text: str, start: int, end: int, indent: int) -> int:
    left = start
    while left < min(end, start + indent) and text[left] == " ":
        left += 1
    return left


def _closes(text: str, start: int, end: int, sign: str) -> bool:
    length = len(sign)
    while start < end and text[start] == " ":
        start += 1
    if not text.startswith(sign, start):
        return False
    rest = text[start + length : end].strip()
    return not rest.strip(sign[0])
