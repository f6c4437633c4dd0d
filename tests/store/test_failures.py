"""Which error of SQLite means what, told from its code."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from hermes_tui.store.failures import (
    Failure,
    StoreBusy,
    StoreDamaged,
    StoreError,
    StoreUnreadable,
    classify,
    explain,
)

PATH = Path("/home/person/.hermes/state.db")


def error(code: int, text: str = "", *, kind: type[sqlite3.Error] = sqlite3.OperationalError) -> sqlite3.Error:
    made = kind(text)
    made.sqlite_errorcode = code
    return made


@pytest.mark.parametrize(
    ("code", "failure"),
    [
        (sqlite3.SQLITE_BUSY, Failure.BUSY),
        (sqlite3.SQLITE_BUSY_SNAPSHOT, Failure.BUSY),
        (sqlite3.SQLITE_BUSY_RECOVERY, Failure.BUSY),
        (sqlite3.SQLITE_LOCKED_SHAREDCACHE, Failure.BUSY),
        (sqlite3.SQLITE_IOERR, Failure.IO),
        (sqlite3.SQLITE_IOERR_SHORT_READ, Failure.IO),
        (sqlite3.SQLITE_IOERR_SHMMAP, Failure.GROUND),
        (sqlite3.SQLITE_IOERR_SHMOPEN, Failure.GROUND),
        (sqlite3.SQLITE_IOERR_LOCK, Failure.GROUND),
        (sqlite3.SQLITE_READONLY_ROLLBACK, Failure.GROUND),
        (sqlite3.SQLITE_READONLY_DIRECTORY, Failure.GROUND),
        (sqlite3.SQLITE_CANTOPEN, Failure.GROUND),
        (sqlite3.SQLITE_PROTOCOL, Failure.GROUND),
        (sqlite3.SQLITE_CORRUPT, Failure.DAMAGE),
        (sqlite3.SQLITE_CORRUPT_VTAB, Failure.DAMAGE),
        (sqlite3.SQLITE_NOTADB, Failure.DAMAGE),
        (sqlite3.SQLITE_INTERRUPT, Failure.STOPPED),
        (sqlite3.SQLITE_ERROR, Failure.QUERY),
        (sqlite3.SQLITE_AUTH, Failure.QUERY),
        (sqlite3.SQLITE_TOOBIG, Failure.QUERY),
    ],
)
def test_the_code_decides(code: int, failure: Failure) -> None:
    assert classify(error(code)) is failure
    assert classify(error(code, kind=sqlite3.DatabaseError)) is failure


def test_a_lost_lock_inside_a_virtual_table_is_busy() -> None:
    assert classify(error(sqlite3.SQLITE_BUSY, "vtable constructor failed: messages_fts")) is Failure.BUSY
    assert classify(error(sqlite3.SQLITE_ERROR, "vtable constructor failed: messages_fts")) is Failure.QUERY
    assert classify(error(sqlite3.SQLITE_CORRUPT_VTAB, "vtable constructor failed: messages_fts")) is Failure.DAMAGE


@pytest.mark.parametrize(
    ("code", "kind"),
    [
        (sqlite3.SQLITE_BUSY, StoreBusy),
        (sqlite3.SQLITE_IOERR, StoreUnreadable),
        (sqlite3.SQLITE_CANTOPEN, StoreUnreadable),
        (sqlite3.SQLITE_CORRUPT, StoreDamaged),
        (sqlite3.SQLITE_ERROR, StoreError),
    ],
)
def test_people_read_a_sentence_with_the_path_and_never_the_engine(code: int, kind: type[StoreError]) -> None:
    failure = explain(error(code, "SQL logic error near xyzzy"), PATH)
    assert type(failure) is kind
    assert str(PATH) in str(failure)
    assert "xyzzy" not in str(failure)
    assert "xyzzy" in failure.engine
    assert str(failure).endswith(".")


def test_the_sentences_differ() -> None:
    codes = [sqlite3.SQLITE_BUSY, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_CORRUPT]
    assert len({str(explain(error(code), PATH)) for code in [*codes, sqlite3.SQLITE_ERROR]}) == 5
