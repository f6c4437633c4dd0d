"""The two full-text indexes of each layout: their tables, the triggers that keep them, rebuild and optimize.

`messages_fts` finds words, `messages_fts_trigram` finds parts of words and text without spaces between words. What a
layout leaves out (tool output beyond a length, tool calls, automated sessions) is left out by releases too.

While the `state_meta` keys `fts_rebuild_high_water` = H and `fts_rebuild_progress` = P are there, rows with an id in
(P, H] are in neither index; the triggers of the newer layouts leave those rows to the rebuild.
"""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass

from hermes_tui.recorder.layout import Layout, run_script

TOOL_CHARS = 8192  # how much of a tool row's text the VIEWS layout keeps in its word index
HIGH_WATER = "fts_rebuild_high_water"
PROGRESS = "fts_rebuild_progress"
STALE = "fts_stale"

_WHOLE_ROW = (
    "COALESCE({row}.content, '') || ' ' || COALESCE({row}.tool_name, '') || ' ' || COALESCE({row}.tool_calls, '')"
)
_CUT_CONTENT = (
    f"CASE WHEN {{row}}.role = 'tool' THEN substr(COALESCE({{row}}.content, ''), 1, {TOOL_CHARS})"
    " ELSE {row}.content END"
)
_NOT_TOOL = "{row}.role <> 'tool'"
_BY_A_PERSON = """{session}.source NOT IN ('cron', 'subagent') AND json_extract(
        CASE WHEN json_valid({session}.model_config) THEN {session}.model_config ELSE '{{}}' END,
        '$._delegate_from') IS NULL"""
_NOT_TOOL_BY_A_PERSON = (
    _NOT_TOOL
    + " AND EXISTS (SELECT 1 FROM sessions AS s WHERE s.id = {row}.session_id AND "
    + _BY_A_PERSON.replace("{session}", "s")
    + ")"
)
_SETTLED = f"""({{row}}.id > COALESCE((SELECT CAST(value AS INTEGER) FROM state_meta WHERE key = '{HIGH_WATER}'), -1)
    OR {{row}}.id <= COALESCE((SELECT CAST(value AS INTEGER) FROM state_meta WHERE key = '{PROGRESS}'), -1))"""


@dataclass(frozen=True, slots=True)
class _Index:
    """One full-text table. `text` gives each column's SQL over `{row}`, `holds` the rows it has (None: all).

    `source` names the table or view the text is read back from; None for an index that keeps its own copy.
    """

    table: str
    text: dict[str, str]
    source: str | None = None
    view: str | None = None
    holds: str | None = None
    watched: tuple[str, ...] = ("content", "tool_name", "tool_calls", "role")
    tokenize: str | None = None

    @property
    def columns(self) -> str:
        return ", ".join(self.text)

    def values(self, row: str) -> str:
        return ", ".join(sql.format(row=row) for sql in self.text.values())

    def create(self) -> str:
        """The table, its view and its three triggers, as a script."""
        options = [self.columns]
        if self.source:
            options += [f"content='{self.source}'", "content_rowid='id'"]
        if self.tokenize:
            options.append(f"tokenize='{self.tokenize}'")
        table = f"CREATE VIRTUAL TABLE {self.table} USING fts5({', '.join(options)});"
        view = f"CREATE VIEW {self.source} AS {self.view};" if self.view else ""
        triggers = self._gated_triggers() if self.source else self._plain_triggers()
        return f"{view}\n{table}\n{triggers}\n"

    def drop(self) -> str:
        """Removes what `create` makes, whatever of it is there."""
        triggers = "\n".join(
            f"DROP TRIGGER IF EXISTS {self.table}_{event};" for event in ("insert", "update", "delete")
        )
        return f"{triggers}\nDROP TABLE IF EXISTS {self.table};\nDROP VIEW IF EXISTS {self.table}_src;\n"

    def fill(self) -> str:
        """Puts the rows with `low < id <= high` into the index; parameters `(low, high)`."""
        holds = f" AND {self.holds.format(row='m')}" if self.holds else ""
        return (
            f"INSERT INTO {self.table}(rowid, {self.columns}) SELECT m.id, {self.values('m')}"
            f" FROM messages AS m WHERE m.id > ? AND m.id <= ?{holds}"
        )

    def _plain_triggers(self) -> str:
        insert = f"INSERT INTO {self.table}(rowid, {self.columns}) VALUES (new.id, {self.values('new')});"
        delete = f"DELETE FROM {self.table} WHERE rowid = old.id;"
        return f"""
CREATE TRIGGER {self.table}_insert AFTER INSERT ON messages BEGIN {insert} END;
CREATE TRIGGER {self.table}_delete AFTER DELETE ON messages BEGIN {delete} END;
CREATE TRIGGER {self.table}_update AFTER UPDATE ON messages BEGIN {delete} {insert} END;"""

    def _gated_triggers(self) -> str:
        changed = " OR ".join(f"old.{name} IS NOT new.{name}" for name in self.watched)
        insert = (
            f"INSERT INTO {self.table}(rowid, {self.columns}) SELECT new.id, {self.values('new')}{self._where('new')};"
        )
        delete = (
            f"INSERT INTO {self.table}({self.table}, rowid, {self.columns})"
            f" SELECT 'delete', old.id, {self.values('old')}{self._where('old')};"
        )
        return f"""
CREATE TRIGGER {self.table}_insert AFTER INSERT ON messages WHEN {_SETTLED.format(row="new")} BEGIN
    {insert}
END;
CREATE TRIGGER {self.table}_delete AFTER DELETE ON messages WHEN {_SETTLED.format(row="old")} BEGIN
    {delete}
END;
CREATE TRIGGER {self.table}_update AFTER UPDATE OF {", ".join(self.watched)} ON messages
WHEN ({changed}) AND {_SETTLED.format(row="old")} BEGIN
    {delete}
    {insert}
END;"""

    def _where(self, row: str) -> str:
        return f" WHERE {self.holds.format(row=row)}" if self.holds else ""


