"""Answers that come late, in the wrong order, in pieces, or not at all."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from hermes_tui.library import Library
from hermes_tui.model import Anchor, Answer, Transcript
from hermes_tui.recorder import Recorder
from hermes_tui.store.connection import StoreDamaged, Ticket
from tests.tui.conftest import staged
from tests.tui.pace import Gate


class Slow(Library):
    """A library whose answers a test holds back."""

    gates: dict[str, Gate]
    began: dict[str, threading.Event]
    stubborn: bool = False

    def hold(self, *texts: str, stubborn: bool = False) -> None:
        """Answer these queries only when `gates` lets them through; `stubborn` ones do not heed their ticket."""
        self.gates = {text: Gate() for text in texts}
        self.began = {text: threading.Event() for text in texts}
        self.stubborn = stubborn

    def search(self, text: str, *, ticket: Ticket | None = None, **how: Any) -> Answer:
        gate = self.gates.get(text)
        if gate is not None:
            self.began[text].set()
            gate.pass_through(None if self.stubborn else ticket)
            if self.stubborn:
                late = super().search(text, **how)
                how["on_progress"](late)
                return late
        return super().search(text, ticket=ticket, **how)


@pytest.fixture
def slow(house: Recorder) -> Slow:
    library = Slow.open(house.path)
    library.hold()
    return library


def watch(stage: Any) -> list[str]:
    """The queries of all answers that reach the screen from now on."""
    seen: list[str] = []

    def note(answer: Answer | None) -> None:
        if answer is not None:
            seen.append(answer.query)

    stage.browser.watch(stage.browser, "answer", note, init=False)
    return seen


async def test_a_slow_answer_to_what_was_typed_before_never_lands(slow: Slow) -> None:
    """H-LOAD-4: the query for `r` takes as long as it likes, `rare` answers at once."""
    slow.hold("r")
    async with staged(slow) as stage:
        seen = watch(stage)
        await stage.press("slash", "r")
        await stage.until(slow.began["r"].is_set)
        await stage.type("are")
        await stage.answered("rare")
        shown = stage.hits()
        assert len(shown) == 3
        slow.gates["r"].set()
        await stage.pilot.pause()
        assert "r" not in seen
        assert stage.hits() == shown


async def test_a_thread_that_does_not_stop_holds_nothing_up_for_good_and_its_answer_is_dropped(slow: Slow) -> None:
    slow.hold("r", stubborn=True)
    async with staged(slow) as stage:
        seen = watch(stage)
        await stage.press("slash", "r")
        await stage.until(slow.began["r"].is_set)
        await stage.type("are")
        slow.gates["r"].set()
        await stage.answered("rare")
        assert "r" not in seen
        assert len(stage.hits()) == 3


async def test_old_hits_stay_until_new_ones_are_there(slow: Slow) -> None:
    slow.hold("rare")
    async with staged(slow) as stage:
        await stage.search("pager")
        before = stage.hits()
        await stage.press(*["backspace"] * 5)
        await stage.type("rare")
        await stage.until(slow.began["rare"].is_set)
        assert stage.browser.busy
        slow.gates["rare"].set()
        await stage.answered("rare")
        assert stage.hits() != before


async def test_ending_the_search_stops_it(slow: Slow) -> None:
    slow.hold("kettle", stubborn=True)
    async with staged(slow) as stage:
        seen = watch(stage)
        await stage.press("slash")
        await stage.type("kettle")
        await stage.until(slow.began["kettle"].is_set)
        await stage.press("ctrl+u")
        assert stage.browser.text == ""
        assert not stage.browser.busy
        slow.gates["kettle"].set()
        await stage.press("escape", "down")
        await stage.shown("recipes")
        assert "kettle" not in seen
        assert not stage.browser.search.hits.display


class Failing(Library):
    """A library that cannot answer one query."""

    broken = True

    def search(self, text: str, **how: Any) -> Answer:
        if text == "rare" and self.broken:
            raise StoreDamaged(f"{self.path} is damaged [/here]; other conversations may still be read.")
        return super().search(text, **how)


async def test_an_error_keeps_the_last_hits_and_is_said(house: Recorder) -> None:
    async with staged(Failing.open(house.path)) as stage:
        await stage.search("rar")
        await stage.type("e")
        await stage.until(lambda: "is damaged" in stage.status())
        said = " ".join(stage.text().split())
        assert "is damaged [/here]; other conversations may still be read." in said
        # The last good hits stay, and are not passed off as the answer.
        assert stage.hits()
        assert "these are the hits of" in said
        assert "no hits" not in said
        assert not stage.browser.busy
        Failing.broken = False
        try:
            await stage.type(" herbs")
            await stage.answered("rare herbs")
            assert stage.status() == ""
        finally:
            Failing.broken = True


class Streaming(Library):
    """A library that finds the older half of its hits first."""

    more: Gate

    def search(self, text: str, *, on_progress: Callable[[Answer], None] | None = None, **how: Any) -> Answer:
        whole = super().search(text, **how)
        if text != "the":
            return whole
        part = replace(whole, hits=whole.hits[2:], complete=False)
        assert on_progress is not None
        on_progress(part)
        self.more.pass_through()
        return whole


async def test_what_is_highlighted_stays_highlighted_while_more_hits_arrive(house: Recorder) -> None:
    library = Streaming.open(house.path)
    library.more = Gate()
    async with staged(library) as stage:
        await stage.press("slash")
        await stage.type("the")
        await stage.until(lambda: (answer := stage.browser.answer) is not None and answer.query == "the")
        assert stage.browser.busy
        early = stage.hits()
        await stage.press("down", "down")
        rows = stage.browser.search.hits
        held = rows.anchor_here
        assert held == early[2]  # the first is a title, the second is where a new query begins
        library.more.set()
        await stage.answered("the")
        assert len(stage.hits()) == len(early) + 2
        assert rows.anchor_here == held
        await stage.shown(str(held))


class Named(Library):
    """A library that has found all there is before it knows that this is all."""

    last: Gate

    def search(self, text: str, *, on_progress: Callable[[Answer], None] | None = None, **how: Any) -> Answer:
        whole = super().search(text, **how)
        if text == "pager":
            assert on_progress is not None
            on_progress(replace(whole, complete=False))
            self.last.pass_through()
        return whole


@pytest.mark.parametrize("at_once", [True, False])
async def test_the_highlighted_hit_is_shown_although_the_query_names_a_place(house: Recorder, at_once: bool) -> None:
    """Whether the answer comes in pieces or not."""
    library = Named.open(house.path)
    library.last = Gate()
    if at_once:
        library.last.set()
    async with staged(library) as stage:
        await stage.press("slash")
        stage.burst(*"pager")
        await stage.until(lambda: (answer := stage.browser.answer) is not None and answer.query == "pager")
        here = stage.browser.search.hits.anchor_here
        assert here is not None
        assert here.message_id is not None
        if not at_once:
            await stage.shown(str(here))
            library.last.set()
        await stage.answered("pager")
        assert stage.browser.answer is not None
        assert stage.browser.answer.goto == Anchor("pager")
        await stage.app.workers.wait_for_complete()
        await stage.shown(str(here))
        assert stage.browser._on_its_way is None


async def test_a_place_that_no_message_tells_of_is_shown(house: Recorder) -> None:
    async with staged(Library.open(house.path)) as stage:
        await stage.search("cron1")
        assert not any(anchor.message_id for anchor in stage.hits())
        await stage.shown("cron1")
        await stage.app.workers.wait_for_complete()
        assert stage.browser.reading == "cron1"


class SlowPages(Library):
    """A library that reads one conversation slowly."""

    gate: Gate
    began: threading.Event

    def transcript(self, anchor: Anchor, **how: Any) -> Transcript:
        if anchor.session_id == "recipes":
            self.began.set()
            self.gate.pass_through()
        return super().transcript(anchor, **how)


async def test_the_transcript_is_that_of_the_last_highlight(house: Recorder) -> None:
    library = SlowPages.open(house.path)
    library.gate, library.began = Gate(), threading.Event()
    async with staged(library) as stage:
        await stage.press("down")
        await stage.until(library.began.is_set)
        await stage.press("end")
        library.gate.set()
        await stage.shown("garden")
        assert "copper kettle" in stage.text()
