"""Reads a text once, line by line, for everything in it that somebody may want to copy.

Every step costs what the text is long, whatever it holds: signs are looked for from left to right, and what is tried at
one is bounded.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from hermes_tui.hints.escapes import Bare, bare
from hermes_tui.hints.fences import Fence, fences
from hermes_tui.hints.hint import Hint, HintKind, Row
from hermes_tui.hints.quotes import read_diff, read_links, read_quotes
from hermes_tui.hints.shell import LONGEST_COMMAND, called_command, fenced_commands, prompted_commands
from hermes_tui.hints.urls import read_urls
from hermes_tui.hints.windows import read_windows
from hermes_tui.hints.words import read_words

SHORTEST = 3
"""Characters of a line that may hold anything: `a.c`."""
AROUND = 4096
"""Characters of a long line that are read beside the stretch that is asked for."""


def find(text: str, *, within: tuple[int, int] | None = None, call: bool = False) -> tuple[Hint, ...]:
    """Everything in `text` that can be copied, by where it is shown.

    A code block may hold commands, and code between back-ticks a path; of two that are the same stretch only the one
    that says more is there. `within` (code points) asks for what touches that stretch and spares reading the rest.
    `call` says that the text is the arguments of a tool call. Raises nothing.
    """
    source = bare(text)
    low, high = (0, len(source.text)) if within is None else (source.inside(within[0]), source.inside(within[1]))
    blocks = list(fences(source.text))
    found = [*_called(source.text, call), *_lines(source.text, blocks, low, high)]
    found = [_in_source(hint, source, text) for hint in _distinct(found)]
    found += _code((block for block in blocks if block.stop >= low and block.start <= high), source, text)
    if within is not None:
        found = [hint for hint in found if hint.end > within[0] and hint.shown < within[1]]
    return tuple(sorted(found, key=_order))


def _order(hint: Hint) -> tuple[int, int, int]:
    return hint.shown, hint.start, -hint.end


def _called(text: str, call: bool) -> Iterator[Hint]:
    command = called_command(text) if call else None
    if command is not None:
        yield command


def _code(blocks: Iterable[Fence], source: Bare, text: str) -> Iterator[Hint]:
    """The blocks themselves, out of the text as it is stored."""
    for block in blocks:
        begin, end = source.end(block.begin), source.start(block.end)
        if block.begin == block.end:
            continue
        if block.plain:
            code = text[begin:end]
        else:
            code = "\n".join(text[source.end(left) : source.start(right)] for left, right in block.lines)
        yield Hint(HintKind.CODE, code, begin, end, source.start(block.shown))


def _lines(text: str, blocks: list[Fence], low: int, high: int) -> Iterator[Hint]:
    """What stands on the lines of `text` between `low` and `high`."""
    at = 0
    for block in blocks:
        yield from _prose(text, at, block.start - 1, low, high)
        at = block.stop
        if block.stop < low or block.start > high:
            continue
        yield from fenced_commands(text, block.lines, block.language)
        for start, end in ((block.shown, max(block.shown, block.begin - 1)), *block.lines):
            if end >= low and start <= high:
                yield from _line(text, *_near(text, start, end, low, high), code=True)
    yield from _prose(text, at, len(text), low, high)


def _prose(text: str, at: int, stop: int, low: int, high: int) -> Iterator[Hint]:
    """What stands on the lines of `at..stop` that touch `low..high`; commands are read as far as they go on."""
    if stop < low or at > high:
        return
    yield from prompted_commands(text, list(_rows(text, _lines_up(text, at, low), min(stop, _lines_down(text, high)))))
    for start, end in _rows(text, max(at, text.rfind("\n", at, max(at, low)) + 1), min(stop, high)):
        end = text.find("\n", end, stop)  # the last of these lines was cut where the stretch ends
        yield from _line(text, *_near(text, start, stop if end < 0 else end, low, high))


def _rows(text: str, at: int, stop: int) -> Iterator[tuple[int, int]]:
    """The lines of `at..stop`, where a line begins at `at`."""
    while at <= stop:
        end = text.find("\n", at, stop)
        end = stop if end < 0 else end
        yield at, end
        at = end + 1


def _lines_up(text: str, least: int, place: int) -> int:
    """Where the line begins that is as many lines above `place` as a command is long at most."""
    at = max(least, place)
    for _ in range(LONGEST_COMMAND):
        at = text.rfind("\n", least, at)
        if at < 0:
            return least
    return at + 1


def _lines_down(text: str, place: int) -> int:
    at = place
    for _ in range(LONGEST_COMMAND):
        at = text.find("\n", at) + 1
        if not at:
            return len(text)
    return at - 1


def _near(text: str, start: int, end: int, low: int, high: int) -> tuple[int, int]:
    """A line, or of a very long one what is near the stretch asked for, from a blank to a blank."""
    if start < low - AROUND:
        blank = text.find(" ", low - AROUND, low)
        start = blank + 1 if blank >= 0 else low - AROUND
    if end > high + AROUND:
        blank = text.rfind(" ", high, high + AROUND)
        end = blank if blank >= 0 else high + AROUND
    return start, end


def _line(text: str, start: int, end: int, *, code: bool = False) -> Iterable[Hint]:
    if end - start < SHORTEST:
        return ()
    row = Row(text, start, end, code)
    if not read_diff(row):
        read_quotes(row)
        read_urls(row)
        if not code:
            read_links(row)
        read_windows(row)
        read_words(row)
    return row.hints


def _distinct(found: list[Hint]) -> list[Hint]:
    """Without code between back-ticks that is something better known, and without a command told of twice."""
    known = {(hint.start, hint.end) for hint in found if hint.kind is not HintKind.INLINE}
    kept: dict[tuple[int, HintKind], Hint] = {}
    for hint in found:
        if hint.kind is HintKind.INLINE and (hint.start, hint.end) in known:
            continue
        kept.setdefault((hint.start, hint.kind), hint)
    return list(kept.values())


def _in_source(hint: Hint, source: Bare, text: str) -> Hint:
    if not source.kept:
        return hint
    return replace(hint, start=source.start(hint.start), end=source.end(hint.end), shown=source.start(hint.shown))
