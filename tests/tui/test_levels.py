"""Where Tab and Escape lead."""

from __future__ import annotations

import pytest

from hermes_tui.tui.commands import Where
from hermes_tui.tui.levels import above, beside


def test_tab_goes_round_all_panes() -> None:
    seen, here = [], Where.LIST
    for _ in range(4):
        here = beside(here, 1, has_hits=True)
        seen.append(here)
    assert seen == [Where.BOX, Where.HITS, Where.TRANSCRIPT, Where.LIST]


def test_shift_tab_goes_the_same_way_back() -> None:
    for place in (Where.LIST, Where.BOX, Where.HITS, Where.TRANSCRIPT):
        assert beside(beside(place, 1, has_hits=True), -1, has_hits=True) is place


def test_hits_are_left_out_while_there_are_none() -> None:
    assert beside(Where.BOX, 1, has_hits=False) is Where.TRANSCRIPT
    assert beside(Where.TRANSCRIPT, -1, has_hits=False) is Where.BOX


@pytest.mark.parametrize(
    ("where", "came_from", "has_hits", "up"),
    [
        (Where.TRANSCRIPT, Where.HITS, True, Where.HITS),
        (Where.TRANSCRIPT, Where.LIST, True, Where.LIST),
        (Where.TRANSCRIPT, Where.HITS, False, Where.LIST),
        (Where.BOX, Where.LIST, True, Where.HITS),
        (Where.BOX, Where.LIST, False, Where.LIST),
        (Where.HITS, Where.HITS, True, Where.LIST),
        (Where.LIST, Where.LIST, True, None),
    ],
)
def test_escape_goes_one_level_up(where: Where, came_from: Where, has_hits: bool, up: Where | None) -> None:
    assert above(where, came_from=came_from, has_hits=has_hits) is up
