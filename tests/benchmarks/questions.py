"""What the search benchmarks ask: the text as typed, the rows that are right, and the SQL that is hard to beat.

A floor is the least SQLite can do to name the same rows: one MATCH where an index serves, LIKE where none does. It
decodes nothing, verifies nothing and knows nothing of copies. Of several floors the one that names most of the right
rows counts, then the fastest: one that misses some is no floor for a complete answer, and each result says how many it
names.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass

from hermes_tui.model import PLAIN, Mode
from hermes_tui.recorder import Layout
from tests.benchmarks.needles import FLAG, PATH
from tests.benchmarks.stores import LARGEST, Store

Rows = Callable[[Store], frozenset[int]]


@dataclass(frozen=True, slots=True)
class Sql:
    """A statement that names message ids; `limit` is added to its parameters when it runs."""

    sql: str
    params: dict[str, object]


@dataclass(frozen=True, slots=True)
class Question:
    """`plain` are the literals a LIKE scan over content and tool_calls looks for; none where that makes no sense."""

    name: str
    text: Callable[[Store], str]
    right: Rows
    floors: Callable[[Store], list[Sql]]
    plain: tuple[str, ...] = ()
    mode: Mode = PLAIN


REGEX = Mode(regex=True)
ABSENT = "xylomantle"


def questions() -> tuple[Question, ...]:
    """All questions, from the easiest for an index to the ones that none can answer."""
    return (
        Question("common", _as("harvest"), _held("common"), _word('"harvest"*'), ("harvest",)),
        Question("rare", _as("quokkaphile"), _held("rare"), _word('"quokkaphile"*'), ("quokkaphile",)),
        Question(
            "two words", _as("lantern granite"), _held("pair"), _word('"lantern" "granite"*'), ("lantern", "granite")
        ),
        Question("cron only", _as("marrowstone"), _held("cron only"), _word('"marrowstone"*'), ("marrowstone",)),
        Question(
            "phrase",
            _as('"copper kettle sings"'),
            _held("phrase"),
            _word('"copper kettle sings"'),
            ("copper kettle sings",),
        ),
        Question("path", _as(PATH), _held("path"), _code('"quarry ledger sync py"*', PATH), (PATH,)),
        Question("flag", _as(FLAG), _held("flag"), _code('"dry bake"*', FLAG), (FLAG,)),
        Question("inside", _as("brillig"), _held("inside"), _part("brillig"), ("brillig",)),
        Question("absent", _as(ABSENT), _held(), _part(ABSENT), (ABSENT,)),
        Question("two chinese", _as("陨石"), _held("chinese"), _like("陨石"), ("陨石",)),
        Question("one letter", _as("z"), _held("letter", "initial"), _word('"z"*')),
        Question(
            "filters only",
            _as("source:telegram role:user"),
            _held("telegram user"),
            lambda store: [_telegram("m.session_id IN (SELECT id FROM sessions WHERE source = 'telegram')")],
        ),
        Question(
            "word in a source",
            _as("harvest source:cron"),
            _both("common", "cron"),
            lambda store: [_joined('"harvest"*', "m.session_id IN (SELECT id FROM sessions WHERE source = 'cron')")],
            ("harvest",),
        ),
        Question(
            "word in a session",
            lambda store: f"harvest session:{store.session}",
            _both("common", LARGEST),
            _in_the_largest,
            ("harvest",),
        ),
        Question(
            "pattern",
            _as(r"ledger_c\w+\.py:[0-9]+"),
            _held("numbered"),
            _word('"ledger c"* "py"'),
            ("ledger_c",),
            mode=REGEX,
        ),
        Question("bare pattern", _as(r"[kj]x-\d{3}-\d{2}"), _held("shape"), _glob, mode=REGEX),
        Question("reasoning", _as("in:reasoning moonfern"), _held("thought"), _reasoning),
    )


def like_scan(question: Question) -> Sql:
    """What anybody would write first: LIKE over the content and the tool calls of every row."""
    conditions = " AND ".join(f"({_either(f'part{number}')})" for number in range(len(question.plain)))
    params = {f"part{number}": f"%{_escaped(text)}%" for number, text in enumerate(question.plain)}
    return Sql(f"SELECT m.id FROM messages m WHERE {conditions}", dict(params))


# -- which rows are right ---------------------------------------------------------------------------------------------


def _as(text: str) -> Callable[[Store], str]:
    return lambda store: text


def _held(*names: str) -> Rows:
    return lambda store: frozenset().union(*(store.rows.get(name, frozenset()) for name in names))


def _both(one: str, other: str) -> Rows:
    return lambda store: store.rows.get(one, frozenset()) & store.rows.get(other, frozenset())


# -- floors -----------------------------------------------------------------------------------------------------------

_NEWEST = "ORDER BY {id} DESC LIMIT :limit"
_TELEGRAM_USER = "SELECT m.id FROM messages m WHERE m.role = 'user' AND {where} " + _NEWEST.format(id="m.id")


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace("%", r"\%").replace("_", r"\_")


def _either(parameter: str) -> str:
    return f"m.content LIKE :{parameter} ESCAPE '\\' OR m.tool_calls LIKE :{parameter} ESCAPE '\\'"


def _word(match: str) -> Callable[[Store], list[Sql]]:
    sql = f"SELECT rowid FROM messages_fts WHERE messages_fts MATCH :match {_NEWEST.format(id='rowid')}"
    return lambda store: [Sql(sql, {"match": match})]


def _code(match: str, part: str) -> Callable[[Store], list[Sql]]:
    """The word index alone; and all candidates with the text they have to be verified in: what the word index names,
    and of the outputs that it holds only the beginning of, those that LIKE finds it in.

    Which outputs are so long is given: to find them takes a look at every row, and a program can know them.
    """
    held = "SELECT rowid AS id FROM messages_fts WHERE messages_fts MATCH :match"
    texts = "m.id, m.role, m.content, m.tool_name, m.tool_calls"
    newest = _NEWEST.format(id="1")

    def floors(store: Store) -> list[Sql]:
        params: dict[str, object] = {"match": match, "part": f"%{_escaped(part)}%"}
        beyond = ""
        if store.layout is Layout.VIEWS:
            params["long"] = json.dumps(_long_outputs(store))
            beyond = (
                " UNION SELECT m.id FROM messages m WHERE m.id IN (SELECT value FROM json_each(:long))"
                " AND m.content LIKE :part ESCAPE '\\'"
            )
        candidates = f"SELECT {texts} FROM ({held}{beyond}) found JOIN messages m ON m.id = found.id {newest}"
        return [*_word(match)(store), Sql(candidates, params)]

    return floors


def _long_outputs(store: Store) -> list[int]:
    """Outputs of which the word index of the newest layout holds only the beginning."""
    sql = "SELECT id FROM messages WHERE role = 'tool' AND length(CAST(content AS BLOB)) > 8192"
    with closing(sqlite3.connect(f"{store.path.resolve().as_uri()}?mode=ro", uri=True)) as connection:
        return [message for (message,) in connection.execute(sql)]


def _joined(match: str, where: str) -> Sql:
    sql = (
        "SELECT m.id FROM messages_fts JOIN messages m ON m.id = messages_fts.rowid"
        f" WHERE messages_fts MATCH :match AND {where} {_NEWEST.format(id='messages_fts.rowid')}"
    )
    return Sql(sql, {"match": match})


def _telegram(where: str) -> Sql:
    return Sql(_TELEGRAM_USER.format(where=where), {})


def _in_the_largest(store: Store) -> list[Sql]:
    ends = "(SELECT {end}(id) FROM messages WHERE session_id = :session)"
    ranges = f"rowid BETWEEN {ends.format(end='min')} AND {ends.format(end='max')}"
    sql = f"SELECT rowid FROM messages_fts WHERE messages_fts MATCH :match AND {ranges} {_NEWEST.format(id='rowid')}"
    return [Sql(sql, {"match": '"harvest"*', "session": store.session})]


def _part(text: str) -> Callable[[Store], list[Sql]]:
    """The trigram index where it holds every row; beside a scan of the rows it leaves out, or a scan of all."""
    asked = "SELECT rowid FROM messages_fts_trigram WHERE messages_fts_trigram MATCH :match"
    params: dict[str, object] = {"match": f'"{text}"', "part": f"%{_escaped(text)}%"}
    left_out = "m.role = 'tool' OR m.tool_calls IS NOT NULL"

    def floors(store: Store) -> list[Sql]:
        if store.layout is Layout.INLINE:
            return [Sql(f"{asked} {_NEWEST.format(id='rowid')}", params)]
        more = left_out
        if store.layout is Layout.VIEWS:
            more += " OR m.session_id IN (SELECT id FROM sessions WHERE source IN ('cron', 'subagent'))"
        rest = f"SELECT m.id FROM messages m WHERE ({more}) AND ({_either('part')})"
        return [Sql(f"SELECT * FROM ({asked} UNION {rest}) {_NEWEST.format(id='1')}", params), *_like(text)(store)]

    return floors


def _like(text: str) -> Callable[[Store], list[Sql]]:
    """A scan for the text, and where it is not ASCII for its JSON escapes as well."""
    conditions = [_either("part")]
    params: dict[str, object] = {"part": f"%{_escaped(text)}%"}
    if not text.isascii():
        conditions.append(_either("code"))
        params["code"] = f"%{_escaped(json.dumps(text)[1:-1])}%"
    sql = f"SELECT m.id FROM messages m WHERE {' OR '.join(conditions)} {_NEWEST.format(id='m.id')}"
    return lambda store: [Sql(sql, params)]


def _glob(store: Store) -> list[Sql]:
    """GLOB can say this pattern; no other floor comes near."""
    glob = "*[kj]x-[0-9][0-9][0-9]-[0-9][0-9]*"
    where = "m.content GLOB :glob OR m.tool_calls GLOB :glob"
    return [Sql(f"SELECT m.id FROM messages m WHERE {where} {_NEWEST.format(id='m.id')}", {"glob": glob})]


def _reasoning(store: Store) -> list[Sql]:
    where = "m.reasoning LIKE '%moonfern%'"
    return [Sql(f"SELECT m.id FROM messages m WHERE {where} {_NEWEST.format(id='m.id')}", {})]
