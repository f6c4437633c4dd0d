"""What was used on each day: sessions that began, their tokens and cost, and the messages written.

Days are those of the local clock, also where it was turned in between. A session counts on the day it began.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from datetime import datetime, timedelta
from itertools import repeat
from typing import Any, Final

from hermes_tui.model import Activity, Capabilities, DayUse, Share
from hermes_tui.model.record import dataclass
from hermes_tui.store.cells import fetch, fetch_columns, number_cell, seekable, text_cell, time_cell, times
from hermes_tui.store.connection import Connection, Ticket
from hermes_tui.store.schema import column

UNKNOWN: Final = "unknown"
COUNTABLE: Final = 3_000_000  # messages up to which a walk over their index is cheap
QUARTER: Final = 900  # seconds; every clock on earth is some quarters of an hour off another


@dataclass(slots=True)
class _Sum:
    sessions: int = 0
    input: int = 0
    output: int = 0
    cost: float | None = None

    def add(self, received: int, sent: int, cost: float | None) -> None:
        self.sessions += 1
        self.input += received
        self.output += sent
        if cost is not None:
            self.cost = (self.cost or 0.0) + cost


def activity(
    connection: Connection,
    capabilities: Capabilities,
    *,
    days: int = 90,
    by: str = "source",
    now: float,
    ticket: Ticket | None = None,
) -> Activity:
    """The last `days` local days as of `now` (Unix seconds), that of `now` included, by the sessions' `source` or
    `model`. Sessions without either are told as UNKNOWN; those of later days are left out.

    Raises ValueError for another `by`, StoreError and Cancelled.
    """
    if by not in ("source", "model"):
        raise ValueError(f"no activity is known by {by}")
    midnights = local_midnights(now, days)
    sums = [_Sum() for _ in midnights[:-1]]
    shares: dict[str, _Sum] = {}

    def cell(name: str) -> str:
        return column(capabilities, "sessions", name, alias="s")

    cost = f"COALESCE({cell('actual_cost_usd')}, {cell('estimated_cost_usd')})"
    cells = [time_cell(cell("started_at")), text_cell(cell(by)), number_cell(cell("input_tokens"))]
    cells += [number_cell(cell("output_tokens")), number_cell(cost)]
    # Text and finer units sort above all seconds, so this is an index's range whatever the cells hold.
    rest = f"FROM sessions AS s WHERE {cell('started_at')} >= ?"
    started, names, received, sent, costs = fetch_columns(connection, cells, rest, [midnights[0]], ticket=ticket)
    undated = 0
    for moment, name, tokens_in, tokens_out, dollars in zip(times(started), names, received, sent, costs, strict=True):
        if moment is None:
            undated += 1
            continue
        place = bisect_right(midnights, moment) - 1
        if 0 <= place < len(sums):
            used = _amount(tokens_in), _amount(tokens_out), _dollars(dollars)
            sums[place].add(*used)
            shares.setdefault(name or UNKNOWN, _Sum()).add(*used)
    sql = f"SELECT count(*) FROM sessions AS s WHERE {cell('started_at')} IS NULL OR {cell('started_at')} < 0"
    undated += int(connection.value(sql, ticket=ticket))
    sql = f"SELECT count(*) FROM sessions AS s WHERE {cell('started_at')} >= 0 AND {cell('started_at')} < ?"
    earlier = int(connection.value(sql, [midnights[0]], ticket=ticket))
    messages = _messages(connection, capabilities, midnights, ticket)
    found = zip(midnights, sums, repeat(None) if messages is None else messages, strict=False)
    return Activity(
        days=tuple(
            DayUse(start, each.sessions, many, each.input, each.output, each.cost) for start, each, many in found
        ),
        by=tuple(
            Share(name, each.sessions, each.input + each.output, each.cost)
            for name, each in sorted(shares.items(), key=lambda item: (-item[1].sessions, item[0]))
        ),
        undated=undated,
        earlier=earlier,
    )


def local_midnights(now: float, days: int) -> list[float]:
    """The beginnings of the last `days` local days as of `now`, the oldest first, and that of tomorrow."""
    today = datetime.fromtimestamp(now).replace(hour=0, minute=0, second=0, microsecond=0)
    return [(today + timedelta(days=step)).timestamp() for step in range(1 - max(1, days), 2)]


def _messages(
    connection: Connection, capabilities: Capabilities, midnights: Sequence[float], ticket: Ticket | None
) -> list[int] | None:
    """How many were written on each day, from the index alone; None where there is none, or too many to walk."""
    if "timestamp" not in capabilities.message_columns or not seekable(connection, ticket=ticket):
        return None
    if int(connection.value("SELECT COALESCE(max(id), 0) FROM messages", ticket=ticket)) > COUNTABLE:
        return None
    counts = [0] * (len(midnights) - 1)
    grouped = f"""
        FROM (SELECT CAST(m.timestamp / {QUARTER} AS INTEGER) AS quarter, COUNT(*) AS many
          FROM messages AS m WHERE m.timestamp >= ? AND m.timestamp < ? GROUP BY 1)
    """
    for quarter, many in fetch(connection, ["quarter", "many"], grouped, [midnights[0], midnights[-1]], ticket=ticket):
        place = bisect_right(midnights, quarter * QUARTER) - 1
        if 0 <= place < len(counts):
            counts[place] += many
    return counts


def _amount(cell: Any) -> int:
    return int(cell) if isinstance(cell, int | float) else 0


def _dollars(cell: Any) -> float | None:
    return float(cell) if isinstance(cell, int | float) else None
