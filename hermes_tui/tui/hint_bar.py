"""The line at the bottom of hint mode: what was typed of a label, and what the signs mean."""

from __future__ import annotations

from textual import events
from textual.content import Content
from textual.message import Message
from textual.reactive import var
from textual.widgets import Static

from hermes_tui.model.record import dataclass
from hermes_tui.render import cells, count
from hermes_tui.tui.commands import Where, bindings

LEGEND = "✓ exists  ± changed since  × gone"


class HintBar(Static, can_focus=True):
    """It takes every letter while it has the focus, and has it while labels are shown."""

    BINDINGS = bindings(Where.HINTS)

    typed: var[str] = var("", init=False)
    """What was typed of a label."""
    more: var[bool] = var(False, init=False)
    """Whether the label typed opens the menu; else it copies."""
    things: var[int | None] = var(None, init=False)
    """How many labels there are; None while that is looked up."""

    @dataclass
    class Typed(Message):
        """A letter was typed, or with "" the last one taken back; of two typed at once each is told by itself."""

        letter: str

    def __init__(self, *, id: str) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id, markup=False)

    def on_mount(self) -> None:
        """Nobody asked for it yet."""
        self.display = False

    def begin(self) -> None:
        """Nothing was typed yet."""
        self.typed, self.more, self.things = "", False, None
        self._show()

    def check_consume_key(self, key: str, character: str | None) -> bool:
        """Every character is one of a label, or none, but no command."""
        return character is not None and character.isprintable() and not key.startswith("alt+")

    def on_key(self, event: events.Key) -> None:
        """A letter of a label, or the sign that another one is meant."""
        char = event.character or ""
        if event.key == "semicolon":
            self.action_toggle_more()
        elif event.key == "backspace":
            self.action_untype()
        elif char.isalpha() and char.isascii():
            self.post_message(self.Typed(char.lower()))
        elif not self.check_consume_key(event.key, event.character):
            return
        event.stop()
        event.prevent_default()

    def action_toggle_more(self) -> None:
        """The label typed next opens the menu, or copies again."""
        self.more = not self.more

    def action_untype(self) -> None:
        """Take back a letter."""
        self.post_message(self.Typed(""))

    def watch_typed(self) -> None:
        """Show it."""
        self._show()

    def watch_more(self) -> None:
        """Say which."""
        self._show()

    def watch_things(self) -> None:
        """Say how many."""
        self._show()

    def on_resize(self) -> None:
        """More or less fits."""
        self._show()

    def _show(self) -> None:
        many = "…" if self.things is None else count(self.things, "thing")
        parts: list[tuple[str, str]] = [
            ("More on " if self.more else "Copy ", "$accent bold"),
            (f"{self.typed}_ ", "$foreground bold"),
            (f" {many}  ", "$soft"),
        ]
        used = sum(cells(text) for text, _ in parts)
        for key, word in ((";", "copies" if self.more else "asks what to do"), ("Escape", "ends it"), ("", LEGEND)):
            if used + cells(key) + cells(word) + 3 <= self.size.width:
                parts += (key, "$foreground bold"), (f" {word}  ", "$soft")
                used += cells(key) + cells(word) + 3
        self.update(Content.assemble(*parts))
