"""Where in a file: the line and column that compilers, tracebacks, editors and web pages write beside its name."""

from __future__ import annotations

import re
from typing import NamedTuple


class Spot(NamedTuple):
    """A line and column, counted as they are written, and where the writing of it ends if it is part of the name."""

    end: int
    line: int | None = None
    column: int | None = None


_JOINED = re.compile(
    r":(?P<a>\d{1,7})(?::(?P<b>\d{1,6}))?(?:-\d{1,7}(?::\d{1,6})?)?(?![\w/\\])"  # app.py:12:5, app.py:12-20
    r"|\#L(?P<c>\d{1,7})(?:C\d{1,6})?(?:-L?\d{1,7}(?:C\d{1,6})?)?(?!\w)"  # app.py#L12-L20
    r"|\((?P<d>\d{1,7})(?:[,:] ?(?P<e>\d{1,6}))?(?:[,-]\d{1,7}){0,2}\)",  # app.cs(12,5)
    re.ASCII,
)
_BESIDE = re.compile(
    r"[\"'`”]?[,:]? ?(?:on )?line (?P<a>\d{1,7})(?:, col(?:umn)? (?P<b>\d{1,6}))?(?!\w)"  # File "app.py", line 12
    r"|:\[(?P<c>\d{1,7})(?:,(?P<d>\d{1,6}))?\]"  # App.java:[12,5]
    r"|\|(?P<e>\d{1,7})(?: col (?P<f>\d{1,6}))?\|",  # app.c|12 col 5|
    re.ASCII,
)


def spot_at(text: str, place: int, end: int) -> Spot:
    """What stands at `place`, right behind the name of a file; the text is read up to `end`."""
    if found := _JOINED.match(text, place, end):
        line, column = found["a"] or found["c"] or found["d"], found["b"] or found["e"]
        return Spot(found.end(), int(line), int(column) if column else None)
    if found := _BESIDE.match(text, place, end):
        line, column = found["a"] or found["c"] or found["e"], found["b"] or found["d"] or found["f"]
        return Spot(place, int(line), int(column) if column else None)
    return Spot(place)


def split_spot(text: str) -> tuple[str, Spot]:
    """A whole `app.py:12:5` as the file alone and the place in it."""
    for found in _JOINED.finditer(text):
        if found.end() == len(text) and found.start():
            return text[: found.start()], spot_at(text, found.start(), len(text))
    return text, Spot(len(text))
