"""Programs that run in the terminal while the browser stands aside: plain text, a pager, an editor, Hermes.

Nothing here knows Textual. Every function blocks until the reader comes back and returns a sentence when something went
wrong, else "". Texts for other programs are files in a private folder that is removed afterwards.
"""

from __future__ import annotations

import os
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

from hermes_tui.render import clean

PAGERS = (("less", "-R"), ("more",))
EDITORS = (("nano",), ("vim",), ("vi",), ("notepad.exe",))
BACK = "[Enter goes back to hermes-tui]"


def plain(text: str) -> str:
    """Print a text on the ordinary screen and wait for Enter.

    The terminal itself breaks its long lines, so that what is selected there has the line ends of the text and no
    others; it stays in the scrollback.
    """
    out, keys = sys.__stdout__, sys.__stdin__
    if out is None or keys is None:
        return "There is no terminal to show it on."
    with _interrupts_ignored():
        out.write(f"\n{clean(text)}\n\n{BACK}")
        out.flush()
        keys.readline()
    return ""


def page(pieces: Iterable[str], *, name: str, environ: Mapping[str, str] | None = None) -> str:
    """Show a text in `$PAGER`, else less or more; `name` is that of the file it is shown as."""
    return _with_file(pieces, name, _chosen(os.environ if environ is None else environ, ("PAGER",), PAGERS), "pager")


def edit(pieces: Iterable[str], *, name: str, environ: Mapping[str, str] | None = None) -> str:
    """Open a copy of a text in `$VISUAL` or `$EDITOR`, else an editor that is there. What is changed is not kept."""
    environ = os.environ if environ is None else environ
    return _with_file(pieces, name, _chosen(environ, ("VISUAL", "EDITOR"), EDITORS), "editor")


def edit_file(path: Path, *, line: int | None = None, environ: Mapping[str, str] | None = None) -> str:
    """Open a file of the reader's own in their editor, at a line where the editor is known to take one as `+12`."""
    command = _chosen(os.environ if environ is None else environ, ("VISUAL", "EDITOR"), EDITORS)
    if command is None:
        return "There is no editor: set EDITOR to one."
    taken = Path(command[0]).stem in {"vi", "vim", "nvim", "nano", "emacs", "emacsclient", "micro", "kak", "joe", "ne"}
    return _run([*command, *([f"+{line}"] if line is not None and taken else []), str(path)])


def run(command: str) -> str:
    """Run a command line in the shell and wait for it."""
    return _run(command)


def installed(program: str) -> bool:
    """Whether the shell would find it."""
    return shutil.which(program) is not None


def _chosen(
    environ: Mapping[str, str], names: Iterable[str], others: Iterable[tuple[str, ...]]
) -> tuple[str, ...] | None:
    """The command a variable names, else the first of `others` that is there."""
    for name in names:
        if wish := environ.get(name, "").strip():
            try:
                return tuple(shlex.split(wish, posix=os.name != "nt"))
            except ValueError:
                return (wish,)
    return next((command for command in others if shutil.which(command[0], path=environ.get("PATH"))), None)


def _with_file(pieces: Iterable[str], name: str, command: tuple[str, ...] | None, what: str) -> str:
    if command is None:
        return f"There is no {what}: set {what.upper()} to one."
    try:
        with tempfile.TemporaryDirectory(prefix="hermes-tui-", ignore_cleanup_errors=True) as folder:
            path = Path(folder) / name
            with path.open("w", encoding="utf-8", errors="replace") as file:
                file.writelines(pieces)
            return _run([*command, str(path)])
    except OSError as error:
        return f"A file for the {what} cannot be written: {error.strerror}."


def _run(command: list[str] | str) -> str:
    shown = command if isinstance(command, str) else command[0]
    try:
        with _interrupts_ignored():
            code = subprocess.call(command, shell=isinstance(command, str))
    except OSError as error:
        return f"{shown} cannot be run: {error.strerror}."
    return "" if code == 0 else f"{shown} ended with exit code {code}."


@contextmanager
def _interrupts_ignored() -> Iterator[None]:
    """Ctrl+C is for the program in front; the browser behind it must not be ended by it.

    A handler, unlike SIG_IGN, is not handed down to the program.
    """

    def ignore(number: int, frame: FrameType | None) -> None:
        """Nothing happens here."""

    before = signal.signal(signal.SIGINT, ignore)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
