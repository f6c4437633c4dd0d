"""The scrollbar of the transcript: painted when it looks different, and right whenever it is looked at."""

from __future__ import annotations

from itertools import pairwise

from hermes_tui.tui.steadybar import SteadyBar
from tests.tui.transcripts import PaneApp, talk


async def test_it_is_painted_again_only_when_it_looks_different() -> None:
    app = PaneApp(talk(2000))
    async with app.run_test(size=(80, 24)) as pilot:
        app.open(1000)
        await pilot.pause()
        bar = app.pane.vertical_scrollbar
        painted: list[object] = []
        kept = bar.render
        bar.render = lambda: painted.append(bar.position) or kept()  # type: ignore[func-returns-value, method-assign]

        def look() -> list[str]:
            return [repr(bar.render_line(y)) for y in range(bar.size.height)]

        looks, paintings = [look()], 0
        for lines in (*[1] * 60, app.pane.heights.total // 3):
            painted.clear()
            app.pane.move(lines)
            await pilot.pause()
            paintings += bool(painted)
            looks.append(look())
        changes = sum(one != other for one, other in pairwise(looks))
        assert 0 < changes < 10, "sixty lines of thousands move it by a few eighths of a cell"
        assert paintings == changes
        assert looks[-1] != looks[-2]


async def test_what_is_on_screen_is_what_would_be_painted_now() -> None:
    app = PaneApp(talk(200))
    async with app.run_test(size=(80, 24)) as pilot:
        app.open(1)
        await pilot.pause()
        bar = app.pane.vertical_scrollbar
        assert isinstance(bar, SteadyBar)
        for key in ("pagedown", "pagedown", "end", "k", "k", "home", "u", "u"):
            await pilot.press(key)
            await pilot.pause()
            shown = [repr(bar.render_line(y)) for y in range(bar.size.height)]
            bar._shape = ()
            bar.refresh()
            assert shown == [repr(bar.render_line(y)) for y in range(bar.size.height)], key
