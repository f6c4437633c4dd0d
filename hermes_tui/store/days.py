"""All that was said in a stretch of time, across sessions, in the order it was said.

Each session is asked for its rows of that time by the index of session and time that every release makes. Times that
are no plain seconds sort above all seconds, so those rows are read apart; times before all, and none at all, are
counted: they may belong anywhere.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final, NamedTuple

from hermes_tui.model import Anchor, Capabilities, Day, Kind, Moment, Session, SessionKind, State
from hermes_tui.store.cells import fetch, listed, seekable, size_cell, text_cell, time_cell, times
from hermes_tui.store.connection import Connection, Ticket
from hermes_tui.store.decode import (
    LATEST,
    SENTINELS,
    decode_calls,
    decode_json_texts,
    decode_text,
    kind_of,
    to_text,
)
from hermes_tui.store.folding import Place, same_messages
from hermes_tui.store.held import STATES, state_cell
from hermes_tui.store.scaffold import own_words
from hermes_tui.store.schema import column
from hermes_tui.store.sessions import get_sessions

WIDTH: Final = 200  # characters of an excerpt
HEAD: Final = 4_000  # bytes of a cell that an excerpt is cut from
SESSIONS: Final = 4_000  # sessions asked in one statement
ROWS: Final = 50_000  # ids walked in one statement where messages cannot be looked up by session
CHUNK: Final = 400  # rows whose beginnings are read in one statement

# Session after session by one seek each, whether its row is there or not.
_OWNERS: Final = """
    WITH RECURSIVE owners(id, number) AS (
      SELECT min(session_id), 1 FROM messages WHERE session_id > ?
      UNION ALL
      SELECT (SELECT min(m.session_id) FROM messages AS m WHERE m.session_id > owners.id), number + 1
        FROM owners WHERE owners.id IS NOT NULL AND number < {many})
    SELECT id FROM owners WHERE id IS NOT NULL
