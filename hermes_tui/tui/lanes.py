"""Threads that ask the store, one for each of its connections, so that no SQL runs on the event loop.

Newest wins by construction: a question is a coroutine that waits for a thread. A coroutine that was cancelled never
passes its `await`, so a late answer has nowhere to land; its ticket is cancelled too, so the SQL itself stops.
"""

from __future__ import annotations

import asyncio
import contextvars
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Generic, TypeVar

from hermes_tui.library import Library, Stores, closed_stores, uncollected
from hermes_tui.model import (
    Anchor,
    Answer,
    Filtered,
    Job,
    Message,
    Mode,
    OutlineRow,
    Session,
    SessionKey,
    SessionList,
    Transcript,
    WayOut,
)
from hermes_tui.model.record import dataclass
from hermes_tui.query import Field
from hermes_tui.store.connection import Cancelled, Ticket
from hermes_tui.tui.glance import Glance
from hermes_tui.tui.labels import title, titled
from hermes_tui.tui.literal import Literal, Spot
from hermes_tui.tui.order import ListOrder, renewed
from hermes_tui.tui.pairs import Outcomes, look_up
from hermes_tui.tui.sheet import Sheet, View, make_sheet

T = TypeVar("T")

REACH = 40
"""Messages read on either side of a place before the transcript asks for more itself."""
EVERY = 0.06
"""Seconds between two pictures of an answer that is still growing: each costs a repaint of the hits."""
BUDGET = 400_000
"""Stored bytes read with a place; the message of the place itself is read whatever its size."""


class Lane:
    """One thread that answers one question at a time, in the order asked."""

    def __init__(self, name: str) -> None:
        self._executor = ThreadPoolExecutor(1, thread_name_prefix=f"hermes-{name}")
        self._tickets: set[Ticket] = set()

    async def ask(self, question: Callable[[Ticket], T]) -> T:
        """Run `question` on the lane's thread. Cancelling this coroutine stops the SQL under way."""
        ticket = Ticket()
        self._tickets.add(ticket)
        try:
            return await asyncio.wrap_future(self._executor.submit(_answer, question, ticket))
        except asyncio.CancelledError:
            ticket.cancel()
            raise
        except Cancelled:
            raise asyncio.CancelledError from None
        finally:
            self._tickets.discard(ticket)

    def close(self) -> None:
        """Stop what runs and wait for the thread: a few tens of milliseconds at most."""
        for ticket in tuple(self._tickets):
            ticket.cancel()
        self._executor.shutdown(wait=True, cancel_futures=True)


def _answer(question: Callable[[Ticket], T], ticket: Ticket) -> T:
    ticket.check()
    return question(ticket)


class Relay(Generic[T]):
    """Carries a stream of values from a thread to the event loop, one every `EVERY` seconds at most; a value that a
    newer one overtook is dropped.

    Make it on the loop, call it on the thread, stop it on the loop: nothing is delivered after `stop`.
    """

    def __init__(self, take: Callable[[T], None]) -> None:
        self._take: Callable[[T], None] | None = take
        self._loop = asyncio.get_running_loop()
        self._not_before = 0.0
        self._context = contextvars.copy_context()
        self._lock = threading.Lock()
        self._waiting: list[T] = []

    def __call__(self, value: T) -> None:
        """Hand over the newest value (thread)."""
        with self._lock:
            on_its_way = bool(self._waiting)
            self._waiting = [value]
        if not on_its_way:
            self._loop.call_soon_threadsafe(self._deliver, context=self._context)

    def stop(self) -> None:
        """Deliver nothing more (loop)."""
        self._take = None

    def _deliver(self) -> None:
        if self._take is None:
            return
        now = self._loop.time()
        if now < self._not_before:
            self._loop.call_at(self._not_before, self._deliver, context=self._context)
            return
        self._not_before = now + EVERY
        with self._lock:
            waiting, self._waiting = self._waiting, []
        self._take(waiting[0])


@dataclass(frozen=True, slots=True)
class Wish:
    """What a search is asked for: `text` understood in `mode`. `limit` counts messages; `rewound` and `hidden` ask for
    those as well."""

    text: str
    mode: Mode
    sort: str
    limit: int
    rewound: bool = False
    hidden: bool = False


@dataclass(frozen=True, slots=True)
class Place:
    """A conversation, what it is called, and the messages around the place that was asked for."""

    transcript: Transcript
    title: str
    messages: tuple[Message, ...]


