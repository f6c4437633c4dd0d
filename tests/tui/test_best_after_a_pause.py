"""Newest first at once; best first when typing rests, and never under a reader who has moved."""

from __future__ import annotations

import threading
from typing import Any

import pytest

from hermes_tui.library import Library
from hermes_tui.model import Anchor, Answer
from hermes_tui.recorder import Recorder
from hermes_tui.store.connection import Ticket
from tests.tui.conftest import Stage, staged, tell
from tests.tui.pace import Gate


class Ranking(Library):
    """A library that ranks when a test lets it."""

    gate: Gate
    began: threading.Event

    def search(self, text: str, *, sort: str = "best", ticket: Ticket | None = None, **how: Any) -> Answer:
        if sort == "best":
            self.began.set()
            self.gate.pass_through(ticket)
        return super().search(text, sort=sort, ticket=ticket, **how)


@pytest.fixture
def library(recorder: Recorder) -> Ranking:
    """What a person typed about a walrus, and then what a machine wrote about one."""
    recorder.create_session("cli", session_id="person", title="A person")
    tell(recorder, "person", ("user", "walrus walrus walrus"))
    recorder.create_session("cron", session_id="machine", title="A machine")
    tell(recorder, "machine", ("user", "there may be a walrus among many other words of this long line of a log"))
    library = Ranking.open(recorder.path)
    library.gate, library.began = Gate(), threading.Event()
    return library


NEWEST = [Anchor("machine", 2), Anchor("person", 1)]
BEST = NEWEST[::-1]


async def ranked(stage: Stage) -> None:
    await stage.until(lambda: stage.browser.answer is not None and stage.browser.answer.sort == "best", "the ranking")
    await stage.pilot.pause()


async def test_the_newest_hits_come_first_and_the_best_when_typing_rests(library: Ranking) -> None:
    async with staged(library, rest=0.0) as stage:
        await stage.search("walrus")
        assert stage.hits() == NEWEST
        assert "newest first (s)" in stage.text()
        library.gate.set()
        await ranked(stage)
        assert stage.hits() == BEST
        assert "best first (s)" in stage.text()
        assert stage.browser.search.hits.anchor_here == BEST[0]
        await stage.shown(str(BEST[0]))
        assert stage.focus == "box"


@pytest.mark.parametrize("keys", [["down"], ["down", "down"], ["enter"], ["tab"], ["escape"]])
async def test_nothing_moves_under_a_reader_who_has_moved(library: Ranking, keys: list[str]) -> None:
    async with staged(library, rest=0.0) as stage:
        await stage.search("walrus")
        await stage.until(library.began.is_set)
        await stage.press(*keys)
        here = stage.browser.search.hits.anchor_here
        library.gate.set()
        await stage.app.workers.wait_for_complete()
        await stage.pilot.pause()
        assert stage.hits() == NEWEST
        assert stage.browser.search.hits.anchor_here == here


async def test_an_order_that_was_chosen_stays(library: Ranking) -> None:
    async with staged(library, rest=0.0) as stage:
        library.gate.set()
        await stage.search("wal")
        await ranked(stage)
        await stage.press("down", "s", "s")
        await stage.until(lambda: "newest first (s)" in stage.text())
        await stage.press("slash", *"rus")
        await stage.answered("walrus")
        await stage.app.workers.wait_for_complete()
        await stage.pilot.pause()
        assert stage.hits() == NEWEST


async def test_the_next_key_is_answered_newest_first_again(library: Ranking) -> None:
    async with staged(library, rest=0.0) as stage:
        library.gate.set()
        await stage.search("wal")
        await ranked(stage)
        library.gate.clear()
        library.began.clear()
        await stage.type("rus")
        await stage.answered("walrus")
        assert stage.hits() == NEWEST
        library.gate.set()
        await ranked(stage)
        assert stage.hits() == BEST


async def test_a_ranking_of_what_was_typed_over_never_lands(library: Ranking) -> None:
    async with staged(library, rest=0.0) as stage:
        await stage.search("wal")
        await stage.until(library.began.is_set, "the ranking")
        stage.browser._rest = None
        await stage.type("rus")
        await stage.answered("walrus")
        library.gate.set()
        await stage.app.workers.wait_for_complete()
        await stage.pilot.pause()
        assert stage.browser.answer is not None
        assert (stage.browser.answer.query, stage.browser.answer.sort) == ("walrus", "newest")


async def test_what_stands_best_first_stays_so_when_the_store_grows(library: Ranking, recorder: Recorder) -> None:
    async with staged(library, rest=0.0) as stage:
        library.gate.set()
        await stage.search("walrus")
        await ranked(stage)
        tell(recorder, "machine", ("assistant", "no walrus"))
        stage.browser.look()
        await stage.until(lambda: len(stage.hits()) == 3)
        assert "best first (s)" in stage.text()
        assert stage.browser.search.hits.anchor_here == BEST[0]
