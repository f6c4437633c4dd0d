"""The row under the cursor with every column."""

from __future__ import annotations

import pytest

from hermes_tui.library import Library
from hermes_tui.model import Anchor
from hermes_tui.recorder import Recorder
from hermes_tui.tui.rawview import RawScreen
from tests.tui.conftest import Stage, staged


async def opened(stage: Stage, anchor: str) -> None:
    await stage.shown(anchor)
    stage.browser.transcript.focus()
    await stage.press("v")
    await stage.until(lambda: isinstance(stage.app.screen, RawScreen), "the raw row")
    await stage.pilot.pause()


@pytest.mark.parametrize("size", [(80, 24), (120, 36)])
async def test_every_column_can_be_reached_and_escape_closes_it(recorder: Recorder, size: tuple[int, int]) -> None:
    session = recorder.create_session("cli", session_id="s", title="One")
    long = "\n".join(f"line {at} of many" for at in range(500)) + "\nthe very end"
    message = recorder.append(session, "user", long)
    library = Library.open(recorder.path)
    names = list(library.row(message))
    async with staged(library, size=size, anchor=Anchor("s", message)) as stage:
        await opened(stage, f"s#{message}")
        assert f"Message {message} as it is stored" in stage.text()
        assert f"{len(names)} columns" in stage.text()
        seen = stage.text()
        row = stage.app.screen.query_one("#raw-row")
        while row.scroll_y < row.max_scroll_y:
            await stage.press("pagedown")
            await stage.pilot.pause()
            seen += stage.text()
        assert all(name[:24] in seen for name in names)
        assert all(f"line {at} of many" in seen for at in range(500))
        assert "the very end" in seen
        assert "…" not in seen
        await stage.press("escape")
        await stage.pilot.pause()
        assert stage.app.screen is stage.browser
        assert stage.focus == "transcript"


async def test_resizing_keeps_what_is_read(recorder: Recorder) -> None:
    session = recorder.create_session("cli", session_id="s", title="One")
    message = recorder.append(session, "user", "\n".join(f"line {at} {'of many words ' * 9}" for at in range(500)))
    async with staged(Library.open(recorder.path), size=(120, 36), anchor=Anchor("s", message)) as stage:
        await opened(stage, f"s#{message}")
        for _ in range(9):
            await stage.press("pagedown")
        await stage.pilot.pause()
        row = stage.app.screen.query_one("#raw-row")
        top = stage.lines()[row.region.y].split("line ")[-1].split()[0]
        await stage.pilot.resize_terminal(80, 24)
        await stage.pilot.pause()
        assert f"line {top} " in "\n".join(stage.lines()[row.region.y : row.region.y + 3])


async def test_a_row_that_is_gone_is_told_of(recorder: Recorder) -> None:
    session = recorder.create_session("cli", session_id="s", title="One")
    message = recorder.append(session, "user", "soon gone")
    async with staged(Library.open(recorder.path), anchor=Anchor("s", message)) as stage:
        await stage.shown(f"s#{message}")
        stage.browser.transcript.focus()
        recorder.delete_session("s")
        await stage.press("v")
        await stage.until(lambda: "not in the store any more" in stage.status(), "the sentence")
