"""A screen that moves about in what it reads: places visited, the go-to line, the outline, what went wrong where."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from textual.getters import query_one

from hermes_tui.model import OutlineRow, Session, SessionKind, Transcript
from hermes_tui.render import count
from hermes_tui.tui.asklink import LinkScreen
from hermes_tui.tui.commands import Where
from hermes_tui.tui.finding import FindingScreen
from hermes_tui.tui.goto import GoToBar, aim
from hermes_tui.tui.kin import Kin, cradle
from hermes_tui.tui.lens import Sight
from hermes_tui.tui.lines import ONE_PANE
from hermes_tui.tui.rail import Rail
from hermes_tui.tui.rawview import RawScreen
from hermes_tui.tui.selecting import Selector
from hermes_tui.tui.status import Notice
from hermes_tui.tui.trail import Trail
from hermes_tui.tui.transcript import TranscriptPane
from hermes_tui.tui.turns import TurnRows
from hermes_tui.tui.walker import Walker


class RoamingScreen(FindingScreen, inherit_bindings=False):
    """What `Browser` has of these."""

    goto_bar = query_one(GoToBar)
    turns = query_one(TurnRows)
    rail = query_one(Rail)

    _trail: Trail
    _missed: Notice | None = None
    _clock: Callable[[], float]

    # Places visited.

    def on_walker_left(self, event: Walker.Left) -> None:
        """Remember it."""
        self.trail.leave(event.anchor)

    def on_walker_missed(self, event: Walker.Missed) -> None:
        """Say so, until the reader goes somewhere."""
        self.say(event.sentence)
        self._missed = self.notice

    @property
    def trail(self) -> Trail:
        """Where the reader has been."""
        if not hasattr(self, "_trail"):
            self._trail = Trail()
        return self._trail

    def action_go_back(self) -> None:
        """To the place before."""
        place = self.trail.back(self.transcript.here)
        if place is None:
            self.say("There is no place to go back to.")
        else:
            self.show(place)

    def action_go_forward(self) -> None:
        """To the place gone back from."""
        place = self.trail.forward(self.transcript.here)
        if place is None:
            self.say("There is no place to go forward to.")
        else:
            self.show(place)

    # The go-to line.

    def action_go_to(self) -> None:
        """Ask where to go."""
        if self.transcript.outline is not None:
            self.goto_bar.display = True
            self.goto_bar.box.value = ""
            self.go(Where.GOTO)

    def close_goto(self) -> None:
        """Back to the text."""
        self.go(Where.TRANSCRIPT)
        self.goto_bar.display = False

    def on_go_to_bar_entered(self, event: GoToBar.Entered) -> None:
        """Go there, or say why not."""
        pane = self.transcript
        if pane.outline is None or not event.text.strip():
            self.close_goto()
            return
        try:
            index = aim(event.text, pane.outline, pane.cursor, self._clock())
        except ValueError as error:
            self.say(str(error))
            return
        self.close_goto()
        pane.jump(index)

    # The outline.

    def action_outline(self) -> None:
        """Show what was said beside the text, or put it away."""
        if self.turns.display:
            self.close_outline()
        elif self.transcript.outline is not None:
            self.turns.display = True
            self.turns.fill(self.transcript.outline, self.transcript.cursor)
            self.go(Where.OUTLINE)

    def close_outline(self) -> None:
        """Put it away."""
        self.turns.display = False
        self.go(Where.TRANSCRIPT)

    def on_turn_rows_chosen(self, event: TurnRows.Chosen) -> None:
        """Go there; where one pane is shown at a time the outline gives way."""
        outline = self.transcript.outline
        index = outline.index(event.message_id) if outline is not None else None
        if self.has_class(ONE_PANE):
            self.turns.display = False
        self.go(Where.TRANSCRIPT)
        if index is not None:
            self.transcript.jump(index)

    def on_turn_rows_texts_wanted(self, event: TurnRows.TextsWanted) -> None:
        """Fetch them."""

        async def fetch() -> None:
            shown = self._shown
            messages = await self.desk.messages(event.ids, shown)
            if self.still_reads(shown):
                self.turns.supply(messages)

        self.ask("turns", fetch, exclusive=False)

    def on_transcript_pane_cursor_moved(self, event: TranscriptPane.CursorMoved) -> None:
        """Let the outline follow, unless it leads."""
        super().on_transcript_pane_cursor_moved(event)
        if self._missed is not None and self._missed is self.notice:
            self.notice = None
        if self.where is not Where.OUTLINE:
            self.turns.follow(event.position - 1)

    def on_transcript_pane_laid(self) -> None:
        """Other rows are shown."""
        if self.turns.display:
            self.turns.fill(self.transcript.outline, self.transcript.cursor)

    # The rail.

    def on_grower_signs_changed(self) -> None:
        """Paint it again."""
        self.rail.refresh()

    def on_rail_chosen(self, event: Rail.Chosen) -> None:
        """Go there."""
        pane = self.transcript
        self.go(Where.TRANSCRIPT)
        if event.entry is not None:
            pane.jump(event.entry)
        elif pane.outline is not None and pane.outline.rows:
            pane.leave()
            pane.scroll_to(y=event.share * pane.heights.total, animate=False, force=True)

    def on_selector_link_clicked(self, event: Selector.LinkClicked) -> None:
        """Ask before anything leaves the browser."""
        self.ask_about_link(event.address)

    def ask_about_link(self, address: str) -> None:
        """Ask whether an address is to be opened outside, or copied."""

        def answered(answer: str | None) -> None:
            if answer == "open":
                self.app.open_url(address)
            elif answer == "copy":
                self.app.copy_to_clipboard(address)

        self.app.push_screen(LinkScreen(address), answered)

    # The row behind the text.

    def action_raw_row(self) -> None:
        """Show the row under the cursor with every column."""
        here = self.transcript.here
        if here is None or here.message_id is None:
            return

        async def look(message_id: int = here.message_id) -> None:
            columns = await self.desk.row(message_id, profile=here.profile)
            if columns:
                about = f"Message {message_id} as it is stored, {count(len(columns), 'column')}"
                self.app.push_screen(RawScreen(columns, about))
            else:
                self.say(f"Message {message_id} is not in the store any more.")

        self.ask("row", look)

    # What began in it, and where it began.

    def on_kin_child_wanted(self, event: Kin.ChildWanted) -> None:
        """Read it."""
        self.show(event.anchor)
        self.say("Opened in place: D goes to where it began, Backspace back.")

    def action_go_up(self) -> None:
        """To the place in another conversation at which this one began."""
        root = self._shown.segments[0] if self._shown is not None and self._shown.segments else None
        if root is None or root.parent_id is None or root.kind is SessionKind.ORPHAN:
            self.say("This conversation did not begin in another one.")
            return

        async def rise(root: Session = root) -> None:
            parent = await self.desk.parent(root)
            segments = [segment.id for segment in parent.segments]
            children = await self.desk.children(segments, profile=root.profile)
            child = next((each for each in children if each.id == root.id), root)
            self.transcript.leave()
            self.show(cradle(parent, child, Sight(self.lens, rewound=self.rewound)))

        self.ask("parent", rise)

    async def renew(self) -> None:
        """Sessions may have begun meanwhile."""
        await super().renew()
        if self._shown is not None:
            await self._find_children(self._shown)

    async def _find_children(self, transcript: Transcript) -> None:
        sessions = [session.id for session in transcript.segments]
        children = await self.desk.children(sessions, profile=transcript.session.profile)
        if self._shown is transcript:
            self.transcript.take_children(children)

    # What went wrong.

    def shown_anew(self) -> None:
        """Another conversation: see what began and what went wrong in it."""
        super().shown_anew()
        self.transcript.take_faults(frozenset())
        if self._shown is not None:
            self.call_after_refresh(self._look_beside, self._shown)  # the text comes first

    def _look_beside(self, transcript: Transcript) -> None:
        if self._shown is transcript:
            self.ask("children", partial(self._find_children, transcript))
            self.ask("faults", partial(self._find_faults, transcript, 0))

    async def look_through(self, rows: Sequence[OutlineRow]) -> None:
        """See what went wrong in rows that were written to the conversation."""
        await super().look_through(rows)
        if self._shown is not None and rows:
            await self._find_faults(self._shown, min(row.id for row in rows) - 1)

    async def _find_faults(self, transcript: Transcript, after: int) -> None:
        sessions, store = [session.id for session in transcript.segments], transcript.session.profile
        found = await self.desk.faults(sessions, profile=store, after=after)
        shown = self._shown
        if shown is not None and [session.key for session in shown.segments] == [(store, one) for one in sessions]:
            self.transcript.take_faults(self.transcript.faults | found)
