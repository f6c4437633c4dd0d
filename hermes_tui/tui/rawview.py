"""A row of the store with every column, shown over the browser."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from rich.style import Style
from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.geometry import Size
from textual.screen import ModalScreen
from textual.scroll_view import ScrollView
from textual.strip import Strip
from textual.widgets import Static

from hermes_tui.render import Page, lay_out_row
from hermes_tui.tui.paint import CSS, GUTTER, LOOKS, paint


class RawRow(ScrollView, can_focus=True):
    """The columns; only lines in view are painted, so that a value may be of any length."""

    DEFAULT_CSS = CSS.replace("TranscriptPane", "RawRow")
    COMPONENT_CLASSES: ClassVar[set[str]] = set(LOOKS)
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("j", "scroll_down", show=False),
        Binding("k", "scroll_up", show=False),
        Binding("g", "scroll_home", show=False),
        Binding("G", "scroll_end", show=False),
        Binding("space", "page_down", show=False),
    ]

    def __init__(self, columns: Mapping[str, object], *, id: str) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id)
        self._columns = columns
        self._page = Page()
        self._looks: dict[str, Style] = {}

    def on_resize(self, event: events.Resize) -> None:
        """Lines break in other places; what is at the top stays there."""
        place = self._page.place(round(self.scroll_y)) if self._page.height else None
        room = self.scrollable_content_region.width
        self._page = lay_out_row(self._columns, max(1, room - GUTTER - 1))
        self.virtual_size = Size(room, self._page.height)
        if place is not None:
            self.scroll_to(y=self._page.locate(place), animate=False)
        self.refresh()

    def render_line(self, y: int) -> Strip:
        """One line of the window."""
        row, width = round(self.scroll_y) + y, self.size.width
        if row >= self._page.height:
            return Strip.blank(width, self._look(""))
        return paint((" ", ""), self._page.pieces(row), self._look, width=width, ink=self._page.ink(row))

    def notify_style_update(self) -> None:
        """Other colours."""
        self._looks.clear()
        super().notify_style_update()

    def _look(self, name: str) -> Style:
        if name not in self._looks:
            plain = self.rich_style
            self._looks[name] = plain + self.get_component_rich_style(name, partial=True) if name else plain
        return self._looks[name]


class RawScreen(ModalScreen[None]):
    """Any of its keys closes it."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape,q,v", "close", "Close", show=False)]

    def __init__(self, columns: Mapping[str, object], about: str) -> None:
        super().__init__()
        self._columns = columns
        self._about = about

    def compose(self) -> ComposeResult:
        """What it is, its columns, ways out."""
        with Vertical(id="raw"):
            yield Static(self._about, id="raw-title", markup=False)
            yield RawRow(self._columns, id="raw-row")
            yield Static("Arrows and Page keys scroll, Escape closes this.", id="raw-keys", markup=False)

    def action_close(self) -> None:
        """Back to the text."""
        self.dismiss()
