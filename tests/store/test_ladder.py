"""The opening ladder, rung by rung: every message is seen, nothing is written, nothing is left behind."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hermes_tui.model import Opened
from hermes_tui.store.connection import (
    Connection,
)
from tests.store.conftest import (
    ADD,
    killed_in_save,
    killed_in_wal,
    listing,
    open_writer,
    read,
    write,
)

Opener = Callable[[Path], Connection]
Powerless = Callable[[Callable[[], Any]], Any]


# Rung 1: a quiet WAL file


def test_quiet_wal_file_is_read_without_leaving_anything(store: Path) -> None:
    write(store, "one", "two")
    before = listing(store.parent)
    assert read(store) == [Opened.IMMUTABLE, ["one", "two"], None]
    assert listing(store.parent) == before


def test_empty_log_without_shared_memory_is_quiet_too(store: Path) -> None:
    write(store, "one")
    store.with_name("state.db-wal").touch()
    before = listing(store.parent)
    assert read(store) == [Opened.IMMUTABLE, ["one"], None]
    assert listing(store.parent) == before


def test_quiet_wal_file_in_a_folder_we_may_not_write(public: Path, powerless: Powerless) -> None:
    store = public / "state.db"
    write(store, "one")
    store.chmod(0o444)
    public.chmod(0o555)
    before = listing(public)
    assert powerless(lambda: read(store)) == ["immutable", ["one"], None]
    assert listing(public) == before


# Rung 2: in place, where that leaves nothing new


def test_rollback_journal_file_is_read_in_place(store: Path) -> None:
    write(store, "one", journal="delete")
    before = listing(store.parent)
    assert read(store) == [Opened.RO, ["one"], None]
    assert listing(store.parent) == before


def test_rollback_journal_file_in_a_folder_we_may_not_write(public: Path, powerless: Powerless) -> None:
    store = public / "state.db"
    write(store, "one", journal="delete")
    store.chmod(0o444)
    public.chmod(0o555)
    assert powerless(lambda: read(store)) == ["ro", ["one"], None]


@pytest.mark.parametrize("journal", ["truncate", "persist"])
def test_a_finished_journal_is_not_hot(store: Path, journal: str) -> None:
    write(store, "one", journal=journal)
    assert store.with_name("state.db-journal").exists()
    before = listing(store.parent)
    assert read(store) == [Opened.RO, ["one"], None]
    assert listing(store.parent) == before


def test_a_finished_journal_beside_a_quiet_wal_file_is_nothing(store: Path) -> None:
    write(store, "one")
    store.with_name("state.db-journal").write_bytes(bytes(512))
    before = listing(store.parent)
    assert read(store) == [Opened.IMMUTABLE, ["one"], None]
    assert listing(store.parent) == before


def test_what_a_live_agent_has_only_in_its_log_is_seen(store: Path) -> None:
    write(store, "one")
    agent = open_writer(store)
    agent.execute("PRAGMA wal_autocheckpoint = 0")
    agent.execute(ADD, ("two",))
    log = store.with_name("state.db-wal").stat().st_ino
    assert read(store) == [Opened.RO, ["one", "two"], None]
    assert store.with_name("state.db-wal").stat().st_ino == log
    agent.execute(ADD, ("three",))
    assert read(store) == [Opened.RO, ["one", "two", "three"], None]
    agent.close()


def test_log_of_a_killed_agent_is_read_where_it_is(store: Path) -> None:
    write(store, "one")
    killed_in_wal(store, "two", "three")
    names = sorted(os.listdir(store.parent))
    data = {name: listing(store.parent)[name] for name in ("state.db", "state.db-wal")}
    assert read(store) == [Opened.RO, ["one", "two", "three"], None]
    assert sorted(os.listdir(store.parent)) == names == ["state.db", "state.db-shm", "state.db-wal"]
    assert {name: listing(store.parent)[name] for name in data} == data


def test_log_of_a_killed_agent_in_a_folder_we_may_not_write(public: Path, powerless: Powerless) -> None:
    store = public / "state.db"
    write(store, "one")
    killed_in_wal(store, "two")
    for path in public.iterdir():
        path.chmod(0o444)
    public.chmod(0o555)
    before = listing(public)
    assert powerless(lambda: read(store)[:2]) == ["ro", ["one", "two"]]
    assert listing(public) == before


# Whatever the rung


@pytest.mark.parametrize("name", ["a#b", "a?b", "a%41b", "a b", "ü", "北京", "a'b", 'a"b', "a&mode=rw"])
@pytest.mark.parametrize("journal", ["wal", "delete"])
def test_any_folder_name_leads_to_its_own_file(tmp_path: Path, name: str, journal: str) -> None:
    folder = tmp_path / name
    folder.mkdir()
    write(folder / "state.db", f"in {name}", journal=journal)
    before = listing(tmp_path)
    assert read(folder / "state.db")[1] == [f"in {name}"]
    assert listing(tmp_path) == before


@pytest.mark.parametrize("name", ["a#b.db", "a?mode=rw.db", "%41.db"])
def test_any_file_name_leads_to_its_own_file(tmp_path: Path, name: str) -> None:
    write(tmp_path / name, name)
    before = listing(tmp_path)
    assert read(tmp_path / name)[1] == [name]
    assert listing(tmp_path) == before


def test_a_link_is_read_with_the_log_beside_its_target(store: Path, tmp_path: Path) -> None:
    write(store, "one")
    killed_in_wal(store, "two")
    link = tmp_path / "link.db"
    link.symlink_to(store)
    assert read(link) == [Opened.RO, ["one", "two"], None]


def test_relative_paths_are_read(store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(store, "one")
    monkeypatch.chdir(store.parent)
    assert read(Path("state.db"))[1] == ["one"]


@pytest.mark.parametrize("state", ["wal", "delete", "live", "killed", "orphaned", "hot"])
def test_no_rung_is_writable(store: Path, state: str, opened: Opener) -> None:
    write(store, "one", journal="delete" if state in ("delete", "hot") else "wal")
    agent = open_writer(store) if state == "live" else None
    if agent is not None:
        agent.execute(ADD, ("two",))
    if state in ("killed", "orphaned"):
        killed_in_wal(store, "two")
    if state == "orphaned":
        store.with_name("state.db-shm").unlink()
    if state == "hot":
        killed_in_save(store)
    connection = opened(store)
    raw = connection._foothold.raw
    raw.set_authorizer(None)  # what is left when the guard on statements is gone
    for change in ("DELETE FROM messages", "CREATE TABLE x (y)", "CREATE TEMP TABLE x (y)", "PRAGMA user_version = 7"):
        with pytest.raises(Exception, match=r"readonly|read-only|query_only"):
            raw.execute(change)
    raw.execute("PRAGMA query_only = 0")
    with pytest.raises(Exception, match="readonly"):
        raw.execute("DELETE FROM messages")
    if agent is not None:
        agent.close()
