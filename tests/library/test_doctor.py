"""The report on a store: what it is, what ails it, and a proof of no touch that notices a touch."""

from __future__ import annotations

import os
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from hermes_tui.library import Library, StoreMissing, doctor
from hermes_tui.library.proof import footprint
from hermes_tui.model import Layout, Opened, StoreReport, Trust
from hermes_tui.recorder import Layout as Written
from hermes_tui.recorder import Recorder
from tests.library.conftest import Town


@pytest.fixture
def own(town: Town, tmp_path: Path) -> Path:
    """A copy of the store in a folder of its own."""
    folder = tmp_path / "home"
    folder.mkdir()
    return Path(shutil.copy(town.path, folder / "state.db"))


def execute(path: Path, *statements: str) -> None:
    """Be another program that changes the store."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        for statement in statements:
            connection.execute(statement)


@pytest.mark.parametrize("layout", list(Written))
@pytest.mark.parametrize("journal", ["wal", "delete"])
def test_a_healthy_store(layout: Written, journal: str, tmp_path: Path) -> None:
    path = tmp_path / "state.db"
    with Recorder(path, layout=layout) as recorder:
        for number in range(3):
            talk = recorder.create_session("cli", title=f"Talk {number}")
            recorder.append(talk, "user", "a question about lighthouses")
    execute(path, f"PRAGMA journal_mode = {journal}")
    with Library.open(path, profile="work") as library:
        report = library.report()
        assert len(library.sessions().rows) == 3, "the library goes on afterwards"
    assert (report.messages, report.sessions, report.untouched, report.notes) == (3, 3, True, ())
    assert (report.journal_mode, report.profile, report.path) == (journal, "work", str(path))
    assert report.opened is (Opened.IMMUTABLE if journal == "wal" else Opened.RO)
    assert report.capabilities.layout is Layout(layout.value)
    assert report.capabilities.word is not None
    assert report.capabilities.word.trust is Trust.GOOD
    assert report.sqlite == sqlite3.sqlite_version


def test_every_session_and_message_is_counted_hidden_ones_too(own: Path) -> None:
    execute(own, "UPDATE sessions SET archived = 1 WHERE title = 'Long talk'")
    report = Library(own).report()
    with closing(sqlite3.connect(own)) as connection:
        (sessions,) = connection.execute("SELECT count(*) FROM sessions").fetchone()
        (messages,) = connection.execute("SELECT count(*) FROM messages").fetchone()
    assert (report.sessions, report.messages) == (sessions, messages)


@pytest.mark.parametrize(
    ("statements", "says"),
    [
        (["INSERT INTO state_meta (key, value) VALUES ('fts_stale', '1')"], "out of date"),
        (["UPDATE messages_fts_data SET block = zeroblob(20) WHERE id > 10"], "damaged"),
        (["DELETE FROM messages_fts_data"], "damaged"),
        (
            [
                "INSERT INTO state_meta (key, value) VALUES ('fts_rebuild_high_water', '30')",
                "INSERT INTO state_meta (key, value) VALUES ('fts_rebuild_progress', '4')",
            ],
            "messages 5 to 30",
        ),
    ],
)
def test_what_ails_an_index_is_said_and_that_history_is_intact(statements: list[str], says: str, own: Path) -> None:
    execute(own, *statements)
    report = Library(own).report()
    assert any(says in note for note in report.notes), report.notes
    assert report.untouched


def test_rows_an_index_lacks_are_noticed(own: Path) -> None:
    """One row among many, which the samples that are taken on opening miss."""
    numbers = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 3000) SELECT * FROM n"
    row = f"SELECT '77777', 'user', 'word ' || i, 1790009999 FROM ({numbers})"
    execute(own, f"INSERT INTO messages (session_id, role, content, timestamp) {row}")
    execute(own, "DELETE FROM messages_fts_trigram_docsize WHERE id = 700")
    with Library.open(own) as library:
        index = library.capabilities.trigram
        assert index is not None
        assert index.complete, "the samples met the row; take another one"
    report = Library(own).report()
    assert any("lacks some messages" in note for note in report.notes), report.notes


def test_a_store_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(StoreMissing):
        Library(tmp_path / "state.db").report()


Touch = Callable[[Path], object]
TOUCHES: dict[str, tuple[Touch, str]] = {
    "a new file beside it": (lambda path: path.with_name("state.db-shm").touch(), "state.db-shm is new"),
    "any new file": (lambda path: path.with_name("notes").touch(), "notes is new"),
    "other bytes": (lambda path: path.write_bytes(path.read_bytes()[:-1] + b"!"), "other bytes"),
    "another time": (lambda path: os.utime(path, (1, 1)), "another time stamp"),
    "another file under its name": (lambda path: os.replace(shutil.copy2(path, f"{path}.new"), path), "other bytes"),
}


@pytest.mark.parametrize("touch", TOUCHES)
def test_a_touch_is_not_overlooked(touch: str, own: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As if looking at the store did this to it."""
    look, (do, says) = doctor._look, TOUCHES[touch]

    def clumsy(path: Path, profile: str | None) -> tuple[StoreReport, bool]:
        report, _ = look(path, profile)
        do(path)
        return report, False

    monkeypatch.setattr(doctor, "_look", clumsy)
    report = Library(own).report()
    assert report.untouched is False
    assert any(says in note for note in report.notes), report.notes


def test_a_file_that_goes_is_noticed(own: Path) -> None:
    beside = own.with_name("state.db-wal")
    beside.touch()
    before = footprint(own)
    beside.unlink()
    assert before.differences(footprint(own)) == ("state.db-wal is gone",)


ADD = "INSERT INTO messages (session_id, role, content, timestamp) VALUES ('77777', 'user', 'late', 1790009999)"


def test_a_writer_at_work_is_told_from_a_touch(own: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It writes during the first look only: the second one proves what it should."""
    read, rounds = doctor._read, []

    def meanwhile(connection: object, capabilities: object) -> int:
        rounds.append(1)
        if len(rounds) == 1:
            execute(own, ADD)
        return read(connection, capabilities)  # type: ignore[arg-type]

    monkeypatch.setattr(doctor, "_read", meanwhile)
    report = Library(own).report()
    assert (report.untouched, report.notes, len(rounds)) == (True, (), 2)


def test_a_writer_that_never_rests_leaves_nothing_proven(own: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    read = doctor._read

    def meanwhile(connection: object, capabilities: object) -> int:
        execute(own, ADD)
        return read(connection, capabilities)  # type: ignore[arg-type]

    monkeypatch.setattr(doctor, "_read", meanwhile)
    report = Library(own).report()
    assert report.untouched is False
    assert doctor.BUSY in report.notes


def test_a_live_writer_that_is_idle_is_left_alone(own: Path) -> None:
    writer = sqlite3.connect(own, isolation_level=None)
    writer.execute("PRAGMA journal_mode = wal")
    writer.execute(ADD)
    try:
        report = Library(own).report()
        assert (report.untouched, report.opened, report.notes) == (True, Opened.RO, ())
        writer.execute(ADD)
    finally:
        writer.close()
