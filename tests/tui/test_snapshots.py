"""Pictures of the browser at three sizes. They hold for the versions of Textual and Rich they were taken with."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import replace
from importlib.metadata import version

import pytest
from textual.app import App
from textual.pilot import Pilot

from hermes_tui.library import Library
from hermes_tui.tui.app import HermesApp
from tests.tui.conftest import NOW, Stage

pytestmark = pytest.mark.skipif(
    (version("textual"), version("rich").split(".")[0]) != ("8.2.8", "15"), reason="pictures of other versions"
)
Play = Callable[[Stage], Awaitable[None]]
Compare = Callable[..., bool]


@pytest.fixture(autouse=True)
def _in_utc(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    if not hasattr(time, "tzset"):
        pytest.skip("the time zone cannot be set here")
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


def same(snap_compare: Compare, library: Library, size: tuple[int, int], play: Play, theme: str = "") -> bool:
    """Whether the browser looks as it did when the reader has done what `play` does."""
    app = HermesApp(library, clock=lambda: NOW, rest=None)

    async def before(pilot: Pilot[None]) -> None:
        assert isinstance(pilot.app, App)
        stage = Stage(pilot, app)
        await stage.until(lambda: stage.browser.reading == "newest")
        stage.browser.status.store = "/home/robin/.hermes/state.db"
        if theme:
            app.theme = theme
        await play(stage)
        await pilot.pause()

    try:
        return snap_compare(app, terminal_size=size, run_before=before)
    finally:
        library.close()


def same_time(stage: Stage) -> None:
    """Let the answer have taken as long as it did in the picture."""
    assert stage.browser.answer is not None
    stage.browser.answer = replace(stage.browser.answer, elapsed_ms=20.0)


async def nothing(stage: Stage) -> None:
    """The first screen."""


async def found(stage: Stage) -> None:
    """A search, the second hit highlighted."""
    await stage.search("pager")
    await stage.press("down", "down")
    await stage.shown(str(stage.browser.search.hits.anchor_here))
    same_time(stage)


async def read(stage: Stage) -> None:
    """A hit, opened."""
    await stage.search("kettle")
    await stage.press("enter")
    await stage.shown("garden#2")
    same_time(stage)


async def helped(stage: Stage) -> None:
    """The help screen."""
    await stage.press("question_mark")


def test_first_screen(snap_compare: Compare, library: Library) -> None:
    assert same(snap_compare, library, (120, 36), nothing)


def test_first_screen_narrow(snap_compare: Compare, library: Library) -> None:
    assert same(snap_compare, library, (80, 24), nothing)


def test_search_wide(snap_compare: Compare, library: Library) -> None:
    assert same(snap_compare, library, (200, 50), found)


def test_search_in_the_light(snap_compare: Compare, library: Library) -> None:
    assert same(snap_compare, library, (120, 36), found, "hermes-light")


def test_search_narrow(snap_compare: Compare, library: Library) -> None:
    assert same(snap_compare, library, (80, 24), found)


def test_reading_narrow(snap_compare: Compare, library: Library) -> None:
    assert same(snap_compare, library, (80, 24), read)


def test_help(snap_compare: Compare, library: Library) -> None:
    assert same(snap_compare, library, (120, 36), helped)
