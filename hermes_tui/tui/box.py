"""A line to type in."""

from __future__ import annotations

from textual import events
from textual.geometry import Size
from textual.reactive import Reactive
from textual.widgets import Input

from hermes_tui.render import clean

MAX_PASTE = 2048
"""Characters taken from a paste: as many as a query can hold."""


class Box(Input):
    """One line, in which every printable key is text."""

    virtual_size: Reactive[Size] = Reactive(Size(0, 0))
    """How wide the text is. For Textual another width is reason to lay out the whole screen, with each key; what is
    around the box never depends on it."""

    def __init__(self, *, id: str, placeholder: str) -> None:  # noqa: A002
        super().__init__(id=id, compact=True, placeholder=placeholder, select_on_focus=False)
        self.cursor_blink = False

    async def _on_key(self, event: events.Key) -> None:
        """Run the box's own keys here. Textual runs them when they have bubbled up to the app, by which time what was
        typed after a Backspace is in the box already."""
        if self.check_consume_key(event.key, event.character):
            return
        for binding in self._bindings.key_to_bindings.get(event.key, ()):
            if await self.app.run_action(binding.action, self):
                event.stop()
                event.prevent_default()
                return

    def check_consume_key(self, key: str, character: str | None) -> bool:
        """A letter is text; with Alt it is a key, though terminals name the letter."""
        return not key.startswith("alt+") and super().check_consume_key(key, character)

    def _on_paste(self, event: events.Paste) -> None:
        """Take a paste of several lines as one line."""
        event.stop()
        event.prevent_default()
        text = " ".join(clean(event.text[:MAX_PASTE]).split("\n")).strip()
        if text:
            self.replace(text, *sorted(self.selection))
