"""What stands in a store for each filter field, and how often: what a picker offers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from hermes_tui.model import Capabilities, SessionKind
from hermes_tui.query import Field
from hermes_tui.query.filters import FLAGS, PLACES
from hermes_tui.store.catalogue import load
from hermes_tui.store.cells import fetch, fetch_columns, text_cell
from hermes_tui.store.connection import Connection, Ticket
from hermes_tui.store.decode import decode_calls
from hermes_tui.store.held import STATES, state_cell
from hermes_tui.store.lineage import SUBAGENT
from hermes_tui.store.schema import column

DATES = ("today", "yesterday", "7d", "30d", "this-month", "last-month", "this-year")
_SESSION_COLUMNS = {Field.SOURCE: "source", Field.MODEL: "model", Field.TITLE: "title", Field.CWD: "cwd"}


def facets(
    connection: Connection,
    capabilities: Capabilities,
    field: Field,
    *,
    profile: str | None = None,
    ticket: Ticket | None = None,
) -> tuple[tuple[str, int], ...]:
    """Values of `field` with how many sessions have them (messages for role, tool and states), the most first.

    Dates and `in:` come as fixed words with a count of 0: nobody counted them. Raises StoreError and Cancelled.
    """
    match field:
        case Field.AFTER | Field.BEFORE | Field.ON:
            return tuple((word, 0) for word in DATES)
        case Field.IN:
            return tuple((word, 0) for word in PLACES)
        case Field.ROLE:
            return _counted(connection, "lower(m.role)", "messages AS m", ticket)
        case Field.TOOL:
            return _tools(connection, capabilities, ticket)
        case Field.IS:
            return _kinds(connection, capabilities, ticket)
        case Field.SESSION | Field.CONVERSATION:
            (ids,) = fetch_columns(connection, [text_cell("s.id")], "FROM sessions AS s", ticket=ticket)
            return tuple((name, 1) for name in sorted(filter(None, ids), reverse=True))
        case Field.PROFILE:
            name = column(capabilities, "sessions", "profile_name", "NULL", alias="s")
            found = _counted(connection, f"COALESCE(NULLIF({name}, ''), '')", "sessions AS s", ticket, empty=True)
            named = ((value or profile or "", many) for value, many in found)
            return tuple((value, many) for value, many in named if value)
        case _:
            name = column(capabilities, "sessions", _SESSION_COLUMNS[field], alias="s")
            return _counted(connection, name, "sessions AS s", ticket)


def _counted(
    connection: Connection, cell: str, rest: str, ticket: Ticket | None, *, empty: bool = False
) -> tuple[tuple[str, int], ...]:
    rows = fetch(
        connection,
        ["value", "many"],
        f"FROM (SELECT {text_cell(cell)} AS value, count(*) AS many FROM {rest} GROUP BY 1)",
        ticket=ticket,
    )
    return _sorted((value, many) for value, many in rows if value is not None and (value or empty))


def _tools(connection: Connection, capabilities: Capabilities, ticket: Ticket | None) -> tuple[tuple[str, int], ...]:
    """By the name on results; where a file has none there, by the names in calls."""
    found = _counted(connection, column(capabilities, "messages", "tool_name"), "messages AS m", ticket)
    if found or "tool_calls" not in capabilities.message_columns:
        return found
    (raw,) = fetch_columns(
        connection, [text_cell("m.tool_calls")], "FROM messages AS m WHERE m.tool_calls IS NOT NULL", ticket=ticket
    )
    names: Counter[str] = Counter()
    for calls in raw:
        names.update({call.name for call in decode_calls(calls) if call.name})
    return _sorted(names.items())


def _kinds(connection: Connection, capabilities: Capabilities, ticket: Ticket | None) -> tuple[tuple[str, int], ...]:
    states = dict(_counted(connection, state_cell(capabilities), "messages AS m", ticket))
    found = [(state.value, states.get(str(place), 0)) for place, state in enumerate(STATES)]
    catalogue = load(connection, capabilities, ticket=ticket)
    counts: Counter[str] = Counter()
    for session_id, link in catalogue.links.items():
        flags, kind = catalogue.flags(session_id), catalogue.lineage.kind(session_id)
        counts["archived"] += flags.archived
        counts["pinned"] += flags.pinned
        counts["running"] += link.open
        counts["branch"] += kind is SessionKind.BRANCH
        counts["child"] += kind is SessionKind.DELEGATE or link.source == SUBAGENT
    return (*found, *((flag, counts[flag]) for flag in FLAGS))


def _sorted(found: Iterable[tuple[str, int]]) -> tuple[tuple[str, int], ...]:
    return tuple(sorted(found, key=lambda row: (-row[1], row[0])))
