"""Which rows the full-text indexes cannot speak for, because what is stored is not what is read.

The word index holds the raw text: behind a NUL, past a cut, in escapes of JSON or stuck to a script without spaces, a
word of the decoded text is no token of it. Such rows are rare and do not change, so they are looked for once, newest
first and only as far back as a search needs, and kept in memory. A later search reads just these rows.
"""

from __future__ import annotations

import json
import time
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import field

from hermes_tui.model import Capabilities, Index
from hermes_tui.model.record import dataclass
from hermes_tui.query import Scope
from hermes_tui.query.literals import ACCENT_ESCAPES
from hermes_tui.store.connection import Connection, Ticket
from hermes_tui.store.thin import scope_condition

SURVEYED = (
    Scope.NULS, Scope.LONG, Scope.ESCAPED, Scope.STUCK, Scope.FOREIGN, Scope.ACCENTED, Scope.ELSEWHERE,
)  # fmt: skip
MAX_AGE = 600.0  # seconds; rows are hardly ever rewritten in place, but they can be

# How accented Latin letters, combining marks and signs that are letters (Kelvin, Angstrom) begin in UTF-8.
_ACCENT_BYTES = ("C3", "C4", "C5", "C6", "C7", "C8", "C9", "CC", "CD", "E1B8", "E1B9", "E1BA", "E1BB", "E284")
_HEX = "[0-9a-fA-F]"
_LETTERS = "0-9A-Za-z\u00aa-\u0dff\u1e00-\u1fff"
_GLUED_ESCAPE = f"*\\u{_HEX * 4}[{_LETTERS}]*"


@dataclass(slots=True)
class Survey:
    """The rows found so far: those with `low` < id <= `high` have been looked at. One a connection, not thread-safe."""

    low: int = 0
    high: int = 0
    sound: bool = False  # the indexes were read through
    hollow: frozenset[str] = frozenset()  # tables of those that turned out to have holes
    _rows: dict[Scope, list[int]] = field(default_factory=dict)
    _generation: int = -1
    _began: float = 0.0

    def renew(self, connection: Connection) -> None:
        """Forget everything when the file is another one by now, or all this is old."""
        if connection.generation != self._generation or time.monotonic() - self._began > MAX_AGE:
            self.low = self.high = 0
            self.sound, self.hollow = False, frozenset()
            self._rows = {scope: [] for scope in SURVEYED}
            self._generation, self._began = connection.generation, time.monotonic()

    def knows(self, first: int, last: int) -> bool:
        """Whether all of (first, last] has been looked at."""
        return self.low <= first and last <= self.high and self.low < self.high

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
    """One look at (low, high]. Whatever a text holds it is read three times, so nothing is asked twice."""
    columns = [name for name in ("content", "tool_calls") if name in capabilities.message_columns]
    cut = capabilities.word.tool_chars if capabilities.word is not None else None
    long = "0" if cut is None else f"m.role = 'tool' AND length(CAST(m.content AS BLOB)) > {cut:d}"
    read = [*columns, *(["tool_name"] if "tool_name" in capabilities.message_columns else [])]
    odd = " OR ".join(f"{_odd(f'm.{name}')} OR typeof(m.{name}) = 'blob'" for name in read) or "0"
    kept = "codex_message_items" in capabilities.message_columns
    elsewhere = scope_condition([Scope.ELSEWHERE], capabilities).sql if kept else "0"
    globs, params = _any_glob(columns, (*ACCENT_ESCAPES, _GLUED_ESCAPE))
    fields = ", ".join(f"json_group_array(m.id) FILTER (WHERE {sql})" for sql in (long, globs, odd, elsewhere))
    walk = f"SELECT json_array({fields}) FROM messages m WHERE m.id > ? AND m.id <= ?"
    answer = connection.json(walk, (*params, low, high), ticket=ticket)
    found = dict(zip((Scope.LONG, Scope.ESCAPED, Scope.FOREIGN, Scope.ELSEWHERE), answer, strict=True))
    return {**found, **_among(connection, capabilities, read, found[Scope.FOREIGN], ticket)}


def _among(
    connection: Connection, capabilities: Capabilities, columns: Sequence[str], odd: list[int], ticket: Ticket
) -> dict[Scope, list[int]]:
    """Which of the rows that hold more than ASCII hold a NUL or a BLOB, which the trigram index does not hold wholly,
    and which have an accent on a Latin letter.

    Whether a word really is stuck to another script is left to the search: GLOB would try a class at every character.
    """
    nul = " OR ".join(f"instr(m.{name}, char(0)) > 0 OR typeof(m.{name}) = 'blob'" for name in columns) or "0"
    beside = "1" if capabilities.trigram is None else _not_in(capabilities.trigram, capabilities, columns)
    accented = " OR ".join(
        f"instr(CAST(m.{name} AS BLOB), x'{lead}') > 0" for name in columns for lead in _ACCENT_BYTES
    )
    fields = ", ".join(f"json_group_array(m.id) FILTER (WHERE {sql})" for sql in (nul, beside, accented))
    pick = f"SELECT json_array({fields}) FROM messages m WHERE m.id IN (SELECT value FROM json_each(?))"
    nuls, stuck, marked = connection.json(pick, (json.dumps(odd),), ticket=ticket) if odd else ([], [], [])
    # Trigram tells accents apart: beside one, a word that is stuck elsewhere in the row is not found by it.
    return {Scope.NULS: nuls, Scope.STUCK: sorted({*stuck, *marked}), Scope.ACCENTED: marked}


def _any_glob(columns: Sequence[str], globs: Sequence[str]) -> tuple[str, list[object]]:
    """Rows with a column that meets one of `globs`, each of which begins with an escape of JSON."""
    alternatives = " OR ".join(["m.{name} GLOB ?"] * len(globs))
    parts = [f"(m.{name} LIKE '%\\u%' AND ({alternatives.format(name=name)}))" for name in columns]
    return " OR ".join(parts) or "0", [*globs] * len(columns)


def _not_in(trigram: Index, capabilities: Capabilities, columns: Sequence[str]) -> str:
    """Rows that hold something the trigram index does not, or of which something is behind a terminal code."""
    parts = ["instr(m.content, char(27)) > 0"] if "content" in columns else []
    if trigram.tool_chars is not None:
        parts.append("m.role = 'tool'")
    if not trigram.calls and "tool_calls" in columns:
        parts.append("m.tool_calls IS NOT NULL")
    if not trigram.automation:
        parts.append(scope_condition([Scope.AUTOMATION], capabilities).sql)
    return " OR ".join(parts) or "0"


def _odd(column: str) -> str:
    """Something else than ASCII, or a NUL: a length in characters that is not the length in bytes."""
    return f"length({column}) <> length(CAST({column} AS BLOB))"
