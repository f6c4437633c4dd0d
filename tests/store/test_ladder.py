"""The opening ladder, rung by rung: every message is seen, nothing is written, nothing is left behind."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hermes_tui.model import Opened
from hermes_tui.store import copies
from hermes_tui.store.connection import (
    Connection,
    StoreBusy,
    StoreDamaged,
    StoreMissing,
    StoreUnreadable,
    connect,
    look,
)
from tests.store.conftest import (
    ADD,
    killed_in_save,
    killed_in_wal,
    listing,
    make_quiet,
    open_writer,
    texts,
    write,
)

Opener = Callable[[Path], Connection]
Powerless = Callable[[Callable[[], Any]], Any]


def read(path: Path) -> list[Any]:
    """Open, read, close: the rung and the messages."""
    with connect(look(path)) as connection:
        return [connection.opened, texts(connection), connection.badge]


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


# Rung 3: a private copy


@pytest.fixture
def orphaned(store: Path) -> Path:
    """A store whose log was copied along without the shared memory."""
    write(store, "one")
    killed_in_wal(store, "two")
    store.with_name("state.db-shm").unlink()
    return store


def test_log_without_shared_memory_is_read_from_a_copy(orphaned: Path, temporary: Path) -> None:
    before = listing(orphaned.parent)
    with connect(look(orphaned)) as connection:
        assert (connection.opened, texts(connection)) == (Opened.COPY, ["one", "two"])
        assert connection.badge is not None
        assert "copy" in connection.badge
        [folder] = temporary.iterdir()
        assert folder.stat().st_mode & 0o777 == 0o700
        assert {path.stat().st_mode & 0o777 for path in folder.iterdir()} == {0o600}
    assert listing(orphaned.parent) == before
    assert list(temporary.iterdir()) == []


def test_log_without_shared_memory_in_a_folder_we_may_not_write(public: Path, powerless: Powerless) -> None:
    store = public / "state.db"
    write(store, "one")
    killed_in_wal(store, "two")
    store.with_name("state.db-shm").unlink()
    for path in public.iterdir():
        path.chmod(0o444)
    public.chmod(0o555)
    before = listing(public)
    assert powerless(lambda: read(store)[:2]) == ["copy", ["one", "two"]]
    assert listing(public) == before


def test_half_a_save_of_a_killed_agent_is_rolled_back_in_a_copy_only(store: Path, temporary: Path) -> None:
    write(store, "one", "two", journal="delete")
    killed_in_save(store)
    before = listing(store.parent)
    assert store.with_name("state.db-journal").stat().st_size > 0
    opened, seen, badge = read(store)
    assert (opened, seen) == (Opened.COPY, ["one", "two"])
    assert "stopped in the middle of a save" in badge
    assert listing(store.parent) == before
    assert list(temporary.iterdir()) == []


def test_half_a_change_of_a_wal_file_is_rolled_back_in_a_copy_only(store: Path, temporary: Path) -> None:
    write(store, "one", journal="delete")
    killed_in_save(store)
    with store.open("r+b") as file:  # as when the change under way was the one to WAL mode
        file.seek(18)
        file.write(b"\x02\x02")
    before = listing(store.parent)
    assert read(store)[:2] == [Opened.COPY, ["one"]]
    assert listing(store.parent) == before


def test_copies_are_shared_and_go_with_their_last_reader(orphaned: Path, temporary: Path) -> None:
    footing = look(orphaned)
    first, second = connect(footing), connect(footing)
    assert len(list(temporary.iterdir())) == 1
    first.close()
    assert len(list(temporary.iterdir())) == 1
    assert texts(second) == ["one", "two"]
    second.close()
    assert list(temporary.iterdir()) == []


def test_a_copy_nobody_closed_is_removed_at_exit(orphaned: Path, temporary: Path) -> None:
    script = (
        "import sys; from pathlib import Path; from hermes_tui.store.connection import connect, look\n"
        "kept = connect(look(Path(sys.argv[1]))); print(kept.opened.value, len(list(Path(sys.argv[2]).iterdir())))"
    )
    environ = {**os.environ, "TMPDIR": str(temporary), "TEMP": str(temporary)}
    done = subprocess.run(
        [sys.executable, "-c", script, str(orphaned), str(temporary)], env=environ, capture_output=True, check=True
    )
    assert done.stdout.split() == [b"copy", b"1"]
    assert list(temporary.iterdir()) == []


@pytest.mark.skipif(sys.platform == "win32", reason="needs locks that a killed process loses")
def test_the_copy_of_a_killed_reader_is_removed_by_the_next(orphaned: Path, temporary: Path) -> None:
    script = (
        "import os, sys; from pathlib import Path; from hermes_tui.store.connection import connect, look\n"
        "kept = connect(look(Path(sys.argv[1]))); os._exit(0)"
    )
    environ = {**os.environ, "TMPDIR": str(temporary)}
    subprocess.run([sys.executable, "-c", script, str(orphaned)], env=environ, check=True)
    [abandoned] = temporary.iterdir()
    assert (abandoned / "state.db").exists()
    foreign = temporary / "hermes-tui-copy-of-somebody"
    foreign.mkdir()
    alive = connect(look(orphaned))
    [in_use] = set(temporary.iterdir()) - {abandoned, foreign}
    for folder in (abandoned, foreign, in_use):
        os.utime(folder, (0, 0))
    os.utime(orphaned)  # so that the next one cannot share the copy in use
    with connect(look(orphaned)) as connection:
        assert texts(connection) == ["one", "two"]
        assert not abandoned.exists()
        assert in_use.exists()
    assert texts(alive) == ["one", "two"]
    alive.close()
    assert list(temporary.iterdir()) == [foreign]


def test_a_copy_is_taken_again_when_the_store_changed_meanwhile(
    orphaned: Path, temporary: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    changes = iter([lambda: killed_in_wal(orphaned, "three")])
    _change_while_copying(monkeypatch, lambda: next(changes, lambda: None)())
    opened, seen, _ = read(orphaned)
    assert seen == ["one", "two", "three"]
    assert opened in (Opened.COPY, Opened.RO)
    assert list(temporary.iterdir()) == []


def test_a_copy_is_taken_again_when_the_log_was_begun_anew_meanwhile(
    orphaned: Path, temporary: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A log that starts over after a checkpoint leaves the file itself as it was."""
    other = tmp_path / "other.db"
    shutil.copy(orphaned, other)
    killed_in_wal(other, "2", "3")
    log = orphaned.with_name("state.db-wal")
    _change_while_copying(
        monkeypatch, lambda: log.write_bytes(other.with_name("other.db-wal").read_bytes()), after="state.db-wal"
    )
    assert read(orphaned)[:2] == [Opened.COPY, ["one", "2", "3"]]


