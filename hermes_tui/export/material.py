"""What goes into a document: chapters, each some or all rows of one conversation, without their texts yet."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field

from hermes_tui.library import Library, NotFound, Stores, Ticket
from hermes_tui.model import Anchor, Compaction, Kind, Message, OutlineRow, Session, SessionKey, State, Transcript
from hermes_tui.model.record import dataclass

PORTION = 64  # rows read at once
HEAVY = 1 << 20  # bytes of them


@dataclass(frozen=True, slots=True)
class Chapter:
    """Rows of one conversation in reading order, to be read from `library`.

    `profile` is the name of its store where several are open. `session` is the one that was asked for, `segments` are
    all of the conversation. `marked` are the messages the chapter is about. `skipped` counts, for a row by its id, the
    rows of the conversation left out before it; `after` counts those behind the last.
    """

    library: Library
    profile: str | None
    session: Session
    segments: tuple[Session, ...]
    rows: tuple[OutlineRow, ...]
    marked: frozenset[int] = frozenset()
    skipped: Mapping[int, int] = field(default_factory=dict)
    after: int = 0
    compactions: tuple[Compaction, ...] = ()

    def anchor(self, message: Message) -> Anchor:
        """The place of one of its messages."""
        return Anchor(message.session_id, message.id, self.profile)

    @property
    def before(self) -> int:
        """How many rows of the conversation come before the first."""
        return self.skipped.get(self.rows[0].id, 0) if self.rows else 0


@dataclass(frozen=True, slots=True)
class Material:
    """Chapters in the order they were asked for. `whole` says that it is one conversation with every row it has."""

    chapters: tuple[Chapter, ...]
    whole: bool = False

    @property
    def total(self) -> int:
        """How many rows there are."""
        return sum(len(chapter.rows) for chapter in self.chapters)


def conversation(stores: Stores, anchor: Anchor, *, ticket: Ticket | None = None) -> Material:
    """Every row of the conversation that holds the anchor's session: rewound, hidden and compacted ones too.

    Raises NotFound, StoreError and Cancelled.
    """
    source = _Source(stores, anchor, ticket)
    marked = [] if anchor.message_id is None else [_standing(source.transcript, anchor)]
    return Material((source.chapter(source.transcript.rows, marked),), whole=True)


def places(stores: Stores, anchors: Sequence[Anchor], *, size: int, ticket: Ticket | None = None) -> Material:
    """The messages at these places with `size` others on either side of each, those of one conversation together.

    A session without a message stands for its beginning. Rows that were taken back or hidden are there only where an
    anchor names them. Raises NotFound, StoreError and Cancelled.
    """
    return Material(tuple(_excerpt(source, wanted, size) for source, wanted in _grouped(stores, anchors, ticket)))


def material_of(stores: Stores, anchors: Sequence[Anchor], *, ticket: Ticket | None = None) -> tuple[Chapter, ...]:
    """Each conversation that holds one of these places, with every row that is shown unasked or marked."""
    chapters = []
    for source, wanted in _grouped(stores, anchors, ticket):
        marked = {_standing(source.transcript, anchor) for anchor in wanted if anchor.message_id is not None}
        rows = [row for row in source.transcript.rows if row.id in marked or is_plain(row)]
        chapters.append(source.chapter(rows, marked))
    return tuple(chapters)


def _grouped(stores: Stores, anchors: Sequence[Anchor], ticket: Ticket | None) -> list[tuple[_Source, list[Anchor]]]:
    """The anchors by conversation, in the order of each one's first."""
    found: list[tuple[_Source, list[Anchor]]] = []
    known: dict[SessionKey, list[Anchor]] = {}
    for anchor in anchors:
        if anchor.key not in known:
            source = _Source(stores, anchor, ticket)
            wanted: list[Anchor] = []
            found.append((source, wanted))
            known |= dict.fromkeys(((anchor.profile, segment.id) for segment in source.transcript.segments), wanted)
        known[anchor.key].append(anchor)
    return found


def _excerpt(source: _Source, anchors: Sequence[Anchor], size: int) -> Chapter:
    transcript = source.transcript
    marked = [_standing(transcript, anchor) for anchor in anchors if anchor.message_id is not None]
    rows = [row for row in transcript.rows if row.id in marked or is_plain(row)]
    wanted: set[int] = set()
    if len(marked) < len(anchors):
        wanted.update(range(min(len(rows), 2 * size + 1)))
    for number, row in enumerate(rows):
        if row.id in marked:
            wanted.update(range(max(0, number - size), min(len(rows), number + size + 1)))
    return source.chapter([rows[number] for number in sorted(wanted)], marked)


def is_plain(row: OutlineRow) -> bool:
    """Whether a row is shown without being asked for: not taken back, not only for the model."""
    return row.state is not State.REWOUND and row.kind is not Kind.HIDDEN


def _standing(transcript: Transcript, anchor: Anchor) -> int:
    """The row that stands for the anchor's message."""
    assert anchor.message_id is not None
    shown = transcript.stands_for.get(anchor.message_id, anchor.message_id)
    if all(row.id != shown for row in transcript.rows):
        raise NotFound(f"Session {anchor.session_id} has no message {anchor.message_id}.")
    return shown


class _Source:
    """A conversation in the store that an anchor names."""

    def __init__(self, stores: Stores, anchor: Anchor, ticket: Ticket | None) -> None:
        self.library = stores.of(anchor.profile)
        self.profile = anchor.profile if stores.many else None
        self.transcript = self.library.transcript(anchor, ticket=ticket)
        self._ticket = ticket

    def chapter(self, rows: Sequence[OutlineRow], marked: Iterable[int]) -> Chapter:
        """These rows, and how many are left out between them."""
        transcript = self.transcript
        kept = {row.id for row in rows}
        skipped: dict[int, int] = {}
        gap = 0
        for row in transcript.rows:
            if row.id not in kept:
                gap += 1
            elif gap:
                skipped[row.id], gap = gap, 0
        (whole,) = self.library.detailed([transcript.session], ticket=self._ticket)
        told = transcript.session._replace(preview=whole.preview, status=whole.status, profile=self.library.profile)
        return Chapter(
            library=self.library,
            profile=self.profile,
            session=told,
            segments=transcript.segments,
            rows=tuple(rows),
            marked=frozenset(marked),
            skipped=skipped,
            after=gap,
            compactions=tuple(cut for cut in transcript.compactions if cut.at in kept),
        )


def read(library: Library, rows: Sequence[OutlineRow], *, ticket: Ticket | None = None) -> Iterator[Message]:
    """The messages of these rows, read a portion at a time; one that is gone meanwhile is left out."""
    portion: list[OutlineRow] = []
    weight = 0
    for row in rows:
        if portion and (len(portion) >= PORTION or weight + row.size > HEAVY):
            yield from _read(library, portion, ticket)
            portion, weight = [], 0
        portion.append(row)
        weight += row.size
    yield from _read(library, portion, ticket)


def _read(library: Library, rows: Sequence[OutlineRow], ticket: Ticket | None) -> Iterator[Message]:
    copies = {row.id: row.copies for row in rows}
    yield from library.messages([row.id for row in rows], copies=copies, ticket=ticket)