class Desk:
    """What the browser asks of its stores, each question on the lane of the connection that answers it.

    `profile` names the store of a place, as rows and anchors do; with one store it is ignored.
    """

    def __init__(self, stores: Stores) -> None:
        self.stores = stores
        self._list = Lane("list")
        self._search = Lane("search")
        self._page = Lane("page")
        self._jobs: tuple[SessionList, tuple[tuple[str | None, Job], ...]] | None = None  # of the last list

    async def sessions(self) -> SessionList:
        """The conversations of the stores, as they are listed at first."""
        return await self._list.ask(lambda ticket: self.stores.opening(ticket=ticket))

    async def listing(self, view: View) -> SessionList:
        """The conversations that `view` asks for."""
        filters = " ".join(text for _, text in view.filters)
        return await self._list.ask(
            lambda ticket: self.stores.sessions(everything=view.everything, filters=filters, ticket=ticket)
        )

    async def renewed(self, listing: SessionList) -> SessionList:
        """A long list with what is new at its top, long before the whole of it is read again."""

        def ask(ticket: Ticket) -> SessionList:
            page = self.stores.opening(ticket=ticket)
            return renewed(listing, page) if page.truncated else page

        return await self._list.ask(ask)

    async def sheet(self, view: View, listing: SessionList, *, now: float) -> Sheet:
        """The rows of `listing` as `view` asks for them."""

        def make(ticket: Ticket) -> Sheet:
            sizes = self.stores.sizes(ticket=ticket) if view.order is ListOrder.LENGTH else {}
            if self._jobs is None or self._jobs[0] is not listing:
                self._jobs = listing, self.stores.jobs(listing.rows, ticket=ticket)
            jobs = self._jobs[1]
            with uncollected():
                return make_sheet(listing, view, sizes=sizes, jobs=jobs, now=now)

        return await self._list.ask(make)

    async def detailed(self, rows: Sequence[Session]) -> tuple[Session, ...]:
        """The same rows with counts, status and first words."""
        return await self._list.ask(lambda ticket: self.stores.detailed(rows, ticket=ticket))

    async def glance(self, session: Session) -> Glance:
        """How a conversation began and what it came to."""

        def look(ticket: Ticket) -> Glance:
            library = self.stores.of(session.profile)
            return Glance(session.key, *library.ends(session.segments or (session.id,), ticket=ticket))

        return await self._page.ask(look)

    async def previews(self, keys: Sequence[SessionKey]) -> dict[SessionKey, str]:
        """The first words of a person in each of these sessions."""
        return await self._list.ask(lambda ticket: self.stores.previews(keys, ticket=ticket))

    async def changed(self) -> bool:
        """Whether somebody wrote to the store since the last time this was asked."""
        return await self._list.ask(lambda ticket: self.stores.changed())

    async def search(self, wish: Wish, on_progress: Callable[[Answer], None] | None = None) -> Answer:
        """The answer to `wish`; what is found on the way goes to `on_progress` on the loop."""
        relay = None if on_progress is None else Relay(on_progress)
        try:
            return await self._search.ask(
                lambda ticket: self.stores.search(
                    wish.text,
                    sort=wish.sort,
                    limit=wish.limit,
                    rewound=wish.rewound,
                    hidden=wish.hidden,
                    mode=wish.mode,
                    on_progress=relay,
                    ticket=ticket,
                )
            )
        finally:
            if relay is not None:
                relay.stop()

    async def hides(self, wish: Wish) -> tuple[Filtered, ...]:
        """The filters of `wish` with how many messages each hides."""
        return await self._search.ask(
            lambda ticket: self.stores.hides(
                wish.text, rewound=wish.rewound, hidden=wish.hidden, mode=wish.mode, ticket=ticket
            )
        )

    async def ways_out(self, wish: Wish) -> tuple[WayOut, ...]:
        """Questions beside `wish` that have hits, also in the stores of other profiles."""
        return await self._search.ask(
            lambda ticket: self.stores.ways_out(
                wish.text,
                rewound=wish.rewound,
                hidden=wish.hidden,
                mode=wish.mode,
                others=closed_stores(self.stores),
                ticket=ticket,
            )
        )

    async def facets(self, field: Field) -> tuple[tuple[str, int], ...]:
        """The values of a filter's field in the store, the most frequent first, each with how often it is there."""
        return await self._list.ask(lambda ticket: self.stores.facets(field, ticket=ticket))

    async def place(self, anchor: Anchor, held: Transcript | None) -> Place:
        """The conversation around `anchor`; `held` is the one on screen, used again when the anchor is in it."""

        def read(ticket: Ticket) -> Place:
            here = held is not None and self.stores.same(held.session.profile, anchor.profile) and holds(held, anchor)
            transcript = held if here else None
            transcript = transcript or self.stores.transcript(anchor, ticket=ticket)
            ids = around(transcript, anchor)
            messages = self.stores.messages(ids, profile=anchor.profile, copies=copies(transcript, ids), ticket=ticket)
            return Place(transcript, self._called(transcript, ticket), messages)

        return await self._page.ask(read)

    def _called(self, transcript: Transcript, ticket: Ticket) -> str:
        """What the list calls it: by its newest session, whichever of its parts is asked for."""
        session = transcript.session
        named = next((each for each in (*reversed(transcript.segments), session) if titled(each)), None)
        if named is not None:
            return title(named)
        return title(session, self.stores.previews((session.key,), ticket=ticket).get(session.key, ""))

    async def again(self, transcript: Transcript) -> Transcript:
        """The same conversation as it is now."""
        anchor = Anchor(transcript.session.id, profile=transcript.session.profile)
        return await self._page.ask(lambda ticket: self.stores.transcript(anchor, ticket=ticket))

    async def look(self, question: Callable[[Library, Ticket], T], *, profile: str | None = None) -> T:
        """What `question` finds in the store called `profile`."""
        return await self._list.ask(lambda ticket: question(self.stores.of(profile), ticket))

    async def overall(self, question: Callable[[Stores, Ticket], T]) -> T:
        """What `question` finds in all stores that are open."""
        return await self._list.ask(lambda ticket: question(self.stores, ticket))

    async def messages(
        self, ids: Sequence[int], transcript: Transcript | None = None, *, profile: str | None = None
    ) -> tuple[Message, ...]:
        """Messages of `transcript` by id, with what it knows of how many rows hold each; without one, of `profile`."""
        store = profile if transcript is None else transcript.session.profile
        return await self._page.ask(
            lambda ticket: self.stores.messages(ids, profile=store, copies=copies(transcript, ids), ticket=ticket)
        )

    async def row(self, message_id: int, *, profile: str | None = None) -> dict[str, object]:
        """A row of messages with every column."""
        return await self._page.ask(lambda ticket: self.stores.row(message_id, profile=profile, ticket=ticket))

    async def children(self, sessions: Sequence[str], *, profile: str | None = None) -> tuple[Session, ...]:
        """What began in the conversation made of these sessions."""
        return await self._list.ask(lambda ticket: self.stores.children(sessions, profile=profile, ticket=ticket))

    async def parent(self, child: Session) -> Transcript:
        """The conversation that a session began in."""
        anchor = Anchor(child.parent_id or child.id, profile=child.profile)
        return await self._page.ask(lambda ticket: self.stores.transcript(anchor, ticket=ticket))

    async def faults(self, sessions: Sequence[str], *, profile: str | None = None, after: int = 0) -> frozenset[int]:
        """Which messages of these sessions, behind the id `after`, tell of something that went wrong."""
        return await self._list.ask(
            lambda ticket: self.stores.faults(sessions, profile=profile, after=after, ticket=ticket)
        )

    async def answers(self, transcript: Transcript, ids: Sequence[int], wrong: frozenset[int]) -> dict[int, Outcomes]:
        """How the calls of these rows ended, as the whole conversation tells."""
        store = transcript.session.profile
        return await self._list.ask(lambda ticket: look_up(self.stores.of(store), transcript, ids, wrong, ticket))

    async def spots(self, ids: Sequence[int], literal: Literal, *, profile: str | None = None) -> list[Spot]:
        """Where `literal` stands in these messages."""

        def look(ticket: Ticket) -> list[Spot]:
            messages = self.stores.messages(ids, profile=profile, ticket=ticket)
            return [Spot(message.id, place) for message in messages for place in literal.places(message)]

        return await self._page.ask(look)

    def close(self) -> None:
        """Stop all that runs; the library may be closed afterwards."""
        for lane in (self._search, self._page, self._list):
            lane.close()


