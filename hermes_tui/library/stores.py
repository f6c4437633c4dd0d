"""`Stores`: one or many libraries behind the questions of one.

With one store every answer is that of its `Library`, as it is. With several, what comes back carries the name of its
store, questions about a place go to the store that the place names, and all others are asked of all at once and merged.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Self, TypeVar

from hermes_tui.library import merging
from hermes_tui.library.fan import fan
from hermes_tui.library.library import Library
from hermes_tui.library.overall import Overall
from hermes_tui.library.places import LibraryError
from hermes_tui.model import (
    PLAIN,
    Anchor,
    Answer,
    Filtered,
    Message,
    Mode,
    Session,
    SessionKey,
    SessionList,
    StorePlace,
    Transcript,
    Unread,
    WayOut,
    Window,
)
from hermes_tui.store.connection import StoreError, StoreUnreadable, Ticket
from hermes_tui.store.first_page import FIRST_PAGE

if TYPE_CHECKING:  # not needed to start, nor by those with one store
    from hermes_tui.library.questions import Growing
    from hermes_tui.query import Field

Name = str | None
T = TypeVar("T")


class Stores(Overall):
    """Open stores by name. Methods may be called from any thread and raise as those of `Library` do.

    A store that fails in a question to all becomes a note of the answer; only when all fail is that an error.
    """

    def __init__(self, libraries: Mapping[Name, Library], unread: Sequence[Unread] = ()) -> None:
        """`libraries` is not empty, and of several each has a name."""
        self.libraries: dict[Name, Library] = dict(libraries)
        self.unread: tuple[Unread, ...] = tuple(unread)
        self.many = len(self.libraries) + len(self.unread) > 1
        """Whether rows name their store: there are several, though it may be that only one can be read."""
        self._seen = {each.path: _signature(each.path) for each in self.unread}
        self._down: set[Name] = set()
        self.failing: dict[Name, StoreError] = {}
        """Stores that did not answer when all were listed last, and why."""
        self._closed = False

    @classmethod
    def open(cls, places: Sequence[StorePlace]) -> Self:
        """Open the stores at `places`; those that cannot be read are in `unread`. Of several each has its own name.

        Raises StoreError when none can be read.
        """
        opened, errors = fan(
            {place: place for place in places}, lambda place, _: Library.open(place.path, profile=place.name)
        )
        if not opened:
            raise none_of(errors)
        return cls(
            {place.name: library for place, library in opened.items()},
            [Unread(place.path, place.name, str(error)) for place, error in errors.items()],
        )

    @classmethod
    def only(cls, library: Library) -> Self:
        """One library that is open already."""
        return cls({library.profile: library})

    @property
    def first(self) -> Library:
        """The only library, or the first of several."""
        return next(iter(self.libraries.values()))

    def of(self, name: Name) -> Library:
        """The library of the store that a row, hit or anchor names; the only one whatever the name.

        Raises LibraryError where several are open and none is called so.
        """
        if not self.many:
            return self.first
        if name not in self.libraries:
            known = ", ".join(str(each) for each in self.libraries)
            raise LibraryError(
                f"No open store is called {name}. There are: {known}."
                if name is not None
                else f"Several stores are open, and this place does not say in which it is. There are: {known}."
            )
        return self.libraries[name]

    def same(self, one: Name, other: Name) -> bool:
        """Whether two names are of the same store."""
        return not self.many or one == other

    @property
    def label(self) -> str:
        """What is read, for people: a path, or how many stores and their names."""
        if not self.many:
            return str(self.first.path)
        return f"{len(self.libraries)} stores: {', '.join(str(name) for name in self.libraries)}"

    @property
    def badge(self) -> str | None:
        """A sentence where what is read may be older than what the agent has, for each store it is true of."""
        if not self.many:
            return self.first.badge
        told = [f"{name}: {library.badge}" for name, library in self.libraries.items() if library.badge]
        return "; ".join(told) or None

    # Asked of all.

    def sessions(
        self,
        *,
        everything: bool = False,
        limit: int | None = None,
        preview: int = FIRST_PAGE,
        filters: str = "",
        ticket: Ticket | None = None,
    ) -> SessionList:
        """The conversations of all, newest activity first; see `Library.sessions`."""
        return self._listed(
            lambda library: library.sessions(
                everything=everything, limit=limit, preview=preview, filters=filters, ticket=ticket
            ),
            limit,
        )

    def opening(self, *, ticket: Ticket | None = None) -> SessionList:
        """What there is to be shown first; see `Library.opening`."""
        return self._listed(lambda library: library.opening(ticket=ticket))

    def _listed(self, ask: Callable[[Library], SessionList], limit: int | None = None) -> SessionList:
        parts, errors = self._all(ask)
        if not self.many:
            return parts[self.first.profile]
        self.failing = errors
        named = {name: replace(part, rows=merging.given(part.rows, name)) for name, part in parts.items()}
        return merging.lists(named, errors, limit=limit)

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
        """Every message of all that holds `text`; see `Library.search`. `on_progress` sees what all have found so far,
        in threads of ours, never in two at once."""

        def ask(name: Name, library: Library, grow: Growing | None) -> Answer:
            return library.search(
                text,
                sort=sort,
                limit=limit,
                rewound=rewound,
                hidden=hidden,
                mode=mode,
                on_progress=grow,
                ticket=ticket,
            )

        if not self.many:
            return ask(None, self.first, on_progress)
        from hermes_tui.library.finding import exactly
        from hermes_tui.library.growth import Growth

        growth = None if on_progress is None else Growth(on_progress, limit)
        began = time.perf_counter()
        parts, errors = self._all_by_name(
            lambda name, library: ask(name, library, None if growth is None else growth.of(name))
        )
        elapsed = (time.perf_counter() - began) * 1000
        found = merging.answers(parts, errors, limit=limit, elapsed_ms=elapsed)
        return found if found.goto is not None else replace(found, goto=exactly(text, self.libraries, ticket=ticket))

    def hides(
        self,
        text: str,
        *,
        rewound: bool = False,
        hidden: bool = False,
        mode: Mode = PLAIN,
        ticket: Ticket | None = None,
    ) -> tuple[Filtered, ...]:
        """The filters of `text` with how many messages each hides in all."""
        parts, errors = self._all(
            lambda library: library.hides(text, rewound=rewound, hidden=hidden, mode=mode, ticket=ticket)
        )
        return merging.filters(parts.values(), whole=not errors)

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
        """Other questions that find something in any; `others` are stores of other profiles that are not open."""
        parts, _ = self._all_by_name(
            lambda name, library: library.ways_out(
                text,
                rewound=rewound,
                hidden=hidden,
                mode=mode,
                others=others if library is self.first else None,
                ticket=ticket,
            )
        )
        return merging.ways(parts.values())

    def facets(self, field: Field, *, ticket: Ticket | None = None) -> tuple[tuple[str, int], ...]:
        """What stands in all for a filter field, the most frequent first."""
        parts, _ = self._all(lambda library: library.facets(field, ticket=ticket))
        return merging.values(parts.values()) if self.many else next(iter(parts.values()))

    def resolve(self, text: str, *, ticket: Ticket | None = None) -> Anchor:
        """The place a person means, which may have a store's name in front; see `finding.find`."""
        from hermes_tui.library.finding import find

        return find(text, self.libraries, many=self.many, ticket=ticket)

    # Asked of the store that a row is of.

    def detailed(self, rows: Sequence[Session], *, ticket: Ticket | None = None) -> tuple[Session, ...]:
        """The same rows of a list with counts, status and preview."""
        if not self.many:
            return self.first.detailed(rows, ticket=ticket)
        found: dict[SessionKey, Session] = {}
        for name, own in merging.grouped(rows, lambda row: row.profile).items():
            full = merging.given(self.of(name).detailed(own, ticket=ticket), name)
            found.update((row.key, row) for row in full)
        return tuple(found.get(row.key, row) for row in rows)

    def previews(self, keys: Sequence[SessionKey], *, ticket: Ticket | None = None) -> dict[SessionKey, str]:
        """The first words of a person in each of these sessions."""
        found: dict[SessionKey, str] = {}
        for name, own in merging.grouped(keys, lambda key: key[0]).items():
            words = self.of(name).previews([session_id for _, session_id in own], ticket=ticket)
            found.update(((name, session_id), text) for session_id, text in words.items())
        return found

    def transcript(self, anchor: Anchor, *, ticket: Ticket | None = None) -> Transcript:
        """The whole conversation that holds the anchor's session, without the texts."""
        found = self.of(anchor.profile).transcript(anchor, ticket=ticket)
        return merging.transcript(found, anchor.profile) if self.many else found

    def window(
        self, anchor: Anchor, *, size: int = 10, everything: bool = False, ticket: Ticket | None = None
    ) -> Window:
        """The messages around a place; see `Library.window`."""
        found = self.of(anchor.profile).window(anchor, size=size, everything=everything, ticket=ticket)
        return merging.window(found, anchor.profile) if self.many else found

    def children(
        self, session_ids: Sequence[str], *, profile: Name = None, ticket: Ticket | None = None
    ) -> tuple[Session, ...]:
        """What began in the conversation of the store `profile` that is made of these sessions."""
        found = self.of(profile).children(session_ids, ticket=ticket)
        return merging.given(found, profile) if self.many else found

    def faults(
        self, session_ids: Sequence[str], *, profile: Name = None, after: int = 0, ticket: Ticket | None = None
    ) -> frozenset[int]:
        """Messages of these sessions of the store `profile` that tell of something that went wrong."""
        return self.of(profile).faults(session_ids, after=after, ticket=ticket)

    def messages(
        self,
        ids: Sequence[int],
        *,
        profile: Name = None,
        copies: Mapping[int, int] | None = None,
        ticket: Ticket | None = None,
    ) -> tuple[Message, ...]:
        """Messages of the store `profile` in the order of `ids`."""
        return self.of(profile).messages(ids, copies=copies, ticket=ticket)

    def row(self, message_id: int, *, profile: Name = None, ticket: Ticket | None = None) -> dict[str, object]:
        """A row of messages of the store `profile` as it is stored."""
        return self.of(profile).row(message_id, ticket=ticket)

    # The stores themselves.

    def changed(self) -> bool:
        """Whether another program wrote to any store, or replaced it, since the last time this was asked; also when one
        that could not be read can be read now. Never waits for a question under way."""
        if not self.many:
            return self.first.changed()
        changed = [self._changed(name, library) for name, library in self.libraries.items()]
        return self._retry() or any(changed)

    def _changed(self, name: Name, library: Library) -> bool:
        """The same of one of several; that it cannot be asked any more, or again, is a change too."""
        try:
            changed, down = library.changed(), False
        except StoreError:
            changed, down = False, True
        if down is not (name in self._down):
            self._down ^= {name}
            return True
        return changed

    def _retry(self) -> bool:
        """Open those that could not be read, where their files are others now."""
        again = False
        for each in self.unread:
            signature = _signature(each.path)
            if self._closed or signature == self._seen[each.path]:
                continue
            self._seen[each.path] = signature
            try:
                library = Library.open(each.path, profile=each.name)
            except StoreError:
                continue
            self.libraries = {**self.libraries, each.name: library}
            self.unread = tuple(other for other in self.unread if other is not each)
            again = True
        return again

    def close(self) -> None:
        """Close all; questions under way end with Cancelled."""
        self._closed = True
        for library in self.libraries.values():
            library.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _all(self, ask: Callable[[Library], T]) -> tuple[dict[Name, T], dict[Name, StoreError]]:
        return self._all_by_name(lambda name, library: ask(library))

    def _all_by_name(self, ask: Callable[[Name, Library], T]) -> tuple[dict[Name, T], dict[Name, StoreError]]:
        libraries = self.libraries
        answers, errors = fan(libraries, ask)
        if not answers:
            raise next(iter(errors.values()))
        return answers, errors


def none_of(errors: Mapping[StorePlace, StoreError]) -> StoreError:
    """The error to raise when no store could be read, for these reasons."""
    if len(errors) == 1:
        return next(iter(errors.values()))
    told = " ".join(f"{place.name}: {error}" for place, error in errors.items())
    return StoreUnreadable(f"None of {len(errors)} stores can be read. {told}")


def _signature(path: Path) -> tuple[int, int, int] | None:
    """What tells a file from what it was, None where there is none."""
    try:
        seen = path.stat()
    except OSError:
        return None
    return seen.st_ino, seen.st_size, seen.st_mtime_ns
