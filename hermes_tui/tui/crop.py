"""Cutting a snippet to the width of a line, so that what matched stays in view and marked."""

from __future__ import annotations

from collections.abc import Sequence

from hermes_tui.render import cells, clean_with_map


def crop(snippet: str, spans: Sequence[tuple[int, int]], width: int) -> list[tuple[str, bool]]:
    """The part of a snippet that fits `width` cells, as runs that are marked or not, the first mark well in view.

    What is cut on either side shows as `…`.
    """
    cleaned = clean_with_map(snippet)
    text = cleaned.text.replace("\n", " ")
    marks = [cleaned.span(start, end) for start, end in spans]
    start, end = 0, len(text)
    if cells(text) > width:
        if marks and cells(text[: marks[0][1]]) > width - 1:
            start = min(_back(text, marks[0][0], width // 3), _back(text, len(text), width - 2))
        end = _forth(text, start, width - (1 if start else 0))
    runs: list[tuple[str, bool]] = [("…", False)] if start else []
    position = start
    for left, right in marks:
        left, right = max(left, position), min(right, end)
        if left < right:
            runs += (text[position:left], False), (text[left:right], True)
            position = right
    runs += (text[position:end], False), ("…" if end < len(text) else "", False)
    return [run for run in runs if run[0]]


def whole(width: int, *words: str) -> str:
    """The first of the words that fit behind what stands before, whole, in exactly `width` cells."""
    text = ""
    for word in filter(None, words):
        longer = f"{text} · {word}" if text else f"  {word}"
        if cells(longer) > width:
            break
        text = longer
    return text + " " * (width - cells(text))


def _back(text: str, position: int, room: int) -> int:
    """The place `room` cells before `position`, or a little later where a word begins."""
    start = position
    while start > 0 and cells(text[start - 1 : position]) <= room:
        start -= 1
    blank = text.find(" ", start, position)
    return blank + 1 if 0 <= blank < start + 12 else start


def _forth(text: str, start: int, room: int) -> int:
    """The end of what fits `room` cells from `start` on, one cell kept for the sign that something was cut."""
    if cells(text[start:]) <= room:
        return len(text)
    end = start
    while cells(text[start : end + 1]) <= room - 1:
        end += 1
    return end
