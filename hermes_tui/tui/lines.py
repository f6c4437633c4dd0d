"""A list of any number of rows, painted line by line: what the session list and the hits are made of.

Nothing is kept per row: a line is put together when the terminal asks for it, and a move of the highlight paints the
two rows that changed. A hundred thousand rows cost what a hundred cost.
"""

from __future__ import annotations

from abc import abstractmethod
from bisect import bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import ClassVar

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.binding import Binding, BindingType
from textual.geometry import Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.strip import Strip
from textual.widget import Widget

from hermes_tui.render import cells, fit
from hermes_tui.tui.piece import Piece as Piece
from hermes_tui.tui.piece import field as field
from hermes_tui.tui.tags import Tag, overlay

ONE_PANE = "-narrow"
"""The class of a screen that shows one pane at a time."""
MOVES: list[BindingType] = [
    Binding("down,j", "cursor_down", show=False),
    Binding("up,k", "cursor_up", show=False),
    Binding("pagedown,space", "page_down", show=False),
    Binding("pageup", "page_up", show=False),
    Binding("home,g", "cursor_first", show=False),
    Binding("end,G", "cursor_last", show=False),
    Binding("enter", "open", show=False),
]
"""The bindings of rows that have a screen to themselves."""
STEERING: list[BindingType] = [
    Binding("down", "move(1)", "Down", show=False),
    Binding("up", "move(-1)", "Up", show=False),
    Binding("pagedown", "page(1)", "Page down", show=False),
    Binding("pageup", "page(-1)", "Page up", show=False),
]
"""The bindings of a screen whose box has the focus while its rows are moved through."""


