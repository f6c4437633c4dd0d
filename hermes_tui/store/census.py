"""How much a store holds, without a look at any message's text: for stores that are only offered, and for backups."""

from __future__ import annotations

from collections.abc import Iterator

from hermes_tui.model import Capabilities, Opened
from hermes_tui.store.cells import fetch_columns, text_cell, time_cell, times
from hermes_tui.store.connection import Connection, Footing, StoreDamaged, Ticket
from hermes_tui.store.schema import column

COPYABLE = 64_000_000  # bytes of a store that may be copied just to be counted
LAST_ROW = 1 << 22  # row numbers of sessions that are looked through where the file is damaged
PATIENCE = 2_000  # statements that may fail before the rest of a damaged table is given up


def costly(footing: Footing) -> bool:
    """Whether this store can only be read by way of a copy that takes long to make."""
    return footing.rung is Opened.COPY and footing.size + (footing.wal_size or 0) > COPYABLE


def tally(
    connection: Connection, capabilities: Capabilities, *, ticket: Ticket | None = None
) -> tuple[int, float | None]:
    """How many sessions there are, and when one was last used as far as the newest of each kind of row tells.

    Raises StoreError and Cancelled.
    """
    (keys, began, active) = fetch_columns(
        connection,
        [
            "1",
            time_cell(column(capabilities, "sessions", "started_at", alias="s")),
            time_cell(column(capabilities, "sessions", "last_activity_at", alias="s")),
        ],
        "FROM sessions AS s WHERE s.id IS NOT NULL",
        ticket=ticket,
    )
    spoken = fetch_columns(
        connection,
        [time_cell(column(capabilities, "messages", "timestamp"))],
        "FROM messages AS m WHERE m.id = (SELECT max(id) FROM messages)",
        ticket=ticket,
    )[0]
    known = [moment for moment in (*times(began), *times(active), *times(spoken)) if moment is not None]
    return len(keys), max(known, default=None)


def session_ids(connection: Connection, *, ticket: Ticket | None = None) -> frozenset[str]:
    """The ids of the sessions whose rows can be read. Where the file is damaged these are fewer than an index of it
    names. Raises StoreError and Cancelled."""
    try:
        return _ids(connection, 0, LAST_ROW, ticket, all_rows=True)
    except StoreDamaged:
        return frozenset().union(*_readable(connection, ticket))


def _ids(
    connection: Connection, first: int, last: int, ticket: Ticket | None, *, all_rows: bool = False
) -> frozenset[str]:
    """The ids of some rows of the table itself: an index may still name what is lost."""
    among = "" if all_rows else f"WHERE rowid BETWEEN {first} AND {last}"
    (ids,) = fetch_columns(connection, [text_cell("id")], f"FROM sessions NOT INDEXED {among}", ticket=ticket)
    return frozenset(key for key in ids if key is not None)


def _readable(connection: Connection, ticket: Ticket | None) -> Iterator[frozenset[str]]:
    """The ids in ever smaller parts of a damaged table, around what cannot be read of it."""
    parts = [(0, LAST_ROW)]
    failures = 0
    while parts and failures < PATIENCE:
        first, last = parts.pop()
        try:
            yield _ids(connection, first, last, ticket)
        except StoreDamaged:
            failures += 1
            if first < last:
                middle = (first + last) // 2
                parts += [(middle + 1, last), (first, middle)]
