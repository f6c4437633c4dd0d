"""How many messages a conversation has as lived: each once, however often compaction stored it, none that was taken
back, none that is for the model only."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from hermes_tui.model import Capabilities, Kind, State
from hermes_tui.store.cells import fetch, listed, text_cell, time_cell, times
from hermes_tui.store.connection import Connection, Ticket
from hermes_tui.store.folding import Place, same_messages
from hermes_tui.store.held import STATES, compared_sizes, odd_rows, state_cell
from hermes_tui.store.schema import column


def unseen(
    connection: Connection, capabilities: Capabilities, marked: Sequence[int], *, ticket: Ticket | None = None
) -> frozenset[int]:
    """Those of the rows `marked` that are for the model only. Raises StoreError and Cancelled."""
    odd = odd_rows(connection, capabilities, marked, ticket)
    return frozenset(message for message, (_, kind) in odd.items() if kind is Kind.HIDDEN)


def repeats(
    connection: Connection,
    capabilities: Capabilities,
    chain: Sequence[str],
    hidden: Collection[int],
    *,
    ticket: Ticket | None = None,
) -> int:
    """How many rows of a conversation tell a message again, of those that are neither taken back nor hidden.

    Only rows of one time are looked at, which the index by session and time tells. Raises StoreError and Cancelled.
    """
    time = column(capabilities, "messages", "timestamp")
    rest = f"""
        FROM (SELECT json_group_array(m.id) AS ids FROM messages AS m
          WHERE m.session_id IN (SELECT value FROM json_each(?)) GROUP BY {time} HAVING COUNT(*) > 1)
    """
    groups = fetch(connection, ["json(ids)"], rest, [listed(chain)], ticket=ticket)
    ids = [message for (group,) in groups for message in group]
    if not ids:
        return 0
    cells = ["m.id", text_cell("m.session_id"), state_cell(capabilities), text_cell("m.role"), time_cell(time)]
    found = fetch(
        connection,
        cells,
        "FROM messages AS m WHERE m.id IN (SELECT value FROM json_each(?))",
        [listed(ids)],
        ticket=ticket,
    )
    sizes = compared_sizes(connection, capabilities, ids, ticket=ticket)
    places = [
        Place(chain.index(session), message, STATES[state], role or "", times([moment])[0], sizes.get(message, 0))
        for message, session, state, role, moment in sorted(found)
    ]
    again = 0
    for group in same_messages(connection, capabilities, places, ticket=ticket):
        told = [place for place in group if place.state is not State.REWOUND and place.id not in hidden]
        again += max(0, len(told) - 1)
    return again
