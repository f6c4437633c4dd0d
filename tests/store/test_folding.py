"""A message that compaction stored again is one message."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hermes_tui.model import Counts, State, Transcript
from hermes_tui.store.messages import transcript
from tests.store.handmade import DAY, Store

LIVE: dict[str, Any] = {"active": 1, "compacted": 0}
AWAY: dict[str, Any] = {"active": 0, "compacted": 1}
BACK: dict[str, Any] = {"active": 0, "compacted": 0}
SUMMARY = "[CONTEXT COMPACTION — REFERENCE ONLY] Earlier turns were compacted into the summary below. More text."


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "state.db", indexes="new")


def outline(store: Store, session: str) -> Transcript:
    connection, capabilities = store.open()
    with connection:
        return transcript(connection, capabilities, session)


def shown(found: Transcript) -> list[int]:
    return [row.id for row in found.rows]


def folded(found: Transcript) -> dict[int, int]:
    return dict(found.stands_for)


def test_a_tail_that_was_kept_again_is_one_message(store: Store) -> None:
    """H-ANCHOR-3: once in the transcript, where it was first said."""
    store.session("s")
    ids = [store.message("s", "kept tail heron", timestamp=DAY, **state) for state in (AWAY, AWAY)]
    summary = store.message("s", SUMMARY)
    live = store.message("s", "kept tail heron", timestamp=DAY, **LIVE)
    found = outline(store, "s")
    assert shown(found) == [live, summary]
    assert found.rows[0].copies == 3
    assert found.rows[0].state is State.LIVE
    assert folded(found) == {ids[0]: live, ids[1]: live}
    assert found.counts == Counts(live=2, compacted=2)


@pytest.mark.parametrize(
    ("states", "standing"),
    [
        ([AWAY, BACK], 0),
        ([BACK, AWAY], 1),
        ([AWAY, AWAY], 1),
        ([BACK, BACK], 1),
        ([BACK, LIVE, AWAY], 1),
        ([LIVE, BACK], 0),
    ],
)
def test_which_row_stands(store: Store, states: list[dict[str, Any]], standing: int) -> None:
    store.session("s")
    ids = [store.message("s", "same", timestamp=DAY, **state) for state in states]
    found = outline(store, "s")
    assert shown(found) == [ids[standing]]
    assert folded(found) == {each: ids[standing] for each in ids if each != ids[standing]}


def test_a_tail_carried_into_the_next_session(store: Store) -> None:
    store.session("a", end_reason="compression")
    store.session("b", parent_session_id="a")
    first = store.message("a", "only here")
    old = store.message("a", "carried", timestamp=DAY + 50)
    summary = store.message("b", SUMMARY)
    new = store.message("b", "carried", timestamp=DAY + 50)
    found = outline(store, "b")
    assert shown(found) == [first, new, summary]
    assert [row.session_id for row in found.rows] == ["a", "b", "b"]
    assert folded(found) == {old: new}


def test_two_live_rows_of_one_session_are_two_messages(store: Store) -> None:
    store.session("s")
    away = [store.message("s", "yes", timestamp=DAY, **AWAY) for _ in range(2)]
    live = [store.message("s", "yes", timestamp=DAY, **LIVE) for _ in range(2)]
    store.message("s", "undone", **BACK)
    found = outline(store, "s")
    assert shown(found)[:2] == live
    assert [row.copies for row in found.rows[:2]] == [2, 2]
    assert folded(found) == dict(zip(away, live, strict=True))


CALL = json.dumps([{"id": "c", "function": {"name": "ls", "arguments": "{}"}}])


@pytest.mark.parametrize(
    "other",
    [
        {"content": "same words 2"},
        {"content": "Same words 1"},
        {"role": "assistant"},
        {"timestamp": DAY + 0.000_001},
        {"timestamp": None},
        {"tool_call_id": "c1"},
        {"tool_name": "ls"},
        {"tool_calls": CALL},
        {"content": b"same words 1"},
        {"content": None},
    ],
)
def test_rows_that_differ_in_anything_are_not_copies(store: Store, other: dict[str, Any]) -> None:
    store.session("s")
    cells: dict[str, Any] = {"content": "same words 1", "role": "user", "timestamp": DAY}
    ids = [store.message("s", **cells, **AWAY), store.message("s", **{**cells, **other}, **LIVE)]
    found = outline(store, "s")
    assert shown(found) == ids
    assert folded(found) == {}


@pytest.mark.parametrize(
    "cells",
    [
        {"content": None, "role": "assistant", "tool_calls": CALL},
        {"content": "nul\x00inside", "role": "tool", "tool_name": "ls", "tool_call_id": "c"},
        {"content": b"\xff\x00", "role": "user"},
        {"content": "x", "timestamp": None},
        {"content": "x", "timestamp": "soon"},
        {"content": "x" * 3_000_000},
    ],
)
def test_copies_of_odd_rows(store: Store, cells: dict[str, Any]) -> None:
    store.session("s")
    old = store.message("s", **{"timestamp": DAY, "reasoning": "only the first has it", **cells}, **AWAY)
    new = store.message("s", **{"timestamp": DAY, **cells}, **LIVE)
    assert folded(outline(store, "s")) == {old: new}


def test_a_nul_does_not_hide_a_difference(store: Store) -> None:
    store.session("s")
    store.message("s", "nul\x00one", timestamp=DAY, **AWAY)
    store.message("s", "nul\x00two", timestamp=DAY, **LIVE)
    assert folded(outline(store, "s")) == {}


def test_many_copies(store: Store) -> None:
    store.session("s")
    for generation in range(3):
        for number in range(500):
            store.message("s", f"words {number % 100:03}", timestamp=DAY + number, **(AWAY if generation < 2 else LIVE))
    found = outline(store, "s")
    assert len(found.rows) == 500
    assert {row.copies for row in found.rows} == {3}
    assert shown(found) == list(range(1001, 1501))


states = st.sampled_from([LIVE, AWAY, BACK])


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60, deadline=None)
@given(
    rows=st.lists(st.tuples(st.sampled_from("ab"), st.sampled_from(["x", "y"]), st.integers(0, 1), states), max_size=14)
)
def test_folding_loses_nothing(tmp_path_factory: pytest.TempPathFactory, rows: list[Any]) -> None:
    store = Store(tmp_path_factory.mktemp("folding") / "state.db")
    store.session("a", end_reason="compression")
    store.session("b", parent_session_id="a")
    made: dict[int, Any] = {}
    for session, words, second, state in rows:
        key = store.message(session, words, timestamp=DAY + second, **state)
        made[key] = (session, words, second, "live" if state is LIVE else "compacted" if state is AWAY else "rewound")
    found = outline(store, "b")
    order = sorted(made, key=lambda key: (made[key][0], key))
    rank = {"live": 0, "compacted": 1, "rewound": 2}
    # Every row is shown or stands behind a row that is.
    assert set(shown(found)) | set(found.stands_for) == set(made)
    assert not set(shown(found)) & set(found.stands_for)
    assert set(found.stands_for.values()) <= set(shown(found))
    places = []
    for row in found.rows:
        group = [row.id, *(copy for copy, kept in found.stands_for.items() if kept == row.id)]
        assert row.copies == len(group)
        assert len({made[key][1:3] for key in group}) == 1
        # The best row stands, at the place of the first.
        assert row.id == min(group, key=lambda key: (rank[made[key][3]], -key))
        places.append(min(order.index(key) for key in group))
        for session in "ab":
            assert sum(made[key][0] == session and made[key][3] == "live" for key in group) <= 1
    assert places == sorted(places)
    # Rows that are the same are kept apart only where one session has several live ones.
    for same in {made[key][1:3] for key in made}:
        members = [key for key in made if made[key][1:3] == same]
        live = max(sum(made[key][0] == session and made[key][3] == "live" for key in members) for session in "ab")
        assert sum(row.id in members for row in found.rows) == max(live, 1)
