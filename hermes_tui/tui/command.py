"""What a command is, and the places where keys mean something."""

from __future__ import annotations

from dataclasses import KW_ONLY
from enum import StrEnum

from textual.binding import Binding

from hermes_tui.model.record import dataclass

DIGIT = "{digit}"
"""Stands in an action for the digit that its key ends with."""


class Where(StrEnum):
    """The place that has to hold the focus for a command to apply. The values are read by people."""

    ANYWHERE = "everywhere"
    LIST = "session list"
    BOX = "search box"
    HITS = "hits"
    WAYS = "ways out"
    TRANSCRIPT = "transcript"
    FIND = "find line"
    GOTO = "go-to line"
    OUTLINE = "outline"
    HINTS = "hint mode"


BOXES = (Where.BOX, Where.FIND, Where.GOTO, Where.HINTS)
"""Places where characters are text."""


@dataclass(frozen=True, slots=True)
class Command:
    """One thing the browser can do.

    `keys` are Textual key names, comma-separated; `shown` is how people write them; `does` is a sentence. `action` is a
    Textual action: a bare name is a method of the pane that holds the focus, `screen.` and `app.` go to those. `hint`
    is the word for the bottom line, None for commands that only help, palette and README show.
    """

    keys: str
    shown: str
    title: str
    _: KW_ONLY
    does: str
    action: str
    where: tuple[Where, ...]
    hint: str | None = None

    def bindings(self, place: Where) -> list[Binding]:
        """This command as Textual wants it in one place: one binding, or one for each digit.

        Outside of boxes every key has priority: Textual's app then runs the command itself, before it looks at the next
        key. Handed on to the pane it would run after that, so that what is typed right after `/` would still go to the
        pane before. In a box keys wait for the text typed before them. A box takes characters as text all the same.
        """
        keys = [self.keys] if DIGIT not in self.action else self.keys.split(",")
        return [
            Binding(
                key,
                self.action.replace(DIGIT, key[-1]),
                self.title,
                show=self.hint is not None,
                key_display=self.shown,
                priority=place not in BOXES,
                tooltip=self.does,
            )
            for key in keys
        ]
