"""Unified diffs and patches, told by their content wherever they stand in a text.

What is in a diff is told from the line counts of its hunks, so that a list of `- items` below one is none. Texts are
read as far as rows are painted and no further.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator

from hermes_tui.render.ink import Ink

_HUNK = re.compile(r"@@ -\d{1,9}(?:,(\d{1,9}))? \+\d{1,9}(?:,(\d{1,9}))? @@")
_HEADERS = ("--- ", "+++ ", "diff ", "index ", "new ", "deleted ", "old ", "similarity ", "rename ", "copy ", "Index: ",
            "=====")  # fmt: skip
_BEGIN, _END = "*** Begin Patch", "*** End Patch"
_ABOVE = 8  # lines of headers above a hunk


class Diffs:
    """Where in `text` the diffs are."""

    def __init__(self, text: str) -> None:
        self._starts: list[int] = []
        self._ends: list[int] = []
        self._found: Iterator[tuple[int, int]] | None = _stretches(text)

    def covers(self, offset: int) -> bool:
        """Whether the line at `offset` belongs to a diff."""
        while self._found is not None and (not self._ends or self._ends[-1] <= offset):
            stretch = next(self._found, None)
            if stretch is None:
                self._found = None
            else:
                self._starts.append(stretch[0])
                self._ends.append(stretch[1])
        index = bisect_right(self._starts, offset) - 1
        return index >= 0 and offset < self._ends[index]


def diff_ink(text: str, left: int) -> Ink | None:
    """The ink of the line of a diff that begins at `left`; None for one that did not change."""
    first = text[left : left + 1]
    if first == "@" or text.startswith(_HEADERS, left) or text.startswith("*** ", left):
        return Ink.HUNK
    return Ink.ADDED if first == "+" else Ink.REMOVED if first == "-" else None


def _stretches(text: str) -> Iterator[tuple[int, int]]:
    """The diffs of `text` as (start, end) offsets, in order."""
    place = 0
    hunk, patch = _line(text, "@@ -", 0), _line(text, _BEGIN, 0)
    while hunk >= 0 or patch >= 0:
        if hunk < 0 or 0 <= patch < hunk:
            start, stop = patch, _line(text, _END, patch)
            end = place = len(text) if stop < 0 else stop + len(_END)
        else:
            end = _hunk_end(text, hunk)
            start = _above(text, hunk, place) if end > hunk else end
            place = max(end, hunk + 1)
        if end > start:
            yield start, end
        hunk = _line(text, "@@ -", place) if 0 <= hunk < place else hunk
        patch = _line(text, _BEGIN, place) if 0 <= patch < place else patch


def _line(text: str, head: str, place: int) -> int:
    """The first line from `place` on that begins with `head`, -1 for none."""
    if (place == 0 or text[place - 1 : place] == "\n") and text.startswith(head, place):
        return place
    found = text.find("\n" + head, max(0, place - 1))
    return found + 1 if found >= 0 else -1


def _above(text: str, hunk: int, least: int) -> int:
    """Where the headers above a hunk begin."""
    start = hunk
    for _ in range(_ABOVE):
        low = max(least, start - 1000)
        newline = text.rfind("\n", low, max(low, start - 1))
        if start <= least or (newline < 0 and low > least):
            break
        line = newline + 1 if newline >= 0 else low
        if not text.startswith(_HEADERS, line):
            break
        start = line
    return start


def _hunk_end(text: str, hunk: int) -> int:
    """Where a hunk ends that begins at `hunk`, by its counts; `hunk` itself where it has none."""
    head = _HUNK.match(text, hunk)
    if head is None:
        return hunk
    old, new = (1 if number is None else int(number) for number in head.groups())
    place = text.find("\n", head.end())
    while place >= 0 and (old > 0 or new > 0):
        sign = text[place + 1 : place + 2]
        old -= sign in ("", " ", "-", "\n")
        new -= sign in ("", " ", "+", "\n")
        if sign not in ("", " ", "-", "+", "\n", "\\"):
            break
        place = text.find("\n", place + 1)
    return len(text) if place < 0 else place
