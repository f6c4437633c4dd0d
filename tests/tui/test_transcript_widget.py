"""The transcript pane: centred on its place, still while things arrive, and never showing data as anything but text."""

from __future__ import annotations

import pytest
from rich.segment import Segment
from textual.events import MouseScrollDown, MouseScrollUp

from hermes_tui.model import Anchor, Kind, Message, State, Transcript
from tests.tui.transcripts import START, PaneApp, Words, called, outline, said, talk, transcript

SIZES = [(80, 24), (120, 36), (200, 50)]


def needle(count: int = 120, at: int = 61, text: str = "here is the walrus you look for") -> list[Message]:
    """A long talk with one message that holds a word no other has."""
    messages = talk(count)
    messages[at - 1] = said(at, text)
    return messages


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
            app_anchor(9061),
            Words("walrus"),
        )
        await pilot.pause()
        assert app.line_of("walrus") == 12


def app_anchor(message_id: int | None, session_id: str = "s1") -> Anchor:

    return Anchor(session_id, message_id)


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
        app.pane.show(whole, (), app_anchor(10_000), None)
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
        app.pane.show(whole, (), app_anchor(10_000), None)
        await pilot.pause()
        wanted = [number for ids in app.wanted for number in ids]
        assert 10_000 in wanted
        assert len(wanted) == len(set(wanted)) < 400
        assert max(abs(number - 10_000) for number in wanted) < 400
        assert len(app.wanted) == 1


async def test_what_was_not_handed_over_is_wanted_again() -> None:
    app = PaneApp(talk(300), deliver=False)
    async with app.run_test(size=(80, 24)) as pilot:
        app.open(150)
        await pilot.pause()
        first = set(app.wanted[0])
        await pilot.press("end")
        await pilot.pause()
        app.wanted.clear()
        app.open(150)
        await pilot.pause()
        assert first & {number for ids in app.wanted for number in ids}


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


# -- the query


async def test_a_match_broken_by_the_end_of_a_row_is_marked_on_both() -> None:
    text = "word " * 12 + "alpha beta gamma " + "word " * 12
    app = PaneApp([said(1, text)])
    async with app.run_test(size=(70, 24)) as pilot:
        app.open(1, matcher=Words("alpha beta gamma"), hits=(1,))
        await pilot.pause()
        marked = [(y, segment.text) for y, strip in enumerate(app.strips()) for segment in strip if is_marked(segment)]
        assert " ".join(piece.strip() for _, piece in marked) == "alpha beta gamma"
        assert len({y for y, _ in marked}) == 2


def is_marked(segment: Segment) -> bool:
    return bool(segment.style and segment.style.underline and segment.style.bgcolor)


@pytest.mark.parametrize(
    "text",
    [
        "x " * 5_000 + "deepneedle",
        "\n".join(f"line {at}" for at in range(3000)) + "\nthe deepneedle line\n" + "more\n" * 3000,
        "x" * 300_000 + "deepneedle" + "y" * 300_000,
        "\x1b[31mred\x1b[0m \t" * 3000 + "deepneedle",
    ],
)
@pytest.mark.parametrize("role", ["tool", "assistant"])
async def test_a_hit_past_the_fold_is_shown(text: str, role: str) -> None:
    app = PaneApp([*talk(20), said(21, text, role, tool_name="read_file"), *talk(20, first=22)])
    async with app.run_test(size=(80, 24)) as pilot:
        app.open(21, matcher=Words("deepneedle"), hits=(21,))
        await pilot.pause()
        shown = "".join(segment.text for strip in app.strips() for segment in strip if is_marked(segment))
        assert shown == "deepneedle"
        rows = [y for y, strip in enumerate(app.strips()) if any(map(is_marked, strip))]
        assert abs(rows[0] - 12) <= 1
        await pilot.press(*["up"] * 6)
        await pilot.press("enter")
        await pilot.pause()


async def test_what_is_left_out_above_a_hit_is_said() -> None:
    app = PaneApp([said(1, "\n".join(f"line {at}" for at in range(500)), "tool")])
    async with app.run_test(size=(80, 60)) as pilot:
        app.open(1, matcher=Words("line 400"), hits=(1,))
        await pilot.pause()
        above = app.line_of("lines above")
        assert above >= 0
        first = int(app.lines()[above + 1].split()[-1])
        assert app.lines()[above].split("…")[1].split()[0] == str(first)
        more = app.line_of("more lines (Enter)")
        last = int(app.lines()[more - 1].split()[-1])
        assert app.lines()[more].split("…")[1].split()[0] == str(499 - last)


