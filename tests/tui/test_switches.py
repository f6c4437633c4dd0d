"""Switches beside the box: capitals, regular expression, reasoning."""

from __future__ import annotations

import pytest
from textual import events

from hermes_tui.library import Library
from hermes_tui.model import PLAIN, Anchor, Case, Mode
from hermes_tui.recorder import Recorder
from hermes_tui.tui.chips import Chips
from tests.tui.conftest import Stage, staged


def chips(stage: Stage) -> list[str]:
    return [f"{chip.text} {chip.about}" for chip in stage.browser.query_one(Chips).shown]


async def answered(stage: Stage, mode: Mode) -> None:
    def done() -> bool:
        answer = stage.browser.answer
        return answer is not None and answer.mode == mode and answer.complete and not stage.browser.busy

    await stage.until(done, f"the answer in {mode}")
    await stage.pilot.pause()


async def test_capitals_count_when_they_are_to(library: Library) -> None:
    async with staged(library) as stage:
        await stage.search("TAKE lovage")
        assert len(stage.hits()) == 1
        assert chips(stage) == []
        assert stage.browser.search.hits.region.y == 1  # no chips take no line
        await stage.press("alt+c")
        await answered(stage, Mode(case=Case.EXACT))
        assert stage.hits() == []
        assert chips(stage) == ["case Alt+C"]
        assert "case" in stage.text()
        assert stage.focus == "box"
        await stage.press("alt+c")
        await answered(stage, PLAIN)
        assert len(stage.hits()) == 1
        assert chips(stage) == []


async def test_a_letter_with_alt_is_no_text_though_the_terminal_names_the_letter(library: Library) -> None:
    async with staged(library) as stage:
        await stage.press("slash")
        for letter in "crt":
            stage.app.post_message(events.Key(f"alt+{letter}", letter))
        await stage.until(lambda: len(chips(stage)) == 3)
        assert stage.browser.search.box.value == ""


async def test_a_regular_expression_finds_and_marks_what_it_matches(library: Library) -> None:
    async with staged(library) as stage:
        await stage.press("alt+r")
        await stage.search("ket+le|da[w]n")
        assert stage.hits() == [Anchor("garden", 2), Anchor("garden", 1)]
        assert chips(stage) == ["regular expression Alt+R"]
        matcher = stage.browser.matcher
        assert matcher is not None
        assert list(matcher.spans("a kettle at dawn")) == [(2, 8), (12, 16)]
        await stage.shown("garden#2")


def problem(stage: Stage) -> str:
    answer = stage.browser.answer
    return "" if answer is None or stage.browser.busy else answer.problem or ""


async def test_while_a_pattern_is_not_whole_the_hits_of_before_stay_and_are_said_to_be_so(library: Library) -> None:
    async with staged(library) as stage:
        await stage.press("alt+r")
        await stage.search("kettle")
        assert len(before := stage.hits()) == 2
        await stage.press("down", "down", "slash")
        held = stage.browser.search.hits.anchor_here
        await stage.type("(")
        await stage.until(lambda: problem(stage))
        assert stage.hits() == before
        assert stage.browser.search.hits.anchor_here == held
        said = " ".join(stage.text().split())
        assert problem(stage).rstrip(".")[:30] in said
        assert "these are the hits of kettle" in said
        await stage.press("enter")
        await stage.pilot.pause()
        assert stage.focus == "box"  # they are not what is asked for
        await stage.type(" holds)")
        await stage.answered("kettle( holds)")
        assert stage.hits() == before[:1]
        assert "these are the hits of" not in stage.text()
        await stage.press(*["backspace"] * len(" holds)"))
        await stage.until(lambda: problem(stage))
        await stage.press("backspace")
        await stage.answered("kettle")
        assert stage.hits() == before
        assert problem(stage) == ""


async def test_a_bad_pattern_with_nothing_before_it_is_explained(library: Library) -> None:
    async with staged(library) as stage:
        await stage.press("alt+r")
        await stage.search("(")
        assert problem(stage).rstrip(".")[:30] in " ".join(stage.text().split())
        assert stage.hits() == []
        assert "no hits" not in stage.text()
        assert stage.browser.ways == ()


@pytest.fixture
def thinking(recorder: Recorder) -> Library:
    recorder.create_session("cli", session_id="s", title="Thoughts")
    recorder.append("s", "user", "what is it")
    recorder.append("s", "assistant", "an animal", reasoning="it must be a walrus")
    return Library.open(recorder.path)


async def test_reasoning_is_searched_by_its_key(thinking: Library) -> None:
    async with staged(thinking) as stage:
        await stage.search("walrus")
        for keys, back in ((["alt+t"], "alt+t"), (["escape", "r"], "r")):
            assert stage.hits() == []
            await stage.press(*keys)
            await answered(stage, Mode(reasoning=True))
            assert stage.hits() == [Anchor("s", 2)]
            assert chips(stage) == ["reasoning too Alt+T"]
            await stage.press(back)
            await answered(stage, Mode())


async def test_a_click_on_a_switch_turns_it_off(library: Library) -> None:
    async with staged(library) as stage:
        await stage.press("slash", "alt+c", "alt+r")
        await stage.until(lambda: len(chips(stage)) == 2)
        row = next(number for number, line in enumerate(stage.lines()) if "regular expression" in line)
        await stage.pilot.click(offset=(stage.lines()[row].index("regular") + 2, row))
        await stage.until(lambda: chips(stage) == ["case Alt+C"])
        assert stage.browser.mode == Mode(case=Case.EXACT)


async def test_the_palette_offers_the_switches(library: Library) -> None:
    async with staged(library) as stage:
        await stage.search("kettle")
        await stage.press("ctrl+p")
        await stage.type("Regular expression")
        await stage.app.workers.wait_for_complete()
        await stage.pilot.pause()
        await stage.press("enter")
        await stage.until(lambda: stage.browser.mode.regex)
        await answered(stage, Mode(regex=True))


async def test_hits_of_the_same_text_in_another_mode_are_not_passed_off(library: Library) -> None:
    async with staged(library) as stage:
        await stage.search("kettle")
        stage.browser.mode = Mode(case=Case.EXACT)
        await stage.pilot.pause()
        assert "these are the hits of the same text understood otherwise" in " ".join(stage.text().split())
