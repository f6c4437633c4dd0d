"""One connection to a store file: opened for writing, shared by threads, patient with other writers."""

from __future__ import annotations

import os
import random
import sqlite3
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar
from urllib.parse import quote

from hermes_tui.recorder.errors import RecorderBusyError, RecorderError
from hermes_tui.recorder.settings import StorageSettings

T = TypeVar("T")

ATTEMPTS = 6  # how often a write is begun before the recorder gives up
PAUSE = (0.02, 0.15)  # seconds between attempts, at random, so that writers do not meet again in step
_BUSY = {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}


class Database:
    """A file, its journal mode and its transactions.

    `journal_mode` is what the file really uses; `journal_note` is a sentence when that is not what was asked for.
    """

    journal_mode: str
    journal_note: str | None

    def __init__(self, path: Path, settings: StorageSettings, *, vfs: str | None = None) -> None:
        """Open or create the file without changing what is in it. Raises `RecorderError`."""
        self.path = path
        self.settings = settings
        self._lock = threading.RLock()
        self._patience = random.Random()
        _create_private(path)
        uri = path.absolute().as_uri()
        try:
            self._connection = sqlite3.connect(
                uri if vfs is None else f"{uri}?vfs={quote(vfs)}",
                uri=True,
                timeout=settings.busy_timeout / 1000,
                isolation_level=None,
                check_same_thread=False,
            )
        except sqlite3.Error as error:
            raise RecorderError(f"Cannot open {path}: {error}.") from error

    def configure(self) -> None:
        """Set the journal mode and how hard a commit is pressed to disk; the first thing that touches the file."""
        self.journal_mode, self.journal_note = self._patiently(self._choose_journal)
        self.read(lambda connection: connection.execute(f"PRAGMA synchronous={self.settings.synchronous}"))
        self.read(lambda connection: connection.execute("PRAGMA foreign_keys=ON"))

    def write(self, work: Callable[[sqlite3.Connection], T]) -> T:
        """Run `work` in one transaction and commit it; when this returns, the rows are in the file.

        `work` may run more than once (the earlier runs are rolled back), so it must not keep what it did elsewhere.
        Raises `RecorderBusyError` when another writer held the file throughout, `RecorderError` for anything else that
        SQLite refuses; nothing is written in either case.
        """

        def attempt() -> T:
            connection = self._connection
            connection.execute("BEGIN IMMEDIATE")
            try:
                result = work(connection)
                connection.execute("COMMIT")
            except BaseException:
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
                raise
            return result

        return self._patiently(attempt)

    def read(self, work: Callable[[sqlite3.Connection], T]) -> T:
        """Run `work`, which only reads; the same errors as `write`."""
        return self._patiently(lambda: work(self._connection))

    def close(self) -> None:
        """Close the connection; closing twice is fine."""
        with self._lock:
            self._connection.close()

    def _patiently(self, attempt: Callable[[], T]) -> T:
        with self._lock:
            attempts = 1
            while True:
                try:
                    return attempt()
                except sqlite3.Error as error:
                    if _code(error) not in _BUSY:
                        raise self._told(error) from error
                    if attempts == ATTEMPTS:
                        raise RecorderBusyError(
                            f"{self.path} stayed locked by another process through {ATTEMPTS} attempts of"
                            f" {self.settings.busy_timeout} ms; nothing was written. Try again, or raise busy_timeout."
                        ) from error
                attempts += 1
                time.sleep(self._patience.uniform(*PAUSE))

    def _choose_journal(self) -> tuple[str, str | None]:
        """Ask for the journal mode, believe only what the file answers, and fall back to `delete`."""
        wanted = self.settings.journal_mode
        try:
            answer = self._pragma_journal(wanted)
        except sqlite3.OperationalError as error:
            if _code(error) in _BUSY:
                # A file that another process has open keeps its mode: only a lone connection may leave WAL.
                answer = self._pragma_journal(None)
                if answer == "wal" and wanted != "wal":
                    return answer, f"{self.path} is in use and keeps journal_mode=wal."
                raise
            if _code(error) in {sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_CANTOPEN}:
                raise
            answer = str(error)
        if answer == wanted:
            return answer, None
        mode = self._pragma_journal("delete") if wanted == "wal" else self._pragma_journal(None)
        return mode, f"{self.path} cannot use journal_mode={wanted} (SQLite says: {answer}); it uses {mode}."

    def _pragma_journal(self, mode: str | None) -> str:
        statement = "PRAGMA journal_mode" if mode is None else f"PRAGMA journal_mode={mode}"
        (answer,) = self._connection.execute(statement).fetchone()
        return str(answer)

    def _told(self, error: sqlite3.Error) -> RecorderError:
        """SQLite's complaint as a sentence that says what to do."""
        match _code(error):
            case sqlite3.SQLITE_NOTADB:
                said = f"{self.path} is not an SQLite database. Name another file."
            case sqlite3.SQLITE_CORRUPT if error.sqlite_errorcode == sqlite3.SQLITE_CORRUPT_VTAB:
                said = f"A full-text index in {self.path} is damaged; the messages are not. Run rebuild_index()."
            case sqlite3.SQLITE_CORRUPT:
                said = f"{self.path} is damaged: {error}. Restore a copy, or try SQLite's `.recover`."
            case sqlite3.SQLITE_FULL:
                said = f"There is no room left for {self.path}; nothing was written."
            case sqlite3.SQLITE_READONLY | sqlite3.SQLITE_CANTOPEN | sqlite3.SQLITE_PERM:
                said = f"{self.path} cannot be written: {error}. Check the rights of the file and its folder."
            case _:
                said = f"{self.path}: {error}."
        return RecorderError(said)


def _code(error: sqlite3.Error) -> int:
    """The primary result code (the low byte), 0 for an error that Python raised itself."""
    return (getattr(error, "sqlite_errorcode", 0) or 0) & 0xFF


def _create_private(path: Path) -> None:
    """Make the file, readable and writable by its owner alone; SQLite gives its side files the same rights."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
    except FileExistsError:
        if path.is_dir():
            raise RecorderError(f"{path} is a folder; name the file of the store.") from None
    except OSError as error:
        raise RecorderError(f"Cannot create {path}: {error.strerror or error}.") from error
