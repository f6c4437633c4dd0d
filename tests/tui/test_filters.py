"""Chips of filters, what they hide, and the ways out of an answer without hits."""

from __future__ import annotations

import threading
from typing import Any

from hermes_tui.library import Library
from hermes_tui.model import PLAIN, Anchor, Filtered, WayOut
from hermes_tui.recorder import Recorder
from hermes_tui.store.connection import StoreDamaged, Ticket
from hermes_tui.tui.chips import Chips, chips
from tests.tui.conftest import PATIENCE, Stage, staged, tell
from tests.tui.pace import Gate


def shown(stage: Stage) -> list[str]:
    return [f"{chip.text} {chip.about}".strip() for chip in stage.browser.query_one(Chips).shown]


async def test_each_filter_is_a_chip_with_what_it_hides(library: Library) -> None:
    async with staged(library) as stage:
        await stage.search("pager source:telegram role:user")
        await stage.until(lambda: "counting" not in " ".join(shown(stage)))
        # Of the six messages about a pager one is a person's on telegram.
        assert shown(stage) == ["F1 source:telegram hides 1", "F2 role:user hides 3"]
        assert "F1 source:telegram" in stage.text()
        assert stage.hits()[-1] == Anchor("pager", 5)


async def test_a_function_key_removes_a_filter(library: Library) -> None:
    async with staged(library) as stage:
        for key in ("f1", "alt+1"):
            await stage.search("pager source:telegram role:user")
            before = stage.hits()
            await stage.press(key)
            await stage.answered("pager role:user")
            assert stage.browser.search.box.value == "pager role:user"
            assert len(stage.hits()) > len(before)
            assert stage.focus == "box"
            await stage.press("f2")
            assert stage.browser.search.box.value == "pager role:user"
            await stage.press("ctrl+u", "escape")


async def test_a_click_removes_a_filter(library: Library) -> None:
    async with staged(library) as stage:
        await stage.search("pager source:telegram role:user")
        row = next(number for number, line in enumerate(stage.lines()) if "F2 role:user" in line)
        await stage.pilot.click(offset=(stage.lines()[row].index("F2 role:user") + 3, row))
        await stage.answered("pager source:telegram")
        await stage.until(lambda: shown(stage) == ["F1 source:telegram hides 1"])


class Counting(Library):
    """A library that counts when a test lets it."""

    gate: Gate

    def hides(self, text: str, *, ticket: Ticket | None = None, **how: Any) -> tuple[Filtered, ...]:
        self.gate.pass_through(ticket)
        return super().hides(text, ticket=ticket, **how)


async def test_counting_holds_up_no_search(house: Recorder) -> None:
    library = Counting.open(house.path)
    library.gate = Gate()
    async with staged(library) as stage:
        await stage.search("pager source:telegram")
        assert shown(stage) == ["F1 source:telegram counting"]
        await stage.type(" role:user")
        await stage.answered("pager source:telegram role:user")
        assert shown(stage) == ["F1 source:telegram counting", "F2 role:user counting"]
        library.gate.set()
        await stage.until(lambda: shown(stage) == ["F1 source:telegram hides 1", "F2 role:user hides 3"])


class Uncountable(Library):
    def hides(self, text: str, **how: Any) -> tuple[Filtered, ...]:
        raise StoreDamaged("The file is damaged.")


async def test_where_counting_fails_nothing_claims_to_be_counting(house: Recorder) -> None:
    async with staged(Uncountable.open(house.path)) as stage:
        await stage.search("kettle source:cli")
        await stage.until(lambda: stage.status() == "The file is damaged.")
        assert shown(stage) == ["F1 source:cli"]
        assert len(stage.hits()) == 2


def test_the_chip_of_a_conversation_says_its_title() -> None:
    filters = [Filtered("conversation:s1", "x"), Filtered("-conversation:s2", "x", 3, more=True)]
    first, second = chips(PLAIN, filters, numbered=False, counting=False, titles={"s1": "Spring", "s2": "Autumn"})
    assert (first.text, second.text, second.about) == ("in Spring", "not in Autumn", "hides 3+")


