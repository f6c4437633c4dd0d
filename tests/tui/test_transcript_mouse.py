"""The mouse in the transcript: selecting, copying, words and links."""

from __future__ import annotations

import pytest
from textual.pilot import Pilot

from hermes_tui.library import Library
from hermes_tui.model import Anchor
from hermes_tui.recorder import Recorder
from hermes_tui.tui.asklink import LinkScreen
from hermes_tui.tui.selecting import Selector, cut
from tests.tui.conftest import Stage, staged, tell
from tests.tui.transcripts import PaneApp, called, said

LONG = "The quick brown fox jumps over the lazy dog and goes on for long enough to be broken into several rows of text."
CODE = "Look:\n\n```python\ndef one():\n    return 1\n```\n\ndone"


async def drag(app: PaneApp, pilot: Pilot[None], start: tuple[int, int], end: tuple[int, int]) -> None:
    await pilot.mouse_down("#transcript", offset=start)
    await pilot.hover("#transcript", offset=end)
    await pilot.mouse_up("#transcript", offset=end)
    await pilot.pause()


async def test_a_broken_line_is_copied_as_one_without_gutters() -> None:
    app = PaneApp([said(1, "before"), said(2, LONG + "\nsecond line", "assistant"), said(3, "after")])
    async with app.run_test(size=(50, 24)) as pilot:
        app.open()
        await pilot.pause()
        app.pane.focus()
        top, bottom = app.line_of("The quick"), app.line_of("second line")
        assert bottom - top >= 3
        await drag(app, pilot, (2, top), (12, bottom))
        assert app.pane.selected_text() == LONG + "\nsecond line"
        await pilot.press("y")
        await pilot.pause()
        assert app.copied == [LONG + "\nsecond line"]


async def test_dragging_up_selects_the_same_and_parts_of_rows_are_cut_by_cells() -> None:
    app = PaneApp([said(1, "some 北京 words here", "assistant")])
    async with app.run_test(size=(60, 24)) as pilot:
        app.open()
        await pilot.pause()
        y = app.line_of("words here")
        await drag(app, pilot, (7, y), (15, y))
        assert app.pane.selected_text() == "北京 word"
        await drag(app, pilot, (15, y), (7, y))
        assert app.pane.selected_text() == "北京 word"
        strip = app.pane.render_line(y)
        chosen = "".join(segment.text for segment in strip if segment.style and segment.style.reverse)
        assert chosen == "北京 word"


async def test_code_keeps_its_indent_and_tool_output_loses_that_of_the_screen() -> None:
    app = PaneApp(
        [said(1, CODE, "assistant"), called(2, "ls", "command: ls"), said(3, "a.py\n  b.py", "tool", tool_name="ls")]
    )
    async with app.run_test(size=(60, 30)) as pilot:
        app.open()
        await pilot.pause()
        await drag(app, pilot, (2, app.line_of("def one")), (40, app.line_of("return 1")))
        assert app.pane.selected_text() == "def one():\n    return 1"
        await drag(app, pilot, (2, app.line_of("a.py")), (40, app.line_of("b.py")))
        assert app.pane.selected_text() == "a.py\n  b.py"


async def test_a_table_and_broken_code_are_copied_as_they_were_written() -> None:
    table = "|name|n|\n|---|--:|\n|a longer name|1|\n|b|1,234|"
    line = "    value = compute(first_argument, second_argument,  third_argument_that_is_long, fourth)"
    app = PaneApp([said(1, f"{table}\n\n```python\ndef one():\n{line}\n    return value\n```\n\ndone", "assistant")])
    async with app.run_test(size=(50, 30)) as pilot:
        app.open()
        await pilot.pause()
        top, bottom = app.line_of("|name"), app.line_of("1,234")
        assert "|b            |1,234|" in app.lines()[bottom]  # blanks are drawn
        await drag(app, pilot, (2, top), (48, bottom))
        assert app.pane.selected_text() == table
        await drag(app, pilot, (2, bottom), (20, bottom))
        assert app.pane.selected_text() == "|b|1,23"
        await drag(app, pilot, (2, app.line_of("def one")), (48, app.line_of("return value")))
        assert app.line_of("return value") - app.line_of("def one") > 2  # the line in between is broken
        assert app.pane.selected_text() == f"def one():\n{line}\n    return value"


async def test_a_quotation_is_copied_without_the_bar_beside_it() -> None:
    app = PaneApp([said(1, "a", "assistant", reasoning="thought of one\nthought of two")])
    async with app.run_test(size=(50, 30)) as pilot:
        app.open()
        await pilot.pause()
        await pilot.press("r")
        await pilot.pause()
        assert "│" in app.lines()[app.line_of("thought of one")]
        await drag(app, pilot, (2, app.line_of("thought of one")), (48, app.line_of("thought of two")))
        assert app.pane.selected_text() == "thought of one\nthought of two"


