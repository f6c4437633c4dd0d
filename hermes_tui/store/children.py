"""The sessions that began in a conversation without continuing it: sub-agents, branches, resets."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from hermes_tui.model import Capabilities, Session, SessionKind
from hermes_tui.store.births import births
from hermes_tui.store.cells import fetch, listed, text_cell
from hermes_tui.store.connection import Connection, Ticket
from hermes_tui.store.details import detailed
from hermes_tui.store.schema import column
from hermes_tui.store.sessions import get_sessions

KINDS: Final = (SessionKind.DELEGATE, SessionKind.BRANCH, SessionKind.RESET)


def children(
    connection: Connection, capabilities: Capabilities, session_ids: Sequence[str], *, ticket: Ticket | None = None
) -> tuple[Session, ...]:
    """Those of the conversation made of `session_ids`, in the order they began, with counts, status and preview.

    They come with the message of their parent at which they began, where the store tells it. Raises StoreError and
    Cancelled.
    """
    parent = column(capabilities, "sessions", "parent_session_id", alias="s")
    rest = f"FROM sessions AS s WHERE {parent} IN (SELECT value FROM json_each(?))"
    found = fetch(connection, [text_cell("s.id")], rest, [listed(session_ids)], ticket=ticket)
    ids = [session for (session,) in found if session is not None and session not in session_ids]
    if not ids:
        return ()
    held = get_sessions(connection, capabilities, ids, ticket=ticket)
    begun = sorted(
        (session for session in held if session.kind in KINDS), key=lambda each: (each.started_at or 0.0, each.id)
    )
    places = births(connection, capabilities, begun, ticket=ticket)
    begun = [session._replace(begun_at=places.get(session.id)) for session in begun]
    return detailed(connection, capabilities, begun, ticket=ticket)
