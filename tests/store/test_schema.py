"""What a file offers is told from the file: layouts, columns, markers, and whether an index may be believed."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from hermes_tui.model import Layout, Trust
from hermes_tui.recorder import Layout as Written
from hermes_tui.recorder import Recorder, StorageSettings
from hermes_tui.store import connection as connection_module
from hermes_tui.store.connection import Cancelled, StoreBusy, Ticket
from hermes_tui.store.schema import column, detect, outdated, verify_index
from tests.store.conftest import listing, open_writer, write
from tests.store.recorded import TABLES, Opener, detected, index, record, run

NEW = [Written.EXTERNAL, Written.VIEWS]


# Layouts


def test_each_layout_is_told_from_its_sql(store: Path, opened: Opener, layout: Written) -> None:
    record(store, layout)
    before = listing(store.parent)
    found = detected(opened, store)
    word, trigram = index(found, "messages_fts"), index(found, "messages_fts_trigram")
    assert (word.trust, trigram.trust) == (Trust.GOOD, Trust.GOOD)
    assert (word.note, trigram.note, found.gap, found.markers) == (None, None, None, ())
    match layout:
        case Written.INLINE:
            assert found.layout is Layout.INLINE
            assert (word.tool_chars, word.calls, word.automation) == (None, True, True)
            assert (trigram.tool_chars, trigram.calls, trigram.automation) == (None, True, True)
        case Written.EXTERNAL:
            assert found.layout is Layout.EXTERNAL
            assert (word.tool_chars, word.calls, word.automation) == (None, True, True)
            assert (trigram.tool_chars, trigram.calls, trigram.automation) == (0, True, True)
        case Written.VIEWS:
            assert found.layout is Layout.VIEWS
            assert (word.tool_chars, word.calls, word.automation) == (8192, True, True)
            assert (trigram.tool_chars, trigram.calls, trigram.automation) == (0, False, False)
    assert listing(store.parent) == before


def test_verifying_a_sound_file_changes_nothing(store: Path, opened: Opener, layout: Written) -> None:
    record(store, layout)
    connection = opened(store)
    found = detect(connection)
    assert verify_index(connection, found) == found


def test_a_store_without_messages_has_sound_indexes(store: Path, opened: Opener, layout: Written) -> None:
    record(store, layout, rows=0)
    connection = opened(store)
    found = detect(connection)
    assert (index(found, "messages_fts").usable, index(found, "messages_fts_trigram").usable) == (True, True)
    assert verify_index(connection, found) == found


def test_odd_rows_do_not_make_a_sound_index_look_damaged(store: Path, opened: Opener, layout: Written) -> None:
    odd = [
        None,
        "",
        "…",
        "a b",
        "\0json:" + '[{"type": "text", "text": "kettle"}]',
        "before\0behind",
        b"\xff\xfe bytes",
        "北京市的天气很好",
        "今天 部署 服务器 。",
        "ПРИВЕТ мир",
        "crème brûlée cafe\u0301 e\u0301",
        "İstanbul ſtraße ﬁnger ǅungla",
        "emoji🚀glued rocket🚀",
        "under_score kebab-case dotted.name x=1",
        "\x1b[31mERROR\x1b[0m",
        "日本語テキスト ひらがな カタカナ",
        "w" * 5000,
    ]
    with Recorder(store, layout=layout) as recorder:
        session = recorder.create_session("cli")
        for _ in range(4):
            for content in odd:
                recorder.append(session, "user", content)
                recorder.append(session, "tool", content)
    connection = opened(store)
    found = detect(connection)
    assert [(one.trust, one.complete) for one in (found.word, found.trigram) if one] == [(Trust.GOOD, True)] * 2
    assert verify_index(connection, found) == found


def test_a_file_without_indexes(store: Path, opened: Opener) -> None:
    record(store, settings=StorageSettings(fts_enabled=False))
    found = detected(opened, store)
    assert (found.layout, found.word, found.trigram) == (Layout.NONE, None, None)


def test_tables_of_the_oldest_shape_are_enough(store: Path, opened: Opener) -> None:
    write(store, "one")
    connection = opened(store)
    found = detect(connection)
    assert (found.layout, found.word, found.trigram, found.gap, found.markers) == (Layout.NONE, None, None, None, ())
    assert found.session_columns == {"id", "source", "started_at"}
    assert found.message_columns == {"id", "session_id", "role", "content", "timestamp"}
    assert found.tables >= {"sessions", "messages"}
    assert found.sqlite == sqlite3.sqlite_version
    assert verify_index(connection, found) == found


@pytest.mark.parametrize("missing", TABLES)
def test_one_index_may_be_missing(store: Path, opened: Opener, layout: Written, missing: str) -> None:
    record(store, layout)
    drops = [f"DROP TRIGGER {missing}_{event}" for event in ("insert", "update", "delete")]
    run(store, *drops, f"DROP TABLE {missing}")
    found = detected(opened, store)
    assert (found.word is None, found.trigram is None) == (missing == "messages_fts", missing != "messages_fts")
    assert found.layout.value == layout.value


# Markers


@pytest.mark.parametrize(
    ("markers", "gap"),
    [
        ({"fts_rebuild_high_water": "30", "fts_rebuild_progress": "12"}, (12, 30)),
        ({"fts_rebuild_high_water": "30"}, (0, 30)),
        ({"fts_rebuild_high_water": "30", "fts_rebuild_progress": "30"}, None),
        ({"fts_rebuild_high_water": "30", "fts_rebuild_progress": "nonsense"}, (0, 30)),
        ({"fts_rebuild_high_water": "0"}, None),
        ({"fts_rebuild_progress": "12"}, None),
        ({"fts_optimize_available": "1", "store_created_at_utc": "2026"}, None),
    ],
)
def test_the_gap_of_an_unfinished_rebuild(
    store: Path, opened: Opener, markers: dict[str, str], gap: tuple[int, int] | None
) -> None:
    record(store)
    agent = open_writer(store)
    agent.executemany("INSERT INTO state_meta (key, value) VALUES (?, ?)", markers.items())
    agent.close()
    found = detected(opened, store)
    assert found.gap == gap
    assert found.markers == tuple(sorted(f"{key}={value}" for key, value in markers.items() if key.startswith("fts")))


@pytest.mark.parametrize("layout", NEW)
def test_rows_a_rebuild_has_not_reached_are_no_damage(store: Path, opened: Opener, layout: Written) -> None:
    record(store, layout)
    agent = open_writer(store)
    agent.execute("INSERT INTO state_meta VALUES ('fts_rebuild_high_water', '40')")
    agent.execute("INSERT INTO state_meta VALUES ('fts_rebuild_progress', '10')")
    for table in TABLES:
        agent.execute(f"INSERT INTO {table} ({table}) VALUES ('delete-all')")
        source = f"{table}_src" if layout is Written.VIEWS or table == TABLES[1] else "messages"
        columns = [row[1] for row in agent.execute(f"PRAGMA table_xinfo({table})") if not row[6]]
        listed = ", ".join(columns)
        agent.execute(f"INSERT INTO {table} (rowid, {listed}) SELECT id, {listed} FROM {source} WHERE id <= 10")
    agent.close()
    connection = opened(store)
    found = detect(connection)
    assert found.gap == (10, 40)
    assert (index(found, TABLES[0]).usable, index(found, TABLES[1]).usable) == (True, True)
    assert (index(found, TABLES[0]).complete, index(found, TABLES[1]).complete) == (True, True)
    assert verify_index(connection, found) == found


@pytest.mark.parametrize("value", ["1", "0", ""])
def test_a_stale_marker_of_any_value_means_stale(store: Path, opened: Opener, layout: Written, value: str) -> None:
    record(store, layout)
    run(store, f"INSERT INTO state_meta VALUES ('fts_stale', '{value}')")
    found = detected(opened, store)
    assert {index(found, table).trust for table in TABLES} == {Trust.STALE}
    assert not any(index(found, table).usable for table in TABLES)
    assert "history intact" in (index(found, TABLES[0]).note or "")


def test_a_stale_marker_of_the_foreign_index_means_nothing(store: Path, opened: Opener) -> None:
    record(store)
    run(store, "INSERT INTO state_meta VALUES ('fts_cjk_stale', '1')")
    found = detected(opened, store)
    assert {index(found, table).trust for table in TABLES} == {Trust.GOOD}


def test_changed_markers_are_noticed(store: Path, opened: Opener) -> None:
    record(store)
    connection = opened(store)
    found = detect(connection)
    assert not outdated(connection, found)
    run(store, "INSERT INTO state_meta VALUES ('fts_rebuild_high_water', '30')")
    assert outdated(connection, found)
    assert not outdated(connection, detect(connection))


def test_a_file_without_markers_is_never_outdated(store: Path, opened: Opener) -> None:
    write(store, "one")
    connection = opened(store)
    assert not outdated(connection, detect(connection))


# Asking


def test_a_locked_store_is_busy_not_damaged(store: Path, opened: Opener, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection_module, "PATIENCE_SECONDS", 0.05)
    record(store, settings=StorageSettings(journal_mode="delete"))
    connection = opened(store)
    agent = open_writer(store)
    agent.execute("BEGIN EXCLUSIVE")
    with pytest.raises(StoreBusy):
        detect(connection)
    agent.execute("COMMIT")
    agent.close()
    assert index(detect(connection), "messages_fts").usable


def test_a_lock_in_the_middle_is_busy_or_waited_for_but_never_damage(
    store: Path, opened: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connection_module, "PATIENCE_SECONDS", 0.001)
    record(store, settings=StorageSettings(journal_mode="delete"))
    connection = opened(store)
    sound = detect(connection)
    busy = 0
    for statements in range(0, 120, 4):
        agent = open_writer(store)
        ticket = Locking(agent, after=statements)
        try:
            found = detect(connection, ticket=ticket) if statements < 30 else sound
            assert verify_index(connection, found, ticket=ticket) == sound
        except StoreBusy:
            busy += 1
        agent.close()
    assert busy > 20


class Locking(Ticket):
    """A ticket under which an agent takes the store for itself before a certain statement."""

    def __init__(self, agent: sqlite3.Connection, *, after: int) -> None:
        super().__init__()
        self._agent = agent
        self._left = after

    @contextmanager
    def running(self, stop: Callable[[], None]) -> Iterator[None]:
        if self._left == 0:
            self._agent.execute("BEGIN EXCLUSIVE")
        self._left -= 1
        with super().running(stop):
            yield


def test_detecting_and_verifying_can_be_cancelled(store: Path, opened: Opener) -> None:
    record(store)
    connection = opened(store)
    found = detect(connection)
    ticket = Ticket()
    ticket.cancel()
    with pytest.raises(Cancelled):
        detect(connection, ticket=ticket)
    with pytest.raises(Cancelled):
        verify_index(connection, found, ticket=ticket)


def test_an_agent_may_write_while_we_detect(store: Path, opened: Opener) -> None:
    record(store, settings=StorageSettings(journal_mode="delete"))
    agent = open_writer(store)

    class Interfering(Ticket):
        def check(self) -> None:
            agent.execute("UPDATE messages SET content = content || ' again' WHERE id % 5 = 1")
            super().check()

    connection = opened(store)
    found = detect(connection, ticket=Interfering())
    agent.close()
    assert found.word is not None
    assert detect(connection).word == replace(found.word, trust=Trust.GOOD, complete=True, note=None)


# Columns


def test_a_column_is_named_or_replaced(store: Path, opened: Opener) -> None:
    write(store, "one")
    found = detected(opened, store)
    assert column(found, "messages", "content") == "m.content"
    assert column(found, "messages", "active") == "NULL"
    assert column(found, "messages", "active", "1") == "1"
    assert column(found, "sessions", "source", alias="s") == "s.source"
    assert column(found, "sessions", "archived", "0", alias="s") == "0"
    assert column(found, "sessions", "source", alias="") == "source"
    with pytest.raises(ValueError, match="state_meta"):
        column(found, "state_meta", "key")
