"""The rail beside the scrollbar."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermes_tui.library import Library
from hermes_tui.model import Anchor
from hermes_tui.tui.rail import Cell, Sign, cells_of
from tests.tui.conftest import Stage, staged
from tests.tui.test_transcript_roaming import cursor_at, written


@given(
    st.lists(st.integers(1, 50), min_size=1, max_size=60),
    st.data(),
    st.integers(1, 40),
)
def test_every_mark_is_on_the_cell_of_its_line(heights: list[int], data: st.DataObject, height: int) -> None:
    entries = st.lists(st.integers(0, len(heights) - 1), max_size=8)
    marks = {sign: data.draw(entries) for sign in Sign}
    cells = cells_of(heights, marks, height)
    assert len(cells) == height
    where = {
        (sign, entry): min(height - 1, sum(heights[:entry]) * height // sum(heights))
        for sign in Sign
        for entry in marks[sign]
    }
    order = list(Sign)
    for y, cell in enumerate(cells):
        here = [(order.index(sign), -entry) for (sign, entry), at in where.items() if at == y]
        if not here:
            assert cell is None
        else:
            rank, entry = max(here)
            assert cell is not None
            assert replace(cell, quiet=False) == Cell(order[rank], -entry)
            assert cell.sign is Sign.TURN or not cell.quiet


@pytest.mark.parametrize("many", [2, 10, 200])
def test_many_user_turns_leave_room_to_see_the_rest(many: int) -> None:
    cells = cells_of([5] * many * 2, {Sign.TURN: range(0, many * 2, 2), Sign.ERROR: [many]}, 40)
    loud = [at for at, cell in enumerate(cells) if cell is not None and not cell.quiet]
    dots = [at for at in loud if (cell := cells[at]) is not None and cell.sign is Sign.TURN]
    assert len(loud) == len(dots) + 1
    assert 1 <= len(dots) <= 10
    if many == 200:
        assert len(dots) >= 8, "spread over the whole"
        assert all(low + 4 <= high for low, high in pairwise(dots))
        assert all(cells), "each cell leads somewhere"


def test_signs_differ_without_colours() -> None:
    assert len({sign.value for sign in Sign}) == len(Sign)


def column(stage: Stage) -> str:
    rail = stage.browser.rail
    return "".join(rail.render_line(y).text for y in range(rail.size.height))


async def test_the_rail_marks_turns_errors_borders_hits_and_finds_and_a_click_goes_there(tmp_path: Path) -> None:
    session, at = written(tmp_path / "state.db")
    async with staged(Library.open(tmp_path / "state.db"), anchor=Anchor(session), size=(120, 60)) as stage:
        await stage.shown(session)
        await stage.until(lambda: "!" in column(stage))
        assert set(column(stage)) >= {"·", "═", "!"}
        rail = stage.browser.rail
        assert rail.region.x == stage.browser.transcript.region.right
        for sign, place in (("!", "call2 result"), ("═", "cut")):
            await stage.pilot.click("#rail", offset=(0, column(stage).index(sign)))
            await cursor_at(stage, at[place])
        await stage.press("backspace")
        await cursor_at(stage, at["call2 result"])
        await stage.press("ctrl+f")
        await stage.type("goal")
        await stage.until(lambda: "◇" in column(stage))
        await stage.press("escape")
        await stage.until(lambda: "◇" not in column(stage))


async def test_hits_of_the_search_are_on_the_rail(tmp_path: Path) -> None:
    written(tmp_path / "state.db")
    async with staged(Library.open(tmp_path / "state.db"), size=(120, 60)) as stage:
        await stage.search("thanks")
        await stage.press("enter")
        await stage.until(lambda: "◆" in column(stage))
        assert column(stage).rstrip().endswith("◆")
