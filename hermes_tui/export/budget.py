"""How many tokens a text may take, and the part of a text that fits into so many.

No model is asked: the estimate counts a quarter of a token for each ASCII letter and blank, half a one for each digit,
sign and newline, and a whole one for every other character. Tokenizers in use need less for prose of any language and
about as much for code, so what is said to fit does.
"""

from __future__ import annotations

import math
import string
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from typing import NamedTuple

_LIGHT = (string.ascii_letters + " ").encode()
_NEAR = 80  # characters in which a cut looks for the end of a line or a word


def weigh(text: str) -> float:
    """The estimate for `text`; that of several texts together is the sum."""
    ascii_ = text.encode("ascii", "ignore")
    heavy = len(ascii_.translate(None, _LIGHT))
    return 0.25 * (len(ascii_) - heavy) + 0.5 * heavy + (len(text) - len(ascii_))


def tokens(text: str) -> int:
    """The estimate as a whole number."""
    return math.ceil(weigh(text))


class Cut(NamedTuple):
    """A text that fits, and how many characters of the whole are not in it."""

    text: str
    left_out: int


def cut(text: str, room: float, spans: Sequence[tuple[int, int]] = (), *, cost: Callable[[str], float] = weigh) -> Cut:
    """As much of `text` as has room, around the densest of `spans`; without any, its beginning and its end.

    `cost` says what an excerpt takes. Where something is missing, words in brackets say how much; nothing is left at
    all where not even these have room.
    """
    if len(text) <= 4 * room and cost(text) <= room:
        return Cut(text, 0)
    most, least = min(len(text), math.floor(4 * room)), 0
    best = Cut("", len(text))
    while least < most:  # the most characters whose excerpt still fits
        many = (least + most + 1) // 2
        made = _excerpt(text, many, spans)
        if cost(made.text) <= room:
            least, best = many, made
        else:
            most = many - 1
    return best


def _excerpt(text: str, many: int, spans: Sequence[tuple[int, int]]) -> Cut:
    """`many` characters of `text`."""
    if spans:
        start, end = _around(text, many, spans)
        kept = [(start, end)]
    else:
        tail = many // 3
        kept = [(0, _back(text, many - tail)), (_forth(text, len(text) - tail), len(text))]
    pieces: list[str] = []
    done = left_out = 0
    for start, end in (*kept, (len(text), len(text))):
        if start > done:
            left_out += start - done
            pieces.append(f"[… {start - done:,} characters left out …]")
        if end > start:
            pieces.append(text[start:end].strip("\n"))
        done = max(done, end)
    return Cut("\n".join(pieces), left_out)


def _around(text: str, many: int, spans: Sequence[tuple[int, int]]) -> tuple[int, int]:
    """The stretch of about `many` characters that holds the most of `spans`, with a third of the rest before them."""
    starts = [start for start, _ in spans]
    first = max(starts, key=lambda start: (bisect_right(starts, start + many) - bisect_left(starts, start), -start))
    last = spans[bisect_right(starts, first + many) - 1][1]
    spare = max(0, many - (min(last, first + many) - first))
    start = max(0, min(first - spare // 3, len(text) - many))
    end = min(len(text), start + many)
    return (_forth(text, start) if start else 0), (_back(text, end) if end < len(text) else end)


def _back(text: str, end: int) -> int:
    """The end of a line or word shortly before `end`."""
    low = max(0, end - min(_NEAR, end // 4))
    for sign in ("\n", " "):
        if (at := text.rfind(sign, low, end)) >= 0:
            return at
    return end


def _forth(text: str, start: int) -> int:
    """The beginning of a line or word shortly behind `start`."""
    high = min(len(text), start + min(_NEAR, (len(text) - start) // 4))
    for sign in ("\n", " "):
        if (at := text.find(sign, start, high)) >= 0:
            return at + 1
    return start