class Lines(ScrollView, can_focus=True):
    """Rows of equal height, with or without other lines between them, one of them highlighted.

    A subclass lays its rows out with `lay_out`, puts lines together in `pieces` and `heading`, and hears of moves and
    of Enter in `moved` and `chosen`.
    """

    ALLOW_SELECT = False
    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "lines--cursor",
        "lines--cursor-far",
        "lines--bar",
        "lines--title",
        "lines--soft",
        "lines--group",
        "lines--mark",
        "lines--user",
        "lines--assistant",
        "lines--tool",
        "lines--state",
        "lines--trouble",
        "lines--tag",
        "lines--tag-typed",
    }

    class RowsChanged(Message):
        """While labels are shown: other rows are in view, or stand elsewhere."""

    def __init__(self, *, id: str) -> None:  # noqa: A002 - Textual's own name for it
        super().__init__(id=id)
        self.cursor = -1
        self._first: Sequence[int] = range(0)
        self._height = 1
        self._total = 0
        self._width = 0
        self._looks: dict[tuple[str, str], Style] = {}
        self._tags: Mapping[int, Sequence[Tag]] = {}
        self._typed = ""

    # What a subclass says.

    @abstractmethod
    def pieces(self, row: int, line: int, width: int) -> Iterable[Piece]:
        """The runs of one line of a row, safe text; what does not fit in `width` cells is cut with a sign."""

    def heading(self, row: int, line: int, width: int) -> Iterable[Piece]:
        """The runs of a line between rows: `line` counts back from the row below it (-1 is right above)."""
        return ()

    def announce(self, make: Callable[[], Message]) -> None:
        """Post a message from within a watcher of the pane around these rows.

        Textual takes a message made there for the pane's own and keeps it from the screen, so it is made later.
        """
        self.call_later(lambda: self.post_message(make()))

    def moved(self) -> None:
        """The highlight is on another row now."""

    def chosen(self) -> None:
        """The highlighted row was opened."""

    def resized(self) -> None:
        """The width changed: lay out again where the layout depends on it."""

    # Layout.

    @property
    def count(self) -> int:
        """How many rows there are."""
        return len(self._first)

    @property
    def room(self) -> int:
        """Cells in a line."""
        return self.scrollable_content_region.width

    def lay_out(self, first: Sequence[int], *, height: int, total: int, cursor: int, keep: int | None) -> None:
        """Put rows of `height` lines at the lines `first`, `total` lines in all, and the highlight on `cursor`.

        `keep` is the line of the window that the highlighted row stays on, as near as the ends of the list allow, and
        out of view if it was there; None shows the list from its top, or as far down as the highlight is.
        """
        self._first, self._height, self._total = first, height, total
        self.cursor = cursor
        # Setting virtual_size the ordinary way lays out the whole screen again; only the scrollbar needs to know.
        self.set_reactive(Widget.virtual_size, Size(1, total))
        self.vertical_scrollbar.window_virtual_size = total
        top = 0 if keep is None or cursor < 0 else max(0, first[cursor] - keep)
        self.scroll_to(y=top, animate=False, force=True)
        if keep is None or 0 <= keep < self.size.height:
            self.reveal()
        self.refresh()
        self._rows_changed()

    def window_line(self) -> int:
        """The line of the window that the highlighted row is on; less than 0 or too large when it is out of view."""
        return self._first[self.cursor] - self.scroll_offset.y if 0 <= self.cursor < self.count else 0

    def in_view(self) -> range:
        """The rows in view."""
        top = self.scroll_offset.y
        last = bisect_right(self._first, top + max(1, self.size.height) - 1)
        return range(max(0, bisect_right(self._first, top) - 1), last)

    # Moving.

    def go(self, row: int, *, quietly: bool = False) -> None:
        """Highlight a row (the nearest there is) and bring it into view; `quietly` does not tell anyone."""
        if not self.count:
            return
        row = min(max(row, 0), self.count - 1)
        if row == self.cursor:
            self.reveal()
            return
        for changed in (self.cursor, row):
            if changed >= 0:
                self.refresh_lines(self._first[changed], self._height)
        self.cursor = row
        self.reveal()
        if not quietly:
            self.moved()

    def reveal(self) -> None:
        """Scroll as little as needed to show the highlighted row, with the heading above it."""
        if not 0 <= self.cursor < self.count:
            return
        top, window = self.scroll_offset.y, self.size.height
        line = self._first[self.cursor]
        above = self._first[self.cursor - 1] + self._height if self.cursor else 0
        if above < top or line < top:
            self.scroll_to(y=max(above, line + self._height - window), animate=False, force=True)
        elif line + self._height > top + window > 0:
            self.scroll_to(y=line + self._height - window, animate=False, force=True)

    def page(self, direction: int) -> None:
        """A window further, or back (-1)."""
        if not self.count:
            return
        line = self._first[self.cursor] + direction * max(1, self.size.height - self._height)
        row = bisect_right(self._first, max(0, line)) - 1
        self.go(row if row != self.cursor else self.cursor + direction)

    def action_cursor_down(self) -> None:
        """One row on."""
        self.go(self.cursor + 1)

    def action_cursor_up(self) -> None:
        """One row back."""
        self.go(self.cursor - 1)

    def action_page_down(self) -> None:
        """A window further."""
        self.page(1)

    def action_page_up(self) -> None:
        """A window back."""
        self.page(-1)

    def action_cursor_first(self) -> None:
        """The first row."""
        self.go(0)

    def action_cursor_last(self) -> None:
        """The last row."""
        self.go(self.count - 1)

    def action_open(self) -> None:
        """Open the highlighted row."""
        if 0 <= self.cursor < self.count:
            self.chosen()

    def on_click(self, event: events.Click) -> None:
        """A click highlights; a second one opens, or the first where one pane is shown at a time."""
        offset = event.get_content_offset(self)
        if offset is None:
            return
        line = offset.y + self.scroll_offset.y
        row = bisect_right(self._first, line) - 1
        if row < 0 or line >= self._first[row] + self._height:
            return
        self.go(row)
        if event.chain > 1 or self.screen.has_class(ONE_PANE):
            self.chosen()

    # Painting.

    def painted(self, row: int) -> str:
        """The first line of a row as it is painted, from the left edge."""
        return self._strip(((" ", ""), *self.pieces(row, 0, self.room - 1)), self.room, lit=False).text

    def put_tags(self, tags: Mapping[int, Sequence[Tag]], typed: str = "") -> None:
        """Paint these labels, by row; `typed` is what was typed of one."""
        if tags or self._tags:
            self._tags, self._typed = tags, typed
            self.refresh()

    def on_resize(self, event: events.Resize) -> None:
        """Lay out again when the width is another one, and keep the highlighted row in view."""
        if self.room != self._width:
            self._width = self.room
            self.resized()
        self.reveal()
        self._rows_changed()

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        """Other rows are in view."""
        super().watch_scroll_y(old_value, new_value)
        self._rows_changed()

    def _rows_changed(self) -> None:
        if self._tags:
            self.announce(self.RowsChanged)

    def on_focus(self) -> None:
        """The highlight looks different in the pane that has the focus."""
        self.refresh()

    def on_blur(self) -> None:
        """The highlight looks different in the pane that has the focus."""
        self.refresh()

    def render_line(self, y: int) -> Strip:
        """Put one line of the window together."""
        width = self.room
        line = y + self.scroll_offset.y
        if width <= 0 or line >= self._total:
            return Strip.blank(max(0, self.size.width), self._look("", ""))
        row = bisect_right(self._first, line) - 1
        if row >= 0 and line < self._first[row] + self._height:
            lit = row == self.cursor
            bar = ("▌", "lines--bar") if lit and self.has_focus else (" ", "")
            strip = self._strip((bar, *self.pieces(row, line - self._first[row], width - 1)), width, lit=lit)
            if (tags := self._tags.get(row)) is None or line > self._first[row]:
                return strip
            look, done = self._look("", "lines--tag"), self._look("", "lines--tag-typed")
            return overlay(strip, tags, self._typed, look=look, done=done)
        return self._strip(
            ((" ", ""), *self.heading(row + 1, line - self._first[row + 1], width - 1)), width, lit=False
        )

    def _strip(self, pieces: Iterable[Piece], width: int, *, lit: bool) -> Strip:
        under = "" if not lit else "lines--cursor" if self.has_focus else "lines--cursor-far"
        segments: list[Segment] = []
        left = width
        for text, name in pieces:
            text = fit(text, left)
            if text:
                segments.append(Segment(text, self._look(under, name)))
                left -= cells(text)
        if left > 0:
            segments.append(Segment(" " * left, self._look(under, "")))
        return Strip(segments, width)

    def _look(self, under: str, name: str) -> Style:
        """The style of a component class on a background, which is one too; "" is the plain one."""
        look = self._looks.get((under, name))
        if look is None:
            look = self.rich_style
            for part in (under, name):
                if part:
                    look += self.get_component_rich_style(part, partial=True)
            self._looks[under, name] = look
        return look

    def notify_style_update(self) -> None:
        """Other colours: work the styles out again."""
        self._looks.clear()
        super().notify_style_update()


def under(headings: Iterable[object], *, height: int = 1, gap: int = 1) -> tuple[list[int], int]:
    """The line that each row of `height` lines begins at, and how many lines there are, where a heading that the row
    before does not have stands above a row; `gap` blank lines stand above all headings but the first."""
    first: list[int] = []
    line, before = 0, None
    for heading in headings:
        if heading and heading != before:
            line += 1 + gap if first else 1
        before = heading
        first.append(line)
        line += height
    return first, line
