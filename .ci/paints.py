"""Run a terminal program as a person would: wait until TEXT is on its screen, press q, and see it leave cleanly.

    python3 paints.py --until TEXT [--wait SECONDS] -- COMMAND [ARGUMENT...]

Exit code 0: TEXT was painted on the alternate screen, `q` ended the program with exit code 0, and the terminal was
given back (alternate screen left, cursor shown). Anything else is told on stderr, with the end of what was painted.
Standard library only, POSIX only: it is run in environments that hold nothing but the program.
"""

from __future__ import annotations

import argparse
import fcntl
import os
import pty
import re
import select
import signal
import struct
import sys
import termios
import time

SIZE = (40, 120)  # rows, columns
ESCAPES = re.compile(
    rb"\x1b\[[0-?]*[ -/]*[@-~]"  # control sequences: colours, cursor, modes
    rb"|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)"  # operating system commands: titles, clipboard
    rb"|\x1b[PX^_][^\x1b]*\x1b\\"  # device control and other strings
    rb"|\x1b[ -/]*[0-~]"
)
ENTER, LEAVE, SHOW_CURSOR = b"\x1b[?1049h", b"\x1b[?1049l", b"\x1b[?25h"


class Terminal:
    """A child process on a pseudo terminal, and every byte it has written."""

    def __init__(self, command: list[str]) -> None:
        self.written = b""
        self.pid, self.descriptor = pty.fork()
        if self.pid == 0:
            os.environ.update(TERM="xterm-256color", COLORTERM="truecolor")
            try:
                os.execvp(command[0], command)
            finally:
                os._exit(127)
        fcntl.ioctl(self.descriptor, termios.TIOCSWINSZ, struct.pack("HHHH", *SIZE, 0, 0))

    def read(self, seconds: float) -> bool:
        """Take what has been written, waiting at most so long; False when the child has closed its side."""
        ready, _, _ = select.select([self.descriptor], [], [], seconds)
        if not ready:
            return True
        try:
            data = os.read(self.descriptor, 1 << 16)
        except OSError:
            return False
        self.written += data
        return bool(data)

    def screen(self) -> str:
        """The text painted since the alternate screen was entered, escape sequences left out."""
        _, entered, painted = self.written.partition(ENTER)
        return ESCAPES.sub(b"", painted).decode(errors="replace") if entered else ""

    def exit_code(self, deadline: float) -> int | None:
        """The exit code, or None at the deadline; reads on meanwhile, so that the child never waits for us."""
        while time.monotonic() < deadline:
            self.read(0.05)
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                while self.read(0) and select.select([self.descriptor], [], [], 0)[0]:
                    pass
                return os.waitstatus_to_exitcode(status)
        return None


def verdict(terminal: Terminal, *, until: str, wait: float) -> str | None:
    """What is wrong, or None when all is well."""
    deadline = time.monotonic() + wait
    while until not in terminal.screen():
        if not terminal.read(0.1):
            return f"it ended before it had painted {until!r}"
        if time.monotonic() > deadline:
            return f"it had not painted {until!r} after {wait:.0f} s"
    os.write(terminal.descriptor, b"q")
    code = terminal.exit_code(time.monotonic() + 20)
    if code is None:
        return "q did not end it within 20 s"
    if code != 0:
        return f"q ended it with exit code {code}"
    after = terminal.written.rpartition(ENTER)[2]
    if LEAVE not in after or SHOW_CURSOR not in after:
        return "it did not give the terminal back"
    return None


def main() -> int:
    """Read the arguments, run the command, say how it went."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--until", required=True, metavar="TEXT", help="what must be painted before q is pressed")
    parser.add_argument("--wait", type=float, default=30, metavar="SECONDS", help="for how long to wait for it (30)")
    parser.add_argument("command", nargs="+")
    arguments = parser.parse_args()
    began = time.monotonic()
    terminal = Terminal(arguments.command)
    wrong = verdict(terminal, until=arguments.until, wait=arguments.wait)
    if wrong is None:
        print(f"painted {arguments.until!r}, quit with q, terminal given back: {time.monotonic() - began:.1f} s")
        return 0
    try:
        os.kill(terminal.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    print(f"{' '.join(arguments.command)}: {wrong}. The end of what it wrote:", file=sys.stderr)
    text = ESCAPES.sub(b"", terminal.written).decode(errors="replace")
    print(re.sub(r"\s{3,}", "\n", text)[-3000:], file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
