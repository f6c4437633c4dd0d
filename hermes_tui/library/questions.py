"""What a search asks of one connection: the answer itself, what its filters hide, and other questions worth asking."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from hermes_tui.library.places import Places
from hermes_tui.model import Anchor, Answer, Capabilities, Filtered, Session, SessionList, WayOut
from hermes_tui.model.record import dataclass
from hermes_tui.query import Field, Query, parse
from hermes_tui.store import sessions
from hermes_tui.store.connection import Connection, Ticket
from hermes_tui.store.first_page import FIRST_PAGE

if TYPE_CHECKING:  # only a search needs these, and a list is there sooner without
    from hermes_tui.library.growing import Request
    from hermes_tui.library.ways import Variant
    from hermes_tui.store.sieve import Sieve
    from hermes_tui.store.survey import Survey

Growing = Callable[[Answer], None]
_LOOSE = frozenset(" \t\n")  # what need not stand in a title as it was typed


@dataclass(frozen=True, slots=True)
class Questions:
    """Questions to one store at one moment: `now`, in Unix seconds, is what `7d` and `yesterday` count from."""

    connection: Connection
    capabilities: Capabilities
    survey: Survey
    profile: str | None
    now: float
    ticket: Ticket

    def search(self, request: Request, on_progress: Growing | None) -> Answer:
        """The answer to `request`. Raises StoreError and Cancelled."""
        from hermes_tui.library import search as searching
        from hermes_tui.store.standing import Standings

        query = parse(request.text, mode=request.mode)
        strained = self._sieve(query)
        return searching.answer(
            request,
            query,
            self.connection,
            self.capabilities,
            sessions=self._by_id,
            sieve=strained,
            standing=Standings(self.connection, self.capabilities, self.ticket),
            named=self._named(query, strained, request.limit),
            goto=self._goto(query),
            survey=self.survey,
            on_progress=on_progress,
            ticket=self.ticket,
        )

    def sessions(
        self, query: Query, *, everything: bool = False, limit: int | None = None, preview: int = FIRST_PAGE
    ) -> SessionList:
        """The conversations that pass the filters of `query`, and have its words in a title or an id."""
        chosen = None
        if not query.empty:
            from hermes_tui.store.chosen import Chosen

            chosen = Chosen(
                self.connection, self.capabilities, query, now=self.now, profile=self.profile, ticket=self.ticket
            )
        listed = sessions.list_sessions(
            self.connection,
            self.capabilities,
            everything=everything,
            limit=limit,
            preview=preview,
            chosen=chosen,
            ticket=self.ticket,
        )
        idle = [part.text for part in query.filters if part.field is Field.IN]
        notes = (*query.notes, *(f"{text} says where a search looks, and narrows no list down" for text in idle))
        return replace(listed, notes=notes) if notes else listed

    def hides(self, asked: Variant, *, count: bool = True) -> tuple[Filtered, ...]:
        """What each filter of a question hides; without `count`, and where it cannot be asked, only which stand."""
        from hermes_tui.library.ways import hidden_by_filters, uncounted

        query = parse(asked.text, mode=asked.mode)
        if not query.filters or query.problem is not None or not count:
            return uncounted(query)
        # Words found inside words only are counted so everywhere, and whole words as whole words.
        loose = not self._count(query, asked, limit=1).hits
        return hidden_by_filters(asked, lambda variant: self._variant(variant, loose=loose))

    def ways_out(self, asked: Variant, *, patterns: bool = True) -> Iterator[WayOut]:
        """Other questions that find something; without `patterns`, only those that run no regular expression."""
        from hermes_tui.library.ways import ways_out

        return ways_out(asked, lambda variant: self._variant(variant, loose=True), patterns=patterns)

    def _variant(self, variant: Variant, *, loose: bool) -> Answer:
        from hermes_tui.library.ways import COUNTED, turned

        query = parse(variant.text, mode=variant.mode)
        query = query if variant.turned is None else turned(query, variant.turned)
        return self._count(query, variant, limit=COUNTED, loosen=loose)

    def _count(self, query: Query, variant: Variant, *, limit: int, loosen: bool = False) -> Answer:
        from hermes_tui.library import search as searching
        from hermes_tui.library.growing import Request
        from hermes_tui.store.standing import Standings

        request = Request(
            variant.text,
            sort="newest",
            limit=limit,
            rewound=variant.rewound,
            hidden=variant.hidden,
            mode=variant.mode,
        )
        return searching.answer(
            request,
            query,
            self.connection,
            self.capabilities,
            sessions=self._by_id,
            sieve=self._sieve(query),
            standing=Standings(self.connection, self.capabilities, self.ticket),
            survey=self.survey,
            loosen=loosen,
            ticket=self.ticket,
        )

    def _sieve(self, query: Query) -> Sieve:
        from hermes_tui.store.sieve import sieve

        return sieve(self.connection, self.capabilities, query, now=self.now, profile=self.profile, ticket=self.ticket)

    def _named(self, query: Query, strained: Sieve, limit: int) -> tuple[Session, ...]:
        """Sessions called so, and with nothing but filters on sessions all that pass; without a query, recent ones."""
        if query.empty:
            return self.sessions(query, limit=limit).rows
        if not query.titles or query.problem is not None:
            return ()
        places = Places(self.connection, self.capabilities, profile=self.profile, ticket=self.ticket)
        if not query.words:
            return (
                ()
                if strained.sessions is None
                else self.sessions(query, everything=True, limit=limit + 1, preview=0).rows
            )
        most = limit + 1 if strained.sessions is None else None
        found = () if query.pattern else places.named(query.words, limit=most)
        if most is None or len(found) < most:
            known = {session.id for session in found}
            beside = tuple(session for session in self._matching(query, most) if session.id not in known)
            found = (*found, *beside)[:most]
        if strained.sessions is None:
            return found
        return tuple(session for session in found if session.id in strained.sessions)[: limit + 1]

    def _matching(self, query: Query, limit: int | None) -> tuple[Session, ...]:
        """Sessions whose title matches as a message would; none when a regular expression is too slow for these."""
        from hermes_tui.query import Matcher, TooSlow

        matcher = Matcher(query)
        plain = query.clauses[0].wanted if len(query.clauses) == 1 and not query.pattern else ()
        try:
            return sessions.find_matching(
                self.connection,
                self.capabilities,
                lambda name: matcher.matches([name]),
                holding=[term.text.lower() for term in plain if term.text.isascii() and not set(term.text) & _LOOSE],
                limit=limit,
                ticket=self.ticket,
            )
        except TooSlow:
            return ()

    def _goto(self, query: Query) -> Anchor | None:
        if query.filters or query.pattern is not None or query.empty:
            return None
        return Places(self.connection, self.capabilities, profile=self.profile, ticket=self.ticket).exactly(query.text)

    def _by_id(self, ids: Sequence[str]) -> Mapping[str, Session]:
        found = sessions.get_sessions(self.connection, self.capabilities, ids, ticket=self.ticket)
        return {session.id: session for session in found}
