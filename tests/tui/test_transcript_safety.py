"""Whatever was stored, the transcript pane shows it as text and nothing else."""

from __future__ import annotations

from hermes_tui.model import Kind
from tests.tui.transcripts import PaneApp, Words, anchor_at, called, outline, said, talk, transcript


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
        app.pane.show(transcript(messages), messages, anchor_at(1), Words("B"))
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
