"""A screen that searches: what is asked, what is known of the answer, and where its hits lead."""

from __future__ import annotations

import asyncio
import time
from abc import abstractmethod
from concurrent.futures import Future
from dataclasses import replace
from functools import partial

from textual.getters import query_one
from textual.reactive import var

from hermes_tui.model import PLAIN, Anchor, Answer, Mode, SessionList
from hermes_tui.query import MARKING, Matcher, parse
from hermes_tui.render import one_line
from hermes_tui.tui.asking import ERRORS, AskingScreen, Source
from hermes_tui.tui.burst import Burst
from hermes_tui.tui.commands import Where
from hermes_tui.tui.hits import HitRows
from hermes_tui.tui.lanes import Wish
from hermes_tui.tui.order import HitOrder
from hermes_tui.tui.search import SearchBox, SearchPane

FIRST_HITS = 200
ALL_HITS = 5000
CHEAP = 250.0
"""Milliseconds that a search may have taken to be done again as soon as the store has changed."""
PATIENTLY = 20
"""One that took longer is done again after so many times what it took."""
BRIEF = 150.0
"""Milliseconds for which a search without hits so far does not clear away the hits before."""
TYPING = 0.04
"""Seconds without a key before a burst of typing is searched for; the first key of it is at once."""
TYPED = 0.12
"""Seconds that the first hit of a query has to stay the first for the transcript to show it while typing."""
MOVING = 0.06
"""The same for moves of a highlight and the transcript that follows it."""
REST = 0.7
"""Seconds without a key after which the best hits may take the place of the newest."""


