"""The file itself: its rights, journal, tables, and files the recorder did not make."""

from __future__ import annotations

import os
import sqlite3
import stat
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from hermes_tui.recorder import Layout, Recorder, RecorderError, StorageSettings
from tests.recorder.conftest import OpenStore, Store, look

OLDEST_TABLES = """
    CREATE TABLE schema_version (version INTEGER NOT NULL);
    CREATE TABLE state_meta (key TEXT PRIMARY KEY, value TEXT);
    CREATE TABLE sessions (
        id TEXT PRIMARY KEY, source TEXT NOT NULL, user_id TEXT, model TEXT, model_config TEXT, system_prompt TEXT,
        parent_session_id TEXT, started_at REAL NOT NULL, ended_at REAL, end_reason TEXT,
        message_count INTEGER DEFAULT 0, tool_call_count INTEGER DEFAULT 0, input_tokens INTEGER DEFAULT 0,
        output_tokens INTEGER DEFAULT 0, title TEXT);
    CREATE TABLE messages (
        id INTEGER PRIMARY KEY AUTOINCREMENT, session_id TEXT NOT NULL, role TEXT NOT NULL, content TEXT,
        tool_call_id TEXT, tool_calls TEXT, tool_name TEXT, timestamp REAL NOT NULL, token_count INTEGER,
        finish_reason TEXT, reasoning TEXT);
"""


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such rights")
def test_only_the_owner_may_read(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        with Recorder(tmp_path / "new" / "state.db") as recorder:
            recorder.create_session("cli")
            rights = {file.name: stat.S_IMODE(file.stat().st_mode) for file in recorder.path.parent.iterdir()}
    finally:
        os.umask(before)
    assert rights == {"state.db": 0o600, "state.db-wal": 0o600, "state.db-shm": 0o600}


def test_a_write_ahead_log_is_used_and_gone_after_closing(open_store: OpenStore) -> None:
    store = open_store()
    assert (store.recorder.journal_mode, store.recorder.journal_note) == ("wal", None)
    store.recorder.create_session("cli")
    store.recorder.close()
    assert [file.name for file in store.path.parent.iterdir()] == ["state.db"]
    assert look(store.path, "PRAGMA journal_mode") == [("wal",)]
    store.recorder.close()


@pytest.mark.skipif(sys.platform == "win32", reason="this file system of SQLite is for Unix")
def test_where_a_write_ahead_log_is_impossible_the_store_says_so_and_works(open_store: OpenStore) -> None:
    store = open_store(vfs="unix-dotfile")  # locks by files beside it, and no shared memory
    assert store.recorder.journal_mode == "delete"
    assert store.recorder.journal_note is not None
    assert "cannot use journal_mode=wal" in store.recorder.journal_note
    assert str(store.path) in store.recorder.journal_note
    session = store.recorder.create_session("cli")
    store.recorder.append(session, "user", "written all the same")
    store.recorder.close()
    assert look(store.path, "SELECT content FROM messages") == [("written all the same",)]


@pytest.mark.parametrize("mode", ["delete", "truncate", "persist"])
def test_another_journal_can_be_asked_for(open_store: OpenStore, mode: str) -> None:
    store = open_store(settings=StorageSettings(journal_mode=mode))
    assert (store.recorder.journal_mode, store.recorder.journal_note) == (mode, None)


def test_a_file_in_use_keeps_its_journal(open_store: OpenStore) -> None:
    first = open_store()
    second = open_store(settings=StorageSettings(journal_mode="delete", busy_timeout=10))
    assert second.recorder.journal_mode == "wal"
    assert "keeps journal_mode=wal" in (second.recorder.journal_note or "")
    session = second.recorder.create_session("cli")
    assert first.recorder.session(session)["id"] == session


def test_layouts_grow_by_columns(tmp_path: Path) -> None:
    columns = {}
    for layout in Layout:
        with Recorder(tmp_path / f"{layout}.db", layout=layout) as recorder:
            columns[layout] = {
                table: {row[0] for row in look(recorder.path, "SELECT name FROM pragma_table_info(?)", table)}
                for table in ("sessions", "messages")
            }
    counts = {layout: (len(tables["sessions"]), len(tables["messages"])) for layout, tables in columns.items()}
    assert counts == {Layout.INLINE: (46, 21), Layout.EXTERNAL: (56, 24), Layout.VIEWS: (62, 30)}
    for table in ("sessions", "messages"):
        assert columns[Layout.INLINE][table] < columns[Layout.EXTERNAL][table] < columns[Layout.VIEWS][table]


def test_an_existing_store_keeps_its_layout_and_goes_on(store: Store, open_store: OpenStore) -> None:
    session = store.recorder.create_session("cli")
    first = store.recorder.append(session, "user", "before")
    store.recorder.close()
    for other in Layout:
        again = open_store(other)
        assert again.recorder.layout is store.recorder.layout
        assert again.recorder.append(session, "user", "after") > first
        again.recorder.close()
    assert len(look(store.path, "SELECT * FROM schema_version")) == 1


def test_the_oldest_files_can_be_recorded_into(tmp_path: Path) -> None:
    path = tmp_path / "old.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(OLDEST_TABLES)
    with Recorder(path) as recorder:
        assert recorder.layout is Layout.INLINE
        session = recorder.create_session("cli", title="Old", cwd="/nowhere to put this", system_prompt="Hello")
        message = recorder.append(session, "user", "hello", observed=True, display_kind="steer")
        recorder.append(session, "assistant", "hi")
        recorder.update_message(message, content="good morning")
        tip = recorder.split(session, "They greeted.", keep_last=1)
        assert [row["content"] for row in recorder.live_messages(tip)][1:] == ["hi"]
        assert recorder.session(tip)["system_prompt"] == "Hello"
        with pytest.raises(RecorderError, match=r"no column messages\.compacted"):
            recorder.compact(tip, "short")
        with pytest.raises(RecorderError, match=r"no column messages\.active"):
            recorder.rewind(tip, message)
        with pytest.raises(RecorderError, match=r"no column sessions\.archived"):
            recorder.archive(tip)
        recorder.rebuild_index()
        recorder.delete_session(session)
    assert look(path, "SELECT rowid FROM messages_fts WHERE messages_fts MATCH 'morning'") == []


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (
            lambda path: path.write_bytes(b"This is a text file, and a long one at that. " * 40),
            "not an SQLite database",
        ),
        (lambda path: path.mkdir(), "is a folder"),
        (lambda path: sqlite3.connect(path).executescript("CREATE TABLE x (y)").close(), "not a session store"),
    ],
    ids=["text", "folder", "another database"],
)
def test_what_is_no_store_is_refused_and_left_alone(tmp_path: Path, make: Callable[[Path], object], said: str) -> None:
    path = tmp_path / "thing.db"
    make(path)
    before = path.read_bytes() if path.is_file() else None
    with pytest.raises(RecorderError, match=said) as caught:
        Recorder(path)
    assert "thing.db" in str(caught.value)
    assert (path.read_bytes() if path.is_file() else None) == before


@pytest.mark.skipif(sys.platform == "win32" or os.geteuid() == 0, reason="nothing is forbidden to root")
def test_a_folder_without_rights_is_told(tmp_path: Path) -> None:
    folder = tmp_path / "locked"
    folder.mkdir(mode=0o500)
    with pytest.raises(RecorderError, match="Cannot create"):
        Recorder(folder / "state.db")


def test_a_path_with_odd_characters_is_that_path(tmp_path: Path) -> None:
    path = tmp_path / "odd ?#% name" / "state.db"
    with Recorder(path) as recorder:
        recorder.create_session("cli")
    assert path.stat().st_size > 0
    assert [file.name for file in tmp_path.iterdir()] == ["odd ?#% name"]


def test_a_closed_recorder_says_so(open_store: OpenStore) -> None:
    store = open_store()
    store.recorder.close()
    with pytest.raises(RecorderError, match="closed"):
        store.recorder.create_session("cli")
