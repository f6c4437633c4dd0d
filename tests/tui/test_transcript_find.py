"""Looking for characters inside the conversation that is open."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.style import Style

from hermes_tui.library import Library
from hermes_tui.model import Anchor, ToolCall
from hermes_tui.recorder import Recorder
from hermes_tui.render import Field, Place, Source
from hermes_tui.tui import finding
from hermes_tui.tui.find import told
from hermes_tui.tui.literal import Finds, Literal, Spot
from tests.tui.conftest import NOW, Clock, Stage, staged, tell
from tests.tui.transcripts import said

# -- what is a match


@pytest.mark.parametrize(
    ("typed", "text", "spans"),
    [
        ("kettle", "The KETTLE and the kettles", [(4, 10), (19, 25)]),
        ("ett", "kettle", [(1, 4)]),
        ("a  b", "a\n b, a b, ab", [(0, 4), (6, 9)]),
        ("(.*)", "x (.*) y", [(2, 6)]),
        ("é", "e É", [(2, 3)]),
        ("ß", "STRASSE", [(4, 6)]),
        ("北京", "去北京了", [(1, 3)]),
        ("n", "", []),
    ],
)
def test_characters_are_found_as_they_stand(typed: str, text: str, spans: list[tuple[int, int]]) -> None:
    assert Literal(typed).spans(text) == spans


@given(
    st.text(alphabet="ab .*\\", min_size=1, max_size=3).filter(str.strip), st.text(alphabet="abAB .*\\\n", max_size=60)
)
def test_a_match_is_the_text_that_was_typed(typed: str, text: str) -> None:
    def plain(each: str) -> list[str]:
        return each.lower().split()

    for start, end in Literal(typed).spans(text):
        assert plain(text[start:end]) == plain(typed)
    if " " not in typed:
        assert len(Literal(typed).spans(text)) == text.lower().count(typed.lower())


def test_every_text_of_a_message_is_looked_through_from_top_to_bottom() -> None:
    message = said(
        1, "x in text x", "assistant", reasoning="x thought", tool_calls=(ToolCall("c", "xtool", "command: x"),)
    )
    assert Literal("x").places(message) == [
        Place(Source(Field.REASONING), 0),
        Place(Source(Field.TEXT), 0),
        Place(Source(Field.TEXT), 7),
        Place(Source(Field.TEXT), 10),
        Place(Source(Field.CALL, 0), 0),
        Place(Source(Field.ARGUMENTS, 0), 9),
    ]


def test_places_are_numbered_from_the_beginning_of_the_conversation() -> None:
    def spot(number: int) -> Spot:
        return Spot(number, Place(Source(Field.TEXT), 0))

    finds = Finds()
    assert finds.step(1) is None
    finds.add([spot(5), spot(7)], ahead=True)
    assert (finds.step(1), finds.number) == (spot(5), 1)
    finds.add([spot(1), spot(2)], ahead=False)
    assert (finds.current, finds.number, len(finds)) == (spot(5), 3, 4)
    assert [finds.step(-1) for _ in range(4)] == [spot(2), spot(1), spot(7), spot(5)]
    finds.step(-1)
    assert (finds.current, finds.number) == (spot(2), 2)
    finds.add([spot(9)], ahead=True)
    assert (finds.current, finds.number, len(finds)) == (spot(2), 2, 5)
    assert finds.step(-1) == spot(1)


def test_the_count() -> None:
    assert told(3, 17, complete=True) == "3/17"
    assert told(3, 1700, complete=False) == "3/1,700…"
    assert told(None, 0, complete=True) == "not found"
    assert told(None, 0, complete=False) == "…"


# -- on the screen


def counted(stage: Stage) -> str:
    return stage.lines()[-2].split()[-1]


async def look(stage: Stage, text: str) -> None:
    """Open the line, type, and wait for the count."""
    await stage.press("ctrl+f")
    await stage.type(text)
    await whole(stage)


async def whole(stage: Stage) -> None:
    def done() -> bool:
        finds = stage.browser.transcript.finds
        return finds is not None and finds.complete

    await stage.until(done, "all of what was looked for")
    await stage.pilot.pause()


def marked(stage: Stage, style: str) -> list[str]:
    """The stretches of text in one of the transcript's looks."""
    pane = stage.browser.transcript
    look = pane.get_component_rich_style(f"transcript--{style}", partial=True)
    assert look.bgcolor is not None
    strips = [pane.render_line(y) for y in range(pane.size.height)]
    return [
        segment.text
        for strip in strips
        for segment in strip
        if isinstance(segment.style, Style) and segment.style.bgcolor == look.bgcolor and segment.text.strip()
    ]


async def test_a_find_counts_marks_goes_on_and_is_cleared(library: Library) -> None:
    async with staged(library, anchor=Anchor("garden")) as stage:
        await stage.shown("garden")
        await look(stage, "WATER")
        assert counted(stage) == "1/4"
        assert marked(stage, "find") + marked(stage, "find-current") == ["water"] * 4
        assert marked(stage, "find-current") == ["water"]
        await stage.press("enter")
        assert counted(stage) == "2/4"
        await stage.press("shift+enter", "up")
        assert counted(stage) == "4/4"
        await stage.press("down")
        assert stage.focus == "transcript"
        await stage.press("n")
        await stage.until(lambda: counted(stage) == "1/4")
        await stage.press("N", "N")
        await stage.until(lambda: counted(stage) == "3/4")
        await stage.press("escape")
        await stage.until(lambda: not stage.browser.finding)
        assert stage.focus == "transcript"
        assert marked(stage, "find") == []
        assert "Find" not in stage.lines()[-2]
        await stage.press("escape")
        await stage.until(lambda: stage.focus == "list-rows")


