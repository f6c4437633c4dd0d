"""Which rows of a conversation call tools by these ids, and which rows answer them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from hermes_tui.model import Capabilities
from hermes_tui.store.cells import fetch, listed, text_cell
from hermes_tui.store.connection import Connection, Ticket
from hermes_tui.store.decode import decode_calls
from hermes_tui.store.schema import column

Called = tuple[int, tuple[str | None, ...]]
"""A row by its id, and the ids of the calls it makes in their order, or of the one it answers."""


def calls_and_answers(
    connection: Connection,
    capabilities: Capabilities,
    session_ids: Sequence[str],
    call_ids: Sequence[str],
    *,
    ticket: Ticket | None = None,
) -> tuple[list[Called], list[Called]]:
    """The rows of these sessions that make calls by these ids, and those that answer one, copies of both included.

    Raises StoreError and Cancelled.
    """
    answered, calls = (column(capabilities, "messages", name) for name in ("tool_call_id", "tool_calls"))
    cells = ["m.id", f"CASE WHEN m.role = 'tool' THEN {text_cell(answered)} END",
             f"CASE WHEN m.role <> 'tool' THEN {text_cell(calls)} END"]  # fmt: skip
    rest = _REST.format(answered=text_cell(answered), calls=text_cell(calls))
    ids, wanted = listed(call_ids), frozenset(call_ids)
    making: list[Called] = []
    answering: list[Called] = []
    for message, answers, made in fetch(connection, cells, rest, [listed(session_ids), ids, ids], ticket=ticket):
        if answers is not None:
            answering.append((message, (answers,)))
        elif made is not None:
            names = tuple(call.id for call in decode_calls(made))
            if not wanted.isdisjoint(names):  # SQLite only saw that the letters of one are there
                making.append((message, names))
    return making, answering


_REST: Final = """
    FROM messages AS m WHERE m.session_id IN (SELECT value FROM json_each(?)) AND CASE m.role
      WHEN 'tool' THEN {answered} IN (SELECT value FROM json_each(?))
      ELSE {calls} IS NOT NULL AND EXISTS (SELECT 1 FROM json_each(?) WHERE instr({calls}, value) > 0) END
"""
