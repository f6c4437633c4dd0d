"""The last rung: a private copy, whole or not at all, seen by nobody else, and gone afterwards."""

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
    StoreUnreadable,
    connect,
    look,
)
from tests.store.conftest import (
    killed_in_save,
    killed_in_wal,
    listing,
    read,
    texts,
    write,
)

Opener = Callable[[Path], Connection]
Powerless = Callable[[Callable[[], Any]], Any]


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


def test_a_log_may_grow_while_it_is_copied(orphaned: Path, temporary: Path, monkeypatch: pytest.MonkeyPatch) -> None:
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
