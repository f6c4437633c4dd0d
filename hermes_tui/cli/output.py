"""The two streams: an answer on stdout, everything else on stderr, neither ever carrying a control code of the data."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Iterable
from typing import Any, TextIO


class Output:
    """Where a verb puts its answer. `terminal` says whether a person reads stdout, `color` whether to use colours."""

    def __init__(self, *, color: bool = True) -> None:
        self.terminal = sys.stdout is not None and sys.stdout.isatty()
        self.color = color and self.terminal and colorful()

    @property
    def width(self) -> int:
        """Columns of the terminal, as COLUMNS or the terminal itself says."""
        from shutil import get_terminal_size  # here: JSON has no width

        return max(20, get_terminal_size().columns)

    def write(self, text: str) -> None:
        """Put text on stdout as it is; the caller has cleaned it."""
        if sys.stdout is not None:
            sys.stdout.write(text)

    def lines(self, lines: Iterable[str]) -> None:
        """Put lines on stdout as they are."""
        for line in lines:
            self.write(f"{line}\n")


def colorful() -> bool:
    """Whether the environment lets programs use colours (no-color.org)."""
    return not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def prepare() -> None:
    """Make both streams take any text, whatever the locale: UTF-8, and `?` for what even that cannot hold."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors="replace")


def say(sentence: str) -> None:
    """A sentence for people, on a line of stderr."""
    from hermes_tui.render.clean import clean  # only here: an answer in JSON has no use for it

    if sys.stderr is not None:
        try:
            print(clean(sentence, keep_newlines=False), file=sys.stderr, flush=True)
        except OSError:
            _abandon(sys.stderr)


def finish() -> None:
    """Send what is left in the buffer. Raises BrokenPipeError and other OSErrors as writing does."""
    if sys.stdout is not None:
        sys.stdout.flush()


def leave() -> None:
    """Send what is left if anybody still reads it; if not, let the interpreter's own flush at exit go nowhere."""
    try:
        finish()
    except OSError:
        _abandon(sys.stdout)


def _abandon(stream: TextIO | Any) -> None:
    try:
        descriptor = stream.fileno()
    except (AttributeError, OSError, ValueError):
        return
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, descriptor)
    os.close(nowhere)
