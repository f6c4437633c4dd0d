"""Times, counts, sizes and names as people read them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from hermes_tui.model import Kind, State
from hermes_tui.render import clock, count, day, one_line, role_label, size, state_label, when

NOW = datetime(2026, 8, 5, 14, 0, tzinfo=UTC).timestamp()  # a Wednesday


@pytest.mark.parametrize(
    ("ago", "shown"),
    [
        (timedelta(seconds=-5), "just now"),
        (timedelta(seconds=59), "just now"),
        (timedelta(seconds=61), "1m"),
        (timedelta(minutes=59), "59m"),
        (timedelta(hours=3), "3h"),
        (timedelta(hours=13), "13h"),
        (timedelta(hours=15), "yesterday"),
        (timedelta(hours=37), "yesterday"),
        (timedelta(days=2), "Mon"),
        (timedelta(days=6), "Thu"),
        (timedelta(days=7), "2026-07-29"),
        (timedelta(days=400), "2025-07-01"),
        (timedelta(days=-30), "2026-09-04 14:00"),
    ],
)
def test_when(ago: timedelta, shown: str) -> None:
    assert when(NOW - ago.total_seconds(), NOW, UTC) == shown


def test_just_after_midnight_the_evening_before_is_hours_ago() -> None:
    midnight = datetime(2026, 8, 5, 0, 30, tzinfo=UTC).timestamp()
    assert when(midnight - 3 * 3600, midnight, UTC) == "3h"


@pytest.mark.parametrize("odd", [None, 1e18, -1e18, float("nan"), float("inf")])
def test_what_is_no_time_shows_as_nothing(odd: float | None) -> None:
    assert (when(odd, NOW), clock(odd), day(odd)) == ("", "", "")


def test_clock_and_day_follow_the_zone() -> None:
    assert clock(NOW, UTC) == "14:00"
    assert clock(NOW, timezone(timedelta(hours=11))) == "01:00"
    assert day(NOW, UTC) == "Wednesday 5 August 2026"
    assert day(NOW, timezone(timedelta(hours=11))) == "Thursday 6 August 2026"


def test_counts() -> None:
    assert [count(1), count(4812), count(1, "line"), count(4812, "line"), count(2, "branch", "branches")] == [
        "1", "4,812", "1 line", "4,812 lines", "2 branches",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("bytes_", "shown"),
    [(0, "0 B"), (812, "812 B"), (1200, "1.2 KB"), (40_000, "40 KB"), (999_999, "1.0 MB"), (5_300_000_000, "5.3 GB")],
)
def test_sizes(bytes_: int, shown: str) -> None:
    assert size(bytes_) == shown


def test_roles_and_states() -> None:
    assert [role_label(role) for role in ("user", "assistant", "system", "critic", "")] == [
        "You", "Assistant", "System", "Critic", "?",
    ]  # fmt: skip
    assert role_label("user", Kind.SUMMARY) == "Summary"
    assert role_label("a\x1b[2Jb\n") == "Ab"
    assert [state_label(State.LIVE), state_label(State.COMPACTED, 3), state_label(State.REWOUND)] == [
        "", "compacted x3", "rewound",
    ]  # fmt: skip


@given(st.text(), st.integers(0, 60))
def test_one_line_is_one_line_of_that_width(text: str, width: int) -> None:
    shown = one_line(text, width)
    assert "\n" not in shown
    assert cell_len(shown) <= width


def test_one_line_says_that_it_cut() -> None:
    assert one_line("a\nb\t c", 20) == "a b c"
    assert one_line("word " * 10_000, 20).endswith("…")
    assert one_line("\x00" * 5000 + "end", 20).endswith("…")
