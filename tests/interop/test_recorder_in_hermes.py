"""A real release opens what the recorder wrote, lists it, searches it, goes on with it; and both write alike."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from hermes_tui.library import Library
from hermes_tui.model import Anchor
from hermes_tui.recorder import Layout, Recorder
from hermes_tui.sample import write_sample
from tests.interop.conftest import FORK, MIDDLE, UPSTREAM, Release, Releases

pytestmark = pytest.mark.interop

SCRIPT = Path(__file__).with_name("hermes_sessions.py")
INDEXES = ("messages_fts", "messages_fts_trigram")
READERS = [
    pytest.param(Layout.INLINE, UPSTREAM, id="inline-upstream"),
    pytest.param(Layout.INLINE, FORK, id="inline-fork"),
    pytest.param(Layout.EXTERNAL, MIDDLE, id="external-middle"),
    pytest.param(Layout.EXTERNAL, FORK, id="external-fork"),
    pytest.param(Layout.VIEWS, FORK, id="views-fork"),
]
MODELS = [
    pytest.param(Layout.INLINE, UPSTREAM, id="inline-upstream"),
    pytest.param(Layout.EXTERNAL, MIDDLE, id="external-middle"),
    pytest.param(Layout.VIEWS, FORK, id="views-fork"),
]
CALL = {"id": "call_1", "type": "function", "function": {"name": "terminal", "arguments": '{"command": "unzip 字"}'}}
SESSIONS: list[dict[str, Any]] = [
    {
        "id": "20260101_000000_aaaaaa",
        "source": "cli",
        "fields": {
            "model": "some/model",
            "system_prompt": "Be kind.",
            "cwd": "/srv",
            "model_config": {"temperature": 1},
        },
        "messages": [
            {"role": "user", "content": "Run pyinstaller --onefile 打包程序 Grüße", "timestamp": 1_770_000_000.5},
            {
                "role": "assistant",
                "content": "",
                "tool_calls": [CALL],
                "timestamp": 1_770_000_001.0,
                "reasoning": "Hm.",
            },
            {
                "role": "tool",
                "content": "x" * 9000 + " farneedle",
                "tool_name": "terminal",
                "tool_call_id": "call_1",
                "timestamp": 1_770_000_002.0,
            },
            {"role": "user", "content": [{"type": "text", "text": "a picture 画"}], "timestamp": 1_770_000_003.0},
            {"role": "assistant", "content": None, "finish_reason": "stop", "timestamp": 1_770_000_004.0},
        ],
    },
    {
        "id": "cron_1_20260102_000000",
        "source": "cron",
        "messages": [{"role": "user", "content": "nightly 定时任务", "timestamp": 1_770_000_005.0}],
    },
    {
        "id": "20260103_000000_bbbbbb",
        "source": "subagent",
        "fields": {"model_config": {"_delegate_from": "elsewhere"}},
        "messages": [{"role": "user", "content": "a goal", "timestamp": 1_770_000_006.0, "observed": True}],
    },
]


@pytest.fixture
def hermes(request: pytest.FixtureRequest, releases: Releases, tmp_path: Path) -> Release:
    return releases.get(request.param, tmp_path / "home")


def ask(release: Release, store: Path, command: str, given: object) -> dict[str, Any]:
    printed = release.run(SCRIPT, str(store), command, given=json.dumps(given))
    answer: dict[str, Any] = json.loads(printed.splitlines()[-1])
    return answer


def rows(store: Path, sql: str, *parameters: object) -> list[tuple[Any, ...]]:
    with closing(sqlite3.connect(store)) as connection:
        return connection.execute(sql, parameters).fetchall()


def assert_indexes_agree(store: Path) -> None:
    with closing(sqlite3.connect(store, isolation_level=None)) as connection:
        for index in INDEXES:
            connection.execute(f"INSERT INTO {index}({index}, rank) VALUES ('integrity-check', 1)")


def record(store: Path, layout: Layout) -> None:
    """The sessions of SESSIONS, written by the recorder."""
    with Recorder(store, layout=layout) as recorder:
        for session in SESSIONS:
            fields = session.get("fields", {})
            recorder.create_session(session["source"], session_id=session["id"], **fields)
            for message in session["messages"]:
                recorder.append(session["id"], **message)


@pytest.mark.parametrize(("layout", "hermes"), READERS, indirect=["hermes"])
def test_a_release_lists_searches_and_goes_on(tmp_path: Path, layout: Layout, hermes: Release) -> None:
    store = tmp_path / "state.db"
    with Recorder(store, layout=layout) as recorder:
        root = recorder.create_session("telegram", title="Migration", system_prompt="Be kind.", chat_id="5")
        first = recorder.append(root, "user", "Start with pyinstaller --onefile and 打包程序")
        recorder.append(root, "assistant", "On it.", tool_calls=[CALL])
        recorder.append(root, "tool", "toolneedle", tool_name="terminal", tool_call_id="call_1")
        recorder.append(root, "assistant", "Built.")
        recorder.compact(root, "They built a program.", keep_last=1)
        slip = recorder.append(root, "user", "slippedneedle")
        recorder.rewind(root, slip)
        recorder.append(root, "user", "better question")
        tip = recorder.split(root, "Built and asked.", keep_last=1)
        recorder.append(tip, "user", [{"type": "text", "text": "pictureneedle"}])
        twig = recorder.branch(tip)
        twig_copy = [row["id"] for row in recorder.live_messages(twig) if isinstance(row["content"], list)]
        helper = recorder.delegate(tip)
        goal = recorder.append(helper, "user", "helperneedle")
        recorder.archive(recorder.create_session("cli", title="Put away"))
        expected_live = {name: [row["content"] for row in recorder.live_messages(name)] for name in (tip, twig)}
    pictures = [row[0] for row in rows(store, "SELECT id FROM messages WHERE instr(content, 'pictureneedle')")]

    queries = ["pyinstaller", "打包程序", "toolneedle", "pictureneedle", "helperneedle", "slippedneedle"]
    told = ask(hermes, store, "read", {"search": queries, "say": "hermesneedle"})

    # One row for the chain (under its tip, rooted in its root), one for the branch; the helper and the archived are not
    # listed.
    assert {row["id"]: row["_lineage_root_id"] for row in told["sessions"]} == {tip: root, twig: None}
    titles = {row["id"]: row["title"] for row in told["sessions"]}
    assert titles == {tip: "Migration #2", twig: "Migration #3"}
    assert set(told["prompts"].values()) == {"Be kind."}
    assert {name: [content for _, content in said] for name, said in told["live"].items()} == expected_live
    assert told["found"] == {
        "pyinstaller": [first],
        "打包程序": [first],
        "toolneedle": [3],
        "pictureneedle": sorted(pictures, key=told["found"]["pictureneedle"].index),
        "helperneedle": [goal],
        "slippedneedle": [],
    }
    assert twig_copy[0] in pictures
    assert sorted(told["found_again"]) == sorted(told["said"].values())

    # Our browser reads what both have written, and the recorder goes on with it.
    library = Library.open(store)
    try:
        assert sorted(hit.anchor.message_id or 0 for hit in library.search("hermesneedle").hits) == sorted(
            told["said"].values()
        )
        assert library.transcript(Anchor(tip)).segments[0].id == root
    finally:
        library.close()
    assert_indexes_agree(store)
    with Recorder(store) as recorder:
        # The newest release turns EXTERNAL indexes into VIEWS when it opens them; all others stay as they are.
        assert recorder.layout is (Layout.VIEWS if hermes.name == FORK and layout is Layout.EXTERNAL else layout)
        assert recorder.indexed
        assert recorder.live_messages(twig)[-1]["content"] == "hermesneedle"
        later = recorder.append(twig, "user", "recorderneedle")
        recorder.update_message(later, content="changedneedle")
        recorder.compact(twig, "And so on.", keep_last=1)
    for index in INDEXES:
        found = f"SELECT count(*) FROM {index} WHERE {index} MATCH ?"
        assert rows(store, found, '"hermesneedle"') == [(2,)]
        assert rows(store, found, '"changedneedle"') == [(2,)]  # the message and the copy behind the summary
    assert_indexes_agree(store)


@pytest.mark.parametrize(("layout", "hermes"), READERS, indirect=["hermes"])
def test_a_release_takes_the_demo_store_for_its_own(tmp_path: Path, layout: Layout, hermes: Release) -> None:
    store = tmp_path / "state.db"
    write_sample(store, layout=layout)
    told = ask(hermes, store, "read", {"search": ["onefile", "idempotency", "打包程序", "Skarvik"]})
    titles = [row["title"] for row in told["sessions"]]
    for title in ("Package the tray app for Windows", "Move the shop to PostgreSQL #3", "客厅灯光和打包程序"):
        assert title in titles
    for title in ("Move the shop to PostgreSQL", "Newsletter wording"):  # the root of a chain, and one put away
        assert title not in titles
    assert all(len(found) >= 1 for found in told["found"].values()), told["found"]
    long = next(row for row in told["sessions"] if row["title"] and row["title"].startswith("Clean the tide archive"))
    assert long["message_count"] == len(told["live"][long["id"]]) == 3000
    assert_indexes_agree(store)


@pytest.mark.parametrize(("layout", "hermes"), MODELS, indirect=["hermes"])
def test_both_make_the_same_tables(tmp_path: Path, layout: Layout, hermes: Release) -> None:
    ours, theirs = tmp_path / "ours.db", tmp_path / "theirs.db"
    record(ours, layout)
    ask(hermes, theirs, "write", SESSIONS)

    def shapes(store: Path) -> dict[str, set[tuple[Any, ...]]]:
        tables = [name for (name,) in rows(ours, "SELECT name FROM sqlite_master WHERE type = 'table'")]
        columns = 'SELECT name, type, "notnull", dflt_value, pk FROM pragma_table_info(?)'
        return {table: set(rows(store, columns, table)) for table in tables}

    def definitions(store: Path, kind: str) -> dict[str, str]:
        """Without white space, and without what belongs to tables that the recorder does not make."""
        tables = [name for (name,) in rows(ours, "SELECT name FROM sqlite_master WHERE type IN ('table', 'view')")]
        found = rows(store, "SELECT name, tbl_name, sql FROM sqlite_master WHERE type = ? AND sql IS NOT NULL", kind)
        return {name: "".join(sql.split()) for name, table, sql in found if table in tables}

    assert shapes(ours) == shapes(theirs)
    assert definitions(ours, "index") == definitions(theirs, "index")
    assert definitions(ours, "trigger").keys() == definitions(theirs, "trigger").keys()
    assert definitions(ours, "view").keys() == definitions(theirs, "view").keys()
    assert rows(ours, "SELECT version FROM schema_version") == rows(theirs, "SELECT version FROM schema_version")


@pytest.mark.parametrize(("layout", "hermes"), MODELS, indirect=["hermes"])
def test_both_store_the_same_rows_and_index_the_same_words(tmp_path: Path, layout: Layout, hermes: Release) -> None:
    ours, theirs = tmp_path / "ours.db", tmp_path / "theirs.db"
    record(ours, layout)
    ask(hermes, theirs, "write", SESSIONS)
    minted = {"message_uid", "tool_call_uids", "tool_call_uid"}  # made at random, or left for the release to make

    def stored(store: Path, table: str, without: set[str]) -> list[tuple[Any, ...]]:
        names = sorted(name for (name,) in rows(store, "SELECT name FROM pragma_table_info(?)", table))
        return rows(
            store, f"SELECT {', '.join(name for name in names if name not in without)} FROM {table} ORDER BY id"
        )

    assert stored(ours, "messages", minted) == stored(theirs, "messages", minted)
    timely = {"started_at", "last_activity_at"}
    assert stored(ours, "sessions", timely) == stored(theirs, "sessions", timely)

    def words(store: Path, index: str) -> list[tuple[Any, ...]]:
        with closing(sqlite3.connect(store)) as connection:
            connection.execute(f"CREATE VIRTUAL TABLE temp.words USING fts5vocab(main, {index}, instance)")
            return connection.execute("SELECT term, doc, col, offset FROM temp.words ORDER BY 1, 2, 3, 4").fetchall()

    for index in INDEXES:
        assert words(ours, index) == words(theirs, index)
        assert len(words(ours, index)) > 5