class SeekingScreen(AskingScreen, inherit_bindings=False):
    """What `Browser` adds its other panes to."""

    answer: var[Answer | None] = var(None, always_update=True, init=False)
    """What is known so far; the last good answer while another is looked for, also while what is typed is no whole
    pattern: then it has the problem of that one."""
    text: var[str] = var("", init=False)
    """The query that stands; "" when none does."""
    busy: var[bool] = var(False, init=False)
    outdated: var[bool] = var(False, init=False)
    """Whether the hits may lack what was written since, and searching for that waits a while."""
    mode: var[Mode] = var(PLAIN, init=False)
    """How the text in the box is understood."""
    hit_order: var[HitOrder] = var(HitOrder.NEWEST, init=False)
    all_hits: var[bool] = var(False, init=False)
    rewound: var[bool] = var(False, init=False)

    search = query_one(SearchPane)

    def __init__(self, library: Source, *, sessions: Future[SessionList] | None, rest: float | None = REST) -> None:
        """`rest` is how many seconds typing has to rest for the best hits to come first; None for never."""
        super().__init__(library, sessions=sessions)
        self._rest = rest
        self._typed_at = self._found_at = float("-inf")
        self._behind = False
        """Whether the store was written to since what stands was last searched for."""
        self._ranked = False
        """Whether the hits stand best first because typing rested, and not because the reader wants it so."""
        self._order_fixed = False
        self.matcher: Matcher | None = None
        self.moving = Burst(MOVING)
        self._typing = Burst(TYPING)
        self._enter_when_found = False

    # What `Browser` does.

    @abstractmethod
    def show(self, anchor: Anchor, *, wait: float = 0.0) -> None:
        """Bring the transcript to a place, after `wait` seconds without another one."""

    @abstractmethod
    def read(self, anchor: Anchor) -> None:
        """Show a place and go there."""

    @abstractmethod
    def go(self, where: Where) -> None:
        """Move the focus."""

    @abstractmethod
    def mark(self) -> None:
        """Have the transcript mark what the search looks for."""

    # The search.

    def on_search_pane_typed(self, event: SearchPane.Typed) -> None:
        """Search for what stands in the box, unless it was typed over meanwhile, which is told too."""
        if event.text == self.search.box.value:
            self._search_for(event.text, self._typing.wait())

    def _search_for(self, text: str, wait: float) -> None:
        """Let `text` be what stands; nothing changes when it is already."""
        if parse(text, mode=self.mode).empty:
            self._enter_when_found = False
            self.end_search()
        elif text != self.text:
            self._enter_when_found = False
            self.text = text
            self.seek_anew(wait)

    def search_anew(self) -> None:
        """Search for what stands in the box, which is meant in another way now."""
        self._enter_when_found = False
        text = self.search.box.value
        if parse(text, mode=self.mode).empty:
            self.end_search()
        else:
            self.text = text
            self.seek_anew()

    def seek_anew(self, wait: float = 0.0) -> None:
        """Search for what is asked for the first time, in the order that answers first."""
        self._typed_at = time.monotonic()
        self._ranked = False
        self.seek(wait)

    def seek(self, wait: float = 0.0) -> None:
        """Search for the query that stands, after `wait` seconds without another one."""
        self.workers.cancel_group(self, "rank")
        self._behind = self.outdated = False
        self.busy = True
        self.ask("search", partial(self._searching, self.text, wait))

    async def _searching(self, text: str, wait: float) -> None:
        await self._typing.pause(wait)
        try:
            answer = await self.desk.search(self.wish(text, self.sort), self.answered)
        except ERRORS:
            self.busy = False
            raise
        self.answered(answer)
        self.busy = False
        self.found(answer)

    def wish(self, text: str, sort: HitOrder) -> Wish:
        """What is asked for `text` as things stand."""
        limit = ALL_HITS if self.all_hits else FIRST_HITS
        return Wish(text, self.mode, sort.value, limit, rewound=self.rewound, hidden=self.all_hits)

    def seek_again(self) -> None:
        """Somebody wrote to the store: search again for what stands."""
        self._behind = bool(self.text)
        self._catch_up()

    def _catch_up(self) -> None:
        """A search under way is waited for, and what took long is not done again at once."""
        if self._behind and not self.busy and self.answer is not None and self.answer.complete:
            took = self.answer.elapsed_ms
            self.outdated = took >= CHEAP
            self.ask("again", partial(self._seeking_again, PATIENTLY * took / 1000 if self.outdated else 0.0))

    async def _seeking_again(self, wait: float) -> None:
        await asyncio.sleep(max(0.0, self._found_at + wait - time.monotonic()))
        if self._behind:
            self.seek()

    def found(self, answer: Answer) -> None:
        """The whole answer to what stands has come."""
        self._found_at = time.monotonic()
        self._catch_up()
        if self._rest is not None and answer.hits and self._may_rank():
            self.ask("rank", partial(self._ranking, answer))

    # The order of the hits.

    @property
    def sort(self) -> HitOrder:
        """The order in which hits are asked for."""
        return HitOrder.BEST if self._ranked and not self._order_fixed else self.hit_order

    def next_hit_order(self) -> None:
        """Another order, which stays from now on."""
        self.hit_order = self.sort.next()
        self._order_fixed = True
        self.say(f"Hits: {self.hit_order.value} first.")
        self.seek()

    async def _ranking(self, newest: Answer) -> None:
        """Put the best hits first, for a reader who rests in the box and has not chosen any hit or order yet."""
        await asyncio.sleep(max(0.0, self._typed_at + (self._rest or 0.0) - time.monotonic()))
        best = await self.desk.search(self.wish(newest.query, HitOrder.BEST))
        if self._may_rank() and self.stands(newest):
            self._ranked = True
            self.search.hits.begin_again()
            self.answered(best)

    def _may_rank(self) -> bool:
        fixed = self._order_fixed or self._ranked or self.hit_order is not HitOrder.NEWEST
        return not fixed and self.search.box.has_focus and not self.search.hits.touched

    def answered(self, answer: Answer) -> None:
        """Show what is known of an answer."""
        held = self.answer
        if held is not None and (held.hits or held.sessions) and answer.problem is not None:
            self.answer = replace(held, problem=answer.problem)  # a pattern is bad until the last key of it is typed
            return
        is_whole = held is not None and held.complete and held.problem is None
        if is_whole and not answer.complete and _same(held, answer):
            return  # asked again: what is whole on the screen stays until the new answer is whole too
        if not answer.complete and not answer.hits and answer.elapsed_ms < BRIEF:
            return  # what was found before stays for the moment it takes to find the first of these
        if self.matcher is None or not _same(held, answer):
            self.matcher = Matcher(parse(answer.query, mode=answer.mode), patience=MARKING)
        self.answer = answer
        self.mark()
        if answer.goto is not None and answer.complete and not self.search.hits.leads:
            self.show(answer.goto)
        if self._enter_when_found and self.stands(answer):
            self._enter()
            self._enter_when_found = self._enter_when_found and not answer.complete

    def stands(self, answer: Answer) -> bool:
        """Whether an answer is to the query that stands."""
        return (answer.query, answer.mode) == (self.text, self.mode)

    def end_search(self) -> None:
        """No query stands any more."""
        for group in ("search", "rank", "again"):
            self.workers.cancel_group(self, group)
        self._behind = self.outdated = False
        self.text, self.busy, self.answer, self.matcher = "", False, None, None
        self.mark()
        if self.search.hits.has_focus:
            self.go(Where.BOX)

    def on_search_box_left_down(self, event: SearchBox.LeftDown) -> None:
        """From the box to the hits or the ways out, when there are some."""
        if self.search.rows.count:
            self.go(Where.HITS)

    def on_search_box_entered(self, event: SearchBox.Entered) -> None:
        """Read the highlighted hit of the text in the box, also when it is still being looked for."""
        self._search_for(event.text, 0.0)
        if self.text:
            self._enter_when_found = self.busy
            if self.answer is not None and self.stands(self.answer):
                self._enter()

    def _enter(self) -> None:
        anchor = (self.answer.goto if self.answer else None) or self.search.hits.anchor_here
        if anchor is not None:
            self._enter_when_found = False
            self.read(anchor)

    def on_hit_rows_highlighted(self, event: HitRows.Highlighted) -> None:
        """Show the hit in its place; while the query is being typed hits come and go, and that can wait a little."""
        wait = self.moving.wait()
        if self.answer is not None and self.answer.goto is not None and not self.search.hits.leads:
            return  # the place that the text names is shown when the answer is whole
        self.show(event.anchor, wait=TYPED if self.search.box.has_focus else wait)
        if event.crossed is not None:
            self.say(f"Next conversation: {one_line(event.crossed, 60)}")

    def on_hit_rows_opened(self, event: HitRows.Opened) -> None:
        """Read it."""
        self.read(event.anchor)

    def on_hit_rows_end_reached(self, event: HitRows.EndReached) -> None:
        """There is nothing to go on to."""
        self.say("That was the last hit." if event.direction > 0 else "That was the first hit.")

    def on_hit_rows_copy_wanted(self, event: HitRows.CopyWanted) -> None:
        """Copy the message of a hit."""

        async def fetch() -> None:
            anchor = event.anchor
            if anchor.message_id is not None:
                for message in await self.desk.messages((anchor.message_id,), profile=anchor.profile):
                    self.app.copy_to_clipboard(message.text)

        self.ask("copy", fetch)

    def on_hit_rows_previews_wanted(self, event: HitRows.PreviewsWanted) -> None:
        """Fetch the words that headings of hits lack."""

        async def fetch() -> None:
            self.search.hits.supply(await self.desk.previews(event.keys))

        self.ask("previews", fetch, exclusive=False)


def _same(one: Answer | None, other: Answer) -> bool:
    """Whether two answers are to the same query, in whichever order."""
    return one is not None and (one.query, one.mode) == (other.query, other.mode)
