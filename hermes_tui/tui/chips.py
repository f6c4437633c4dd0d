"""The row under the search box: the switches that are on and the filters that stand, each removed by key or click."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from textual import events
from textual.content import Content
from textual.message import Message
from textual.reactive import var

from hermes_tui.model import Case, Filtered, Mode
from hermes_tui.model.record import dataclass
from hermes_tui.render import cells, count, fit, one_line
from hermes_tui.tui.band import Band

LONGEST = 60
"""Cells of a chip that a long value is cut to."""
CONVERSATION = "conversation:"


@dataclass(frozen=True, slots=True)
class Chip:
    """`text` is what it says, `about` the softer words behind that. `number` is the filter's, None for a switch, whose
    name `switch` is."""

    text: str
    about: str = ""
    number: int | None = None
    switch: str = ""

    @property
    def width(self) -> int:
        """Cells it takes, with a blank on either side."""
        return cells(self.text) + (cells(self.about) + 2 if self.about else 0) + 2


def chips(
    mode: Mode, filters: Sequence[Filtered], *, numbered: bool, counting: bool, titles: Mapping[str, str]
) -> list[Chip]:
    """Switches first, then filters. `numbered` says whether F1 to F9 remove them; `counting` whether somebody is
    counting what they hide; `titles` are those of conversations by id."""
    switches = (
        ("case", "case", mode.case is Case.EXACT, "Alt+C"),
        ("regex", "regular expression", mode.regex, "Alt+R"),
        ("reasoning", "reasoning too", mode.reasoning, "Alt+T"),
    )
    shown = [Chip(word, key, switch=name) for name, word, on, key in switches if on]
    for number, filtered in enumerate(filters, 1):
        sign = f"F{number} " if numbered and number < 10 else ""
        shown.append(Chip(sign + _called(filtered.text, titles), _hides(filtered, counting=counting), number))
    return shown


def _called(text: str, titles: Mapping[str, str]) -> str:
    sign, _, held = text.partition(CONVERSATION)
    if held in titles and sign in ("", "-"):
        return one_line(f"{'not ' if sign else ''}in {titles[held]}", LONGEST)
    return one_line(text, LONGEST)


def _hides(filtered: Filtered, *, counting: bool) -> str:
    if filtered.hides is None:
        return "counting" if counting else ""
    return f"hides {count(filtered.hides)}{'+' if filtered.more else ''}"


class Chips(Band):
    """Owned by the search pane, which sets what it shows."""

    @dataclass
    class Removed(Message):
        """The reader wants to be rid of this filter (a number counted from 1) or switch."""

        number: int | None
        switch: str

    shown: var[tuple[Chip, ...]] = var((), init=False)

    def __init__(self, *, id: str) -> None:  # noqa: A002
        super().__init__(id=id)
        self.display = False  # no chips take no line

    def watch_shown(self) -> None:
        """Other chips."""
        self.display = bool(self.shown)
        self._show()

    def on_resize(self, event: events.Resize) -> None:
        """They break elsewhere."""
        self._show()

    def on_click(self, event: events.Click) -> None:
        """A click on a chip removes what it stands for."""
        offset = event.get_content_offset(self)
        if offset is None:
            return
        for chip, line, start in self._placed():
            if offset.y == line and start <= offset.x < start + chip.width:
                self.post_message(self.Removed(chip.number, chip.switch))

    def _placed(self) -> list[tuple[Chip, int, int]]:
        """Each chip with its line and the cell it starts at."""
        width = max(1, self.content_size.width)
        placed: list[tuple[Chip, int, int]] = []
        line = start = 0
        for chip in self.shown:
            if start and start + chip.width > width:
                line, start = line + 1, 0
            placed.append((chip, line, start))
            start += chip.width + 1
        return placed

    def _show(self) -> None:
        width = self.content_size.width
        if width <= 0:
            return
        parts: list[tuple[str, str] | str] = []
        at = (0, 0)
        placed = self._placed()
        for chip, line, start in placed:
            parts.append("\n" if line != at[0] else " " * (start - at[1]))
            parts.append((fit(f" {chip.text} ", width), "$foreground on $panel"))
            if chip.about:
                parts.append((f" {chip.about} ", "$soft on $panel"))
            at = (line, start + chip.width)
        self.put(Content.assemble(*parts), lines=(placed[-1][1] if placed else 0) + 1)
