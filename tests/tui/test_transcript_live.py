"""A conversation that is being written while it is read."""

from __future__ import annotations

from pathlib import Path

import pytest

from hermes_tui.library import Library
from hermes_tui.model import Anchor
from hermes_tui.recorder import Recorder
from tests.tui.conftest import NOW, Clock, Stage, staged


@pytest.fixture
def writer(tmp_path: Path) -> Recorder:
    recorder = Recorder(tmp_path / "state.db", clock=Clock(NOW - 86_400))
    recorder.create_session("cli", session_id="s", title="Being written")
    for number in range(40):
        recorder.append("s", ("user", "assistant")[number % 2], f"word {number}")
    return recorder


def text_lines(stage: Stage) -> list[str]:
    """What the transcript shows, but for its last line."""
    pane = stage.browser.transcript
    return [pane.render_line(y).text for y in range(pane.size.height - 1)]


async def grown(stage: Stage, many: int) -> None:
    def there() -> bool:
        outline = stage.browser.transcript.outline
        return outline is not None and len(outline) == many

    stage.browser.look()
    await stage.until(there, f"{many} messages")
    await stage.pilot.pause()


async def test_what_is_written_does_not_move_the_reader_and_is_counted(writer: Recorder) -> None:
    async with staged(Library.open(writer.path), anchor=Anchor("s", 10)) as stage:
        await stage.shown("s#10")
        before = text_lines(stage)
        writer.append("s", "user", "new 1")
        await grown(stage, 41)
        assert text_lines(stage) == before
        assert " 1 new below (End)" in stage.text()
        for number in range(2, 13):
            writer.append("s", "assistant", f"new {number}\n\n" + "more\n\n" * 9)
        await grown(stage, 52)
        assert text_lines(stage) == before
        assert "12 new below (End)" in stage.text()
        await stage.press("end")
        await stage.until(lambda: "new 12" in stage.text())
        assert "new below" not in stage.text()
        await stage.press("pageup", "pageup")
        await stage.pilot.pause()
        assert "new below" not in stage.text(), "what was seen is not new"


async def test_scrolling_down_counts_down(writer: Recorder) -> None:
    async with staged(Library.open(writer.path), anchor=Anchor("s", 30)) as stage:
        await stage.shown("s#30")
        for number in range(12):
            writer.append("s", "assistant", f"new {number}\n\n" + "more\n\n" * 5)
        await grown(stage, 52)
        counts = [stage.browser.transcript.below]
        while stage.browser.transcript.below:
            await stage.press("pagedown")
            await stage.pilot.pause()
            counts.append(stage.browser.transcript.below)
        assert counts[0] == 12
        assert counts == sorted(counts, reverse=True)
        assert len(set(counts)) > 3


async def test_following_keeps_the_end_in_view_until_the_reader_goes_up(writer: Recorder) -> None:
    async with staged(Library.open(writer.path), anchor=Anchor("s", 5)) as stage:
        await stage.shown("s#5")
        await stage.press("w")
        await stage.until(lambda: "following (w)" in stage.text())
        assert "word 39" in stage.text()
        for number in range(3):
            writer.append("s", "assistant", f"new {number}\n\n" + "more\n\n" * 30 + f"the end of {number}")
            await stage.until(lambda number=number: f"the end of {number}" in stage.text(), "what was written")  # type: ignore[misc]
            assert stage.browser.transcript.following
        await stage.press("k", "k")
        await stage.until(lambda: "following" not in stage.text())
        before = text_lines(stage)
        writer.append("s", "user", "not followed")
        await grown(stage, 44)
        assert text_lines(stage) == before
        assert "1 new below (End)" in stage.text()


async def test_a_cursor_that_goes_up_ends_following_while_the_end_is_still_in_view(writer: Recorder) -> None:
    async with staged(Library.open(writer.path), anchor=Anchor("s", 40)) as stage:
        await stage.shown("s#40")
        pane = stage.browser.transcript
        await stage.press("end", "w")
        assert pane.following
        await stage.press("k")
        assert not pane.following
        before = text_lines(stage)
        writer.append("s", "user", "new 1")
        await grown(stage, 41)
        assert text_lines(stage) == before


async def test_following_is_for_one_conversation(writer: Recorder) -> None:
    writer.create_session("cli", session_id="other", title="Another")
    writer.append("other", "user", "hello")
    async with staged(Library.open(writer.path), anchor=Anchor("s")) as stage:
        await stage.shown("s")
        await stage.press("w")
        await stage.until(lambda: stage.browser.transcript.following)
        stage.browser.read(Anchor("other"))
        await stage.shown("other")
        assert not stage.browser.transcript.following


async def test_a_compaction_meanwhile_moves_nobody(writer: Recorder) -> None:
    async with staged(Library.open(writer.path), anchor=Anchor("s", 21)) as stage:
        await stage.shown("s#21")

        def line() -> int:
            return next((y for y, text in enumerate(stage.lines()) if "word 20" in text), -1)

        before = line()
        writer.compact("s", "what was said", keep_last=4)
        await stage.until(lambda: "5 of 41 live" in stage.text())
        await stage.until(lambda: "compacted" in stage.lines()[line() - 1])
        assert line() == before


async def test_what_goes_on_in_another_session_is_named_and_what_the_model_lost_is_marked(writer: Recorder) -> None:
    async with staged(Library.open(writer.path), anchor=Anchor("s", 40), size=(120, 60)) as stage:
        await stage.shown("s#40")

        def signs() -> list[str]:
            pane = stage.browser.transcript
            lines = [pane.render_line(y).text for y in range(pane.size.height)]
            return [line[0] for line in lines if line[2:].startswith("word 3")]

        await stage.until(lambda: len(signs()) == 10)
        assert "┊" not in signs()
        later = writer.split("s", "a summary", keep_last=2)
        writer.set_title(later, "Gone on")
        await stage.until(lambda: stage.browser.heading.name_shown == "Gone on", "the new name")
        await stage.until(lambda: signs()[:8] == ["┊"] * 8, "the signs of what the model does not have")
