"""The list of sessions: nothing lost, nothing buried, in the order it was used; and sessions found by name."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from hermes_tui.model import Counts, Session, SessionKind, SessionList
from hermes_tui.store.sessions import (
    find_sessions,
    get_session,
    list_sessions,
)
from tests.store.handmade import BARE_MESSAGE, BARE_SESSION, DAY, OLD_MESSAGE, OLD_SESSION, SHAPES, Store


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


def ids(found: SessionList) -> list[str]:
    return [row.id for row in found.rows]


def held(found: SessionList) -> list[str]:
    return sorted(member for row in found.rows for member in row.segments)


# What is a row


def test_compressed_parent_that_was_archived_does_not_take_its_tip_along(store: Store) -> None:
    """H-LIST-1."""
    store.session("A", archived=1, end_reason="compression", ended_at=DAY + 50, title="Plan")
    store.session("B", parent_session_id="A", started_at=DAY + 60, title="Plan #2")
    for number in range(8):
        store.message("A" if number < 5 else "B", f"m{number}")
    found = listed(store, preview=10)
    assert ids(found) == ["B"]
    assert found.hidden == {}
    row = found.rows[0]
    assert row.segments == ("A", "B")
    assert row.counts.live == 8
    assert row.started_at == DAY
    assert row.title == "Plan #2"


def test_a_reset_child_and_a_continuation_of_one_parent_are_two_rows(any_store: Store) -> None:
    """H-LIST-2."""
    any_store.session("P", end_reason="compression", ended_at=DAY + 10)
    any_store.session("C1", parent_session_id="P", started_at=DAY + 30)
    any_store.session("C2", parent_session_id="P", started_at=DAY + 20, config={"_reset_from": "P"})
    found = listed(any_store)
    assert ids(found) == ["C1", "C2"]
    assert [row.segments for row in found.rows] == [("P", "C1"), ("C2",)]
    assert [row.kind for row in found.rows] == [SessionKind.ROOT, SessionKind.RESET]


def test_a_thousand_automatic_sessions_do_not_push_the_typed_ones_off_the_page(any_store: Store) -> None:
    """H-LIST-3."""
    for number in range(1000):
        any_store.session(f"cron_{number}", source="cron", started_at=DAY + 86_400 + number)
    for number in range(3):
        any_store.session(f"typed_{number}", started_at=DAY + number)
    found = listed(any_store, limit=50)
    assert ids(found) == ["typed_2", "typed_1", "typed_0"]
    assert found.hidden == {"cron": 1000}
    assert not found.truncated
    assert found.total == 3


def test_a_branch_stands_beside_its_parent(any_store: Store) -> None:
    """H-LIST-4."""
    any_store.session("P", end_reason="tui_shutdown", ended_at=DAY + 10)
    any_store.session("C", parent_session_id="P", started_at=DAY + 5, config={"_branched_from": "P"})
    found = listed(any_store)
    assert {row.id: row.kind for row in found.rows} == {"P": SessionKind.ROOT, "C": SessionKind.BRANCH}


def test_a_row_speaks_for_its_whole_conversation(store: Store) -> None:
    store.session(
        "root", source="telegram", title="Trip", end_reason="compression", ended_at=DAY + 9, input_tokens=100,
        output_tokens=10, estimated_cost_usd=0.5, model="old", cwd="/old",
    )  # fmt: skip
    store.session(
        "tip", source="cli", parent_session_id="root", started_at=DAY + 10, input_tokens=20, actual_cost_usd=0.25,
        estimated_cost_usd=9.0, model="new", ended_at=DAY + 99, end_reason="cli_close", pinned=1,
    )  # fmt: skip
    store.message("root", "one", timestamp=DAY + 1)
    store.message("tip", "two", timestamp=DAY + 70)
    (row,) = listed(store).rows
    assert row == Session(
        id="tip",
        source="telegram",
        title="Trip",
        model="new",
        started_at=DAY,
        last_active_at=DAY + 70,
        ended_at=DAY + 99,
        end_reason="cli_close",
        parent_id=None,
        kind=SessionKind.ROOT,
        conversation="tip",
        segments=("root", "tip"),
        input_tokens=120,
        output_tokens=10,
        cost_usd=0.75,
        cwd="/old",
        pinned=True,
    )


def test_what_is_unusual_is_listed(any_store: Store) -> None:
    any_store.session("empty")
    any_store.session("orphan", parent_session_id="gone")
    any_store.session("new source", source="toaster")
    any_store.session("reset", parent_session_id="orphan", config={"_reset_from": "orphan"})
    any_store.session("old sub-agent", parent_session_id="empty")
    any_store.session("loop a", parent_session_id="loop b", end_reason="compression")
    any_store.session("loop b", parent_session_id="loop a", end_reason="compression")
    any_store.session("self", parent_session_id="self")
    any_store.session("ended", end_reason="cli_close", ended_at=DAY)
    found = listed(any_store)
    assert found.hidden == {}
    assert held(found) == sorted(
        ["empty", "orphan", "new source", "reset", "old sub-agent", "loop a", "loop b", "self", "ended"]
    )


# What is left out


def test_the_first_reason_counts_each_session_once(store: Store) -> None:
    store.session("archived", source="cron", archived=1, hidden=1, config={"_delegate_from": "x"})
    store.session("hidden", source="cron", hidden=1, config={"_delegate_from": "x"})
    store.session("marked", source="cron", config={"_delegate_from": "x"})
    store.session("named", source="subagent")
    for source in ("cron", "tool", "kanban", "webhook"):
        store.session(source, source=source)
    store.session("root", source="cron", end_reason="compression")
    store.session("tip", source="cron", parent_session_id="root")
    found = listed(store)
    assert found.rows == ()
    assert found.hidden == {
        "archived": 1, "hidden": 1, "subagent": 2, "cron": 3, "tool": 1, "kanban": 1, "webhook": 1,
    }  # fmt: skip


def test_flags_are_those_of_the_tip(store: Store) -> None:
    store.session("a", hidden=1, end_reason="compression")
    store.session("b", parent_session_id="a")
    store.session("c", end_reason="compression")
    store.session("d", parent_session_id="c", archived=1)
    found = listed(store)
    assert ids(found) == ["b"]
    assert found.hidden == {"archived": 2}


def test_a_sub_agent_that_was_compressed_stays_one(any_store: Store) -> None:
    marker = {"_delegate_from": "main"}
    any_store.session("main")
    any_store.session("sub", parent_session_id="main", config=marker, end_reason="compression", ended_at=DAY)
    any_store.session("sub 2", parent_session_id="sub", config=marker)
    found = listed(any_store)
    assert ids(found) == ["main"]
    assert found.hidden == {"subagent": 2}


def test_everything_leaves_nothing_out(any_store: Store) -> None:
    any_store.session("a", archived=1)
    any_store.session("b", source="subagent")
    any_store.session("c", source="cron", hidden=1)
    found = listed(any_store, everything=True)
    assert sorted(ids(found)) == ["a", "b", "c"]
    assert found.hidden == {}


def test_limits_cut_after_all_else_and_say_so(any_store: Store) -> None:
    for number in range(5):
        any_store.session(f"s{number}", started_at=DAY + number)
    any_store.session("hidden", source="cron")
    found = listed(any_store, limit=2)
    assert ids(found) == ["s4", "s3"]
    assert (found.truncated, found.total, found.hidden) == (True, 5, {"cron": 1})


@pytest.mark.parametrize("everything", [False, True])
def test_every_session_is_accounted_for(any_store: Store, everything: bool) -> None:
    reasons = [None, "compression", "compression", "branched", "session_reset", "cli_close"]
    configs = [None, "{broken", json.dumps(json.dumps({"_delegate_from": "s0"})), '{"_branched_from": "s3"}']
    sources = ["cli", "cron", "subagent", "discord", "tool"]
    for number in range(200):
        any_store.session(
            f"s{number}",
            source=sources[number % 5],
            parent_session_id=None if number % 3 == 0 else f"s{number * 2 // 3}",
            end_reason=reasons[number % 6],
            model_config=configs[number % 4],
            archived=number % 17 == 0,
            hidden=number % 19 == 0,
            started_at=DAY + number,
        )
    found = listed(any_store, everything=everything)
    shown = held(found)
    assert len(shown) == len(set(shown))
    assert len(shown) + sum(found.hidden.values()) == 200
    assert not everything or found.hidden == {}


# Order and times


def test_text_and_number_times_sort_together(any_store: Store) -> None:
    """H-TIME-2."""
    any_store.session("S1", started_at="2026-04-09T12:00:00")
    any_store.session("S2", started_at=1780000000.0)
    assert ids(listed(any_store)) == ["S2", "S1"]


def test_milliseconds_are_a_time(any_store: Store) -> None:
    """H-TIME-3."""
    any_store.session("S", started_at=1781773226453)
    (row,) = listed(any_store).rows
    assert row.started_at == pytest.approx(1781773226.453)  # 2026-06-18


def test_order_is_by_true_last_activity(any_store: Store) -> None:
    """H-TIME-4."""
    any_store.session("S1", started_at=DAY + 10 * 3600)
    any_store.session("S2", started_at=DAY + 12 * 3600)
    any_store.message("S1", "late", timestamp=DAY + 16 * 3600)
    any_store.message("S2", "early", timestamp=DAY + 12 * 3600 + 300)
    assert ids(listed(any_store)) == ["S1", "S2"]


def test_activity_is_the_latest_of_all_that_is_known(store: Store) -> None:
    store.session("heartbeat", last_activity_at=DAY + 400)
    store.session("message", last_activity_at=DAY + 100)
    store.message("message", "x", timestamp=DAY + 300)
    store.message("message", "x", timestamp=DAY + 30)
    store.session("chain", end_reason="compression", last_activity_at=DAY + 200)
    store.session("chain 2", parent_session_id="chain", started_at=DAY + 150)
    store.session("z", started_at=DAY + 100)
    store.session("a", started_at=DAY + 100)
    found = listed(store)
    assert ids(found) == ["heartbeat", "message", "chain 2", "a", "z"]
    assert [row.last_active_at for row in found.rows] == [DAY + 400, DAY + 300, DAY + 200, DAY + 100, DAY + 100]


@pytest.mark.parametrize(
    "odd", [float("inf"), 5e246, "soon", b"\xff\x00", -3.0, (DAY - 10) * 1000, "2026-01-01T00:00:00", None]
)
def test_odd_message_times_do_not_pin_a_session_to_the_top(any_store: Store, odd: Any) -> None:
    any_store.session("odd")
    any_store.session("even")
    any_store.message("odd", "x", timestamp=odd)
    any_store.message("odd", "x", timestamp=DAY + 50)
    any_store.message("even", "x", timestamp=DAY + 60)
    found = listed(any_store)
    assert ids(found) == ["even", "odd"]
    assert [row.last_active_at for row in found.rows] == [DAY + 60, DAY + 50]


def test_sessions_without_any_time_come_last(any_store: Store) -> None:
    any_store.session("none", started_at="never")
    any_store.session("old", started_at=1.0)
    found = listed(any_store)
    assert ids(found) == ["old", "none"]
    assert [row.started_at for row in found.rows] == [1.0, None]


def test_times_come_back_to_the_microsecond(any_store: Store) -> None:
    any_store.session("s", started_at=1780000000.382123, ended_at=1780000001.000007, end_reason="x")
    (row,) = listed(any_store).rows
    assert row.started_at == 1780000000.382123
    assert row.ended_at == 1780000001.000007


def test_finer_times_are_rounded(any_store: Store) -> None:
    moment = 1780000000.0000007
    any_store.session("s", started_at=moment)
    (row,) = listed(any_store).rows
    assert row.started_at is not None
    assert abs(row.started_at - moment) < 0.000_000_5


@pytest.mark.parametrize(
    "cells",
    [
        {"title": b"bytes \xff", "model": b"m", "cwd": 5},
        {"source": None},
        {"input_tokens": "many", "output_tokens": float("inf"), "estimated_cost_usd": "free"},
        {"ended_at": "yesterday", "end_reason": "compression"},
        {"archived": "yes", "pinned": 0},
        {"model_config": b"\xff_from"},
        {"model_config": "[" * 50_000 + "_from"},
        {"title": "nul\x00inside", "parent_session_id": ""},
    ],
)
def test_odd_cells_do_not_spoil_the_list(store: Store, cells: dict[str, Any]) -> None:
    store.session("odd", **{name: value for name, value in cells.items() if value is not None or name == "source"})
    store.session("even", title="fine")
    found = listed(store, everything=True, preview=5)
    assert sorted(ids(found)) == ["even", "odd"]
    assert {row.title for row in found.rows} >= {"fine"}


# Columns that are not there


@pytest.mark.parametrize(
    "without",
    [
        OLD_SESSION,
        OLD_MESSAGE,
        ("archived", "pinned", "hidden", "last_activity_at", "active", "compacted", "display_kind"),
        BARE_SESSION,
        (*BARE_SESSION, *BARE_MESSAGE),
        ("started_at",),
        ("timestamp",),
    ],
)
def test_files_of_other_shapes(tmp_path: Path, without: tuple[str, ...]) -> None:
    """H-DRIFT-1."""
    store = Store(tmp_path / "state.db", without=without)
    store.session("s1", title="First")
    store.message("s1", "hello there")
    store.message("s1", "answer", role="assistant")
    store.session("s2", source="cron")
    connection, capabilities = store.open()
    found = list_sessions(connection, capabilities, preview=5)
    assert ids(found) == ["s1"]
    assert found.hidden == {"cron": 1}
    assert found.rows[0].counts == Counts(live=2)
    assert found.rows[0].preview == "hello there"
    assert get_session(connection, capabilities, "s2") is not None
    assert [row.id for row in find_sessions(connection, capabilities, "s1")] == ["s1"]


# What a session works on, and whether it was read


def test_branch_and_project_are_those_of_the_newest_tip_that_has_them(any_store: Store) -> None:
    any_store.session("A", end_reason="compression", git_branch="main", git_repo_root="/srv/app")
    any_store.session("B", parent_session_id="A", started_at=DAY + 9, git_branch="fix")
    (row,) = listed(any_store).rows
    noted = "cwd" not in any_store.without
    assert (row.branch, row.project) == (("fix", "/srv/app") if noted else (None, None))


@pytest.mark.parametrize(
    ("read", "unread"),
    [(None, False), (0, True), (DAY + 5, True), (DAY + 50, False), ("never", False), ((DAY + 5) * 1000, True)],
)
def test_unread_is_what_was_said_after_the_last_look(store: Store, read: Any, unread: bool) -> None:
    store.session("S", last_read_at=read)
    store.message("S", "said", timestamp=DAY + 20)
    connection, capabilities = store.open()
    with connection:
        (row,) = list_sessions(connection, capabilities).rows
        alone = get_session(connection, capabilities, "S")
    assert row.unread is unread
    assert alone is not None
    assert alone.unread is unread


def test_a_conversation_is_read_when_its_newest_look_was_late_enough(store: Store) -> None:
    store.session("A", end_reason="compression", last_read_at=DAY + 99)
    store.session("B", parent_session_id="A", started_at=DAY + 9, last_read_at=0)
    store.message("A", "said", timestamp=DAY + 1)
    store.message("B", "said", timestamp=DAY + 20)
    (row,) = listed(store).rows
    assert row.unread
