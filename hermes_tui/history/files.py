"""Small files of lines that several processes write: appended in one piece, replaced at once, under one lock."""

from __future__ import annotations

import errno
import os
import stat
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

TAIL = 8 << 20  # bytes at the end of a file that are read
PATIENCE = 100  # times, 10 ms apart, that the lock is asked for
LOCK_NAME = "lock"

_OPEN = getattr(os, "O_BINARY", 0) | getattr(os, "O_NONBLOCK", 0)  # a pipe laid in our place must not block


def read(path: Path, *, whole: bool = False) -> list[bytes]:
    """The lines of a file, none where there is no file: those in its last TAIL bytes, or all with `whole`."""
    try:
        descriptor = os.open(path, os.O_RDONLY | _OPEN)
    except FileNotFoundError:
        return []
    with open(descriptor, "rb") as file:
        size = _size_of_file(descriptor)
        if whole and size > TAIL:
            raise OSError(errno.EFBIG, "it is too large")
        file.seek(max(0, size - TAIL))
        lines = file.read(TAIL).split(b"\n")
    return [line for line in lines[int(size > TAIL) :] if line.strip()]


def _size_of_file(descriptor: int) -> int:
    seen = os.fstat(descriptor)
    if not stat.S_ISREG(seen.st_mode):
        raise OSError(errno.EINVAL, "it is not a file")
    return seen.st_size


def append(path: Path, lines: list[bytes], *, alone: bool) -> None:
    """Write `lines` at the end in one piece; `alone` takes a part of it away again when the disk is full."""
    data = b"".join(line + b"\n" for line in lines)
    descriptor = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT | _OPEN, 0o600)
    try:
        size = _size_of_file(descriptor)
        if size:
            os.lseek(descriptor, size - 1, os.SEEK_SET)
            if os.read(descriptor, 1) != b"\n":
                data = b"\n" + data  # a line that was cut short must not take the next one with it
        written = os.write(descriptor, data)
        if written < len(data):
            if alone:
                os.ftruncate(descriptor, size)
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    finally:
        os.close(descriptor)


def write(path: Path, lines: list[bytes]) -> None:
    """Put a new file in the place of `path`, whole or not at all."""
    descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with open(descriptor, "wb") as file:
            file.write(b"".join(line + b"\n" for line in lines))
            file.flush()
            os.fsync(descriptor)
        os.replace(name, path)
    except BaseException:
        with suppress(OSError):
            os.unlink(name)
        raise


def make_folder(folder: Path) -> None:
    """Make a folder nobody else may look into, unless there is one."""
    if not folder.is_dir():
        folder.parent.mkdir(parents=True, exist_ok=True)
        folder.mkdir(mode=0o700, exist_ok=True)


@contextmanager
def locked(folder: Path) -> Iterator[bool]:
    """Keep other browsers out of the files for a moment. False where there is no lock to be had: a lock that nobody
    gives back, or a file system without any, must cost no search."""
    descriptor = os.open(folder / LOCK_NAME, os.O_RDWR | os.O_CREAT | _OPEN, 0o600)
    try:
        for _ in range(PATIENCE):
            try:
                _lock(descriptor)
            except BlockingIOError:
                time.sleep(0.01)
            except OSError:
                break
            else:
                yield True
                return
        yield False
    finally:
        os.close(descriptor)


def _lock(descriptor: int) -> None:
    """Lock an open file until it is closed. Raises BlockingIOError while somebody else has it."""
    if sys.platform == "win32":
        import msvcrt

        try:
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        except PermissionError:
            raise BlockingIOError from None
    else:
        import fcntl

        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
