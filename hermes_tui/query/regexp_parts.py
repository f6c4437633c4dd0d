"""What a regular expression is made of, read without the engine: what every match must hold, what it costs to compile.

A small reader of its own: the engine's parser is private, and the cost has to be known before anything is compiled.
Where it is not sure it says less (`literals`) or counts more (`weight`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import field
from enum import Enum, auto
from itertools import zip_longest

from hermes_tui.model.record import dataclass
from hermes_tui.query.fold import fold

SHORTEST_LITERAL = 3  # characters; fewer say nothing to a trigram index
MAX_COPIES = 16  # of one counted character in a literal
MAX_WEIGHT = 10**12  # where counting stops
KNOWN_FLAGS = "aimsu"

_LITERAL = re.compile("[A-Za-z0-9_./-]")
_COUNT = re.compile(r"\{(?:([0-9]+)|([0-9]*),([0-9]*))\}[?+]?")
_SIGN = re.compile("[*+?][?+]?")
# Escapes of more than two characters: properties, references, code points. Greedy, so that what belongs to one is
# never taken for a character of its own.
_LONG_ESCAPE = re.compile(r"\\(?:[pPN](?:\{[^}]*\}|[A-Za-z]*)|[gL]<[^>]*>|[xuU][0-9A-Fa-f]*|[0-9]+)")
_POSIX_CLASS = re.compile(r"\[:\^?[a-z]+:\]")
_COMMENT = re.compile(r"\(\?#[^)]*\)?")
_FLAGS = re.compile(r"\(\?([aiLmsuxwbefprV01]*)(?:-[A-Za-z]*)?[:)]")


class _Kind(Enum):
    LITERAL = auto()  # a character that stands for itself: the last one of the part
    ATOM = auto()  # something else that can be repeated: a class, an escape, a dot
    OPEN = auto()  # a group that only groups
    OTHER = auto()  # a group that may do anything: flags, names, look-around, recursion, verbs
    CLOSE = auto()
    BAR = auto()
    REPEAT = auto()
    BRACE = auto()  # a { that begins no count
    STRANGE = auto()  # what this reader may read differently from the engine


@dataclass(frozen=True, slots=True)
class _Part:
    kind: _Kind
    start: int
    text: str
    low: int = 1  # of a REPEAT; `high` None is without end
    high: int | None = 1


@dataclass(slots=True)
class _Group:
    """A group being read: runs every match of it holds, and how many parts it is compiled to."""

    runs: list[str] = field(default_factory=list)
    run: str = ""
    branches: bool = False
    weight: int = 1
    last: int = 0  # weight of the part a repeat would repeat

    def cut(self, carry: str = "") -> None:
        """End the current run; the next begins with `carry`."""
        if self.run:
            self.runs.append(self.run)
        self.run = carry

    def add(self, weight: int) -> None:
        """Count one more part."""
        self.weight = min(self.weight + weight, MAX_WEIGHT)
        self.last = weight


def literals(text: str) -> tuple[str, ...]:
    """Runs of three or more ASCII letters, digits and `_-/.` that every match of the expression `text` holds.

    In the order of the expression, each once. A match that is told without regard to case holds them without regard to
    ASCII case. () where none is sure, and for what is no expression.
    """
    groups = [_Group()]
    parts = [*_parts(fold(text, case=False, accents=False).text)]
    for part, after in zip_longest(parts, parts[1:]):
        group = groups[-1]
        low, high = (after.low, after.high) if after and after.kind is _Kind.REPEAT else (1, 1)
        match part.kind:
            case _Kind.STRANGE | _Kind.OTHER:
                return ()
            case _Kind.LITERAL if low and _LITERAL.fullmatch(part.text[-1]):
                copies = part.text[-1] * min(low, MAX_COPIES)
                group.run += copies
                if high != low or low > MAX_COPIES:
                    group.cut(carry=copies)  # the last copies stand before what follows
            case _Kind.OPEN:
                group.cut()
                groups.append(_Group())
            case _Kind.CLOSE if len(groups) > 1:
                group.cut()
                groups.pop()
                if low and not group.branches:
                    groups[-1].runs += group.runs
            case _Kind.BAR if len(groups) > 1:
                group.branches = True
            case _Kind.BAR | _Kind.CLOSE:
                return ()
            case _Kind.REPEAT:
                pass
            case _:
                group.cut()
    if len(groups) > 1:
        return ()
    groups[0].cut()
    return tuple(dict.fromkeys(run for run in groups[0].runs if len(run) >= SHORTEST_LITERAL))


def weight(text: str) -> int:
    """About how many parts the engine compiles `text` to, at most MAX_WEIGHT.

    It writes out what is repeated, the least count and once more, and what stands in repeats of repeats multiplies.
    """
    groups = [_Group()]
    for part in _parts(text):
        match part.kind:
            case _Kind.OPEN | _Kind.OTHER:
                groups.append(_Group())
            case _Kind.CLOSE if len(groups) > 1:
                inner = groups.pop()
                groups[-1].add(inner.weight)
            case _Kind.REPEAT:
                groups[-1].add(groups[-1].last * part.low)
                groups[-1].last = 0
            case _:
                groups[-1].add(1)
    return min(sum(group.weight for group in groups), MAX_WEIGHT)


def braces(text: str) -> list[int]:
    """Where in `text` a `{` stands that begins no count: people mean the character, the engine may mean "about"."""
    return [part.start for part in _parts(text) if part.kind is _Kind.BRACE]


def unknown_flag(text: str) -> tuple[int, str] | None:
    """The first group that sets flags other than KNOWN_FLAGS, as its place in `text` and the first such flag."""
    for part in _parts(text):
        flags = _FLAGS.match(text, part.start) if part.kind is _Kind.OTHER else None
        unknown = flags[1].strip(KNOWN_FLAGS) if flags else ""
        if unknown:
            return part.start, unknown[0]
    return None


def _parts(text: str) -> Iterator[_Part]:
    position = 0
    while position < len(text):
        part = _part(text, position)
        yield part
        position += len(part.text)


def _part(text: str, at: int) -> _Part:
    match text[at]:
        case "\\":
            return _escape(text, at)
        case "[":
            return _class(text, at)
        case "(":
            return _open(text, at)
        case ")":
            return _Part(_Kind.CLOSE, at, ")")
        case "|":
            return _Part(_Kind.BAR, at, "|")
        case "*" | "+" | "?" as char:
            sign = _SIGN.match(text, at)
            return _Part(_Kind.REPEAT, at, sign[0] if sign else char, int(char == "+"), 1 if char == "?" else None)
        case "{":
            return _count(text, at)
        case "." | "^" | "$" as char:
            return _Part(_Kind.ATOM, at, char)
        case char:
            return _Part(_Kind.LITERAL, at, char)


def _escape(text: str, at: int) -> _Part:
    if long := _LONG_ESCAPE.match(text, at):
        return _Part(_Kind.ATOM, at, long[0])
    pair = text[at : at + 2]
    if pair == "\\K":  # leaves out of the match what it has matched so far
        return _Part(_Kind.STRANGE, at, pair)
    plain = len(pair) == 2 and pair[1].isascii() and not pair[1].isalnum()
    return _Part(_Kind.LITERAL if plain else _Kind.ATOM, at, pair)


def _class(text: str, at: int) -> _Part:
    """A class of characters up to its `]`, or to the end where there is none."""
    kind = _Kind.ATOM
    end = at + 1 + text.startswith("^", at + 1)
    end += text.startswith("]", end)
    while end < len(text) and text[end] != "]":
        if text[end] == "\\":
            end += 2
        elif posix := _POSIX_CLASS.match(text, end):
            end = posix.end()
        else:
            kind = _Kind.STRANGE if text[end] == "[" else kind
            end += 1
    return _Part(kind, at, text[at : end + 1])


def _open(text: str, at: int) -> _Part:
    if comment := _COMMENT.match(text, at):
        return _Part(_Kind.STRANGE, at, comment[0])
    if text.startswith("(?:", at):
        return _Part(_Kind.OPEN, at, "(?:")
    if text.startswith(("(?", "(*"), at):
        return _Part(_Kind.OTHER, at, text[at : at + 2])
    return _Part(_Kind.OPEN, at, "(")


def _count(text: str, at: int) -> _Part:
    count = _COUNT.match(text, at)
    if count is None:
        return _Part(_Kind.BRACE, at, "{")
    exact, low, high = (_number(digits) for digits in count.groups())
    if exact is not None:
        return _Part(_Kind.REPEAT, at, count[0], exact, exact)
    return _Part(_Kind.REPEAT, at, count[0], low or 0, high)


def _number(digits: str | None) -> int | None:
    return int(digits.lstrip("0")[:12] or 0) if digits else None
