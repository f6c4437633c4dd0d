"""Fenced code in a text: where its lines are, and texts that leave no fence or element of theirs open."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

_FENCE = re.compile(
    r"^[ ]{0,12}(?:[-*+] +|\d{1,3}[.)] +)?(?P<fence>`{3,}(?![^\n]*`)|~{3,})(?P<info>[^\n]*)$", re.MULTILINE
)
# Elements that go on to the end of a document when nothing closes them, at the beginning of a line.
_OPENING = re.compile(
    r"^([ ]{0,3})<(?=(?:/?(?:script|pre|style|textarea|details|summary)\b|!--|\?|!))", re.MULTILINE | re.IGNORECASE
)
_TICKS = re.compile("`{3,}")


class Fenced(NamedTuple):
    """One block: `start..end` with both fences, `first..last` what stands between them, `info` behind the first.

    `sign` is the fence itself; `closed` says whether a second one ends the block.
    """

    start: int
    first: int
    last: int
    end: int
    info: str
    sign: str
    closed: bool


def fenced(text: str) -> Iterator[Fenced]:
    """The blocks of fenced code, in order; the last may run to the end of the text."""
    opened: re.Match[str] | None = None
    for found in _FENCE.finditer(text):
        sign = found["fence"]
        if opened is None:
            opened = found
        elif sign[0] == opened["fence"][0] and len(sign) >= len(opened["fence"]) and not found["info"].strip():
            first = min(opened.end() + 1, found.start())
            yield Fenced(opened.start(), first, found.start(), found.end(), opened["info"], opened["fence"], True)
            opened = None
    if opened is not None:
        first = min(opened.end() + 1, len(text))
        yield Fenced(opened.start(), first, len(text), len(text), opened["info"], opened["fence"], False)


def closed(text: str) -> str:
    """Markdown that ends where it ends: an open fence is closed, and no element of HTML swallows what follows."""
    pieces: list[str] = []
    done = 0
    ending = ""
    for block in fenced(text):
        pieces += [_OPENING.sub(r"\1\\<", text[done : block.start]), text[block.start : block.end]]
        done = block.end
        ending = "" if block.closed else ("" if text.endswith("\n") else "\n") + block.sign
    return "".join([*pieces, _OPENING.sub(r"\1\\<", text[done:]), ending])


def fence_for(text: str) -> str:
    """A fence that nothing in `text` closes."""
    return "`" * max(3, max((len(found[0]) + 1 for found in _TICKS.finditer(text)), default=3))
