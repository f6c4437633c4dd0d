"""A polite reader: an agent can always save, locks are waited for, nothing but reads can be attempted."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from hermes_tui.store import connection as connection_module
from hermes_tui.store.connection import (
    Cancelled,
    Connection,
    StoreBusy,
    StoreError,
    Ticket,
)
from tests.store.conftest import (
    ADD,
    ENDLESS,
    LONG,
    TEXTS,
    Around,
    listing,
    open_writer,
    texts,
    write,
)

Opener = Callable[[Path], Connection]


@pytest.mark.parametrize("statement", [TEXTS, "SELECT nonsense", LONG])
def test_a_reader_never_stops_an_agent_from_saving(store: Path, opened: Opener, statement: str) -> None:
    """In rollback-journal mode an open cursor or transaction of ours would make this commit fail."""
    write(store, *["x" * 5000 for _ in range(100)], journal="delete")
    connection = opened(store)
    agent = open_writer(store)
    for n in range(5):
        try:
            connection.rows(statement)
        except StoreError:
            assert statement == "SELECT nonsense"
        agent.execute(ADD, (str(n),))
    cancelled = Around(before=lambda: cancelled.cancel())
    with pytest.raises(Cancelled):
        connection.rows(ENDLESS, ticket=cancelled)
    agent.execute(ADD, ("saved",))
    assert texts(connection)[-1] == "saved"
    agent.close()


def test_a_lock_that_is_let_go_was_worth_waiting_for(store: Path, opened: Opener) -> None:
    write(store, "one", journal="delete")
    connection = opened(store)
    agent = open_writer(store)
    agent.execute("BEGIN EXCLUSIVE")
    agent.execute(ADD, ("two",))

    class Patient(Ticket):
        def pause(self, seconds: float) -> None:
            if agent.in_transaction:
                agent.execute("COMMIT")
            super().pause(seconds)

    assert texts(connection, ticket=Patient()) == ["one", "two"]
    agent.close()


def test_a_lock_that_is_kept_is_busy(store: Path, opened: Opener, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection_module, "PATIENCE_SECONDS", 0.05)
    write(store, "one", journal="delete")
    connection = opened(store)
    agent = open_writer(store)
    agent.execute("BEGIN EXCLUSIVE")
    with pytest.raises(StoreBusy, match="written by another program") as failure:
        texts(connection)
    assert str(store) in str(failure.value)
    assert connection.fingerprint()[1:] != ()
    agent.execute("COMMIT")
    assert texts(connection) == ["one"]
    agent.close()


def test_waiting_for_a_lock_can_be_cancelled(store: Path, opened: Opener, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection_module, "PATIENCE_SECONDS", 600)
    write(store, "one", journal="delete")
    connection = opened(store)
    agent = open_writer(store)
    agent.execute("BEGIN EXCLUSIVE")

    class Impatient(Ticket):
        def pause(self, seconds: float) -> None:
            self.cancel()
            super().pause(seconds)

    with pytest.raises(Cancelled):
        texts(connection, ticket=Impatient())
    agent.close()


WRITES = [
    "INSERT INTO messages (session_id, role) VALUES ('s1', 'user')",
    "UPDATE messages SET content = ''",
    "DELETE FROM messages",
    "REPLACE INTO sessions VALUES ('s1', 'cli', 0)",
    "CREATE TABLE x (y)",
    "CREATE TEMP TABLE x (y)",
    "CREATE TEMP VIEW x AS SELECT 1",
    "CREATE INDEX x ON messages (role)",
    "CREATE VIRTUAL TABLE temp.x USING fts5(y)",
    "DROP TABLE messages",
    "ALTER TABLE messages ADD COLUMN x",
    "BEGIN",
    "SAVEPOINT x",
    "ATTACH ':memory:' AS x",
    "VACUUM",
    "VACUUM INTO 'x.db'",
    "REINDEX",
    "ANALYZE",
    "UPDATE sqlite_master SET sql = ''",
    "DELETE FROM sqlite_master",
    "INSERT INTO messages_fts (messages_fts) VALUES ('optimize')",
    "PRAGMA journal_mode = delete",
    "PRAGMA wal_checkpoint",
    "PRAGMA query_only = 0",
    "PRAGMA writable_schema = 1",
    "PRAGMA user_version = 1",
    "PRAGMA schema_version = 1",
    "PRAGMA temp_store_directory = '/'",
    "PRAGMA incremental_vacuum",
    "PRAGMA optimize",
    "SELECT * FROM messages_fts_cjk",
]


@pytest.mark.parametrize("statement", WRITES)
def test_nothing_but_reads_can_be_attempted(
    store: Path, opened: Opener, statement: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(store, "one")
    agent = open_writer(store)
    agent.execute("CREATE VIRTUAL TABLE messages_fts USING fts5(content)")
    agent.execute("CREATE VIRTUAL TABLE messages_fts_cjk USING fts5(content)")
    monkeypatch.chdir(store.parent)
    connection = opened(store)
    texts(connection)
    before = listing(store.parent)
    with pytest.raises(StoreError):
        connection.rows(statement)
    assert listing(store.parent) == before
    assert texts(connection) == ["one"]
    agent.execute(ADD, ("two",))
    assert texts(connection) == ["one", "two"]
    agent.close()


@pytest.mark.parametrize(
    "statement",
    [
        "PRAGMA table_xinfo(messages)",
        "PRAGMA data_version",
        "SELECT rowid FROM messages_fts WHERE messages_fts MATCH '\"one\"' ORDER BY rank",
        "SELECT json_group_array(value) FROM json_each('[1]')",
        "SELECT sqlite_version()",
        "EXPLAIN QUERY PLAN SELECT * FROM messages",
        LONG,
    ],
)
def test_reads_of_all_kinds_are_let_through(store: Path, opened: Opener, statement: str) -> None:
    write(store, "one")
    agent = open_writer(store)
    agent.execute("CREATE VIRTUAL TABLE messages_fts USING fts5(content)")
    agent.execute("INSERT INTO messages_fts (rowid, content) VALUES (1, 'one')")
    agent.close()
    assert len(opened(store).rows(statement)) > 0
