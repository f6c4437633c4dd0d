"""One session in full: every column, its prompt and tools, what each model used, what its tool calls touched."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final

from hermes_tui.model import Capabilities, Details, Session, Touch, Usage
from hermes_tui.store.cells import fetch, number_cell, text_cell
from hermes_tui.store.connection import Connection, Ticket
from hermes_tui.store.decode import to_text
from hermes_tui.store.details import detailed
from hermes_tui.store.schema import column
from hermes_tui.store.sessions import get_session
from hermes_tui.store.touched import Reading, calling_rows, told
from hermes_tui.store.tree import related

USAGE: Final = "session_model_usage"
_COUNTED: Final = (
    "input_tokens",
    "output_tokens",
    "cache_read_tokens",
    "cache_write_tokens",
    "reasoning_tokens",
    "api_call_count",
)


def dossier(
    connection: Connection, capabilities: Capabilities, session_id: str, *, ticket: Ticket | None = None
) -> Details:
    """All there is to say of one session. Raises KeyError where there is none of that id, StoreError and Cancelled."""
    session = get_session(connection, capabilities, session_id, ticket=ticket)
    if session is None:
        raise KeyError(session_id)
    alone = session._replace(segments=(session_id,))
    (whole,) = detailed(connection, capabilities, [alone], ticket=ticket)
    columns = _columns(connection, session_id, ticket)
    return Details(
        session=whole._replace(segments=session.segments),
        columns=columns,
        system_prompt=_stored(connection, capabilities, dict(columns), "system_prompt_hash", "system_prompt", ticket),
        tools=_tools(_stored(connection, capabilities, dict(columns), "tool_names", "tool_names", ticket)),
        usage=_usage(connection, capabilities, session, ticket),
        touches=_touches(connection, capabilities, session, ticket),
        tree=_family(connection, capabilities, session_id, ticket),
    )


def _columns(connection: Connection, session_id: str, ticket: Ticket | None) -> tuple[tuple[str, object], ...]:
    """Every cell of the row as it is stored, in the order of the table; bytes as text."""
    listing = "SELECT name FROM pragma_table_xinfo('sessions') WHERE hidden <> 1 ORDER BY cid"
    names = [str(name) for (name,) in connection.rows(listing, ticket=ticket)]
    asked = ", ".join('"' + name.replace('"', '""') + '"' for name in names)
    found = connection.rows(f"SELECT {asked} FROM sessions WHERE id = ?", [session_id], ticket=ticket)
    cells = found[0] if found else ()
    return tuple((name, to_text(cell) if isinstance(cell, bytes) else cell) for name, cell in zip(names, cells))  # noqa: B905


def _stored(
    connection: Connection,
    capabilities: Capabilities,
    columns: dict[str, object],
    by_hash: str,
    inline: str,
    ticket: Ticket | None,
) -> str | None:
    """A text that stands in the row, or in system_prompts under the hash that does; None where there is none."""
    key = columns.get(by_hash)
    if key is not None and "system_prompts" in capabilities.tables:
        sql = f"SELECT {text_cell('prompt')} FROM system_prompts WHERE hash = ?"
        text = connection.value(sql, [key], ticket=ticket)
        if text is not None:
            return to_text(text)
    found = columns.get(inline)
    return None if found is None else to_text(found)


def _tools(text: str | None) -> tuple[str, ...]:
    """The names in what the agent notes of its tools: a list of names, or of definitions, bare or in an object."""
    try:
        value: Any = json.loads(text or "[]")
    except (ValueError, RecursionError):
        return ()
    if isinstance(value, dict):
        value = value.get("tools")
    names = []
    for item in value if isinstance(value, list) else ():
        inner = item.get("function", item) if isinstance(item, dict) else item
        name = inner.get("name") if isinstance(inner, dict) else inner
        if isinstance(name, str) and name:
            names.append(name)
    return tuple(names)


def _usage(
    connection: Connection, capabilities: Capabilities, session: Session, ticket: Ticket | None
) -> tuple[Usage, ...]:
    """By model and task. What the main conversation used the session sums up besides, so its row speaks only where
    the table of models says nothing of it."""
    by_model = _usage_by_model(connection, capabilities, session.id, ticket)
    if any(not usage.task for usage in by_model):
        return by_model
    names = [column(capabilities, "sessions", name, alias="s") for name in _COUNTED]
    cells = [number_cell(name) for name in names]
    cells.append(number_cell(_cost(lambda name: column(capabilities, "sessions", name, alias="s"))))
    ((*counts, cost),) = fetch(connection, cells, "FROM sessions AS s WHERE s.id = ?", [session.id], ticket=ticket)
    whole = _told(session.model or "", "", counts, cost)
    told = any((whole.input, whole.output, whole.calls, whole.cost_usd))
    return (whole, *by_model) if told or (whole.model and not by_model) else by_model


def _usage_by_model(
    connection: Connection, capabilities: Capabilities, session_id: str, ticket: Ticket | None
) -> tuple[Usage, ...]:
    if USAGE not in capabilities.tables:
        return ()
    held = {row[0] for row in connection.rows(f"SELECT name FROM pragma_table_xinfo('{USAGE}')", ticket=ticket)}
    if "session_id" not in held or "model" not in held:
        return ()

    def cell(name: str) -> str:
        return f"u.{name}" if name in held else "NULL"

    sums = [f"SUM({cell(name)}) AS {name}" for name in _COUNTED]
    task = f"COALESCE({text_cell(cell('task'))}, '')"
    rest = f"""
        FROM (SELECT {text_cell("u.model")} AS model, {task} AS task, {", ".join(sums)}, SUM({_cost(cell)}) AS cost
          FROM {USAGE} AS u WHERE u.session_id = ? GROUP BY 1, 2)
    """
    cells = ["model", "task", *map(number_cell, _COUNTED), number_cell("cost")]
    found = fetch(connection, cells, rest, [session_id], ticket=ticket)
    told = [_told(model or "", task or "", counts, cost) for model, task, *counts, cost in found]
    return tuple(sorted(told, key=lambda usage: (usage.task, -(usage.input or 0) - (usage.output or 0), usage.model)))


def _cost(cell: Any) -> str:
    """SQL for the cost: what was charged, else what it was estimated to be (where nothing is charged yet, 0 stands)."""
    return f"COALESCE(NULLIF({cell('actual_cost_usd')}, 0), {cell('estimated_cost_usd')}, {cell('actual_cost_usd')})"


def _told(model: str, task: str, counts: Sequence[Any], cost: Any) -> Usage:
    received, sent, read, written, reasoning, calls = map(_count, counts)
    dollars = float(cost) if isinstance(cost, int | float) else None
    return Usage(model, task, received, sent, read, written, reasoning, dollars, calls)


def _count(cell: Any) -> int | None:
    return int(cell) if isinstance(cell, int | float) else None


def _touches(
    connection: Connection, capabilities: Capabilities, session: Session, ticket: Ticket | None
) -> tuple[Touch, ...]:
    """The first call of each path and deed in the whole conversation, in reading order."""
    if "tool_calls" not in capabilities.message_columns:
        return ()
    reading = Reading(connection, capabilities, ticket)
    reading.read(calling_rows(connection, session.segments, ticket=ticket), lambda act: True)
    firsts: dict[tuple[str, str], Touch] = {}
    for act in sorted(reading.acts, key=lambda act: act.message):
        key = (act.full, act.deed.value)
        known = firsts.get(key)
        firsts[key] = told(act, session) if known is None else replace(known, count=known.count + 1)
    return tuple(firsts.values())


def _family(connection: Connection, capabilities: Capabilities, session_id: str, ticket: Ticket | None) -> int:
    """How many sessions of its lineage are there."""
    ids = related(connection, capabilities, session_id, ticket=ticket)
    sql = "SELECT count(*) FROM sessions WHERE id IN (SELECT value FROM json_each(?))"
    return int(connection.value(sql, [json.dumps(ids)], ticket=ticket))
