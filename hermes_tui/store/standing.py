"""Which state a message is in when compaction has stored it again: that of the row that stands for it."""

from __future__ import annotations

from collections.abc import Mapping

from hermes_tui.model import Capabilities, Message, State
from hermes_tui.store.connection import Connection, Ticket
from hermes_tui.store.outline import transcript


class Standings:
    """Says the state of the row that stands for a message. Conversations are read as they are asked about, and kept."""

    def __init__(self, connection: Connection, capabilities: Capabilities, ticket: Ticket | None) -> None:
        self._connection, self._capabilities, self._ticket = connection, capabilities, ticket
        self._known: dict[str, tuple[Mapping[int, int], dict[int, State]]] = {}

    def __call__(self, message: Message) -> State:
        """The state; a message whose session is not there stands for itself."""
        if message.session_id not in self._known:
            self._read(message.session_id)
        stands_for, states = self._known[message.session_id]
        return states.get(stands_for.get(message.id, message.id), message.state)

    def _read(self, session_id: str) -> None:
        try:
            found = transcript(self._connection, self._capabilities, session_id, ticket=self._ticket)
        except KeyError:
            self._known[session_id] = ({}, {})
            return
        known = (found.stands_for, {row.id: row.state for row in found.rows})
        for held in (session_id, *(session.id for session in found.segments)):
            self._known[held] = known
