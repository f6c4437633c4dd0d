"""Looking before connecting: what cannot be opened is told apart, and no lock is lost by looking."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hermes_tui.model import Opened
from hermes_tui.store.connection import (
    Connection,
    StoreDamaged,
    StoreMissing,
    StoreUnreadable,
    connect,
    look,
)
from tests.store.conftest import (
    ADD,
    killed_in_wal,
    listing,
    make_quiet,
    open_writer,
    read,
    texts,
    write,
)

Opener = Callable[[Path], Connection]
Powerless = Callable[[Callable[[], Any]], Any]


# What cannot be opened


def test_bad_paths_get_plain_sentences_that_differ(tmp_path: Path) -> None:
    write(tmp_path / "whole.db", "x" * 100_000)
    whole = (tmp_path / "whole.db").read_bytes()
    (tmp_path / "folder").mkdir()
    (tmp_path / "empty").touch()
    (tmp_path / "text").write_text("Dear diary, this is no store.\n" * 50)
    (tmp_path / "cut").write_bytes(whole[: len(whole) // 2])
    (tmp_path / "stump").write_bytes(whole[:60])
    (tmp_path / "other.db").touch()
    other = open_writer(tmp_path / "other.db")
    other.execute("CREATE TABLE recipes (title)")
    other.close()
    (tmp_path / "garbled").write_bytes(whole[:100] + bytes(len(whole) - 100))
    (tmp_path / "dangling").symlink_to(tmp_path / "nowhere")
    before = listing(tmp_path)

    kinds = {
        "missing": StoreMissing,
        "dangling": StoreMissing,
        "folder": StoreMissing,
        "empty": StoreUnreadable,
        "text": StoreUnreadable,
        "cut": StoreUnreadable,
        "stump": StoreUnreadable,
        "other.db": StoreUnreadable,
        "garbled": StoreDamaged,
    }
    sentences = {}
    for name, kind in kinds.items():
        with pytest.raises(kind) as failure:
            connect(look(tmp_path / name))
        assert str(tmp_path / name) in str(failure.value)
        assert str(failure.value).endswith(".")
        sentences[name] = str(failure.value).replace(name, "NAME")
    del sentences["dangling"]  # as missing as the missing one
    assert len({sentence.split("NAME", 1)[1] for sentence in sentences.values()}) == len(sentences)
    assert "no table sessions" in sentences["other.db"]
    assert listing(tmp_path) == before


def test_a_path_below_a_file_is_missing(store: Path) -> None:
    write(store, "one")
    with pytest.raises(StoreMissing):
        look(store / "state.db")


@pytest.mark.parametrize("path", ["nul\0byte", "x" * 5000])
def test_impossible_names_are_missing(path: str) -> None:
    with pytest.raises(StoreMissing):
        look(Path(path))


def test_no_permission_names_the_way_out(public: Path, powerless: Powerless) -> None:
    store = public / "state.db"
    write(store, "one")
    store.chmod(0o000)
    kind, sentence = powerless(lambda: read(store))
    assert kind == "StoreUnreadable"
    assert str(store) in sentence
    assert "owner" in sentence


def test_no_permission_for_the_folder(public: Path, powerless: Powerless) -> None:
    (public / "home").mkdir()
    store = public / "home" / "state.db"
    write(store, "one")
    store.parent.chmod(0o000)
    kind, sentence = powerless(lambda: read(store))
    assert kind == "StoreUnreadable"
    assert "folder" in sentence


# Looking


def test_looking_tells_what_is_there(store: Path) -> None:
    write(store, "one")
    quiet = look(store)
    assert (quiet.journal_mode, quiet.wal_size, quiet.shm, quiet.journal) == ("wal", None, False, False)
    assert (quiet.size, quiet.mtime_ns) == (store.stat().st_size, store.stat().st_mtime_ns)
    killed_in_wal(store, "two")
    live = look(store)
    assert (live.wal_size, live.shm, live.rung) == (store.with_name("state.db-wal").stat().st_size, True, Opened.RO)


def test_what_was_seen_may_be_outdated_when_connecting(store: Path) -> None:
    write(store, "one")
    make_quiet(store)
    footing = look(store)
    killed_in_wal(store, "two")
    with connect(footing) as connection:
        assert (connection.opened, texts(connection)) == (Opened.RO, ["one", "two"])


def test_an_agent_that_left_between_look_and_connect_leaves_a_quiet_file(store: Path) -> None:
    write(store, "one")
    agent = open_writer(store)
    agent.execute(ADD, ("two",))
    footing = look(store)
    agent.close()
    with connect(footing) as connection:
        assert (connection.opened, texts(connection)) == (Opened.IMMUTABLE, ["one", "two"])
    assert os.listdir(store.parent) == ["state.db"]


def test_looking_beside_an_open_connection_keeps_its_locks(store: Path, opened: Opener) -> None:
    """Closing any descriptor of a file drops this process's locks on it: the agent would then take itself for the
    last one to have the store open, and delete the log under our connection."""
    write(store, "one")
    script = (
        "import sqlite3, sys; db = sqlite3.connect(sys.argv[1], isolation_level=None)\n"
        "db.execute(\"UPDATE messages SET content = 'two'\"); print('ready', flush=True); sys.stdin.readline()\n"
        "db.close()"
    )
    agent = subprocess.Popen(
        [sys.executable, "-c", script, str(store)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert agent.stdout is not None
    agent.stdout.readline()
    connection = opened(store)
    assert texts(connection) == ["two"]
    assert look(store).journal_mode == "wal"
    agent.communicate("go\n")
    assert store.with_name("state.db-wal").exists()
    write(store, "three")
    assert texts(connection) == ["two", "three"]


@pytest.mark.skipif(not Path("/dev/fd").exists(), reason="needs /dev/fd to count descriptors")
def test_descriptors_kept_for_the_sake_of_locks_are_few_and_go_with_the_connection(store: Path) -> None:
    write(store, "one")
    killed_in_wal(store, "two")
    before = _descriptors()
    first, second = connect(look(store)), connect(look(store))
    opened = _descriptors()
    for _ in range(20):
        look(store)
    assert _descriptors() <= opened + 1
    first.close()
    look(store)
    second.close()
    assert _descriptors() == before


def _descriptors() -> int:
    return len(os.listdir("/dev/fd"))


def test_reading_a_whole_day_leaves_the_folder_as_it_was(store: Path, opened: Opener) -> None:
    write(store, *[f"message {n}" for n in range(50)])
    before = listing(store.parent)
    for _ in range(3):
        connection = opened(store)
        for n in range(20):
            connection.rows("SELECT content FROM messages WHERE instr(content, ?) > 0", (str(n),))
            connection.fingerprint()
        connection.close()
    assert listing(store.parent) == before
    shutil.copy(store, store.with_name("copy.db"))
    assert listing(store.parent)["state.db"] == before["state.db"]
