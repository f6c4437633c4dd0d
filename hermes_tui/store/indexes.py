"""Whether a full-text index may be believed: asked of the index itself, with words of rows that are known.

A damaged index answers "nothing found" without an error, and SQLite's own integrity check cries wolf on healthy files
of old releases. So a handful of rows, oldest to newest, is read, and the index has to find each by one of its words.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from hermes_tui.model import Index, Trust
from hermes_tui.model.record import dataclass
from hermes_tui.store.connection import Connection, StoreBusy, StoreDamaged, StoreError, Ticket
from hermes_tui.store.ddl import AUTOMATION, EVENTS, Declared

_SPOTS = 7
_ROWS_AT_A_SPOT = 6
_SAMPLE_CHARS = 600
_VERIFY_SPOTS = 100
_ZEROS, _PAGES = 12, 2_000  # bytes in a row that no sound page has; pages looked at in one statement
_FIRST_PAGE = 10  # smaller ids of `_data` hold counts and the structure of the index
_VERIFY_STRIDE = 20_000  # ids in one statement: short, so that a rollback-journal writer gets its turn between two

_LETTERS = "0-9A-Za-z\u3041-\u3096\u30a1-\u30fa\u4e00-\u9fff\uac00-\ud7a3"
_EDGES = r"\x01-\x2f\x3a-\x40\x5b-\x60\x7b-\x7f\u3000-\u3002\uff0c\uff1a\uff01\uff1f"
# A run of letters between signs that every tokenizer takes for signs: what we call a word is what the index calls one.
_SURE_WORD = re.compile(rf"(?:(?<=[{_EDGES}])|^)[{_LETTERS}]{{3,12}}(?=[{_EDGES}])")
_SURE_TOKENIZERS = {
    "messages_fts": {"", "unicode61", "unicode61 remove_diacritics 1", "unicode61 remove_diacritics 2"},
    "messages_fts_trigram": {"trigram", "trigram case_sensitive 0", "trigram remove_diacritics 1"},
}
_PROBE_CHARS = {"messages_fts": None, "messages_fts_trigram": 6}  # a substring index need not see the whole word
_PLAIN_NAMES = {"messages_fts": "word index", "messages_fts_trigram": "substring index"}

Gap = tuple[int, int] | None


@dataclass(frozen=True, slots=True)
class View:
    """What must be known of a file to tell which messages an index should hold."""

    gap: Gap
    session_columns: frozenset[str]


@dataclass(frozen=True, slots=True)
class Sample:
    """A row of `messages` that an index is asked about. `text` is the beginning of its content."""

    id: int
    role: str
    automation: bool
    text: str


def automation_sql(session_columns: frozenset[str], *, session: str = "s") -> str:
    """SQL that is true for sessions which the newest trigram index leaves out: cron, sub-agents, delegates."""
    sources = ", ".join(f"'{source}'" for source in AUTOMATION)
    parts = [f"{session}.source IN ({sources})"] if "source" in session_columns else []
    if "model_config" in session_columns:
        config = f"CASE WHEN json_valid({session}.model_config) THEN {session}.model_config ELSE 'null' END"
        parts.append(f"json_extract({config}, '$._delegate_from') IS NOT NULL")
    return f"({' OR '.join(parts) or '0'})"


def judge(
    connection: Connection, found: Sequence[Declared], view: View, *, stale: bool, ticket: Ticket | None = None
) -> dict[str, Index]:
    """By table, the Index for each full-text table with the trust it deserves. Some ten milliseconds at any size.

    `complete` turns False here only where it shows cheaply: a sampled row is missing, or there are fewer entries than
    messages; `verify` looks at every row.
    """
    judged = {one.table: _on_paper(one, stale=stale) for one in found}
    batches: list[list[Sample]] = []
    for table, index in judged.items():
        if not index.usable:
            continue
        batches = batches or _samples(connection, view, _SPOTS, ticket=ticket)
        verdict = _examine(connection, index, view, batches=batches, ticket=ticket)
        if not (verdict.usable and verdict.complete):
            # A message may be deleted or rebuilt between two of our questions: only what stays wrong is wrong.
            batches = _samples(connection, view, _SPOTS, ticket=ticket)
            verdict = _examine(connection, index, view, batches=batches, ticket=ticket)
        judged[table] = verdict
    return judged


def verify(connection: Connection, index: Index, view: View, *, ticket: Ticket | None = None) -> Index:
    """The same index after a look at every row: `complete` is False when `_docsize` lacks rows that should be in it.

    Walks the table in short statements: about a second for 200,000 messages (450 MB), most of it reading the file.
    """
    if index.usable:
        batches = _samples(connection, view, _VERIFY_SPOTS, ticket=ticket)
        index = _examine(connection, index, view, batches=batches, ticket=ticket)
    if index.usable and hollow(connection, index, ticket=ticket):
        return distrust(index, Trust.DAMAGED)
    if not index.usable or not index.complete:
        return index
    low, high = _bounds(connection, ticket)
    # Messages without a session are in an index that takes every row, and in none that asks for the session.
    missing = (
        f"SELECT count(*) FROM messages m LEFT JOIN sessions s ON s.id = m.session_id WHERE m.id > ? AND m.id <= ? "
        f"AND {_holds_sql(index, view)} AND NOT (m.id > ? AND m.id <= ?) "
        f"AND NOT EXISTS (SELECT 1 FROM {index.table}_docsize d WHERE d.id = m.id)"
    )
    for start in range(low - 1, high, _VERIFY_STRIDE):
        span = (start, min(start + _VERIFY_STRIDE, high), *(view.gap or (0, 0)))
        if connection.value(missing, span, ticket=ticket) and connection.value(missing, span, ticket=ticket):
            return _incomplete(index)
    return index


def hollow(connection: Connection, index: Index, *, ticket: Ticket | None = None) -> bool:
    """Whether a stretch of the index is nothing but zeros, as a lost page or a hole in a file leaves it.

    FTS5 answers from such a page without an error, and leaves hits out. No sound page has such a stretch: its numbers
    are differences above zero, and no token holds a NUL. A page that SQLite cannot read at all is a hole as well.
    Reads the whole index in short statements: 0.4 s for 100 MB.
    """
    look = (
        f"SELECT json_array(max(id), max(instr(block, zeroblob({_ZEROS})))) FROM ("
        f"SELECT id, block FROM {index.table}_data WHERE id > ? ORDER BY id LIMIT {_PAGES})"
    )
    after = _FIRST_PAGE
    while True:
        try:
            last, found = connection.json(look, (after,), ticket=ticket)
        except StoreDamaged:
            return True
        if last is None:
            return False
        if found:
            return True
        after = last


def _holds_sql(index: Index, view: View) -> str:
    """SQL that is true for the messages an index is meant to hold (whole or cut), the rebuild gap aside."""
    parts = []
    if index.tool_chars == 0:
        parts.append("m.role <> 'tool'")
    if not index.automation:
        parts.append(f"NOT {automation_sql(view.session_columns)}")
    return " AND ".join(parts) or "1"


def _on_paper(found: Declared, *, stale: bool) -> Index:
    """What the file says of an index, before the index itself is asked."""
    index = Index(table=found.table, tool_chars=found.tool_chars, calls=found.calls, automation=found.automation)
    if stale:
        return distrust(index, Trust.STALE)
    if not _known_kind(found):
        return distrust(index, Trust.UNUSABLE)
    return index if found.events == EVENTS else distrust(index, Trust.UNTRIGGERED)


def _known_kind(found: Declared) -> bool:
    """Whether this is an FTS5 table that reads text as our queries expect it to."""
    return (
        found.module == "fts5"
        and found.options.get("tokenize", "") in _SURE_TOKENIZERS[found.table]
        and found.options.get("detail", "full") == "full"
        and found.options.get("columnsize", "1") == "1"
    )


def _examine(
    connection: Connection, index: Index, view: View, *, batches: list[list[Sample]], ticket: Ticket | None
) -> Index:
    """Ask the index for one word of one row at each spot, and whether it holds the sampled rows at all."""
    wanted = [[sample for sample in batch if _belongs(sample, index, view.gap)] for batch in batches]
    try:
        connection.value(f"SELECT count(*) FROM {index.table} WHERE {index.table} MATCH ?", ('"zzzz"',), ticket=ticket)
        found = _held(connection, index, [sample.id for batch in wanted for sample in batch], ticket)
        for batch in wanted:
            witness = next(((one.id, word) for one in batch if one.id in found and (word := sure_word(one.text))), None)
            if witness is not None and not _finds(connection, index, *witness, ticket=ticket):
                return distrust(index, Trust.DAMAGED)
        if view.gap is None and _holds_sql(index, view) == "1" and _too_few(connection, index, ticket):
            return _incomplete(index)
    except StoreBusy:
        raise
    except StoreDamaged:
        return distrust(index, Trust.DAMAGED)
    except StoreError as error:
        lacking = "tokenizer" in error.engine or "no such module" in error.engine
        return distrust(index, Trust.UNUSABLE if lacking else Trust.DAMAGED)
    if any(sample.id not in found for batch in wanted for sample in batch):
        return _incomplete(index)
    return index


def _samples(connection: Connection, view: View, spots: int, *, ticket: Ticket | None) -> list[list[Sample]]:
    """Some rows at each of a few places between the oldest and the newest message."""
    low, high = _bounds(connection, ticket)
    text = f"CASE WHEN typeof(m.content) = 'text' THEN substr(m.content, 1, {_SAMPLE_CHARS}) END"
    automation = automation_sql(view.session_columns)
    query = (
        f"SELECT json_group_array(json_array(m.id, CAST(m.role AS TEXT), coalesce({automation}, 1), {text})) FROM "
        f"(SELECT id, role, session_id, content FROM messages WHERE id {{way}} LIMIT {_ROWS_AT_A_SPOT}) m "
        "LEFT JOIN sessions s ON s.id = m.session_id"
    )
    places = sorted({low + (high - low) * spot // (spots - 1) for spot in range(spots - 1)})
    batches = []
    for place, way in [*((place, ">= ? ORDER BY id") for place in places), (high, "<= ? ORDER BY id DESC")]:
        try:
            rows = connection.json(query.format(way=way), (place,), ticket=ticket)
        except StoreDamaged:
            continue  # a row that cannot be read says nothing of the index
        batches.append([Sample(id_, str(role), bool(automated), text or "") for id_, role, automated, text in rows])
    return batches


def _bounds(connection: Connection, ticket: Ticket | None) -> tuple[int, int]:
    """The ids of the oldest and the newest message; (0, 0) where there is none."""
    ends = "SELECT json_array((SELECT min(id) FROM messages), (SELECT max(id) FROM messages))"
    low, high = connection.json(ends, ticket=ticket)
    return low or 0, high or 0


def sure_word(text: str) -> str | None:
    """The longest word of the text that every tokenizer takes for one word; None when there is none."""
    return max(_SURE_WORD.findall(text), key=len, default=None)


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


def _finds(connection: Connection, index: Index, id_: int, word: str, *, ticket: Ticket | None) -> bool:
    query = f"SELECT count(*) FROM {index.table} WHERE {index.table} MATCH ? AND rowid = ?"
    return bool(connection.value(query, (f'"{word[: _PROBE_CHARS[index.table]]}"', id_), ticket=ticket))


def _too_few(connection: Connection, index: Index, ticket: Ticket | None) -> bool:
    """Whether an index that takes every row has fewer entries than there are messages. Counts pages, not rows."""
    query = f"SELECT (SELECT count(*) FROM messages) > (SELECT count(*) FROM {index.table}_docsize)"
    return bool(connection.value(query, ticket=ticket))


def distrust(index: Index, trust: Trust) -> Index:
    """`index`, not to be believed, with a note that says which it is and why."""
    why = {
        Trust.STALE: "out of date",
        Trust.DAMAGED: "damaged",
        Trust.UNTRIGGERED: "not kept up to date by this file",
        Trust.UNUSABLE: "of a kind this SQLite cannot read",
    }[trust]
    return replace(
        index, trust=trust, note=f"search index {why}, history intact; scanning ({_PLAIN_NAMES[index.table]})"
    )


def _incomplete(index: Index) -> Index:
    note = f"search index lacks some messages, history intact; scanning those ({_PLAIN_NAMES[index.table]})"
    return replace(index, complete=False, note=note)
