"""What a search asks of SQLite: which statements, how many, how they are gone about, and what is read for nothing."""

from __future__ import annotations

import random
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from unittest.mock import patch

import pytest

from hermes_tui.model import Capabilities
from hermes_tui.query import parse, plan
from hermes_tui.recorder import Layout, Recorder
from hermes_tui.store import search
from hermes_tui.store.connection import Connection, connect, look
from hermes_tui.store.events import Found
from hermes_tui.store.messages import read_messages
from hermes_tui.store.schema import detect
from hermes_tui.store.survey import Survey
from hermes_tui.store.thin import rare_end
from tests.store.plans import plans, scans

PATH = "src/quarry/ledger_sync.py"
HITS = 120


@pytest.fixture(scope="module", params=list(Layout), ids=lambda layout: layout.value)
def path(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Every fifth message holds the path, some beside the end of a longer word, each ten in a session of their own."""
    file = tmp_path_factory.mktemp("work") / "state.db"
    with Recorder(file, layout=request.param) as recorder:
        for number in range(HITS * 5):
            if number % 50 == 0:
                session = recorder.create_session("cli")
            text = f"lib{PATH}:{number}" if number % 10 == 0 else f"see {PATH}" if number % 5 == 0 else "quarry sync py"
            if number % 2:
                recorder.append(session, "tool", text, tool_name="read_file")
            else:
                recorder.append(session, "user", text)
    return file


@pytest.fixture
def store(path: Path) -> Iterator[tuple[Connection, Capabilities, Survey]]:
    """A connection that has searched before, so that what is learned once is known."""
    with connect(look(path)) as connection:
        capabilities, survey = detect(connection), Survey()
        assert ids(connection, capabilities, survey, "nothing like that") == []
        yield connection, capabilities, survey


def ids(connection: Connection, capabilities: Capabilities, survey: Survey, text: str) -> list[int]:
    events = search.run(connection, capabilities, plan(parse(text), capabilities), survey=survey, weigh=False)
    return [event.message.id for event in events if isinstance(event, Found)]


@pytest.mark.parametrize("text", [PATH, '"see src/quarry"', "quarry", "quarry sync"])
def test_where_an_index_serves_no_statement_walks_the_messages(
    store: tuple[Connection, Capabilities, Survey], text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    connection, capabilities, survey = store
    steps = plans(connection, lambda: ids(connection, capabilities, survey, text), monkeypatch)
    assert scans(steps, "messages", "m") == []


def test_few_statements_are_run_and_nothing_is_read_for_nothing(
    store: tuple[Connection, Capabilities, Survey],
) -> None:
    connection, capabilities, survey = store
    statements: list[str] = []
    read: list[int] = []
    rows = Connection.rows

    def noted(self: Connection, sql: str, *args: object, **more: object) -> object:
        statements.append(sql)
        return rows(self, sql, *args, **more)  # type: ignore[arg-type]

    def reading(*args: object, **more: object) -> object:
        found = read_messages(*args, **more)  # type: ignore[arg-type]
        read.extend(message.id for message in found)
        return found

    with patch.object(Connection, "rows", noted), patch("hermes_tui.store.search.read_messages", reading):
        found = ids(connection, capabilities, survey, PATH)
    assert len(found) == HITS
    assert sorted(read) == sorted(found)
    assert len(statements) <= 12


def test_messages_are_counted_again_only_when_the_store_has_changed(tmp_path: Path) -> None:
    file = tmp_path / "state.db"
    with Recorder(file) as recorder:
        session = recorder.create_session("cli")
        recorder.append(session, "user", "one")
        with connect(look(file)) as connection, patch.object(connection, "value", wraps=connection.value) as asked:
            assert [search.count_messages(connection) for _ in range(3)] == [1, 1, 1]
            assert sum("count(*)" in call.args[0] for call in asked.call_args_list) == 1
            recorder.append(session, "user", "two")
            assert search.count_messages(connection) == 2


def test_the_rare_end_of_a_pattern_is_met_by_all_that_meets_the_pattern() -> None:
    assert rare_end("%src%quarry%ledger!_sync.py%") == "%quarry%ledger!_sync.py%"
    assert rare_end("%harvest%") == "%vest%"
    # It begins with the rarest letter, has none, or the end would say too little.
    assert [rare_end(text) for text in ("%brillig%", "%main.tsx%", "%a!%bz%", "%z%", "%%", "abz%")] == [None] * 6
    chance = random.Random(7)
    met = 0
    with closing(sqlite3.connect(":memory:")) as connection:
        for _ in range(4_000):
            pattern = "%" + "".join(chance.choices(("a", "Z", "!_", "%", "_"), k=4)) + "%"
            text = "".join(chance.choices("aZ_", k=24))
            end = rare_end(pattern)
            if end is None:
                continue
            sql = "SELECT ?1 LIKE ?2 ESCAPE '!', ?1 LIKE ?3 ESCAPE '!'"
            ((whole, part),) = connection.execute(sql, (text, pattern, end))
            met += whole
            assert part or not whole, (text, pattern, end)
    assert met > 20