async def test_a_hit_in_a_tool_argument_opens_the_card() -> None:
    arguments = (
        "path: src/app.py\ncontent:\n" + "\n".join(f"row {at}" for at in range(400)) + "\nthe deepneedle is here"
    )
    app = PaneApp([*talk(8), called(9, "write_file", arguments), *talk(8, first=10)])
    async with app.run_test(size=(80, 24)) as pilot:
        app.open(9)
        await pilot.pause()
        assert app.line_of("deepneedle") == -1
        app.open(9, matcher=Words("deepneedle"), hits=(9,))
        await pilot.pause()
        assert abs(app.line_of("deepneedle") - 12) <= 1


async def test_a_hit_in_the_reasoning_or_a_summary_opens_it() -> None:
    thought = said(3, "fine", "assistant", reasoning="first\nthe walrus thought\nlast")
    summary = said(5, "[CONTEXT]\nthe walrus story", kind=Kind.SUMMARY)
    app = PaneApp([said(1, "a"), thought, summary])
    async with app.run_test(size=(80, 24)) as pilot:
        app.open(1)
        await pilot.pause()
        assert app.line_of("walrus") == -1
        app.pane.set_matcher(Words("walrus"), (3, 5))
        await pilot.pause()
        assert app.line_of("the walrus thought") > 0
        assert app.line_of("the walrus story") > 0


async def test_next_and_previous_hit_go_round_the_hits_and_say_when_they_are_used_up() -> None:
    messages = talk(200)
    for at in (20, 90, 170):
        messages[at - 1] = said(at, f"walrus number {at}")
    app = PaneApp(messages)
    async with app.run_test(size=(80, 24)) as pilot:
        app.open(90, matcher=Words("walrus"), hits=(170, 20, 90))
        await pilot.pause()
        assert (app.moves[-1].hit, app.moves[-1].hits) == (2, 3)
        await pilot.press("n")
        await pilot.pause()
        assert app.moves[-1].anchor.message_id == 170
        assert abs(app.line_of("walrus number 170") - 12) <= 1
        await pilot.press("n")
        await pilot.pause()
        assert app.exhausted == [1]
        await pilot.press("N", "N", "N")
        await pilot.pause()
        assert app.moves[-1].anchor.message_id == 20
        assert app.exhausted == [1, -1]


async def test_the_match_the_reader_was_brought_to_looks_different() -> None:
    app = PaneApp([said(1, "walrus and walrus"), said(2, "walrus")])
    async with app.run_test(size=(80, 24)) as pilot:
        app.open(1, matcher=Words("walrus"), hits=(1, 2))
        await pilot.pause()
        styles = [segment.style for strip in app.strips() for segment in strip if segment.text == "walrus"]
        assert [bool(style and style.bold) for style in styles] == [True, False, False]
        assert all(style and style.underline for style in styles)


async def test_marks_go_when_the_query_goes() -> None:
    app = PaneApp(needle())
    async with app.run_test(size=(80, 24)) as pilot:
        app.open(61, matcher=Words("walrus"), hits=(61,))
        await pilot.pause()
        where = app.line_of("walrus")
        app.pane.set_matcher(None, ())
        await pilot.pause()
        assert app.line_of("walrus") == where
        assert not any(is_marked(segment) for strip in app.strips() for segment in strip)
        await pilot.press("n")
        await pilot.pause()
        assert app.exhausted == [1]


# -- moving


async def test_every_message_can_be_reached_line_by_line() -> None:
    messages = talk(60)
    messages[29] = said(30, "\n".join(f"tall {at}" for at in range(90)), "assistant")
    app = PaneApp(messages)
    async with app.run_test(size=(80, 24)) as pilot:
        app.open()
        await pilot.pause()
        seen: set[str] = set()
        reached: list[int] = []
        for _ in range(300):
            seen.update(app.lines())
            if not reached or reached[-1] != app.moves[-1].position:
                reached.append(app.moves[-1].position)
            await pilot.press("j")
            await pilot.pause()
        assert reached == list(range(1, 61))
        assert sum("tall" in line for line in seen) >= 90
        for _ in range(300):
            await pilot.press("k")
            await pilot.pause()
            if reached[-1] != app.moves[-1].position:
                reached.append(app.moves[-1].position)
        assert reached == [*range(1, 61), *range(59, 0, -1)]
        assert app.pane.scroll_y == 0


