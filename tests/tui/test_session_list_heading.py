"""What stands above the list: how many, in which order, and what is left out with the key that shows it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from hermes_tui.model import Session, SessionList, Status
from hermes_tui.render import cells
from hermes_tui.tui.columns import USUAL, Column, fit
from hermes_tui.tui.list_heading import column_names, heading
from hermes_tui.tui.order import Grouping, ListOrder
from hermes_tui.tui.sheet import Sheet, View, make_sheet

ROWS = tuple(Session(f"s{number}", "cli") for number in range(62))
PLAIN = SessionList(ROWS, {}, total=62, of=62)
HIDING = SessionList(ROWS, {"archived": 10, "cron": 990}, total=62, of=62)


def sheet(listing: SessionList, view: View | None = None) -> Sheet:
    return make_sheet(listing, view or View(), sizes={}, jobs=(), now=0.0)


def test_what_is_hidden_is_counted_by_reason_with_the_key_that_shows_it() -> None:
    assert heading(sheet(HIDING), 100) == ["62 conversations · 1,000 hidden: cron 990, archived 10 (a shows all)"]


@pytest.mark.parametrize("width", [20, 30, 40, 50, 60, 70])
def test_in_little_room_the_count_and_the_key_stay(width: int) -> None:
    lines = heading(sheet(HIDING), width)
    assert all(cells(line) <= width for line in lines)
    assert "62 conversations" in lines[0]
    assert "1,000 hidden" in lines[-1]
    assert "(a" in lines[-1]


def test_nothing_hidden_says_nothing_of_hiding_but_for_how_to_go_back() -> None:
    assert heading(sheet(PLAIN), 100) == ["62 conversations"]
    everything = sheet(PLAIN, View(everything=True))
    assert heading(everything, 100) == ["62 conversations · nothing hidden (a hides again)"]


def test_a_list_that_is_still_being_read_says_so() -> None:
    page = SessionList(ROWS, {}, truncated=True, total=9000)
    assert heading(sheet(page), 100) == ["62 of 9,000 conversations, reading on ..."]
    unknown = SessionList(ROWS, {}, truncated=True)
    assert heading(sheet(unknown), 100) == ["The newest 62 conversations, reading on ..."]
    assert heading(sheet(PLAIN), 100, reading=True) == ["62 conversations · reading ..."]
    assert heading(None, 100) == ["Reading the store ..."]


def test_order_and_grouping_are_named_and_empty_ones_counted() -> None:
    assert heading(sheet(PLAIN, View(ListOrder.TITLE)), 100) == ["62 conversations by title"]
    both = View(ListOrder.COST, Grouping.PROJECT)
    assert heading(sheet(PLAIN, both), 100) == ["62 conversations by cost, grouped by project"]
    some = (*ROWS[:60], *(row._replace(status=Status.EMPTY) for row in ROWS[60:]))
    assert heading(sheet(replace(PLAIN, rows=some)), 100) == ["62 conversations · 2 empty"]


def test_filters_are_named_with_their_keys_also_when_nothing_passes() -> None:
    """The count is of what there would be without them."""
    view = View(filters=((1, "source:telegram"), (3, "-model:large")))
    narrowed = SessionList(ROWS[:2], {"filters": 60, "cron": 5}, total=2, of=62)
    told = "2 of 62 conversations · source:telegram (F1) · -model:large (F3) · 5 hidden: cron 5 (a shows all)"
    assert heading(sheet(narrowed, view), 120) == [told]
    nothing = SessionList((), {"filters": 62}, of=62)
    assert heading(sheet(nothing, view), 70) == ["0 of 62 conversations · source:telegram (F1) · -model:large (F3)"]
    # While the numbers are those of the ways out, they are not offered for filters.
    assert "F1" not in heading(sheet(nothing, view), 70, numbered=False)[0]
    for width in (20, 36, 44):
        lines = heading(sheet(narrowed, view), width)
        assert len(lines) <= 3
        assert all(cells(line) <= width for line in lines)
        assert "source:" in " ".join(lines)


def test_columns_are_named_above_them_and_those_left_out_are_counted_with_their_key() -> None:
    wanted = frozenset(Column) - {Column.STORE}
    for width in (70, 100, 150):
        fits = fit(width, wanted)
        line = column_names(fits)
        assert cells(line) <= width
        assert line.startswith("title ")
        assert (f"+{len(fits.left)} (z)" in line) is bool(fits.left)
    assert "(z)" not in column_names(fit(200, USUAL - {Column.STORE}))
