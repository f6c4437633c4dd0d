"""Brute force: what the promises S3 to S8 say a search finds, by reading every row with code of its own.

Shares the decoding of rows with the product (which has tests of its own) and nothing of the planning, folding or
matching: an error in those shows as a difference.
"""

from __future__ import annotations

import re
import sqlite3
import unicodedata
from collections.abc import Iterable
from contextlib import closing
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from pathlib import Path
from typing import Any

from hermes_tui.model import Case, Kind, Message, Region, State
from hermes_tui.query import Field, Filter, Query, Term, TermKind

_CODES = re.compile("\x1b\\[[0-9;?]*[A-Za-z]")


def _blanked(text: str) -> str:
    return _CODES.sub(lambda found: " " * len(found[0]), text)


@lru_cache(maxsize=4096)
def _plain(text: str, *, fold: bool, accents: bool) -> str:
    """Composed, small, and without Latin accents, one character at a time."""
    out = []
    for char in unicodedata.normalize("NFC", text):
        if accents and unicodedata.combining(char) and "\u0300" <= char <= "\u036f":
            continue
        if accents:
            base = unicodedata.normalize("NFD", char)[0]
            char = base if base in "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ" else char
        if fold:
            small = char.lower()
            char = {"ς": "σ", "ß": "ss"}.get(small, small if len(small) == 1 else char)
        out.append(char)
    return "".join(out)


def _letter(char: str) -> bool:
    """Part of a word of a script that separates words."""
    if any(
        low <= char <= high
        for low, high in (("\u0e00", "\u0e7f"), ("\u3040", "\u30ff"), ("\u4e00", "\u9fff"), ("\uac00", "\ud7a3"))
    ):
        return False
    return unicodedata.category(char)[0] in "LNM"


def holds(term: Term, text: str, case: Case) -> bool:
    """Whether one text holds one term."""
    fold, accents = case is Case.FOLD, term.kind in (TermKind.WORD, TermKind.PART)
    needle = _plain(term.text, fold=fold, accents=accents)
    hay = _plain(_blanked(text), fold=fold, accents=accents)
    if term.kind is TermKind.PHRASE:
        return " ".join(needle.split()) in " ".join(hay.split()) if needle == needle.strip() else needle in hay
    if term.kind is not TermKind.WORD:
        return needle in hay
    start = hay.find(needle)
    while start >= 0:
        before, after = hay[max(0, start - 1) : start], hay[start + len(needle) : start + len(needle) + 1]
        if (not before or not _letter(before)) and (term.prefix or not after or not _letter(after)):
            return True
        start = hay.find(needle, start + 1)
    return False


def matches(query: Query, message: Message) -> bool:
    """Whether a message matches: some clause with every wanted term in some field, and no unwanted one in any."""
    fields = fields_in(message, query)
    if query.pattern is not None:
        flags = re.MULTILINE | (re.IGNORECASE if query.case is Case.FOLD else 0)
        found = [re.search(query.pattern.text, unicodedata.normalize("NFC", _blanked(text)), flags) for text in fields]
        return any(match is not None and match[0] for match in found)
    if not query.clauses:
        return bool(fields) or query.regions == USUAL

    def held(term: Term) -> bool:
        return any(holds(term, field, query.case) for field in fields)

    return any(
        all(held(term) for term in clause.wanted) and not any(held(term) for term in clause.unwanted)
        for clause in query.clauses
    )


@dataclass(frozen=True, slots=True)
class Expected:
    """Ids of the messages that are shown, and how many are left out."""

    shown: frozenset[int]
    rewound: int


USUAL = frozenset({Region.TEXT, Region.TOOLS})


def fields_in(message: Message, query: Query) -> list[str]:
    """The texts of the parts of a message that are looked into."""
    calls = [text for call in message.tool_calls for text in (call.name, call.arguments)]
    parts = {
        Region.TEXT: [] if message.role == "tool" else [message.text],
        Region.TOOLS: [*([message.text] if message.role == "tool" else []), message.tool_name or "", *calls],
        Region.REASONING: [message.reasoning],
    }
    return [text for region in query.regions for text in parts[region] if text]


