"""What it takes a look at messages to say of a session: how many there are, how it stands, and its first words.

Always for asked sessions only, since counting reads the head of every row of a session.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from hermes_tui.model import Capabilities, Counts, Session, Status
from hermes_tui.store.cells import fetch, listed, size_cell, text_cell
from hermes_tui.store.connection import Connection, Ticket
from hermes_tui.store.lived import repeats, unseen
from hermes_tui.store.previews import Previewer
from hermes_tui.store.schema import column

FAILED: Final = frozenset({"error", "agent_error", "content_filter"})


class Standing(NamedTuple):
    """The rows of one session, and its last one that is still live (of any state where none is)."""

    counts: Counts
    last: int
    marked: Sequence[int] = ()  # those that may be for the model only, of the rows that were not taken back


def standings(
    connection: Connection, capabilities: Capabilities, ids: Iterable[str], *, ticket: Ticket | None = None
) -> dict[str, Standing]:
    """Of each session that has rows. Raises StoreError and Cancelled."""
    active = column(capabilities, "messages", "active", "1")
    compacted = column(capabilities, "messages", "compacted", "0")
    live = f"COALESCE({active}, 1) <> 0"
    kind, more = (column(capabilities, "messages", name) for name in ("display_kind", "display_metadata"))
    marked = f"{kind} IS NOT NULL OR COALESCE(instr({more}, 'model_only'), 0) > 0"
    rest = f"""
        FROM (SELECT m.session_id AS session,
            SUM({live}) AS live,
            SUM(CASE WHEN {live} THEN 0 ELSE COALESCE({compacted}, 0) <> 0 END) AS compacted,
            COUNT(*) AS total,
            MAX(CASE WHEN {live} THEN m.id END) AS last_live,
            MAX(+m.id) AS last,
            json_group_array(m.id) FILTER (
              WHERE ({marked}) AND ({live} OR COALESCE({compacted}, 0) <> 0)) AS marked
          FROM messages AS m WHERE m.session_id IN (SELECT value FROM json_each(?)) GROUP BY m.session_id)
    """
    cells = [text_cell("session"), "live", "compacted", "total", "COALESCE(last_live, last)", "json(marked)"]
    found = fetch(connection, cells, rest, [listed(ids)], ticket=ticket)
    return {
        session: Standing(Counts(live=alive, compacted=away, rewound=total - alive - away), last, marked)
        for session, alive, away, total, last, marked in found
    }


def statuses(
    connection: Connection, capabilities: Capabilities, lasts: Iterable[int], *, ticket: Ticket | None = None
) -> dict[int, Status]:
    """How a session stands, told from its last row as Hermes does: by how that row finished, else by who is awaited."""
    calls = column(capabilities, "messages", "tool_calls")
    cells = [
        "m.id",
        text_cell(column(capabilities, "messages", "role")),
        text_cell(column(capabilities, "messages", "finish_reason")),
        f"{size_cell(calls)} > 4",  # neither '', '[]' nor 'null'
    ]
    rest = "FROM messages AS m WHERE m.id IN (SELECT value FROM json_each(?))"
    found = fetch(connection, cells, rest, [listed(lasts)], ticket=ticket)
    return {key: _status(role or "", finish or "", bool(waits)) for key, role, finish, waits in found}


def _status(role: str, finish: str, waits: bool) -> Status:
    if finish.strip().lower() in FAILED:
        return Status.ERROR
    if role in ("user", "tool") or (role == "assistant" and waits):
        return Status.INTERRUPTED
    return Status.COMPLETE


def detailed(
    connection: Connection, capabilities: Capabilities, rows: Sequence[Session], *, ticket: Ticket | None = None
) -> tuple[Session, ...]:
    """List rows with counts, status and preview of their whole conversation. Raises StoreError and Cancelled."""
    ids = [session_id for row in rows for session_id in row.segments]
    standing = standings(connection, capabilities, ids, ticket=ticket)
    lasts = [_last(row.segments, standing) for row in rows]
    status = statuses(connection, capabilities, [last for last in lasts if last is not None], ticket=ticket)
    lived = [_lived(connection, capabilities, row.segments, standing, ticket) for row in rows]
    words = Previewer(connection, capabilities, ticket=ticket).first_words([row.segments for row in rows])
    return tuple(
        row._replace(
            counts=_sum(standing[session_id].counts for session_id in row.segments if session_id in standing),
            status=Status.EMPTY if last is None else status.get(last, Status.COMPLETE),
            preview=preview,
            lived=many,
        )
        for row, last, preview, many in zip(rows, lasts, words, lived, strict=True)
    )


def _lived(
    connection: Connection,
    capabilities: Capabilities,
    chain: Sequence[str],
    standing: dict[str, Standing],
    ticket: Ticket | None,
) -> int:
    """How many messages the conversation has as lived."""
    held = [standing[session] for session in chain if session in standing]
    hidden = unseen(connection, capabilities, [message for each in held for message in each.marked], ticket=ticket)
    counts = _sum(each.counts for each in held)
    again = 0
    if len(held) > 1 or counts.compacted:  # only compaction stores rows again
        again = repeats(connection, capabilities, chain, hidden, ticket=ticket)
    return counts.live + counts.compacted - len(hidden) - again


def _last(segments: Sequence[str], standing: dict[str, Standing]) -> int | None:
    """The last row of a conversation: of its newest session that has any."""
    return next((standing[session_id].last for session_id in reversed(segments) if session_id in standing), None)


def _sum(counts: Iterable[Counts]) -> Counts:
    live = compacted = rewound = 0
    for each in counts:
        live, compacted, rewound = live + each.live, compacted + each.compacted, rewound + each.rewound
    return Counts(live, compacted, rewound)
