"""A row of messages as it is stored, nothing decoded."""

from __future__ import annotations

from hermes_tui.store.connection import Connection, Ticket


def raw_message(connection: Connection, message_id: int, *, ticket: Ticket | None = None) -> dict[str, object]:
    """Every column of one row by its name, in the order of the table; empty where there is no such row.

    Raises StoreError and Cancelled.
    """
    # Hidden columns of a virtual table (1) are arguments; generated ones (2, 3) hold values like any other.
    listing = "SELECT name FROM pragma_table_xinfo('messages') WHERE hidden <> 1 ORDER BY cid"
    names = [str(name) for (name,) in connection.rows(listing, ticket=ticket)]
    columns = ", ".join('"' + name.replace('"', '""') + '"' for name in names)
    found = connection.rows(f"SELECT {columns} FROM messages WHERE id = ?", [message_id], ticket=ticket)
    return dict(zip(names, found[0], strict=True)) if found else {}
