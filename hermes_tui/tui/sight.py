"""A list over the browser that looks at sessions in another way: it reads, shows rows, and ends with a place to go to.

What it shows is read by a coroutine that is cancelled with it; until it answers the title says that it reads, and what
goes wrong is said there too.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Sequence
from typing import ClassVar, Protocol

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.getters import query_one
from textual.screen import ModalScreen
from textual.widget import Widget
from textual.widgets import Static
from textual.worker import Worker

from hermes_tui.model import Anchor
from hermes_tui.render import one_line
from hermes_tui.tui.asking import ERRORS
from hermes_tui.tui.lines import MOVES, Lines, Piece, under

READING = "Reading the store ..."


class Row(Protocol):
    """One line of such a list. Equal headings that follow each other are said once, above the first."""

    @property
    def heading(self) -> str:
        """What it stands under; "" for nothing."""

    @property
    def anchor(self) -> Anchor | None:
        """The place that Enter goes to, if it stands for one."""

    def pieces(self, width: int) -> Iterable[Piece]:
        """Its runs of text, safe, for a line of `width` cells."""


class SightRows(Lines):
    """The rows. A heading has a blank line above it, but for the first."""

    BINDINGS = MOVES

    def __init__(self, *, id: str) -> None:  # noqa: A002 - Textual's own name for it
        super().__init__(id=id)
        self.rows: Sequence[Row] = ()

    def fill(self, rows: Sequence[Row], *, cursor: int = 0) -> None:
        """Show these, the highlight on one of them."""
        self.rows = rows
        first, total = under(row.heading for row in rows)
        self.lay_out(first, height=1, total=total, cursor=min(cursor, len(rows) - 1), keep=None)

    @property
    def here(self) -> Row | None:
        """The highlighted row."""
        return self.rows[self.cursor] if 0 <= self.cursor < len(self.rows) else None

    def heading(self, row: int, line: int, width: int) -> Iterable[Piece]:
        """What the rows below have in common, right above them."""
        if line == -1:
            yield one_line(self.rows[row].heading, width), "lines--group"

    def pieces(self, row: int, line: int, width: int) -> Iterable[Piece]:
        """As the row says."""
        return self.rows[row].pieces(width)

    def chosen(self) -> None:
        """The screen knows what to do."""
        if isinstance(screen := self.screen, SightScreen):
            screen.choose()


class SightScreen(ModalScreen[Anchor | None]):
    """Ends with the place to read, or with nothing. A subclass reads in `load` and hands rows to `show`."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape,q", "close", "Close", show=False)]
    KEYS: ClassVar[str] = "Enter opens it, Escape closes this."

    rows = query_one(SightRows)

    def __init__(self, *, most: int = 0) -> None:
        """`most` is how many rows `load` asks for at most, where it does not show all there is."""
        super().__init__()
        self.most = most
        self.cut = False
        """Whether there are more."""

    @abstractmethod
    async def load(self) -> None:
        """Read, and show what there is."""

    def compose(self) -> ComposeResult:
        """Title, whatever else there is, rows, and which keys there are."""
        with Vertical(id="sight"):
            yield Static(READING, id="sight-title", markup=False)
            yield from self.beside()
            yield SightRows(id="sight-rows")
            yield Static(self.KEYS, id="sight-keys", markup=False)

    def beside(self) -> Iterable[Widget]:
        """What stands between the title and the rows."""
        return ()

    def on_mount(self) -> None:
        """Begin to read."""
        self.rows.focus()
        self.read_anew()

    def read_anew(self) -> Worker[None]:
        """Read again, in place of what is being read."""
        return self.run_worker(self._loading, exclusive=True)

    async def _loading(self) -> None:
        try:
            await self.load()
        except ERRORS as error:
            self.title_line(str(error))

    def title_line(self, text: str) -> None:
        """Say this above the rows."""
        self.query_one("#sight-title", Static).update(one_line(text, 400))

    def show(self, title: str, rows: Sequence[Row], *, cursor: int = 0) -> None:
        """Show rows under a title."""
        self.title_line(title)
        self.rows.fill(rows, cursor=cursor)

    def choose(self) -> None:
        """End with the highlighted row's place, if it has one."""
        here = self.rows.here
        if here is not None and here.anchor is not None:
            self.dismiss(here.anchor)

    def action_more(self) -> None:
        """Ten times as many rows, where there are more than are shown."""
        if self.cut:
            self.cut = False
            self.most *= 10
            self.title_line(READING)
            self.read_anew()

    def action_close(self) -> None:
        """End with nothing."""
        self.dismiss(None)

    def went(self, anchor: Anchor | None) -> None:
        """Another screen, opened over this one, ended: go along with it if it leads anywhere."""
        if anchor is not None:
            self.dismiss(anchor)
