"""What the transcript pane folds, hides and marks, and how it takes in what is new."""

from __future__ import annotations

from datetime import datetime

from hermes_tui.model import Kind, Session, State
from hermes_tui.tui.themes import LIGHT
from tests.tui.transcripts import START, PaneApp, Words, called, needle, said, talk, transcript

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
        assert app.line_of("thought for 3 words (r)") > 0
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
        assert app.line_of("compacted: 3 messages before, 0 kept") > 0
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
        assert app.line_of("compacted: 2 messages before, 0 kept · continued in session Title of s2") > app.line_of(
            "second"
        )


async def test_borders_tell_of_pauses() -> None:
    morning = datetime(2026, 7, 25, 8).timestamp()
    times = (0, 0.1, 5.1, 5.2, 29.2, 29.3, 29.3 + 24 * 9)
    messages = [said(at, f"word {at}", timestamp=morning + 3600 * time) for at, time in enumerate(times, 1)]
    app = PaneApp(messages)
    async with app.run_test(size=(80, 50)) as pilot:
        app.open()
        await pilot.pause()

        def above(number: int) -> str:
            return app.lines()[app.line_of(f"word {number}") - 3]

        assert "5 hours later ──" in above(3)
        assert "later" not in above(2) + above(4)
        assert "July 2026 ──" in above(5)
        assert "later" not in above(5)
        assert "2026 · 9 days later ──" in above(7)


async def test_a_row_without_a_time_hides_no_day_and_no_pause() -> None:
    morning = datetime(2026, 7, 25, 8).timestamp()
    times = (None, 0, None, None, 6, None, 48)
    messages = [
        said(at, f"word {at}", timestamp=None if time is None else morning + 3600 * time)
        for at, time in enumerate(times, 1)
    ]
    app = PaneApp(messages)
    async with app.run_test(size=(80, 50)) as pilot:
        app.open()
        await pilot.pause()
        found = [line for line in app.lines() if "── " in line or "word" in line]
        told = [line.strip("─ ▌▏") for line in found]
        assert told == [
            "word 1",
            "Saturday 25 July 2026",
            *("word 2", "word 3", "word 4"),
            "6 hours later",
            *("word 5", "word 6"),
            "Monday 27 July 2026 · 2 days later",
            "word 7",
        ]


async def test_another_model_is_told_where_sessions_meet_whatever_was_cut() -> None:
    messages = [said(1, "one"), said(2, "two", session_id="s2"), said(3, "three", session_id="s3", copies=2)]
    messages += [said(4, "four", session_id="s2"), said(5, "five", session_id="s3"), said(6, "six", session_id="s4")]
    models = {"s1": "large-1", "s2": "small-2", "s3": "small-2", "s4": None}
    sessions = tuple(Session(id=name, source="cli", model=model) for name, model in models.items())
    app = PaneApp(messages)
    async with app.run_test(size=(80, 50)) as pilot:
        app.open(segments=sessions, compactions=())
        await pilot.pause()
        (line,) = (y for y, line in enumerate(app.lines()) if "model: " in line)
        assert "model: small-2, before that large-1" in app.lines()[line]
        assert app.line_of("one") < line < app.line_of("two")


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
        assert app.lines()[:-1] == before[:-1]
        assert app.lines()[-1].endswith("10 new below (End)")
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


# -- colours


async def test_another_theme_is_painted_at_once() -> None:
    app = PaneApp(needle())
    async with app.run_test(size=(80, 24)) as pilot:
        app.open(61, matcher=Words("walrus"), hits=(61,))
        await pilot.pause()

        def colours() -> set[tuple[object, object]]:
            return {(s.style.color, s.style.bgcolor) for strip in app.strips() for s in strip if s.style}

        dark, lines = colours(), app.lines()
        app.register_theme(LIGHT)
        app.theme = LIGHT.name
        await pilot.pause()
        assert not dark & colours()
        assert app.lines() == lines