async def test_the_message_under_the_cursor_is_shown_whole_when_it_fits() -> None:
    app = PaneApp(talk(100))
    async with app.run_test(size=(80, 36)) as pilot:
        app.open()
        await pilot.pause()
        for key in ["j"] * 60 + ["k"] * 40:
            await pilot.press(key)
            await pilot.pause()
            pane = app.pane
            begin = pane.heights.before(pane.cursor)
            assert pane.top <= begin
            assert begin + pane.heights[pane.cursor] <= pane.top + pane.window


async def test_user_turns() -> None:
    app = PaneApp(talk(200))
    async with app.run_test(size=(80, 24)) as pilot:
        app.open(100)
        await pilot.pause()
        await pilot.press("u")
        await pilot.pause()
        assert app.moves[-1].anchor.message_id == 101
        assert app.line_of("Question 101:") in range(1, 6)
        await pilot.press("u", "u", "U")
        await pilot.pause()
        assert app.moves[-1].anchor.message_id == 105
        await pilot.press("home", "U")
        await pilot.pause()
        assert app.moves[-1].anchor.message_id == 1


async def test_the_wheel_scrolls_and_the_cursor_stays_in_view() -> None:
    app = PaneApp(talk(200))
    async with app.run_test(size=(80, 24)) as pilot:
        app.open(100)
        await pilot.pause()
        for _ in range(40):
            notch(app, 1)
        await pilot.pause()
        assert app.pane.cursor in app.pane.in_window()
        assert app.moves[-1].position > 100
        for _ in range(200):
            notch(app, -1)
        await pilot.pause()
        assert app.pane.cursor in app.pane.in_window()
        assert app.moves[-1].position < 60


def notch(app: PaneApp, direction: int) -> None:
    """One notch of the wheel."""
    if direction > 0:
        app.pane.post_message(MouseScrollDown(app.pane, 5, 5, 0, 1, 0, False, False, False))
    else:
        app.pane.post_message(MouseScrollUp(app.pane, 5, 5, 0, -1, 0, False, False, False))


async def test_dragging_the_scrollbar_lands_on_whole_lines() -> None:
    app = PaneApp(talk(400))
    async with app.run_test(size=(80, 24)) as pilot:
        app.open()
        await pilot.pause()
        for share in (0.5, 0.9, 0.1, 1.0, 0.0):
            app.pane.scroll_to(y=round(app.pane.max_scroll_y * share), animate=False, force=True)
            await pilot.pause()
            assert app.pane.cursor in app.pane.in_window()
            assert sum(bool(line[1:].strip()) for line in app.lines()) > 8
        assert app.pane.scroll_y == 0


async def test_a_click_places_the_cursor() -> None:
    app = PaneApp(needle())
    async with app.run_test(size=(80, 24)) as pilot:
        app.open(61)
        await pilot.pause()
        line = app.line_of("point 2 of the answer")
        await pilot.click("#transcript", offset=(10, line))
        await pilot.pause()
        assert app.lines()[line].startswith("▌")


async def test_a_click_on_the_fold_unfolds() -> None:
    app = PaneApp([said(1, "\n".join(f"line {at}" for at in range(60)), "tool")])
    async with app.run_test(size=(80, 40)) as pilot:
        app.open(1)
        await pilot.pause()
        await pilot.click("#transcript", offset=(10, app.line_of("more lines (Enter)")))
        await pilot.pause()
        assert app.line_of("line 30") > 0


# -- folds and lenses


async def test_enter_unfolds_and_escape_folds_else_goes_on() -> None:
    app = PaneApp([said(1, "q"), called(2, "terminal", "command: ls\ntimeout: 3"), said(3, "after")])
    async with app.run_test(size=(80, 24)) as pilot:
        escaped: list[str] = []
        app.action_escaped = lambda: escaped.append("yes")  # type: ignore[attr-defined]
        app.bind("escape", "escaped")
        app.open(2)
        await pilot.pause()
        app.pane.focus()
        assert app.line_of("timeout: 3") == -1
        await pilot.press("enter")
        await pilot.pause()
        assert app.line_of("timeout: 3") > 0
        await pilot.press("escape")
        await pilot.pause()
        assert app.line_of("timeout: 3") == -1
        assert escaped == []
        await pilot.press("escape")
        await pilot.pause()
        assert escaped == ["yes"]


async def test_unfolding_keeps_the_header_where_it_is() -> None:
    messages = needle()
    messages[62] = said(63, "\n".join(f"line {at}" for at in range(400)), "tool", tool_name="terminal")
    app = PaneApp(messages)
    async with app.run_test(size=(80, 24)) as pilot:
        app.open(61)
        await pilot.pause()
        await pilot.press("j", "j")
        await pilot.pause()
        where = app.line_of("400 lines")
        assert where >= 0
        await pilot.press("enter")
        await pilot.pause()
        assert app.line_of("400 lines") == where
        await pilot.press("enter")
        await pilot.pause()
        assert app.line_of("400 lines") == where


