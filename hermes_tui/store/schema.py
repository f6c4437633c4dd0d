"""What a file offers: detected from the file itself, never from a version number."""

from __future__ import annotations

import re
import sqlite3
from dataclasses import replace
from typing import Any

from hermes_tui.model import Capabilities, Layout
from hermes_tui.store.connection import Connection, Ticket
from hermes_tui.store.ddl import Declared, declared, objects
from hermes_tui.store.indexes import Gap, View, judge, verify

WORD_TABLE = "messages_fts"
TRIGRAM_TABLE = "messages_fts_trigram"

_MARKERS = "SELECT json_group_array(json_array(key, CAST(value AS TEXT))) FROM state_meta WHERE key LIKE 'fts%'"


def detect(connection: Connection, *, ticket: Ticket | None = None) -> Capabilities:
    """Read what the file and this SQLite offer. A few milliseconds, whatever the size; writes nothing.

    Whether each index holds *every* row it should is not looked at here (see `verify_index`): that costs a walk over
    the table. Call again when `connection.generation` has grown or `outdated` says so. Raises StoreError.
    """
    schema = objects(
        connection.json(
            "SELECT json_group_array(json_array(type, name, tbl_name, sql)) FROM sqlite_master "
            "WHERE type IN ('table', 'view', 'trigger')",
            ticket=ticket,
        )
    )
    tables = frozenset(thing.name for thing in schema.values() if thing.type == "table")
    markers = _markers(connection, tables, ticket)
    session_columns = _columns(connection, "sessions", ticket)
    found = [one for table in (WORD_TABLE, TRIGRAM_TABLE) if (one := declared(schema, table)) is not None]
    view = View(gap=_gap(markers), session_columns=session_columns)
    indexes = judge(connection, found, view, stale="fts_stale" in markers, ticket=ticket)
    return Capabilities(
        layout=_layout(found[0] if found else None),
        word=indexes.get(WORD_TABLE),
        trigram=indexes.get(TRIGRAM_TABLE),
        gap=view.gap,
        message_columns=_columns(connection, "messages", ticket),
        session_columns=session_columns,
        tables=tables,
        markers=_written(markers),
        sqlite=sqlite3.sqlite_version,
    )


def verify_index(connection: Connection, capabilities: Capabilities, *, ticket: Ticket | None = None) -> Capabilities:
    """The same capabilities after every row was held against both indexes: for the background, after the first screen.

    An index that lacks rows comes back with `complete=False`, one that fails to find rows as damaged. Walks the table
    in short statements; cancel it with the ticket. Raises StoreError.
    """
    view = View(gap=capabilities.gap, session_columns=capabilities.session_columns)
    word, trigram = (
        None if index is None else verify(connection, index, view, ticket=ticket)
        for index in (capabilities.word, capabilities.trigram)
    )
    return replace(capabilities, word=word, trigram=trigram)


def outdated(connection: Connection, capabilities: Capabilities, *, ticket: Ticket | None = None) -> bool:
    """Whether the markers of the file have changed since: a rebuild began, went on or ended. Microseconds."""
    return _written(_markers(connection, capabilities.tables, ticket)) != capabilities.markers


def column(capabilities: Capabilities, table: str, name: str, default_sql: str = "NULL", alias: str = "m") -> str:
    """SQL for a column that a file may not have: `alias.name`, or `default_sql` where it is missing.

    `table` is `messages` or `sessions`. The one way to name an optional column.
    """
    match table:
        case "messages":
            present = name in capabilities.message_columns
        case "sessions":
            present = name in capabilities.session_columns
        case _:
            raise ValueError(f"no columns are known of table {table!r}")
    if not present:
        return default_sql
    return f"{alias}.{name}" if alias else name


def _layout(found: Declared | None) -> Layout:
    """Hermes' own rule: no `tool_name` column means inline; a view as content means the aligned views."""
    if found is None:
        return Layout.NONE
    if "tool_name" not in found.columns:
        return Layout.INLINE
    if found.table == TRIGRAM_TABLE:  # both external layouts put a view under this one
        return Layout.EXTERNAL if "tool_calls" in found.columns else Layout.VIEWS
    return Layout.VIEWS if found.over_view else Layout.EXTERNAL


def _columns(connection: Connection, table: str, ticket: Ticket | None) -> frozenset[str]:
    return frozenset(row[1] for row in connection.rows(f"PRAGMA table_xinfo({table})", ticket=ticket))


def _markers(connection: Connection, tables: frozenset[str], ticket: Ticket | None) -> dict[str, str]:
    if "state_meta" not in tables:
        return {}
    rows: list[list[Any]] = connection.json(_MARKERS, ticket=ticket)
    return {str(key): "" if value is None else str(value) for key, value in sorted(rows)}


def _written(markers: dict[str, str]) -> tuple[str, ...]:
    return tuple(f"{key}={value}" for key, value in markers.items())


def _gap(markers: dict[str, str]) -> Gap:
    """The ids a rebuild has not reached: above its progress, up to the newest id of when it began."""
    if "fts_rebuild_high_water" not in markers:
        return None
    high, progress = (_integer(markers.get(key, "0")) for key in ("fts_rebuild_high_water", "fts_rebuild_progress"))
    return (progress, high) if progress < high else None


def _integer(text: str) -> int:
    """As SQLite's CAST reads it, since the file's own triggers do."""
    number = re.match(r"\s*[+-]?\d+", text)
    return int(number[0]) if number else 0
