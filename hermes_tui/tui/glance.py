"""What the highlighted conversation is about, in a band below the list: how it began, and the last answer."""

from __future__ import annotations

from textual import events
from textual.content import Content

from hermes_tui.model import SessionKey
from hermes_tui.model.record import dataclass
from hermes_tui.render import cells, fit, one_line
from hermes_tui.tui.band import Band

LINES = 2
"""Lines for each of both."""
GOAL, ANSWER = "Goal   ", "Answer "


@dataclass(frozen=True, slots=True)
class Glance:
    """The first words of a person and the last of the model in the conversation `key`; "" for nothing said."""

    key: SessionKey
    goal: str
    answer: str


class GlanceBand(Band):
    """Shows a glance, or that it is on its way; never that of another conversation."""

    def __init__(self, *, id: str) -> None:  # noqa: A002
        super().__init__(id=id)
        self._glance: Glance | None = None
        self._awaited: SessionKey | None = None

    def show(self, glance: Glance | None) -> None:
        """This is what the highlighted conversation is about; None where there is none."""
        self._glance, self._awaited = glance, None
        self._show()

    def expect(self, key: SessionKey) -> None:
        """Another glance is on its way: one of the same conversation stays meanwhile."""
        if self._glance is not None and self._glance.key != key:
            self._glance = None
        self._awaited = key
        self._show()

    def on_resize(self, event: events.Resize) -> None:
        """The words break elsewhere."""
        self._show()

    def _show(self) -> None:
        width = self.content_size.width
        if width <= 0:
            return
        if self._glance is None:
            words = ("", "") if self._awaited is None else ("…", "…")
        else:
            words = (self._glance.goal or "nobody said anything", self._glance.answer or "no answer")
        if words == ("", ""):
            self.put(Content(""), lines=2 * LINES)
            return
        room = max(8, width - len(GOAL))
        parts: list[tuple[str, str]] = []
        for name, text, look in ((GOAL, words[0], "$user"), (ANSWER, words[1], "$foreground")):
            first, second = in_two(text, room)
            parts += [(name, "$soft"), (first + "\n", look), (" " * len(GOAL) + second + "\n", look)]
        self.put(Content.assemble(*parts), lines=2 * LINES)


def in_two(text: str, width: int) -> tuple[str, str]:
    """`text` made safe, in two lines of at most `width` cells, broken at a blank where there is one."""
    line = one_line(text, 2 * width + 8)
    if cells(line) <= width:
        return line, ""
    head = fit(line, width + 1).rstrip("…")
    cut = head.rfind(" ")
    cut = cut if cut > len(head) // 2 else len(fit(line, width).rstrip("…"))
    return line[:cut].rstrip(), fit(line[cut:].lstrip(), width)
