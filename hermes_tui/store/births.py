"""At which message of its parent a session began, as far as the store tells.

A sub-agent begins at the call of the tool that starts sub-agents: at the one whose goal is the first thing it was told,
else at the one that was waiting for an answer when it began. A branch begins at the last message it took along.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

from hermes_tui.model import Capabilities, Session, SessionKind, State
from hermes_tui.store.cells import fetch, listed, text_cell, time_cell, times
from hermes_tui.store.connection import Connection, Ticket
from hermes_tui.store.held import STATES, state_cell
from hermes_tui.store.messages import read_messages
from hermes_tui.store.schema import column

TOOL: Final = "delegate_task"
_SLACK: Final = 1.0  # seconds by which two clocks of one program may differ


class Call(NamedTuple):
    """A row that starts sub-agents: when, until when it waited for them (None: it still does), and with which goals."""

    message: int
    session: str
    state: State
    began: float | None
    ended: float | None
    goals: tuple[str, ...]


def births(
    connection: Connection, capabilities: Capabilities, children: Sequence[Session], *, ticket: Ticket | None = None
) -> dict[str, int]:
    """The message at which each of these began, by session; those of which it is not told are left out.

    Raises StoreError and Cancelled.
    """
    delegates = [child for child in children if child.kind is SessionKind.DELEGATE]
    found: dict[str, int] = {}
    if delegates:
        parents = {child.parent_id for child in delegates if child.parent_id is not None}
        calls = _calls(connection, capabilities, sorted(parents), ticket)
        tasks = _tasks(connection, capabilities, [child.id for child in delegates], ticket) if calls else {}
        found |= assigned(calls, delegates, tasks)
    for child in children:
        if child.kind is SessionKind.BRANCH:
            found |= _branched(connection, capabilities, child, ticket)
    return found


def assigned(calls: Sequence[Call], children: Sequence[Session], tasks: Mapping[str, str]) -> dict[str, int]:
    """The call that started each sub-agent; `tasks` has what each was told first. Each goal of a call is used once."""
    free = {call.message: list(call.goals) for call in calls}
    found: dict[str, int] = {}
    ordered = sorted(children, key=lambda child: (child.started_at or 0.0, child.id))
    for child in ordered:
        task = _plain(tasks.get(child.id, ""))
        fitting = [call for call in _before(calls, child) if task and task in free[call.message]]
        if fitting:
            call = max(fitting, key=_newest)
            free[call.message].remove(task)
            found[child.id] = call.message
    for child in ordered:
        if child.id not in found:
            waiting = [call for call in _before(calls, child) if _waited(call, child)]
            if waiting:
                found[child.id] = max(waiting, key=_newest).message
    return found


def _before(calls: Sequence[Call], child: Session) -> list[Call]:
    latest = float("inf") if child.started_at is None else child.started_at + _SLACK
    return [call for call in calls if call.session == child.parent_id and (call.began or 0.0) <= latest]


def _waited(call: Call, child: Session) -> bool:
    return child.started_at is not None and (call.ended is None or child.started_at <= call.ended + _SLACK)


def _newest(call: Call) -> tuple[bool, float, int]:
    """What was not taken back comes first; then what came last."""
    return call.state is not State.REWOUND, call.began or 0.0, call.message


def _plain(text: str) -> str:
    return " ".join(text.split())


def _calls(
    connection: Connection, capabilities: Capabilities, sessions: Sequence[str], ticket: Ticket | None
) -> list[Call]:
    """The calls in these sessions, copies of them left out."""

    def cell(name: str) -> str:
        return column(capabilities, "messages", name)

    where = "FROM messages AS m WHERE m.session_id IN (SELECT value FROM json_each(?))"
    cells = [
        "m.id",
        text_cell("m.session_id"),
        state_cell(capabilities),
        time_cell(cell("timestamp")),
        text_cell(cell("tool_calls")),
    ]
    rest = f"{where} AND m.role = 'assistant' AND instr({cell('tool_calls')}, '{TOOL}') > 0"
    made = sorted(fetch(connection, cells, rest, [listed(sessions)], ticket=ticket))
    if not made:
        return []
    answer = [text_cell("m.session_id"), text_cell(cell("tool_call_id")), time_cell(cell("timestamp"))]
    rest = f"{where} AND m.role = 'tool' AND {cell('tool_call_id')} IS NOT NULL AND {cell('tool_name')} = '{TOOL}'"
    answers = fetch(connection, answer, rest, [listed(sessions)], ticket=ticket)
    ended = {(session, call): times([moment])[0] for session, call, moment in answers}
    found = []
    for message, session, state, moment, raw in made:
        asked = [_asked(call) for call in _listed(raw)]
        until = [ended.get((session, call)) for call, goals in asked if goals]
        goals = tuple(_plain(goal) for _, goals in asked for goal in goals)
        if goals:
            known = [moment for moment in until if moment is not None]
            last = max(known) if len(known) == len(until) else None
            found.append(Call(message, session, STATES[state], times([moment])[0], last, goals))
    return found


def _listed(raw: str | None) -> list[Any]:
    found = _loaded(raw)
    return found if isinstance(found, list) else []


def _loaded(raw: Any) -> Any:
    try:
        return json.loads(raw) if isinstance(raw, str) else raw
    except (ValueError, RecursionError):
        return None


def _asked(call: Any) -> tuple[str | None, list[str]]:
    """The id of a call and the goals it starts sub-agents with; a goal that cannot be told is ""."""
    function = call.get("function") if isinstance(call, dict) else None
    if not isinstance(function, dict) or function.get("name") != TOOL:
        return None, []
    arguments = _loaded(function.get("arguments"))
    tasks = arguments.get("tasks") if isinstance(arguments, dict) else None
    asked = [arguments, *(tasks if isinstance(tasks, list) else ())]
    goals = [task["goal"] for task in asked if isinstance(task, dict) and isinstance(task.get("goal"), str)]
    return call.get("id"), goals or [""]


def _tasks(
    connection: Connection, capabilities: Capabilities, sessions: Sequence[str], ticket: Ticket | None
) -> dict[str, str]:
    """What each session was told first."""
    rest = """
        FROM (SELECT MIN(+m.id) AS first FROM messages AS m
          WHERE m.session_id IN (SELECT value FROM json_each(?)) AND m.role = 'user' GROUP BY m.session_id)
    """
    firsts = [first for (first,) in fetch(connection, ["first"], rest, [listed(sessions)], ticket=ticket)]
    return {
        message.session_id: message.text for message in read_messages(connection, capabilities, firsts, ticket=ticket)
    }


def _branched(
    connection: Connection, capabilities: Capabilities, child: Session, ticket: Ticket | None
) -> dict[str, int]:
    """The last message of its parent that a branch holds a copy of: copies keep their time."""
    time, content = column(capabilities, "messages", "timestamp"), column(capabilities, "messages", "content")
    sql = f"""
        SELECT MAX(p.id) FROM (SELECT m.role AS role, {time} AS said, {content} AS content FROM messages AS m
            WHERE m.session_id = ? AND {time} <= ? ORDER BY m.id DESC LIMIT 1) AS c,
          messages AS p WHERE p.session_id = ? AND p.timestamp = c.said AND p.role = c.role AND p.content IS c.content
    """
    message = connection.value(sql, [child.id, child.started_at or 0.0, child.parent_id], ticket=ticket)
    return {} if message is None else {child.id: message}
