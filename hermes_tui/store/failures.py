"""What can go wrong with a store, in sentences for people; the one place that reads SQLite's error codes."""

from __future__ import annotations

import sqlite3
from enum import Enum
from pathlib import Path


class StoreError(Exception):
    """A store could not answer. `str()` is a plain sentence naming the path and what to do next.

    `engine` holds SQLite's own words, for logs and for telling a missing tokenizer from a wrong column; it is never
    shown to people. The bare class means that the statement itself failed (a table, column or module is not there).
    """

    engine: str = ""


class StoreMissing(StoreError):
    """There is no file at this path, or it is a folder."""


class StoreUnreadable(StoreError):
    """There is something, but not a store we can read: not SQLite, empty, cut short, no permission, other tables."""


class StoreBusy(StoreError):
    """Another program kept the store locked, or kept changing it, for longer than we wait."""


class StoreDamaged(StoreError):
    """SQLite met damage while reading. Other rows may well be intact."""


class Failure(Enum):
    """What to do about an error of SQLite."""

    BUSY = "busy"  # wait and ask again
    IO = "io"  # ask again a few times: a checkpoint may be passing by
    STOPPED = "stopped"  # interrupt() was called
    GROUND = "ground"  # the file cannot be read in place this way: take another rung of the ladder
    DAMAGE = "damage"
    QUERY = "query"  # the statement is at fault: no such table, module, column


_PRIMARY = {
    sqlite3.SQLITE_BUSY: Failure.BUSY,
    sqlite3.SQLITE_LOCKED: Failure.BUSY,
    sqlite3.SQLITE_IOERR: Failure.IO,
    sqlite3.SQLITE_INTERRUPT: Failure.STOPPED,
    sqlite3.SQLITE_READONLY: Failure.GROUND,
    sqlite3.SQLITE_CANTOPEN: Failure.GROUND,
    sqlite3.SQLITE_PROTOCOL: Failure.GROUND,
    sqlite3.SQLITE_CORRUPT: Failure.DAMAGE,
    sqlite3.SQLITE_NOTADB: Failure.DAMAGE,
}
# Shared memory and locks that a network file system does not offer: a retry cannot help, a copy can.
_NO_SHARING = {
    sqlite3.SQLITE_IOERR_LOCK,
    sqlite3.SQLITE_IOERR_RDLOCK,
    sqlite3.SQLITE_IOERR_SHMOPEN,
    sqlite3.SQLITE_IOERR_SHMSIZE,
    sqlite3.SQLITE_IOERR_SHMLOCK,
    sqlite3.SQLITE_IOERR_SHMMAP,
}


def classify(error: sqlite3.Error) -> Failure:
    """The kind of an error, told from its code alone: texts vary ("vtable constructor failed" may mean busy)."""
    code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR)
    if code in _NO_SHARING:
        return Failure.GROUND
    return _PRIMARY.get(code & 0xFF, Failure.QUERY)


def explain(error: sqlite3.Error, path: Path) -> StoreError:
    """The StoreError for an error of SQLite that no retry and no other rung has cured."""
    match classify(error):
        case Failure.BUSY:
            failure: StoreError = busy(path)
        case Failure.DAMAGE:
            failure = StoreDamaged(
                f"Part of the store {path} is damaged and cannot be read. Other sessions may be intact; "
                "keep a copy of the file before anything tries to repair it."
            )
        case Failure.IO:
            failure = StoreUnreadable(f"The disk did not deliver the store {path}. Check the drive or network folder.")
        case Failure.GROUND:
            failure = StoreUnreadable(f"The store {path} could not be opened. Check that you may read its folder.")
        case Failure.STOPPED | Failure.QUERY:
            failure = StoreError(f"The store {path} could not answer this question. `hermes-tui doctor` tells more.")
    failure.engine = str(error)
    return failure


def busy(path: Path) -> StoreBusy:
    """The sentence for a store that stayed locked."""
    return StoreBusy(f"The store {path} is being written by another program right now. Try again in a moment.")


def unsteady(path: Path) -> StoreBusy:
    """The sentence for a store that changed on each of our attempts."""
    return StoreBusy(f"The store {path} kept changing while it was being opened. Try again in a moment.")
