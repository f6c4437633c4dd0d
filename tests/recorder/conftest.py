"""Stores in every layout, and a plain SQLite connection to look at what was written."""

from __future__ import annotations

import random
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from hermes_tui.recorder import Layout, Recorder

NOON = 1_790_000_000.0
INDEXES = ("messages_fts", "messages_fts_trigram")


class Clock:
    """A clock that goes on one second each time it is asked."""

    def __init__(self) -> None:
        self.now = NOON

    def __call__(self) -> float:
        self.now += 1.0
        return self.now


class Store:
    """A recorder and its file. `rows` asks the file through a connection of its own."""

    def __init__(self, recorder: Recorder) -> None:
        self.recorder = recorder
        self.path = recorder.path

    def rows(self, sql: str, *parameters: object) -> list[tuple[Any, ...]]:
        return look(self.path, sql, *parameters)

    def column(self, sql: str, *parameters: object) -> list[Any]:
        return [row[0] for row in self.rows(sql, *parameters)]

    def found(self, index: str, text: str) -> list[int]:
        """The ids of the messages an index finds for a quoted text."""
        return self.column(f"SELECT rowid FROM {index} WHERE {index} MATCH ? ORDER BY rowid", f'"{text}"')

    def states(self, session_id: str) -> dict[int, tuple[int, int]]:
        """(active, compacted) by message id."""
        sql = "SELECT id, active, compacted FROM messages WHERE session_id = ? ORDER BY id"
        return {row[0]: (row[1], row[2]) for row in self.rows(sql, session_id)}

    def assert_indexes_agree(self) -> None:
        """SQLite's own check that each index holds exactly what the messages say."""
        with closing(sqlite3.connect(self.path, isolation_level=None)) as connection:
            for index in INDEXES:
                connection.execute(f"INSERT INTO {index}({index}, rank) VALUES ('integrity-check', 1)")


def look(path: Path, sql: str, *parameters: object) -> list[tuple[Any, ...]]:
    with closing(sqlite3.connect(path)) as connection:
        return connection.execute(sql, parameters).fetchall()


def call(call_id: str, name: str = "terminal", arguments: str = "{}") -> dict[str, Any]:
    return {"id": call_id, "type": "function", "function": {"name": name, "arguments": arguments}}


OpenStore = Callable[..., Store]


@pytest.fixture
def open_store(tmp_path: Path) -> Iterator[OpenStore]:
    """Opens stores under tmp_path; closes them when the test is over."""
    opened: list[Recorder] = []

    def opener(layout: Layout = Layout.VIEWS, name: str = "state.db", **options: Any) -> Store:
        options.setdefault("clock", Clock())
        options.setdefault("randomness", random.Random(1))
        opened.append(Recorder(tmp_path / name, layout=layout, **options))
        return Store(opened[-1])

    yield opener
    for recorder in opened:
        recorder.close()


@pytest.fixture(params=list(Layout), ids=str)
def store(request: pytest.FixtureRequest, open_store: OpenStore) -> Store:
    """An empty store in each layout."""
    return open_store(request.param)
