"""Which rows the full-text indexes cannot speak for, because what is stored is not what is read.

The word index holds the raw text: behind a NUL, past a cut, in escapes of JSON or stuck to a script without spaces, a
word of the decoded text is no token of it. Such rows are rare and do not change, so they are looked for once, newest
first and only as far back as a search needs, and kept in memory. A later search reads just these rows.
"""

from __future__ import annotations

import time
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field

from hermes_tui.model import Capabilities
from hermes_tui.query import Scope
from hermes_tui.query.literals import ACCENT_ESCAPES
from hermes_tui.query.terms import SPACELESS_RANGES
from hermes_tui.store.connection import Connection, Ticket

SURVEYED = (Scope.NULS, Scope.LONG, Scope.ESCAPED, Scope.STUCK)
MAX_AGE = 600.0  # seconds; rows are hardly ever rewritten in place, but they can be

_HEX = "[0-9a-fA-F]"
_LETTERS = "0-9A-Za-z\u00aa-\u0dff\u1e00-\u1fff"
_GLUED_ESCAPE = f"*\\u{_HEX * 4}[{_LETTERS}]*"
_STUCK = f"*[{SPACELESS_RANGES}][{_LETTERS}]*"


@dataclass(slots=True)
class Survey:
    """The rows found so far: those with `low` < id <= `high` have been looked at. One a connection, not thread-safe."""

    low: int = 0
    high: int = 0
    _rows: dict[Scope, list[int]] = field(default_factory=dict)
    _generation: int = -1
    _began: float = 0.0

    def renew(self, connection: Connection) -> None:
        """Forget everything when the file is another one by now, or all this is old."""
        if connection.generation != self._generation or time.monotonic() - self._began > MAX_AGE:
            self.low = self.high = 0
            self._rows = {scope: [] for scope in SURVEYED}
            self._generation, self._began = connection.generation, time.monotonic()

    def missing(self, first: int, last: int) -> list[tuple[int, int]]:
        """The parts of (first, last] that are still to be looked at."""
        if self.low == self.high:
            return [(first, last)]
        parts = [(first, min(last, self.low)), (max(first, self.high), last)]
        return [(low, high) for low, high in parts if low < high]

    def add(self, first: int, last: int, found: dict[Scope, list[int]]) -> None:
        """Take in what a look at (first, last] found. A range apart from the known one is forgotten again."""
        if self.low == self.high:
            self.low = self.high = last
        if last == self.low:
            self.low = first
        elif first == self.high:
            self.high = last
        else:
            return
        for scope, ids in found.items():
            self._rows[scope] = sorted({*self._rows[scope], *ids})

    def rows(self, scope: Scope, first: int, last: int) -> list[int]:
        """Known rows of `scope` in (first, last], ascending."""
        ids = self._rows.get(scope, [])
        return ids[bisect_right(ids, first) : bisect_right(ids, last)]


def survey_rows(
    connection: Connection,
    capabilities: Capabilities,
    survey: Survey,
    scopes: tuple[Scope, ...],
    *,
    first: int,
    last: int,
    ticket: Ticket,
) -> set[int]:
    """Ids in (first, last] that belong to any of `scopes`, looked up where `survey` does not know them yet."""
    ids: set[int] = set()
    for low, high in survey.missing(first, last):
        found = _look(connection, capabilities, low, high, ticket)
        survey.add(low, high, found)
        ids.update(id_ for scope in scopes for id_ in found[scope])
    for scope in scopes:
        ids.update(survey.rows(scope, first, last))
    return ids


def _look(
    connection: Connection, capabilities: Capabilities, low: int, high: int, ticket: Ticket
) -> dict[Scope, list[int]]:
    cut = capabilities.word.tool_chars if capabilities.word is not None else None
    columns = [name for name in ("content", "tool_calls") if name in capabilities.message_columns]
    conditions: dict[Scope, tuple[str, list[object]]] = {
        Scope.NULS: (_nul("m.content"), []),
        Scope.LONG: ("0", []) if cut is None else ("m.role = 'tool' AND length(CAST(m.content AS BLOB)) > ?", [cut]),
        Scope.ESCAPED: _any_glob(columns, (*ACCENT_ESCAPES, _GLUED_ESCAPE)),
        Scope.STUCK: _any_glob(columns, (_STUCK,), odd_only=True),
    }
    fields = ", ".join(f"json_group_array(m.id) FILTER (WHERE {sql})" for sql, _ in conditions.values())
    params = [value for _, values in conditions.values() for value in values]
    answer = connection.json(
        f"SELECT json_array({fields}) FROM messages m WHERE m.id > ? AND m.id <= ?", (*params, low, high), ticket=ticket
    )
    return dict(zip(conditions, answer, strict=True))


def _any_glob(columns: Sequence[str], globs: Sequence[str], *, odd_only: bool = False) -> tuple[str, list[object]]:
    parts = []
    for name in columns:
        alternatives = " OR ".join([f"m.{name} GLOB ?"] * len(globs))
        if odd_only:  # a terminal code sticks to an accented word as well
            alternatives = f"{_odd(f'm.{name}')} AND ({alternatives} OR instr(m.{name}, char(27)) > 0)"
        parts.append(f"({alternatives})")
    return " OR ".join(parts) or "0", [*globs] * len(columns)


def _odd(column: str) -> str:
    """Something else than ASCII, or a NUL: a length in characters that is not the length in bytes."""
    return f"length({column}) <> length(CAST({column} AS BLOB))"


def _nul(column: str) -> str:
    return f"({_odd(column)} AND instr({column}, char(0)) > 0) OR typeof({column}) = 'blob'"
