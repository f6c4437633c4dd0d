"""The first page of a very long list is the top of that list, and is found without reading it; and the last answer."""

from __future__ import annotations

from pathlib import Path

import pytest

from hermes_tui.model import Status
from hermes_tui.store import first_page
from hermes_tui.store.last_words import last_words
from hermes_tui.store.sessions import list_sessions
from tests.store.handmade import DAY, SHAPES, Store
from tests.store.plans import plans, scans

SEEKABLE = [name for name in SHAPES if name != "unindexed"]


@pytest.fixture(params=SEEKABLE)
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Store:
    """Chains, sub-agents, automation, what was put away, and conversations whose use is known from messages only."""
    store = Store(tmp_path / "state.db", **SHAPES[request.param])
    for number in range(40):
        store.session(f"s{number:02}", source=("cli", "cron", "telegram", "odd")[number % 4], started_at=DAY + number)
        if number % 3:
            store.message(f"s{number:02}", f"words of {number}", timestamp=DAY + number * 37 % 100)
    store.session("tip", parent_session_id="s08", started_at=DAY + 500)
    store.message("tip", "go on", timestamp=DAY + 501)
    store.message("tip", "done", role="assistant", timestamp=DAY + 502)
    store.session("agent", source="subagent", parent_session_id="tip", started_at=DAY + 600)
    store.session("helper", parent_session_id="tip", config={"_delegate_from": "tip"}, started_at=DAY + 601)
    store.session("gone", archived=1, started_at=DAY + 700)
    store.session("unseen", hidden=1, started_at=DAY + 701)
    store._writer.execute("UPDATE sessions SET end_reason = 'compression' WHERE id = 's08'")
    return store


def test_the_first_page_is_the_top_of_the_list(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(first_page, "MANY", 10)
    connection, capabilities = store.open()
    with connection:
        whole = list_sessions(connection, capabilities, preview=100)
        page = first_page.first_page(connection, capabilities, rows=6)
        assert page is not None
        assert page.rows == whole.rows[:6]
        assert ("s08", "tip") in [row.segments for row in page.rows]
        assert page.truncated
        assert not scans(
            plans(connection, lambda: first_page.first_page(connection, capabilities, rows=6), monkeypatch),
            "messages",
            "m",
        )
        # More than there are, or few sessions: there is no page, and the whole list is read.
        assert first_page.first_page(connection, capabilities, rows=60) is None
        monkeypatch.setattr(first_page, "MANY", 1000)
        assert first_page.first_page(connection, capabilities, rows=6) is None


def test_a_file_without_an_index_has_no_first_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(first_page, "MANY", 1)
    store = Store(tmp_path / "state.db", indexes="none")
    store.session("a")
    connection, capabilities = store.open()
    with connection:
        assert first_page.first_page(connection, capabilities, rows=1) is None


@pytest.mark.parametrize("shape", SHAPES)
def test_empty_conversations_are_known_in_the_whole_list(shape: str, tmp_path: Path) -> None:
    """A message without a time is a message; a chain is empty only when all of it is."""
    store = Store(tmp_path / "state.db", **SHAPES[shape])
    for key in ("empty", "untimed", "full"):
        store.session(key)
    store.message("untimed", "when?", timestamp=None)
    store.message("full", "now")
    store.session("begun", end_reason="compression")
    store.message("begun", "so it began")
    store.session("continued", parent_session_id="begun")
    connection, capabilities = store.open()
    with connection:
        rows = list_sessions(connection, capabilities).rows
    assert [row.id for row in rows if row.status is Status.EMPTY] == ["empty"]


def talk(path: Path, shape: str) -> Store:
    """A chain whose last session only calls tools so far."""
    store = Store(path, **SHAPES[shape])
    store.session("root", end_reason="compression")
    store.message("root", "old answer", role="assistant")
    store.session("tip", parent_session_id="root")
    for number in range(60):
        store.message("tip", "", role="assistant", tool_calls="[]")
        store.message("tip", f"output {number}", role="tool")
    return store


@pytest.mark.parametrize("shape", SHAPES)
def test_the_last_words_are_the_last_answer_with_text(
    shape: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    connection, capabilities = talk(tmp_path / "before.db", shape).open()
    with connection:
        assert last_words(connection, capabilities, ["root", "tip"]) == "old answer"
        assert last_words(connection, capabilities, ["nothing"]) == ""
    store = talk(tmp_path / "after.db", shape)
    store.message("tip", "new\n\nanswer", role="assistant")
    store.message("tip", "more please")
    if "active" not in store.without:
        store.message("tip", "taken back", role="assistant", active=0)
    connection, capabilities = store.open()
    with connection:
        assert last_words(connection, capabilities, ["root", "tip"]) == "new answer"
        steps = plans(connection, lambda: last_words(connection, capabilities, ["root", "tip"]), monkeypatch)
        assert bool(scans(steps, "messages", "m")) is (shape == "unindexed")