async def test_a_selection_over_messages_has_an_empty_line_between_them_and_ends_with_escape() -> None:
    app = PaneApp([said(1, "first question"), said(2, "first answer", "assistant"), said(3, "next question")])
    async with app.run_test(size=(60, 30)) as pilot:
        app.open()
        await pilot.pause()
        await drag(app, pilot, (2, app.line_of("first question")), (50, app.line_of("next question")))
        assert app.pane.selected_text() == "first question\n\nAssistant\nfirst answer\n\nYou\nnext question"
        assert app.pane.deselect()
        assert app.pane.selected_text() == ""
        assert not app.pane.deselect()


async def test_dragging_below_the_window_scrolls_on() -> None:
    app = PaneApp([said(at, f"line of message {at}", "assistant") for at in range(1, 60)])
    async with app.run_test(size=(60, 20)) as pilot:
        app.open()
        await pilot.pause()
        await pilot.mouse_down("#transcript", offset=(2, app.line_of("line of message 2")))
        before = app.pane.top
        for _ in range(6):
            await pilot.hover("#transcript", offset=(10, 19))
            app.pane.post_message(_moved(app.pane, 10, 25))
            await pilot.pause()
        await pilot.mouse_up("#transcript", offset=(10, 10))
        await pilot.pause()
        assert app.pane.top > before


def _moved(pane: Selector, x: int, y: int):  # type: ignore[no-untyped-def]
    from textual.events import MouseMove

    return MouseMove(pane, x, y, 0, 0, 1, False, False, False)


@pytest.mark.parametrize(("x", "word"), [(3, "open"), (9, "src/app/main.py"), (20, "src/app/main.py"), (6, "")])
async def test_a_double_click_selects_the_word(x: int, word: str) -> None:
    app = PaneApp([said(1, "open src/app/main.py.", "assistant")])
    async with app.run_test(size=(60, 20)) as pilot:
        app.open()
        await pilot.pause()
        await pilot.click("#transcript", offset=(x, app.line_of("open src")), times=2)
        await pilot.pause()
        assert app.pane.selected_text() == word


def test_cells_of_wide_characters_are_cut_whole() -> None:
    assert [cut("a北京b", low, high) for low, high in ((0, None), (1, 3), (2, 4), (0, 1), (5, None))] == [
        "a北京b", "北", "北京", "a", "b"
    ]  # fmt: skip


# -- in the browser


def pane_line(stage: Stage, text: str) -> int:
    pane = stage.browser.transcript
    return next(y for y in range(pane.size.height) if text in pane.render_line(y).text)


async def test_ctrl_c_copies_the_selection_and_escape_clears_it(library: Library) -> None:
    async with staged(library, anchor=Anchor("garden")) as stage:
        await stage.shown("garden")
        y = pane_line(stage, "copper kettle holds")
        await stage.pilot.mouse_down("#transcript", offset=(2, y))
        await stage.pilot.hover("#transcript", offset=(18, y))
        await stage.pilot.mouse_up("#transcript", offset=(18, y))
        await stage.press("ctrl+c")
        await stage.until(lambda: stage.app.clipboard == "The copper kettle")
        await stage.press("escape")
        await stage.pilot.pause()
        assert stage.focus == "transcript"
        assert stage.browser.transcript.selected_text() == ""


async def test_a_link_is_opened_only_after_a_yes_to_its_whole_address(
    recorder: Recorder, monkeypatch: pytest.MonkeyPatch
) -> None:
    address = "https://example.org/" + "/".join(f"part{number}" for number in range(12)) + "?q=1"
    recorder.create_session("cli", session_id="s", title="Links")
    tell(recorder, "s", ("assistant", f"see {address} for more"))
    opened: list[str] = []
    async with staged(Library.open(recorder.path), anchor=Anchor("s")) as stage:
        monkeypatch.setattr(stage.app, "open_url", opened.append)
        await stage.shown("s")
        for row, key, want in (("example.org", "escape", []), ("part11", "enter", [address])):
            await stage.pilot.click("#transcript", offset=(6, pane_line(stage, row)))
            await stage.until(lambda: isinstance(stage.app.screen, LinkScreen))
            assert isinstance(stage.app.screen, LinkScreen)
            assert stage.app.screen.address == address
            await stage.press(key)
            await stage.until(lambda: stage.app.screen is stage.browser)
            assert opened == want
