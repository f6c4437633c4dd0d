"""Apps that are timed from what is asked of them to the picture that shows it, painted as a terminal would get it."""

from __future__ import annotations

import asyncio
import inspect
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from rich.console import RenderableType
from textual import events
from textual._compositor import CompositorUpdate
from textual.app import App, ComposeResult
from textual.geometry import Size
from textual.screen import Screen
from textual.widgets import Static

from hermes_tui.tui.app import HermesApp

PATIENCE = 60.0
"""Seconds after which a picture is taken not to come."""


class Take:
    """One wait for a picture, begun now. `wall` seconds and `cpu` seconds (of the whole process) until it was there."""

    def __init__(self, shows: Callable[[], bool]) -> None:
        self.wall = self.cpu = 0.0
        self.end = 0.0  # on the clock of `time.perf_counter`
        self._shows = shows
        self._there = asyncio.get_running_loop().create_future()
        self._cpu, self._wall = time.process_time(), time.perf_counter()

    def look(self) -> None:
        """There is a picture."""
        if not self._there.done():
            wall, cpu = time.perf_counter(), time.process_time()
            if self._shows():
                self.wall, self.cpu, self.end = wall - self._wall, cpu - self._cpu, wall
                self._there.set_result(None)

    async def there(self) -> Take:
        """Wait for it. Raises TimeoutError when it does not come."""
        await asyncio.wait_for(self._there, PATIENCE)
        return self


class Pictured(App[None]):
    """An app without a terminal that does for each picture what it would do with one."""

    take: Take | None = None

    def _display(self, screen: Screen[Any], renderable: RenderableType | None) -> None:
        super()._display(screen, renderable)
        if isinstance(renderable, CompositorUpdate):
            renderable.render_segments(self.console)
        if renderable is not None and self.take is not None:
            self.take.look()

    async def timed(self, ask: Callable[[], object], shows: Callable[[], bool]) -> Take:
        """Do `ask` and wait for the picture that shows what comes of it."""
        self.take = Take(shows)
        ask()
        return await self.take.there()

    async def key(self, key: str, shows: Callable[[], bool]) -> Take:
        """Press a key."""
        character = key if len(key) == 1 else None
        return await self.timed(lambda: self.post_message(events.Key(key, character)), shows)

    def resize(self, size: Size) -> None:
        """The terminal has another size now."""
        if self._driver is not None:
            self._driver._size = size
        self.post_message(events.Resize(size, size))


class PicturedBrowser(Pictured, HermesApp):
    """The browser."""

    CSS_PATH = str(Path(inspect.getfile(HermesApp)).with_name("hermes.tcss"))  # a name alone is looked for beside here


class EmptyApp(Pictured):
    """The least an app can be: one widget, and a key that changes it."""

    CSS = "Static { width: 1fr; height: 1fr; }"

    def __init__(self) -> None:
        super().__init__()
        self.animation_level = "none"
        self.presses = 0

    def compose(self) -> ComposeResult:
        yield Static("0")

    @property
    def area(self) -> Size:
        """The size of the widget; nothing before it was laid out."""
        return next((widget.size for widget in self.screen.query(Static)), Size(0, 0))

    def on_key(self) -> None:
        self.presses += 1
        self.query_one(Static).update(str(self.presses))
