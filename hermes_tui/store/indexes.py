"""Whether a full-text index may be believed: asked of the index itself, with words of rows that are known.

A damaged index answers "nothing found" without an error, and SQLite's own integrity check cries wolf on healthy files
of old releases. So a handful of rows, oldest to newest, is read, and the index has to find each by one of its words.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from hermes_tui.model import Index, Trust
from hermes_tui.store.connection import Connection, StoreBusy, StoreDamaged, StoreError, Ticket
from hermes_tui.store.ddl import AUTOMATION, EVENTS, Declared

_SPOTS = 7
_ROWS_AT_A_SPOT = 10
_SAMPLE_CHARS = 1500
_VERIFY_SPOTS = 100
_VERIFY_STRIDE = 20_000  # ids in one statement: short, so that a rollback-journal writer gets its turn between two

_LETTERS = "0-9A-Za-z\u3041-\u3096\u30a1-\u30fa\u4e00-\u9fff\uac00-\ud7a3"
_EDGES = r"\x01-\x2f\x3a-\x40\x5b-\x60\x7b-\x7f\u3000-\u3002\uff0c\uff1a\uff01\uff1f"
# A run of letters between signs that every tokenizer takes for signs: what we call a word is what the index calls one.
_SURE_WORD = re.compile(rf"(?:(?<=[{_EDGES}])|^)[{_LETTERS}]{{3,40}}(?=[{_EDGES}])")
_SURE_TOKENIZERS = {
    "messages_fts": {"", "unicode61", "unicode61 remove_diacritics 1", "unicode61 remove_diacritics 2"},
    "messages_fts_trigram": {"trigram", "trigram case_sensitive 0", "trigram remove_diacritics 1"},
}
_PLAIN_NAMES = {"messages_fts": "word index", "messages_fts_trigram": "substring index"}

Gap = tuple[int, int] | None


@dataclass(frozen=True, slots=True)
class Sample:
    """A row of `messages` that an index is asked about. `words` are words that any tokenizer sees as words."""

    id: int
    role: str
    automation: bool
    words: tuple[str, ...]


def automation_sql(*, session: str = "s") -> str:
    """SQL that is true for sessions which the newest trigram index leaves out: cron, sub-agents, delegates."""
    sources = ", ".join(f"'{source}'" for source in AUTOMATION)
    config = f"CASE WHEN json_valid({session}.model_config) THEN {session}.model_config ELSE '{{}}' END"
    return f"({session}.source IN ({sources}) OR json_extract({config}, '$._delegate_from') IS NOT NULL)"


def judge(connection: Connection, found: Declared, *, stale: bool, gap: Gap, ticket: Ticket | None = None) -> Index:
    """The Index for a full-text table, with the trust it deserves. Costs a few milliseconds at any size."""
    index = Index(
        table=found.table,
        tool_chars=found.tool_chars,
        calls=found.calls,
        automation=found.automation,
    )
    if stale:
        return _distrust(index, Trust.STALE)
    if not _known_kind(found):
        return _distrust(index, Trust.UNUSABLE)
    if found.events != EVENTS:
        return _distrust(index, Trust.UNTRIGGERED)
    verdict = _examine(connection, index, gap, spots=_SPOTS, ticket=ticket)
    # A message may be deleted or rebuilt between two of our questions: only what stays wrong is wrong.
    return verdict if _sound(verdict) else _examine(connection, index, gap, spots=_SPOTS, ticket=ticket)


def verify(connection: Connection, index: Index, gap: Gap, *, ticket: Ticket | None = None) -> Index:
    """The same index after a look at every row: `complete` is False when `_docsize` lacks rows that should be in it.

    Walks the table in short statements, which takes about a second for a million messages.
    """
    if not index.usable:
        return index
    index = _examine(connection, index, gap, spots=_VERIFY_SPOTS, ticket=ticket)
    if not index.usable or not index.complete:
        return index
    low, high = _bounds(connection, ticket)
    rule = holds_sql(index)
    missing = (
        f"SELECT count(*) FROM messages m JOIN sessions s ON s.id = m.session_id WHERE m.id > ? AND m.id <= ? "
        f"AND {rule} AND NOT (m.id > ? AND m.id <= ?) "
        f"AND NOT EXISTS (SELECT 1 FROM {index.table}_docsize d WHERE d.id = m.id)"
    )
    for start in range(low - 1, high, _VERIFY_STRIDE):
        span = (start, min(start + _VERIFY_STRIDE, high), *(gap or (0, 0)))
        if connection.value(missing, span, ticket=ticket) and connection.value(missing, span, ticket=ticket):
            return _incomplete(index)
    return index


def holds_sql(index: Index, *, message: str = "m", session: str = "s") -> str:
    """SQL that is true for the messages an index is meant to hold (whole or cut), the rebuild gap aside."""
    parts = []
    if index.tool_chars == 0:
        parts.append(f"{message}.role <> 'tool'")
    if not index.automation:
        parts.append(f"NOT {automation_sql(session=session)}")
    return " AND ".join(parts) or "1"


def _known_kind(found: Declared) -> bool:
    """Whether this is an FTS5 table that reads text as our queries expect it to."""
    return (
        found.module == "fts5"
        and found.options.get("tokenize", "") in _SURE_TOKENIZERS[found.table]
        and found.options.get("detail", "full") == "full"
        and found.options.get("columnsize", "1") == "1"
    )


def _examine(connection: Connection, index: Index, gap: Gap, *, spots: int, ticket: Ticket | None) -> Index:
    wanted = [
        [sample for sample in batch if _belongs(sample, index, gap)] for batch in _samples(connection, spots, ticket)
    ]
    try:
        connection.value(f"SELECT count(*) FROM {index.table} WHERE {index.table} MATCH ?", ('"zzzz"',), ticket=ticket)
        found = _held(connection, index, [sample.id for batch in wanted for sample in batch], ticket)
        for batch in wanted:
            spoken = [sample for sample in batch if sample.words and sample.id in found]
            if spoken and not _finds(connection, index, spoken[0], ticket):
                return _distrust(index, Trust.DAMAGED)
    except StoreBusy:
        raise
    except StoreDamaged:
        return _distrust(index, Trust.DAMAGED)
    except StoreError as error:
        lacking = "tokenizer" in error.engine or "no such module" in error.engine
        return _distrust(index, Trust.UNUSABLE if lacking else Trust.DAMAGED)
    if any(sample.id not in found for batch in wanted for sample in batch):
        return _incomplete(index)
    return index


def _samples(connection: Connection, spots: int, ticket: Ticket | None) -> Iterator[list[Sample]]:
    """Some rows at each of a few places between the oldest and the newest message."""
    low, high = _bounds(connection, ticket)
    text = f"CASE WHEN typeof(m.content) = 'text' THEN substr(m.content, 1, {_SAMPLE_CHARS}) END"
    fields = f"m.id, m.role, {automation_sql()}, {text}"
    query = (
        "SELECT json_group_array(json_array({fields})) FROM (SELECT * FROM messages WHERE id {way} "
        f"LIMIT {_ROWS_AT_A_SPOT}) m JOIN sessions s ON s.id = m.session_id"
    )
    places = sorted({low + (high - low) * spot // (spots - 1) for spot in range(spots - 1)})
    asked = [(place, ">= ? ORDER BY id") for place in places] + [(high, "<= ? ORDER BY id DESC")]
    for place, way in asked:
        rows = connection.json(query.format(fields=fields, way=way), (place,), ticket=ticket)
        yield [
            Sample(id=id_, role=str(role), automation=bool(automation), words=_sure_words(content or ""))
            for id_, role, automation, content in rows
        ]


def _bounds(connection: Connection, ticket: Ticket | None) -> tuple[int, int]:
    low, high = connection.rows(
        "SELECT (SELECT min(id) FROM messages), (SELECT max(id) FROM messages)", ticket=ticket
    )[0]
    return low or 0, high or 0


def _sure_words(content: str) -> tuple[str, ...]:
    return tuple(sorted(set(_SURE_WORD.findall(content)), key=lambda word: (-len(word), word))[:1])


def _belongs(sample: Sample, index: Index, gap: Gap) -> bool:
    if gap is not None and gap[0] < sample.id <= gap[1]:
        return False
    if index.tool_chars == 0 and sample.role == "tool":
        return False
    return index.automation or not sample.automation


def _held(connection: Connection, index: Index, ids: Sequence[int], ticket: Ticket | None) -> frozenset[int]:
    """Which of these messages the index says it holds. `_docsize` is an ordinary table, whatever the tokenizer."""
    query = (
        f"SELECT json_group_array(id) FROM {index.table}_docsize "
        "WHERE id IN (SELECT value FROM json_each('[' || ? || ']'))"
    )
    return frozenset(connection.json(query, (",".join(map(str, ids)),), ticket=ticket))


def _finds(connection: Connection, index: Index, sample: Sample, ticket: Ticket | None) -> bool:
    query = f"SELECT count(*) FROM {index.table} WHERE {index.table} MATCH ? AND rowid = ?"
    return bool(connection.value(query, (f'"{sample.words[0]}"', sample.id), ticket=ticket))


def _sound(index: Index) -> bool:
    return index.usable and index.complete


def _distrust(index: Index, trust: Trust) -> Index:
    why = {
        Trust.STALE: "out of date",
        Trust.DAMAGED: "damaged",
        Trust.UNTRIGGERED: "not kept up to date by this file",
        Trust.UNUSABLE: "of a kind this SQLite cannot read",
    }[trust]
    return replace(index, trust=trust, note=f"{_PLAIN_NAMES[index.table]} {why}, history intact; scanning")


def _incomplete(index: Index) -> Index:
    note = f"{_PLAIN_NAMES[index.table]} lacks some messages, history intact; scanning those"
    return replace(index, complete=False, note=note)
