"""The hits of an answer by conversation, and which of them stand in the list while a conversation is folded."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby

from hermes_tui.model import Anchor, Answer, Hit, Session, SessionKey
from hermes_tui.model.record import dataclass

TITLES = 3
"""Conversations found by title or id that are shown above the messages before the rest is asked for."""
BEST = 3
"""Hits of a folded conversation that are shown, the first ones in the order of the answer."""

Row = Hit | Session


@dataclass(frozen=True, slots=True)
class Group:
    """Rows under one heading. `session` is None for the conversations found by title or id."""

    session: Session | None
    rows: tuple[Row, ...]
    left_out: int = 0

    @property
    def key(self) -> SessionKey:
        """The conversation, by its store and its id, which is "" for those found by name."""
        return (None, "") if self.session is None else _key(self.session)


@dataclass(frozen=True, slots=True)
class Folded:
    """The row that stands for the hits of a conversation that are folded away. `hits` is never empty."""

    conversation: SessionKey
    hits: tuple[Hit, ...]


Shown = Hit | Session | Folded


def place(row: Shown) -> Anchor:
    """The place a row stands for; of folded hits it is the first one's."""
    match row:
        case Hit():
            return row.anchor
        case Folded():
            return row.hits[0].anchor
        case Session():
            return Anchor(row.id, profile=row.profile)


def group(answer: Answer, *, everything: bool) -> Iterable[Group]:
    """The rows of an answer under their headings: conversations found by name first, then messages by conversation."""
    if answer.sessions:
        shown = answer.sessions if everything else answer.sessions[:TITLES]
        yield Group(None, shown, len(answer.sessions) - len(shown))
    for _, hits in groupby(_together(answer.hits), key=_conversation):
        rows = tuple(hits)
        yield Group(rows[0].session, rows)


def fit(groups: Sequence[Group], lines: int) -> bool:
    """Whether there is nothing to gain by folding any: all rows and headings fit in `lines`, or the hits are of one
    conversation, which stands in no other's way."""
    conversations = sum(part.session is not None for part in groups)
    return conversations < 2 or sum(len(part.rows) + 1 for part in groups) <= lines


def folded(part: Group, *, held: Anchor | None) -> tuple[Shown, ...]:
    """The rows of a folded conversation: the first `BEST`, the highlighted one (`held`), and one row for the others.

    No row stands for a single hit, which takes no more room itself.
    """
    hits = [row for row in part.rows if isinstance(row, Hit)]
    rest = tuple(hit for hit in hits[BEST:] if hit.anchor != held)
    if len(rest) < 2:
        return part.rows
    away = {hit.anchor for hit in rest}
    return (*(hit for hit in hits if hit.anchor not in away), Folded(part.key, rest))


def _together(hits: Sequence[Hit]) -> list[Hit]:
    """The hits of one conversation side by side, conversations in the order in which their first hit comes."""
    place_of: dict[SessionKey, int] = {}
    for hit in hits:
        place_of.setdefault(_conversation(hit), len(place_of))
    return sorted(hits, key=lambda hit: place_of[_conversation(hit)])


def _conversation(hit: Hit) -> SessionKey:
    return _key(hit.session)


def _key(session: Session) -> SessionKey:
    return session.profile, session.conversation or session.id