async def test_its_marks_are_not_those_of_the_search_which_come_back(library: Library) -> None:
    async with staged(library) as stage:
        await stage.search("kettle")
        await stage.press("enter")
        await stage.shown("garden#2")
        assert marked(stage, "current") == ["kettle"]
        await look(stage, "litres")
        assert marked(stage, "find-current") == ["litres"]
        assert marked(stage, "current") + marked(stage, "mark") == []
        await stage.press("escape")
        await stage.until(
            lambda: set(marked(stage, "current") + marked(stage, "mark")) == {"kettle"}, "the search's marks"
        )
        await stage.press("n")
        await stage.until(lambda: stage.browser.reading == "garden#1")


async def test_text_not_there_says_so_and_every_letter_counts_anew(library: Library) -> None:
    async with staged(library, anchor=Anchor("garden")) as stage:
        await stage.shown("garden")
        await look(stage, "waterfall")
        assert stage.lines()[-2].endswith("not found")
        await stage.press(*["backspace"] * 4)
        await whole(stage)
        assert counted(stage) == "1/4"
        await stage.press("ctrl+f")
        await stage.type("nqx/?")
        await whole(stage)
        assert stage.browser.find_bar.box.value == "nqx/?"
        assert "not found" in stage.text()


def long_talk(path: Path) -> tuple[str, list[int]]:
    with Recorder(path, clock=Clock(NOW - 86_400)) as recorder:
        session = recorder.create_session("cli", title="Long")
        said = [("user" if at % 2 else "assistant", f"words number {at}") for at in range(400)]
        said[10] = ("user", "a walrus early")
        said[390] = ("user", "a walrus late")
        lines = [f"line {at}" for at in range(900)]
        lines[700] = "line with the walrus and the walrus"
        said[200] = ("tool", "\n".join(lines))
        ids = tell(recorder, session, *said)
        recorder.append(session, "assistant", "done", reasoning="\n".join([*["thought"] * 30, "of a heron"]))
    return session, ids


async def test_what_is_not_loaded_or_folded_is_found_and_shown(tmp_path: Path) -> None:
    session, ids = long_talk(tmp_path / "state.db")
    async with staged(Library.open(tmp_path / "state.db"), anchor=Anchor(session, ids[100])) as stage:
        await stage.shown(f"{session}#{ids[100]}")
        assert stage.browser.transcript.shelf.message(ids[200]) is None
        await look(stage, "walrus")
        assert counted(stage) == "2/4"
        await stage.until(lambda: "line with the walrus" in stage.text(), "the line in the fold")
        assert marked(stage, "find-current") == ["walrus"]
        assert len(marked(stage, "find")) == 1
        await stage.press("enter")
        assert counted(stage) == "3/4"
        await stage.until(lambda: len(marked(stage, "find-current")) == 1)
        pane = stage.browser.transcript
        line = next(strip for y in range(pane.size.height) if "line with" in (strip := pane.render_line(y)).text)
        looks = [seg.style.bgcolor for seg in line if seg.text == "walrus" and seg.style]
        assert looks[0] != looks[1], "the second on the line is the current one"
        await stage.press("enter")
        await stage.until(lambda: "a walrus late" in stage.text())
        await stage.press("enter")
        await stage.until(lambda: "a walrus early" in stage.text())
        assert counted(stage) == "1/4"


async def test_a_find_in_reasoning_opens_it(tmp_path: Path) -> None:
    session, _ = long_talk(tmp_path / "state.db")
    async with staged(Library.open(tmp_path / "state.db"), anchor=Anchor(session)) as stage:
        await stage.shown(session)
        await look(stage, "heron")
        await stage.until(lambda: "of a heron" in stage.text())
        assert counted(stage) == "1/1"


async def test_the_newest_find_wins(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(finding, "FIRST", 3)
    monkeypatch.setattr(finding, "ROWS", 3)
    session, _ = long_talk(tmp_path / "state.db")
    async with staged(Library.open(tmp_path / "state.db"), anchor=Anchor(session)) as stage:
        await stage.shown(session)
        await stage.press("ctrl+f")
        stage.burst(*"words")
        stage.burst(*["backspace"] * 5, *"walrus")
        await whole(stage)
        await stage.until(lambda: stage.browser.find_bar.box.value == "walrus")
        await whole(stage)
        assert counted(stage) == "1/4"


async def test_what_is_written_meanwhile_is_counted(house: Recorder) -> None:
    async with staged(Library.open(house.path), anchor=Anchor("garden")) as stage:
        await stage.shown("garden")
        await look(stage, "kettle")
        assert counted(stage) == "1/2"
        house.append("garden", "user", "which kettle was it")
        await stage.until(lambda: counted(stage) == "1/3", "the new one")


async def test_another_lens_and_another_conversation_are_looked_through(house: Recorder) -> None:
    house.compact("garden", "what was said of watering", keep_last=1)
    async with staged(Library.open(house.path), anchor=Anchor("garden")) as stage:
        await stage.shown("garden")
        await look(stage, "kettle")
        assert counted(stage) == "1/2"
        await stage.press("down", "c")
        await stage.until(lambda: stage.lines()[-2].endswith("not found"))
        await stage.press("c")
        await stage.until(lambda: counted(stage) == "1/2")
        stage.browser.read(Anchor("pager"))
        await stage.shown("pager")
        await stage.until(lambda: stage.lines()[-2].endswith("not found"))
