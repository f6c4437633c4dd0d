"""How SQLite goes about the statements that a question runs."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Sequence
from contextlib import closing
from typing import Any

import pytest

from hermes_tui.store.connection import Connection


def plans(connection: Connection, ask: Callable[[], object], patch: pytest.MonkeyPatch) -> list[str]:
    """Each step of the plan of each statement that `ask` runs on the connection, once."""
    asked: dict[str, Sequence[Any]] = {}
    rows = connection.rows

    def watched(sql: str, params: Sequence[Any] = (), **how: Any) -> list[tuple[Any, ...]]:
        asked[sql] = params
        return rows(sql, params, **how)

    with patch.context() as patched:
        patched.setattr(connection, "rows", watched)
        ask()
    assert asked, "the question ran no statement"
    with closing(sqlite3.connect(connection.path)) as other:
        return [
            str(step[3])
            for sql, params in asked.items()
            if not sql.startswith("PRAGMA")
            for step in other.execute(f"EXPLAIN QUERY PLAN {sql}", tuple(params))
        ]


def scans(steps: Sequence[str], table: str, *alias: str) -> list[str]:
    """The steps that walk all of a table rather than seek in it or read an index alone."""
    names = {f"SCAN {name}" for name in (table, *alias)}
    return [step for step in steps if any(step == name or step.startswith(f"{name} USING INDEX") for name in names)]
