"""A screen that opens other views of its sessions: lineage, details, a day, activity, files."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from hermes_tui.library import Library, Stores, Ticket
from hermes_tui.model import Activity, Anchor, Day, Details, Moment, SessionKey, Touches, TreeRow
from hermes_tui.query import Field
from hermes_tui.tui.chart import ChartScreen
from hermes_tui.tui.commands import Where
from hermes_tui.tui.dossier import DetailsScreen
from hermes_tui.tui.switching import SwitchingScreen
from hermes_tui.tui.timeline import DayScreen
from hermes_tui.tui.touched import FilesScreen
from hermes_tui.tui.treeview import TreeScreen

DAY_MOST = 20_000
"""Messages of one day that are listed at first; the title says when there are more, and how to see them."""
TOUCHES_MOST = 500
"""Calls that touched a path, in the same way."""


class SightingScreen(SwitchingScreen, inherit_bindings=False):
    """What `Browser` has of these."""

    def place_here(self) -> Anchor | None:
        """The place that has the reader's attention: the highlighted row, or where the transcript is read."""
        match self.where:
            case Where.TRANSCRIPT | Where.OUTLINE | Where.FIND | Where.GOTO:
                return self.transcript.here
            case Where.HITS:
                return self.search.hits.anchor_here
            case _:
                return self.row_here()

    def row_here(self) -> Anchor | None:
        """The conversation that is highlighted in the list."""
        return None

    def open_place(self, anchor: Anchor | None) -> None:
        """Read the place that a view ended with, if it did."""
        if anchor is not None:
            self.transcript.leave()
            self.read(anchor)

    # Actions of the command table.

    def action_lineage(self) -> None:
        """The tree of the session here."""
        here = self._here()
        if here is None:
            return

        def tree(library: Library, ticket: Ticket) -> tuple[Sequence[TreeRow], dict[str, str]]:
            rows = library.tree(here.session_id, ticket=ticket)
            untitled = [row.id for row in rows if row.session is not None and not row.session.title]
            return rows, library.previews(untitled, ticket=ticket)

        self.app.push_screen(
            TreeScreen(lambda: self.desk.look(tree, profile=here.profile), clock=self.search.clock), self.open_place
        )

    def action_details(self) -> None:
        """The session here in full."""
        here = self._here()
        if here is None:
            return

        def details(library: Library, ticket: Ticket) -> Details:
            return library.details(here.session_id, ticket=ticket)

        self.app.push_screen(
            DetailsScreen(lambda: self.desk.look(details, profile=here.profile), clock=self.search.clock),
            self.open_place,
        )

    def action_timeline(self) -> None:
        """All that was said on the day of the place here."""
        here = self.place_here()
        at = self.time_of_row() if self.where is Where.LIST else self._time_read()
        self.open_day(self.search.clock() if at is None else at, self.open_place, around=here)

    def time_of_row(self) -> float | None:
        """When the conversation that is highlighted in the list was last active."""
        return None

    def _time_read(self) -> float | None:
        """When what is under the cursor of the transcript was said, which follows the hits too."""
        outline = self.transcript.outline
        at = self.transcript.cursor
        return outline.rows[at].timestamp if outline is not None and 0 <= at < len(outline.rows) else None

    def open_day(self, at: float, then: Callable[[Anchor | None], None], *, around: Anchor | None = None) -> None:
        """Show the day that a time is in."""

        def ask(stores: Stores, ticket: Ticket, start: float, end: float, most: int) -> Day:
            found = stores.day(start, end, limit=most, ticket=ticket)
            untitled = dict.fromkeys(one.session.key for one in found.moments if not one.session.title)
            words = stores.previews(tuple(untitled), ticket=ticket)
            return replace(found, moments=tuple(_named(one, words) for one in found.moments))

        async def read(start: float, end: float, most: int) -> Day:
            return await self.desk.overall(lambda stores, ticket: ask(stores, ticket, start, end, most))

        self.app.push_screen(DayScreen(read, at=at, most=DAY_MOST, around=around), then)

    def action_activity(self) -> None:
        """How much went on, day by day."""

        async def read(days: int, by: Field) -> Activity:
            now = self.search.clock()
            return await self.desk.overall(
                lambda stores, ticket: stores.activity(days=days, by=by, now=now, ticket=ticket)
            )

        self.app.push_screen(ChartScreen(read, open_day=self.open_day), self.open_place)

    def action_files(self) -> None:
        """Which sessions touched a path: the one that is selected, or one that is typed."""
        selected = self.transcript.selected_text().strip()
        self.open_files("" if "\n" in selected else selected)

    def open_files(self, path: str) -> None:
        """Show who touched a path."""

        async def read(path: str, most: int) -> Touches:
            return await self.desk.overall(lambda stores, ticket: stores.touched(path, limit=most, ticket=ticket))

        screen = FilesScreen(read, clock=self.search.clock, most=TOUCHES_MOST, path=path)
        self.app.push_screen(screen, self.open_place)

    def _here(self) -> Anchor | None:
        here = self.place_here()
        if here is None:
            self.say("No session is highlighted here.")
        return here


def _named(moment: Moment, words: Mapping[SessionKey, str]) -> Moment:
    """The same with the first words of its session, where that has no title."""
    said = words.get(moment.session.key)
    return replace(moment, session=moment.session._replace(preview=said)) if said else moment
