"""A column beside the scrollbar: where in the whole conversation hits, errors, borders and user turns are."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from enum import Enum
from itertools import accumulate
from typing import ClassVar

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget

from hermes_tui.model.record import dataclass


class Sign(Enum):
    """What is marked, least telling first: where several fall on one cell the last shows. Each has a shape of its own,
    so that colours are not needed."""

    TURN = "·"
    BORDER = "═"
    ERROR = "!"
    HIT = "◆"
    FIND = "◇"


@dataclass(frozen=True, slots=True)
class Cell:
    """What a cell of the rail shows, and the first entry that is the reason; a `quiet` one is not painted, so that what
    matters can be seen, and leads there all the same."""

    sign: Sign
    entry: int
    quiet: bool = False


ROOM = 4
"""Of so many cells one may be a user turn's; where more are, those that stand closer than that are quiet."""


def cells_of(heights: Sequence[int], marks: Mapping[Sign, Iterable[int]], height: int) -> list[Cell | None]:
    """The cells of a rail `height` lines high, for entries of these heights; `marks` has the entries of each sign."""
    found: list[Cell | None] = [None] * height
    starts = [0, *accumulate(heights)]
    total = max(1, starts[-1])
    for sign in Sign:
        last = -1  # the first entry of a cell is its reason
        for entry in sorted(marks.get(sign, ())):
            at = min(height - 1, starts[entry] * height // total)
            if at != last:
                found[at] = Cell(sign, entry)
                last = at
    return _quieted(found)


def _quieted(cells: list[Cell | None]) -> list[Cell | None]:
    """The same with fewer dots, where user turns would fill the column."""
    turns = [at for at, cell in enumerate(cells) if cell is not None and cell.sign is Sign.TURN]
    if len(turns) * ROOM <= len(cells):
        return cells
    last = -ROOM
    for at in turns:
        if at - last < ROOM:
            cell = cells[at]
            cells[at] = cell and replace(cell, quiet=True)
        else:
            last = at
    return cells


class Rail(Widget):
    """The column. `cells` says what is in it, for a height in lines."""

    ALLOW_SELECT = False
    COMPONENT_CLASSES: ClassVar[set[str]] = {f"rail--{sign.name.lower()}" for sign in Sign}
    DEFAULT_CSS = """
    Rail {
        width: 1;
        background: $background;
        & > .rail--turn { color: $user; }
        & > .rail--border { color: $soft; }
        & > .rail--error { color: $error; text-style: bold; }
        & > .rail--hit { color: $accent; }
        & > .rail--find { color: $found-background; }
    }
    """

    @dataclass
    class Chosen(Message):
        """The reader wants to go to this entry, or where there is none to this share of the way."""

        entry: int | None
        share: float

    def __init__(self, *, id: str, cells: Callable[[int], Sequence[Cell | None]]) -> None:  # noqa: A002
        super().__init__(id=id)
        self._cells = cells
        self._looks: dict[Sign | None, Style] = {}

    def render_line(self, y: int) -> Strip:
        """One cell."""
        cells = self._cells(self.size.height)
        cell = cells[y] if y < len(cells) else None
        if cell is None or cell.quiet:
            return Strip([Segment(" ", self._look(None))], 1)
        return Strip([Segment(cell.sign.value, self._look(cell.sign))], 1)

    def _look(self, sign: Sign | None) -> Style:
        """Textual works a style out anew each time it is asked."""
        if sign not in self._looks:
            style = self.rich_style
            if sign is not None:
                style += self.get_component_rich_style(f"rail--{sign.name.lower()}", partial=True)
            self._looks[sign] = style
        return self._looks[sign]

    def notify_style_update(self) -> None:
        """Other colours."""
        self._looks.clear()
        super().notify_style_update()

    def on_click(self, event: events.Click) -> None:
        """Go to what is marked here."""
        event.stop()
        height = self.size.height
        cells = self._cells(height)
        cell = cells[event.y] if 0 <= event.y < len(cells) else None
        self.post_message(self.Chosen(None if cell is None else cell.entry, event.y / max(1, height)))
