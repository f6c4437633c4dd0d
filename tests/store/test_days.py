"""All that was said in a stretch of time: the same as brute force over the rows finds, in the order of time."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

from hermes_tui.model import Day, Kind, SessionKind, State
from hermes_tui.store.days import HEAD, WIDTH, day
from tests.store.handmade import DAY, SHAPES, Store
from tests.store.plans import plans, scans


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "state.db")


def told(store: Store, start: float, end: float, **how: Any) -> Day:
    connection, capabilities = store.open()
    with connection:
        return day(connection, capabilities, start, end, **how)


@pytest.mark.parametrize("shape", SHAPES)
def test_a_day_is_what_its_rows_say(tmp_path: Path, shape: str) -> None:
    """Sessions before, in and around it, rows of none, times in every unit."""
    chance = random.Random(4)
    store = Store(tmp_path / "state.db", **SHAPES[shape])
    start, end = DAY + 1000, DAY + 2000
    expected: list[tuple[float, int]] = []
    undated = 0
    for number in range(400):
        session = f"s{number % 23}"
        if number < 20:
            store.session(session, started_at=DAY + chance.randrange(3000))
        moment = DAY + chance.randrange(3000) + chance.choice([0, 0.25, 0.5])
        written: Any = moment
        match number % 19:
            case 3:
                written = moment * 1000
            case 5:
                written = str(int(moment)) + "x"
            case 7:
                written = None
            case 9:
                written = -5.0
            case 11:
                written, moment = "2026-05-28T20:53:20+00:00", 1_780_001_600.0
            case 13:
                written = 5e246
        active = chance.choice([None, 1, 1])
        key = store.message(session, f"said {number}", timestamp=written, active=active)
        if number % 19 in (5, 7, 9, 13):
            undated += 1
        elif start <= moment < end:
            expected.append((moment, key))
    found = told(store, start, end)
    assert [(each.timestamp, each.anchor.message_id) for each in found.moments] == sorted(expected)
    assert found.total == len(expected)
    assert found.undated == undated
    assert found.sessions == len({each.session.id for each in found.moments})
    assert not found.truncated
    strangers = {each.session.id for each in found.moments if each.session.kind is SessionKind.ORPHAN}
    assert strangers == {"s20", "s21", "s22"}, "messages whose session has no row are told all the same"


def test_the_end_is_not_in_it_and_ties_go_by_id(store: Store) -> None:
    store.session("A")
    store.session("B")
    keys = [store.message(session, f"m {number}", timestamp=DAY) for number, session in enumerate("BABA")]
    store.message("A", "next day", timestamp=DAY + 10)
    found = told(store, DAY, DAY + 10)
    assert [each.anchor.message_id for each in found.moments] == keys
    assert [each.session.id for each in found.moments] == ["B", "A", "B", "A"]


def test_what_is_left_out_is_counted_and_copies_are_told_once(store: Store) -> None:
    store.session("A", end_reason="compression", ended_at=DAY + 50)
    store.session("B", parent_session_id="A", started_at=DAY + 50)
    store.session("fork", parent_session_id="A", config={"_branched_from": "A"})
    kept = store.message("A", "kept", timestamp=DAY + 1)
    store.message("B", "kept", timestamp=DAY + 1)
    store.message("fork", "kept", timestamp=DAY + 1)
    away = store.message("A", "folded", timestamp=DAY + 2, active=0, compacted=1)
    alive = store.message("A", "folded", timestamp=DAY + 2)
    store.message("A", "taken back", timestamp=DAY + 3, active=0)
    store.message("A", "scaffold", timestamp=DAY + 4, display_kind="hidden")
    store.message("A", "for the model", timestamp=DAY + 5, display_metadata='{"model_only": true}')
    summary = "[CONTEXT COMPACTION — REFERENCE ONLY] Earlier turns were compacted."
    shown = store.message("B", summary, timestamp=DAY + 6, display_kind="hidden")
    found = told(store, DAY, DAY + 100)
    assert [each.anchor.message_id for each in found.moments] == [kept, alive, shown]
    assert away not in [each.anchor.message_id for each in found.moments]
    assert dict(found.hidden) == {"rewound": 1, "hidden": 2}
    assert found.moments[2].kind is Kind.SUMMARY
    assert {each.state for each in found.moments} == {State.LIVE}


def test_a_limit_cuts_the_end_and_says_so(store: Store) -> None:
    store.session("A")
    for number in range(10):
        store.message("A", f"m {number}", timestamp=DAY + number)
    found = told(store, DAY, DAY + 100, limit=4)
    assert [each.excerpt for each in found.moments] == ["m 0", "m 1", "m 2", "m 3"]
    assert (found.total, found.truncated) == (10, True)


EXCERPTS: dict[str, tuple[dict[str, Any], str]] = {
    "plain": ({"content": "two\n lines\there"}, "two lines here"),
    "long": ({"content": "word " * HEAD}, ("word " * WIDTH)[: WIDTH - 1].rstrip() + "…"),
    "parts": ({"content": '\0json:[{"type": "text", "text": "看图"}, {"type": "image_url"}]'}, "看图 [image]"),
    "long parts": ({"content": '\0json:[{"type": "text", "text": "' + "\\u770b\\n" * HEAD + '"}]'}, "看 看 看"),
    "result": (
        {"role": "tool", "content": '{"output": "done\\nall", "exit_code": 0}'},
        "output: done all exit_code: 0",
    ),
    "long result": ({"role": "tool", "content": '{"output": "' + "x y\\n" * HEAD + '"}'}, "x y x y"),
    "call": (
        {"role": "assistant", "tool_calls": '[{"function": {"name": "ls", "arguments": "{\\"p\\": 1}"}}]'},
        "ls p: 1",
    ),
    "long call": (
        {
            "role": "assistant",
            "tool_calls": '[{"function": {"name": "write_file", "arguments": "' + "z" * HEAD + '"}}]',
        },
        "write_file",
    ),
    "codex": ({"role": "assistant", "codex_message_items": '[{"content": [{"text": "only here"}]}]'}, "only here"),
    "skill": ({"content": "<memory-context>old</memory-context>\nnew words"}, "new words"),
    "nothing": ({"role": "session_meta"}, ""),
    "bytes": ({"content": b"caf\xe9"}, "caf\ufffd"),
}


@pytest.mark.parametrize("name", EXCERPTS)
def test_an_excerpt_is_one_line_of_what_a_person_reads(store: Store, name: str) -> None:
    cells, expected = EXCERPTS[name]
    store.session("A")
    store.message("A", timestamp=DAY, **cells)
    (moment,) = told(store, DAY, DAY + 1).moments
    assert moment.excerpt.startswith(expected) if name.startswith("long") else moment.excerpt == expected
    assert len(moment.excerpt) <= WIDTH
    assert "\n" not in moment.excerpt


def test_a_file_without_times_says_that_nothing_is_dated(tmp_path: Path) -> None:
    store = Store(tmp_path / "state.db", without=("timestamp",))
    store.session("A")
    store.message("A", "when?")
    found = told(store, DAY, DAY + 1)
    assert (found.moments, found.undated) == ((), 1)


def test_a_day_is_read_by_the_index_of_session_and_time(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(30):
        store.session(f"s{number}")
        store.message(f"s{number}", "hello", timestamp=DAY + number)
    connection, capabilities = store.open()
    with connection:
        steps = plans(connection, lambda: day(connection, capabilities, DAY, DAY + 9), monkeypatch)
    assert scans(steps, "messages", "m") == []
    assert any("(session_id=? AND timestamp>? AND timestamp<?)" in step for step in steps)
