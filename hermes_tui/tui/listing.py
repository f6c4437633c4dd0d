"""A screen with the list of conversations: which are in it, in which order, and what stands together."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import replace
from functools import partial

from textual.getters import query_one
from textual.reactive import var

from hermes_tui.model import SessionList
from hermes_tui.query import Field, parse
from hermes_tui.tui import session_list
from hermes_tui.tui.asking import Source
from hermes_tui.tui.column_picker import ColumnPicker
from hermes_tui.tui.columns import USUAL, Column
from hermes_tui.tui.commands import Where
from hermes_tui.tui.handing import HandingScreen
from hermes_tui.tui.order import Grouping, ListOrder
from hermes_tui.tui.session_rows import SessionRows
from hermes_tui.tui.sheet import Sheet, View

SLOW = 0.25
"""Seconds after which the heading says that another list is being read."""
GLANCE = 0.08
"""Seconds that a row has to stay highlighted before it is looked up what it is about."""
LONG = 6_000
"""Rows from which reading the whole list again takes long enough to show what is new first."""
NARROWING = 0.25
"""Seconds without a key before filters that are being typed narrow the list."""


class ListingScreen(HandingScreen, inherit_bindings=False):
    """What `Browser` has of these."""

    sheet: var[Sheet | None] = var(None, always_update=True, init=False)
    """The list; None until the store has answered."""
    order: var[ListOrder] = var(ListOrder.ACTIVITY, init=False)
    grouping: var[Grouping] = var(Grouping.NONE, init=False)
    everything: var[bool] = var(False, init=False)
    listing_anew: var[bool] = var(False, init=False)
    """Whether another list is being read."""
    lifted: var[bool] = var(True, init=False)
    """Whether F1 to F9 lift filters, and do not take ways out."""

    sessions = query_one(session_list.SessionList)

    def __init__(
        self,
        library: Source,
        *,
        sessions: Future[SessionList] | None,
        clock: Callable[[], float],
        rest: float | None,
    ) -> None:
        super().__init__(library, sessions=sessions, rest=rest)
        self._clock = clock
        self._newest: SessionList | None = None
        """What was read last, of which the list is made or about to be."""
        self._awaited: View | None = None
        """What is being read."""

    @property
    def listing(self) -> SessionList | None:
        """What the list was made from."""
        return None if self.sheet is None else self.sheet.listing

    @property
    def view(self) -> View:
        """What is asked of the list as things stand."""
        return View(self.order, self.grouping, self.everything, self._narrowing())

    def _narrowing(self) -> tuple[tuple[int, str], ...]:
        filters = parse(self.text, mode=self.mode).filters if self.text else ()
        return tuple((number, one.text) for number, one in enumerate(filters, 1) if one.field is not Field.IN)

    def list_again(self, *, wait: float = 0.0) -> None:
        """Put the list together as it is asked for now. Rows that are here, or on their way, are not read again; what
        has to be read is, after `wait` seconds without being asked for something else."""
        view, here = self.view, self.sheet
        held = here is not None and here.view.reads_as(view)
        if held:
            self.ask("list", self._put)
        if self._awaited is not None and self._awaited.reads_as(view):
            return
        self.workers.cancel_group(self, "read")
        self._awaited = None
        if not held or here is None or here.listing.truncated:
            self._awaited = view
            self.ask("read", partial(self._read, view, wait))

    async def _read(self, view: View, wait: float) -> None:
        await asyncio.sleep(wait)
        slow = self.set_timer(SLOW, self._say_reading)
        try:
            await self.put_list()
        finally:
            slow.stop()
            if self._awaited is view:
                self._awaited, self.listing_anew = None, False

    async def put_list(self) -> None:
        """Read the list and show it; one that is not asked for any more by then is not shown."""
        view = self.view
        listing = await self.desk.listing(view)
        if self.view.reads_as(view):
            self._newest = listing
            await self._put()

    async def put_news(self) -> None:
        """Somebody wrote: show what is new at the top of a long list first, then the whole as it is now."""
        newest, view = self._newest, self.view
        if newest is not None and len(newest.rows) > LONG and view.reads_as(View()) and not newest.truncated:
            found = await self.desk.renewed(newest)
            if self._newest is newest and self.view.reads_as(view):
                self._newest = found
                await self._put()
        await self.put_list()

    async def _put(self) -> None:
        if (newest := self._newest) is not None:
            self.sheet = await self.desk.sheet(self.view, newest, now=self._clock())

    async def put_page(self, listing: SessionList) -> None:
        """Show what was read before anything was asked for, and go on to what is asked for now."""
        self._newest = listing
        plain = replace(self.view, everything=False, filters=())
        self.sheet = await self.desk.sheet(plain, listing, now=self._clock())
        if listing.truncated or not plain.reads_as(self.view):
            self.list_again()

    def on_mount(self) -> None:
        """Show the columns that were chosen in an earlier run."""
        names = None if self.history is None else self.history.columns
        if names is not None:
            self.sessions.show_columns(frozenset(column for column in Column if column.value in names))

    def _say_reading(self) -> None:
        self.listing_anew = True

    # What the rows say.

    def on_session_rows_details_wanted(self, event: SessionRows.DetailsWanted) -> None:
        """Fetch what rows in view lack."""

        async def fetch() -> None:
            self.sessions.supply(await self.desk.detailed(event.rows))

        self.ask("details", fetch, exclusive=False)

    def on_session_rows_highlighted(self, event: SessionRows.Highlighted) -> None:
        """Show the highlighted conversation, unless it is a search that leads now."""
        if self.where is Where.LIST or not self.text:
            self.show(event.anchor, wait=self.moving.wait())

    def on_session_rows_opened(self, event: SessionRows.Opened) -> None:
        """Read it."""
        self.read(event.anchor)

    def on_session_list_glance_wanted(self, event: session_list.SessionList.GlanceWanted) -> None:
        """Look what the highlighted conversation is about, once the highlight rests."""

        async def look() -> None:
            await asyncio.sleep(GLANCE)
            self.sessions.take(await self.desk.glance(event.session))

        self.ask("glance", look)

    # What a search says.

    def watch_text(self) -> None:
        """Filters of the search narrow the list too."""
        self._narrow()

    def watch_mode(self) -> None:
        """They may be read in another way now."""
        self._narrow()

    def watch_ways(self) -> None:
        """The keys of filters are those of the ways out, while there are some."""
        self.lifted = not self.ways

    def _narrow(self) -> None:
        if self.sheet is not None and self.view.filters != self.sheet.view.filters:
            self.list_again(wait=NARROWING if self.search.box.has_focus and self.text else 0.0)

    # Actions of the command table.

    def action_choose_columns(self) -> None:
        """Choose the columns from a list; what is chosen holds at once, and in later runs."""
        rows = self.sessions.rows

        def chosen(columns: frozenset[Column]) -> None:
            rows.show_columns(columns)
            names = None if columns == USUAL else [column.value for column in Column if column in columns]
            if (history := self.history) is not None:
                self._write(lambda: history.choose_columns(names))

        self.app.push_screen(
            ColumnPicker(
                rows.wanted,
                chosen=chosen,
                left=lambda: () if rows.fit is None else rows.fit.left,
                present=frozenset() if self.sheet is None else self.sheet.present,
            )
        )

    def action_toggle_glance(self) -> None:
        """Show what the highlighted conversation is about below the list, or not."""
        self.sessions.peeking = not self.sessions.band.display

    def action_next_grouping(self) -> None:
        """Let rows stand together by something else."""
        self.grouping = self.grouping.next()
        self.list_again()
