"""A conversation without its texts: every row in reading order, its state, its kind, its size.

Reading order is by session of the chain, then by id; never by time, since clocks step back.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import repeat
from operator import add, attrgetter
from typing import Final, NamedTuple

from hermes_tui.model import Capabilities, Compaction, Counts, Kind, OutlineRow, Session, SessionKind, State, Transcript
from hermes_tui.store.catalogue import NO_FACE, faces, load
from hermes_tui.store.cells import fetch, fetch_columns, listed, size_cell, text_cell, time_cell, times
from hermes_tui.store.connection import Connection, Ticket
from hermes_tui.store.decode import SENTINELS, kind_of, to_text
from hermes_tui.store.folding import Place, same_messages, stand_in
from hermes_tui.store.generations import compactions
from hermes_tui.store.readable import NotJsonError, parse
from hermes_tui.store.scaffold import STARTS
from hermes_tui.store.schema import column

STATES: Final = (State.LIVE, State.COMPACTED, State.REWOUND)  # what `state_cell` counts by
_STATES: Final = STATES + STATES  # the same for rows that call tools
_BLANKS: Final = "char(9, 10, 11, 12, 13, 32)"
_HEAD: Final = 400  # bytes in which a row of several parts shows how its first text begins
_FIRST_TEXT: Final = re.compile(r'"text":\s*("(?:[^"\\]|\\.)*)')


class _Held(NamedTuple):
    """The rows of one session, by id, none folded. `compared` has the size of what makes two rows the same message."""

    rows: list[OutlineRow]
    compared: dict[int, int]
    counts: Counts
    summarised: bool  # whether a machine's summary is among them


def state_cell(capabilities: Capabilities) -> str:
    """SQL for the place of a row's state in STATES; see `decode.state_of`."""
    active = column(capabilities, "messages", "active", "1")
    compacted = column(capabilities, "messages", "compacted", "0")
    return f"CASE WHEN COALESCE({active}, 1) <> 0 THEN 0 WHEN COALESCE({compacted}, 0) <> 0 THEN 1 ELSE 2 END"


def _calls(cell: str) -> str:
    """SQL for what a row that calls tools counts on top of its state: a list of objects, told from its beginning."""
    return f"CASE WHEN {cell} BETWEEN '[_' AND '[~' THEN {len(STATES)} ELSE 0 END"


def transcript(
    connection: Connection, capabilities: Capabilities, session_id: str, *, ticket: Ticket | None = None
) -> Transcript:
    """The conversation that holds the session. Its sessions come with their counts, without preview and status.

    Raises KeyError where there is no such session, StoreError and Cancelled.
    """
    catalogue = load(connection, capabilities, [session_id], ticket=ticket)
    chain = catalogue.lineage.chain(session_id)
    if not chain:
        return _orphaned(connection, capabilities, session_id, ticket)
    shown = faces(connection, capabilities, chain, ticket=ticket)
    held = [_held(connection, capabilities, segment, ticket) for segment in chain]
    segments = tuple(
        replace(catalogue.session(segment, shown.get(segment, NO_FACE)), counts=each.counts)
        for segment, each in zip(chain, held, strict=True)
    )
    rows, stands_for, cuts = _fold(connection, capabilities, held, ticket)
    return Transcript(
        session=segments[chain.index(session_id)],
        segments=segments,
        rows=tuple(rows),
        counts=_sum(each.counts for each in held),
        stands_for=stands_for,
        compactions=cuts,
    )


def _orphaned(connection: Connection, capabilities: Capabilities, session_id: str, ticket: Ticket | None) -> Transcript:
    """Messages whose session has no row: what is left of it is read all the same. Raises KeyError without any."""
    held = _held(connection, capabilities, session_id, ticket)
    if not held.rows:
        raise KeyError(session_id)
    session = Session(
        id=session_id,
        source="unknown",
        kind=SessionKind.ORPHAN,
        conversation=session_id,
        segments=(session_id,),
        counts=held.counts,
    )
    rows, stands_for, cuts = _fold(connection, capabilities, [held], ticket)
    return Transcript(session, (session,), tuple(rows), held.counts, stands_for, cuts)


def _fold(
    connection: Connection, capabilities: Capabilities, held: Sequence[_Held], ticket: Ticket | None
) -> tuple[list[OutlineRow], dict[int, int], tuple[Compaction, ...]]:
    """One row for each message, at the place of its first; copy -> the row that stands for it; and the cuts."""
    rows = [row for each in held for row in each.rows]
    if len(held) == 1 and held[0].counts.live == len(rows):
        return rows, {}, compactions([rows], {}, frozenset()) if held[0].summarised else ()
    traits = [(row.role, row.timestamp, each.compared[row.id]) for each in held for row in each.rows]
    often = Counter(traits)
    alike = {row.id: (row, trait) for row, trait in zip(rows, traits, strict=True) if often[trait] > 1}
    segments = {each.rows[0].session_id: number for number, each in enumerate(held) if each.rows}
    places = (Place(segments[row.session_id], row.id, row.state, *trait) for row, trait in alike.values())
    firsts: dict[int, OutlineRow] = {}  # id of the first row of a message that is folded -> what stands in its place
    shown: dict[int, OutlineRow] = {}  # the same for every folded row
    stands_for: dict[int, int] = {}
    for group in same_messages(connection, capabilities, places, ticket=ticket):
        standing = stand_in(group)
        row = firsts[group[0].id] = replace(alike[standing.id][0], copies=len(group))
        shown |= {place.id: row for place in group}
        stands_for |= {place.id: standing.id for place in group if place is not standing}
    repeats = shown.keys() - firsts.keys()
    read = [firsts.get(row.id, row) for row in rows if row.id not in repeats]
    return read, stands_for, compactions([each.rows for each in held], shown, repeats)


