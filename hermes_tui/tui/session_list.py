"""Pane 1: every conversation of the store, and a line that says what is not shown and which key shows it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable

from textual import events
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.getters import query_one
from textual.message import Message
from textual.reactive import var

from hermes_tui.model import Anchor, Session
from hermes_tui.model.record import dataclass
from hermes_tui.tui.band import Band
from hermes_tui.tui.columns import Column
from hermes_tui.tui.elsewhere import Elsewhere
from hermes_tui.tui.glance import Glance, GlanceBand
from hermes_tui.tui.list_heading import column_names, heading
from hermes_tui.tui.session_rows import SessionRows
from hermes_tui.tui.sheet import Sheet

TALL = 30
"""Lines from which the pane has room for the band below the rows."""


class SessionList(Vertical):
    """The pane: a heading, the names of the columns, and the rows."""

    sheet: var[Sheet | None] = var(None, always_update=True, init=False)
    """What is listed; None until the store has answered."""
    reading: var[bool] = var(False, init=False)
    """Whether another list is being read."""
    numbered: var[bool] = var(True, init=False)
    """Whether F1 to F9 lift filters now."""

    peeking: var[bool | None] = var(None, init=False)
    """Whether the band below the rows is shown; None shows it where there is room for it."""

    rows = query_one(SessionRows)
    band = query_one(GlanceBand)

    @dataclass
    class GlanceWanted(Message):
        """The band below the rows lacks what this conversation is about: hand it over with `take`."""

        session: Session

    def __init__(self, *, id: str, clock: Callable[[], float], start: Anchor | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._clock = clock
        self._start = start

    def compose(self) -> ComposeResult:
        """A heading above the rows."""
        yield Band(id="list-heading")
        yield Elsewhere(id="elsewhere")
        yield Band(id="list-columns")
        yield SessionRows(id="list-rows", clock=self._clock, start=self._start)
        yield GlanceBand(id="list-glance")

    def on_mount(self) -> None:
        """There are no columns yet, and nothing to glance at."""
        self.query_one("#list-columns").display = False
        self.band.display = False

    def supply(self, rows: Iterable[Session]) -> None:
        """Rows with counts, status and first words."""
        self.rows.supply(rows)

    def show_columns(self, wanted: Collection[Column]) -> None:
        """Show these columns, as far as there is room."""
        self.rows.show_columns(wanted)

    def watch_sheet(self, sheet: Sheet | None) -> None:
        """Show what the store has answered."""
        self._show_heading()
        if sheet is not None:
            self.rows.fill(sheet)
            self._glance()

    def watch_reading(self) -> None:
        """Say so, or no longer."""
        self._show_heading()

    def watch_numbered(self) -> None:
        """The keys of filters mean something else."""
        self._show_heading()

    def on_resize(self, event: events.Resize) -> None:
        """The heading says more where there is more room, and the band comes or goes."""
        self._show_heading()
        self._show_band()

    # The band.

    def watch_peeking(self) -> None:
        """Show the band, or put it away."""
        self._show_band()

    def on_session_rows_highlighted(self, event: SessionRows.Highlighted) -> None:
        """Another conversation to glance at."""
        self._glance()

    def on_session_rows_passed(self, event: SessionRows.Passed) -> None:
        """There is none."""
        self._glance()

    def take(self, glance: Glance) -> None:
        """What a conversation is about; shown if it is still the highlighted one."""
        session = self.rows.session
        if session is not None and session.key == glance.key:
            self.band.show(glance)

    def _show_band(self) -> None:
        shown = self.size.height >= TALL if self.peeking is None else self.peeking
        if self.band.display != shown:
            self.band.display = shown
            self._glance()

    def _glance(self) -> None:
        session = self.rows.session
        if not self.band.display:
            return
        if session is None:
            self.band.show(None)
            return
        self.band.expect(session.key)
        self.post_message(self.GlanceWanted(session))

    def on_session_rows_fit_changed(self, event: SessionRows.FitChanged) -> None:
        """Name the columns."""
        event.stop()
        band, fits = self.query_one("#list-columns", Band), self.rows.fit
        if band.display != (fits is not None):
            band.display = fits is not None
        if fits is not None:
            band.put(Content.styled(column_names(fits), "$soft"))

    def _show_heading(self) -> None:
        width = max(20, self.size.width - 2)
        first, *rest = heading(self.sheet, width, reading=self.reading, numbered=self.numbered)
        text = Content.assemble((first, "$heading bold"), *(("\n" + line, "$soft") for line in rest))
        self.query_one("#list-heading", Band).put(text, lines=1 + len(rest))
