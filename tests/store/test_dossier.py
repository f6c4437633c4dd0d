"""One session in full: its cells as they are stored, prompt, tools, usage by model, files touched."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from hermes_tui.model import Counts, Deed, Details, Status, Usage
from hermes_tui.store.dossier import dossier
from tests.store.handmade import DAY, SHAPES, Store
from tests.store.plans import plans, scans

USAGE = (
    "CREATE TABLE session_model_usage (session_id, model, billing_provider, task, api_call_count, input_tokens,"
    " output_tokens, cache_read_tokens, cache_write_tokens, reasoning_tokens, estimated_cost_usd, actual_cost_usd)"
)


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "state.db")


def details(store: Store, session: str = "S") -> Details:
    connection, capabilities = store.open()
    with connection:
        return dossier(connection, capabilities, session)


def used(store: Store, *rows: tuple[Any, ...]) -> None:
    store.run(USAGE)
    for row in rows:
        store.run(f"INSERT INTO session_model_usage VALUES ({', '.join('?' * 12)})", *row)


@pytest.mark.parametrize("shape", SHAPES)
def test_every_cell_is_told_as_it_is_stored(tmp_path: Path, shape: str) -> None:
    store = Store(tmp_path / "state.db", **SHAPES[shape])
    store.run("ALTER TABLE sessions ADD COLUMN \"odd 'name'\" BLOB DEFAULT x'c3a9'")
    store.session("S", title="Ferry", model="m1", started_at="2026-04-09", config={"k": "v" * 9000}, input_tokens=5)
    store.session("T", parent_session_id="S", end_reason="x")
    store.message("S", "hello there")
    store.message("S", "gone", active=0)
    store.message("T", "not of S")
    found = details(store)
    columns = dict(found.columns)
    assert columns["id"] == "S"
    assert columns["started_at"] == "2026-04-09"
    assert columns["model_config"] == json.dumps({"k": "v" * 9000})
    assert columns["odd 'name'"] == "é"
    assert columns["ended_at"] is None
    assert next(name for name, _ in found.columns) == "id"
    assert found.session.counts == (Counts(live=2) if shape == "oldest" else Counts(live=1, rewound=1))
    assert (found.session.preview, found.session.status) == ("hello there", Status.INTERRUPTED)
    assert found.tree == 2
    assert (found.system_prompt, found.tools) == (None, ())
    assert found.usage == (Usage("m1", input=5),)
    with pytest.raises(KeyError):
        details(Store(tmp_path / "other.db"), "S")


def test_a_prompt_stands_in_the_row_or_under_its_hash(store: Store) -> None:
    for name in ("system_prompt", "system_prompt_hash", "tool_names"):
        store.run(f"ALTER TABLE sessions ADD COLUMN {name} TEXT")
    store.run("CREATE TABLE system_prompts (hash TEXT PRIMARY KEY, prompt TEXT)")
    tools = json.dumps({"version": 1, "tools": [{"type": "function", "function": {"name": "terminal"}}, {"name": "x"}]})
    for key, text in (("h1", "You are kind."), ("t1", tools)):
        store.run("INSERT INTO system_prompts VALUES (?, ?)", key, text)
    cells = {
        "hash": ("h1", None, "t1"),
        "inline": (None, "Be brief.", '["read_file", "patch"]'),
        "lost": ("h9", "old", "t9"),
    }
    for key, (digest, prompt, named) in cells.items():
        store.session(key)
        sql = "UPDATE sessions SET system_prompt_hash = ?, system_prompt = ?, tool_names = ? WHERE id = ?"
        store.run(sql, digest, prompt, named, key)
    connection, capabilities = store.open()
    with connection:
        told = {key: dossier(connection, capabilities, key) for key in cells}
    assert {key: (found.system_prompt, found.tools) for key, found in told.items()} == {
        "hash": ("You are kind.", ("terminal", "x")),
        "inline": ("Be brief.", ("read_file", "patch")),
        "lost": ("old", ()),
    }


def test_an_old_file_has_its_prompt_in_the_row(store: Store) -> None:
    store.run("ALTER TABLE sessions ADD COLUMN system_prompt TEXT")
    store.session("S")
    store.run("UPDATE sessions SET system_prompt = 'Inline.'")
    assert details(store).system_prompt == "Inline."


def test_usage_is_told_by_model_and_task(store: Store) -> None:
    """What the main conversation used is in the row of the session besides, what other tasks used is not."""
    store.session("S", model="big", input_tokens=350, output_tokens=30, estimated_cost_usd=0.5)
    used(
        store,
        ("S", "big", "a", "", 2, 100, 10, 7, 3, 1, 0.25, 0.0),
        ("S", "big", "b", "", 1, 200, 10, None, None, None, 0.15, 0.125),
        ("S", "small", "a", None, 1, 50, 10, 0, 0, 0, None, None),
        ("S", "tiny", "a", "title_generation", 1, 300, 9, 0, 0, 0, 0.01, 0.0),
        ("T", "big", "a", "", 9, 9, 9, 9, 9, 9, 9.0, 9.0),
    )
    assert details(store).usage == (
        Usage("big", "", 300, 20, 7, 3, 1, 0.375, 3),
        Usage("small", "", 50, 10, 0, 0, 0, None, 1),
        Usage("tiny", "title_generation", 300, 9, 0, 0, 0, 0.01, 1),
    )


def test_where_no_model_noted_the_main_conversation_the_session_speaks(store: Store) -> None:
    store.session("S", model="big", input_tokens=350, output_tokens=30, actual_cost_usd=0.5)
    used(store, ("S", "tiny", "a", "title_generation", 1, 300, 9, 0, 0, 0, 0.01, 0.0))
    main, titles = details(store).usage
    assert (main.model, main.task, main.input, main.output, main.cost_usd) == ("big", "", 350, 30, 0.5)
    assert (titles.task, titles.input) == ("title_generation", 300)


def test_files_are_told_once_for_each_deed_with_the_first_call(store: Store) -> None:
    def call(number: int, name: str, **arguments: Any) -> dict[str, Any]:
        return {"id": f"c{number}", "function": {"name": name, "arguments": json.dumps(arguments)}}

    store.session("S", cwd="/srv")
    first = store.message("S", role="assistant", tool_calls=json.dumps([call(1, "read_file", path="a.py")]))
    store.message("S", role="assistant", tool_calls=json.dumps([call(2, "read_file", path="/srv/a.py")]))
    both = [call(3, "write_file", path="a.py"), call(4, "read_file", path="b.py")]
    third = store.message("S", role="assistant", tool_calls=json.dumps(both))
    store.message("S", role="assistant", tool_calls="[broken")
    store.message("T", role="assistant", tool_calls=json.dumps([call(5, "read_file", path="c.py")]))
    found = details(store).touches
    assert [(each.path, each.deed, each.count, each.anchor.message_id) for each in found] == [
        ("a.py", Deed.READ, 2, first),
        ("a.py", Deed.WROTE, 1, third),
        ("b.py", Deed.READ, 1, third),
    ]
    assert {each.full for each in found} == {"/srv/a.py", "/srv/b.py"}


def test_files_are_those_of_the_whole_conversation_and_a_kept_tail_counts_once(store: Store) -> None:
    calls = json.dumps([{"id": "c1", "function": {"name": "read_file", "arguments": '{"path": "a.py"}'}}])
    store.session("S", ended_at=DAY + 9, end_reason="compression", started_at=DAY)
    first = store.message("S", role="assistant", tool_calls=calls, timestamp=DAY + 5)
    store.session("T", parent_session_id="S", started_at=DAY + 9)
    store.message("T", role="assistant", tool_calls=calls, timestamp=DAY + 5)
    connection, capabilities = store.open()
    with connection:
        told = [dossier(connection, capabilities, session).touches for session in ("S", "T")]
    for found in told:
        assert [(each.path, each.count, each.anchor.message_id) for each in found] == [("a.py", 1, first)]


def test_no_session_takes_a_walk_over_a_table(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    store.run(USAGE)
    store.run("CREATE INDEX by_session ON session_model_usage(session_id)")
    store.session("S", parent_session_id="R")
    store.message("S", "hello", tool_calls='[{"name": "read", "arguments": {"path": "a.py"}}]', timestamp=DAY)
    connection, capabilities = store.open()
    with connection:
        steps = plans(connection, lambda: dossier(connection, capabilities, "S"), monkeypatch)
    for table, *alias in (("sessions", "s", "c", "p"), ("messages", "m"), ("session_model_usage", "u")):
        assert scans(steps, table, *alias) == []