def holds(transcript: Transcript, anchor: Anchor) -> bool:
    """Whether the place is in this transcript as it was read."""
    if all(anchor.session_id != segment.id for segment in transcript.segments):
        return False
    return anchor.message_id is None or index_of(transcript, anchor) is not None


def index_of(transcript: Transcript, anchor: Anchor) -> int | None:
    """The position of the anchor's message among the transcript's rows; a folded copy is where its row is."""
    if anchor.message_id is None:
        return None
    wanted = transcript.stands_for.get(anchor.message_id, anchor.message_id)
    return next((index for index, row in enumerate(transcript.rows) if row.id == wanted), None)


def copies(transcript: Transcript | None, ids: Sequence[int]) -> dict[int, int]:
    """How many rows hold each of these messages, by id, where that is more than one."""
    wanted = frozenset(ids)
    rows = () if transcript is None else transcript.rows
    return {row.id: row.copies for row in rows if row.copies > 1 and row.id in wanted}


def around(transcript: Transcript, anchor: Anchor) -> tuple[int, ...]:
    """The ids to read with a place: its own first, then its neighbours outwards while the budget lasts."""
    rows = transcript.rows
    centre = index_of(transcript, anchor)
    if centre is None:
        centre = next((index for index, row in enumerate(rows) if row.session_id == anchor.session_id), 0)
    left = BUDGET
    chosen: list[OutlineRow] = []
    for distance in range(REACH + 1):
        for index in sorted({centre + distance, centre - distance}, reverse=True):
            if 0 <= index < len(rows) and (not chosen or rows[index].size <= left):
                chosen.append(rows[index])
                left -= rows[index].size
    return tuple(row.id for row in chosen)
