"""Which state of its file a connection says it reads."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from hermes_tui.store import connection as connections
from hermes_tui.store.connection import connect, look
from hermes_tui.store.version import version
from tests.store.conftest import open_writer, write


def test_a_state_is_one_until_somebody_writes(store: Path) -> None:
    write(store, "one")
    agent = open_writer(store)
    with connect(look(store)) as connection:
        before = version(connection)
        assert version(connection) == before
        agent.execute("INSERT INTO messages (session_id, role, content) VALUES ('s1', 'user', 'two')")
        assert version(connection) != before
    agent.close()


def test_a_store_that_is_locked_is_in_no_state_that_is_known(store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(store, "one")
    monkeypatch.setattr(connections, "PATIENCE_SECONDS", 0.0)
    agent = sqlite3.connect(store, isolation_level=None)
    agent.execute("PRAGMA journal_mode = DELETE")
    with connect(look(store)) as connection:
        agent.execute("BEGIN EXCLUSIVE")
        assert version(connection) != version(connection)
        agent.execute("ROLLBACK")
    agent.close()
