"""A transcript and a place in it -> the messages around that place, and the ends of the conversation beyond them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace

from hermes_tui.library.places import NotFound
from hermes_tui.model import Anchor, Kind, Message, OutlineRow, Session, State, Transcript, Window

BOOKEND = 3  # turns shown from each end of the conversation
BATCH = 8  # turns read at first when looking for ones that hold text; doubled each time

Reader = Callable[[Sequence[OutlineRow]], tuple[Message, ...]]


def settle(transcript: Transcript, anchor: Anchor) -> Anchor:
    """The row that stands for the anchor's message: a folded copy is shown as the row it repeats, a row that moved to
    another session of the conversation in that one. Raises NotFound for a message the conversation does not hold."""
    if anchor.message_id is None:
        return anchor
    shown = transcript.stands_for.get(anchor.message_id, anchor.message_id)
    for row in transcript.rows:
        if row.id == shown:
            return replace(anchor, session_id=row.session_id, message_id=row.id)
    raise NotFound(f"Session {anchor.session_id} has no message {anchor.message_id}.")


def cut(transcript: Transcript, anchor: Anchor, *, size: int, everything: bool, read: Reader) -> Window:
    """`size` messages on either side of the anchor's; for a session without a message, as many from its beginning.

    A session that is its conversation's newest tip stands for the whole conversation and begins where that began.
    Rewound and hidden rows count and show only with `everything`, or where the anchor names one.
    """
    place = settle(transcript, anchor)
    rows = [row for row in transcript.rows if everything or row.id == place.message_id or _plain(row)]
    if place.message_id is None:
        start = _beginning(transcript, rows)
        stop = start + 2 * size + 1
    else:
        middle = next(number for number, row in enumerate(rows) if row.id == place.message_id)
        start, stop = max(0, middle - size), middle + size + 1
    before, inside, after = rows[:start], rows[start:stop], rows[stop:]
    return Window(
        session=_holder(transcript, place),
        anchor=None if place.message_id is None else place,
        messages=read(inside),
        before=len(before),
        after=len(after),
        bookends_start=_turns(before, read),
        bookends_end=_turns(after[::-1], read)[::-1],
        hidden=_left_out(transcript.rows, rows),
    )


def _plain(row: OutlineRow) -> bool:
    return row.state is not State.REWOUND and row.kind is not Kind.HIDDEN


def _left_out(rows: Iterable[OutlineRow], shown: Iterable[OutlineRow]) -> Mapping[str, int]:
    kept = {row.id for row in shown}
    missing = (row for row in rows if row.id not in kept)
    return Counter("rewound" if row.state is State.REWOUND else "hidden" for row in missing)


def _beginning(transcript: Transcript, rows: Sequence[OutlineRow]) -> int:
    """Where a session that is named without a message begins among `rows`."""
    segments = [session.id for session in transcript.segments]
    if transcript.session.id not in segments[:-1]:
        return 0
    later = set(segments[segments.index(transcript.session.id) :])
    return next((number for number, row in enumerate(rows) if row.session_id in later), 0)


def _holder(transcript: Transcript, place: Anchor) -> Session:
    """The session whose row is shown, which need not be the one that was asked for."""
    held = (session for session in transcript.segments if session.id == place.session_id)
    return next(held, transcript.session)


def _turns(rows: Iterable[OutlineRow], read: Reader) -> tuple[Message, ...]:
    """The first turns among `rows` that say something: what a person or the model wrote, no summary, nothing taken
    back."""
    turns = [row for row in rows if row.kind is Kind.TURN and row.role in ("user", "assistant") and _plain(row)]
    found: list[Message] = []
    start, batch = 0, BATCH
    while start < len(turns) and len(found) < BOOKEND:
        found += [message for message in read(turns[start : start + batch]) if message.text.strip()]
        start, batch = start + batch, batch * 2
    return tuple(found[:BOOKEND])
