"""The question before a link is opened: it shows the whole address, and nothing is opened without a yes."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen
from textual.widgets import Static

from hermes_tui.render import clean


class LinkScreen(ModalScreen[str | None]):
    """Answers "open", "copy" or None."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "answer('open')", show=False),
        Binding("y", "answer('copy')", show=False),
        Binding("escape,q,n", "answer('')", show=False),
    ]

    def __init__(self, address: str) -> None:
        super().__init__()
        self.address = address

    def compose(self) -> ComposeResult:
        """Question, address, ways out."""
        with Vertical(id="link"):
            yield Static("Open this address outside, with the program this machine has for it?", markup=False)
            yield Static(clean(self.address, keep_newlines=False), id="link-address", markup=False)
            yield Static("Enter opens it, y copies it, Escape does neither.", classes="help-about", markup=False)

    def action_answer(self, answer: str) -> None:
        """Go back with it."""
        self.dismiss(answer or None)