# Ways out.


def ways(stage: Stage) -> list[WayOut]:
    return list(stage.browser.search.way_rows.ways)


async def test_nothing_found_shows_what_would_be_and_a_digit_takes_it(library: Library) -> None:
    async with staged(library) as stage:
        await stage.search("kettle source:telegram")
        await stage.until(lambda: ways(stage))
        assert "No hits. What would have some:" in stage.text()
        assert any("F1  2 hits without source:telegram" in line for line in stage.lines())
        await stage.press("down")
        assert stage.focus == "ways"
        assert any("1   2 hits without source:telegram" in line for line in stage.lines())
        await stage.press("1")
        await stage.answered("kettle")
        assert stage.browser.search.box.value == "kettle"
        assert len(stage.hits()) == 2
        assert ways(stage) == []
        assert stage.focus == "hits"


async def test_a_function_key_takes_a_way_out_while_typing(library: Library) -> None:
    async with staged(library) as stage:
        await stage.search("kettle source:telegram")
        await stage.until(lambda: ways(stage))
        await stage.press("f1")
        await stage.answered("kettle")
        assert stage.focus == "box"
        assert len(stage.hits()) == 2


async def test_enter_takes_the_highlighted_way_out(library: Library) -> None:
    async with staged(library) as stage:
        await stage.search("kettle source:telegram role:tool")
        await stage.until(lambda: ways(stage))
        last = ways(stage)[-1]
        await stage.press("down", "end", "enter")
        await stage.answered(last.text)
        assert len(stage.hits()) == last.hits


async def test_a_way_out_may_show_what_was_taken_back(recorder: Recorder) -> None:
    recorder.create_session("cli", session_id="s", title="Taken back")
    ids = tell(recorder, "s", ("user", "first"), ("assistant", "yes"), ("user", "secret walrus"))
    recorder.rewind("s", ids[2])
    async with staged(Library.open(recorder.path)) as stage:
        await stage.search("walrus")
        await stage.until(lambda: ways(stage))
        await stage.press("f1")
        await stage.until(lambda: stage.hits() == [Anchor("s", ids[2])])
        assert stage.browser.rewound


async def test_escape_leads_from_the_ways_out_to_the_list(library: Library) -> None:
    async with staged(library) as stage:
        await stage.search("kettle source:telegram")
        await stage.until(lambda: ways(stage))
        await stage.press("escape")
        assert stage.focus == "ways"
        await stage.press("tab")
        assert stage.focus == "transcript"
        await stage.press("shift+tab", "escape")
        assert stage.focus == "list-rows"


class Wayless(Library):
    """A library that looks for ways out until it is told to stop."""

    began: threading.Event
    stopped: threading.Event

    def ways_out(self, text: str, *, ticket: Ticket | None = None, **how: Any) -> tuple[WayOut, ...]:
        assert ticket is not None
        self.began.set()
        try:
            Gate().pass_through(ticket)
        finally:
            self.stopped.set()
        return ()


async def test_the_next_key_stops_the_looking_for_ways_out(house: Recorder) -> None:
    library = Wayless.open(house.path)
    library.began, library.stopped = threading.Event(), threading.Event()
    async with staged(library) as stage:
        await stage.search("kettlee")
        await stage.until(library.began.is_set)
        await stage.press("backspace")
        await stage.answered("kettle")
        assert library.stopped.wait(PATIENCE)
        assert len(stage.hits()) == 2


async def test_titles_found_need_no_way_out(library: Library) -> None:
    async with staged(library) as stage:
        await stage.search("newest of all")
        await stage.app.workers.wait_for_complete()
        await stage.pilot.pause()
        assert stage.hits() == [Anchor("newest")]
        assert ways(stage) == []
