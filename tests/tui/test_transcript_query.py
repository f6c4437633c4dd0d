"""Matches in the transcript pane: always in view, marked where they are, and gone through one by one."""

from __future__ import annotations

import pytest

from hermes_tui.model import Kind
from tests.tui.transcripts import PaneApp, Words, called, is_marked, needle, said, talk


async def test_a_match_broken_by_the_end_of_a_row_is_marked_on_both() -> None:
    text = "word " * 12 + "alpha beta gamma " + "word " * 12
    app = PaneApp([said(1, text)])
    async with app.run_test(size=(70, 24)) as pilot:
        app.open(1, matcher=Words("alpha beta gamma"), hits=(1,))
        await pilot.pause()
        marked = [(y, segment.text) for y, strip in enumerate(app.strips()) for segment in strip if is_marked(segment)]
        assert " ".join(piece.strip() for _, piece in marked) == "alpha beta gamma"
        assert len({y for y, _ in marked}) == 2


@pytest.mark.parametrize(
    "text",
    [
        "x " * 5_000 + "deepneedle",
        "\n".join(f"line {at}" for at in range(3000)) + "\nthe deepneedle line\n" + "more\n" * 3000,
        "x" * 300_000 + "deepneedle" + "y" * 300_000,
        "\x1b[31mred\x1b[0m \t" * 3000 + "deepneedle",
    ],
    ids=["words", "lines", "one word", "codes"],
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


async def test_hits_are_counted_in_the_order_they_were_handed_over_in() -> None:
    messages = talk(200)
    for at in (20, 90, 170):
        messages[at - 1] = said(at, f"walrus number {at}")
    app = PaneApp(messages)
    async with app.run_test(size=(80, 24)) as pilot:
        for number, at in enumerate((170, 20, 90), 1):
            app.open(at, matcher=Words("walrus"), hits=(170, 20, 90))
            await pilot.pause()
            assert (app.moves[-1].hit, app.moves[-1].hits) == (number, 3)
            assert abs(app.line_of(f"walrus number {at}") - 12) <= 1
        await pilot.press("n", "N")
        await pilot.pause()
        assert app.steps == [1, -1]


async def test_the_match_the_reader_was_brought_to_looks_different() -> None:
    app = PaneApp([said(1, "walrus and walrus"), said(2, "walrus")])
    async with app.run_test(size=(80, 24)) as pilot:
        app.open(1, matcher=Words("walrus"), hits=(1, 2))
        await pilot.pause()
        styles = [segment.style for strip in app.strips() for segment in strip if segment.text == "walrus"]
        assert [bool(style and style.bold) for style in styles] == [True, False, False]
        assert all(style and style.underline for style in styles)


async def test_only_the_match_last_brought_to_is_the_current_one() -> None:
    app = PaneApp([said(1, "first walrus"), said(2, "second walrus"), said(3, "end")])
    async with app.run_test(size=(80, 24)) as pilot:

        def current() -> list[int]:
            return [
                y
                for y, strip in enumerate(app.strips())
                for segment in strip
                if segment.text == "walrus" and segment.style and segment.style.bold
            ]

        app.open(1, matcher=Words("walrus"), hits=(1, 2))
        await pilot.pause()
        assert current() == [app.line_of("first walrus")]
        app.open(2, matcher=Words("walrus"), hits=(1, 2))
        await pilot.pause()
        assert current() == [app.line_of("second walrus")]
        await pilot.press("k")
        await pilot.pause()
        assert app.moves[-1].anchor.message_id == 1
        assert current() == [app.line_of("second walrus")]


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
