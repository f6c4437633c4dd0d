"""A conversation with many hits: its best ones, a row for the others, and a walk that leaves none out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from hermes_tui.library import Library
from hermes_tui.model import Anchor, Answer
from hermes_tui.recorder import Recorder
from hermes_tui.tui.groups import BEST, Folded, Group, folded
from tests.tui.conftest import Stage, staged, tell
from tests.tui.pace import Gate
from tests.tui.test_hits import OTHER, TIP, hit

MANY = 20


@pytest.fixture
def walruses(recorder: Recorder) -> Library:
    """An old conversation with two hits, then one with twenty, each too many for the window together with the rest."""
    recorder.create_session("cli", session_id="old", title="An older talk")
    tell(recorder, "old", ("user", "a walrus"), ("assistant", "one walrus"))
    recorder.create_session("cli", session_id="long", title="A long talk")
    tell(recorder, "long", *[("user", f"walrus number {number}") for number in range(MANY)])
    return Library.open(recorder.path)


def more(stage: Stage) -> list[str]:
    return [line for line in stage.lines() if "more hits in this conversation (Enter)" in line]


async def test_a_long_conversation_shows_its_first_hits_and_counts_all(walruses: Library) -> None:
    async with staged(walruses) as stage:
        await stage.search("walrus")
        [row] = more(stage)
        assert f"… {MANY - BEST} more hits in this conversation (Enter)" in row
        assert any("A long talk" in line and line.rstrip().endswith(f"{MANY} hits") for line in stage.lines())
        assert any("An older talk" in line for line in stage.lines())
        assert "22 hits in 2 conversations" in stage.text()
        assert stage.hits()[:BEST] == list(stage.browser.search.hits.places[:BEST])


async def test_a_conversation_alone_in_the_answer_is_not_folded(walruses: Library) -> None:
    async with staged(walruses) as stage:
        await stage.search("walrus session:long")
        assert more(stage) == []
        assert len(stage.hits()) == MANY
        await stage.press("down", "left")
        assert len(more(stage)) == 1


@pytest.mark.parametrize("key", ["enter", "right"])
async def test_the_row_for_the_others_unfolds_and_left_folds_again(walruses: Library, key: str) -> None:
    async with staged(walruses) as stage:
        await stage.search("walrus")
        rows = stage.browser.search.hits
        await stage.press("down", *["down"] * BEST)
        assert rows.anchor_here == rows.places[BEST]
        await stage.press(key)
        assert more(stage) == []
        assert stage.hits() == list(rows.places)
        assert rows.anchor_here == rows.places[BEST]
        assert stage.focus == "hits"
        await stage.press("down", "left")
        assert len(more(stage)) == 1
        assert rows.cursor == BEST
        await stage.shown(str(rows.places[BEST]))
        await stage.press("enter")
        assert more(stage) == []


async def test_right_unfolds_from_any_hit_of_the_conversation(walruses: Library) -> None:
    async with staged(walruses) as stage:
        await stage.search("walrus")
        rows = stage.browser.search.hits
        await stage.press("down", "down", "right")
        assert rows.anchor_here == rows.places[1]
        assert more(stage) == []
        await stage.press("left")
        assert rows.anchor_here == rows.places[1]
        assert len(more(stage)) == 1


async def test_n_walks_through_every_hit_and_back(walruses: Library) -> None:
    async with staged(walruses) as stage:
        await stage.search("walrus")
        rows = stage.browser.search.hits
        walk = [rows.anchor_here]
        await stage.press("down")
        for _ in range(MANY + 1):
            await stage.press("n")
            walk.append(rows.anchor_here)
        assert walk == list(rows.places)
        await stage.press("n")
        assert stage.status() == "That was the last hit."
        for anchor in walk[-2::-1]:
            await stage.press("N")
            assert rows.anchor_here == anchor


async def test_n_from_the_row_for_the_others_goes_to_the_first_of_them(walruses: Library) -> None:
    async with staged(walruses) as stage:
        await stage.search("walrus")
        rows = stage.browser.search.hits
        await stage.press("down", *["down"] * BEST, "n")
        assert rows.anchor_here == rows.places[BEST]
        assert more(stage) == []


async def test_n_in_the_transcript_unfolds_what_it_comes_to(walruses: Library) -> None:
    async with staged(walruses) as stage:
        await stage.search("walrus")
        places = stage.browser.search.hits.places
        await stage.press("enter")
        await stage.shown(str(places[0]))
        for anchor in places[1 : BEST + 2]:
            await stage.press("n")
            await stage.shown(str(anchor))
            assert stage.browser.search.hits.anchor_here == anchor


async def test_hits_that_fit_are_not_folded(walruses: Library) -> None:
    async with staged(walruses, size=(120, 80)) as stage:
        await stage.search("walrus")
        await stage.until(lambda: more(stage) == [])
        assert len(stage.hits()) == MANY + 2
        await stage.pilot.resize_terminal(120, 30)
        await stage.until(lambda: len(more(stage)) == 1)
        await stage.pilot.resize_terminal(120, 80)
        await stage.until(lambda: more(stage) == [])


class Growing(Library):
    """A library that finds the oldest of its hits first."""

    go_on: Gate

    def search(self, text: str, *, on_progress: Callable[[Answer], None] | None = None, **how: Any) -> Answer:
        whole = super().search(text, **how)
        if text != "walrus":
            return whole
        assert on_progress is not None
        on_progress(replace(whole, hits=whole.hits[-10:], complete=False))
        self.go_on.pass_through()
        return whole


async def test_the_highlighted_hit_stays_while_its_conversation_is_folded_around_it(
    walruses: Library, recorder: Recorder
) -> None:
    walruses.close()
    library = Growing.open(recorder.path)
    library.go_on = Gate()
    async with staged(library) as stage:
        await stage.press("slash")
        await stage.type("walrus")
        await stage.until(lambda: stage.browser.answer is not None and stage.browser.answer.query == "walrus")
        rows = stage.browser.search.hits
        await stage.press("down", "down")
        held = rows.anchor_here
        assert held is not None
        library.go_on.set()
        await stage.answered("walrus")
        assert rows.anchor_here == held
        [row] = more(stage)
        assert f"… {MANY - BEST - 1} more" in row  # the held one is shown besides the first ones
        assert any(f"walrus number {held.message_id - 3}" in line for line in stage.lines() if held.message_id)


def test_no_row_stands_for_a_single_hit() -> None:
    few = Group(TIP, tuple(hit(number, TIP) for number in range(9, 9 - BEST - 1, -1)))
    assert folded(few, held=None) == few.rows


def test_the_held_hit_is_shown_in_its_order() -> None:
    hits = tuple(hit(number, OTHER) for number in range(9, 0, -1))
    *shown, row = folded(Group(OTHER, hits), held=Anchor("s9", 3))
    assert shown == [*hits[:BEST], hits[6]]
    assert isinstance(row, Folded)
    assert row.hits == (*hits[BEST:6], *hits[7:])
