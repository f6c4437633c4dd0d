"""Stored text is data: shown as it is, never markup, never a control code, never a second line."""

from __future__ import annotations

import sqlite3
import unicodedata
from contextlib import closing
from pathlib import Path

import pytest

from hermes_tui.library import Library
from hermes_tui.recorder import Recorder
from tests.tui.conftest import Stage, staged, tell

TEXTS = [
    "see [/tmp/x]",
    "[INFO] started",
    "list[int] and [a-z]+",
    "[@click=app.quit]press[/]",
    '{"flags": [true, false]}',
]
HOSTILE = "A\x1b[2J\x1b]0;own\x07B\x9b31mC\rD"


def retitle(path: Path, titles: dict[str, str]) -> None:
    """Put titles in as they are, past what the recorder would make of them."""
    with closing(sqlite3.connect(path)) as connection, connection:
        for session_id, title in titles.items():
            connection.execute("UPDATE sessions SET title = ? WHERE id = ?", (title, session_id))


@pytest.fixture
def marked(recorder: Recorder) -> Library:
    """H-MARKUP-1: five conversations whose titles and messages look like markup."""
    for number, text in enumerate(TEXTS):
        recorder.create_session("cli", session_id=f"s{number}")
        tell(recorder, f"s{number}", ("user", text), ("assistant", f"I read {text}"))
    retitle(recorder.path, {f"s{number}": text for number, text in enumerate(TEXTS)})
    return Library.open(recorder.path)


def nothing_hostile(stage: Stage) -> bool:
    """No control code, direction override or lone surrogate is in any cell of the screen."""
    shown = stage.text().replace("\n", "")
    return all(unicodedata.category(char) not in {"Cc", "Cf", "Cs"} for char in shown)


async def test_titles_are_shown_character_by_character(marked: Library) -> None:
    async with staged(marked) as stage:
        for size in ((120, 36), (80, 24), (200, 50)):
            await stage.pilot.resize_terminal(*size)
            assert (len(stage.lines()), stage.app.size.width) == size[::-1]
            for text in TEXTS:
                assert text in stage.text()


async def test_heading_and_transcript_show_brackets(marked: Library) -> None:
    async with staged(marked) as stage:
        for number, text in reversed(list(enumerate(TEXTS))):
            await stage.shown(f"s{number}")
            assert text in stage.text().split("▕")[-1] or f"I read {text}" in stage.text()
            assert stage.browser.heading.name_shown == text
            await stage.press("down")


async def test_snippets_show_brackets(marked: Library) -> None:
    async with staged(marked) as stage:
        await stage.search("started")
        assert any("[INFO] started" in line and "You" in line for line in stage.lines())
        await stage.press("ctrl+u")
        await stage.type("[a-z]+")
        await stage.answered("[a-z]+")
        assert any("list[int] and [a-z]+" in line for line in stage.lines())
        # What is typed is shown as it is in the coverage line, too.
        await stage.press("ctrl+u")
        await stage.type("[/b][red]")
        await stage.answered("[/b][red]")
        assert "no hits" in stage.text()


async def test_clicking_on_something_like_an_action_does_nothing(marked: Library) -> None:
    async with staged(marked) as stage:
        row = next(number for number, line in enumerate(stage.lines()) if TEXTS[3] in line)
        await stage.pilot.click("#list-rows", offset=(stage.lines()[row].index("press"), row - 1))
        await stage.shown("s3")
        assert not stage.app._exit


async def test_the_status_line_shows_brackets(marked: Library) -> None:
    async with staged(marked) as stage:
        await stage.search("read")
        await stage.press("down", *["n"] * 2)
        await stage.until(lambda: "Next conversation: " in stage.status())
        assert any(f"Next conversation: {text}" in stage.lines()[-1] for text in TEXTS)


@pytest.mark.parametrize("size", [(120, 36), (80, 24), (200, 50)])
async def test_no_control_code_reaches_a_cell_and_no_letter_is_lost(recorder: Recorder, size: tuple[int, int]) -> None:
    """H-TERM-1"""
    recorder.create_session("cli", session_id="h")
    tell(recorder, "h", ("user", f"{HOSTILE} needle"))
    retitle(recorder.path, {"h": HOSTILE})
    async with staged(Library.open(recorder.path), size=size) as stage:
        assert nothing_hostile(stage)
        assert any(all(letter in line for letter in "ABCD") for line in stage.lines())
        await stage.search("needle")
        assert nothing_hostile(stage)
        await stage.press("enter")
        await stage.shown("h#1")
        assert nothing_hostile(stage)


async def test_a_title_of_two_lines_takes_one(recorder: Recorder) -> None:
    """H-TERM-2"""
    recorder.create_session("cli", session_id="h")
    tell(recorder, "h", ("user", "hello"))
    retitle(recorder.path, {"h": "line1\nline2\tz"})
    async with staged(Library.open(recorder.path)) as stage:
        assert any("line1 line2 z" in line for line in stage.lines())
        assert stage.browser.sessions.rows.virtual_size.height == 2


async def test_any_session_id_can_be_opened(recorder: Recorder) -> None:
    """H-MARKUP-2"""
    ids = ("20260101_010101_aaaaaa", "cron:job 1", "s-1.2", "#9", "a/b")
    for number, session_id in enumerate(ids):
        recorder.create_session("cli", session_id=session_id, title=f"The one {number}")
        tell(recorder, session_id, ("user", f"hello {number}"))
    async with staged(Library.open(recorder.path)) as stage:
        for number, session_id in reversed(list(enumerate(ids))):
            await stage.press("enter")
            await stage.shown(session_id)
            assert stage.focus == "transcript"
            await stage.until(lambda number=number: f"hello {number}" in stage.text())  # type: ignore[misc]
            await stage.press("escape", "down")


async def test_a_paste_of_many_lines_and_codes_is_one_safe_line(recorder: Recorder) -> None:
    recorder.create_session("cli", session_id="h")
    tell(recorder, "h", ("user", "hello"))
    async with staged(Library.open(recorder.path)) as stage:
        from textual.events import Paste

        await stage.press("slash")
        stage.browser.search.box.post_message(Paste("one\ntwo\x1b[2J\tthree\n"))
        await stage.until(lambda: stage.browser.search.box.value != "")
        assert "\n" not in stage.browser.search.box.value
        assert stage.browser.search.box.value.split() == ["one", "two", "three"]
        assert nothing_hostile(stage)
