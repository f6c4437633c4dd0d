"""Stores as the recorder keeps them, what other programs do to them, and what is detected of them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from hermes_tui.model import Capabilities, Index
from hermes_tui.recorder import Layout as Written
from hermes_tui.recorder import Recorder, StorageSettings
from hermes_tui.store.connection import Connection
from hermes_tui.store.schema import detect
from tests.store.conftest import open_writer

Opener = Callable[[Path], Connection]

TABLES = ("messages_fts", "messages_fts_trigram")


def record(
    path: Path, layout: Written = Written.VIEWS, *, rows: int = 40, settings: StorageSettings | None = None
) -> None:
    """A store with typed, tool, cron and odd messages, as the recorder keeps it."""
    with Recorder(path, layout=layout, settings=settings) as recorder:
        session = recorder.create_session("cli")
        cron = recorder.create_session("cron")
        delegate = recorder.delegate(session)
        for n in range(rows // 4):
            recorder.append(session, "user", f"please weigh kettle{n} and report")
            recorder.append(session, "tool", f'{{"output": "kettle{n} weighs {n}"}}', tool_name="scales")
            recorder.append(cron, "assistant", f"nightly kettle{n} done")
            recorder.append(delegate, "assistant", f"delegated kettle{n} done")


def run(path: Path, *statements: str) -> None:
    """What another program does to the file."""
    agent = open_writer(path)
    for statement in statements:
        agent.execute(statement)
    agent.close()


def grow(path: Path, rows: int) -> None:
    """Many more messages typed by a person, in one transaction."""
    numbers = f"WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < {rows})"
    run(
        path,
        f"{numbers} INSERT INTO messages (session_id, role, content, timestamp) "
        "SELECT m.session_id, 'user', 'kettle number unique' || x, 0 FROM n, messages m WHERE m.id = 1",
    )


def detected(opened: Opener, path: Path) -> Capabilities:
    return detect(opened(path))


def index(capabilities: Capabilities, table: str) -> Index:
    found = capabilities.word if table == "messages_fts" else capabilities.trigram
    assert found is not None
    assert found.table == table
    return found
