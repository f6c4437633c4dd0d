"""A program in a terminal of its own: what it paints, when, and what that costs. Linux only, as /proc and its clocks.

    with Terminal([sys.executable, "-m", "hermes_tui"]) as terminal:
        seconds = terminal.wait("A title")      # from the spawn to the paint
        cpu, memory = terminal.cpu(), terminal.resident()
        terminal.rest()
        echo = terminal.press(b"j")             # echo.first, echo.last in seconds, echo.painted in bytes

The terminal is dumb: it answers no question of the program, has no pause of its own, and takes bytes as fast as they
come.
"""

from __future__ import annotations

import errno
import fcntl
import os
import pty
import re
import select
import signal
import struct
import termios
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import NoReturn

COLUMNS, ROWS = 120, 36
PATIENCE = 60.0
"""Seconds after which a paint is taken not to come."""
STILL = 0.15
"""Seconds without a byte after which a program that starts is at rest."""
SETTLED = 0.012
"""Seconds without a byte after which the answer to a key is complete: three quarters of a frame at 60 a second."""
KEYS_COUNT = "Search all that was said"
"""What the browser paints when keys count, in a terminal of more than 80 columns; the rows of its list come sooner."""
PORTION = 1 << 20
SCHEDULED = 2  # the kind of a CPU clock that counts nanoseconds of the scheduler
SEQUENCE = re.compile(rb"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|P[^\x1b]*\x1b\\|[ -/]*[0-~])")
MODEST = {"TERM": "xterm-256color", "COLORTERM": "truecolor", "LANG": "C.UTF-8"}
LEFT_OUT = ("TMUX", "SSH_TTY", "SSH_CONNECTION", "NO_COLOR", "COLUMNS", "LINES")  # these change what is painted
UNWANTED = "PYTHONDONTWRITEBYTECODE"  # with it each start would compile every module anew

Marker = str | Callable[[str], bool]
"""A text that is painted, or what tells from everything painted whether it is there."""


@dataclass(frozen=True, slots=True)
class Echo:
    """The answer to keys: seconds to its first and to its last byte, CPU seconds of the process, bytes painted."""

    first: float
    last: float
    cpu: float
    painted: int


class Terminal:
    """A program that runs in a terminal from now on until the end of the `with` block, where it is killed."""

    def __init__(
        self,
        command: Sequence[str],
        *,
        columns: int = COLUMNS,
        rows: int = ROWS,
        environment: Mapping[str, str] | None = None,
        folder: Path | None = None,
    ) -> None:
        """`environment` is laid over that of this process, `folder` is where the program starts."""
        laid = {name: value for name, value in os.environ.items() if name not in (*LEFT_OUT, UNWANTED)}
        laid |= {**MODEST, **(environment or {})}
        size = struct.pack("HHHH", rows, columns, 0, 0)
        self.painted = b""
        """Every byte since the start or since `forget`."""
        self.ended = False
        self.began = time.perf_counter()
        self.pid, self._descriptor = pty.fork()
        if self.pid == 0:
            _become(command, laid, size, folder)

    def __enter__(self) -> Terminal:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @property
    def text(self) -> str:
        """What was painted, without the sequences that place and colour it: rows in the order they were painted."""
        return SEQUENCE.sub(b"", self.painted).decode("utf-8", "replace")

    def read(self, timeout: float) -> bytes:
        """Bytes as they come, none if there are none within `timeout` seconds or the program has ended."""
        if self.ended or not select.select([self._descriptor], [], [], timeout)[0]:
            return b""
        try:
            data = os.read(self._descriptor, PORTION)
        except OSError as error:
            if error.errno != errno.EIO:  # EIO: nobody has the other end any more
                raise
            data = b""
        self.ended = not data
        self.painted += data
        return data

    def wait(self, marker: Marker, *, patience: float = PATIENCE) -> float:
        """Wait until `marker` is painted; seconds since the program was spawned. Raises TimeoutError."""
        self._until(marker, patience)
        return time.perf_counter() - self.began

    def rest(self, *, still: float = STILL, patience: float = PATIENCE) -> None:
        """Wait until nothing has been painted for `still` seconds, and forget what was."""
        end = time.perf_counter() + patience
        while self.read(still) and time.perf_counter() < end:
            pass
        self.forget()

    def forget(self) -> None:
        """Look only at what is painted from now on."""
        self.painted = b""

    def send(self, keys: bytes) -> None:
        """Type bytes, as a terminal sends them: `b"\\x1b[B"` is the down arrow."""
        os.write(self._descriptor, keys)

    def press(self, keys: bytes, *, settled: float = SETTLED, patience: float = 5.0) -> Echo:
        """Type keys and see what they paint, until nothing has come for `settled` seconds.

        Raises TimeoutError when nothing comes at all.
        """
        self.forget()
        cpu, began = self.cpu(), time.perf_counter()
        self.send(keys)
        first = last = 0.0
        while self.read(settled if first else patience):
            last = time.perf_counter() - began
            first = first or last
        if not first:
            raise TimeoutError(f"{keys!r} painted nothing")
        return Echo(first, last, self.cpu() - cpu, len(self.painted))

    def until(self, keys: bytes, marker: Marker, *, patience: float = PATIENCE) -> float:
        """Type keys and wait until they paint `marker`; seconds since the last one. Raises TimeoutError."""
        self.forget()
        began = time.perf_counter()
        self.send(keys)
        self._until(marker, patience)
        return time.perf_counter() - began

    def cpu(self) -> float:
        """CPU seconds of the program so far, those of threads that have ended included."""
        return time.clock_gettime((~self.pid << 3) | SCHEDULED)

    def resident(self) -> int:
        """Bytes of memory it has now. The system counts a little behind, some hundred kilobytes at most."""
        return _memory(self.pid, "VmRSS")

    def peak(self) -> int:
        """The most bytes of memory it ever had; the system looks now and then, so what there is now may be more."""
        return max(_memory(self.pid, "VmHWM"), self.resident())

    def close(self) -> None:
        """Kill the program and give the terminal up."""
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)
        os.close(self._descriptor)

    def _until(self, marker: Marker, patience: float) -> None:
        end = time.perf_counter() + patience
        while not self._shows(marker):
            if self.ended or time.perf_counter() > end:
                raise TimeoutError(f"{marker!r} was not painted, but this: {self.text[-600:]!r}")
            self.read(0.05)

    def _shows(self, marker: Marker) -> bool:
        return marker in self.text if isinstance(marker, str) else marker(self.text)


def _become(command: Sequence[str], environment: Mapping[str, str], size: bytes, folder: Path | None) -> NoReturn:
    """In the child: the size first, so that the program never sees another."""
    try:
        fcntl.ioctl(0, termios.TIOCSWINSZ, size)
        if folder is not None:
            os.chdir(folder)
        os.execvpe(command[0], list(command), dict(environment))
    finally:
        os._exit(127)


def _memory(process: int, name: str) -> int:
    for line in Path(f"/proc/{process}/status").read_text(encoding="ascii").splitlines():
        if line.startswith(f"{name}:"):
            return int(line.split()[1]) * 1024
    raise OSError(f"process {process} has no {name}")
