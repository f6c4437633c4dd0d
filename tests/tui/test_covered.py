"""A screen that another one covers does not repaint it: Textual 8.2 would go on doing so for as long as both stand."""

from __future__ import annotations

import pytest
from textual.screen import Screen

from hermes_tui.library import Library
from hermes_tui.tui.app import HermesApp


@pytest.mark.parametrize("key", ["question_mark", "ctrl+p"])
async def test_help_and_palette_stand_still_over_a_browser_that_changes(
    library: Library, key: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    painted: list[Screen[object]] = []
    paint = Screen._compositor_refresh

    def noted(screen: Screen[object]) -> None:
        painted.append(screen)
        paint(screen)

    app = HermesApp(library)
    async with app.run_test() as pilot:
        await pilot.pause()
        await pilot.press(key)
        await pilot.pause()
        assert app.screen is not app.browser
        monkeypatch.setattr(Screen, "_compositor_refresh", noted)
        for _ in range(5):
            app.browser.refresh()
            await pilot.pause()
        assert app.browser not in painted
