"""Where a search found nothing: the questions beside it that have hits, each one key away."""

from __future__ import annotations

from collections.abc import Iterable

from textual.message import Message

from hermes_tui.model import WayOut
from hermes_tui.model.record import dataclass
from hermes_tui.render import count, one_line
from hermes_tui.tui.commands import Where, bindings
from hermes_tui.tui.lines import Lines, Piece

NUMBERED = 9
"""Ways that have a key."""
TITLE = "No hits. What would have some:"


class WayRows(Lines):
    """The list of ways out, in place of the hits."""

    BINDINGS = bindings(Where.WAYS)

    @dataclass
    class Chosen(Message):
        """This is the way to go."""

        way: WayOut

    def __init__(self, *, id: str) -> None:  # noqa: A002
        super().__init__(id=id)
        self.ways: tuple[WayOut, ...] = ()

    def fill(self, ways: tuple[WayOut, ...]) -> None:
        """Show these ways, the highlight on the first."""
        self.ways = ways
        first = range(1, len(ways) + 1)
        self.lay_out(first, height=1, total=len(ways) + 1 if ways else 0, cursor=0 if ways else -1, keep=None)

    def choose(self, number: int) -> None:
        """Go the way with this number, counted from 1; nothing when there is none."""
        if 0 < number <= len(self.ways):
            self.post_message(self.Chosen(self.ways[number - 1]))

    def chosen(self) -> None:
        """Go the highlighted way."""
        self.choose(self.cursor + 1)

    def action_pick(self, number: int) -> None:
        """Go the way with this number."""
        self.choose(number)

    def heading(self, row: int, line: int, width: int) -> Iterable[Piece]:
        """What these rows are."""
        yield TITLE, "lines--group"

    def pieces(self, row: int, line: int, width: int) -> Iterable[Piece]:
        """The key of a way, how many hits it has, and what is different about it. While it has the focus, a list takes
        the digit alone."""
        way = self.ways[row]
        key = f"{row + 1} " if self.has_focus else f"F{row + 1}"
        yield f" {key}  " if row < NUMBERED else " " * 5, "lines--group"
        yield f"{many(way)} {one_line(way.reason, 200)}", ""
        if way.profile is not None and way.hits:
            yield "  opens that store", "lines--soft"


def many(way: WayOut) -> str:
    """`12 hits`, `200+ hits`."""
    return f"{count(way.hits)}+ hits" if way.more else count(way.hits, "hit")
