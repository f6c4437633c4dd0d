"""The recorder: a session store that any agent can write, readable by Hermes Agent and by this browser."""

from __future__ import annotations

import random
import sqlite3
import time
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TypeVar, Unpack

from hermes_tui.recorder import index, lineage
from hermes_tui.recorder.database import Database
from hermes_tui.recorder.errors import RecorderError
from hermes_tui.recorder.fields import (
    Content,
    MessageChanges,
    MessageFields,
    NewMessage,
    SessionFields,
    clean_title,
    decode_content,
    message_values,
    session_values,
    without_surrogates,
)
from hermes_tui.recorder.layout import Layout, create_tables, detect_layout, table_columns
from hermes_tui.recorder.rows import Columns, Rows, call_count
from hermes_tui.recorder.settings import StorageSettings
from hermes_tui.recorder.usage import Usage, add_usage

T = TypeVar("T")

REBUILD_ROWS = 1000  # how many ids one transaction of a rebuild indexes


class Recorder:
    """One store file, opened for writing.

    Every method is one transaction: when it returns, what it wrote is in the file and survives the death of this
    process. Methods may be called from any thread; other processes may write the same file at the same time.
    Anything that goes wrong is a `RecorderError` (`RecorderBusyError` when another writer would not let go).
    """

    path: Path
    layout: Layout  # of the file, which may have been there before

    def __init__(
        self,
        path: str | Path | None = None,
        *,
        settings: StorageSettings | None = None,
        layout: Layout = Layout.VIEWS,
        clock: Callable[[], float] = time.time,
        randomness: random.Random | None = None,
        vfs: str | None = None,
    ) -> None:
        """Open the store at `path`, or at the settings' `db_path`; make it when nothing is there.

        `layout` shapes a new file; an existing one keeps its own. `clock` answers Unix seconds. `randomness` makes
        session ids and message uids, so a seeded one makes a run repeat. `vfs` names an SQLite file system, such as
        `unix-dotfile` for a network mount without working locks.
        """
        self.settings = settings or StorageSettings()
        place = path if path is not None else self.settings.db_path
        if place is None:
            raise RecorderError("Name the file of the store: a path, or db_path in the settings.")
        self.path = Path(place).expanduser()
        self._clock = clock
        self._random = randomness or random.SystemRandom()
        self._database = Database(self.path, self.settings, vfs=vfs)
        try:
            self._database.read(detect_layout)
            self._database.configure()
            self.layout = self._database.write(lambda connection: self._prepare(connection, layout))
            self._columns = self._database.read(_columns)
        except BaseException:
            self._database.close()
            raise

    @classmethod
    def configured(cls, settings_file: str | Path, *, layout: Layout = Layout.VIEWS) -> Self:
        """Open the store that the table `[hermes.storage]` of a TOML file describes."""
        return cls(settings=StorageSettings.load(Path(settings_file).expanduser()), layout=layout)

    @property
    def journal_mode(self) -> str:
        """The journal mode the file really uses."""
        return self._database.journal_mode

    @property
    def journal_note(self) -> str | None:
        """A sentence when the file would not take the journal mode that was asked for."""
        return self._database.journal_note

    @property
    def indexed(self) -> bool:
        """Whether both full-text indexes are there and kept up to date."""
        return self._database.read(index.present)

    def close(self) -> None:
        """Close the file; closing twice is fine."""
        self._database.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    # sessions

    def create_session(
        self,
        source: str,
        *,
        session_id: str | None = None,
        title: str | None = None,
        system_prompt: str | None = None,
        started_at: float | None = None,
        **fields: Unpack[SessionFields],
    ) -> str:
        """Start a session of a source ("cli", "telegram", "cron", any name) and return its id."""
        values = session_values(fields)
        name = clean_title(title)

        def work(rows: Rows) -> str:
            if started_at is not None:
                values["started_at"] = float(started_at)
            new_id = session_id or self._session_id(rows, values.get("started_at", rows.now))
            if name is not None:
                lineage.require_free_title(rows, name, new_id)
                values.update(title=name, title_source="user")
            if system_prompt is not None:
                values.update(rows.prompt_values(without_surrogates(system_prompt)))
            rows.add_session(new_id, source, values)
            return new_id

        return self._write(work)

    def update_session(self, session_id: str, **fields: Unpack[SessionFields]) -> None:
        """Change what a session says about itself."""
        values = session_values(fields)
        self._write(lambda rows: rows.set_session(session_id, values))

    def set_title(self, session_id: str, title: str | None) -> str | None:
        """Name a session, or clear its name; returns the title as cleaned. No two sessions have the same."""
        name = clean_title(title)

        def work(rows: Rows) -> str | None:
            if name is not None:
                lineage.require_free_title(rows, name, session_id)
            rows.set_session(session_id, {"title": name, "title_source": "user" if name else None})
            return name

        return self._write(work)

    def next_title(self, title: str) -> str:
        """The next free title of a series: `Taxes`, `Taxes #2`, `Taxes #3`."""
        return self._write(lambda rows: lineage.next_title(rows, title))

    def set_system_prompt(self, session_id: str, prompt: str | None) -> None:
        """Store the prompt the session runs under, in place of the one before."""

        def work(rows: Rows) -> None:
            text = None if prompt is None else without_surrogates(prompt)
            rows.set_session(session_id, rows.prompt_values(text))
            rows.drop_unused_prompts()

        self._write(work)

    def end_session(self, session_id: str, end_reason: str) -> bool:
        """Mark a session as ended now. The first reason stays: False when it had ended before."""
        return self._write(lambda rows: lineage.end(rows, session_id, end_reason))

    def reopen(self, session_id: str) -> None:
        """Take back the end of a session, so that it can go on."""
        self._write(lambda rows: rows.set_session(session_id, {"ended_at": None, "end_reason": None}))

    def archive(self, session_id: str, archived: bool = True) -> None:
        """Put a conversation away (or back); all sessions of its compression chain go with it."""
        self._flag(session_id, "archived", archived)

    def pin(self, session_id: str, pinned: bool = True) -> None:
        """Pin a conversation. Raises `RecorderError` in the INLINE layout, which knows no pins."""
        self._flag(session_id, "pinned", pinned)

    def hide(self, session_id: str, hidden: bool = True) -> None:
        """Keep a conversation out of lists. Raises `RecorderError` in the INLINE layout, which cannot."""
        self._flag(session_id, "hidden", hidden)

    def record_usage(self, session_id: str, usage: Usage) -> None:
        """Add what model calls used to the session and to its account of that model."""
        self._write(lambda rows: add_usage(rows, session_id, usage))

    def delete_session(self, session_id: str) -> None:
        """Delete a session, its messages and its sub-agents; other children stay, without a parent."""

        self._write(lambda rows: lineage.delete(rows, session_id))

    # messages

    def append(self, session_id: str, role: str, content: Content = None, **fields: Unpack[MessageFields]) -> int:
        """Append one message and return its id; it is in the file when this returns."""
        return self.append_many(session_id, [{"role": role, "content": content, **fields}])[0]

    def append_many(self, session_id: str, messages: Iterable[NewMessage]) -> list[int]:
        """Append messages in one transaction: all of them are in the file afterwards, or none. Returns their ids."""
        prepared = [message_values(message) for message in messages]

        def work(rows: Rows) -> list[int]:
            times = [rows.now if row.get("timestamp") is None else row["timestamp"] for row in prepared]
            rows.count(
                session_id,
                messages=len(prepared),
                tool_calls=sum(call_count(row.get("tool_calls")) for row in prepared),
                at=max(times, default=None),
            )
            return [rows.add_message(session_id, row) for row in prepared]

        return self._write(work)

    def update_message(self, message_id: int, **changes: Unpack[MessageChanges]) -> None:
        """Change fields of a message; the indexes follow."""
        values = message_values(changes)

        def work(rows: Rows) -> None:
            session_id = rows.message(message_id)["session_id"]
            rows.set_message(message_id, values)
            rows.recount(session_id)

        self._write(work)

    def delete_message(self, message_id: int) -> None:
        """Delete a message for good; the indexes follow."""

        def work(rows: Rows) -> None:
            session_id = rows.message(message_id)["session_id"]
            rows.connection.execute("DELETE FROM messages WHERE id = ?", (message_id,))
            rows.recount(session_id)

        self._write(work)

    # lineage

    def compact(self, session_id: str, summary: str, *, keep_last: int = 0) -> int:
        """Put a summary in the place of all live messages but the last few; returns the id of the summary message.

        Nothing is lost: the old messages stay in the file and can be searched. `keep_last` counts messages and grows
        where the kept ones would begin with a tool result.
        """
        return self._write(lambda rows: lineage.compact(rows, session_id, summary, keep_last))

    def split(self, session_id: str, summary: str, *, keep_last: int = 0) -> str:
        """Like `compact`, but the conversation goes on in a new session, whose id is returned."""
        return self._child(lambda rows, child: lineage.split(rows, session_id, child, summary, keep_last))

    def branch(self, session_id: str, *, title: str | None = None) -> str:
        """Start a session with a copy of the live transcript, to go another way from here; returns its id."""
        name = clean_title(title)

        def work(rows: Rows, child: str) -> None:
            if name is not None:
                lineage.require_free_title(rows, name, child)
            lineage.branch(rows, session_id, child, name)

        return self._child(work)

    def reset(self, session_id: str, *, reason: str = "session_reset") -> str:
        """End a session and start an empty one in the same chat; returns the id of the new one."""
        return self._child(lambda rows, child: lineage.reset(rows, session_id, child, reason))

    def delegate(self, session_id: str, **fields: Unpack[SessionFields]) -> str:
        """Start the session of a sub-agent that works for this one; returns its id."""
        values = session_values(fields)
        return self._child(lambda rows, child: lineage.delegate(rows, session_id, child, values))

    def rewind(self, session_id: str, to_message_id: int) -> int:
        """Take back a message of the user and all that followed; returns how many. They stay in the file, unseen."""
        return self._write(lambda rows: lineage.rewind(rows, session_id, to_message_id))

    # reading back what an agent needs to go on

    def session(self, session_id: str) -> dict[str, Any]:
        """The stored row of a session by column name, its system prompt resolved."""

        def work(connection: sqlite3.Connection) -> dict[str, Any]:
            row = self._rows(connection).session(session_id)
            if row.get("system_prompt_hash") is not None:
                (row["system_prompt"],) = connection.execute(
                    "SELECT prompt FROM system_prompts WHERE hash = ?", (row["system_prompt_hash"],)
                ).fetchone()
            return row

        return self._database.read(work)

    def live_messages(self, session_id: str) -> list[dict[str, Any]]:
        """The live messages of a session in reading order, by column name, their content decoded."""

        def work(connection: sqlite3.Connection) -> list[dict[str, Any]]:
            rows = self._rows(connection)
            messages = [rows.message(message_id) for message_id in rows.live_ids(session_id)]
            return [{**message, "content": decode_content(message["content"])} for message in messages]

        return self._database.read(work)

    # upkeep

    def rebuild_index(self, progress: Callable[[int, int], None] | None = None) -> None:
        """Make both full-text indexes anew from the messages, or finish a rebuild that was interrupted.

        Works in short transactions, so that others can write meanwhile, and can be interrupted at any time.
        `progress` is called with the ids done and the ids there are. (INLINE indexes are rebuilt in one go.)
        """
        rows = None if self.layout is Layout.INLINE else REBUILD_ROWS

        def begin(connection: sqlite3.Connection) -> None:
            unfinished = index.present(connection) and index.rebuild_pending(connection)
            if not unfinished or rows is None:
                index.begin_rebuild(connection, self.layout)
            if rows is None:
                index.rebuild_step(connection, self.layout, None)

        self._database.write(begin)
        while (state := self._database.write(lambda c: index.rebuild_step(c, self.layout, rows))) is not None:
            if progress is not None:
                progress(*state)

    def optimize(self) -> None:
        """Merge each index into one piece, which makes searching faster; worth doing after a large import."""
        for table in self._database.read(index.tables_present):
            self._database.write(partial(index.optimize, table=table))

    # inside

    def _prepare(self, connection: sqlite3.Connection, wanted: Layout) -> Layout:
        found = detect_layout(connection)
        if found is not None:
            return found
        create_tables(connection, wanted)
        if self.settings.fts_enabled:
            index.create_indexes(connection, wanted)
        return wanted

    def _rows(self, connection: sqlite3.Connection) -> Rows:
        return Rows(connection, self._columns, self._clock(), self._uid)

    def _write(self, work: Callable[[Rows], T]) -> T:
        return self._database.write(lambda connection: work(self._rows(connection)))

    def _child(self, work: Callable[[Rows, str], None]) -> str:
        def make(rows: Rows) -> str:
            child = self._session_id(rows, rows.now)
            work(rows, child)
            return child

        return self._write(make)

    def _session_id(self, rows: Rows, started_at: float) -> str:
        """A free id in the form releases use: date, time (UTC) and six hex digits."""
        moment = time.strftime("%Y%m%d_%H%M%S", time.gmtime(started_at))
        while True:
            session_id = f"{moment}_{self._random.getrandbits(24):06x}"
            if not rows.connection.execute("SELECT 1 FROM sessions WHERE id = ?", (session_id,)).fetchone():
                return session_id

    def _uid(self) -> str:
        return f"{self._random.getrandbits(128):032x}"

    def _flag(self, session_id: str, column: str, value: bool) -> None:
        def work(rows: Rows) -> None:
            rows.require_column("sessions", column, f"mark a session as {column}")
            for segment in rows.conversation(session_id):
                rows.set_session(segment, {column: int(value)})

        self._write(work)


def _columns(connection: sqlite3.Connection) -> Columns:
    tables = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
    return Columns(
        sessions=table_columns(connection, "sessions"),
        messages=table_columns(connection, "messages"),
        tables=frozenset(name for (name,) in tables),
    )
