"""Private copies of stores that cannot be read in place: made whole or not at all, for our eyes only, gone at exit."""

from __future__ import annotations

import atexit
import os
import shutil
import sqlite3
import tempfile
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path

from hermes_tui.store.failures import StoreUnreadable
from hermes_tui.store.footing import GROUND, Footing, Sight, beside, open_for_reading, see

_WAL_HEADER_BYTES = 32


class Moved(Exception):
    """The file is no longer what the footing says; look again."""


@dataclass(slots=True)
class Copy:
    """A store copied into a folder of its own (0700, files 0600), shared by the connections that read it."""

    folder: Path
    path: Path
    taken_at: float  # Unix seconds
    readers: int = field(default=0)


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
            shutil.rmtree(copy.folder, ignore_errors=True)


@atexit.register
def _remove_all() -> None:
    for copy in _COPIES.values():
        shutil.rmtree(copy.folder, ignore_errors=True)


def _take(footing: Footing) -> Copy:
    try:
        folder = Path(tempfile.mkdtemp(prefix="hermes-tui-"))  # 0700 by mkdtemp's promise
    except OSError as error:
        raise _no_room(footing, error) from None
    try:
        copy = Copy(folder=folder, path=folder / "state.db", taken_at=time.time())
        _copy_whole(footing, copy.path)
        _repair(copy.path)
    except OSError as error:
        shutil.rmtree(folder, ignore_errors=True)
        raise _no_room(footing, error) from None
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    return copy


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
    return StoreUnreadable(
        f"{footing.path} can only be read from a private copy, and none could be made in {tempfile.gettempdir()} "
        f"({error.strerror}). Make room there, or point TMPDIR at a folder with room."
    )
