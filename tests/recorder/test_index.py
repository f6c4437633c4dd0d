"""Both full-text indexes in each layout: kept by triggers, rebuilt, resumed, merged, or not there at all."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from typing import Any

import pytest

from hermes_tui.recorder import Layout, NewMessage, Recorder, RecorderError
from tests.recorder.conftest import INDEXES, OpenStore, Store, call

WORD, TRIGRAM = INDEXES
FILL: list[NewMessage] = [
    {"role": "user", "content": "Please run pyinstaller --onefile on the garden service"},
    {"role": "assistant", "content": "打包程序 is ready", "tool_calls": [call("c1", arguments='{"command": "unzip"}')]},
    {"role": "tool", "content": "wrote dist/garden.exe", "tool_name": "terminal", "tool_call_id": "c1"},
    {"role": "user", "content": [{"type": "text", "text": "a pictured word"}]},
    {"role": "assistant", "content": None},
]


def change(store: Store, *statements: str) -> None:
    """What another program does to the file."""
    with closing(sqlite3.connect(store.path, isolation_level=None)) as connection:
        for statement in statements:
            connection.execute(statement)


def filled(store: Store) -> str:
    session = store.recorder.create_session("cli")
    store.recorder.append_many(session, FILL)
    return session


def test_an_insert_is_found_by_word_and_by_part_of_a_word(store: Store) -> None:
    session = store.recorder.create_session("cli")
    message = store.recorder.append(session, "user", "Please run pyinstaller --onefile, 打包程序")
    assert store.found(WORD, "pyinstaller") == [message]
    assert store.found(TRIGRAM, "NEFIL") == [message]
    assert store.found(TRIGRAM, "打包程") == [message]
    assert store.found(WORD, "pyinstall") == []


def test_an_update_is_followed(store: Store) -> None:
    session = store.recorder.create_session("cli")
    message = store.recorder.append(session, "assistant", "an apple a day", tool_name="orchard")
    store.recorder.update_message(message, content="a quince a day")
    for index in INDEXES:
        assert store.found(index, "apple") == []
        assert store.found(index, "quince") == [message]
        assert store.found(index, "orchard") == [message]
    store.assert_indexes_agree()


def test_a_change_of_role_is_followed(store: Store) -> None:
    session = store.recorder.create_session("cli")
    message = store.recorder.append(session, "assistant", "w " * 5000 + "beyond")
    store.recorder.update_message(message, role="tool")
    store.recorder.update_message(message, tool_name="terminal")
    store.assert_indexes_agree()
    store.recorder.update_message(message, role="assistant")
    store.assert_indexes_agree()
    assert store.found(TRIGRAM, "eyond") == [message]


def test_a_delete_is_followed(store: Store) -> None:
    session = filled(store)
    doomed = store.found(WORD, "pyinstaller")
    store.recorder.delete_message(doomed[0])
    assert store.found(WORD, "pyinstaller") == []
    assert store.found(TRIGRAM, "yinstall") == []
    store.assert_indexes_agree()
    store.recorder.delete_session(session)
    assert store.column(f"SELECT count(*) FROM {WORD}_docsize") == [0]
    assert store.column(f"SELECT count(*) FROM {TRIGRAM}_docsize") == [0]
    store.assert_indexes_agree()


def test_states_do_not_touch_the_indexes(store: Store) -> None:
    session = filled(store)
    store.recorder.compact(session, "They packed a program.")
    question = store.recorder.append(session, "user", "a question taken back")
    store.recorder.rewind(session, question)
    assert store.found(WORD, "question") == [question]
    assert len(store.found(WORD, "pyinstaller")) == 1
    store.assert_indexes_agree()


def tool_and_automation(store: Store) -> dict[str, int]:
    """Messages that layouts treat differently, by what they are."""
    recorder = store.recorder
    cli, cron = recorder.create_session("cli"), recorder.create_session("cron")
    helper = recorder.delegate(cli)
    marked = recorder.create_session("telegram", model_config={"_delegate_from": "somewhere"})
    return {
        "tool": recorder.append(cli, "tool", "needle in output", tool_name="terminal"),
        "long tool": recorder.append(cli, "tool", "x" * 9000 + " needle at the end"),
        "long answer": recorder.append(cli, "assistant", "x" * 9000 + " needle at the end"),
        "call": recorder.append(cli, "assistant", tool_calls=[call("c", arguments='{"q": "needle"}')]),
        "name": recorder.append(cli, "assistant", tool_name="needle"),
        "cron": recorder.append(cron, "user", "needle of the night"),
        "helper": recorder.append(helper, "user", "needle of the helper"),
        "marked": recorder.append(marked, "user", "needle of a marked session"),
    }


LEFT_OUT: dict[Layout, tuple[set[str], set[str]]] = {
    Layout.INLINE: (set(), set()),
    Layout.EXTERNAL: (set(), {"tool", "long tool"}),
    Layout.VIEWS: ({"long tool"}, {"tool", "long tool", "call", "cron", "helper", "marked"}),
}


def test_each_layout_leaves_out_what_releases_leave_out(store: Store) -> None:
    messages = tool_and_automation(store)
    for index, left_out in zip(INDEXES, LEFT_OUT[store.recorder.layout], strict=True):
        expected = {kind for kind in messages if kind not in left_out}
        found = set(store.found(index, "needle"))
        assert {kind for kind, message in messages.items() if message in found} == expected, index
    store.assert_indexes_agree()


def test_a_model_config_that_is_not_json_stops_nothing(store: Store) -> None:
    session = filled(store)
    change(store, "UPDATE sessions SET model_config = 'not json'")
    message = store.recorder.append(session, "user", "still searchable")
    assert store.found(TRIGRAM, "searchab") == [message]
    assert store.recorder.branch(session)
    store.assert_indexes_agree()


def test_a_dropped_index_is_rebuilt(store: Store) -> None:
    messages = tool_and_automation(store)
    filled(store)
    before = {index: store.found(index, "needle") for index in INDEXES}
    change(store, f"DROP TABLE {WORD}", f"DROP TABLE {TRIGRAM}")
    change(store, *(f"DROP TRIGGER {name}" for name in store.column(
        "SELECT name FROM sqlite_master WHERE type = 'trigger' AND name LIKE 'messages_fts%'"
    )))  # fmt: skip
    assert not store.recorder.indexed
    store.recorder.rebuild_index()
    assert store.recorder.indexed
    assert {index: store.found(index, "needle") for index in INDEXES} == before
    assert len(before[WORD]) >= len(messages) - 1
    store.assert_indexes_agree()


def test_a_stale_index_is_rebuilt_and_kept_again(store: Store) -> None:
    session = filled(store)
    # What a release leaves behind after damage: no triggers, and rows that nobody indexed.
    change(store, *(f"DROP TRIGGER {index}_{event}" for index in INDEXES for event in ("insert", "update", "delete")))
    change(store, "INSERT INTO state_meta VALUES ('fts_stale', '1')")
    missed = store.recorder.append(session, "user", "said meanwhile")
    assert not store.recorder.indexed
    assert store.found(WORD, "meanwhile") == []
    store.recorder.rebuild_index()
    assert store.recorder.indexed
    assert store.found(WORD, "meanwhile") == [missed]
    later = store.recorder.append(session, "user", "said afterwards")
    assert store.found(WORD, "afterwards") == [later]
    assert store.rows("SELECT * FROM state_meta WHERE key LIKE 'fts_%'") == []
    store.assert_indexes_agree()


@pytest.mark.parametrize("layout", [Layout.EXTERNAL, Layout.VIEWS], ids=str)
def test_an_interrupted_rebuild_is_honoured_and_finished(open_store: OpenStore, layout: Layout) -> None:
    store = open_store(layout)
    session = store.recorder.create_session("cli")
    texts: list[NewMessage] = [{"role": "user", "content": f"needle number{number}"} for number in range(2500)]
    ids = store.recorder.append_many(session, texts)

    class StopError(Exception):
        """The power goes off."""

    def stop_after_first(done: int, there_are: int) -> None:
        assert (done, there_are) == (1000, ids[-1])
        raise StopError

    with pytest.raises(StopError):
        store.recorder.rebuild_index(stop_after_first)
    markers = dict(store.rows("SELECT key, value FROM state_meta WHERE key LIKE 'fts_%'"))
    assert markers == {"fts_rebuild_high_water": "2500", "fts_rebuild_progress": "1000"}
    assert store.found(WORD, "needle") == ids[:1000]

    # Writers do not wait for it: rows in the gap stay out of the index, all others are kept up to date.
    store.recorder.update_message(ids[1], content="changed below")
    store.recorder.update_message(ids[2000], content="changed in the gap")
    store.recorder.delete_message(ids[2001])
    new = store.recorder.append(session, "user", "needle after")
    assert store.found(WORD, "changed") == [ids[1]]
    assert store.found(WORD, "after") == [new]

    seen: list[tuple[int, int]] = []
    store.recorder.rebuild_index(lambda done, there_are: seen.append((done, there_are)))
    assert seen == [(2000, 2500)]
    assert store.found(WORD, "changed") == [ids[1], ids[2000]]
    assert store.found(TRIGRAM, "hanged in") == [ids[2000]]
    assert len(store.found(WORD, "needle")) == 2500 - 3 + 1
    assert store.rows("SELECT * FROM state_meta WHERE key LIKE 'fts_%'") == []
    store.assert_indexes_agree()


def test_optimizing_changes_nothing_that_is_found(store: Store) -> None:
    session = store.recorder.create_session("cli")
    for number in range(40):
        store.recorder.append(session, "user", f"needle number{number}")
    before = store.found(WORD, "needle")
    pieces = store.column(f"SELECT count(DISTINCT segid) FROM {WORD}_idx")
    store.recorder.optimize()
    assert store.found(WORD, "needle") == before
    assert store.column(f"SELECT count(DISTINCT segid) FROM {WORD}_idx") == [1]
    assert pieces > [1]
    store.assert_indexes_agree()


@pytest.mark.parametrize("layout", list(Layout), ids=str)
def test_a_store_without_indexes_stays_without_until_asked(
    open_store: OpenStore, layout: Layout, tmp_path: Any
) -> None:
    settings = tmp_path / "settings.toml"
    settings.write_text(f"[hermes.storage]\ndb_path = {json.dumps(str(tmp_path / 'bare.db'))}\nfts_enabled = false\n")
    with Recorder.configured(settings, layout=layout) as recorder:
        session = recorder.create_session("cli")
        recorder.append_many(session, FILL)
        recorder.compact(session, "short")
        recorder.optimize()
    store = open_store(Layout.INLINE, name="bare.db")  # an existing file keeps its own layout
    assert store.recorder.layout is layout
    assert store.column("SELECT name FROM sqlite_master WHERE name LIKE '%fts%'") == []
    store.recorder.rebuild_index()
    assert store.recorder.indexed
    assert len(store.found(WORD, "pyinstaller")) == 1
    store.assert_indexes_agree()


def test_a_damaged_index_is_told_apart_from_damaged_messages(open_store: OpenStore) -> None:
    store = open_store(Layout.VIEWS)
    session = filled(store)
    change(store, f"DELETE FROM {WORD}_data WHERE id = 10")  # the list of the pieces of an index
    with pytest.raises(RecorderError, match=r"index in .* is damaged; the messages are not\. Run rebuild_index"):
        store.recorder.append(session, "user", "cannot be indexed")
    assert len(store.recorder.live_messages(session)) == len(FILL)
    store.recorder.rebuild_index()
    message = store.recorder.append(session, "user", "healed")
    assert store.found(WORD, "healed") == [message]
    store.assert_indexes_agree()
