"""`Library`: one store and every question the product has about it."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Self, TypeVar

from hermes_tui.library.calm import uncollected
from hermes_tui.library.channel import Channel
from hermes_tui.library.marks import Marks
from hermes_tui.library.places import NotFound, Places
from hermes_tui.library.sights import Sights
from hermes_tui.model import (
    PLAIN,
    Anchor,
    Answer,
    Capabilities,
    Filtered,
    Image,
    Message,
    Mode,
    PlanStep,
    Session,
    SessionList,
    StoreReport,
    Transcript,
    WayOut,
    Window,
)
from hermes_tui.store import sessions
from hermes_tui.store.connection import Connection, Ticket, look
from hermes_tui.store.first_page import FIRST_PAGE, first_page
from hermes_tui.store.previews import Previewer
from hermes_tui.store.roster import Roster
from hermes_tui.store.survey import Survey

# What a list and a text are not made of is imported with the first question about it.
if TYPE_CHECKING:
    from hermes_tui.library.questions import Growing, Questions
    from hermes_tui.library.ways import Variant
    from hermes_tui.query import Field
    from hermes_tui.store.answers import Called
    from hermes_tui.store.faults import Faults
    from hermes_tui.store.outline import Readings

T = TypeVar("T")


class Library(Sights, Marks):
    """One store, open. Every method may be called from any thread.

    Lists, searches and transcripts each have a connection of their own, so that a long search never holds up a page.
    Methods raise StoreError when the file fails them, LibraryError when the question has no answer, and Cancelled when
    their ticket was cancelled or the library closed.
    """

    def __init__(self, path: Path, *, profile: str | None = None) -> None:
        self.path = path
        self.profile = profile
        self._list, self._search, self._page = Channel(path), Channel(path), Channel(path)
        self._survey = Survey()  # of the search connection
        self._walk, self._walked = Channel(path), Survey()  # connected when it is first asked
        self._readings: Readings | None = None  # through the page connection, with the first transcript
        self._roster: Roster | None = None  # through the list connection
        self._faults: Faults | None = None  # through it too, with the first text
        self._seen: tuple[object, ...] | None = None
        # A regular expression that was given up. Asked in another way it would cost as much again.
        self._hopeless: tuple[str, Mode] | None = None

    @classmethod
    def open(cls, path: Path, *, profile: str | None = None) -> Self:
        """Open the store at `path`, read-only. Raises StoreError with a sentence when there is none to read."""
        library = cls(path, profile=profile)
        footing = look(path)
        try:
            known = library._list.open(footing)
            library._search.open(footing, known=known)
            library._page.open(footing, known=known)
            library._seen = library._list.idle(Connection.fingerprint)
        except BaseException:
            library.close()
            raise
        return library

    @property
    def badge(self) -> str | None:
        """A sentence for people when what is read may be older than what the agent has, else None."""
        return self._list.badge

    @property
    def capabilities(self) -> Capabilities:
        """What the file offers, as last looked up."""
        return self._search.capabilities or Capabilities()

    def sessions(
        self,
        *,
        everything: bool = False,
        limit: int | None = None,
        preview: int = FIRST_PAGE,
        filters: str = "",
        ticket: Ticket | None = None,
    ) -> SessionList:
        """The conversations, newest activity first, and what was left out; with `everything` nothing is hidden.

        `filters` are those of a search, typed the same way; words besides them have to be in a title or an id. The
        first `preview` rows come with counts, status and preview; `detailed` and `previews` bring those of others.
        """
        from hermes_tui.query import parse

        query = parse(filters)
        ask = self._questions(
            lambda questions: questions.sessions(query, everything=everything, limit=limit, preview=preview)
        )
        if self._roster is not None and limit is None and not filters.strip():
            ask = partial(self._roster.list_sessions, everything=everything, preview=preview)
        with uncollected():
            return self._list.ask(ask, ticket=ticket)

    def opening(self, *, ticket: Ticket | None = None) -> SessionList:
        """The list that `sessions` has by default; of very many conversations only the newest, as a `truncated` page
        that is there long before the whole."""
        self._roster = self._roster or Roster()  # whoever shows a first page goes on looking at the list
        page = self._list.ask(
            lambda connection, capabilities, ticket: first_page(
                connection, capabilities, rows=FIRST_PAGE, ticket=ticket
            ),
            ticket=ticket,
        )
        return page or self.sessions(ticket=ticket)

    def detailed(self, rows: Sequence[Session], *, ticket: Ticket | None = None) -> tuple[Session, ...]:
        """The same rows of a list with counts, status and preview."""
        return self._list.ask(
            lambda connection, capabilities, ticket: sessions.detailed(connection, capabilities, rows, ticket=ticket),
            ticket=ticket,
        )

    def previews(self, ids: Sequence[str], *, ticket: Ticket | None = None) -> dict[str, str]:
        """The first words of a person in each of these sessions, one line each."""
        return self._list.ask(
            lambda connection, capabilities, ticket: sessions.previews(connection, capabilities, ids, ticket=ticket),
            ticket=ticket,
        )

    def ends(self, session_ids: Sequence[str], *, ticket: Ticket | None = None) -> tuple[str, str]:
        """The first words of a person and the last of the model in the conversation made of these sessions, root to
        tip, one line each; "" for nothing."""
        from hermes_tui.store.last_words import last_words

        return self._page.ask(
            lambda connection, capabilities, ticket: (
                Previewer(connection, capabilities, ticket=ticket).first_words([session_ids])[0],
                last_words(connection, capabilities, session_ids, ticket=ticket),
            ),
            ticket=ticket,
        )

    def search(
        self,
        text: str,
        *,
        sort: str = "newest",
        limit: int = 200,
        rewound: bool = False,
        hidden: bool = False,
        mode: Mode = PLAIN,
        on_progress: Growing | None = None,
        ticket: Ticket | None = None,
    ) -> Answer:
        """Every message that holds `text`, and the sessions called so; without words, recent sessions.

        `sort` is best, newest or oldest; `limit` counts messages. `on_progress` sees the answer grow, in this thread.
        """
        from hermes_tui.library.growing import Request
        from hermes_tui.library.search import with_profile

        request = Request(text=text, sort=sort, limit=limit, rewound=rewound, hidden=hidden, mode=mode)
        found = self._search.ask(
            self._questions(lambda questions: questions.search(request, on_progress)), ticket=ticket
        )
        if mode.regex and found.plan and found.coverage.messages and not found.coverage.searched:
            self._hopeless = (text, mode)
        return with_profile(found, self.profile)

    def explain(self, text: str, *, mode: Mode = PLAIN) -> tuple[PlanStep, ...]:
        """The steps a search for `text` would take on this store, each with its reason."""
        from hermes_tui.library.search import explain

        return explain(text, self.capabilities, mode=mode)

    def hides(
        self,
        text: str,
        *,
        rewound: bool = False,
        hidden: bool = False,
        mode: Mode = PLAIN,
        ticket: Ticket | None = None,
    ) -> tuple[Filtered, ...]:
        """The filters of `text`, each with how many messages it alone hides (counted up to `ways.COUNTED`); uncounted
        where `text` is a pattern that was given up."""
        from hermes_tui.library.ways import Variant

        asked = Variant(text, mode, rewound=rewound, hidden=hidden)
        count = (text, mode) != self._hopeless
        return self._search.ask(self._questions(lambda questions: questions.hides(asked, count=count)), ticket=ticket)

    def ways_out(
        self,
        text: str,
        *,
        rewound: bool = False,
        hidden: bool = False,
        mode: Mode = PLAIN,
        others: Mapping[str, Path] | None = None,
        ticket: Ticket | None = None,
    ) -> tuple[WayOut, ...]:
        """Other questions than `text` that find something, the most telling first; `others` are stores of other
        profiles by name, which are asked the same question."""
        from hermes_tui.library.ways import Variant, elsewhere

        asked = Variant(text, mode, rewound=rewound, hidden=hidden)
        patterns = (text, mode) != self._hopeless
        here = self._search.ask(
            self._questions(lambda questions: tuple(questions.ways_out(asked, patterns=patterns))), ticket=ticket
        )
        there = others if others and patterns else {}
        return (*here, *elsewhere(asked, there, partial(_ask_there, ticket)))

    def facets(self, field: Field, *, ticket: Ticket | None = None) -> tuple[tuple[str, int], ...]:
        """What stands in this store for a filter field, the most frequent first: see `store.facets`."""
        from hermes_tui.store.facets import facets

        return self._list.ask(
            lambda connection, capabilities, ticket: facets(
                connection, capabilities, field, profile=self.profile, ticket=ticket
            ),
            ticket=ticket,
        )

    def _questions(self, ask: Callable[[Questions], T]) -> Callable[[Connection, Capabilities, Ticket], T]:
        from hermes_tui.library.questions import Questions

        def asking(connection: Connection, capabilities: Capabilities, ticket: Ticket) -> T:
            return ask(Questions(connection, capabilities, self._survey, self.profile, time.time(), ticket))

        return asking

    def resolve(self, text: str, *, ticket: Ticket | None = None) -> Anchor:
        """The place a person means; see `Places.find`. Raises NotFound and Ambiguous."""
        return self._page.ask(
            lambda connection, capabilities, ticket: Places(
                connection, capabilities, profile=self.profile, ticket=ticket
            ).find(text),
            ticket=ticket,
        )

    def transcript(self, anchor: Anchor, *, ticket: Ticket | None = None) -> Transcript:
        """The whole conversation that holds the anchor's session, without the texts. Raises NotFound."""
        with uncollected():
            return self._page.ask(
                lambda connection, capabilities, ticket: self._transcript(connection, capabilities, anchor, ticket),
                ticket=ticket,
            )

    def _transcript(
        self, connection: Connection, capabilities: Capabilities, anchor: Anchor, ticket: Ticket
    ) -> Transcript:
        from hermes_tui.store.outline import Readings

        self._readings = self._readings or Readings()
        try:
            return self._readings.transcript(connection, capabilities, anchor.session_id, ticket=ticket)
        except KeyError:
            raise NotFound(f"There is no session {anchor.session_id} in {connection.path}.") from None

    def faults(self, session_ids: Sequence[str], *, after: int = 0, ticket: Ticket | None = None) -> frozenset[int]:
        """The ids of the messages of these sessions, behind the id `after`, that tell of something that went wrong."""
        from hermes_tui.store.faults import Faults

        self._faults = known = self._faults or Faults()
        return self._list.ask(partial(known.of, session_ids=session_ids, after=after), ticket=ticket)

    def calls_and_answers(
        self, session_ids: Sequence[str], call_ids: Sequence[str], *, ticket: Ticket | None = None
    ) -> tuple[list[Called], list[Called]]:
        """The rows of these sessions that make calls by these ids, and those that answer one."""
        from hermes_tui.store.answers import calls_and_answers

        return self._list.ask(
            lambda connection, capabilities, ticket: calls_and_answers(
                connection, capabilities, session_ids, call_ids, ticket=ticket
            ),
            ticket=ticket,
        )

    def messages(
        self, ids: Sequence[int], *, copies: Mapping[int, int] | None = None, ticket: Ticket | None = None
    ) -> tuple[Message, ...]:
        """Messages in the order of `ids`; those that are not there are left out. `copies` are known to a transcript."""
        from hermes_tui.store.messages import read_messages

        return self._page.ask(
            lambda connection, capabilities, ticket: read_messages(
                connection, capabilities, ids, copies=copies, ticket=ticket
            ),
            ticket=ticket,
        )

    def row(self, message_id: int, *, ticket: Ticket | None = None) -> dict[str, object]:
        """Every column of one row of messages as it is stored, in their order; empty where there is no such row."""
        from hermes_tui.store.raw import raw_message

        return self._page.ask(
            lambda connection, capabilities, ticket: raw_message(connection, message_id, ticket=ticket), ticket=ticket
        )

    def images(self, message_id: int, *, ticket: Ticket | None = None) -> tuple[Image, ...]:
        """The pictures that are stored in a message; those it only points to are left out."""
        from hermes_tui.store.images import images_of

        return images_of(self.row(message_id, ticket=ticket).get("content"))

    def window(
        self, anchor: Anchor, *, size: int = 10, everything: bool = False, ticket: Ticket | None = None
    ) -> Window:
        """`size` messages on either side of the anchor, and the ends of the conversation; see `window.cut`.

        Raises NotFound when the session or the message is not there.
        """

        from hermes_tui.library.window import cut
        from hermes_tui.store.messages import read_messages

        def ask(connection: Connection, capabilities: Capabilities, ticket: Ticket) -> Window:
            found = cut(
                self._transcript(connection, capabilities, anchor, ticket),
                anchor,
                size=size,
                everything=everything,
                read=lambda rows: read_messages(
                    connection,
                    capabilities,
                    [row.id for row in rows],
                    copies={row.id: row.copies for row in rows},
                    ticket=ticket,
                ),
            )
            (whole,) = sessions.detailed(connection, capabilities, [found.session], ticket=ticket)
            return replace(found, session=found.session._replace(preview=whole.preview, status=whole.status))

        return self._page.ask(ask, ticket=ticket)

    def report(self) -> StoreReport:
        """What `doctor` says of the store. All other questions wait meanwhile: the proof of no touch is taken while no
        connection of ours is open."""
        from hermes_tui.library.doctor import examine  # asked for rarely, and not needed to start

        with self._list.released(), self._search.released(), self._page.released(), self._walk.released():
            return examine(self.path, profile=self.profile)

    def changed(self) -> bool:
        """Whether another program wrote to the store, or replaced it, since the last time this was asked.

        Never waits: while a list is being read, that question is left for the next time.
        """
        seen = self._list.idle(Connection.fingerprint)
        if seen is None or seen == self._seen:
            return False
        self._seen = seen
        return True

    def close(self) -> None:
        """Stop whatever runs and close. Questions that still come end with Cancelled."""
        for channel in (self._walk, self._search, self._page, self._list):
            channel.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _ask_there(ticket: Ticket | None, profile: str, path: Path, asked: Variant) -> Answer:
    """The same question to the store of another profile, which is open just for that."""
    from hermes_tui.library.ways import COUNTED

    with Library.open(path, profile=profile) as library:
        return library.search(
            asked.text, limit=COUNTED, rewound=asked.rewound, hidden=asked.hidden, mode=asked.mode, ticket=ticket
        )
