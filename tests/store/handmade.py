"""Small store files with exactly the columns and cells a test names."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from hermes_tui.model import Capabilities
from hermes_tui.store.connection import Connection, connect, look
from hermes_tui.store.schema import detect

DAY = 1_780_000_000.0  # some day, in Unix seconds

SESSION = {
    "id": "TEXT PRIMARY KEY",
    "source": "TEXT",
    "model": "TEXT",
    "model_config": "TEXT",
    "session_key": "TEXT",
    "parent_session_id": "TEXT",
    "started_at": "REAL",
    "ended_at": "REAL",
    "end_reason": "TEXT",
    "input_tokens": "INTEGER",
    "output_tokens": "INTEGER",
    "estimated_cost_usd": "REAL",
    "actual_cost_usd": "REAL",
    "title": "TEXT",
    "cwd": "TEXT",
    "archived": "INTEGER NOT NULL DEFAULT 0",
    "last_activity_at": "REAL",
    "pinned": "INTEGER NOT NULL DEFAULT 0",
    "hidden": "INTEGER NOT NULL DEFAULT 0",
    "git_branch": "TEXT",
    "git_repo_root": "TEXT",
    "last_read_at": "REAL",
}
MESSAGE = {
    "id": "INTEGER PRIMARY KEY AUTOINCREMENT",
    "session_id": "TEXT NOT NULL",
    "role": "TEXT NOT NULL",
    "content": "TEXT",
    "tool_call_id": "TEXT",
    "tool_calls": "TEXT",
    "tool_name": "TEXT",
    "timestamp": "REAL",
    "token_count": "INTEGER",
    "finish_reason": "TEXT",
    "reasoning": "TEXT",
    "reasoning_content": "TEXT",
    "reasoning_details": "TEXT",
    "codex_reasoning_items": "TEXT",
    "codex_message_items": "TEXT",
    "observed": "INTEGER DEFAULT 0",
    "active": "INTEGER DEFAULT 1",
    "compacted": "INTEGER DEFAULT 0",
    "display_kind": "TEXT",
    "display_metadata": "TEXT",
    "_compressed_summary": "INTEGER",
}
# What files of the first release and of some later ones lack.
OLD_SESSION = (
    "cwd",
    "archived",
    "session_key",
    "last_activity_at",
    "pinned",
    "hidden",
    "git_branch",
    "git_repo_root",
    "last_read_at",
)
OLD_MESSAGE = ("observed", "active", "compacted", "display_kind", "display_metadata", "_compressed_summary")
BARE_SESSION = (*(name for name in SESSION if name not in ("id", "source", "started_at")),)
BARE_MESSAGE = (*(name for name in MESSAGE if name not in ("id", "session_id", "role", "content", "timestamp")),)
INDEXES = {
    "old": ["messages(session_id, timestamp)", "sessions(parent_session_id)"],
    "new": [
        "messages(session_id, timestamp)",
        "messages(session_id, id)",
        "messages(session_id, active, timestamp)",
        "sessions(parent_session_id)",
    ],
    "none": [],
}

# The newest columns, the oldest, and a file without any index.
SHAPES: dict[str, dict[str, Any]] = {
    "newest": {"indexes": "new"},
    "oldest": {"indexes": "old", "without": (*OLD_SESSION, *OLD_MESSAGE)},
    "unindexed": {"indexes": "none"},
}


@dataclass
class Store:
    """A file being made. Cells for columns it lacks are dropped, so that one test can be run on several shapes."""

    path: Path
    without: Sequence[str] = ()  # columns left out, of both tables
    indexes: str = "old"
    strays: dict[str, str] = field(default_factory=dict)  # other declarations: column -> type

    def __post_init__(self) -> None:
        self._writer = sqlite3.connect(self.path)
        self._columns: dict[str, list[str]] = {}
        for table, declared in (("sessions", SESSION), ("messages", MESSAGE)):
            columns = {
                name: self.strays.get(name, kind)
                for name, kind in declared.items()
                if name not in self.without or name in ("id", "source")
            }
            self._columns[table] = list(columns)
            body = ", ".join(f"{name} {kind}" for name, kind in columns.items())
            self._writer.execute(f"CREATE TABLE {table} ({body})")
        for number, place in enumerate(INDEXES[self.indexes]):
            table, _, named = place.rstrip(")").partition("(")
            if set(named.split(", ")) <= set(self._columns[table]):
                self._writer.execute(f"CREATE INDEX index_{number} ON {place}")
        self._writer.execute("CREATE TABLE state_meta (key TEXT PRIMARY KEY, value TEXT)")
        self._clock = DAY

    def session(self, key: str, **cells: Any) -> str:
        """A session row; a `config` is stored as JSON in model_config."""
        if "config" in cells:
            cells["model_config"] = json.dumps(cells.pop("config"))
        self._insert("sessions", {"id": key, "source": "cli", "started_at": DAY, **cells})
        return key

    def message(self, session: str, content: Any = None, role: str = "user", **cells: Any) -> int:
        """A message row, a second later than the last one unless it says when."""
        self._clock += 1
        return self._insert(
            "messages", {"session_id": session, "role": role, "content": content, "timestamp": self._clock, **cells}
        )

    def run(self, sql: str, *params: Any) -> None:
        """Any other change."""
        self._writer.execute(sql, params)

    def _insert(self, table: str, cells: dict[str, Any]) -> int:
        held = {name: value for name, value in cells.items() if name in self._columns[table]}
        marks = ", ".join("?" * len(held))
        found = self._writer.execute(f"INSERT INTO {table} ({', '.join(held)}) VALUES ({marks})", tuple(held.values()))
        return found.lastrowid or 0

    def open(self) -> tuple[Connection, Capabilities]:
        """The finished file, opened by the reading side."""
        self._writer.commit()
        self._writer.close()
        connection = connect(look(self.path))
        return connection, detect(connection)
