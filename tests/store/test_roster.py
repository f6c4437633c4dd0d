"""A list that is held: the same as one read anew, also after somebody wrote; nothing is read while nobody did."""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from hermes_tui.store.connection import Ticket
from hermes_tui.store.roster import Roster
from hermes_tui.store.sessions import list_sessions
from tests.store.handmade import DAY, SHAPES, Store


@pytest.fixture(params=SHAPES)
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Store:
    """A file of each shape with what is left out for each reason, and what is not."""
    store = Store(tmp_path / "state.db", **SHAPES[request.param])
    store.session("root", end_reason="compression", ended_at=DAY + 50, title="Plan")
    store.session("tip", parent_session_id="root", started_at=DAY + 60)
    store.session("nightly", source="cron", started_at=DAY + 70)
    store.session("agent", source="subagent", parent_session_id="tip", started_at=DAY + 80)
    store.session("empty", started_at=DAY + 90)
    for number, session in enumerate(("root", "tip", "tip", "nightly", "agent")):
        store.message(session, f"m{number}", timestamp=DAY + 100 + number)
    return store


@pytest.mark.parametrize("everything", [False, True])
def test_a_list_is_the_same_whether_read_anew_or_held(store: Store, everything: bool) -> None:
    connection, capabilities = store.open()
    with connection:
        roster = Roster()
        for preview in (0, 2):
            wanted = list_sessions(connection, capabilities, everything=everything, preview=preview)
            first = roster.list_sessions(connection, capabilities, everything=not everything, preview=preview)
            again = roster.list_sessions(connection, capabilities, everything=everything, preview=preview)
            assert again == wanted
            assert first != wanted


def test_what_was_written_is_in_the_next_list(store: Store) -> None:
    connection, capabilities = store.open()
    with connection:
        roster = Roster()
        before = roster.list_sessions(connection, capabilities)
        with closing(sqlite3.connect(store.path)) as writer, writer:
            writer.execute("INSERT INTO sessions (id, source, started_at) VALUES ('later', 'cli', ?)", [DAY + 500])
            said = "INSERT INTO messages (session_id, role, content, timestamp) VALUES ('root', 'user', 'more', ?)"
            writer.execute(said, [DAY + 600])
        after = roster.list_sessions(connection, capabilities)
        assert "later" in [row.id for row in after.rows]
        assert "later" not in [row.id for row in before.rows]
        assert after == list_sessions(connection, capabilities)


def test_nothing_is_read_while_nobody_writes(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    long_ago = time.time() - 1000
    for path in store.path.parent.iterdir():
        os.utime(path, (long_ago, long_ago))
    connection, capabilities = store.open()
    with connection:
        roster = Roster()
        roster.list_sessions(connection, capabilities)
        asked: list[str] = []
        rows = connection.rows

        def noted(sql: str, params: Sequence[Any] = (), *, ticket: Ticket | None = None) -> list[tuple[Any, ...]]:
            asked.append(sql)
            return rows(sql, params, ticket=ticket)

        monkeypatch.setattr(connection, "rows", noted)
        assert len(roster.list_sessions(connection, capabilities, everything=True).rows) == 4
        assert [sql for sql in asked if not sql.startswith("PRAGMA")] == []
