"""Take the pictures that README shows: `python3 screenshots/take.py [FOLDER]`, by default into this folder.

Drives the real browser over the demo store as a reader would, under a fixed clock, so that a picture changes only when
the browser does. The SVG files draw on the reader's own monospace font: nothing in them is fetched from anywhere.
"""

from __future__ import annotations

import asyncio
import html
import os
import re
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from rich.cells import cell_len
from textual import events
from textual.pilot import Pilot
from textual.widgets import Input
from textual.worker import WorkerCancelled

from hermes_tui.library import Library
from hermes_tui.model import Answer
from hermes_tui.sample import NOW, write_sample
from hermes_tui.tui.app import HermesApp

FONTS = "ui-monospace, 'Cascadia Mono', 'SF Mono', Menlo, Consolas, 'DejaVu Sans Mono', 'Liberation Mono', monospace"
CELL = 12.2
"""Width of a character cell in the pictures Rich draws."""
PATIENCE = 30.0
"""Seconds after which a picture that does not settle is a fault."""


@dataclass(frozen=True, slots=True)
class Scene:
    """One picture: the terminal's columns and rows, what is pasted into the search box, and the keys pressed after it.

    `settled` are words that are on screen when the picture is ready.
    """

    name: str
    size: tuple[int, int]
    settled: tuple[str, ...]
    typed: str = ""
    keys: tuple[str, ...] = ()


SCENES = (
    Scene("browse", (120, 34), keys=("down", "down"), settled=("Foretell high water with a harmonic fit", "You")),
    Scene("groups", (120, 34), keys=("a", "B", "B", "G", *["up"] * 4), settled=("grouped by source", "telegram · 12")),
    Scene("search", (120, 34), typed="pyinstaller --onefile", keys=("down",), settled=("4 hits", "PyInstaller")),
    Scene(
        "filters",
        (120, 34),
        typed="search role:user,assistant -source:subagent",
        keys=("down", "down"),
        settled=("F2 -source:subagent  hides", "more hits"),
    ),
    Scene("compacted", (120, 34), typed="earlgrey", keys=("down", "down", "enter"), settled=("compacted",)),
    Scene("hints", (120, 34), typed="pyinstaller --onefile", keys=("down", "enter", "f"), settled=("Copy _", "things")),
    Scene("lineage", (120, 12), typed="pgloader", keys=("down", "enter", "t"), settled=("Lineage of 3 sessions",)),
    Scene("activity", (120, 34), keys=("A",), settled=("bars by sessions", "tokens")),
    Scene("narrow", (64, 30), typed="idempotency key", keys=("down", "enter"), settled=("of 2", "refunded")),
)


class SteadyLibrary(Library):
    """A library whose searches always take as long, for the one number on screen that is not the same twice."""

    def search(self, text: str, **how: Any) -> Answer:
        """Search, and say that it took 20 ms."""
        return replace(super().search(text, **how), elapsed_ms=20.0)


async def settle(pilot: Pilot[None], done: Callable[[], bool]) -> None:
    """Wait until `done` and until two looks in a row show the same screen."""
    end = time.monotonic() + PATIENCE
    before = ""
    while True:
        await pilot.pause(0.05)
        with suppress(WorkerCancelled):  # a newer question took the place of one that was waited for
            await pilot.app.workers.wait_for_complete()
        await pilot.pause()
        now = pilot.app.export_screenshot()
        if now == before and done():
            return
        before = now
        if time.monotonic() > end:
            raise TimeoutError("the screen did not settle")


def text_of(app: HermesApp) -> str:
    """What is on screen, line by line."""
    return "\n".join("".join(segment.text for segment in strip) for strip in app.screen._compositor.render_strips())


async def take(scene: Scene, store: Path) -> str:
    """Play a scene and return its picture."""
    with SteadyLibrary.open(store) as library:
        app = HermesApp(library, clock=lambda: NOW, rest=None)  # hits do not change places after a pause
        async with app.run_test(size=scene.size) as pilot:
            await settle(pilot, lambda: app.browser.listing is not None)
            for box in app.screen.query(Input):
                box.cursor_blink = False
            if scene.typed:
                await pilot.press("slash")
                app.screen.query_one("#box").post_message(events.Paste(scene.typed))  # no searches of half a word
                await settle(pilot, lambda: app.browser.answer is not None and app.browser.answer.complete)
            for key in scene.keys:
                await pilot.press(key)
                await settle(pilot, lambda: True)
            await settle(pilot, lambda: all(word in text_of(app) for word in scene.settled))
            return plain(app.export_screenshot(title="hermes-tui"))


def plain(picture: str) -> str:
    """The picture without fonts from elsewhere, with names that do not change from run to run, and with the width in
    cells of each text (Rich counts its characters, which squeezes Chinese, Japanese and Korean into half the room)."""
    picture = re.sub(r"@font-face\s*\{.*?\}\s*", "", picture, flags=re.DOTALL)
    picture = re.sub(r"font-family:\s*[^;]+;", f"font-family: {FONTS};", picture)
    picture = re.sub(r"terminal-\d+-", "terminal-", picture)
    picture = re.sub(r'textLength="[^"]*"([^>]*)>([^<]*)<', _with_width, picture)
    return "\n".join(line.rstrip() for line in picture.splitlines()) + "\n"


def _with_width(text: re.Match[str]) -> str:
    width = round(CELL * cell_len(html.unescape(text[2])), 1)
    return f'textLength="{width}"{text[1]}>{text[2]}<'


def main() -> None:
    """Write every picture."""
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent
    os.environ.pop("NO_COLOR", None)
    os.environ["TZ"] = "UTC"
    time.tzset()
    with tempfile.TemporaryDirectory() as scratch:
        folder = folder.resolve()
        os.chdir(scratch)  # so that the picture shows the name of the store, not where this machine keeps it
        store = Path("state.db")
        write_sample(store)
        for scene in SCENES:
            (folder / f"{scene.name}.svg").write_text(asyncio.run(take(scene, store)), encoding="utf-8")
            print(folder / f"{scene.name}.svg")


if __name__ == "__main__":
    main()
