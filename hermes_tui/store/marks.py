"""What a message is known by when its row has moved, and the row it has become.

Compaction stores a kept message again under another row id, in the same session or the one that goes on, and a store
may be copied elsewhere. The uid that newer releases give a message stays, and so do its role, its content and its time.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any

from hermes_tui.model import Capabilities, MessageKey
from hermes_tui.store.cells import listed, text_cell
from hermes_tui.store.connection import Connection, Ticket
from hermes_tui.store.schema import column


def key_of(
    connection: Connection, capabilities: Capabilities, message_id: int, *, ticket: Ticket | None = None
) -> tuple[str, MessageKey] | None:
    """The session that holds a message, and its key; None where there is no such row. Raises StoreError, Cancelled."""
    cells = _cells(capabilities)
    sql = f"SELECT {text_cell('m.session_id')}, {cells} FROM messages AS m WHERE m.id = ?"
    rows = connection.rows(sql, [message_id], ticket=ticket)
    return None if not rows else (rows[0][0] or "", _key(rows[0][1:]))


def rows_of(
    connection: Connection,
    capabilities: Capabilities,
    session_ids: Sequence[str],
    key: MessageKey,
    *,
    ticket: Ticket | None = None,
) -> list[int]:
    """The ids of the rows of these sessions that are the message: live before compacted, then the newest.

    Raises StoreError and Cancelled.
    """
    uid, active, compacted = (column(capabilities, "messages", name) for name in ("message_uid", "active", "compacted"))
    sql = f"""
        SELECT m.id, {_cells(capabilities)} FROM messages AS m
        WHERE m.session_id IN (SELECT value FROM json_each(?)) AND (m.timestamp IS ? OR {uid} = ?)
        ORDER BY COALESCE({active}, 1) = 0, COALESCE({compacted}, 0) = 0, m.id DESC
    """
    found = connection.rows(sql, [listed(session_ids), key.time, key.uid], ticket=ticket)
    return [row[0] for row in found if _key(row[1:]).same(key)]


def _cells(capabilities: Capabilities) -> str:
    uid = text_cell(column(capabilities, "messages", "message_uid"))
    content = column(capabilities, "messages", "content")
    return f"{uid}, {text_cell('m.role')}, CAST({content} AS BLOB), m.timestamp"


def _key(row: Sequence[Any]) -> MessageKey:
    uid, role, content, time = row
    digest = hashlib.sha256()
    for part in ((role or "").encode("utf-8", "surrogatepass"), content or b"", repr(time).encode()):
        digest.update(len(part).to_bytes(8, "big") + part)
    return MessageKey(
        uid=uid, digest=digest.hexdigest()[:32], time=time if isinstance(time, int | float | str) else None
    )
