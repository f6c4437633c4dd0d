"""A small store written by the recorder, and the browser run over it without a terminal."""

from __future__ import annotations

import shutil
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from textual import events
from textual.keys import _character_to_key, key_to_character
from textual.pilot import Pilot

from hermes_tui.history import History
from hermes_tui.library import Library, Stores
from hermes_tui.model import Anchor
from hermes_tui.recorder import Recorder
from hermes_tui.tui import asking, seeking
from hermes_tui.tui.app import HermesApp
from hermes_tui.tui.browser import Browser
from tests.tui.pace import next_turn, quick

NOW = 1_790_000_000.0
HOUR = 3600.0
PATIENCE = 20.0
"""Seconds after which what a test waits for is taken not to come."""
PATIENT = frozenset({"standing", "again"})
"""Groups of workers that wait for time to go by, not for an answer."""


@pytest.fixture(scope="session", autouse=True)
def _quick() -> Iterator[None]:
    """Nobody waits for a browser that has nothing to do."""
    with quick():
        yield


@pytest.fixture(autouse=True)
def _cheap(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is taken to be costly, and done less often, because the machine is busy."""
    monkeypatch.setattr(seeking, "CHEAP", float("inf"))
    monkeypatch.setattr(asking, "POLITE", 0)


class Stage:
    """The browser while a test plays the reader."""

    def __init__(self, pilot: Pilot[None], app: HermesApp) -> None:
        self.pilot = pilot
        self.app = app

    @property
    def browser(self) -> Browser:
        return self.app.browser

    @property
    def focus(self) -> str | None:
        """The id of the widget that has the focus."""
        focused = self.app.screen.focused
        return None if focused is None else focused.id

    def lines(self) -> list[str]:
        """What is on the screen, line by line."""
        return [strip.text.rstrip() for strip in self.app.screen._compositor.render_strips()]

    def text(self) -> str:
        return "\n".join(self.lines())

    def hits(self) -> list[Anchor]:
        """The places of the hits, from top to bottom."""
        rows = self.browser.search.hits
        return [anchor for row in range(rows.count) if (anchor := rows.anchor_at(row)) is not None]

    def status(self) -> str:
        notice = self.browser.notice
        return "" if notice is None else notice.sentence

    async def press(self, *keys: str) -> None:
        await self.pilot.press(*keys)

    async def type(self, text: str) -> None:
        """Type into what has the focus, a key for each character."""
        names = {" ": "space", "/": "slash", "?": "question_mark"}
        await self.pilot.press(*(names.get(char, char) for char in text))

    def burst(self, *keys: str) -> None:
        """Keys, or characters for the keys that make them, that arrive all at once: nothing happens in between."""
        for key in keys:
            name = _character_to_key(key) if len(key) == 1 and not key.isalnum() else key
            self.app.post_message(
                events.Key(name, key if len(key) == 1 else key_to_character(key) or {"slash": "/"}.get(key))
            )

    async def until(self, holds: Callable[[], object], what: str = "") -> None:
        """Let the browser work until `holds()` is true."""
        deadline = time.monotonic() + PATIENCE
        while not holds():
            assert time.monotonic() < deadline, f"{what or 'it'} did not come about; on screen:\n{self.text()}"
            await self.pilot.pause()
            if not holds():
                await next_turn()

    async def settled(self) -> None:
        """Wait until every question that was asked is answered and painted."""
        await self.until(
            lambda: all(worker.is_finished or worker.group in PATIENT for worker in self.app.workers), "rest"
        )
        await self.pilot.pause()

    async def search(self, text: str) -> None:
        """Go to the box, type with a fast hand, and wait for the whole answer."""
        await self.press("slash")
        self.burst(*text)
        await self.answered(text)

    async def answered(self, text: str) -> None:
        def done() -> bool:
            answer = self.browser.answer
            return answer is not None and answer.query == text and answer.complete and not self.browser.busy

        await self.until(done, f"the answer to {text!r}")
        await self.pilot.pause()

    async def shown(self, anchor: str) -> None:
        """Wait until the transcript is about this place, and painted."""
        await self.until(lambda: self.browser.reading == anchor, f"{anchor} in the transcript")
        await self.pilot.pause()


@asynccontextmanager
async def staged(
    library: Library | Stores,
    *,
    size: tuple[int, int] = (120, 36),
    anchor: Anchor | None = None,
    rest: float | None = None,
    history: History | None = None,
) -> AsyncIterator[Stage]:
    """Run the browser over a library, and close both afterwards. Hits stay newest first unless there is a `rest`."""
    app = HermesApp(library, anchor=anchor, clock=lambda: NOW, rest=rest, history=history)
    async with app.run_test(size=size) as pilot:
        stage = Stage(pilot, app)
        await stage.until(lambda: stage.browser.listing is not None, "the list")
        await pilot.pause()
        yield stage
    library.close()


class Clock:
    """A minute goes by with every look."""

    def __init__(self, now: float) -> None:
        self.now = now

    def __call__(self) -> float:
        self.now += 60.0
        return self.now


def tell(recorder: Recorder, session_id: str, *said: tuple[str, str]) -> list[int]:
    """Append messages as (role, text) and return their ids."""
    return [recorder.append(session_id, role, text) for role, text in said]


@pytest.fixture
def recorder(tmp_path: Path) -> Iterator[Recorder]:
    """A writer on an empty store."""
    with Recorder(tmp_path / "state.db", clock=Clock(NOW - 40 * 24 * HOUR)) as writer:
        yield writer


@pytest.fixture(scope="session")
def house_store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Five conversations of people, from old to new, and three runs of a cron job; written once."""
    path = tmp_path_factory.mktemp("house") / "state.db"
    with Recorder(path, clock=Clock(NOW - 40 * 24 * HOUR)) as recorder:
        furnish(recorder)
    return path


@pytest.fixture
def house(house_store: Path, tmp_path: Path) -> Iterator[Recorder]:
    """A writer on a copy of that store, twenty days later."""
    shutil.copyfile(house_store, tmp_path / "state.db")
    with Recorder(tmp_path / "state.db", clock=Clock(NOW - 20 * 24 * HOUR)) as writer:
        yield writer


@pytest.fixture
def busy(house_store: Path, tmp_path: Path) -> Iterator[Recorder]:
    """The house with a helper of the newest conversation, a conversation nobody said anything in, one that failed, and
    one that is under way."""
    shutil.copyfile(house_store, tmp_path / "state.db")
    with Recorder(tmp_path / "state.db", clock=Clock(NOW - HOUR)) as writer:
        for hour, ended in (("01", "stop"), ("02", "error")):
            run = writer.create_session("cron", session_id=f"cron_backup_20260921_{hour}0000")
            writer.append(run, "user", "back the house up")
            writer.append(run, "assistant", "so be it", finish_reason=ended)
        helper = writer.delegate("newest", model="small")
        tell(writer, helper, ("user", "count the spoons"), ("assistant", "There are twelve spoons."))
        writer.create_session("cli", session_id="silent", title="Nothing said")
        writer.end_session("silent", "cli_close")
        writer.create_session("telegram", session_id="broken", title="Broken off", model="vendor/large")
        writer.append("broken", "user", "fetch the sizes")
        writer.append("broken", "assistant", "I cannot.", finish_reason="error")
        writer.end_session("broken", "cli_close")
        writer.create_session("cli", session_id="now", title="Under way", started_at=NOW - 60)
        writer.append("now", "user", "go on please", timestamp=NOW - 30)
        yield writer


def furnish(recorder: Recorder) -> None:
    """Write what `house_store` holds."""
    recorder.create_session("cli", session_id="garden", title="Watering plan")
    tell(
        recorder, "garden",
        ("user", "plan the watering of the garden with the copper kettle"),
        ("assistant", "The copper kettle holds two litres. I would water at dawn."),
        ("user", "write it to plans/water.md please"),
        ("assistant", "Done: plans/water.md has the plan."),
    )  # fmt: skip
    recorder.create_session("telegram", session_id="pager", title="Fix the pager")
    tell(
        recorder, "pager",
        ("user", "the pager crashes in src/app/main.py when the terminal is narrow"),
        ("assistant", "I see the crash: the pager divides by the width."),
        ("tool", "src/app/main.py:12: pager = width // columns"),
        ("assistant", "Fixed. The pager is safe at any width now, rare as that is."),
    )  # fmt: skip
    recorder.create_session("discord", session_id="untitled")
    tell(recorder, "untitled", ("user", "which pager do you read with"), ("assistant", "I read with less."))
    for run in range(3):
        recorder.create_session("cron", session_id=f"cron{run}", title=f"Nightly {run}")
        tell(recorder, f"cron{run}", ("user", "run the nightly job"), ("assistant", "nothing to do"))
    recorder.create_session("cli", session_id="recipes", title="Recipes")
    tell(recorder, "recipes", ("user", "a soup with rare herbs"), ("assistant", "Take lovage, which is rare enough."))
    recorder.create_session("cli", session_id="newest", title="Newest of all")
    tell(recorder, "newest", ("user", "hello"), ("assistant", "Hello. What shall we do?"))


@pytest.fixture
def library(house: Recorder) -> Library:
    """The house, open for reading."""
    return Library.open(house.path)