def _held(connection: Connection, capabilities: Capabilities, session_id: str, ticket: Ticket | None) -> _Held:
    def cell(name: str) -> str:
        return column(capabilities, "messages", name)

    reasoning = f"COALESCE(NULLIF({cell('reasoning')}, ''), {cell('reasoning_content')})"
    cells = [
        "m.id",
        text_cell("m.role"),
        f"({state_cell(capabilities)}) + {_calls(cell('tool_calls'))}",
        f"{size_cell(cell('content'))} + {size_cell(cell('tool_calls'))}",
        size_cell(reasoning),
        time_cell(cell("timestamp")),
        f"CASE WHEN {_suspect(capabilities)} THEN m.id END",
    ]
    rest = "FROM messages AS m WHERE m.session_id = ?"
    ids, roles, states, sizes, thoughts, moments, suspects = fetch_columns(
        connection, cells, rest, [session_id], ticket=ticket
    )
    odd = _kinds(connection, capabilities, [message for message in suspects if message is not None], ticket)
    kinds = [
        odd.get(message) or (Kind.TOOL if role == "tool" else Kind.TURN)
        for message, role in zip(ids, roles, strict=True)
    ]
    rows = list(
        map(
            OutlineRow,
            ids,
            repeat(session_id),
            [role or "" for role in roles],
            [_STATES[state] for state in states],
            kinds,
            map(add, sizes, thoughts),
            times(moments),
            repeat(1),
            [state >= len(STATES) for state in states],
        )
    )
    rows.sort(key=attrgetter("id"))
    many = Counter(states)
    counts = Counts(*(many[number] + many[number + len(STATES)] for number in range(len(STATES))))
    return _Held(rows, dict(zip(ids, sizes, strict=True)), counts, Kind.SUMMARY in odd.values())


def _suspect(capabilities: Capabilities) -> str:
    """SQL: whether a row may be anything but a turn or a tool result, told from its first character for most rows."""

    def cell(name: str) -> str:
        return column(capabilities, "messages", name)

    content = cell("content")
    start = f"ltrim(substr({content}, 1, 300), {_BLANKS})"
    firsts = _quoted("".join(sorted({sign[0] for sign in STARTS})))
    signs = " OR ".join(f"substr({start}, 1, {len(sign)}) = '{_quoted(sign)}'" for sign in STARTS)
    parts = " OR ".join(f"substr(CAST({content} AS BLOB), 1, 6) = {_blob(sign)}" for sign in SENTINELS)
    # A text that begins with a NUL has an empty first character, which every text holds.
    likely = f"{content} <> '' AND instr('{firsts}' || {_BLANKS}, substr({content}, 1, 1))"
    return f"""(
        {cell("display_kind")} IS NOT NULL OR COALESCE(instr({cell("display_metadata")}, 'model_only'), 0) > 0
        OR COALESCE({cell("_compressed_summary")}, 0) <> 0
        OR (m.role <> 'tool' AND (m.role NOT IN ('user', 'assistant') OR ({likely} AND ({signs} OR {parts})))))"""


def _kinds(
    connection: Connection, capabilities: Capabilities, ids: Sequence[int], ticket: Ticket | None
) -> dict[int, Kind]:
    """The kinds of the suspects, with a look at their text."""
    if not ids:
        return {}

    def cell(name: str) -> str:
        return column(capabilities, "messages", name)

    head = f"CAST(substr(CAST({cell('content')} AS BLOB), 1, {_HEAD}) AS TEXT)"
    handover = f"instr(substr({cell('content')}, 1, 300), '[') > 0"  # only these are judged by how they end
    cells = [
        "m.id",
        text_cell("m.role"),
        f"CASE WHEN m.role <> 'tool' AND {handover} THEN {text_cell(cell('content'))} ELSE {head} END",
        *(text_cell(cell(name)) for name in ("display_kind", "display_metadata", "_compressed_summary")),
    ]
    rest = "FROM messages AS m WHERE m.id IN (SELECT value FROM json_each(?))"
    return {
        message: kind_of(role or "", _start(to_text(raw)), shown, metadata, summary)
        for message, role, raw, shown, metadata, summary in fetch(connection, cells, rest, [listed(ids)], ticket=ticket)
    }


def _start(text: str) -> str:
    """How the readable text begins, from the first bytes of what is stored."""
    if not text.startswith(SENTINELS):
        return text
    found = _FIRST_TEXT.search(text)
    if found is None:
        return ""
    try:
        return str(parse(found[1].rstrip("\\") + '"'))
    except NotJsonError:
        return ""


def _sum(each: Iterable[Counts]) -> Counts:
    live, compacted, rewound = zip(*((counts.live, counts.compacted, counts.rewound) for counts in each), strict=True)
    return Counts(sum(live), sum(compacted), sum(rewound))


def _quoted(text: str) -> str:
    return text.replace("'", "''")


def _blob(text: str) -> str:
    return f"x'{text.encode().hex()}'"
