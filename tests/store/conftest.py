"""Store files in every state an agent can leave them in, and a way to act as somebody without rights."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from hermes_tui.recorder import Layout
from hermes_tui.store.connection import Connection, Ticket, connect, look

TABLES = """
CREATE TABLE sessions (id TEXT PRIMARY KEY, source TEXT NOT NULL, started_at REAL NOT NULL);
CREATE TABLE messages (
  id INTEGER PRIMARY KEY AUTOINCREMENT, session_id TEXT NOT NULL, role TEXT NOT NULL, content TEXT, timestamp REAL
);
INSERT INTO sessions VALUES ('s1', 'cli', 1780000000.0);
"""
ADD = "INSERT INTO messages (session_id, role, content, timestamp) VALUES ('s1', 'user', ?, 1780000000.0)"
TEXTS = "SELECT content FROM messages ORDER BY id"
NOBODY = 65534
COUNT_TO = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < {}) SELECT count(*) FROM n"
ENDLESS = COUNT_TO.format(10**12)
LONG = COUNT_TO.format(100_000)

Listing = dict[str, tuple[str, int, int]]


class Around(Ticket):
    """A ticket that does something right before or right after each statement that runs under it."""

    def __init__(self, before: Callable[[], object] = lambda: None, after: Callable[[], object] = lambda: None) -> None:
        super().__init__()
        self._before = before
        self._after = after

    @contextmanager
    def running(self, stop: Callable[[], None]) -> Iterator[None]:
        with super().running(stop):
            self._before()
            yield
            self._after()


def write(path: Path, *texts: str, journal: str = "wal") -> None:
    """A store with these messages, written and closed as an agent does."""
    writer = open_writer(path, journal=journal)
    if not writer.execute("SELECT 1 FROM sqlite_master").fetchall():
        writer.executescript(TABLES)
    for text in texts:
        writer.execute(ADD, (text,))
    writer.close()


def open_writer(path: Path, *, journal: str | None = None) -> sqlite3.Connection:
    """An agent that has the store open: every statement is a commit unless it begins a transaction."""
    writer = sqlite3.connect(path, isolation_level=None, check_same_thread=False, timeout=0)
    if journal is not None:
        writer.execute(f"PRAGMA journal_mode = {journal}")
    writer.execute("PRAGMA synchronous = OFF")
    return writer


def texts(connection: Connection, **how: Any) -> list[str]:
    """All message texts, through the connection under test."""
    return [row[0] for row in connection.rows(TEXTS, **how)]


def read(path: Path) -> list[Any]:
    """Open, read, close: the rung, the messages, the badge."""
    with connect(look(path)) as connection:
        return [connection.opened, texts(connection), connection.badge]


def listing(folder: Path) -> Listing:
    """Every file below a folder: its bytes (as a hash), its time, its mode."""
    return {
        str(path.relative_to(folder)): (
            hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else "folder",
            path.lstat().st_mtime_ns if path.is_file() else 0,
            path.lstat().st_mode,
        )
        for path in sorted(folder.rglob("*"))
    }


def killed(path: Path, script: str) -> None:
    """Run a writer in a process of its own that dies without closing the store. `db` is its connection."""
    head = "import os, sqlite3, sys; db = sqlite3.connect(sys.argv[1], isolation_level=None)\n"
    subprocess.run([sys.executable, "-c", f"{head}{script}\nos._exit(0)", str(path)], check=True)


def killed_in_wal(path: Path, *more: str) -> None:
    """Commit messages in WAL mode and die: they are in the log only, which stays with its shared memory."""
    adds = "\n".join(f"db.execute({ADD!r}, ({text!r},))" for text in more)
    killed(path, f"db.execute('PRAGMA journal_mode = wal'); db.execute('PRAGMA wal_autocheckpoint = 0')\n{adds}")


def killed_in_save(path: Path) -> None:
    """Die in rollback-journal mode after half a transaction has reached the file: the journal is hot."""
    killed(
        path,
        "db.execute('PRAGMA journal_mode = delete'); db.execute('PRAGMA cache_size = 4'); db.execute('BEGIN')\n"
        f"for n in range(400): db.execute({ADD!r}, (str(n) + 'half' * 500,))\n"
        "db.execute('UPDATE messages SET content = ?', ('torn' * 500,))",
    )


def make_quiet(path: Path) -> None:
    """Let the file look as if it was last written a minute ago, so that its time can be relied on."""
    then = path.stat().st_mtime_ns - 60_000_000_000
    os.utime(path, ns=(then, then))


@pytest.fixture
def store(tmp_path: Path) -> Path:
    """The path of a store in a folder of its own; nothing is there yet."""
    folder = tmp_path / "home"
    folder.mkdir()
    return folder / "state.db"


@pytest.fixture(params=list(Layout), ids=lambda layout: layout.value)
def layout(request: pytest.FixtureRequest) -> Layout:
    """Each layout the recorder writes."""
    found: Layout = request.param
    return found


@pytest.fixture
def opened() -> Iterator[Callable[[Path], Connection]]:
    """Look at a store and connect; closed at the end of the test."""
    connections: list[Connection] = []

    def open_it(path: Path) -> Connection:
        connections.append(connect(look(path)))
        return connections[-1]

    yield open_it
    for connection in connections:
        connection.close()


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An own folder for temporary files, to see what is put there and what stays."""
    folder = tmp_path / "tmp"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


@pytest.fixture
def public() -> Iterator[Path]:
    """A folder that other users can reach, which pytest's own folders are not."""
    folder = Path(tempfile.mkdtemp(prefix="hermes-tui-test-"))
    folder.chmod(0o755)
    yield folder
    for path in [folder, *folder.rglob("*")]:
        path.chmod(0o755)
    shutil.rmtree(folder)


@pytest.fixture
def powerless() -> Callable[[Callable[[], Any]], Any]:
    """Run a function in a child process without the right to write, and bring back what it returns, by JSON.

    Root may write anywhere, so the child of root becomes nobody. An exception comes back as its class and text.
    """
    if not hasattr(os, "fork"):
        pytest.skip("needs fork to take rights away")
    return _run_powerless


def _run_powerless(function: Callable[[], Any]) -> Any:
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            if os.getuid() == 0:
                os.setgid(NOBODY)
                os.setuid(NOBODY)
            try:
                answer = function()
            except Exception as error:
                answer = [type(error).__name__, str(error)]
            os.write(writing, json.dumps(answer).encode())
        finally:
            os._exit(0)
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        answer = pipe.read()
    os.waitpid(child, 0)
    return json.loads(answer)
