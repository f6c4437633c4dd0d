"""A row of the store as it is: every column by its name, JSON indented, nothing folded, nothing left out."""

from __future__ import annotations

import re
from collections.abc import Mapping

from hermes_tui.render.cells import cells, fit
from hermes_tui.render.clean import clean
from hermes_tui.render.data import is_json
from hermes_tui.render.ink import Ink
from hermes_tui.render.page import Block, Field, Marker, Page, Source
from hermes_tui.render.window import Reach, cut
from hermes_tui.render.words import count, moment

_SENTINEL = re.compile("[\x00\x01]json:")  # what the agent puts before content that was a list
_TOKEN = re.compile(
    r'(?P<string>(?>"[^"\\]*(?:\\.[^"\\]*)*"?))(?P<colon>\s*:\s*)?'  # one that is not closed goes on to the end
    r"|\{\s*\}|\[\s*\]|[{}\[\],]|[^\s{}\[\],\"]+",
    re.DOTALL,
)
_LARGEST = 500_000  # characters of JSON that are indented
_DEEPEST = 40  # levels that are indented; what is deeper stands below one another
_WIDEST = 24  # cells for the names of columns


def lay_out_row(columns: Mapping[str, object], width: int, *, marker: Marker | None = None) -> Page:
    """The columns of a row, in their order, at `width` cells; values are what SQLite hands out.

    A value of one short line stands beside its name; a longer one below it, where a `Place` speaks of it as
    `Source(Field.COLUMN, number of the column)`, in its indented shape.
    """
    page = Page()
    width = max(1, width)
    indent = 2 if width >= 8 else 0
    names = [fit(clean(name, keep_newlines=False), _WIDEST) for name in columns]
    room = max(map(cells, names), default=0)
    for number, (name, value) in enumerate(columns.items()):
        text, told = _shown(name, value)
        label = names[number] + " " * (room - cells(names[number]) + 2)
        short = "\n" not in text and cells(label) + cells(clean(text[:width])) + cells(told) + 2 <= width
        shown = clean(text) if short and len(text) <= width else ""
        line = Block(fit(f"{label}{shown}{'  ' if shown and told else ''}{told}", width))
        line.runs = ((0, len(names[number]), Ink.KEY), (len(label) + len(shown), len(line.text), Ink.META))
        line.cuts.append((0, len(line.text), 0, Ink.BODY))
        if marker is not None:
            line.marks += ((len(label) + low, len(label) + high) for low, high in marker.spans(shown))
        page.add(line)
        if text and not shown:
            reach = Reach(Source(Field.COLUMN, number), text, 0, len(text), width=max(1, width - indent), measure=width,
                          indent=indent, ink=Ink.OUTPUT, data=None)  # fmt: skip
            window = cut(reach, 0, None)
            window.mark(marker.spans(text) if marker is not None else [])
            page.add(window.block)
    return page


def pretty(text: str) -> str:
    """JSON text with every value on a line of its own; text that is no JSON as it is. Tokens stay as they were written.

    Takes time in proportion to the text, however deep it is nested.
    """
    if len(text) > _LARGEST or not is_json(text):
        return text
    parts: list[str] = []
    depth = 0
    fresh = False  # whether the next value begins a line
    for found in _TOKEN.finditer(text):
        token = found[0]
        if token in ("}", "]"):
            depth -= 1
            if depth < 0:
                return text
            parts.append(_line(depth) + token)
        elif token == ",":
            parts.append(token)
        else:
            if fresh:
                parts.append(_line(depth))
            parts.append(found["string"] + ": " if found["colon"] else token)
            depth += token in ("{", "[")
        fresh = token in ("{", "[", ",")
    return "".join(parts) if depth == 0 else text


def _line(depth: int) -> str:
    return "\n" + "  " * min(depth, _DEEPEST)


def _shown(name: str, value: object) -> tuple[str, str]:
    """The text of a value, and what is told beside it."""
    match value:
        case None:
            return "", "NULL"
        case bytes():
            return value.decode("utf-8", "replace"), count(len(value), "byte")
        case str():
            sentinel = _SENTINEL.match(value)
            text = pretty(value[sentinel.end() :] if sentinel else value)
            told = ["marked as JSON"] if sentinel else [] if value else ["empty"]
            told += [count(len(value), "character")] if len(value) > 1000 else []
            return text, ", ".join(told)
        case float() | int() if name.endswith(("timestamp", "_at")) and (then := moment(value)):
            return str(value), f"{then:%Y-%m-%d %H:%M:%S}"
        case _:
            return str(value), ""
