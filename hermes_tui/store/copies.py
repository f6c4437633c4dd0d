"""Private copies of stores that cannot be read in place: made whole or not at all, for our eyes only, gone at exit.

A process that is killed cannot clean up after itself, so each copy has a file that its owner keeps locked, and whoever
makes the next copy removes those that nobody owns any more.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import sqlite3
import stat
import sys
import threading
import time
from dataclasses import field
from pathlib import Path

from hermes_tui.model.record import dataclass
from hermes_tui.store.failures import StoreUnreadable
from hermes_tui.store.footing import GROUND, Footing, Sight, beside, open_for_reading, see

if sys.platform != "win32":  # there, what a killed process leaves is left to the system's own cleaning
    import fcntl

_WAL_HEADER_BYTES = 32
_PREFIX = "hermes-tui-copy-"
_OWNER = "owner"
_NEWBORN_SECONDS = 60  # a folder this young may not have its lock yet


class Moved(Exception):
    """The file is no longer what the footing says; look again."""


@dataclass(slots=True)
class Copy:
    """A store copied into a folder of its own (0700, files 0600), shared by the connections that read it."""

    folder: Path
    path: Path
    taken_at: float  # Unix seconds
    owner: int | None = None  # descriptor of the file whose lock says that the copy is in use
    readers: int = field(default=0)

    def remove(self) -> None:
        """Delete it from the disk."""
        import shutil  # here, as elsewhere in this module: hardly any store has to be copied

        shutil.rmtree(self.folder, ignore_errors=True)
        if self.owner is not None:
            os.close(self.owner)
            self.owner = None


_LOCK = threading.Lock()
_COPIES: dict[tuple[Path, Sight], Copy] = {}


def borrow(footing: Footing) -> Copy:
    """The copy of what the footing saw, made now unless another connection has it already.

    Raises Moved when the file changed while it was copied, StoreUnreadable when there is no room.
    """
    with _LOCK:
        copy = _COPIES.get((footing.place, footing.sight))
        if copy is None:
            copy = _take(footing)
            _COPIES[footing.place, footing.sight] = copy
        copy.readers += 1
        return copy


def give_back(copy: Copy) -> None:
    """A reader is done; the last one removes the copy from the disk."""
    with _LOCK:
        copy.readers -= 1
        if copy.readers <= 0:
            for key in [key for key, value in _COPIES.items() if value is copy]:
                del _COPIES[key]
            copy.remove()


@atexit.register
def _remove_all() -> None:
    for copy in _COPIES.values():
        copy.remove()


def _take(footing: Footing) -> Copy:
    import tempfile

    try:
        _remove_abandoned(Path(tempfile.gettempdir()))
        folder = Path(tempfile.mkdtemp(prefix=_PREFIX))  # 0700 by mkdtemp's promise
    except OSError as error:
        raise _no_room(footing, error) from None
    copy = Copy(folder=folder, path=folder / "state.db", taken_at=time.time())
    try:
        copy.owner = _claim(folder / _OWNER)
        _copy_whole(footing, copy.path)
        _repair(copy.path)
    except OSError as error:
        copy.remove()
        raise _no_room(footing, error) from None
    except BaseException:
        copy.remove()
        raise
    return copy


def _claim(file: Path) -> int | None:
    """Lock this file for as long as the descriptor lives, however the process ends. None when another has it."""
    descriptor = os.open(file, os.O_RDWR | os.O_CREAT, 0o600)
    if sys.platform != "win32":
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(descriptor)
            return None
    return descriptor


def _remove_abandoned(temporary: Path) -> None:
    """Delete the copies that processes of ours have left behind."""
    if sys.platform == "win32":
        return
    import shutil

    for folder in temporary.glob(f"{_PREFIX}*"):
        with contextlib.suppress(OSError):  # just being removed by its owner
            seen = folder.lstat()  # what another user has put here is neither followed nor touched
            if seen.st_uid != os.getuid() or not stat.S_ISDIR(seen.st_mode):
                continue
            if time.time() - seen.st_mtime > _NEWBORN_SECONDS and (folder / _OWNER).exists():
                owner = _claim(folder / _OWNER)
                if owner is not None:
                    shutil.rmtree(folder, ignore_errors=True)
                    os.close(owner)


def _copy_whole(footing: Footing, target: Path) -> None:
    """Copy file, log and journal so that they belong together, or raise Moved.

    The log may grow meanwhile: frames are only added at its end, and SQLite reads the log up to the last whole commit.
    The file itself, the journal and the log's header must not change.
    """
    place = footing.place
    try:
        log_head = _head(beside(place, "-wal"))
        for suffix in ("", "-journal", "-wal"):
            if suffix == "" or beside(place, suffix).exists():
                _copy_file(beside(place, suffix), beside(target, suffix))
        after = see(place)
        same_log = _head(beside(place, "-wal")) == log_head and (after.wal or 0) >= (footing.sight.wal or 0)
    except FileNotFoundError:
        raise Moved from None
    grown = footing.sight._replace(wal=after.wal, wal_mtime_ns=after.wal_mtime_ns)
    if not same_log or (after.wal is None) != (footing.sight.wal is None) or after != grown:
        raise Moved


def _copy_file(source: Path, target: Path) -> None:
    import shutil

    descriptor = open_for_reading(source)
    try:
        own = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o600)
        with os.fdopen(own, "wb") as out, os.fdopen(descriptor, "rb", closefd=False) as into:
            shutil.copyfileobj(into, out, 1 << 20)
    finally:
        GROUND.retire(descriptor)


def _head(log: Path) -> bytes:
    try:
        with log.open("rb") as opened:  # SQLite takes no locks on a log
            return opened.read(_WAL_HEADER_BYTES)
    except FileNotFoundError:
        return b""


def _repair(path: Path) -> None:
    """Let SQLite roll back a journal that came along: only ever in our own copy, never in the store."""
    if not beside(path, "-journal").exists():
        return
    connection = sqlite3.connect(path.as_uri() + "?mode=rw", uri=True, isolation_level=None)
    try:
        connection.execute("SELECT count(*) FROM sqlite_master").fetchall()
    finally:
        connection.close()


def _no_room(footing: Footing, error: OSError) -> StoreUnreadable:
    import tempfile

    return StoreUnreadable(
        f"{footing.path} can only be read from a private copy, and none could be made in {tempfile.gettempdir()} "
        f"({error.strerror}). Make room there, or point TMPDIR at a folder with room."
    )
