"""Starting the browser: what it is given, in which order, and that the demo's folder is gone however it ends."""

from __future__ import annotations

import json
import os
import re
import select
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from pathlib import Path
from typing import Any

import pytest

from hermes_tui.cli import browser, main
from hermes_tui.history import History
from hermes_tui.library import Library, Stores
from hermes_tui.model import Anchor, SessionList
from hermes_tui.recorder import Recorder
from tests.cli.conftest import KETTLE, Run, command, environment

WAIT = 60  # seconds before a test that hangs is given up


class Started:
    """What the screen was started with."""

    def __init__(self) -> None:
        self.stores: Stores
        self.anchor: Anchor | None = None
        self.listed: SessionList | None = None
        self.folder: list[str] = []
        self.remembered: list[str] = []

    def run(
        self,
        stores: Stores,
        *,
        sessions: Future[SessionList],
        history: History,
        glimpse: object,
        anchor: Anchor | None = None,
    ) -> None:
        """In place of the screen."""
        self.stores, self.anchor, self.listed = stores, anchor, sessions.result(WAIT)
        history.remember("kettle")
        self.remembered = [past.text for past in history.past]
        self.folder = sorted(child.name for child in stores.first.path.parent.iterdir())


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> Started:
    """A terminal, and somebody who notes what the screen would get."""
    from hermes_tui.tui import app

    note = Started()
    monkeypatch.setattr(app, "run", note.run)
    monkeypatch.setattr(browser, "_terminal", lambda: True)
    return note


def test_the_screen_gets_the_store_and_its_list(store: Path, started: Started) -> None:
    assert main(["--db", str(store)]) == 0
    assert started.stores.first.path == store
    assert started.anchor is None
    assert started.listed is not None
    assert len(started.listed.rows) == 4


@pytest.mark.parametrize("place", [f"{KETTLE}#2", "Copper kettle#2", "2"])
def test_the_screen_opens_at_a_place(place: str, store: Path, started: Started) -> None:
    assert main(["--db", str(store), place]) == 0
    assert started.anchor == Anchor(KETTLE, 2)


def test_the_screen_opens_at_a_place_in_one_of_several_stores(store: Path, started: Started, tmp_path: Path) -> None:
    copy = tmp_path / "copy.db"
    copy.write_bytes(store.read_bytes())
    assert main(["--db", str(store), "--db", str(copy), f"copy/{KETTLE}#2"]) == 0
    assert list(started.stores.libraries) == ["home", "copy"]
    assert started.anchor == Anchor(KETTLE, 2, "copy")
    assert started.listed is not None
    assert len(started.listed.rows) == 8


def test_a_session_that_is_called_like_a_verb_can_be_opened(store: Path, started: Started) -> None:
    with Library.open(store) as library:
        assert library.resolve(KETTLE)
    rename(store, "search")
    assert main(["--db", str(store), "--", "search"]) == 0
    assert started.anchor == Anchor(KETTLE)


def rename(store: Path, title: str) -> None:
    """Give the first session another title."""
    import sqlite3

    connection = sqlite3.connect(store)
    connection.execute("UPDATE sessions SET title = ? WHERE id = ?", (title, KETTLE))
    connection.commit()
    connection.close()


def test_a_place_that_is_not_there_opens_nothing(
    store: Path, started: Started, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["--db", str(store), "serach"]) == 1
    assert started.listed is None
    assert "serach" in capsys.readouterr().err


def test_the_store_is_closed_when_the_screen_is(store: Path, started: Started) -> None:
    main(["--db", str(store)])
    from hermes_tui.library import Cancelled

    with pytest.raises(Cancelled):
        started.stores.sessions()


def test_a_list_that_fails_is_the_screens_to_tell(
    store: Path, monkeypatch: pytest.MonkeyPatch, started: Started
) -> None:
    """The first list is read on a thread: what goes wrong there must not be lost, nor end the program."""

    def fail(self: Library) -> SessionList:
        raise RuntimeError("a gear is loose")

    monkeypatch.setattr(Library, "sessions", fail)
    assert main(["--db", str(store)]) == 1  # the stand-in asks for the result, as the screen does


def test_the_list_is_being_read_before_the_screen_is_imported(store: Path, run: Run) -> None:
    """In a process of its own: importing the screen waits for the list to have begun, or this never ends."""
    script = f"""
import sys, threading
from hermes_tui.cli import browser, main
from hermes_tui.library import Library
begun = threading.Event()
read = Library.sessions
def sessions(self, **how):
    begun.set()
    return read(self, **how)
Library.sessions = sessions
browser._terminal = lambda: True
class Gate:
    def find_spec(self, name, path=None, target=None):
        if name == "textual" or name.startswith("hermes_tui.tui"):
            assert begun.wait(30), "the list was not being read when the screen was imported"
            print("imported after", flush=True)
            raise SystemExit(7)
sys.meta_path.insert(0, Gate())
assert not [name for name in sys.modules if name.startswith("textual")]
raise SystemExit(main(["--db", {str(store)!r}]))
"""
    done = subprocess.run(
        [sys.executable, "-c", script],
        env=environment(store.parent, {}),
        capture_output=True,
        timeout=WAIT,
        check=False,
    )
    assert (done.returncode, done.stdout) == (7, b"imported after\n"), done.stderr