class Facts:
    """What the file says of its sessions, read by plain SQL; knows which messages pass a query's filters."""

    def __init__(self, path: Path) -> None:
        with closing(sqlite3.connect(path)) as connection:
            connection.row_factory = sqlite3.Row
            self._sessions = {row["id"]: dict(row) for row in connection.execute("SELECT * FROM sessions")}
        self._standing: dict[tuple[object, ...], State] = {}

    def count_copies(self, messages: Iterable[Message]) -> None:
        """Note which rows are one message: the state of such a message is that of its best row."""
        rows = list(messages)
        for row in rows:
            best = self._standing.setdefault(_same(row), row.state)
            if _BEST.index(row.state) < _BEST.index(best):
                self._standing[_same(row)] = row.state

    def passes(self, query: Query, message: Message) -> bool:
        """Whether a message passes every filter; asked for a state, an old row of one in another state does not."""
        asked = any(part.field is Field.IS and not part.of_sessions for part in query.filters)
        if asked and self._standing[_same(message)] is not message.state:
            return False
        return all(self._has(part, message) is not part.negated for part in query.filters if part.field is not Field.IN)

    def _has(self, part: Filter, message: Message) -> bool:
        session = self._sessions.get(message.session_id)
        values = [value.casefold() for value in part.values]
        match part.field:
            case Field.ROLE:
                return message.role.casefold() in values
            case Field.TOOL:
                names = {(message.tool_name or "").casefold(), *(call.name.casefold() for call in message.tool_calls)}
                return any(value in names for value in values)
            case Field.SOURCE:
                return session is not None and session["source"].casefold() in values
            case Field.MODEL | Field.TITLE | Field.CWD:
                held = _plain((session or {}).get(part.field.value) or "", fold=True, accents=True)
                return session is not None and any(_plain(value, fold=True, accents=True) in held for value in values)
            case Field.IS:
                return any(self._is(value, session, message) for value in values)
            case Field.AFTER | Field.BEFORE | Field.ON:
                return _in_days(part.field, values[0], message.timestamp)
            case _:
                return message.session_id in part.values

    def _is(self, value: str, session: dict[str, Any] | None, message: Message) -> bool:
        if value in ("live", "compacted", "rewound"):
            return message.state.value == value
        if session is None:
            return False
        config = session.get("model_config") or ""
        return {
            "archived": bool(session.get("archived")),
            "pinned": bool(session.get("pinned")),
            "running": session["ended_at"] is None,
            "branch": "_branched_from" in config,
            "child": session["source"] == "subagent" or "_delegate_from" in config,
        }[value]


_BEST = (State.LIVE, State.COMPACTED, State.REWOUND)


def _same(row: Message) -> tuple[object, ...]:
    """What makes two rows of the odd store one message: compaction there stays within a session."""
    return (row.session_id, row.role, row.timestamp, row.text, row.tool_call_id, row.tool_calls, row.tool_name)


def _in_days(field: Field, day: str, moment: float | None) -> bool:
    if moment is None:
        return False
    start = datetime.strptime(day, "%Y-%m-%d").astimezone().timestamp()
    if field is Field.AFTER:
        return moment >= start
    return moment < start if field is Field.BEFORE else start <= moment < start + 86_400


def expected(query: Query, messages: Iterable[Message], facts: Facts | None = None) -> Expected:
    """The answer: words where any row holds them, else the same words inside words."""
    rows = [message for message in messages if facts is None or facts.passes(query, message)]
    found = [message for message in rows if matches(query, message)]
    if not found:
        loose = query.inside_words()
        found = [message for message in rows if matches(loose, message)]
    taken_back = any(part.text == "is:rewound" for part in query.filters)
    shown = {m.id for m in found if (taken_back or m.state is not State.REWOUND) and m.kind is not Kind.HIDDEN}
    return Expected(frozenset(shown), sum(1 for m in found if m.state is State.REWOUND))