"""
_FIRST_TEXT: Final = re.compile(r'"(?:text|content|output)":\s*("(?:[^"\\]|\\.)*)')
_FIRST_NAME: Final = re.compile(r'"name":\s*"([^"\\]{1,80})"')


class _Row(NamedTuple):
    id: int
    session: str
    time: float
    state: State
    hidden: bool  # whether something marks it as not to be painted
    role: str
    size: int


def day(
    connection: Connection,
    capabilities: Capabilities,
    start: float,
    end: float,
    *,
    limit: int | None = None,
    ticket: Ticket | None = None,
) -> Day:
    """What was said from `start` to before `end` (Unix seconds), ties by id.

    Left out and counted are rows taken back and rows that are never painted. A message that compaction or a branch has
    stored again is told once, where it was said. Raises StoreError and Cancelled.
    """
    if "timestamp" not in capabilities.message_columns:
        everything = int(connection.value("SELECT count(*) FROM messages", ticket=ticket))
        return Day(start=start, end=end, moments=(), undated=everything)
    rows, undated = _rows_between(connection, capabilities, start, end, ticket)
    rows = _once(connection, capabilities, rows, ticket)
    counts = Counter("rewound" for row in rows if row.state is State.REWOUND)
    rows = [row for row in rows if row.state is not State.REWOUND]
    marked = _spoken(connection, capabilities, [row for row in rows if row.hidden], ticket)
    unseen = {key for key, said in marked.items() if said[0] is Kind.HIDDEN}
    counts["hidden"] += len(unseen)
    rows = sorted((row for row in rows if row.id not in unseen), key=lambda row: (row.time, row.id))
    shown = rows[:limit]
    said = _spoken(connection, capabilities, shown, ticket)
    owners = _owners(connection, capabilities, (row.session for row in shown), ticket)
    return Day(
        start=start,
        end=end,
        moments=tuple(
            Moment(
                anchor=Anchor(row.session, row.id),
                timestamp=row.time,
                role=row.role,
                kind=kind,
                tool_name=tool,
                state=row.state,
                excerpt=excerpt,
                session=owners[row.session],
            )
            for row in shown
            for kind, tool, excerpt in [said.get(row.id, (Kind.TURN, None, ""))]
        ),
        sessions=len({row.session for row in rows}),
        undated=undated,
        truncated=len(shown) < len(rows),
        total=len(rows),
        hidden=tuple((reason, many) for reason, many in sorted(counts.items()) if many),
    )


def _rows_between(
    connection: Connection, capabilities: Capabilities, start: float, end: float, ticket: Ticket | None
) -> tuple[list[_Row], int]:
    """Every row of that time, and how many rows have no time that can be read."""
    shown = column(capabilities, "messages", "display_kind")
    metadata = column(capabilities, "messages", "display_metadata")
    cells = [
        "m.id",
        text_cell("m.session_id"),
        time_cell("m.timestamp"),
        state_cell(capabilities),
        f"COALESCE({shown} = 'hidden', 0) OR COALESCE(instr({metadata}, 'model_only') > 0, 0)",
        text_cell(column(capabilities, "messages", "role")),
        " + ".join(size_cell(column(capabilities, "messages", name)) for name in ("content", "tool_calls")),
    ]
    rows: list[_Row] = []
    undated = 0
    for whose, params in _portions(connection, ticket):
        within = "m.timestamp >= ? AND m.timestamp < ?"
        odd = f"m.timestamp > {LATEST}"
        for when, asked in ((within, (start, end)), (odd, ())):
            found = fetch(connection, cells, f"{whose} AND {when}", [*params, *asked], ticket=ticket)
            for (key, session, _, state, hidden, role, size), moment in zip(
                found, times(row[2] for row in found), strict=True
            ):
                if moment is None:
                    undated += 1
                elif start <= moment < end:
                    rows.append(_Row(key, session or "", moment, STATES[state], bool(hidden), role or "", size))
        for when in ("m.timestamp IS NULL", "m.timestamp < 0"):
            undated += int(connection.value(f"SELECT count(*) {whose} AND {when}", params, ticket=ticket))
    return rows, undated


def _portions(connection: Connection, ticket: Ticket | None) -> Iterator[tuple[str, list[Any]]]:
    """FROM and WHERE for all messages, in portions that are short statements."""
    if seekable(connection, ticket=ticket):
        last = ""
        while True:
            owners = f"SELECT json_group_array(id) FROM ({_OWNERS.format(many=SESSIONS)})"
            ids: list[str] = connection.json(owners, [last], ticket=ticket)
            if ids:
                yield "FROM messages AS m WHERE m.session_id IN (SELECT value FROM json_each(?))", [listed(ids)]
            if len(ids) < SESSIONS:
                return
            last = ids[-1]
    low, high = connection.json(
        "SELECT json_array((SELECT min(id) FROM messages), (SELECT max(id) FROM messages))", ticket=ticket
    )
    for first in range(low or 0, (high or -1) + 1, ROWS):
        yield "FROM messages AS m WHERE m.id >= ? AND m.id < ?", [first, first + ROWS]


def _once(
    connection: Connection, capabilities: Capabilities, rows: Sequence[_Row], ticket: Ticket | None
) -> list[_Row]:
    """Without the copies of a message: of those most alive, the first stands for all."""
    numbers = {session: number for number, session in enumerate(sorted({row.session for row in rows}))}
    known = {row.id: row for row in rows}
    places = (Place(numbers[row.session], row.id, row.state, row.role, row.time, row.size) for row in rows)
    gone: set[int] = set()
    for group in same_messages(connection, capabilities, places, ticket=ticket):
        standing = min(group, key=lambda place: (STATES.index(place.state), place.id))
        gone.update(place.id for place in group if place.id != standing.id)
    return [row for key, row in known.items() if key not in gone]


def _owners(
    connection: Connection, capabilities: Capabilities, ids: Iterable[str], ticket: Ticket | None
) -> dict[str, Session]:
    """The sessions by id; one whose row is not there is told by its id alone."""
    wanted = list(dict.fromkeys(ids))
    found = {each.id: each for each in get_sessions(connection, capabilities, wanted, ticket=ticket)} if wanted else {}
    return {
        key: found.get(key)
        or Session(id=key, source="unknown", kind=SessionKind.ORPHAN, conversation=key, segments=(key,))
        for key in wanted
    }


def _spoken(
    connection: Connection, capabilities: Capabilities, rows: Sequence[_Row], ticket: Ticket | None
) -> dict[int, tuple[Kind, str | None, str]]:
    """The kind, the tool and an excerpt of each row, told from the beginning of what is stored."""

    def cell(name: str) -> str:
        return column(capabilities, "messages", name)

    def head(name: str) -> str:
        return f"CAST(substr(CAST({cell(name)} AS BLOB), 1, {HEAD}) AS TEXT)"

    cells = [
        "m.id",
        *(text_cell(cell(name)) for name in ("tool_name", "display_kind", "display_metadata", "_compressed_summary")),
        head("content"),
        f"{size_cell(cell('content'))} <= {HEAD}",
        f"CASE WHEN COALESCE({cell('content')}, '') = '' THEN {head('tool_calls')} END",
        f"CASE WHEN COALESCE({cell('content')}, '') = '' THEN {head('codex_message_items')} END",
    ]
    roles = {row.id: row.role for row in rows}
    said: dict[int, tuple[Kind, str | None, str]] = {}
    for start in range(0, len(rows), CHUNK):
        rest = "FROM messages AS m WHERE m.id IN (SELECT value FROM json_each(?))"
        asked = [listed(row.id for row in rows[start : start + CHUNK])]
        for key, tool, shown, metadata, summary, raw, whole, calls, items in fetch(
            connection, cells, rest, asked, ticket=ticket
        ):
            text = _beginning(raw, roles[key], whole=bool(whole))
            kind = kind_of(roles[key], text, shown, metadata, summary)
            text = (own_words(text) or text) if roles[key] == "user" else text
            said[key] = kind, tool, _one_line(text or decode_json_texts(items) or _called(calls))
    return said


def _beginning(raw: str | None, role: str, *, whole: bool) -> str:
    """What a person reads at the beginning of a content that may be cut off."""
    text = to_text(raw)
    if whole:
        return decode_text(text, role)
    if text.startswith(SENTINELS) or (role == "tool" and text.startswith(("{", "["))):
        found = _FIRST_TEXT.search(text)
        if found is not None:
            return _unescaped(found[1])
    return text


def _unescaped(cut: str) -> str:
    """A JSON string that may lack its end."""
    return decode_json_texts(f'[{{"text": {cut}"}}]') or cut[1:]


def _called(calls: str | None) -> str:
    """The calls of a row that says nothing itself."""
    if not calls:
        return ""
    found = decode_calls(calls)
    if len(found) == 1 and not found[0].name:  # cut off
        return " ".join(_FIRST_NAME.findall(calls)[:1])
    return " · ".join(f"{call.name} {call.arguments}" for call in found)


def _one_line(text: str) -> str:
    line = " ".join(text[: WIDTH * 20].split())
    return line if len(line) <= WIDTH else line[: WIDTH - 1].rstrip() + "…"
