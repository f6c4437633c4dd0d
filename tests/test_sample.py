"""The demo store: what it promises to show, that it repeats, and that it is a sound store in every layout."""

from __future__ import annotations

import sqlite3
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from hermes_tui.recorder import Layout
from hermes_tui.sample import NOW, write_sample

MONTH = 30 * 86_400.0
TABLES = ("sessions", "messages", "session_model_usage", "state_meta", "schema_version")


@pytest.fixture(scope="module")
def demo_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("demo") / "state.db"
    write_sample(path)
    return path


@pytest.fixture(scope="module")
def demo(demo_file: Path) -> Iterator[sqlite3.Connection]:
    with closing(sqlite3.connect(demo_file)) as connection:
        yield connection


def contents(path: Path) -> dict[str, list[tuple[Any, ...]]]:
    with closing(sqlite3.connect(path)) as connection:
        return {table: connection.execute(f"SELECT * FROM {table} ORDER BY 1").fetchall() for table in TABLES}


def column(connection: sqlite3.Connection, sql: str, *parameters: object) -> list[Any]:
    return [row[0] for row in connection.execute(sql, parameters)]


def test_the_same_seed_writes_the_same_rows(tmp_path: Path, demo_file: Path) -> None:
    write_sample(tmp_path / "again", seed=7, now=NOW)
    assert contents(tmp_path / "again") == contents(demo_file)


def test_another_seed_and_time_change_the_rows(tmp_path: Path, demo: sqlite3.Connection) -> None:
    write_sample(tmp_path / "other", seed=8, now=NOW + 86_400)
    with closing(sqlite3.connect(tmp_path / "other")) as other:
        newest, texts = "SELECT max(timestamp) FROM messages", "SELECT content FROM messages ORDER BY id"
        assert column(other, newest)[0] - column(demo, newest)[0] == pytest.approx(86_400, abs=1800)
        assert column(other, texts) != column(demo, texts)


@pytest.mark.parametrize("layout", [Layout.INLINE, Layout.EXTERNAL], ids=str)
def test_every_layout_tells_the_same_story(tmp_path: Path, demo: sqlite3.Connection, layout: Layout) -> None:
    seen: list[tuple[int, int]] = []
    write_sample(tmp_path / "state.db", layout=layout, progress=lambda done, total: seen.append((done, total)))
    assert seen == [(number, len(seen)) for number in range(1, len(seen) + 1)]
    with closing(sqlite3.connect(tmp_path / "state.db", isolation_level=None)) as other:
        told = "SELECT role, content, tool_calls FROM messages ORDER BY id"
        assert [row[:2] for row in other.execute(told)] == [row[:2] for row in demo.execute(told)]
        for index in ("messages_fts", "messages_fts_trigram"):
            other.execute(f"INSERT INTO {index}({index}, rank) VALUES ('integrity-check', 1)")


def test_a_file_that_is_there_is_not_touched(tmp_path: Path) -> None:
    path = tmp_path / "state.db"
    path.write_text("mine")
    with pytest.raises(FileExistsError, match=r"state\.db"):
        write_sample(path)
    assert path.read_text() == "mine"


def test_its_size_sources_and_time(demo: sqlite3.Connection) -> None:
    sources = Counter(column(demo, "SELECT source FROM sessions"))
    assert 55 <= sources.total() <= 75
    assert sources.keys() == {"cli", "telegram", "discord", "cron", "subagent"}
    assert min(sources.values()) >= 3
    first, last = demo.execute("SELECT min(timestamp), max(timestamp) FROM messages").fetchone()
    assert 3.5 * MONTH < NOW - first < 4.5 * MONTH
    assert 0 < NOW - last < 3600
    assert time.gmtime(NOW)[:3] == (2026, 11, 30)


def test_every_time_follows_the_one_before_it_in_its_session(demo: sqlite3.Connection) -> None:
    late = demo.execute(
        "SELECT id FROM sessions WHERE started_at > (SELECT min(timestamp) FROM messages"
        " WHERE session_id = sessions.id AND _compressed_summary = 0 AND parent_session_id IS NULL)"
    ).fetchall()
    assert late == []
    assert column(demo, "SELECT id FROM sessions WHERE ended_at < started_at") == []
    assert column(demo, "SELECT max(timestamp) FROM messages")[0] < NOW