async def test_rewound_rows_are_hidden_until_asked_for_and_then_marked() -> None:
    messages = needle()
    messages[59] = said(60, "secret undo walrus", state=State.REWOUND)
    app = PaneApp(messages)
    async with app.run_test(size=(80, 24)) as pilot:
        app.open(61)
        await pilot.pause()
        where = app.line_of("here is the walrus")
        assert app.line_of("secret undo") == -1
        assert app.moves[-1].total == 119
        app.pane.action_toggle_rewound()
        await pilot.pause()
        line = app.line_of("secret undo")
        assert line >= 0
        assert app.lines()[line].startswith("×")
        assert any("rewound" in text for text in app.lines()[line - 2 : line])
        assert app.line_of("here is the walrus") == where
        assert app.moves[-1].total == 120
        app.pane.action_toggle_rewound()
        await pilot.pause()
        assert app.line_of("secret undo") == -1
        assert app.line_of("here is the walrus") == where


async def test_a_rewound_row_is_shown_when_it_is_the_place_asked_for() -> None:
    messages = needle()
    messages[59] = said(60, "secret undo walrus", state=State.REWOUND)
    app = PaneApp(messages)
    async with app.run_test(size=(80, 24)) as pilot:
        app.open(60, matcher=Words("undo"), hits=(60,))
        await pilot.pause()
        assert app.line_of("secret undo") == 12


async def test_hidden_scaffolding_is_not_shown() -> None:
    app = PaneApp([said(1, "a"), said(2, "scaffold", kind=Kind.HIDDEN), said(3, "b")])
    async with app.run_test(size=(80, 24)) as pilot:
        app.open()
        await pilot.pause()
        assert app.line_of("scaffold") == -1
        assert app.moves[-1].total == 2


async def test_reasoning_toggles() -> None:
    app = PaneApp([said(1, "a"), said(2, "b", "assistant", reasoning="one thought\nanother")])
    async with app.run_test(size=(80, 24)) as pilot:
        app.open()
        await pilot.pause()
        assert app.line_of("reasoning  2 lines") > 0
        assert app.line_of("one thought") == -1
        app.pane.focus()
        await pilot.press("r")
        await pilot.pause()
        assert app.line_of("one thought") > 0
        await pilot.press("r")
        await pilot.pause()
        assert app.line_of("one thought") == -1


async def test_compacted_rows_bear_the_word_and_a_gutter_and_the_border_counts_them() -> None:
    messages = [said(at, f"old {at}", state=State.COMPACTED) for at in range(1, 4)] + [said(4, "new")]
    app = PaneApp(messages)
    async with app.run_test(size=(80, 30)) as pilot:
        app.open(4)
        await pilot.pause()
        for at in range(1, 4):
            line = app.line_of(f"old {at}")
            assert app.lines()[line].startswith("┊")
            assert "compacted" in app.lines()[line - 1]
        assert app.line_of("3 messages above were compacted") > 0
        assert "compacted" not in app.lines()[app.line_of("new") - 1]


async def test_borders_tell_of_days_and_of_the_session_that_goes_on() -> None:
    messages = [
        said(1, "first"),
        said(2, "second", timestamp=START + 86_400),
        said(3, "third", session_id="s2", timestamp=None),
    ]
    app = PaneApp(messages)
    async with app.run_test(size=(80, 30)) as pilot:
        app.open()
        await pilot.pause()
        lines = app.lines()
        assert "July 2026 ──" in lines[0]
        days = [line for line in lines if "July 2026 ──" in line]
        assert len(set(days)) == 2
        assert app.line_of("continued in Title of s2, compacted: 2 messages") > app.line_of("second")


# -- growing


async def test_new_rows_at_the_end_do_not_move_the_reader() -> None:
    messages = needle()
    app = PaneApp(messages)
    async with app.run_test(size=(80, 24)) as pilot:
        app.open(61)
        await pilot.pause()
        before = app.lines()
        for message in talk(10, first=121):
            app.messages[message.id] = message
        app.pane.renew(transcript(list(app.messages.values())))
        await pilot.pause()
        assert app.lines() == before
        assert app.moves[-1].total == 130
        await pilot.press("end")
        await pilot.pause()
        assert app.moves[-1].anchor.message_id == 130


