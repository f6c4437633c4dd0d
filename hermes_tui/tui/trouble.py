"""The screen for a store that cannot be read at all: what is wrong, and what can be done."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.screen import Screen
from textual.widgets import Static

from hermes_tui.render import clean


class TroubleScreen(Screen[None]):
    """Shown in place of the browser when the store could not be opened."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("q,escape,enter,ctrl+c", "app.quit", "Quit", show=False)]

    def __init__(self, sentence: str) -> None:
        super().__init__()
        self._sentence = clean(sentence)

    def compose(self) -> ComposeResult:
        """The sentence of the error, then the ways on."""
        with Vertical(id="trouble"):
            yield Static("This store cannot be read", id="trouble-title", markup=False)
            yield Static(self._sentence, id="trouble-sentence", markup=False)
            yield Static(
                "hermes-tui --db PATH   reads another file\n"
                "hermes-tui demo        shows the browser with made-up conversations\n"
                "hermes-tui doctor      says what was looked at and how",
                id="trouble-ways",
                markup=False,
            )
            yield Static("q quits", id="trouble-keys", markup=False)
