"""Which columns stand at which width."""

from __future__ import annotations

import pytest

from hermes_tui.tui.columns import GAP, RANKS, USUAL, WIDTHS, Column, fit

MODERN = USUAL - {Column.STORE}
PLAIN = {Column.TITLE, Column.STORE, Column.STATUS, Column.SOURCE, Column.MESSAGES, Column.ACTIVE}
OLD = MODERN - {Column.BRANCH, Column.UNREAD}

TABLE = [  # cells, what is wanted, what stands, from left to right
    (40, MODERN, "title, last active"),
    (60, MODERN, "title, status, messages, last active"),
    (69, MODERN, "title, status, source, messages, last active"),
    (79, MODERN, "title, status, source, messages, last active"),
    (100, MODERN, "title, status, source, messages, cost, last active"),
    (120, MODERN, "title, status, source, model, messages, cost, last active"),
    (140, MODERN, "title, status, source, model, messages, tokens, cost, last active"),
    (160, MODERN, "title, status, source, model, project, messages, tokens, cost, last active"),
    (200, MODERN, "title, unread, status, source, model, project, branch, messages, tokens, cost, last active"),
    (160, OLD, "title, status, source, model, project, messages, tokens, cost, last active"),
    (120, frozenset({Column.TITLE, Column.BRANCH, Column.COST}), "title, branch, cost"),
    (120, frozenset({Column.TITLE}), "title"),
    (100, USUAL, "title, store, status, source, messages, last active"),
]


@pytest.mark.parametrize(("width", "wanted", "stands"), TABLE)
def test_what_stands_at_a_width(width: int, wanted: frozenset[Column], stands: str) -> None:
    assert ", ".join(column for column, _ in fit(width, wanted).shown) == stands


@pytest.mark.parametrize("width", range(40, 201))
def test_columns_fill_the_width_and_what_does_not_fit_is_named(width: int) -> None:
    for wanted in (USUAL, MODERN, frozenset(Column)):
        fits = fit(width, wanted)
        stood = {column for column, _ in fits.shown}
        assert sum(room for _, room in fits.shown) + GAP * (len(fits.shown) - 1) == width - 1
        assert fits.shown[0][1] >= (24 if stood <= PLAIN else width * 4 // 10)
        assert stood | set(fits.left) == (set(wanted) - {Column.MARKS}) | {Column.TITLE}
        assert not stood & set(fits.left)


def test_what_the_list_is_sorted_by_goes_before_all_others() -> None:
    assert fit(40, MODERN, urged=Column.TOKENS).shown[1:] == ((Column.TOKENS, WIDTHS[Column.TOKENS]),)
    # Also when it was not asked for: a list sorted by something that is not seen looks like none.
    assert Column.STARTED in dict(fit(69, MODERN, urged=Column.STARTED).shown)
    assert fit(100, MODERN, urged=Column.TITLE) == fit(100, MODERN)


def test_every_column_has_a_rank_and_a_width() -> None:
    assert set(RANKS) == set(WIDTHS) == set(Column) - {Column.TITLE, Column.MARKS}
