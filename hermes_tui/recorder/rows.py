"""Rows of `sessions` and `messages` inside one transaction: inserted, copied, counted.

Writes only columns the file has, so that files of older releases can be recorded into as well.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from hermes_tui.recorder.errors import RecorderError
from hermes_tui.recorder.fields import display_identity

LINEAGE_MARKS = ("_branched_from", "_reset_from", "_delegate_from")


@dataclass(frozen=True, slots=True)
class Columns:
    """Which columns and tables of the schema are in the file."""

    sessions: frozenset[str]
    messages: frozenset[str]
    tables: frozenset[str]


class Rows:
    """The two tables as seen by one transaction. `now` is its time in Unix seconds, `uid` makes message uids."""

    def __init__(self, connection: sqlite3.Connection, columns: Columns, now: float, uid: Callable[[], str]) -> None:
        self.connection = connection
        self.columns = columns
        self.now = now
        self._uid = uid

    # sessions

    def session(self, session_id: str) -> dict[str, Any]:
        """The stored row by column name, without decoding. Raises `RecorderError` when there is none."""
        cursor = self.connection.execute("SELECT * FROM sessions WHERE id = ?", (session_id,))
        row = cursor.fetchone()
        if row is None:
            raise RecorderError(f"There is no session {session_id!r} in this store.")
        return dict(zip((column[0] for column in cursor.description), row, strict=True))

    def add_session(self, session_id: str, source: str, values: Mapping[str, Any]) -> None:
        """Insert a session that starts now unless `values` say otherwise."""
        row = {"started_at": self.now, "created_source": source, **values, "id": session_id, "source": source}
        try:
            self._insert("sessions", row)
        except sqlite3.IntegrityError as error:
            raise RecorderError(f"Cannot create the session {session_id!r}: {error}.") from error

    def set_session(self, session_id: str, values: Mapping[str, Any]) -> None:
        """Change columns of a session. Raises `RecorderError` when there is no such session."""
        row = {name: value for name, value in values.items() if name in self.columns.sessions}
        if not row:
            self.session(session_id)
            return
        changes = ", ".join(f"{name} = ?" for name in row)
        changed = self.connection.execute(f"UPDATE sessions SET {changes} WHERE id = ?", (*row.values(), session_id))
        if changed.rowcount == 0:
            raise RecorderError(f"There is no session {session_id!r} in this store.")

    def add_child(self, parent_id: str, child_id: str, source: str, values: Mapping[str, Any]) -> None:
        """Insert a session under a parent; `values` come on top of where and how the parent works."""
        parent = self.session(parent_id)
        inherited = ("cwd", "git_branch", "git_repo_root", "profile_name", "model")
        own = {name: value for name, value in values.items() if value is not None}
        self.add_session(
            child_id,
            source,
            {**{name: parent.get(name) for name in inherited}, **own, "parent_session_id": parent_id},
        )

    def require_column(self, table: str, name: str, purpose: str) -> None:
        """Raise `RecorderError` when the file lacks a column that something cannot be done without."""
        if name not in getattr(self.columns, table):
            raise RecorderError(f"This file's layout has no column {table}.{name}, so it cannot {purpose}.")

    def conversation(self, session_id: str) -> list[str]:
        """The ids of the compression chain that holds the session, oldest first."""
        chain = [session_id]
        while (parent := self._continued_from(chain[0])) is not None and parent not in chain:
            chain.insert(0, parent)
        while (child := self._continued_by(chain[-1])) is not None and child not in chain:
            chain.append(child)
        return chain

    def prompt_values(self, prompt: str | None) -> dict[str, Any]:
        """The session columns that hold a system prompt: shared by hash where the file can, else in the row."""
        if "system_prompts" not in self.columns.tables or "system_prompt_hash" not in self.columns.sessions:
            return {"system_prompt": prompt}
        if prompt is None:
            return {"system_prompt": None, "system_prompt_hash": None}
        digest = hashlib.sha256(prompt.encode()).hexdigest()
        self.connection.execute("INSERT OR IGNORE INTO system_prompts (hash, prompt) VALUES (?, ?)", (digest, prompt))
        return {"system_prompt": None, "system_prompt_hash": digest}

    def drop_unused_prompts(self) -> None:
        """Delete stored prompts that no session names any more."""
        if "system_prompts" in self.columns.tables:
            holders = [name for name in ("system_prompt_hash", "tool_names") if name in self.columns.sessions]
            used = " UNION ".join(f"SELECT {name} FROM sessions WHERE {name} IS NOT NULL" for name in holders)
            self.connection.execute(f"DELETE FROM system_prompts WHERE hash NOT IN ({used})")

    # messages

    def add_message(self, session_id: str, values: Mapping[str, Any]) -> int:
        """Insert a live row and return its id. `values` are column values; counters are the caller's."""
        row = {"timestamp": None, "content": None, **values, "session_id": session_id}
        if row["timestamp"] is None:
            row["timestamp"] = self.now
        if "message_uid" in self.columns.messages:
            row.setdefault("message_uid", self._uid())
            row["display_identity"] = _identity(row)
        return self._insert("messages", row)

    def copy_messages(self, ids: Iterable[int], session_id: str) -> list[int]:
        """Insert live copies of rows, in the order of `ids`, with every column but those of place and state."""
        places = {"id", "session_id", "active", "compacted", "display_order"}
        names = ", ".join(sorted(self.columns.messages - places))
        return [
            _row_id(
                self.connection.execute(
                    f"INSERT INTO messages (session_id, {names}) SELECT ?, {names} FROM messages WHERE id = ?",
                    (session_id, message_id),
                )
            )
            for message_id in ids
        ]

    def message(self, message_id: int) -> dict[str, Any]:
        """The stored row by column name, without decoding. Raises `RecorderError` when there is none."""
        cursor = self.connection.execute("SELECT * FROM messages WHERE id = ?", (message_id,))
        row = cursor.fetchone()
        if row is None:
            raise RecorderError(f"There is no message {message_id} in this store.")
        return dict(zip((column[0] for column in cursor.description), row, strict=True))

    def set_message(self, message_id: int, values: Mapping[str, Any]) -> None:
        """Change columns of a message and what is derived from them."""
        row = {name: value for name, value in values.items() if name in self.columns.messages}
        if row:
            changes = ", ".join(f"{name} = ?" for name in row)
            self.connection.execute(f"UPDATE messages SET {changes} WHERE id = ?", (*row.values(), message_id))
        if "display_identity" in self.columns.messages:
            self._restore_identities(self.message(message_id)["session_id"])

    def live_ids(self, session_id: str) -> list[int]:
        """The ids of the rows the model still sees, in reading order."""
        where = " AND active IS NOT 0" if "active" in self.columns.messages else ""
        found = self.connection.execute(
            f"SELECT id FROM messages WHERE session_id = ?{where} ORDER BY id", (session_id,)
        )
        return [message_id for (message_id,) in found]

    def set_state(self, ids: Sequence[int], *, active: int, compacted: int) -> None:
        """Mark rows live, summarised away (0, 1) or taken back (0, 0)."""
        self.connection.executemany(
            "UPDATE messages SET active = ?, compacted = ? WHERE id = ?",
            [(active, compacted, message_id) for message_id in ids],
        )

    def count(self, session_id: str, *, messages: int, tool_calls: int, at: float | None = None) -> None:
        """Add to a session's counters; `at` is when the newest of the messages was said.

        Raises `RecorderError` when there is no such session or when it was split and goes on elsewhere.
        """
        activity = ""
        parameters: list[Any] = [messages, tool_calls]
        if at is not None and "last_activity_at" in self.columns.sessions:
            activity = ", last_activity_at = MAX(COALESCE(last_activity_at, 0), ?)"
            parameters.append(at)
        changed = self.connection.execute(
            "UPDATE sessions SET message_count = message_count + ?, tool_call_count = tool_call_count + ?"
            f"{activity} WHERE id = ? AND end_reason IS NOT 'compression'",
            (*parameters, session_id),
        )
        if changed.rowcount == 0:
            self.session(session_id)
            raise RecorderError(
                f"The session {session_id!r} was split; it goes on as {self.conversation(session_id)[-1]!r}."
            )

    def recount(self, session_id: str) -> None:
        """Set a session's counters to what its live rows hold."""
        ids = self.live_ids(session_id)
        calls = 0
        for (stored,) in self.connection.execute(
            "SELECT tool_calls FROM messages WHERE session_id = ? AND tool_calls IS NOT NULL"
            + (" AND active IS NOT 0" if "active" in self.columns.messages else ""),
            (session_id,),
        ):
            calls += call_count(stored)
        self.set_session(session_id, {"message_count": len(ids), "tool_call_count": calls})

    def _restore_identities(self, session_id: str) -> None:
        """Give visible rows their identity and order again; a trigger takes both from a changed row and its twins."""
        bare = self.connection.execute(
            "SELECT id FROM messages WHERE session_id = ? AND (display_order IS NULL OR display_identity IS NULL)"
            " AND (active = 1 OR compacted = 1) ORDER BY id",
            (session_id,),
        ).fetchall()
        for (message_id,) in bare:
            identity = _identity(self.message(message_id))
            self.connection.execute(
                "UPDATE messages SET display_identity = ?, display_order = COALESCE(("
                " SELECT MIN(twin.display_order) FROM messages AS twin WHERE twin.session_id = messages.session_id"
                " AND twin.display_identity = ? AND (twin.active = 1 OR twin.compacted = 1)), id) WHERE id = ?",
                (identity, identity, message_id),
            )

    def _insert(self, table: str, values: Mapping[str, Any]) -> int:
        row = {name: value for name, value in values.items() if name in getattr(self.columns, table)}
        places = ", ".join("?" * len(row))
        return _row_id(
            self.connection.execute(f"INSERT INTO {table} ({', '.join(row)}) VALUES ({places})", tuple(row.values()))
        )

    def _continued_from(self, session_id: str) -> str | None:
        row = self.session(session_id)
        parent_id = row["parent_session_id"]
        if parent_id is None or _mark(row["model_config"], parent_id):
            return None
        found = self.connection.execute(
            "SELECT 1 FROM sessions WHERE id = ? AND end_reason = 'compression'", (parent_id,)
        ).fetchone()
        return parent_id if found else None

    def _continued_by(self, session_id: str) -> str | None:
        if self.session(session_id)["end_reason"] != "compression":
            return None
        children = self.connection.execute(
            "SELECT id, model_config FROM sessions WHERE parent_session_id = ? AND source <> 'tool'"
            " ORDER BY ended_at IS NOT NULL, started_at DESC",
            (session_id,),
        )
        return next((child for child, config in children if not _mark(config, session_id)), None)


