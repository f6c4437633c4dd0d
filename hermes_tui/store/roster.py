"""Every conversation of a store as it was read last, so that showing others of them reads nothing again."""

from __future__ import annotations

from hermes_tui.model import Capabilities, Session, SessionList
from hermes_tui.store.connection import Connection, Ticket
from hermes_tui.store.details import detailed
from hermes_tui.store.sessions import conversations
from hermes_tui.store.version import Version, is_told, version


class Roster:
    """For a reader who looks at the list again and again. It holds what `list_sessions` leaves out as well."""

    def __init__(self) -> None:
        self._known: tuple[Version, list[tuple[str | None, Session]]] | None = None

    def list_sessions(
        self,
        connection: Connection,
        capabilities: Capabilities,
        ticket: Ticket | None = None,
        *,
        everything: bool = False,
        preview: int = 0,
    ) -> SessionList:
        """As `sessions.list_sessions` of the whole store."""
        rows: list[Session] = []
        hidden: dict[str, int] = {}
        for reason, row in self._all(connection, capabilities, ticket):
            if reason is None or everything:
                rows.append(row)
            else:
                hidden[reason] = hidden.get(reason, 0) + len(row.segments)
        if preview > 0:
            rows[:preview] = detailed(connection, capabilities, rows[:preview], ticket=ticket)
        return SessionList(rows=tuple(rows), hidden=hidden, total=len(rows), of=len(rows))

    def _all(
        self, connection: Connection, capabilities: Capabilities, ticket: Ticket | None
    ) -> list[tuple[str | None, Session]]:
        now = version(connection)
        if self._known is None or self._known[0] != now or not is_told(connection):
            self._known = now, conversations(connection, capabilities, ticket=ticket)
        return self._known[1]