def test_the_demo_writes_to_a_private_folder_and_removes_it(
    started: Started, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    assert main(["demo", "#1"]) == 0
    assert started.anchor is not None
    assert started.anchor.message_id == 1
    assert started.listed is not None
    assert len(started.listed.rows) > 20
    assert started.stores.first.path.parent.parent == tmp_path
    assert list(tmp_path.iterdir()) == []


def test_searches_are_remembered_across_runs_unless_told_otherwise(
    started: Started, store: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    assert main(["--db", str(store), "--no-history"]) == 0
    assert started.remembered == []
    assert not (tmp_path / "state").exists()
    assert main(["--db", str(store)]) == 0
    assert started.remembered == ["kettle"]
    assert list((tmp_path / "state").rglob("history.jsonl"))
    assert "kettle" not in {child.name for child in store.parent.iterdir()}


def test_the_demo_can_be_kept_for_the_other_verbs(tmp_path: Path, run: Run) -> None:
    path = tmp_path / "sample.db"
    done = run("demo", "--keep", str(path))
    assert (done.returncode, done.stdout) == (0, b"")
    assert json.loads(run("--db", str(path), "sessions", "--json").stdout)["sessions"]
    again = run("demo", "--keep", str(path))
    assert again.returncode == 2
    assert str(path).encode() in again.stderr
    nowhere = run("demo", "--keep", str(tmp_path / "no" / "sample.db"))
    assert nowhere.returncode == 2
    assert not (tmp_path / "no").exists()


Screen = Callable[..., tuple["subprocess.Popen[bytes]", int]]


@pytest.fixture
def screen(tmp_path: Path) -> Iterator[Screen]:
    """Start the program on a terminal of its own: the process and the terminal's other side."""
    pty = pytest.importorskip("pty", reason="needs pseudo terminals")
    started: list[tuple[subprocess.Popen[bytes], int]] = []

    def start(*words: str, temporary: Path) -> tuple[subprocess.Popen[bytes], int]:
        owner, child = pty.openpty()
        env = environment(
            tmp_path, {"TERM": "xterm-256color", "COLUMNS": "100", "LINES": "30", "TMPDIR": str(temporary)}
        )
        process = subprocess.Popen(
            command(*words), env=env, stdin=child, stdout=child, stderr=child, start_new_session=True
        )
        os.close(child)
        started.append((process, owner))
        return process, owner

    yield start
    for process, owner in started:
        if process.poll() is None:
            process.kill()
            process.wait(WAIT)
        os.close(owner)


def paint(owner: int, until: str) -> str:
    """What the terminal shows, read until a text is there."""
    painted = b""
    while until not in (text := re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", painted.decode("utf-8", "replace"))):
        assert select.select([owner], [], [], WAIT)[0], f"nothing more came: {text[-500:]}"
        painted += os.read(owner, 65536)
    return text


@pytest.mark.parametrize("ending", ["q", "SIGHUP"])
def test_the_demo_leaves_nothing_behind_however_it_ends(ending: str, screen: Screen, tmp_path: Path) -> None:
    temporary = tmp_path / "tmp"
    temporary.mkdir()
    process, owner = screen("demo", temporary=temporary)
    paint(owner, "38 conversations")
    (folder,) = temporary.iterdir()
    assert folder.stat().st_mode & 0o077 == 0, "others may not look into it"
    if ending == "q":
        os.write(owner, b"q")
    else:
        process.send_signal(getattr(signal, ending))
    painted = drain(owner)
    code: Any = process.wait(WAIT)
    assert code == (0 if ending == "q" else 128 + getattr(signal, ending)), painted[-500:]
    assert list(temporary.iterdir()) == []


def test_a_private_copy_goes_when_the_terminal_is_closed(screen: Screen, tmp_path: Path) -> None:
    temporary = tmp_path / "tmp"
    temporary.mkdir()
    store = tmp_path / "store" / "state.db"
    store.parent.mkdir()
    with Recorder(tmp_path / "writer.db") as recorder:
        recorder.append(recorder.create_session("cli", title="still in the log"), "user", "hello")
        for suffix in ("", "-wal"):  # without the -shm it cannot be read in place and leave nothing
            shutil.copy(f"{recorder.path}{suffix}", f"{store}{suffix}")
    process, owner = screen("--db", str(store), temporary=temporary)
    paint(owner, "still in the log")
    assert list(temporary.iterdir()), "a copy is read"
    process.send_signal(signal.SIGHUP)
    drain(owner)
    process.wait(WAIT)
    assert list(temporary.iterdir()) == []


def drain(owner: int) -> str:
    """What a program paints until it is gone; read all of it, so that it never waits for its terminal."""
    painted = b""
    while True:
        try:
            more = os.read(owner, 65536)
        except OSError:
            more = b""
        if not more:
            return painted.decode("utf-8", "replace")
        painted += more
