"""What a list row says of its conversation: how many messages, how it stands, the first words of a person."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

import pytest

from hermes_tui.model import Counts, SessionList, Status
from hermes_tui.store.sessions import (
    detailed,
    list_sessions,
    previews,
)
from tests.store.handmade import DAY, SHAPES, Store

SUMMARY = "[CONTEXT COMPACTION — REFERENCE ONLY] Earlier turns were compacted into the summary below. More text."
END = "--- END OF CONTEXT SUMMARY — respond to the message below, not the summary above ---"
SKILL = '[IMPORTANT: The user has invoked the "work" skill, indicating they want you to follow its instructions.]\n\n'
TYPED = "\n\nThe user has provided the following instruction alongside the skill invocation: "


@pytest.fixture(params=SHAPES)
def any_store(request: pytest.FixtureRequest, tmp_path: Path) -> Store:
    """A file of each shape: the newest columns, the oldest, and one without any index."""
    return Store(tmp_path / "state.db", **SHAPES[request.param])


@pytest.fixture
def store(tmp_path: Path) -> Store:
    """A file with the newest columns."""
    return Store(tmp_path / "state.db", indexes="new")


def listed(store: Store, **how: Any) -> SessionList:
    connection, capabilities = store.open()
    with connection:
        return list_sessions(connection, capabilities, **how)


def words(store: Store, *sessions: str) -> list[str]:
    connection, capabilities = store.open()
    with connection:
        found = previews(connection, capabilities, sessions)
    return [found[session] for session in sessions]


def test_counts_are_by_state_and_over_the_chain(store: Store) -> None:
    store.session("a", end_reason="compression")
    store.session("b", parent_session_id="a")
    for session, active, compacted in [
        ("a", 1, 0),
        ("a", 0, 1),
        ("a", 0, 0),
        ("b", None, None),
        ("b", None, 1),
        ("b", 0, None),
    ]:
        store.message(session, "x", active=active, compacted=compacted)
    (row,) = listed(store, preview=1).rows
    assert row.counts == Counts(live=3, compacted=1, rewound=2)


@pytest.mark.parametrize(
    ("rows", "status"),
    [
        ([], Status.EMPTY),
        ([("user", {})], Status.INTERRUPTED),
        ([("user", {}), ("assistant", {"finish_reason": "stop"})], Status.COMPLETE),
        ([("assistant", {"tool_calls": '[{"name": "ls"}]'})], Status.INTERRUPTED),
        ([("assistant", {"tool_calls": "[]"})], Status.COMPLETE),
        ([("tool", {})], Status.INTERRUPTED),
        ([("assistant", {"finish_reason": "error"})], Status.ERROR),
        ([("assistant", {"finish_reason": " Content_Filter "})], Status.ERROR),
        ([("session_meta", {})], Status.COMPLETE),
        ([("assistant", {"finish_reason": "stop"}), ("user", {"active": 0, "compacted": 0})], Status.COMPLETE),
        ([("user", {"active": 0, "compacted": 0})], Status.INTERRUPTED),
    ],
)
def test_status_is_told_from_the_last_row(store: Store, rows: list[tuple[str, dict[str, Any]]], status: Status) -> None:
    store.session("s")
    for role, cells in rows:
        store.message("s", "x", role=role, **cells)
    assert listed(store, preview=1).rows[0].status is status


def test_a_fresh_continuation_stands_as_its_predecessor_does(store: Store) -> None:
    store.session("a", end_reason="compression")
    store.session("b", parent_session_id="a")
    store.message("a", "x")
    assert listed(store, preview=1).rows[0].status is Status.INTERRUPTED


def test_only_the_first_rows_are_looked_into_and_the_rest_on_demand(store: Store) -> None:
    for number in range(3):
        store.session(f"s{number}", started_at=DAY - number)
        store.message(f"s{number}", f"hello {number}", timestamp=DAY - number)
    connection, capabilities = store.open()
    rows = list_sessions(connection, capabilities, preview=2).rows
    assert [row.preview for row in rows] == ["hello 0", "hello 1", ""]
    assert [row.counts.total for row in rows] == [1, 1, 0]
    assert [row.preview for row in detailed(connection, capabilities, rows[2:])] == ["hello 2"]


# Previews


def picture(size: int = 2048) -> dict[str, Any]:
    data = base64.b64encode(b"\x89" * size).decode()
    return {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{data}"}}


def parts(*items: Any) -> str:
    return "\x00json:" + json.dumps(list(items))


def text(words: str) -> dict[str, Any]:
    return {"type": "text", "text": words}


@pytest.mark.parametrize(
    ("content", "preview"),
    [
        ("plain words", "plain words"),
        ("  two\n lines\tand\r\n tabs ", "two lines and tabs"),
        (b"bytes \xff", "bytes �"),
        ("nul\x00inside", "nul\x00inside"),
        (parts(text("receipt from Krak\u00f3w"), picture()), "receipt from Kraków [image/png 2 KB]"),
        ("\x01json:" + json.dumps([text("the \u00e9 mark")]), "the é mark"),
        (parts(picture(100_000), text("after a large picture")), "[image/png 98 KB] after a large picture"),
        (f"{SKILL}{'body ' * 2000}{TYPED}fix the title leak", "fix the title leak"),
        (f"{SKILL}{'body ' * 2000}", "/work"),
        (f"<memory-context>\n{'recalled ' * 600}\n</memory-context>\nreal words", "real words"),
        (f"{SUMMARY}{' more' * 900}\n{END}\n\nthe real ask", "the real ask"),
        ("x" * 300, "x" * 199 + "…"),
        ("語" * 3000, "語" * 199 + "…"),
    ],
)
def test_a_preview_is_what_the_person_said(any_store: Store, content: Any, preview: str) -> None:
    any_store.session("s")
    any_store.message("s", None, role="session_meta")
    any_store.message("s", content)
    any_store.message("s", "later words")
    assert words(any_store, "s") == [preview]


@pytest.mark.parametrize(
    "skipped",
    [
        {"content": SUMMARY},
        {"content": f"{SUMMARY}{' more' * 900}\n{END}\n"},
        {"content": "model scaffolding", "display_kind": "hidden"},
        {"content": "model scaffolding", "display_metadata": '{"model_only": true}'},
        {"content": "now another model", "display_kind": "model_switch"},
        {"content": "[IMPORTANT: Background process 1 exited with code 0]"},
        {"content": "taken back", "active": 0, "compacted": 0},
        {"content": ""},
        {"content": None},
        {"content": "  \n "},
        {"content": "<memory-context>only this</memory-context>"},
        {"content": parts(picture())},
        {"content": "[screenshot]"},
        {"content": "said by the model", "role": "assistant"},
        {"content": "a hand-over without its sign", "_compressed_summary": 1},
    ],
)
@pytest.mark.parametrize("times", [1, 9])
def test_previews_pass_over_what_no_person_said(store: Store, skipped: dict[str, Any], times: int) -> None:
    store.session("s")
    for _ in range(times):
        store.message("s", skipped["content"], **{name: cell for name, cell in skipped.items() if name != "content"})
    store.message("s", "real words")
    assert words(store, "s") == ["real words"]


def test_previews_of_compacted_chains_and_of_nothing(any_store: Store) -> None:
    any_store.session("a", end_reason="compression")
    any_store.session("b", parent_session_id="a", end_reason="compression")
    any_store.session("c", parent_session_id="b")
    any_store.message("a", "hello?", role="assistant")
    any_store.message("b", SUMMARY)
    any_store.message("b", "first words", active=0, compacted=1)
    any_store.message("c", "later words")
    any_store.session("pictures")
    any_store.message("pictures", parts(picture()))
    any_store.session("silent")
    assert words(any_store, "c", "a", "pictures", "silent") == ["first words", "first words", "[image/png 2 KB]", ""]


def test_previews_of_sessions_that_are_not_there(store: Store) -> None:
    connection, capabilities = store.open()
    assert previews(connection, capabilities, ["gone"]) == {}
    assert previews(connection, capabilities, []) == {}


@pytest.mark.parametrize("shape", ["newest", "oldest"])
def test_previews_seek(tmp_path: Path, shape: str) -> None:
    """However long the sessions are, a preview costs SQLite the same few steps."""

    def steps(length: int) -> int:
        store = Store(tmp_path / f"{length}.db", **SHAPES[shape])
        store.session("s")
        for number in range(length):
            store.message("s", f"words {number}", role="user" if number % 3 == 0 else "tool")
        connection, capabilities = store.open()
        count = 0

        def tick() -> int:
            nonlocal count
            count += 1
            return 0

        raw = connection._foothold.raw
        raw.set_progress_handler(tick, 1)
        assert previews(connection, capabilities, ["s"]) == {"s": "words 0"}
        connection.close()
        return count

    assert steps(5000) == steps(50)
