"""The application: colours, clipboard, and the way out. What the reader sees is `Browser`."""

from __future__ import annotations

import gc
import os
import time
from collections.abc import Callable, Iterable
from concurrent.futures import Future
from typing import ClassVar

from textual import events
from textual.app import App, SystemCommand
from textual.binding import Binding, BindingType
from textual.driver import Driver
from textual.screen import Screen
from textual.worker import WorkerFailed

from hermes_tui.history import History
from hermes_tui.model import Anchor, SessionList
from hermes_tui.tui import clipboard
from hermes_tui.tui.asking import AskingScreen, Source
from hermes_tui.tui.browser import Browser
from hermes_tui.tui.colours import VARIABLES
from hermes_tui.tui.glimpse import Glimpse
from hermes_tui.tui.palette import CommandProvider
from hermes_tui.tui.seeking import REST
from hermes_tui.tui.themes import DARK, LIGHT
from hermes_tui.tui.trouble import TroubleScreen


class HermesApp(App[None]):
    """One run of the browser over one store. The library belongs to the caller, who closes it afterwards."""

    TITLE = "hermes-tui"
    CSS_PATH = "hermes.tcss"
    COMMANDS = App.COMMANDS | {CommandProvider}
    BINDINGS: ClassVar[list[BindingType]] = [Binding("ctrl+c", "screen.copy_selection", show=False)]

    def __init__(
        self,
        library: Source,
        *,
        sessions: Future[SessionList] | None = None,
        anchor: Anchor | None = None,
        clock: Callable[[], float] = time.time,
        rest: float | None = REST,
        history: History | None = None,
        glimpse: Glimpse | None = None,
    ) -> None:
        """`rest` is how many seconds typing has to rest for the best hits to come first; None for never. Without a
        `history` no search is remembered."""
        self._glimpse = glimpse
        self._early: list[events.Event] | None = [] if glimpse is not None and glimpse.shown else None
        super().__init__()
        self.failure: BaseException | None = None
        """What went wrong in the program itself and ended it."""
        self.animation_level = "none"
        self.browser = Browser(library, sessions=sessions, anchor=anchor, clock=clock, rest=rest)
        self.browser.history = history
        for theme in (DARK, LIGHT):
            self.register_theme(theme)
        wished = os.environ.get("TEXTUAL_THEME", "")
        self.theme = wished if wished in self.available_themes else DARK.name

    def _handle_exception(self, error: Exception) -> None:
        """End with the error for `run` to raise, once the terminal is the shell's again; Textual would print where."""
        if self.is_headless or os.environ.get("HERMES_TUI_DEBUG"):
            super()._handle_exception(error)
            return
        self.failure = self.failure or (error.error if isinstance(error, WorkerFailed) else error)
        self._return_code = 1
        self.panic()

    def get_driver_class(self) -> type[Driver]:
        """What talks to the terminal, which may show the first page already."""
        kind = super().get_driver_class()
        return kind if self._glimpse is None else self._glimpse.driver(kind)

    async def on_event(self, event: events.Event) -> None:
        """Keys typed at rows that were drawn ahead wait until these are there."""
        if self._early is not None and isinstance(event, events.Key | events.Paste):
            self._early.append(event)
        else:
            await super().on_event(event)

    def on_asking_screen_ready(self) -> None:
        """The rows are there."""
        early, self._early = self._early or [], None
        for event in early:
            self.post_message(event)

    def get_theme_variable_defaults(self) -> dict[str, str]:
        """Our own colours for themes that do not know them."""
        return VARIABLES[self.current_theme.dark]

    def get_system_commands(self, screen: Screen[object]) -> Iterable[SystemCommand]:
        """What Textual adds to the palette: the choice of colours."""
        yield SystemCommand("Theme", "Choose the colours", self.action_change_theme)

    def get_default_screen(self) -> Screen[None]:
        """The browser, and no empty screen below it."""
        return self.browser

    def on_asking_screen_failed(self, event: AskingScreen.Failed) -> None:
        """There is nothing to browse: say why."""
        self.push_screen(TroubleScreen(event.sentence, others=self.browser.is_open))

    def on_trouble_screen_stores_wanted(self) -> None:
        """Offer other stores in place of the one that cannot be read."""
        self.pop_screen()
        self.browser.action_stores()

    def copy_to_clipboard(self, text: str) -> None:
        """Copy by the ladder of `hermes_tui.tui.clipboard`, and say on the status line where the text is now, after
        what the browser has to say about it."""
        self._clipboard = text
        about, self.browser.about_copy = self.browser.about_copy, ""
        self.run_worker(self._copy(text, about), group="clipboard", exclusive=True)

    async def _copy(self, text: str, about: str) -> None:
        self.browser.say(f"{about} {await clipboard.copy(text, emit=self._emit)}".strip())

    def _emit(self, sequence: str) -> bool:
        if self._driver is None or self.is_headless:
            return False
        self._driver.write(sequence)
        self._driver.flush()
        return True


def _collect_the_rest() -> None:
    """Look for garbage from now on, but not in what was imported and mounted: that stays."""
    gc.freeze()
    gc.enable()


def run(
    library: Source,
    *,
    sessions: Future[SessionList] | None = None,
    anchor: Anchor | None = None,
    history: History | None = None,
    glimpse: Glimpse | None = None,
) -> None:
    """Run the browser until the reader quits.

    `library` and `sessions` (its list, everything=False) may still be under way on threads that were started before
    this module was imported, so that the first page is there when the screen is. `anchor` is the place to open with,
    `history` what remembers searches, `glimpse` what shows the first page meanwhile.
    Raises what went wrong unexpectedly inside the browser.
    """
    gc.disable()  # nothing is thrown away before the first picture; collecting costs it 20 ms
    app = HermesApp(library, sessions=sessions, anchor=anchor, history=history, glimpse=glimpse)
    app.call_later(app.call_after_refresh, _collect_the_rest)
    try:
        app.run()
    finally:
        app.browser.close_ours()
        gc.enable()
    if app.failure is not None:
        raise app.failure
