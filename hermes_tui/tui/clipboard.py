"""The copy ladder: from the clipboard that can be believed to the one that can only be hoped for, and which it was.

Inside tmux its own buffer; else, unless the screen is at the other end of SSH, the machine's clipboard, believed only
when it can be read back; else the terminal (OSC 52), which never says whether it obeyed; else a file.
"""

from __future__ import annotations

import asyncio
import base64
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping

from hermes_tui.render import count

TIMEOUT = 2.0
"""Seconds a clipboard tool may take."""
TERMINAL_LIMIT = 100_000
"""Bytes of text that terminals and tmux still take as one OSC 52 sequence."""
SCREEN_CHUNK = 512
"""Bytes that GNU screen passes through in one go."""

# Runs in a process of its own: pyperclip starts tools that print over the screen, hang, stay behind holding whatever
# pipe they were given, and report success where there is no display. What it reports goes through a descriptor that the
# tools do not inherit.
_NATIVE = r"""
import os, sys
report = os.dup(1)
null = os.open(os.devnull, os.O_WRONLY)
os.dup2(null, 1)
os.dup2(null, 2)
import pyperclip
text = sys.stdin.buffer.read().decode("utf-8")
copy, paste = pyperclip.determine_clipboard()
copy(text)
if paste().replace("\r\n", "\n") == text.replace("\r\n", "\n"):
    os.write(report, copy.__name__.encode())
"""

_NAMES = {
    "copy_wl": "wl-copy",
    "copy_osx_pbcopy": "pbcopy",
    "copy_osx_pyobjc": "the Mac clipboard",
    "copy_windows": "the Windows clipboard",
    "copy_wsl": "clip.exe",
}


async def copy(
    text: str, *, emit: Callable[[str], bool], environ: Mapping[str, str] | None = None, timeout: float = TIMEOUT
) -> str:
    """Put `text` on the best clipboard there is and say in one sentence where it is now.

    `emit` writes a control sequence to the terminal and says whether there is one. `timeout` is in seconds, for each
    tool. Raises nothing: where all else fails the sentence says so.
    """
    environ = os.environ if environ is None else environ
    data = plain(text)
    if not data:
        return "There is nothing to copy."
    said = await asyncio.to_thread(_ask_tools, data, text, environ, timeout)
    if said is not None:
        return said
    if len(data) <= TERMINAL_LIMIT and emit(sequence(data, environ)):
        return f"Sent to the terminal: {count(len(text), 'character')}. It may refuse them; nothing tells."
    return await asyncio.to_thread(_save, data, text)


def plain(text: str) -> bytes:
    """UTF-8 of `text`; half characters (lone surrogates), which no clipboard takes, become U+FFFD."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace").encode("utf-8")


def sequence(data: bytes, environ: Mapping[str, str]) -> str:
    """OSC 52 for these bytes, wrapped so that a multiplexer in between passes it on."""
    coded = base64.b64encode(data).decode("ascii")
    bare = f"\x1b]52;c;{coded}\x07"
    if environ.get("TMUX"):
        return "\x1bPtmux;" + bare.replace("\x1b", "\x1b\x1b") + "\x1b\\"
    if environ.get("STY"):
        parts = [bare[start : start + SCREEN_CHUNK] for start in range(0, len(bare), SCREEN_CHUNK)]
        return "".join(f"\x1bP{part}\x1b\\" for part in parts)
    return bare


def _ask_tools(data: bytes, text: str, environ: Mapping[str, str], timeout: float) -> str | None:
    size = count(len(text), "character")
    if environ.get("TMUX"):
        tmux = shutil.which("tmux", path=environ.get("PATH"))
        if tmux and _run([tmux, "load-buffer", "-w", "-"], data, environ, timeout) is not None:
            return f"Copied {size} to the tmux buffer; tmux sends it on to the terminal."
        if tmux and _run([tmux, "load-buffer", "-"], data, environ, timeout) is not None:
            return f"Copied {size} to the tmux buffer, which is as far as this tmux goes."
    if environ.get("SSH_TTY") or environ.get("SSH_CONNECTION"):
        return None
    used = _run([sys.executable, "-P", "-c", _NATIVE], data, environ, timeout)
    if not used:
        return None
    name = used.decode("ascii", "replace")
    return f"Copied {size} with {_NAMES.get(name, name.removeprefix('copy_'))}."


def _run(command: list[str], data: bytes, environ: Mapping[str, str], timeout: float) -> bytes | None:
    """What `command` printed when fed `data`; None when it failed or took too long (it is stopped then)."""
    try:
        process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=dict(environ),
            start_new_session=os.name != "nt",
        )
    except OSError:
        return None
    try:
        printed, _ = process.communicate(data, timeout)
    except subprocess.TimeoutExpired:
        _stop(process)
        return None
    except OSError:
        _stop(process)
        return None
    return printed if process.returncode == 0 else None


def _stop(process: subprocess.Popen[bytes]) -> None:
    """End a tool and whatever it has started."""
    try:
        if os.name == "nt":
            process.kill()
        else:
            os.killpg(process.pid, signal.SIGKILL)
    except OSError:
        process.kill()
    process.wait()
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            pipe.close()


def _save(data: bytes, text: str) -> str:
    size = count(len(text), "character")
    try:
        handle, path = tempfile.mkstemp(prefix="hermes-tui-", suffix=".txt")
        with os.fdopen(handle, "wb") as file:
            file.write(data)
    except OSError as error:
        return f"Not copied: there is no clipboard, and a file cannot be written ({error.strerror})."
    return f"Too much for the terminal, or no terminal to send it to: {size} saved in {path}, for you alone."
