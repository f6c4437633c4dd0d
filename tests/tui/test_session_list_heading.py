"""What stands above the list: how many, in which order, and what is left out with the key that shows it."""

from __future__ import annotations

import pytest

from hermes_tui.model import Session, SessionList
from hermes_tui.render import cells
from hermes_tui.tui.order import ListOrder, arrange
from hermes_tui.tui.session_list import find, heading

ROWS = tuple(Session(f"s{number}", "cli") for number in range(62))
HIDING = SessionList(ROWS, {"archived": 10, "cron": 990}, total=62)


def test_what_is_hidden_is_counted_by_reason_with_the_key_that_shows_it() -> None:
    assert heading(HIDING, ListOrder.ACTIVITY, False, 100) == [
        "62 conversations · 1,000 hidden: cron 990, archived 10 (a shows all)"
    ]


@pytest.mark.parametrize("width", [20, 30, 40, 50, 60, 70])
def test_in_little_room_the_count_and_the_key_stay(width: int) -> None:
    lines = heading(HIDING, ListOrder.ACTIVITY, False, width)
    assert all(cells(line) <= width for line in lines)
    assert "62 conversations" in lines[0]
    assert "1,000 hidden" in lines[-1]
    assert "(a" in lines[-1]


def test_nothing_hidden_says_nothing_of_hiding() -> None:
    assert heading(SessionList(ROWS, {}), ListOrder.ACTIVITY, False, 100) == ["62 conversations"]


def test_all_shown_says_how_to_go_back() -> None:
    assert heading(SessionList(ROWS, {}), ListOrder.ACTIVITY, True, 100) == [
        "62 conversations · nothing hidden (a hides again)"
    ]


def test_a_first_page_says_that_it_is_one() -> None:
    page = SessionList(ROWS, {}, truncated=True, total=9000)
    assert heading(page, ListOrder.ACTIVITY, False, 100) == ["62 of 9,000 conversations, reading on ..."]


def test_another_order_is_named() -> None:
    assert heading(SessionList(ROWS, {}), ListOrder.TITLE, False, 100) == ["62 conversations by title"]


def test_a_session_is_found_in_the_conversation_that_holds_it() -> None:
    rows = (Session("a", "cli", segments=("a",)), Session("c", "cli", segments=("b", "c")))
    assert [find(rows, name) for name in ("a", "b", "c", "x")] == [0, 1, 1, None]


def test_orders_put_unknowns_last() -> None:
    listing = SessionList(
        (
            Session("1", "cli", title="beta", started_at=10.0),
            Session("2", "cli", started_at=None),
            Session("3", "cli", title="Alpha", started_at=20.0),
        ),
        {},
    )
    by = {order: [row.id for row in arrange(listing, order).rows] for order in ListOrder}
    assert by == {
        ListOrder.ACTIVITY: ["1", "2", "3"],
        ListOrder.STARTED: ["3", "1", "2"],
        ListOrder.TITLE: ["3", "1", "2"],
    }
