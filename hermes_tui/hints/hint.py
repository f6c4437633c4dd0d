"""One thing in a text that somebody may want to have, and the line of text that is being read for such things."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum


class HintKind(StrEnum):
    """What it is that can be copied."""

    PATH = "path"
    URL = "URL"
    COMMAND = "command"
    CODE = "code block"
    INLINE = "code"
    ID = "id"
    HASH = "hash"
    EMAIL = "e-mail address"


@dataclass(frozen=True, slots=True)
class Hint:
    """Something to copy: `text` is what is copied, `start..end` (code points of the text read) where it stands.

    `text` is that stretch of the text read, but for terminal escapes, continued command lines (joined) and the indent
    of a code block in a list (taken off). `shown` is where it visibly begins: at its fence or back-tick, if it has one.
    `path` is the file alone, without line and column, of paths and `file://` URLs; "" for all else. `line` and `column`
    are those written beside it, counted as they are written.
    """

    kind: HintKind
    text: str
    start: int
    end: int
    shown: int
    path: str = ""
    line: int | None = None
    column: int | None = None


@dataclass(slots=True)
class Row:
    """The line `start..end` of `text` while it is read: what was found, and which characters are spoken for.

    `code` says that it is part of a code block, where back-ticks and brackets are not Markdown's.
    """

    text: str
    start: int
    end: int
    code: bool = False
    hints: list[Hint] = field(default_factory=list)
    taken: bytearray = field(init=False)

    def __post_init__(self) -> None:
        self.taken = bytearray(self.end - self.start)

    def free(self, start: int, end: int) -> bool:
        """Whether nothing was found in `start..end` yet."""
        return self.taken.find(1, start - self.start, end - self.start) < 0

    def take(self, start: int, end: int) -> None:
        """Let nobody else look at `start..end`."""
        start, end = max(start, self.start), min(end, self.end)
        if start < end:
            self.taken[start - self.start : end - self.start] = b"\x01" * (end - start)

    def add(
        self,
        kind: HintKind,
        start: int,
        end: int,
        *,
        path: str = "",
        line: int | None = None,
        column: int | None = None,
        shown: int | None = None,
    ) -> None:
        """Note that `start..end` is something, and take it."""
        shown = start if shown is None else shown
        self.hints.append(Hint(kind, self.text[start:end], start, end, shown, path, line, column))
        self.take(start, end)
