"""Scrolling over entries whose heights are guesses until they are looked at.

The invariant: what is in the window has its exact height, and when a height turns out to be another one, a chosen line
stays on its row of the screen; everything else moves around it. So a place can be shown in the middle of a hundred
thousand entries after measuring only what is beside it, and nothing jumps when text above it arrives.
"""

from __future__ import annotations

from abc import abstractmethod

from textual import events
from textual.geometry import Region, Size
from textual.scroll_view import ScrollView
from textual.scrollbar import ScrollBar
from textual.strip import Strip
from textual.widget import Widget

from hermes_tui.tui.heights import Heights
from hermes_tui.tui.steadybar import SteadyBar


class EntryScroll(ScrollView):
    """A column of entries, painted line by line. A subclass says how high they are and what is on their lines."""

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id, classes=classes)
        self.heights = Heights()
        self.room = 0
        """Cells in a line."""
        self.window = 0
        """Lines in the window."""
        self._settling = False
        self._sized = Size(0, 0)  # the size that `room` and `window` are for

    # What a subclass says.

    @abstractmethod
    def measure(self, index: int) -> int:
        """The height of entry `index`, exact where its contents are known, else the best guess."""

    @abstractmethod
    def line(self, index: int, row: int, width: int) -> Strip:
        """Line `row` of entry `index`."""

    def nothing(self, y: int, width: int) -> Strip:
        """Line `y` of the window when there are no entries."""
        return Strip.blank(width, self.rich_style)

    def moved(self) -> None:
        """The reader scrolled."""

    def settled(self) -> None:
        """The contents of the window are in place."""

    @abstractmethod
    def put_back(self) -> None:
        """The window has another size: put what was read back in its place, with `settle`."""

    @property
    def vertical_scrollbar(self) -> ScrollBar:
        """The scrollbar, one that is not painted for every line."""
        if self._vertical_scrollbar is None:
            bar = SteadyBar(vertical=True, name="vertical", thickness=self.scrollbar_size_vertical)
            self._vertical_scrollbar = bar
            bar.display = False
            self.app._start_widget(self, bar)
        return self._vertical_scrollbar

    # Where things are.

    @property
    def top(self) -> int:
        """The first line in the window."""
        return round(self.scroll_y)

    def in_window(self) -> range:
        """The entries that have a line in the window."""
        if not len(self.heights) or self.window <= 0:
            return range(0)
        last, _ = self.heights.find(self.top + self.window - 1)
        return range(self.heights.find(self.top)[0], last + 1)

    # Moving.

    def settle(self, index: int, row: int, at: int, *, same: bool = False) -> None:
        """Show line `row` of entry `index` on row `at` of the window, as near as the ends of the contents allow.

        Entries that come into the window on the way are measured, until no height changes any more. With `same` the
        contents are what is painted, so that nothing is painted again where nothing moves.
        """
        if self.window <= 0:
            return
        if not len(self.heights):
            self._put(0)
            return
        changed = True
        top, before = 0, (self.top, self.heights.total)
        while changed:
            changed = self._measure(index)
            row = max(0, min(row, self.heights[index] - 1))
            lowest = max(0, self.heights.total - self.window)
            top = max(0, min(self.heights.before(index) + row - at, lowest))
            entry, _ = self.heights.find(top)
            line = self.heights.before(entry)
            while line < top + self.window and entry < len(self.heights):
                changed |= self._measure(entry)
                line += self.heights[entry]
                entry += 1
        self._put(top, paint=not same or before != (top, self.heights.total))

    def move(self, lines: int) -> None:
        """Scroll by so many lines, down or (negative) up."""
        if len(self.heights):
            index, row = self.heights.find(self.top)
            self.settle(index, row, -lines)
            self.moved()

    def _measure(self, index: int) -> bool:
        return self.heights.set(index, self.measure(index))

    def _put(self, top: int, *, paint: bool = True) -> None:
        """Let the window begin at line `top`."""
        self._settling = True
        # Setting virtual_size the ordinary way lays out the whole screen again; only the scrollbar needs to know.
        self.set_reactive(Widget.virtual_size, Size(1, self.heights.total))
        self.vertical_scrollbar.window_virtual_size = self.heights.total
        self.scroll_target_y = self.scroll_y = top
        self._settling = False
        self.settled()
        if paint:
            self.refresh()

    def paint_entry(self, index: int) -> None:
        """Paint one entry again."""
        self.refresh_lines(self.heights.before(index), self.heights[index])

    # What Textual tells.

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        """Measure what came into the window, also when the scrollbar moved it."""
        super().watch_scroll_y(old_value, new_value)
        if not self._settling and self.size == self._sized and round(old_value) != round(new_value):
            self.settle(*self.heights.find(round(new_value)), 0)
            self.moved()

    def on_resize(self, event: events.Resize) -> None:
        """Another width breaks lines in other places; what was read stays."""
        self._catch_up()

    def render_lines(self, crop: Region) -> list[Strip]:
        """Paint; a new size may get here before the event that tells of it."""
        self._catch_up()
        return super().render_lines(crop)

    def _catch_up(self) -> None:
        if self.size != self._sized:
            self._sized = self.size
            self.room, self.window = self.scrollable_content_region.size
            if self.window > 0:
                self.put_back()

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        """A notch of the wheel."""
        self._wheel(event, 1)

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        """A notch of the wheel."""
        self._wheel(event, -1)

    def _wheel(self, event: events.MouseEvent, direction: int) -> None:
        event.stop()
        event.prevent_default()
        self.move(direction * max(1, round(self.app.scroll_sensitivity_y)))

    def render_line(self, y: int) -> Strip:
        """Line `y` of the window."""
        width, line = self.room, self.top + y
        if not len(self.heights):
            return self.nothing(y, width)
        if width <= 0 or line >= self.heights.total:
            return Strip.blank(max(0, self.size.width), self.rich_style)
        return self.line(*self.heights.find(line), width)
