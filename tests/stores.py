"""Stores for tests: the same odd rows in every layout, and every state an index can be found in."""

from __future__ import annotations

import json
import random
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from hermes_tui.recorder import Layout, Recorder

# fmt: off
WORDS = (
    "fix", "prefix", "fixing", "error", "terror", "Ошибка", "ошибка", "café", "cafe", "CAFÉ", "naïve", "việt",
    "main.py", "src/app/main.py", "app", "--onefile", "TODO:", "kv_map", "kv_map2", "北京", "北京市", "打包程序",
    "youer", "修改youer服务端", "パスをfixする", "🎉", "100%", "C:\\Users\\Bob", "foo.bar()", "x", "go", "用go写",
    "onefile", "ONEFILE", "NEFILE", "e\u0301cole", "ΟΔΟΣ", "οδος", 'say"hi"', "a<b>c", "Köln/x", "don't", "[/b]", "v2",
    "terminal", "stale", "socket", "旅行", "straße", "Strasse",
    "großes", "ms.ß", "İzmir", "İzmir/x.py",
)
# fmt: on
GAPS = (" ", " ", " ", "\n", "\n\n", "\t", "\r\n", " \x1b[31m", "\x1b[0m ", "\u3000", "，", ", ", "")


def texts(chance: random.Random, count: int) -> list[str]:
    """Texts put together from words and gaps, some of them stuck to each other."""
    return [
        "".join(chance.choice(WORDS) + chance.choice(GAPS) for _ in range(chance.randint(1, 7))) for _ in range(count)
    ]


def write_odd_store(path: Path, layout: Layout, *, seed: int = 3, rows: int = 160) -> None:
    """A store of every kind of row: plain, tool, JSON, long, multimodal, NUL, calls, automation, compacted, rewound."""
    chance = random.Random(seed)
    clock = iter(range(1_780_000_000, 1_790_000_000, 7))
    with Recorder(path, layout=layout, clock=lambda: float(next(clock))) as recorder:
        main = recorder.create_session("cli", title="The odd store", model="qwen3-coder", cwd="/srv/app")
        homes = [
            main,
            recorder.create_session("cron", model="small-7b"),
            recorder.create_session("telegram", title="Straße nach Köln", model="Qwen3-Max", cwd="/srv/site"),
            recorder.delegate(main),
            recorder.branch(main),
        ]
        for number in range(rows):
            text = texts(chance, 1)[0]
            _write_row(recorder, chance.choice(homes), number, text, chance)
        _compact_and_rewind(recorder, chance)
        recorder.end_session(homes[1], "cron_complete")
    with closing(sqlite3.connect(path)) as connection, connection:
        columns = {row[1] for row in connection.execute("PRAGMA table_info(sessions)")}
        for flag, sources in (("archived", "'telegram'"), ("pinned", "'telegram', 'discord'")):
            if flag in columns:
                connection.execute(f"UPDATE sessions SET {flag} = 1 WHERE source IN ({sources})")
        connection.execute("UPDATE messages SET timestamp = 'no time' WHERE id % 37 = 0")
        connection.execute("UPDATE messages SET timestamp = '2026-07-01T00:00:00' WHERE id % 41 = 0")


def _write_row(recorder: Recorder, session: str, number: int, text: str, chance: random.Random) -> None:
    append = recorder.append
    match number % 10:
        case 0 | 1:
            append(session, "user", text)
        case 2:
            append(session, "assistant", text, reasoning=texts(chance, 1)[0])
        case 3:
            append(session, "tool", text, tool_name="terminal", tool_call_id=f"c{number}")
        case 4:
            result = {"output": text, "exit_code": 0, "nested": [text[:9], {"k": 1.50}]}
            stored = json.dumps(result, ensure_ascii=chance.random() < 0.6)
            append(session, "tool", stored, tool_name="read_file", tool_call_id=f"c{number}")
        case 5:
            arguments = json.dumps({"command": text, "path": "src/app/main.py"}, ensure_ascii=chance.random() < 0.5)
            call = {"id": f"c{number}", "type": "function", "function": {"name": "terminal", "arguments": arguments}}
            details = [{"type": "reasoning.text", "text": texts(chance, 1)[0]}]
            append(session, "assistant", None, tool_calls=[call], reasoning_details=details)
        case 6:
            append(session, "tool", "filler words " * 650 + text, tool_name="terminal", tool_call_id=f"c{number}")
        case 7:
            parts = [
                {"type": "text", "text": text},
                {"type": "image_url", "image_url": {"url": "data:image/png;base64,iVBORw0KGgo="}},
            ]
            append(session, "user", parts)
        case 8:
            append(session, "tool" if chance.random() < 0.5 else "user", f"before\0{text}")
        case _:
            append(session, "tool", [{"type": "text", "text": text}], tool_name="browser", tool_call_id=f"c{number}")


