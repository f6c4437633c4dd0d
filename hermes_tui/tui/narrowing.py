"""A screen whose search has switches and filters: what each filter hides, and the ways out when nothing is left."""

from __future__ import annotations

from abc import abstractmethod
from concurrent.futures import Future
from dataclasses import replace

from textual.reactive import var

from hermes_tui.library import uncounted
from hermes_tui.model import Answer, Case, Filtered, Mode, SessionList, WayOut
from hermes_tui.query import Field, parse
from hermes_tui.render import one_line
from hermes_tui.tui.asking import ERRORS, Source
from hermes_tui.tui.chips import Chips
from hermes_tui.tui.commands import Where
from hermes_tui.tui.order import HitOrder
from hermes_tui.tui.seeking import SeekingScreen
from hermes_tui.tui.ways import WayRows


class NarrowingScreen(SeekingScreen, inherit_bindings=False):
    """What the reading of conversations is added to."""

    filters: var[tuple[Filtered, ...]] = var((), init=False)
    """The filters of the query that stands, with what they hide once that is known."""
    counting: var[bool] = var(False, init=False)
    ways: var[tuple[WayOut, ...]] = var((), init=False)
    """What there is besides a query without hits."""

    def __init__(self, library: Source, *, sessions: Future[SessionList] | None, rest: float | None) -> None:
        super().__init__(library, sessions=sessions, rest=rest)
        self._asked: tuple[object, ...] = ()

    @property
    @abstractmethod
    def conversation_here(self) -> tuple[str, str] | None:
        """The id and the title of the conversation that the reader is at."""

    # What follows a search.

    def seek(self, wait: float = 0.0) -> None:
        """Search; chips stand at once, what is known of another query goes."""
        asked = (self.text, self.mode, self.rewound, self.all_hits)
        if asked != self._asked:
            query = parse(self.text, mode=self.mode)
            self.filters = uncounted(query)
            self.counting = bool(self.filters)
            self._asked = asked
        self._stop_following()
        super().seek(wait)

    def answered(self, answer: Answer) -> None:
        """Ways out are of no use any more as soon as there are hits."""
        if self.ways and (not self.stands(answer) or answer.hits or answer.sessions or answer.complete):
            self.ways = ()
        super().answered(answer)

    def found(self, answer: Answer) -> None:
        """Count what each filter hides; with no hits, look for the ways out."""
        super().found(answer)
        if answer.problem is not None:
            self.counting = False
            return
        if not answer.hits and not answer.sessions and answer.goto is None:
            self.ask("ways", self._finding_ways)
        if answer.filters:
            self.ask("hides", self._counting)

    def end_search(self) -> None:
        """Nothing is counted or looked for any more."""
        self._stop_following()
        self.filters, self.counting, self.ways, self._asked = (), False, (), ()
        super().end_search()

    def _stop_following(self) -> None:
        for group in ("hides", "ways"):
            self.workers.cancel_group(self, group)

    async def _counting(self) -> None:
        try:
            self.filters = await self.desk.hides(self.wish(self.text, HitOrder.NEWEST))
        except ERRORS:
            self.counting = False
            raise
        self.counting = False

    async def _finding_ways(self) -> None:
        self.ways = await self.desk.ways_out(self.wish(self.text, HitOrder.NEWEST))

    # What changes a search.

    def ask_for(
        self, text: str, *, mode: Mode | None = None, rewound: bool | None = None, hidden: bool | None = None
    ) -> None:
        """Let `text` be what is searched for, and what else is given be so; what is not stays as it is."""
        self.mode = self.mode if mode is None else mode
        self.rewound = self.rewound if rewound is None else rewound
        self.all_hits = self.all_hits if hidden is None else hidden
        self.search.box.put(text)
        self.search_anew()

    def on_way_rows_chosen(self, event: WayRows.Chosen) -> None:
        """Ask the question of a way out; that may be in the store of another profile."""
        way = event.way
        if way.profile is not None:
            self.ask_elsewhere(way)
            return
        self.ask_for(way.text, mode=way.mode, rewound=way.rewound, hidden=way.hidden)

    @abstractmethod
    def ask_elsewhere(self, way: WayOut) -> None:
        """Ask the question of a way out in the store that it is about."""

    def on_chips_removed(self, event: Chips.Removed) -> None:
        """Take a filter out, or a switch back."""
        match event.switch:
            case "case":
                self.action_toggle_case()
            case "regex":
                self.action_toggle_regex()
            case "reasoning":
                self.action_toggle_reasoning_search()
            case _:
                self._remove(event.number or 0)

    def _remove(self, number: int) -> None:
        if 0 < number <= len(self.filters):
            self.ask_for(self.filters[number - 1].without)

    def _switch(self, mode: Mode, sentence: str) -> None:
        self.mode = mode
        self.say(sentence)
        self.search_anew()

    # Actions of the command table.

    def action_toggle_case(self) -> None:
        """Whether capitals count."""
        exact = self.mode.case is not Case.EXACT
        self._switch(
            replace(self.mode, case=Case.EXACT if exact else Case.FOLD),
            "Capitals count." if exact else "Capitals do not count.",
        )

    def action_toggle_regex(self) -> None:
        """Whether the text is a regular expression."""
        on = not self.mode.regex
        self._switch(
            replace(self.mode, regex=on),
            "The text is a regular expression." if on else "The text is words, phrases and code.",
        )

    def action_toggle_reasoning_search(self) -> None:
        """Whether reasoning is looked into."""
        on = not self.mode.reasoning
        self._switch(
            replace(self.mode, reasoning=on), "Reasoning is searched too." if on else "Reasoning is not searched."
        )

    def action_pick_number(self, number: int) -> None:
        """Take the way out of this number while there are some, else remove the filter of this number."""
        if self.ways:
            self.search.way_rows.choose(number)
        else:
            self._remove(number)

    def action_toggle_within(self) -> None:
        """Keep to the conversation that the reader is at, or search all of them again."""
        query = parse(self.search.box.value, mode=self.mode)
        within = next((one for one in query.filters if one.field is Field.CONVERSATION and not one.negated), None)
        if within is not None:
            self.say("All conversations are searched.")
            self.ask_for(query.without(within))
            return
        here = self.conversation_here
        if here is None:
            self.say("There is no conversation to keep to yet.")
            return
        conversation, title = here
        self.search.titles[conversation] = title
        self.say(f"Searching in: {one_line(title, 60)}")
        self.ask_for(f"conversation:{conversation} {self.search.box.value}".rstrip() + ("" if self.text else " "))
        if query.empty:
            self.go(Where.BOX)
