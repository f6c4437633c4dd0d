"""Many rows as one JSON value, whatever their cells hold.

A worker thread that fetches row by row takes the interpreter lock back for each of them, which costs seconds while the
screen is being built; one value crosses at once. SQLite's JSON functions refuse BLOBs and write infinity as what is no
JSON, and any column can hold either, so every cell is wrapped.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any, Final

from hermes_tui.store.connection import Connection, Ticket
from hermes_tui.store.decode import EARLIEST_SCALED, LATEST, decode_time

_FIRST: Final = int(EARLIEST_SCALED * 1e6)  # microseconds
_LAST: Final = int(LATEST * 1e6)


def fetch(
    connection: Connection, cells: Sequence[str], rest: str, params: Sequence[Any] = (), *, ticket: Ticket | None = None
) -> list[tuple[Any, ...]]:
    """The rows of `SELECT cells rest`, brought over as one value. Raises StoreError and Cancelled.

    `rest` is FROM and WHERE; no order is kept, and a LIMIT belongs into a subquery.
    """
    return list(zip(*fetch_columns(connection, cells, rest, params, ticket=ticket), strict=True))


def fetch_columns(
    connection: Connection, cells: Sequence[str], rest: str, params: Sequence[Any] = (), *, ticket: Ticket | None = None
) -> list[list[Any]]:
    """`fetch` as one list for each cell, all of one length."""
    columns = ", ".join(f"json_group_array({cell})" for cell in cells)
    (texts,) = connection.rows(f"SELECT {columns} {rest}", params, ticket=ticket)
    # Each by itself: while one is parsed no other thread gets a turn, which for many rows at once would be felt.
    return [json.loads(text) for text in texts]


def seekable(connection: Connection, *, ticket: Ticket | None = None) -> bool:
    """Whether messages can be looked up by session: a hand-made file may lack the index that Hermes makes."""
    sql = """
        SELECT EXISTS (SELECT 1 FROM pragma_index_list('messages') AS i, pragma_index_info(i.name) AS c
          WHERE i.partial = 0 AND c.seqno = 0 AND c.name = 'session_id')
    """
    return connection.learned("seekable", lambda: bool(connection.value(sql, ticket=ticket)))


def listed(ids: Iterable[Any]) -> str:
    """Ids as the one parameter of `IN (SELECT value FROM json_each(?))`."""
    return json.dumps(list(ids))


def text_cell(expression: str) -> str:
    """A cell as text, a BLOB's bytes too; NULL stays NULL."""
    return f"CAST({expression} AS TEXT)"


def number_cell(expression: str) -> str:
    """A number as it is, anything else as text; NULL stays NULL."""
    return f"CASE WHEN {expression} BETWEEN -1e300 AND 1e300 THEN {expression} ELSE CAST({expression} AS TEXT) END"


def time_cell(expression: str) -> str:
    """A time for `times`: microseconds where it is plain Unix seconds (they are written faster than fractions, and
    exactly), else as `number_cell`."""
    plain = f"{expression} BETWEEN 1e8 AND 4.2e9"
    return f"CASE WHEN {plain} THEN CAST({expression} * 1e6 + 0.5 AS INTEGER) ELSE {number_cell(expression)} END"


def size_cell(expression: str) -> str:
    """How many bytes a cell holds, also behind a NUL; 0 for NULL."""
    return f"COALESCE(length(CAST({expression} AS BLOB)), 0)"


def times(column: Iterable[Any]) -> list[float | None]:
    """What `time_cell` brought, in Unix seconds; None where there was no time."""
    return [
        time / 1e6 if time.__class__ is int and _FIRST <= time <= _LAST else None if time is None else decode_time(time)
        for time in column
    ]


def is_plain(cell: Any) -> bool:
    """Whether `time_cell` found plain Unix seconds, and brought them as microseconds."""
    return cell.__class__ is int and _FIRST <= cell <= _LAST
