"""The one main screen. It owns what is asked and shown, and introduces the panes to each other.

State flows down as reactives, panes speak up with messages, and every question to the store is a coroutine in a worker
group of its own: starting one cancels the one before, so that the newest wins.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future

from textual import events
from textual.actions import SkipAction
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.getters import query_one
from textual.widget import Widget

from hermes_tui import model
from hermes_tui.library import Stores
from hermes_tui.model import Anchor
from hermes_tui.tui.asking import Source
from hermes_tui.tui.box import Box
from hermes_tui.tui.commands import Where, bindings
from hermes_tui.tui.find import FindBar
from hermes_tui.tui.goto import GoToBar
from hermes_tui.tui.heading import Heading
from hermes_tui.tui.help import HelpScreen
from hermes_tui.tui.hint_bar import HintBar
from hermes_tui.tui.hinting import HintingScreen
from hermes_tui.tui.levels import above, beside
from hermes_tui.tui.lines import ONE_PANE
from hermes_tui.tui.rail import Rail
from hermes_tui.tui.search import SearchPane
from hermes_tui.tui.session_list import SessionList
from hermes_tui.tui.status import StatusLine
from hermes_tui.tui.transcript import TranscriptPane
from hermes_tui.tui.turns import TurnRows

NARROW = 80
"""Columns up to which one pane is shown at a time."""
IDS = {
    "list-rows": Where.LIST,
    "box": Where.BOX,
    "hits": Where.HITS,
    "ways": Where.WAYS,
    "find-box": Where.FIND,
    "goto-box": Where.GOTO,
    "turns": Where.OUTLINE,
    "hint-bar": Where.HINTS,
}
TEXT = (Where.TRANSCRIPT, Where.FIND, Where.GOTO, Where.OUTLINE)
"""The places of the pane that is read."""


class Browser(HintingScreen, inherit_bindings=False):
    """Session list, search and transcript of one library."""

    BINDINGS = bindings(Where.ANYWHERE)
    AUTO_FOCUS = "#list-rows"

    status = query_one(StatusLine)

    def __init__(
        self,
        library: Source,
        *,
        sessions: Future[model.SessionList] | None,
        anchor: Anchor | None,
        clock: Callable[[], float],
        rest: float | None,
    ) -> None:
        super().__init__(library, sessions=sessions, clock=clock, rest=rest)
        self._start = anchor
        self._came_from = Where.LIST

    @property
    def is_current(self) -> bool:
        """Whether this screen is on top. While another one covers it Textual would repaint both without end."""
        return self.is_attached and self.app.screen is self

    def compose(self) -> ComposeResult:
        """List on the left, search above transcript on the right, the status line below."""
        with Horizontal(id="panes"):
            yield SessionList(id="list", clock=self._clock, start=self._start).data_bind(
                Browser.sheet, reading=Browser.listing_anew, numbered=Browser.lifted
            )
            with Vertical(id="reading"):
                yield SearchPane(id="search", clock=self._clock).data_bind(
                    Browser.answer,
                    Browser.text,
                    Browser.busy,
                    Browser.outdated,
                    Browser.mode,
                    Browser.filters,
                    Browser.counting,
                    Browser.ways,
                    everything=Browser.all_hits,
                )
                yield Heading(id="heading").data_bind(Browser.lens)
                with Vertical(id="page"):
                    with Horizontal(id="paper"):
                        yield (
                            pane := TranscriptPane(id="transcript", clock=self._clock).data_bind(
                                Browser.rewound, Browser.lens
                            )
                        )
                        yield Rail(id="rail", cells=pane.signs)
                        yield TurnRows(id="turns")
                    yield FindBar(id="find")
                    yield GoToBar(id="goto")
        yield StatusLine(id="status").data_bind(Browser.notice, Browser.where)
        yield HintBar(id="hint-bar")

    async def opened(self, stores: Stores, listing: model.SessionList) -> None:
        """Show the first page, and the place the browser was started with."""
        self.status.store, self.status.badge = stores.label, stores.badge
        await self.put_page(listing)
        if self._start is not None:
            self.read(self._start)
        self.look_elsewhere()

    def put_away(self, here: Anchor | None) -> None:
        """Forget the list of other stores; the next one begins at `here`."""
        self._start = self._newest = self.sheet = None
        self.sessions.rows.forget(here)

    def row_here(self) -> Anchor | None:
        """The conversation that is highlighted in the list."""
        session = self.sessions.rows.session
        return None if session is None else Anchor(session.id, profile=session.profile)

    def time_of_row(self) -> float | None:
        """When it was last active."""
        session = self.sessions.rows.session
        return None if session is None else session.last_active_at or session.started_at

    async def changed(self) -> None:
        """Somebody wrote to the store: show it, and leave the reader where they are."""
        self.status.store, self.status.badge = self.desk.stores.label, self.desk.stores.badge
        await self.put_news()
        self.tell_elsewhere()
        await self.renew()
        self.seek_again()

    # Where the reader is.

    def on_resize(self, event: events.Resize) -> None:
        """One pane at a time in a narrow terminal."""
        self._arrange()

    def on_descendant_focus(self, event: events.DescendantFocus) -> None:
        """Note which pane has the focus: by now it may be another one than this event is about."""
        self.where = self._place_of(self.focused or event.widget)
        if self.where in (Where.LIST, Where.HITS):
            self._came_from = self.where
        elif self.where in (Where.BOX, Where.WAYS):
            self._came_from = Where.HITS
        if self.hinting and self.where is not Where.HINTS:
            self.close_hints(back=False)
        self._arrange()

    def _place_of(self, widget: Widget) -> Where:
        inside = self.transcript in widget.ancestors_with_self
        return Where.TRANSCRIPT if inside else IDS.get(widget.id or "", Where.ANYWHERE)

    def _arrange(self) -> None:
        narrow = self.app.size.width <= NARROW
        where = self.hints_from if self.where is Where.HINTS else self.where
        self.set_class(narrow, ONE_PANE)
        self.heading.lit = where in TEXT
        for pane, places in (
            (self.sessions, (Where.LIST,)),
            (self.query_one("#reading"), (Where.BOX, Where.HITS, Where.WAYS, *TEXT)),
            (self.search, (Where.BOX, Where.HITS, Where.WAYS)),
            (self.heading, TEXT),
            (self.query_one("#page"), TEXT),
            (self.query_one("#rail"), tuple(place for place in TEXT if place is not Where.OUTLINE)),
            (self.transcript, tuple(place for place in TEXT if place is not Where.OUTLINE)),
        ):
            shown = not narrow or where in places
            if pane.display != shown:  # setting it costs a layout even when it changes nothing
                pane.display = shown

    def go(self, where: Where) -> None:
        """Move the focus, at once, since the next key is for the new pane; it has to be on screen to take it."""
        self.where = where
        self._arrange()
        match where:
            case Where.LIST | Where.ANYWHERE:
                self.set_focus(self.sessions.rows)
            case Where.BOX:
                self.set_focus(self.search.box)
            case Where.HITS | Where.WAYS:
                self.set_focus(self.search.rows)
            case Where.TRANSCRIPT:
                self.set_focus(self.transcript)
            case Where.FIND:
                self.set_focus(self.find_bar.box)
            case Where.GOTO:
                self.set_focus(self.goto_bar.box)
            case Where.OUTLINE:
                self.set_focus(self.turns)
            case Where.HINTS:
                self.set_focus(self.hint_bar)

    # Actions of the command table.

    def action_focus_box(self) -> None:
        """To the search box; in a box the key is a character, which Textual does not know of this one."""
        if isinstance(self.focused, Box | HintBar):
            raise SkipAction
        self.go(Where.BOX)

    def action_next_pane(self) -> None:
        """To the next pane."""
        self.go(beside(self.where, 1, has_hits=self.search.rows.count > 0))

    def action_previous_pane(self) -> None:
        """To the previous pane."""
        self.go(beside(self.where, -1, has_hits=self.search.rows.count > 0))

    def action_back(self) -> None:
        """Up one level; from the top, end the search that stands."""
        match self.where:
            case Where.TRANSCRIPT if self.transcript.deselect():
                return
            case Where.HINTS:
                self.close_hints()
                return
            case Where.GOTO:
                self.close_goto()
                return
            case Where.OUTLINE:
                self.close_outline()
                return
            case Where.FIND | Where.TRANSCRIPT if self.finding:
                self.close_find()
                return
            case Where.TRANSCRIPT if self.turns.display:
                self.close_outline()
                return
        if self.where is Where.TRANSCRIPT and self.transcript.fold():
            return
        up = above(self.where, came_from=self._came_from, has_hits=self.search.rows.count > 0)
        if up is not None:
            self.go(up)
        elif self.search.box.value:
            self.search.box.value = ""
        else:
            self.say("This is the top. q quits.")

    def action_toggle_everything(self) -> None:
        """All of what the list in use leaves out, or not."""
        if self.where is Where.HITS:
            self.all_hits = not self.all_hits
            self.seek()
        else:
            self.everything = not self.everything
            self.list_again()

    def action_toggle_rewound(self) -> None:
        """Rewound turns in hits and transcript, or not."""
        self.rewound = not self.rewound
        self.say("Turns that were taken back are shown." if self.rewound else "Turns that were taken back are hidden.")
        if self.text:
            self.seek()

    def action_next_sort(self) -> None:
        """The next order of the list in use."""
        if self.where is Where.HITS:
            self.next_hit_order()
        else:
            self.order = self.order.next()
            self.list_again()

    def action_copy_selection(self) -> None:
        """Copy what is selected on screen or in the box."""
        focused = self.focused
        selected = focused.selected_text if isinstance(focused, Box) else self.transcript.selected_text()
        if selected:
            self.app.copy_to_clipboard(selected)
        else:
            self.say("Nothing is selected to copy. Ctrl+Q quits.")

    def action_help(self) -> None:
        """What the keys do here."""
        self.app.push_screen(HelpScreen(self.where))
