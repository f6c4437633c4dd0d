"""The first rows of a list of very many conversations, to be shown while the whole list is being read.

They are looked for from the newest end: with one seek for each session, and no session brought over that is not one of
them. What the list leaves out by default is not counted, and neither are all its rows.
"""

from __future__ import annotations

from typing import Final

from hermes_tui.model import Capabilities, SessionList
from hermes_tui.store.catalogue import faces, load
from hermes_tui.store.cells import fetch_columns, seekable, text_cell
from hermes_tui.store.connection import Connection, Ticket
from hermes_tui.store.details import detailed
from hermes_tui.store.lineage import SUBAGENT
from hermes_tui.store.schema import column
from hermes_tui.store.sessions import AUTOMATION, activity_of, conversation, reason_of

MANY: Final = 6_000  # sessions from which the whole list takes long enough to show a page of it first
FIRST_PAGE: Final = 60  # rows of a list that come with all there is to show of them
SPARE: Final = 3  # times as many sessions are looked at as rows are wanted: several may be one conversation


def first_page(
    connection: Connection, capabilities: Capabilities, *, rows: int, ticket: Ticket | None = None
) -> SessionList | None:
    """The `rows` conversations used last, as `list_sessions` has them at its top, with counts, status and preview; None
    where the store is small enough to be read at once, or cannot be looked at in this order.

    It is `truncated`, with nothing counted. Times in other units may stand elsewhere in the whole list.
    Raises StoreError and Cancelled.
    """
    if int(connection.value("SELECT COUNT(*) FROM sessions", ticket=ticket) or 0) < MANY:
        return None
    if not seekable(connection, ticket=ticket):
        return None
    catalogue = load(connection, capabilities, _newest(connection, capabilities, rows * SPARE, ticket), ticket=ticket)
    found = sorted(
        (-activity_of(catalogue, segments), segments[-1], segments)
        for segments in catalogue.lineage.chains()
        if reason_of(catalogue, segments) is None
    )
    chosen = [segments for _, _, segments in found[:rows]]
    if len(chosen) < rows:
        return None
    shown = faces(connection, capabilities, [each for segments in chosen for each in segments], ticket=ticket)
    page = tuple(conversation(catalogue, shown, segments) for segments in chosen)
    return SessionList(rows=detailed(connection, capabilities, page, ticket=ticket), hidden={}, truncated=True)


def _newest(connection: Connection, capabilities: Capabilities, limit: int, ticket: Ticket | None) -> list[str]:
    """The ids of the sessions used last, without those that a list leaves out for a mark of their own."""

    def cell(name: str) -> str:
        return column(capabilities, "sessions", name, alias="s")

    time = column(capabilities, "messages", "timestamp")
    newest = f"(SELECT {time} FROM messages AS m WHERE m.session_id = s.id ORDER BY {time} DESC LIMIT 1)"
    times = (cell("started_at"), cell("last_activity_at"), newest)
    used = f"max({', '.join(f'COALESCE(CAST({each} AS REAL), 0)' for each in times)})"
    left_out = ", ".join(f"'{source}'" for source in sorted((*AUTOMATION, SUBAGENT)))
    rest = f"""
        FROM (SELECT s.id AS id FROM sessions AS s
          WHERE s.id IS NOT NULL AND COALESCE({cell("archived")}, 0) = 0 AND COALESCE({cell("hidden")}, 0) = 0
            AND COALESCE({cell("source")}, '') NOT IN ({left_out})
          ORDER BY {used} DESC, s.id LIMIT {limit})
    """
    (ids,) = fetch_columns(connection, [text_cell("id")], rest, ticket=ticket)
    return list(ids)