def test_a_log_may_grow_while_it_is_copied(
    orphaned: Path, temporary: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What an agent that keeps the log to itself adds meanwhile does not spoil what was there before."""

    def grow() -> None:
        with orphaned.with_name("state.db-wal").open("ab") as log:
            log.write(bytes(4120))

    _change_while_copying(monkeypatch, grow)
    assert read(orphaned)[:2] == [Opened.COPY, ["one", "two"]]


def test_a_store_that_never_holds_still_is_busy(
    orphaned: Path, temporary: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _change_while_copying(monkeypatch, lambda: os.utime(orphaned, ns=(0, os.stat(orphaned).st_mtime_ns + 1_000_000)))
    with pytest.raises(StoreBusy, match="kept changing"):
        connect(look(orphaned))
    assert list(temporary.iterdir()) == []


def _change_while_copying(monkeypatch: pytest.MonkeyPatch, change: Callable[[], Any], after: str = "state.db") -> None:
    """Let another program change something right after this file was copied."""
    copy_file = copies._copy_file

    def copy_and_change(source: Path, target: Path) -> None:
        copy_file(source, target)
        if source.name == after:
            change()

    monkeypatch.setattr(copies, "_copy_file", copy_and_change)


def test_no_room_for_a_copy_says_where_room_is_needed(
    orphaned: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "nowhere"))
    with pytest.raises(StoreUnreadable, match="TMPDIR") as failure:
        connect(look(orphaned))
    assert str(orphaned) in str(failure.value)


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
