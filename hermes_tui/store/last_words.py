"""The last thing that the model said in a conversation, as one line.

Asked of one conversation at a time, while a reader goes down a list, so it looks at few rows: the newest first, until
one of them says something.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from hermes_tui.model import Capabilities, Kind, State
from hermes_tui.store.cells import fetch, seekable, size_cell
from hermes_tui.store.connection import Connection, Ticket
from hermes_tui.store.messages import read_messages
from hermes_tui.store.schema import column

WIDTH: Final = 400  # characters
ROUNDS: Final = (4, 40, 400)  # rows with text looked at in a session before it is given up


def last_words(
    connection: Connection, capabilities: Capabilities, segments: Sequence[str], *, ticket: Ticket | None = None
) -> str:
    """The last answer in the conversation made of these sessions, root to tip; "" where there is none.

    Raises StoreError and Cancelled.
    """
    for session_id in reversed(segments):
        looked: set[int] = set()
        for limit in ROUNDS:
            ids = _newest(connection, capabilities, session_id, limit, ticket)
            fresh = [message for message in ids if message not in looked]
            looked.update(fresh)
            for message in read_messages(connection, capabilities, fresh, ticket=ticket):
                if message.kind is Kind.TURN and message.state is not State.REWOUND and message.text.strip():
                    line = " ".join(message.text[: WIDTH * 4].split())
                    return line if len(line) <= WIDTH else line[: WIDTH - 1].rstrip() + "…"
            if len(ids) < limit:
                break
    return ""


def _newest(
    connection: Connection, capabilities: Capabilities, session_id: str, limit: int, ticket: Ticket | None
) -> list[int]:
    """The newest rows of the model with text in them, the newest first. By time, for which files have an index; rows
    read out of order by a clock that was put back are in order again among those found."""
    said = size_cell(column(capabilities, "messages", "content"))
    time = column(capabilities, "messages", "timestamp", "m.id") if seekable(connection, ticket=ticket) else "m.id"
    rest = f"""
        FROM (SELECT m.id AS id FROM messages AS m WHERE m.session_id = ? AND m.role = 'assistant' AND {said} > 0
          ORDER BY {time} DESC, m.id DESC LIMIT {limit})
    """
    return sorted(
        (message for (message,) in fetch(connection, ["id"], rest, [session_id], ticket=ticket)), reverse=True
    )
