"""A screen that reads conversations: which one is shown, where in it, and what its transcript asks for."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Future
from functools import partial

from textual.getters import query_one
from textual.reactive import var

from hermes_tui.model import Anchor, OutlineRow, SessionKey, SessionList, Transcript
from hermes_tui.render import count
from hermes_tui.tui.asking import Source
from hermes_tui.tui.commands import Where
from hermes_tui.tui.heading import Heading, position
from hermes_tui.tui.labels import title, titled
from hermes_tui.tui.lens import Lens, Sight
from hermes_tui.tui.outline import root_of
from hermes_tui.tui.recalling import RecallingScreen
from hermes_tui.tui.transcript import TranscriptPane


class ReadingScreen(RecallingScreen, inherit_bindings=False):
    """What `Browser` adds the list and the ways between panes to."""

    where: var[Where] = var(Where.LIST, init=False)
    """The place that has the focus."""
    lens: var[Lens] = var(Lens.LIVED, init=False)
    """By which lens the transcript is read."""

    transcript = query_one(TranscriptPane)
    heading = query_one(Heading)

    def __init__(self, library: Source, *, sessions: Future[SessionList] | None, rest: float | None) -> None:
        super().__init__(library, sessions=sessions, rest=rest)
        self._shown: Transcript | None = None
        self.reading = ""
        """The place the transcript was brought to last, as an anchor is written."""
        self._aim: Anchor | None = None
        """The place the transcript is at or on its way to."""
        self._on_its_way: Anchor | None = None
        self._at: TranscriptPane.CursorMoved | None = None

    @property
    def conversation_here(self) -> tuple[str, str] | None:
        """The conversation of the highlighted hit, or else the one that is shown."""
        if self.where is Where.HITS and (hit := self.search.hits.conversation_here) is not None:
            return hit
        if self._shown is None:
            return None
        session = self._shown.session
        return session.conversation or session.id, self.heading.name_shown

    # Showing.

    def show(self, anchor: Anchor, *, wait: float = 0.0) -> None:
        """Bring the transcript to a place, after `wait` seconds without another one."""
        self._aim = self._on_its_way = anchor
        self.ask("place", partial(self._showing, anchor, wait))

    def read(self, anchor: Anchor) -> None:
        """Show a place and go there."""
        self.show(anchor)
        self.go(Where.TRANSCRIPT)

    async def _showing(self, anchor: Anchor, wait: float) -> None:
        try:
            await self.moving.pause(wait)
            place = await self.desk.place(anchor, self._shown)
        finally:
            if self._on_its_way is anchor:
                self._on_its_way = None
        anew, before = self._shown is not place.transcript, self._shown
        if anew:
            self.heading.where = ""  # the transcript tells where the cursor is, if there is anything to put it on
        self._shown = place.transcript
        if before is not None and root_of(before) != root_of(place.transcript):
            self._fit_lens(place.transcript)
        self._find_lens(place.transcript, anchor)
        self.transcript.show(place.transcript, place.messages, anchor, self.matcher)
        if self.matcher is not None:
            self.mark()
        self.heading.transcript, self.heading.name_shown = place.transcript, place.title
        self.reading = str(anchor)
        if anew:
            self.shown_anew()

    def _find_lens(self, transcript: Transcript, anchor: Anchor) -> None:
        """Read as lived where the lens does not show the place: nothing else is mixed into what a lens shows."""
        wanted, sight = anchor.message_id, Sight(self.lens, rewound=self.rewound)
        if self.lens is not Lens.LIVED and wanted is not None and not sight.shows(transcript, wanted):
            self.say(f"Read {Lens.LIVED.value}: this message is not in “{self.lens.value}”.")
            self.lens = Lens.LIVED

    def _fit_lens(self, transcript: Transcript) -> None:
        """A lens stays for compacted conversations; another one that never was is read as lived."""
        if self.lens is not Lens.LIVED and not transcript.compactions:
            self.say(f"Read {Lens.LIVED.value}: nothing was compacted in this conversation.")
            self.lens = Lens.LIVED

    def shown_anew(self) -> None:
        """Another conversation is shown."""

    def mark(self) -> None:
        """Have the transcript mark what the search looks for."""
        if self._shown is not None:
            self.transcript.set_matcher(self.matcher, self._hits_in(self._shown))
            self._say_where()

    def _hits_in(self, transcript: Transcript) -> tuple[int, ...]:
        return self.search.hits.messages_in(session.key for session in transcript.segments)

    def on_transcript_pane_wanted(self, event: TranscriptPane.Wanted) -> None:
        """Fetch the messages that came into view."""

        async def fetch() -> None:
            shown = self._shown
            messages = await self.desk.messages(event.ids, shown)
            if self.still_reads(shown):
                self.transcript.supply(messages)

        self.ask("page", fetch, exclusive=False)

    def still_reads(self, transcript: Transcript | None) -> bool:
        """Whether the conversation of this reading is shown now; messages of another one may have the same ids."""
        shown = self._shown
        return transcript is not None and shown is not None and root_of(transcript) == root_of(shown)

    def on_transcript_pane_answers_wanted(self, event: TranscriptPane.AnswersWanted) -> None:
        """Look for the answers in the whole conversation."""

        async def look() -> None:
            found = await self.desk.answers(event.transcript, event.ids, self.transcript.faults)
            self.transcript.take_answers(event.transcript, found)

        self.ask("answers", look, exclusive=False)

    def on_transcript_pane_cursor_moved(self, event: TranscriptPane.CursorMoved) -> None:
        """Let the hits follow the place that is being read; while they have the focus or are ahead, they lead."""
        if self.where is Where.TRANSCRIPT and self._on_its_way is None:
            self.search.hits.select(event.anchor)
        self._at = event
        self._say_where()

    def _say_where(self) -> None:
        if (at := self._at) is not None:
            cut = self.answer is not None and self.answer.truncated
            self.heading.where = position(at.position, at.total, at.hit, at.hits, cut=cut)

    def on_transcript_pane_hit_wanted(self, event: TranscriptPane.HitWanted) -> None:
        """Go to the next hit in the order of the hits, or the one before."""
        sessions = [] if self._shown is None else [session.key for session in self._shown.segments]
        hits, aim = self.search.hits, self._aim
        at_hit = aim is not None and (aim.message_id is not None or aim == hits.anchor_here)
        if self.lens is not Lens.LIVED and self._go_on_in_lens(event.direction, sessions, at_hit=at_hit):
            return
        self.transcript.leave()
        if hits.go_on(event.direction, sessions, at_hit=at_hit):
            self._aim = self._on_its_way = hits.anchor_here

    def _go_on_in_lens(self, direction: int, sessions: Sequence[SessionKey], *, at_hit: bool) -> bool:
        """Go to the next hit of the conversation that the lens shows, past those it does not; say so where there are
        only such. Whether there was anything to pass or to go to."""
        outline, hits = self.transcript.outline, self.search.hits
        places = [place for place in hits.places if place.message_id is not None and place.key in sessions][::direction]
        here = hits.anchor_here
        further = places[places.index(here) + 1 :] if at_hit and here in places else places
        shown = (each for each in further if outline and outline.index(each.message_id or 0) is not None)
        place = next(shown, None)
        if place is not None:
            self.transcript.leave()
            hits.select(place)
            self.show(place, wait=self.moving.wait())
        elif further:
            where = "further down the hits" if direction > 0 else "further up the hits"
            self.say(f"{count(len(further), 'hit')} {where} not in “{self.lens.value}”: c changes the lens.")
        return bool(further)

    def on_transcript_pane_copy_requested(self, event: TranscriptPane.CopyRequested) -> None:
        """Copy what the transcript hands over."""
        self.app.copy_to_clipboard(event.text)

    async def renew(self) -> None:
        """Somebody wrote to the store: read the conversation again, and leave the reader where they are."""
        shown = self._shown
        if shown is not None:
            renewed = await self.desk.again(shown)
            if self._shown is shown:
                self._shown = self.heading.transcript = renewed
                tip = (renewed.segments or (renewed.session,))[-1]
                if titled(tip):  # named meanwhile, or gone on by another name
                    self.heading.name_shown = title(tip)
                await self.look_through(self.transcript.renew(renewed))

    async def look_through(self, rows: Sequence[OutlineRow]) -> None:
        """These rows were written to the conversation."""

    # Actions of the command table.

    def action_next_lens(self) -> None:
        """The next way to read a compacted conversation."""
        self.lens = self.lens.next()
        self.say(f"Read {self.lens.value}." if self.lens is not Lens.AWAY else f"{self.lens.value.capitalize()}.")
