"""The rows of one session without their texts, by id, and whether they are still what they were."""

from __future__ import annotations

import re
from array import array
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import repeat
from operator import mul
from typing import Any, Final

from hermes_tui.model import Capabilities, Counts, Kind, OutlineRow, State
from hermes_tui.model.record import dataclass
from hermes_tui.store.cells import fetch, fetch_columns, listed, size_cell, text_cell, time_cell, times
from hermes_tui.store.connection import Connection, Ticket
from hermes_tui.store.decode import SENTINELS, kind_of, to_text
from hermes_tui.store.readable import NotJsonError, parse
from hermes_tui.store.scaffold import STARTS
from hermes_tui.store.schema import column

STATES: Final = (State.LIVE, State.COMPACTED, State.REWOUND)  # what `state_cell` counts by
_BLANKS: Final = "char(9, 10, 11, 12, 13, 32)"
_HEAD: Final = 400  # bytes in which a row of several parts shows how its first text begins
_FIRST_TEXT: Final = re.compile(r'"text":\s*("(?:[^"\\]|\\.)*)')

# A row is brought over as id, time and one number: bits of its role, state and so on below its size. Three short
# columns are written and read in half the time of seven.
_ROLES: Final = ("tool", "user", "assistant", "")  # "" stands for every other one
_CALLS: Final = 3  # added to the place of the state for a row that calls tools
_ROLE: Final = 6  # times the place of the role
_SUSPECT: Final = 24  # added for a row that may be anything but a turn or a tool result
_BITS: Final = 6
_FLAGS: Final = range(1 << _BITS)
_STATE_OF: Final = [STATES[flag % _CALLS] for flag in _FLAGS]
_CALLS_OF: Final = [flag % _ROLE >= _CALLS for flag in _FLAGS]
_ROLE_OF: Final = [_ROLES[flag % _SUSPECT // _ROLE] for flag in _FLAGS]
_KIND_OF: Final = [Kind.TOOL if role == "tool" else Kind.TURN for role in _ROLE_OF]

# Two readings of the same rows are compared by sums that any change moves, and that SQLite works out in passing. They
# are kept small, since SQLite fails where a sum is too large for it.
_SPREAD: Final = 251
_SMALL: Final = 1_000_003


@dataclass(frozen=True, slots=True)
class Held:
    """The rows of one session, by id, none folded."""

    session_id: str
    rows: Sequence[OutlineRow]
    marks: array[int]  # as brought over, in the order of the rows
    clock: int  # a sum over the times as brought over
    odd: Mapping[int, tuple[str, Kind]]  # role and kind of rows that are, or might be, no turn and no tool result
    counts: Counts
    sums: tuple[int, ...] | None = None  # what they are told by when they are read again, once that was needed

    @property
    def summarised(self) -> bool:
        """Whether a machine's summary is among them."""
        return any(kind is Kind.SUMMARY for _, kind in self.odd.values())

    @property
    def last(self) -> int:
        """The highest id; 0 without rows."""
        return self.rows[-1].id if self.rows else 0


def state_cell(capabilities: Capabilities) -> str:
    """SQL for the place of a row's state in STATES; see `decode.state_of`."""
    active = column(capabilities, "messages", "active", "1")
    compacted = column(capabilities, "messages", "compacted", "0")
    return f"CASE WHEN COALESCE({active}, 1) <> 0 THEN 0 WHEN COALESCE({compacted}, 0) <> 0 THEN 1 ELSE 2 END"


def held(
    connection: Connection,
    capabilities: Capabilities,
    session_id: str,
    *,
    known: Held | None = None,
    ticket: Ticket | None = None,
) -> Held:
    """The rows of a session. Of `known`, an earlier reading of it, only what came since is read where nothing else
    changed. Raises StoreError and Cancelled."""
    if known is not None and known.rows and known.sums is None:
        known = replace(known, sums=_sums(known))
    if known is None or not known.rows or not _stands(connection, capabilities, known, ticket):
        return _read(connection, capabilities, session_id, 0, ticket)
    added = _read(connection, capabilities, session_id, known.last, ticket)
    if not added.rows:
        return known
    both = zip(known.sums or (), _sums(added), strict=True)
    return Held(
        session_id,
        [*known.rows, *added.rows],
        known.marks + added.marks,
        known.clock + added.clock,
        {**known.odd, **added.odd},
        total((known.counts, added.counts)),
        tuple(map(sum, both)),
    )


def total(each: Iterable[Counts]) -> Counts:
    """The sum."""
    live, compacted, rewound = zip(*((counts.live, counts.compacted, counts.rewound) for counts in each), strict=True)
    return Counts(sum(live), sum(compacted), sum(rewound))


def compared_sizes(
    connection: Connection, capabilities: Capabilities, ids: Sequence[int], *, ticket: Ticket | None = None
) -> dict[int, int]:
    """How many bytes each of these rows has of what makes two rows the same message."""
    cells = [size_cell(column(capabilities, "messages", name)) for name in ("content", "tool_calls")]
    rest = "FROM messages AS m WHERE m.id IN (SELECT value FROM json_each(?))"
    return dict(fetch(connection, ["m.id", " + ".join(cells)], rest, [listed(ids)], ticket=ticket))


def _read(
    connection: Connection, capabilities: Capabilities, session_id: str, after: int, ticket: Ticket | None
) -> Held:
    """The rows of a session behind the id `after`."""
    cells = ["m.id", _mark(capabilities), time_cell(column(capabilities, "messages", "timestamp"))]
    rest = "FROM messages AS m WHERE m.session_id = ?" + (" AND m.id > ?" if after else "")
    columns = fetch_columns(connection, cells, rest, [session_id, *([after] if after else ())], ticket=ticket)
    ids, marks, moments = _by_id(columns)
    flags = [mark & len(_FLAGS) - 1 for mark in marks]
    suspects = [at for at, flag in enumerate(flags) if flag >= _SUSPECT]
    odd = odd_rows(connection, capabilities, [ids[at] for at in suspects], ticket)
    fields = zip(
        ids,
        repeat(session_id, len(ids)),
        map(_ROLE_OF.__getitem__, flags),
        map(_STATE_OF.__getitem__, flags),
        map(_KIND_OF.__getitem__, flags),
        [mark >> _BITS for mark in marks],
        times(moments),
        repeat(1, len(ids)),
        map(_CALLS_OF.__getitem__, flags),
        strict=True,
    )
    rows: list[OutlineRow] = list(
        map(tuple.__new__, repeat(OutlineRow), fields)
    )  # the constructor takes four times as long
    for at in suspects:
        role, kind = odd.get(ids[at], (rows[at].role, rows[at].kind))
        rows[at] = rows[at]._replace(role=role, kind=kind)
    many = Counter(flags)
    states = [sum(count for flag, count in many.items() if flag % _CALLS == state) for state in range(len(STATES))]
    clock = sum([abs(moment) % _SMALL for moment in moments if moment.__class__ is int])
    return Held(session_id, rows, array("q", marks), clock, odd, Counts(*states))


def _by_id(columns: list[list[Any]]) -> list[list[Any]]:
    """The columns in the order of the first; files differ in the index that SQLite goes by."""
    ids = columns[0]
    order = sorted(range(len(ids)), key=ids.__getitem__)
    return columns if order == list(range(len(ids))) else [[each[at] for at in order] for each in columns]


def _mark(capabilities: Capabilities) -> str:
    """SQL for the one number."""

    def cell(name: str) -> str:
        return column(capabilities, "messages", name)

    calls, reasoning = cell("tool_calls"), f"COALESCE(NULLIF({cell('reasoning')}, ''), {cell('reasoning_content')})"
    size = " + ".join(size_cell(each) for each in (cell("content"), calls, reasoning))
    roles = " ".join(f"WHEN '{role}' THEN {at * _ROLE}" for at, role in enumerate(_ROLES[:-1]))
    return f"""(({size}) << {_BITS}) + ({state_cell(capabilities)})
        + CASE WHEN {calls} BETWEEN '[_' AND '[~' THEN {_CALLS} ELSE 0 END
        + CASE m.role {roles} ELSE {(len(_ROLES) - 1) * _ROLE} END
        + CASE WHEN {_suspect(capabilities)} THEN {_SUSPECT} ELSE 0 END"""


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
        OR COALESCE({cell("_compressed_summary")}, 0) <> 0 OR m.role IS NULL
        OR (m.role <> 'tool' AND (m.role NOT IN ('user', 'assistant') OR ({likely} AND ({signs} OR {parts})))))"""


def odd_rows(
    connection: Connection, capabilities: Capabilities, ids: Sequence[int], ticket: Ticket | None
) -> dict[int, tuple[str, Kind]]:
    """Role and kind of rows that may be no turns, with a look at their text."""
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
        message: (role or "", kind_of(role or "", _start(to_text(raw)), shown, metadata, summary))
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


# Whether rows are still what they were.


def _stands(connection: Connection, capabilities: Capabilities, known: Held, ticket: Ticket | None) -> bool:
    """Whether nothing that an outline tells of these rows changed since."""
    moment = time_cell(column(capabilities, "messages", "timestamp"))
    # One row after the other is worked out once, by a subquery that SQLite may not take apart.
    rest = f"""
        FROM (SELECT m.id AS id, {_mark(capabilities)} AS mark, {moment} AS moment FROM messages AS m
          WHERE m.session_id = ? AND m.id <= ? LIMIT -1)
    """
    clock = f"CASE WHEN typeof(moment) = 'integer' THEN abs(moment) % {_SMALL} ELSE 0 END"
    sums = ["COUNT(*)", f"SUM(abs(id) % {_SMALL})", "SUM(mark)", f"SUM(mark * (abs(id) % {_SPREAD}))", f"SUM({clock})"]
    sql = f"SELECT json_array({', '.join(sums)}) {rest}"
    if connection.json(sql, [known.session_id, known.last], ticket=ticket) != list(known.sums or _sums(known)):
        return False
    return odd_rows(connection, capabilities, list(known.odd), ticket) == known.odd


def _sums(known: Held) -> tuple[int, ...]:
    ids = [abs(row.id) for row in known.rows]
    spread = sum(map(mul, known.marks, [message % _SPREAD for message in ids]))
    return (len(ids), sum([message % _SMALL for message in ids]), sum(known.marks), spread, known.clock)


def _quoted(text: str) -> str:
    return text.replace("'", "''")


def _blob(text: str) -> str:
    return f"x'{text.encode().hex()}'"
