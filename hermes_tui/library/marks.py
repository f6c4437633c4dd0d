"""The part of `Library` behind bookmarks: what a message is known by, and where a marked one is now."""

from __future__ import annotations

from hermes_tui.library.channel import Channel
from hermes_tui.model import Anchor, Capabilities, MessageKey
from hermes_tui.store.connection import Connection, Ticket
from hermes_tui.store.sessions import get_session


class Marks:
    """The questions of a `Library` about bookmarks. They raise as its others do."""

    profile: str | None
    _page: Channel

    def key(self, message_id: int, *, ticket: Ticket | None = None) -> tuple[str, MessageKey] | None:
        """The session that holds a message, and what the message is known by; None where it is not there."""
        from hermes_tui.store.marks import key_of

        return self._page.ask(
            lambda connection, capabilities, ticket: key_of(connection, capabilities, message_id, ticket=ticket),
            ticket=ticket,
        )

    def place(
        self, session_id: str, key: MessageKey | None, message_id: int | None, *, ticket: Ticket | None = None
    ) -> Anchor | None:
        """Where a marked session or message is now; None where this store has it no more.

        The row it had is looked at first, then those of the conversation that its session belongs to.
        """

        from hermes_tui.store.marks import key_of, rows_of

        def find(connection: Connection, capabilities: Capabilities, ticket: Ticket) -> Anchor | None:
            session = get_session(connection, capabilities, session_id, ticket=ticket)
            if key is None:
                return None if session is None else Anchor(session_id)
            there = None if message_id is None else key_of(connection, capabilities, message_id, ticket=ticket)
            if there is not None and there[1].same(key):
                return Anchor(there[0], message_id)
            segments = (session_id,) if session is None else session.segments
            rows = rows_of(connection, capabilities, segments or (session_id,), key, ticket=ticket)
            if not rows:
                return None
            found = key_of(connection, capabilities, rows[0], ticket=ticket)
            return None if found is None else Anchor(found[0], rows[0])

        return self._page.ask(find, ticket=ticket)