def marked_config(config: str | None, mark: str, parent_id: str) -> dict[str, str]:
    """The `model_config` value of a child that is not a continuation, without marks that speak of other sessions."""
    kept = {name: value for name, value in _config(config).items() if name not in LINEAGE_MARKS}
    return {"model_config": json.dumps({**kept, mark: parent_id})}


def unmarked_config(config: str | None) -> dict[str, str | None]:
    """The `model_config` value of a continuation."""
    kept = {name: value for name, value in _config(config).items() if name not in LINEAGE_MARKS}
    return {"model_config": json.dumps(kept) if kept else None}


def call_count(stored: str | None) -> int:
    """How many tool calls a stored `tool_calls` cell holds."""
    try:
        calls = json.loads(stored or "[]")
    except ValueError:
        return 0
    return len(calls) if isinstance(calls, list) else 1


def _config(stored: str | None) -> dict[str, Any]:
    try:
        config = json.loads(stored or "{}")
    except ValueError:
        return {}
    return config if isinstance(config, dict) else {}


def _mark(config: str | None, parent_id: str) -> bool:
    """Whether a session's own marks say that it is no continuation of this parent."""
    return any(_config(config).get(mark) == parent_id for mark in LINEAGE_MARKS)


def _identity(row: Mapping[str, Any]) -> bytes:
    names = ("tool_call_id", "tool_calls", "tool_name")
    return display_identity({**dict.fromkeys(names), **row, "timestamp": float(row["timestamp"])})


def _row_id(cursor: sqlite3.Cursor) -> int:
    assert cursor.lastrowid is not None  # an INSERT into a rowid table always has one
    return cursor.lastrowid
