"""A list over the browser to choose from, narrowed by typing; and that of the filters."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Sequence
from typing import ClassVar, Generic, TypeVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.getters import query_one
from textual.screen import ModalScreen
from textual.widgets import Input, Static

from hermes_tui.model import Filtered
from hermes_tui.query import Field
from hermes_tui.render import cells, one_line
from hermes_tui.tui.choices import Choice, Facets, choices, narrowed
from hermes_tui.tui.lines import STEERING, Lines, Piece, field, under

T = TypeVar("T")


class PickRows(Lines, can_focus=False):
    """The rows of a list to choose from: each is a text and a softer one at the right, under headings."""

    def __init__(self, *, id: str) -> None:  # noqa: A002
        super().__init__(id=id)
        self._rows: Sequence[tuple[str, str, str]] = ()

    def fill(self, rows: Sequence[tuple[str, str, str]], *, cursor: int = 0) -> None:
        """Show rows of (heading, text, about); equal headings that follow each other are said once."""
        self._rows = rows
        first, total = under((heading for heading, _, _ in rows), gap=0)
        self.lay_out(first, height=1, total=total, cursor=min(cursor, len(rows) - 1), keep=None)

    def heading(self, row: int, line: int, width: int) -> Iterable[Piece]:
        """What the rows below have in common."""
        yield one_line(self._rows[row][0], width), "lines--group"

    def pieces(self, row: int, line: int, width: int) -> Iterable[Piece]:
        """Text at the left, what is to be said of it at the right."""
        _, text, about = self._rows[row]
        room = max(0, width - cells(about) - 3)
        yield f" {field(text, room)} ", "lines--title"
        yield f"{about} ", "lines--soft"

    def out_of_view(self) -> str:
        """How many rows are above and below those in view, in words; "" for none."""
        shown = self.in_view()
        below = self.count - shown.stop if self.size.height else 0
        return ", ".join(f"{many:,} more {where}" for many, where in ((shown.start, "above"), (below, "below")) if many)

    def _rows_changed(self) -> None:
        super()._rows_changed()
        if isinstance(self.screen, PickerScreen):
            self.screen.tell_more()

    def chosen(self) -> None:
        """A second click chooses."""
        screen = self.screen
        if isinstance(screen, PickerScreen):
            screen.action_choose()


class PickerScreen(ModalScreen[T | None], Generic[T]):
    """A box to type in and rows that are like what was typed. Enter ends it with a row, Escape with nothing."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "close", "Close", show=False), *STEERING]
    PLACEHOLDER: ClassVar[str] = ""
    KEYS: ClassVar[str] = "Enter takes it, Escape closes this."

    rows = query_one(PickRows)

    def __init__(self) -> None:
        super().__init__()
        self._offered: Sequence[T] = ()

    @abstractmethod
    def offer(self, typed: str) -> Sequence[T]:
        """What is like `typed`, best first."""

    @abstractmethod
    def row(self, item: T) -> tuple[str, str, str]:
        """How it looks: heading, text, about."""

    def compose(self) -> ComposeResult:
        """Box, rows, and which keys there are."""
        with Vertical(id="picker"):
            box = Input(id="picker-box", compact=True, placeholder=self.PLACEHOLDER, select_on_focus=False)
            box.cursor_blink = False
            yield box
            yield PickRows(id="picker-rows")
            yield Static(id="picker-more", markup=False)
            yield Static(self.KEYS, id="picker-keys", markup=False)

    def on_mount(self) -> None:
        """Offer everything."""
        self.show()

    def on_input_changed(self, event: Input.Changed) -> None:
        """Offer what is like it."""
        event.stop()
        self.show()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Take the highlighted row."""
        event.stop()
        self.action_choose()

    def show(self, *, cursor: int = 0) -> None:
        """Offer what is like the typed text."""
        self._offered = self.offer(self.query_one(Input).value)
        self.rows.fill([self.row(item) for item in self._offered], cursor=cursor)

    def tell_more(self) -> None:
        """Say how many rows there is no room for; the wheel and the arrow keys bring them into view."""
        self.query_one("#picker-more", Static).update(self.rows.out_of_view())

    @property
    def here(self) -> T | None:
        """What is highlighted."""
        row = self.rows.cursor
        return self._offered[row] if 0 <= row < len(self._offered) else None

    def action_choose(self) -> None:
        """End with what is highlighted."""
        if self.here is not None:
            self.dismiss(self.here)

    def action_close(self) -> None:
        """End with nothing."""
        self.dismiss(None)

    def action_move(self, by: int) -> None:
        """Another row."""
        self.rows.go(self.rows.cursor + by)

    def action_page(self, direction: int) -> None:
        """Another page of rows."""
        self.rows.page(direction)


class FilterPicker(PickerScreen[Choice]):
    """The filters that stand, and all that could."""

    PLACEHOLDER = "Find a filter; begin with - for its opposite"
    KEYS = "Enter adds or removes it, - in front negates, Escape closes this."

    def __init__(self, filters: Sequence[Filtered], facets: Facets) -> None:
        super().__init__()
        self._filters = filters
        self._facets: dict[Field, Sequence[tuple[str, int]]] = dict(facets)

    def supply(self, name: Field, values: Sequence[tuple[str, int]]) -> None:
        """Values of a field that the store holds."""
        self._facets[name] = values
        if self.is_mounted:
            held = self.here
            self.show()
            if held is not None and held in self._offered:
                self.rows.go(list(self._offered).index(held), quietly=True)

    def offer(self, typed: str) -> Sequence[Choice]:
        """What is like `typed`."""
        return narrowed(choices(self._filters, self._facets), typed)

    def row(self, item: Choice) -> tuple[str, str, str]:
        """Under its field, with how often there is such a thing."""
        return item.heading, item.text, item.about
