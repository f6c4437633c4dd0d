"""The help screen: what the keys do, those of the pane in use first."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import zip_longest
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.geometry import Size
from textual.screen import ModalScreen
from textual.widget import Widget

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
KEYS = 13
"""Cells of the column of keys."""


class HelpScreen(ModalScreen[None]):
    """Shown over the browser; any of its keys closes it."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape,q,question_mark,enter", "close", "Close", show=False)]

    def __init__(self, where: Where) -> None:
        super().__init__()
        self._where = where

    def compose(self) -> ComposeResult:
        """One section for each place, that of `where` first."""
        with VerticalScroll(id="help"):
            yield HelpText(self._places())

    def action_close(self) -> None:
        """Back to the browser."""
        self.dismiss()

    def _places(self) -> list[Where]:
        panes = [place for place in ABOUT if place is not self._where]
        first = [self._where] if self._where in ABOUT else []
        return [*first, Where.ANYWHERE, *panes]


class HelpText(Widget):
    """Sections of commands as one text: a widget for each of a hundred commands takes seconds to come up."""

    def __init__(self, places: Sequence[Where]) -> None:
        super().__init__(id="help-text")
        self.places = places

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """The lines there are at this width."""
        return len(told(self.places, width))

    def render(self) -> Content:
        """Them."""
        return Content("\n").join(told(self.places, self.content_size.width))


def told(places: Iterable[Where], width: int) -> list[Content]:
    """A section for each place, in lines of at most `width` cells: what the place is, then its commands."""
    lines: list[Content] = []
    for place in places:
        lines += [Content(""), Content.styled(place.value.capitalize(), "bold $accent")]
        if place in ABOUT:
            lines += [*Content.styled(ABOUT[place], "$soft").wrap(max(1, width)), Content("")]
        for command in of(place):
            lines += row(command, width)
    return [*lines, Content.styled("Escape closes this.", "$soft"), Content("")]


def row(command: Command, width: int) -> list[Content]:
    """The lines of a command: its keys, then in a column of its own what it does."""
    keys = Content.styled(command.shown, "bold").wrap(KEYS)
    does = Content.assemble(f"{command.title}. ", (command.does, "$soft")).wrap(max(1, width - KEYS))
    blank = Content("")
    return [
        Content.assemble(key, " " * (KEYS - key.cell_length), text)
        for key, text in zip_longest(keys, does, fillvalue=blank)
    ]
