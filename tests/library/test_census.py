"""The stores that are found on a machine: what each holds, why one cannot be read, what only a backup still has."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from hermes_tui.library import Stores, distinct, leads, survey
from hermes_tui.model import FoundStore, Origin, StorePlace
from hermes_tui.recorder import Layout, Recorder
from hermes_tui.store.locate import other_homes

NOON = 1_790_000_000.0


def write(path: Path, *ids: str, layout: Layout = Layout.VIEWS, start: float = NOON) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    times = iter(range(10**6))
    with Recorder(path, layout=layout, clock=lambda: start + next(times)) as recorder:
        for session_id in ids:
            recorder.create_session("cli", session_id=session_id, title=f"title of {session_id}", cwd="/srv" * 40)
            recorder.append(session_id, "user", f"words of {session_id}")
    return path


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A home with two profiles of different ages, a deleted one, one that is no store, and three backups."""
    home = tmp_path / "home"
    write(home / "state.db", "a", "b")
    write(home / "profiles/workshop/state.db", "c", layout=Layout.INLINE, start=NOON - 9_000)
    write(home / "profiles/away/state.db", "d")
    (home / "profiles/.deleted").mkdir()
    (home / "profiles/.deleted/away").touch()
    (home / "profiles/broken").mkdir()
    (home / "profiles/broken/state.db").write_bytes(b"")
    write(home / "state-snapshots/monday/state.db", "a", "lost", "c")
    write(home / "data/state.db", "a")
    write(home / "state.db.malformed-backup-7", "a", "b", "older", "oldest")
    (home / "state.db.malformed-backup-7-wal").touch()
    (home / "active_profile").write_text("workshop\n")
    return home


def environ(home: Path) -> dict[str, str]:
    return {"HERMES_HOME": str(home), "HOME": str(home.parent / "nobody")}


def surveyed(home: Path, *opened: StorePlace) -> dict[str | None, FoundStore]:
    return {store.place.name: store for store in survey(leads(opened, environ=environ(home)))}


def test_every_store_is_found_counted_and_left_as_it_is(home: Path) -> None:
    before = {path: path.stat().st_mtime_ns for path in home.rglob("*")}
    found = surveyed(home)
    assert [(store.origin, store.place.name, store.sessions) for store in found.values()][:3] == [
        (Origin.PROFILE, "default", 2), (Origin.PROFILE, "broken", None), (Origin.PROFILE, "workshop", 1),
    ]  # fmt: skip
    assert [name for name, store in found.items() if store.sticky] == ["workshop"]
    assert "empty" in (found["broken"].why or "")
    assert found["default"].last_active_at == NOON + 3
    assert found["default"].size == (home / "state.db").stat().st_size
    backups = {name: store for name, store in found.items() if store.origin is Origin.BACKUP}
    assert {name: store.sessions for name, store in backups.items()} == {
        "state-snapshots-monday": 3, "data": 1, "malformed-backup-7": 4,
    }  # fmt: skip
    assert {path: path.stat().st_mtime_ns for path in home.rglob("*")} == before


def test_what_no_other_store_has_is_counted_as_only_in_the_backup(home: Path) -> None:
    """A session that moved to another profile is not lost."""
    missing = {name: store.missing for name, store in surveyed(home).items() if store.missing}
    assert missing == {"state-snapshots-monday": 1, "malformed-backup-7": 2}
    with Stores.open(distinct([surveyed(home)[name] for name in ("default", "malformed-backup-7")])) as stores:
        assert {("malformed-backup-7", "oldest"), ("default", "a")} <= {row.key for row in stores.sessions().rows}


def test_sessions_that_damage_took_are_found_in_a_backup(home: Path) -> None:
    ids = [f"s{number:03}" for number in range(120)]
    path = write(home / "profiles/big/state.db", *ids)
    write(home / "profiles/big/state-snapshots/x/state.db", *ids)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        connection.execute("PRAGMA journal_mode=DELETE")
        size = connection.execute("PRAGMA page_size").fetchone()[0]
    spoilt = bytearray(path.read_bytes())
    # The row itself is on a leaf of a table (13), its title on those of indexes too.
    pages = (page for page in range(len(spoilt) // size) if b"title of s060" in spoilt[page * size :][:size])
    page = next(page for page in pages if spoilt[page * size] == 13)
    spoilt[page * size : (page + 1) * size] = bytes(size)
    path.write_bytes(bytes(spoilt))
    found = {store.place.path: store for store in survey(leads((), environ=environ(home)))}
    backup = found[home / "profiles/big/state-snapshots/x/state.db"]
    assert backup.sessions == 120
    assert 1 <= backup.missing < 20
    damaged = found[path]
    assert damaged.sessions == 120 - backup.missing
    assert "damaged" in (damaged.why or "")


def test_other_homes_and_files_are_offered_too(home: Path, tmp_path: Path) -> None:
    usual = write(tmp_path / "nobody/.hermes/state.db", "u")
    named = StorePlace(write(tmp_path / "copy.db", "x"), "copy")
    found = {store.place.path: store.origin for store in survey(leads([named], environ=environ(home)))}
    assert found[usual] is Origin.HOME
    assert found[named.path] is Origin.FILE
    windows = {"USERPROFILE": r"C:\Users\r", "LOCALAPPDATA": r"C:\Users\r\AppData\Local"}
    assert [home.name for home in other_homes(windows, platform="win32")] == [".hermes"]


def test_stores_opened_together_have_names_of_their_own(home: Path) -> None:
    found = surveyed(home)
    assert distinct([found["workshop"]]) == (found["workshop"].place,)
    (alone,) = distinct([found["data"]])
    assert alone.name is None
    twice = [found["data"], FoundStore(StorePlace(home / "profiles/workshop/data/state.db", "data"), Origin.BACKUP)]
    assert len({place.name for place in distinct(twice)}) == 2
