"""Which messages tell of something that went wrong, told by SQLite from what is stored.

A tool's result when it says so itself: an exit code other than 0; without an exit code an error, or no success; a plain
text that begins as a traceback or an error does. The cards of `render.outcome` judge the same. A reply when it ended
in an error.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from typing import Final

from hermes_tui.model import Capabilities
from hermes_tui.store.cells import listed
from hermes_tui.store.connection import Connection, Ticket
from hermes_tui.store.details import FAILED
from hermes_tui.store.schema import column
from hermes_tui.store.version import Version, is_told, version

KEPT: Final = 50  # conversations of which it is remembered

_KEYS: Final = {
    "code": ("exit_code", "exitCode", "returncode", "return_code", "exit_status"),
    "error": ("error", "error_message"),
    "success": ("success", "ok"),
    "wrong": ("is_error", "isError"),
}


class Faults:
    """What was found in conversations, by their sessions: a text is opened again and again, and looking through all of
    a long one takes longer than all the rest of that."""

    def __init__(self) -> None:
        self._known: OrderedDict[tuple[str, ...], tuple[Version, frozenset[int]]] = OrderedDict()

    def of(
        self,
        connection: Connection,
        capabilities: Capabilities,
        ticket: Ticket | None = None,
        *,
        session_ids: Sequence[str],
        after: int = 0,
    ) -> frozenset[int]:
        """As `faults`; what was looked through is not looked through again while nobody writes."""
        now, sessions = version(connection), tuple(session_ids)
        seen, found = self._known.get(sessions, (None, frozenset[int]()))
        if seen == now and is_told(connection):
            self._known.move_to_end(sessions)
            return frozenset(each for each in found if each > after) if after else found
        found = faults(connection, capabilities, session_ids, after=after, ticket=ticket)
        if not after:
            self._known[sessions] = now, found
            if len(self._known) > KEPT:
                self._known.popitem(last=False)
        return found


def faults(
    connection: Connection,
    capabilities: Capabilities,
    session_ids: Sequence[str],
    *,
    after: int = 0,
    ticket: Ticket | None = None,
) -> frozenset[int]:
    """The ids of such messages of these sessions, of those behind the id `after`. Raises StoreError and Cancelled."""

    def cell(name: str) -> str:
        return column(capabilities, "messages", name)

    text = f"CAST({cell('content')} AS TEXT)"
    plain = " OR ".join(
        f"substr({text}, 1, {len(sign)}) = '{sign}'"
        for sign in ("Error", "ERROR", "error:", "Traceback (most recent call")
    )
    found_in = {
        what: "COALESCE(" + ", ".join(f"json_extract({text}, '$.{name}')" for name in names) + ", NULL)"
        for what, names in _KEYS.items()
    }
    code, error = found_in["code"], f"lower(CAST({found_in['error']} AS TEXT))"
    found = connection.json(
        f"""
        SELECT json_group_array(m.id) FROM messages AS m
        WHERE m.session_id IN (SELECT value FROM json_each(?)) AND m.id > ? AND CASE m.role
          WHEN 'tool' THEN CASE
            WHEN substr({text}, 1, 1) = '{{' AND json_valid({text}) THEN
              CASE WHEN CAST({code} AS TEXT) <> '' AND ltrim({code}, '-') NOT GLOB '*[^0-9]*'
                THEN CAST({code} AS INTEGER) <> 0
              ELSE COALESCE({error}, '') NOT IN ('', '0', 'null', 'none', 'false', '[]', '{{}}')
                OR COALESCE({found_in["success"]}, 1) = 0 OR COALESCE({found_in["wrong"]}, 0) = 1 END
            ELSE {plain} END
          ELSE lower(trim(COALESCE({cell("finish_reason")}, ''))) IN (SELECT value FROM json_each(?))
            OR COALESCE({cell("display_kind")}, '') = 'failed_turn' END
        """,
        [listed(session_ids), after, listed(sorted(FAILED))],
        ticket=ticket,
    )
    return frozenset(found)