def _plain_columns(*names: str) -> dict[str, str]:
    return {name: f"{{row}}.{name}" for name in names}


_INDEXES: dict[Layout, tuple[_Index, _Index]] = {
    Layout.INLINE: (
        _Index("messages_fts", {"content": _WHOLE_ROW}),
        _Index("messages_fts_trigram", {"content": _WHOLE_ROW}, tokenize="trigram"),
    ),
    Layout.EXTERNAL: (
        _Index(
            "messages_fts",
            _plain_columns("content", "tool_name", "tool_calls"),
            source="messages",
            watched=("content", "tool_name", "tool_calls"),
        ),
        _Index(
            "messages_fts_trigram",
            _plain_columns("content", "tool_name", "tool_calls"),
            source="messages_fts_trigram_src",
            view="SELECT id, role, content, tool_name, tool_calls FROM messages"
            f" AS m WHERE {_NOT_TOOL.format(row='m')}",
            holds=_NOT_TOOL,
            tokenize="trigram",
        ),
    ),
    Layout.VIEWS: (
        _Index(
            "messages_fts",
            {"content": _CUT_CONTENT, **_plain_columns("tool_name", "tool_calls")},
            source="messages_fts_src",
            view=f"SELECT id, {_CUT_CONTENT.format(row='messages')} AS content, tool_name, tool_calls FROM messages",
        ),
        _Index(
            "messages_fts_trigram",
            _plain_columns("content", "tool_name"),
            source="messages_fts_trigram_src",
            view="SELECT m.id, m.role, m.content, m.tool_name FROM messages AS m JOIN sessions AS s"
            f" ON s.id = m.session_id WHERE {_NOT_TOOL.format(row='m')} AND {_BY_A_PERSON.format(session='s')}",
            holds=_NOT_TOOL_BY_A_PERSON,
            watched=("content", "tool_name", "role"),
            tokenize="trigram",
        ),
    ),
}


def create_indexes(connection: sqlite3.Connection, layout: Layout) -> None:
    """Make both indexes, empty, and their triggers. Raises `sqlite3.OperationalError` when SQLite lacks FTS5."""
    run_script(connection, "".join(index.create() for index in _INDEXES[layout]))


def present(connection: sqlite3.Connection) -> bool:
    """Whether both indexes and all their triggers are in the file and not marked stale."""
    tables = [index.table for index in _INDEXES[Layout.VIEWS]]
    wanted = set(tables) | {f"{table}_{event}" for table in tables for event in ("insert", "update", "delete")}
    names = {name for (name,) in connection.execute("SELECT name FROM sqlite_master")}
    return wanted <= names and _marker(connection, STALE) is None


def begin_rebuild(connection: sqlite3.Connection, layout: Layout) -> None:
    """Replace both indexes by empty ones and mark every row as not indexed yet; `rebuild_step` fills them."""
    run_script(connection, "".join(index.drop() for index in _INDEXES[layout]))
    create_indexes(connection, layout)
    connection.execute("DELETE FROM state_meta WHERE key IN (?, ?, ?)", (STALE, HIGH_WATER, PROGRESS))
    (last,) = connection.execute("SELECT COALESCE(MAX(id), 0) FROM messages").fetchone()
    _set_marker(connection, HIGH_WATER, last)
    _set_marker(connection, PROGRESS, 0)


def rebuild_step(connection: sqlite3.Connection, layout: Layout, rows: int | None) -> tuple[int, int] | None:
    """Index the next `rows` ids that are missing (None: all of them) and move the marker.

    Returns `(progress, high_water)`, or None when nothing is missing any more and the markers are gone.
    """
    high_water, progress = _marker(connection, HIGH_WATER), _marker(connection, PROGRESS)
    if high_water is None:
        return None
    low = progress or 0
    high = high_water if rows is None else min(high_water, low + rows)
    if low < high:
        for index in _INDEXES[layout]:
            connection.execute(index.fill(), (low, high))
    if high < high_water:
        _set_marker(connection, PROGRESS, high)
        return high, high_water
    connection.execute("DELETE FROM state_meta WHERE key IN (?, ?)", (HIGH_WATER, PROGRESS))
    return None


def rebuild_pending(connection: sqlite3.Connection) -> bool:
    """Whether a rebuild was begun and not finished."""
    return _marker(connection, HIGH_WATER) is not None


def tables_present(connection: sqlite3.Connection) -> list[str]:
    """Which of the two full-text tables are in the file."""
    names = {name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    return [index.table for index in _INDEXES[Layout.VIEWS] if index.table in names]


def optimize(connection: sqlite3.Connection, table: str) -> None:
    """Merge the pieces of one index into one; searches read less afterwards."""
    connection.execute(f"INSERT INTO {table}({table}) VALUES ('optimize')")


def _marker(connection: sqlite3.Connection, key: str) -> int | None:
    row = connection.execute("SELECT CAST(value AS INTEGER) FROM state_meta WHERE key = ?", (key,)).fetchone()
    return None if row is None else int(row[0])


def _set_marker(connection: sqlite3.Connection, key: str, value: int) -> None:
    connection.execute(
        "INSERT INTO state_meta (key, value) VALUES (?, ?) ON CONFLICT(key) DO UPDATE SET value = excluded.value",
        (key, str(value)),
    )
