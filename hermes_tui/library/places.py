"""What a person writes for a place -> the `Anchor` it names, or a sentence that says why there is none."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from hermes_tui.model import Anchor, Capabilities, Session
from hermes_tui.store.connection import Connection, Ticket
from hermes_tui.store.sessions import find_sessions, get_session

NAMED = 5  # candidates a sentence names before it counts the rest
TELLING = 6  # characters of an id that mean a session
CANDIDATES = 200  # sessions looked at for a name; more than these are not told apart
LARGEST = 2**63 - 1  # SQLite knows no larger row id


class LibraryError(Exception):
    """A question that has no answer. `str(error)` is a sentence for people."""


class NotFound(LibraryError):
    """Nothing in the store goes by that name."""


class Ambiguous(LibraryError):
    """More than one session goes by that name; the sentence names them, by `places` of theirs where these are given."""

    def __init__(self, text: str, candidates: Iterable[Session], *, places: Sequence[Anchor] = ()) -> None:
        self.candidates = tuple(candidates)
        written = [str(place) for place in places] or [session.id for session in self.candidates]
        told = list(zip(written, self.candidates, strict=True))[:NAMED]
        named = ", ".join(_named(place, session) for place, session in told)
        rest = len(self.candidates) - NAMED
        more = "" if rest <= 0 else " and more" if len(self.candidates) >= CANDIDATES else f" and {rest} more"
        super().__init__(f"“{_cut(text)}” could be any of these sessions: {named}{more}.")


class Places:
    """Looks places up through one connection."""

    def __init__(
        self, connection: Connection, capabilities: Capabilities, *, profile: str | None, ticket: Ticket
    ) -> None:
        self._connection = connection
        self._capabilities = capabilities
        self._profile = profile
        self._ticket = ticket

    def find(self, text: str) -> Anchor:
        """The place `text` names.

        In this order: a whole session id; ID#MESSAGE; a whole title (of its `#2`, `#3` ... continuations the newest);
        a bare message id, also written #MESSAGE; the beginning of one id; then NAME#MESSAGE with NAME a title or the
        beginning of an id; last, any of these behind `PROFILE/`. Raises NotFound and Ambiguous.
        """
        text = text.strip()
        found = self._find(text)
        if found is None and self._profile is not None and text.startswith(f"{self._profile}/"):
            found = self._find(text.removeprefix(f"{self._profile}/"))
        if found is None:
            raise NotFound(f"No session or message goes by “{_cut(text)}” in {self._connection.path}.")
        return found

    def named(self, text: str, *, limit: int | None) -> tuple[Session, ...]:
        """The sessions whose title or id is `text`, begins with it or holds it, in this order; for a search.

        Ids are made of dates: a few characters of one mean nearly every session, so they say nothing.
        """
        return self._named(text, limit=limit, part_of_id=len(text.strip()) >= TELLING)

    def _named(self, text: str, *, limit: int | None = CANDIDATES, part_of_id: bool = True) -> tuple[Session, ...]:
        return find_sessions(
            self._connection, self._capabilities, text, limit=limit, part_of_id=part_of_id, ticket=self._ticket
        )

    def exactly(self, text: str) -> Anchor | None:
        """The place, where `text` is a whole session id, ID#MESSAGE or a message id and nothing else."""
        text = text.strip()
        name, sign, number = text.rpartition("#")
        message = message_id(number)
        if name and message is not None:
            owner = self._owner(message)
            session = self._by_id(name)
            inside = owner == name if session is None else owner in session.segments
            return Anchor(owner, message) if owner is not None and inside else None
        if not name and message is not None and (anchor := self._bare(message)) is not None:
            return anchor
        return Anchor(text) if text and not sign and self._by_id(text) is not None else None

    def _find(self, text: str) -> Anchor | None:
        if not text:
            return None
        if (session := self._by_id(text)) is not None:
            return Anchor(session.id)
        name, _, number = text.rpartition("#")
        message = message_id(number if name or text.startswith("#") else text)
        if message is not None and name and (session := self._by_id(name)) is not None:
            return self._message(session, message)
        if message is not None and name and self._owner(message) == name:
            return Anchor(name, message)  # its session has no row of its own
        hits = self._named(text)
        if (session := _titled(hits, text)) is not None:
            return Anchor(session.id)
        if message is not None and not name and (anchor := self._bare(message)) is not None:
            return anchor
        if (session := _beginning(hits, text)) is not None:
            return Anchor(session.id)
        if message is not None and name:
            hits = self._named(name)
            session = _titled(hits, name) or _beginning(hits, name)
            if session is not None:
                return self._message(session, message)
        return None

    def _by_id(self, session_id: str) -> Session | None:
        return get_session(self._connection, self._capabilities, session_id, ticket=self._ticket)

    def _owner(self, message: int) -> str | None:
        from hermes_tui.store.messages import session_of  # no list needs what reads messages

        return session_of(self._connection, message)

    def _bare(self, message: int) -> Anchor | None:
        owner = self._owner(message)
        return None if owner is None else Anchor(owner, message)

    def _message(self, session: Session, message: int) -> Anchor:
        """The message in the session that holds it: compaction may have moved it along the conversation."""
        owner = self._owner(message)
        if owner is None:
            raise NotFound(f"Session {session.id} has no message {message}.")
        if owner in session.segments:
            return Anchor(owner, message)
        raise NotFound(f"Session {session.id} has no message {message}; it is in another session: {owner}#{message}.")


def message_id(text: str) -> int | None:
    """The row id `text` spells in plain digits, else None."""
    if not (text.isascii() and text.isdigit()):
        return None
    number = int(text) if len(text) <= len(str(LARGEST)) else LARGEST + 1
    return number if number <= LARGEST else None


def _titled(hits: Iterable[Session], text: str) -> Session | None:
    """The session whose title is `text`; the newest of those that Hermes numbered `text #2`, `text #3` ... if any."""
    wanted = text.casefold()
    whole: list[Session] = []
    numbered: list[tuple[float, int, Session]] = []
    for session in hits:
        title = (session.title or "").strip()
        if title.casefold() == wanted:
            whole.append(session)
            continue
        stem, sign, number = title.rpartition(" #")
        if sign and stem.casefold() == wanted and message_id(number) is not None:
            numbered.append((session.started_at or 0.0, int(number), session))
    if numbered:
        return max(numbered, key=lambda row: row[:2])[2]
    exact = [session for session in whole if (session.title or "").strip() == text]
    if len(exact) == 1:
        return exact[0]
    if len(whole) > 1:
        raise Ambiguous(text, whole)
    return whole[0] if whole else None


def _beginning(hits: Iterable[Session], text: str) -> Session | None:
    """The one session whose id begins with `text`."""
    found = [session for session in hits if session.id.startswith(text)]
    if len(found) > 1:
        raise Ambiguous(text, found)
    return found[0] if found else None


def _cut(text: str) -> str:
    return text if len(text) <= 100 else f"{text[:99]}…"


def _named(place: str, session: Session) -> str:
    return place if session.title is None else f"{place} ({session.title})"