def test_the_turns_of_history_are_all_there(demo: sqlite3.Connection) -> None:
    states = Counter(demo.execute("SELECT active, compacted FROM messages").fetchall())
    assert states[(0, 1)] > 10  # summarised away in place
    assert states[(0, 0)] >= 4  # taken back
    assert column(demo, "SELECT max(rewind_count) FROM sessions") == [1]
    assert column(demo, "SELECT count(*) FROM messages WHERE _compressed_summary = 1")[0] >= 4

    edges = {
        mark: column(
            demo, f"SELECT count(*) FROM sessions WHERE json_extract(model_config, '$.{mark}') = parent_session_id"
        )[0]
        for mark in ("_branched_from", "_reset_from", "_delegate_from")
    }
    assert edges == {"_branched_from": 1, "_reset_from": 1, "_delegate_from": 3}
    chain = column(
        demo, "SELECT title FROM sessions WHERE title LIKE 'Move the shop to PostgreSQL%' ORDER BY started_at"
    )
    assert chain == [f"Move the shop to PostgreSQL{number}" for number in ("", " #2", " #3")]
    assert column(demo, "SELECT count(*) FROM sessions WHERE end_reason = 'compression'") == [2]
    flags = demo.execute("SELECT sum(archived), sum(pinned), sum(hidden) FROM sessions").fetchone()
    assert all(flag >= 1 for flag in flags)


def test_one_session_is_long_and_one_is_still_running(demo: sqlite3.Connection) -> None:
    sizes = column(demo, "SELECT count(*) FROM messages GROUP BY session_id ORDER BY 1 DESC")
    assert sizes[0] == 3000
    assert sizes[1] < 100
    (last,) = column(demo, "SELECT max(id) FROM messages")
    role, ended_at = demo.execute(
        "SELECT m.role, s.ended_at FROM messages m JOIN sessions s ON s.id = m.session_id WHERE m.id = ?", (last,)
    ).fetchone()
    assert (role, ended_at) == ("user", None)


def test_jobs_have_many_runs(demo: sqlite3.Connection) -> None:
    runs = Counter(name.split("_")[1] for name in column(demo, "SELECT id FROM sessions WHERE source = 'cron'"))
    assert len(runs) == 3
    assert min(runs.values()) >= 5


@pytest.mark.parametrize(
    "text",
    [
        "--onefile", "C:\\Users\\Robin", "\\\\nas\\public", "/home/robin/src", "打包程序", "抹茶", "Grüner", "¿Puedes",
        "Größere", "Фотографии", "L'été", "고마워", "مرحبًا", "\x1b[31m", "Traceback (most recent", "@@ -", "```python",
        "😄", '\x00json:[{"type": "text"', "data:image/png;base64,", '"exit_code": 1',
    ],
)  # fmt: skip
def test_what_people_look_for_is_in_it(demo: sqlite3.Connection, text: str) -> None:
    assert column(demo, "SELECT count(*) FROM messages WHERE instr(content, ?)", text)[0] >= 1


def test_the_rest_of_a_message_is_filled_in_too(demo: sqlite3.Connection) -> None:
    assert column(demo, "SELECT count(*) FROM messages WHERE reasoning <> ''")[0] > 20
    assert column(demo, "SELECT count(*) FROM messages WHERE observed = 1")[0] >= 3
    assert column(demo, "SELECT max(length(content)) FROM messages WHERE role = 'tool'")[0] > 20_000
    called = column(
        demo, "SELECT json_extract(c.value, '$.id') FROM messages m, json_each(m.tool_calls) c WHERE m.active = 1"
    )
    answered = column(demo, "SELECT tool_call_id FROM messages WHERE role = 'tool' AND active = 1")
    assert Counter(called) == Counter(answered)
    assert column(demo, "SELECT count(*) FROM sessions WHERE source = 'cli' AND estimated_cost_usd > 0")[0] > 15
    assert column(demo, "SELECT count(*) FROM system_prompts") == [1]
