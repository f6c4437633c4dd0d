"""The line below the transcript in which one looks for characters inside the conversation."""

from __future__ import annotations

from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.content import Content
from textual.getters import query_one
from textual.message import Message
from textual.widgets import Input, Static

from hermes_tui.model.record import dataclass
from hermes_tui.render import count
from hermes_tui.tui.band import Band
from hermes_tui.tui.box import Box
from hermes_tui.tui.commands import Where, bindings


class FindBox(Box):
    """Where it is typed."""

    BINDINGS = bindings(Where.FIND)

    def action_next_find(self) -> None:
        """Go to the next place."""
        self.post_message(FindBar.Stepped(1))

    def action_previous_find(self) -> None:
        """Go to the place before."""
        self.post_message(FindBar.Stepped(-1))

    def action_leave_find(self) -> None:
        """Go back to the text, the find still there."""
        self.post_message(FindBar.Left())


class FindBar(Horizontal):
    """The line: box and count. It is there while something is looked for."""

    box = query_one(FindBox)

    @dataclass
    class Typed(Message):
        """Another text is looked for."""

        text: str

    @dataclass
    class Stepped(Message):
        """The reader goes on to the next place (`direction` 1) or the one before (-1)."""

        direction: int

    class Left(Message):
        """The reader goes back to the text."""

    def compose(self) -> ComposeResult:
        """From left to right."""
        yield Static("Find ", id="find-sign", markup=False)
        yield FindBox(id="find-box", placeholder="Characters in this conversation, as they stand")
        yield Band(id="find-count")

    def on_mount(self) -> None:
        """Nothing is looked for yet."""
        self.display = False

    def on_input_changed(self, event: Input.Changed) -> None:
        """Pass on what was typed."""
        event.stop()
        self.post_message(self.Typed(event.value))

    def say(self, number: int | None, many: int, *, complete: bool, full: bool = False) -> None:
        """Show which of how many places the reader is at; `full` says that there are more than were counted."""
        self.query_one("#find-count", Band).put(Content(told(number, many, complete=complete) + "+" * full))

    def hush(self) -> None:
        """Say nothing: nothing is looked for."""
        self.query_one("#find-count", Band).put(Content(""))


def told(number: int | None, many: int, *, complete: bool) -> str:
    """`3/17`, `17…` while it is being counted, `not found`."""
    if not many:
        return "not found" if complete else "…"
    at = f"{count(number)}/" if number is not None else ""
    return f"{at}{count(many)}" + ("" if complete else "…")