def _compact_and_rewind(recorder: Recorder, chance: random.Random) -> None:
    session = recorder.create_session("discord")
    ids = [
        recorder.append(session, "user" if n % 2 == 0 else "assistant", text)
        for n, text in enumerate(texts(chance, 12))
    ]
    recorder.compact(session, "what was said: " + texts(chance, 1)[0], keep_last=2)
    more = [
        recorder.append(session, "user" if n % 2 == 0 else "assistant", text) for n, text in enumerate(texts(chance, 6))
    ]
    recorder.rewind(session, more[2])
    assert ids


# -- what can have happened to an index -------------------------------------------------------------------------------


def _triggers(connection: sqlite3.Connection, *tables: str) -> list[str]:
    found = connection.execute("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'").fetchall()
    return [name for name, sql in found if any(f"INTO {table}" in sql or f"FROM {table} " in sql for table in tables)]


def _drop(connection: sqlite3.Connection, table: str) -> None:
    for name in _triggers(connection, table + "(") + _triggers(connection, table):
        if table != "messages_fts" or "trigram" not in name:
            connection.execute(f"DROP TRIGGER IF EXISTS {name}")
    connection.execute(f"DROP TABLE IF EXISTS {table}")


def _forget(connection: sqlite3.Connection, table: str, low: int, high: int) -> None:
    """Take the rows with low < id <= high out of an index."""
    sql = connection.execute("SELECT sql FROM sqlite_master WHERE name = ?", (table,)).fetchone()[0]
    if "content=" not in sql.replace(" ", ""):
        connection.execute(f"DELETE FROM {table} WHERE rowid > ? AND rowid <= ?", (low, high))
        return
    columns = [row[1] for row in connection.execute(f"PRAGMA table_info({table})")]
    names = ", ".join(columns)
    held = connection.execute(
        f"SELECT rowid, {names} FROM {table} WHERE rowid > ? AND rowid <= ?", (low, high)
    ).fetchall()
    marks = ", ".join("?" * (len(columns) + 1))
    for row in held:
        connection.execute(f"INSERT INTO {table}({table}, rowid, {names}) VALUES ('delete', {marks})", row)


def _gap(connection: sqlite3.Connection) -> None:
    high = connection.execute("SELECT max(id) FROM messages").fetchone()[0]
    low = high // 3
    for table in ("messages_fts", "messages_fts_trigram"):
        _forget(connection, table, low, high - 20)
    marks = (("fts_rebuild_high_water", str(high - 20)), ("fts_rebuild_progress", str(low)))
    connection.executemany("INSERT OR REPLACE INTO state_meta(key, value) VALUES (?, ?)", marks)


def _stale(connection: sqlite3.Connection) -> None:
    for name in _triggers(connection, "messages_fts", "messages_fts_trigram"):
        connection.execute(f"DROP TRIGGER IF EXISTS {name}")
    connection.execute("INSERT OR REPLACE INTO state_meta(key, value) VALUES ('fts_stale', '1')")
    connection.execute("UPDATE messages SET content = 'fixing the stale socket' WHERE id % 17 = 0 AND role = 'user'")


def _missing(connection: sqlite3.Connection) -> None:
    high = connection.execute("SELECT max(id) FROM messages").fetchone()[0]
    for table in ("messages_fts", "messages_fts_trigram"):
        _forget(connection, table, high // 2, high // 2 + 40)


def _unindexed(connection: sqlite3.Connection) -> None:
    _drop(connection, "messages_fts_trigram")
    _drop(connection, "messages_fts")


def _damaged(connection: sqlite3.Connection) -> None:
    connection.execute("UPDATE messages_fts_data SET block = zeroblob(20) WHERE id > 10")


def _wiped(connection: sqlite3.Connection) -> None:
    connection.execute("DELETE FROM messages_fts_data")


def _untriggered(connection: sqlite3.Connection) -> None:
    name = next(name for name in _triggers(connection, "messages_fts") if "delete" in name)
    connection.execute(f"DROP TRIGGER {name}")
    connection.execute("DELETE FROM messages WHERE id % 23 = 0")


STATES: dict[str, Callable[[sqlite3.Connection], None]] = {
    "good": lambda connection: None,
    "gap": _gap,
    "stale": _stale,
    "missing rows": _missing,
    "no trigram": lambda connection: _drop(connection, "messages_fts_trigram"),
    "no word": lambda connection: _drop(connection, "messages_fts"),
    "no index": _unindexed,
    "damaged": _damaged,
    "wiped": _wiped,
    "untriggered": _untriggered,
}


def put_in_state(path: Path, state: str) -> None:
    """Do to the indexes of the store at `path` what `state` says."""
    with closing(sqlite3.connect(path)) as connection, connection:
        STATES[state](connection)
        connection.commit()
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
