"""The help screen: what the keys do, those of the pane in use first."""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, VerticalScroll
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Static

from hermes_tui.tui.commands import Command, Where, of

ABOUT = {
    Where.LIST: "Every conversation of the store, the newest activity first. Moving the highlight shows it.",
    Where.BOX: (
        'Type words, "an exact phrase", or code as it stands (src/app.py, --flag, foo.bar()). All the words have to '
        "be in one message; the last may be the beginning of a word."
    ),
    Where.HITS: "Messages that hold what was typed, by conversation. Moving the highlight shows them in place.",
    Where.FIND: "Characters in the open conversation as they stand, in capitals or not, also in the middle of a word.",
    Where.WAYS: "Nothing was found. Each of these questions beside it has hits; the transcript stays as it was.",
    Where.GOTO: "A message by its number, a date (2026-08-01, yesterday, 7d), a time of that day, a share of the way.",
    Where.OUTLINE: "What a person said in the conversation. It follows the text; Enter goes to a turn.",
    Where.HINTS: "All that can be copied bears a label; typing it copies the whole, also of what the screen cuts.",
    Where.TRANSCRIPT: "The conversation as it went, with what was summarised away. Matches of the search are marked.",
}


class HelpScreen(ModalScreen[None]):
    """Shown over the browser; any of its keys closes it."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape,q,question_mark,enter", "close", "Close", show=False)]

    def __init__(self, where: Where) -> None:
        super().__init__()
        self._where = where

    def compose(self) -> ComposeResult:
        """One section for each place, that of `where` first."""
        with VerticalScroll(id="help"):
            for place in self._places():
                yield Static(place.value.capitalize(), classes="help-title", markup=False)
                if place in ABOUT:
                    yield Static(ABOUT[place], classes="help-about", markup=False)
                yield from rows(of(place))
            yield Static("Escape closes this.", classes="help-about", markup=False)

    def action_close(self) -> None:
        """Back to the browser."""
        self.dismiss()

    def _places(self) -> list[Where]:
        panes = [place for place in ABOUT if place is not self._where]
        first = [self._where] if self._where in ABOUT else []
        return [*first, Where.ANYWHERE, *panes]


def rows(commands: Iterable[Command]) -> ComposeResult:
    """One row for each command: its keys, then what it does."""
    for command in commands:
        with Horizontal(classes="help-row"):
            yield Static(command.shown, classes="help-keys", markup=False)
            yield Static(Content.assemble(f"{command.title}. ", (command.does, "$soft")), classes="help-does")
