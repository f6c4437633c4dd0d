"""Messages: the outline of a conversation, and rows read whole by their ids."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from hermes_tui.model import Capabilities, Message
from hermes_tui.store.cells import fetch, listed, number_cell, text_cell, time_cell, times
from hermes_tui.store.connection import Connection, Ticket
from hermes_tui.store.decode import decode_calls, decode_json_texts, decode_text, kind_of, to_text
from hermes_tui.store.held import STATES, state_cell
from hermes_tui.store.outline import transcript
from hermes_tui.store.schema import column

__all__ = ["read_messages", "session_of", "transcript"]

CHUNK: Final = 64  # rows in one statement


def read_messages(
    connection: Connection,
    capabilities: Capabilities,
    ids: Sequence[int],
    *,
    copies: Mapping[int, int] | None = None,
    ticket: Ticket | None = None,
) -> tuple[Message, ...]:
    """Messages decoded in full, in the order of `ids`; ids that are not there are left out.

    How many rows hold the same message is known to an outline, not to a row: `copies` gives it by id, else it is 1.
    Raises StoreError and Cancelled.
    """
    found: dict[int, Message] = {}
    for start in range(0, len(ids), CHUNK):
        chunk = ids[start : start + CHUNK]
        for row in fetch(connection, _cells(capabilities), _BY_ID, [listed(chunk)], ticket=ticket):
            message = _message(row, copies or {})
            found[message.id] = message
    return tuple(found[message] for message in ids if message in found)


def session_of(connection: Connection, message_id: int, *, ticket: Ticket | None = None) -> str | None:
    """The session that holds a message, None where there is no such message. Raises StoreError."""
    cell = text_cell("session_id")
    owner: str | None = connection.value(f"SELECT {cell} FROM messages WHERE id = ?", [message_id], ticket=ticket)
    return owner


_BY_ID: Final = "FROM messages AS m WHERE m.id IN (SELECT value FROM json_each(?))"


def _cells(capabilities: Capabilities) -> list[str]:
    def cell(name: str) -> str:
        return column(capabilities, "messages", name)

    def text(name: str) -> str:
        return text_cell(cell(name))

    content, reasoning = text("content"), f"COALESCE(NULLIF({cell('reasoning')}, ''), {cell('reasoning_content')})"
    details = f"COALESCE({text('reasoning_details')}, {text('codex_reasoning_items')})"
    return [
        "m.id",
        text("session_id"),
        text("role"),
        content,
        state_cell(capabilities),
        time_cell(cell("timestamp")),
        text("tool_name"),
        text("tool_call_id"),
        text("tool_calls"),
        text_cell(reasoning),
        # Large and mostly signatures, so read only where they are all there is.
        f"CASE WHEN COALESCE({reasoning}, '') = '' THEN {details} END",
        f"CASE WHEN COALESCE({cell('content')}, '') = '' THEN {text('codex_message_items')} END",
        number_cell(cell("token_count")),
        text("finish_reason"),
        text("display_kind"),
        text("display_metadata"),
        text("_compressed_summary"),
        f"COALESCE({cell('observed')}, 0) <> 0",
    ]


def _message(row: tuple[Any, ...], copies: Mapping[int, int]) -> Message:
    (
        key,
        session,
        role,
        content,
        state,
        time,
        tool,
        call,
        calls,
        reasoning,
        details,
        items,
        tokens,
        finish,
        shown,
        metadata,
        summary,
        observed,
    ) = row
    role = role or ""
    text = decode_text(content, role) or decode_json_texts(items)
    return Message(
        id=key,
        session_id=session or "",
        role=role,
        text=text,
        state=STATES[state],
        kind=kind_of(role, text, shown, metadata, summary),
        timestamp=times([time])[0],
        tool_name=tool,
        tool_call_id=call,
        tool_calls=decode_calls(calls),
        reasoning=to_text(reasoning) or decode_json_texts(details),
        token_count=tokens if isinstance(tokens, int) else None,
        finish_reason=finish,
        display_kind=shown,
        observed=bool(observed),
        copies=copies.get(key, 1),
    )
