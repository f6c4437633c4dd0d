"""The screen for a store that cannot be read at all: what is wrong, and what can be done."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.message import Message
from textual.screen import Screen
from textual.widgets import Static

from hermes_tui.render import clean


class TroubleScreen(Screen[None]):
    """Shown in place of the browser when the store could not be opened."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("q,escape,enter,ctrl+c", "app.quit", "Quit", show=False),
        Binding("P", "stores", "Stores", show=False),
    ]

    class StoresWanted(Message):
        """The reader wants to see which other stores there are."""

    def __init__(self, sentence: str, *, others: bool) -> None:
        """`others` says that other stores can be offered."""
        super().__init__()
        self._sentence = clean(sentence)
        self._others = others

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
            ways = "P shows other stores and backups, q quits" if self._others else "q quits"
            yield Static(ways, id="trouble-keys", markup=False)

    def action_stores(self) -> None:
        """Have them shown."""
        if self._others:
            self.post_message(self.StoresWanted())
