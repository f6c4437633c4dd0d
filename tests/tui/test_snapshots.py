"""Pictures of the browser at three sizes. They hold for the versions of Textual and Rich they were taken with."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import replace
from importlib.metadata import version

import pytest
from textual.app import App
from textual.pilot import Pilot

from hermes_tui.history import History, Past, Saved
from hermes_tui.library import Library
from hermes_tui.model import Case
from hermes_tui.recorder import Recorder
from hermes_tui.tui.app import HermesApp
from hermes_tui.tui.picker import FilterPicker
from tests.tui.conftest import HOUR, NOW, Stage, tell

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


def same(
    snap_compare: Compare,
    library: Library,
    size: tuple[int, int],
    play: Play,
    theme: str = "",
    history: History | None = None,
) -> bool:
    """Whether the browser looks as it did when the reader has done what `play` does."""
    app = HermesApp(library, clock=lambda: NOW, rest=None, history=history)

    async def before(pilot: Pilot[None]) -> None:
        assert isinstance(pilot.app, App)
        stage = Stage(pilot, app)
        await stage.until(lambda: stage.browser.reading)
        stage.browser.status.store = "/home/robin/.hermes/state.db"
        if theme:
            app.theme = theme
        await play(stage)
        await stage.settled()

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


async def unfolded(stage: Stage) -> None:
    """Everything, with the runs of a job and a sub-agent shown."""
    await stage.press("a")
    await stage.until(lambda: "nothing hidden" in stage.text())
    rows = stage.browser.sessions.rows
    for session in ("newest", "cron_backup_20260921_020000"):
        rows.go(rows.find((None, session)) or 0)
        await stage.press("right")
    await stage.until(lambda: stage.text().count("└") == 3)
    await stage.until(lambda: stage.browser.reading == session)


async def grouped(stage: Stage) -> None:
    """By source, the first group folded, filters narrowing the list."""
    await stage.press("B", "B", "left")
    await stage.until(lambda: "▸ cli" in stage.text())
    await stage.search("pager -source:discord")
    await stage.until(lambda: "of 8 conversations" in stage.text())
    await counted(stage)


def test_list_unfolded(snap_compare: Compare, busy: Recorder) -> None:
    assert same(snap_compare, Library.open(busy.path), (80, 36), unfolded)


def test_list_grouped_and_narrowed(snap_compare: Compare, busy: Recorder) -> None:
    assert same(snap_compare, Library.open(busy.path), (200, 40), grouped)


def test_help(snap_compare: Compare, library: Library) -> None:
    assert same(snap_compare, library, (120, 36), helped)


# Searching with filters.


@pytest.fixture
def census(house: Recorder) -> Library:
    """The house, and two conversations about walruses, one of them long."""
    house.create_session("telegram", session_id="zoo", title="What the keeper of the zoo had to say about it")
    tell(house, "zoo", ("user", "how many walrus are there"), ("assistant", "I count each walrus by its whiskers."))
    house.create_session("cli", session_id="census", title="Walrus census")
    for ice in range(1, 15):
        tell(house, "census", ("user", f"walrus number {ice} is on the ice"), ("assistant", f"noted walrus {ice}"))
    return Library.open(house.path)


class Remembered(History):
    """Searches that were made at known times."""

    @property
    def past(self) -> tuple[Past, ...]:
        return (
            Past("pager role:user", when=NOW - HOUR),
            Past("whisk.*s", regex=True, when=NOW - 30 * HOUR),
            Past("water the garden with the copper kettle or with whatever else is at hand", when=NOW - 900 * HOUR),
        )

    @property
    def saved(self) -> tuple[Saved, ...]:
        return (Saved("census", "walrus -source:cron", Case.EXACT, reasoning=True, when=NOW - 50 * HOUR),)


async def counted(stage: Stage) -> None:
    """Wait for what each filter hides."""
    await stage.until(lambda: not stage.browser.counting)
    same_time(stage)


async def narrowed(stage: Stage) -> None:
    """A search with a switch and two filters, in conversations of which one is folded."""
    await stage.search("walrus -source:cron role:user,assistant")
    await stage.press("alt+c")
    await stage.until(lambda: stage.browser.answer is not None and stage.browser.answer.mode.case is Case.EXACT)
    await stage.answered("walrus -source:cron role:user,assistant")
    await stage.press("down", "down")
    await stage.shown(str(stage.browser.search.hits.anchor_here))
    await counted(stage)
    stage.browser.notice = None


async def nowhere(stage: Stage) -> None:
    """A search without hits, and what would have some."""
    await stage.search("walrus dinghy source:telegram")
    await stage.until(lambda: stage.browser.ways)
    await counted(stage)


async def nowhere_in_the_list(stage: Stage) -> None:
    """The same, gone down into."""
    await nowhere(stage)
    await stage.press("down", "down")


async def picking(stage: Stage) -> None:
    """The list of filters, narrowed by a word."""
    await stage.search("walrus role:user")
    await counted(stage)
    await stage.settled()  # once it is covered the browser is not painted
    await stage.press("alt+n")
    await stage.until(lambda: isinstance(stage.app.screen, FilterPicker))
    await stage.app.workers.wait_for_complete()


async def recalling(stage: Stage) -> None:
    """The list of searches."""
    await stage.press("ctrl+r", "down")


SIZES = [(120, 36), (80, 24)]


@pytest.mark.parametrize("size", SIZES, ids=["wide", "narrow"])
def test_filters_and_folded_hits(snap_compare: Compare, census: Library, size: tuple[int, int]) -> None:
    assert same(snap_compare, census, size, narrowed)


@pytest.mark.parametrize("play", [nowhere, nowhere_in_the_list], ids=["typing", "inside"])
@pytest.mark.parametrize("size", SIZES, ids=["wide", "narrow"])
def test_ways_out(snap_compare: Compare, census: Library, size: tuple[int, int], play: Play) -> None:
    assert same(snap_compare, census, size, play)


@pytest.mark.parametrize("size", SIZES, ids=["wide", "narrow"])
def test_picker(snap_compare: Compare, census: Library, size: tuple[int, int]) -> None:
    assert same(snap_compare, census, size, picking)


@pytest.mark.parametrize("size", SIZES, ids=["wide", "narrow"])
def test_history(snap_compare: Compare, census: Library, size: tuple[int, int]) -> None:
    assert same(snap_compare, census, size, recalling, history=Remembered.off())