async def test_a_row_that_changed_is_read_again_and_shown_meanwhile() -> None:
    messages = needle()
    app = PaneApp(messages, deliver=False)
    async with app.run_test(size=(80, 24)) as pilot:
        app.open(61, seen=lambda _: True)
        await pilot.pause()
        app.messages[61] = said(61, "here is the walrus you look for, and it grew", state=State.COMPACTED)
        app.pane.renew(transcript(list(app.messages.values())))
        await pilot.pause()
        assert app.wanted[-1] == (61,)
        assert app.line_of("walrus") >= 0
        app.hand_over()
        await pilot.pause()
        assert app.line_of("it grew") >= 0
        assert "compacted" in app.lines()[app.line_of("it grew") - 1]


# -- safety


async def test_text_that_looks_like_markup_is_text() -> None:
    hostile = "see [/tmp/x] list[int] [@click=app.quit]press[/] [red]r[/red] [1,2]"
    messages = [
        said(1, hostile),
        said(
            2,
            hostile,
            "assistant",
            reasoning=hostile,
            tool_calls=called(9, "[/b]tool", f"command: {hostile}").tool_calls,
        ),
        said(3, hostile, "tool", tool_name="[@click=app.quit]name[/]"),
        said(4, hostile, kind=Kind.NOTICE),
    ]
    app = PaneApp(messages)
    async with app.run_test(size=(160, 40)) as pilot:
        app.open(1, matcher=Words("[/b]"), hits=(2,))
        app.pane.reasoning = True
        await pilot.pause()
        assert sum(hostile in line for line in app.lines()) == 6
        assert app.line_of("[/b]tool") > 0
        assert app.line_of("[@click=app.quit]name[/]") > 0
        await pilot.click(
            "#transcript", offset=(app.lines()[app.line_of("press")].index("press"), app.line_of("press"))
        )
        await pilot.pause()
        assert app.is_running
        assert not any(segment.style and segment.style.meta for strip in app.strips() for segment in strip)


async def test_no_control_code_of_the_data_reaches_a_strip() -> None:
    evil = "A\x1b[2J\x1b]0;own\x07B\x9b31mC\rD \x1b]52;c;eA==\x1b\\ \u202eE\u2066 \ud800 \x00\x7f\tF"
    messages = [
        said(1, evil),
        said(2, evil, "assistant", reasoning=evil, tool_calls=called(9, evil, f"command: {evil}").tool_calls),
        said(3, evil, "tool", tool_name=evil),
        said(4, evil, evil),
        said(5, evil, kind=Kind.NOTICE, display_kind=evil),
        said(6, evil, session_id=evil),
    ]
    app = PaneApp(messages)
    async with app.run_test(size=(100, 60)) as pilot:
        app.pane.show(transcript(messages), messages, app_anchor(1), Words("B"))
        app.pane.reasoning = True
        for number in range(1, 7):
            app.pane.unfolded.add(number)
        app.pane.put_back()
        await pilot.pause()
        shown = "\n".join(strip.text for strip in app.strips())
        assert not [
            c for c in shown if (ord(c) < 32 and c != "\n") or 0x7F <= ord(c) < 0xA0 or c in "\u202e\u2066\ud800"
        ]
        for letter in "ABCDEF":
            assert shown.count(letter) >= 6


async def test_every_line_fills_the_width_at_any_width() -> None:
    wide = said(3, "漢字 and かな " * 30 + "🚀" * 90, "assistant")
    odd = said(4, "e\u0301" * 100 + "\u200d\ufe0f" * 9, "tool", tool_name="名前" * 30)
    app = PaneApp([*talk(2), wide, odd, *talk(9, first=5)])
    async with app.run_test(size=(80, 40)) as pilot:
        app.open(3)
        for width in (20, 21, 33, 57, 80, 140, 200):
            await pilot.resize_terminal(width, 40)
            await pilot.pause()
            for strip in app.strips():
                assert strip.cell_length == app.pane.room
                assert sum(segment.cell_length for segment in strip) == app.pane.room


async def test_the_copied_text_is_what_was_stored() -> None:
    stored = "tab\there, \x1b[31mred\x1b[0m, " + "long " * 100
    app = PaneApp([said(1, stored), called(2, "terminal", "command: ls -la")])
    async with app.run_test(size=(40, 24)) as pilot:
        app.open(1)
        await pilot.pause()
        app.pane.focus()
        await pilot.press("y")
        await pilot.press("j", "y")
        await pilot.pause()
        assert app.copied == [stored, "terminal\ncommand: ls -la"]


def test_the_outline_of_the_tests_is_in_the_shape_of_the_store() -> None:
    rows = outline(talk(8))
    assert [row.role for row in rows[:4]] == ["user", "assistant", "tool", "assistant"]
