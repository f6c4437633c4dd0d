"""The transcript pane: opened on its place, and still while things arrive, at any size."""

from __future__ import annotations

import pytest

from hermes_tui.model import Anchor, Message, Transcript
from tests.tui.transcripts import PaneApp, Words, anchor_at, needle, said, talk, transcript

SIZES = [(80, 24), (120, 36), (200, 50)]


# -- opening


@pytest.mark.parametrize("size", SIZES)
async def test_the_hit_opens_in_the_middle(size: tuple[int, int]) -> None:
    app = PaneApp(needle())
    async with app.run_test(size=size) as pilot:
        app.open(61, matcher=Words("walrus"), hits=(61,))
        await pilot.pause()
        assert abs(app.line_of("walrus") - size[1] // 2) <= 1
        assert app.lines()[app.line_of("walrus")].startswith("▌")
        assert app.moves[-1].anchor.message_id == 61
        assert (app.moves[-1].hit, app.moves[-1].hits) == (1, 1)


@pytest.mark.parametrize("size", SIZES)
async def test_a_place_without_a_query_opens_in_the_middle(size: tuple[int, int]) -> None:
    app = PaneApp(needle())
    async with app.run_test(size=size) as pilot:
        app.open(61)
        await pilot.pause()
        assert abs(app.line_of("walrus") - size[1] // 2) <= 2


async def test_messages_handed_over_later_do_not_move_the_place() -> None:
    app = PaneApp(needle(), deliver=False)
    async with app.run_test(size=(80, 24)) as pilot:
        app.open(61, matcher=Words("walrus"), hits=(61,), seen=lambda number: number == 61)
        await pilot.pause()
        before = app.line_of("walrus")
        assert before == 12
        app.hand_over()
        await pilot.pause()
        assert app.line_of("walrus") == before


async def test_a_place_whose_message_comes_late_ends_in_the_middle() -> None:
    app = PaneApp(needle(), deliver=False)
    async with app.run_test(size=(80, 24)) as pilot:
        app.open(61, matcher=Words("walrus"), hits=(61,))
        await pilot.pause()
        assert app.line_of("walrus") == -1
        assert any(line.endswith("…") for line in app.lines()), "a row that is not here says so"
        app.hand_over()
        await pilot.pause()
        assert app.line_of("walrus") == 12


async def test_without_a_message_the_session_opens_at_its_beginning() -> None:
    messages = [*talk(30), *(said(100 + at, f"second {at}", session_id="s2") for at in range(40))]
    app = PaneApp(messages)
    async with app.run_test(size=(80, 24)) as pilot:
        whole = transcript(messages)

        app.pane.show(whole, messages, Anchor("s2"), None)
        await pilot.pause()
        assert 0 <= app.line_of("second 0") < 8
        app.pane.show(whole, messages, Anchor("s1"), None)
        await pilot.pause()
        assert app.line_of("Question 1:") < 6


async def test_an_empty_conversation_says_so() -> None:
    app = PaneApp()
    async with app.run_test(size=(80, 24)) as pilot:
        app.open()
        await pilot.pause()
        assert app.line_of("No messages.") >= 0
        await pilot.press("j", "k", "pagedown", "pageup", "G", "g", "u", "U", "n", "N", "enter", "r", "y")
        await pilot.pause()
        assert app.copied == []


async def test_a_folded_copy_opens_the_row_that_stands_for_it() -> None:
    app = PaneApp(needle())
    async with app.run_test(size=(80, 24)) as pilot:
        app.pane.show(
            transcript(list(app.messages.values()), stands_for={9061: 61}),
            (),
            anchor_at(9061),
            Words("walrus"),
        )
        await pilot.pause()
        assert app.line_of("walrus") == 12


# -- staying in place


async def test_resizing_keeps_the_hit_in_the_middle() -> None:
    app = PaneApp(needle())
    async with app.run_test(size=(80, 24)) as pilot:
        app.open(61, matcher=Words("walrus"), hits=(61,))
        await pilot.pause()
        for width, height in ((120, 36), (200, 50), (40, 20), (20, 10), (80, 24)):
            await pilot.resize_terminal(width, height)
            await pilot.pause()
            assert abs(app.line_of("walrus") - height // 2) <= 1, (width, height)


async def test_resizing_keeps_the_line_that_is_read() -> None:
    long = said(61, " ".join(f"word{number}" for number in range(900)), "assistant")
    messages = needle()
    messages[60] = long
    app = PaneApp(messages)
    async with app.run_test(size=(80, 24)) as pilot:
        app.open(61)
        await pilot.pause()
        await pilot.press(*["pagedown"] * 2)
        await pilot.pause()
        first = app.lines()[0].split()[1]
        assert first.startswith("word")
        for width in (60, 110, 33, 80):
            await pilot.resize_terminal(width, 24)
            await pilot.pause()
            assert first in app.lines()[0].split(), width


async def test_what_arrives_above_does_not_move_what_is_read() -> None:
    app = PaneApp(needle(), deliver=False)
    async with app.run_test(size=(80, 24)) as pilot:
        app.open(61, matcher=Words("walrus"), hits=(61,), seen=lambda number: 55 <= number <= 90)
        await pilot.pause()
        await pilot.press("pageup")
        await pilot.pause()
        read = [line for line in app.lines() if "point" in line or "Question" in line or "file_" in line]
        assert read, "something is here to read"
        text = read[-1]
        before = app.line_of(text)
        app.hand_over()
        await pilot.pause()
        assert app.line_of(text) == before


async def test_scrolling_up_over_rows_of_unknown_height_is_even() -> None:
    app = PaneApp(needle(200, 150))
    async with app.run_test(size=(80, 24)) as pilot:
        app.open(150)
        await pilot.pause()
        previous = app.lines()
        for _ in range(150):
            app.pane.move(-1)
            await pilot.pause()
            now = app.lines()
            assert [line[1:] for line in now[1:]] == [line[1:] for line in previous[:-1]]
            previous = now


async def test_pages_up_and_down_are_even() -> None:
    app = PaneApp(needle(400, 200))
    async with app.run_test(size=(80, 24)) as pilot:
        app.open(200)
        await pilot.pause()
        there = [line[1:] for line in app.lines()]
        await pilot.press(*["pageup"] * 7, *["pagedown"] * 7)
        await pilot.pause()
        assert [line[1:] for line in app.lines()] == there


async def test_page_down_to_the_end_never_shows_a_blank_window() -> None:
    app = PaneApp(talk(300))
    async with app.run_test(size=(80, 24)) as pilot:
        app.open()
        await pilot.pause()
        for _ in range(400):
            await pilot.press("pagedown")
            await pilot.pause()
            assert sum(bool(line[1:].strip()) for line in app.lines()) > 8
            if app.moves[-1].position == 300:
                break
        assert app.moves[-1].position == 300
        assert app.lines()[-1].strip()


# -- size


def long_outline(count: int) -> tuple[Transcript, dict[int, Message]]:
    messages = {number: said(number, f"row {number}", "assistant") for number in range(1, count + 1)}
    return transcript(list(messages.values())), messages


async def test_twenty_thousand_rows_go_home_and_end() -> None:
    whole, messages = long_outline(20_000)
    app = PaneApp(list(messages.values()))
    async with app.run_test(size=(120, 36)) as pilot:
        app.pane.show(whole, (), anchor_at(10_000), None)
        await pilot.pause()
        assert 14 <= app.line_of("row 10000") <= 22
        await pilot.press("end")
        await pilot.pause()
        assert app.lines()[-1].endswith("row 20000")
        assert app.moves[-1].position == app.moves[-1].total == 20_000
        await pilot.press("home")
        await pilot.pause()
        assert app.line_of("row 1") in (3, 4)
        assert app.moves[-1].position == 1
        asked = {number for ids in app.wanted for number in ids}
        assert not asked, "everything wanted was handed over"


async def test_only_what_is_near_is_wanted() -> None:
    whole, messages = long_outline(20_000)
    app = PaneApp(list(messages.values()), deliver=False)
    async with app.run_test(size=(120, 36)) as pilot:
        app.pane.show(whole, (), anchor_at(10_000), None)
        await pilot.pause()
        wanted = [number for ids in app.wanted for number in ids]
        assert 10_000 in wanted
        assert len(wanted) == len(set(wanted)) < 400
        assert max(abs(number - 10_000) for number in wanted) < 400
        assert 10_000 in app.wanted[0]  # what is in view first, then one portion of what is around it
        assert len(app.wanted) == 2


async def test_what_was_not_handed_over_is_wanted_again() -> None:
    app = PaneApp(talk(300), deliver=False)
    async with app.run_test(size=(80, 24)) as pilot:
        app.open(1)
        await pilot.pause()
        assert 1 in app.wanted[0]
        await pilot.press("end")
        await pilot.pause()
        assert 300 in {number for ids in app.wanted for number in ids}
        app.wanted.clear()
        await pilot.press("home")
        await pilot.pause()
        assert 1 in {number for ids in app.wanted for number in ids}


async def test_a_huge_message_opens_folded_and_unfolds() -> None:
    app = PaneApp([said(1, "go"), said(2, "x" * 5_000_000, "tool", tool_name="dump"), said(3, "after", "assistant")])
    async with app.run_test(size=(80, 40)) as pilot:
        app.open(2)
        await pilot.pause()
        assert app.line_of("more characters (Enter)") > 0
        await pilot.press("enter")
        await pilot.pause()
        assert app.line_of("(Enter)") == -1
        assert app.pane.virtual_size.height > 60_000
        await pilot.press("down", "down", "down", "down", "down")
        await pilot.press("escape")
        await pilot.pause()
        assert app.pane.virtual_size.height < 60
        assert app.line_of("dump") >= 0
