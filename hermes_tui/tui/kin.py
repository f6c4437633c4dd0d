"""A reader of a conversation that others began in: sub-agents and branches are told below the message at which they
began, and opened from there.
"""

from __future__ import annotations

from collections.abc import Sequence

from textual.message import Message as Event
from textual.strip import Strip

from hermes_tui.model import Anchor, OutlineRow, Session, SessionKind, Transcript
from hermes_tui.render import Ink, Mark, Piece, count, one_line
from hermes_tui.tui import labels
from hermes_tui.tui.growing import Grower
from hermes_tui.tui.lens import Lens, Sight
from hermes_tui.tui.outline import Outline
from hermes_tui.tui.paint import paint

KINDS = {SessionKind.DELEGATE: "sub-agent", SessionKind.BRANCH: "branch", SessionKind.RESET: "next conversation"}


class Kin(Grower):
    """What it knows of them."""

    class ChildWanted(Event):
        """The reader wants to read this session, which began here."""

        def __init__(self, anchor: Anchor) -> None:
            super().__init__()
            self.anchor = anchor

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id, classes=classes)
        self._children: tuple[Session, ...] | None = None  # None: not known yet
        self._awaited = False  # whether the reader wants to open one of them when they are known
        self._begun: dict[int, list[Session]] = {}  # message id -> those that began there
        self._opened: dict[int, int] = {}  # message id -> how many of its own were opened from it

    def take_children(self, children: Sequence[Session]) -> None:
        """These began in the conversation."""
        if tuple(children) == self._children:
            return
        self._children = tuple(children)
        if self.outline is not None and (self._children or self._begun):
            self._begun = begun(self.outline, self._children)
            self.put_back()
            self.refresh()
        if self._awaited:
            self._awaited = False
            self.action_open_child()

    def lay(self, outline: Outline) -> None:
        """Begin with other rows."""
        if self.outline is None or self.outline.root != outline.root:
            self._children, self._awaited = None, False
        self._begun = begun(outline, self._children or ())
        super().lay(outline)

    def children_at(self, index: int) -> list[Session]:
        """The sessions that began at entry `index`."""
        return self._begun.get(self.outline.rows[index].id, []) if self._begun and self.outline else []

    def measure(self, index: int) -> int:
        """A line more for each session that began there."""
        return super().measure(index) + len(self.children_at(index))

    def line(self, index: int, row: int, width: int) -> Strip:
        """One line of an entry; the last ones tell what began there."""
        children = self.children_at(index)
        number = row - (self.heights[index] - len(children))
        if number < 0:
            return super().line(index, row, width)
        child = children[number]
        name = one_line(labels.title(child, child.preview), max(8, self.text_width - 44))
        pieces = [
            Piece("⤷ ", Ink.FOLD, Mark.NONE),
            Piece(KINDS.get(child.kind, child.kind.value), Ink.STATE, Mark.NONE),
            Piece(f"  {name}", Ink.GIST, Mark.NONE),
            Piece(f"  {count(labels.messages(child), 'message')} (d opens)", Ink.META, Mark.NONE),
        ]
        return paint((" ", ""), pieces, self.look, width=width)

    def action_open_child(self) -> None:
        """Open what began at the cursor, each time the next of several; else go to where the next one began."""
        if self.outline is None or not self.outline.rows:
            return
        if self._children is None:
            self._awaited = True
            return
        children = self.children_at(self.cursor)
        if children:
            message_id = self.outline.rows[self.cursor].id
            number = self._opened.get(message_id, 0) % len(children)
            self._opened[message_id] = number + 1
            self.open_child(children[number])
            return
        following = (at for at in range(self.cursor + 1, len(self.outline)) if self.children_at(at))
        found = next(following, None) if self._begun else None
        if found is None:
            self.post_message(self.Missed("No sub-agent or branch began here or further down."))
        else:
            self.jump(found)

    def open_child(self, child: Session) -> None:
        """Have it shown."""
        self.leave()
        self.post_message(self.ChildWanted(Anchor(child.id, profile=child.profile)))


def begun(outline: Outline, children: Sequence[Session]) -> dict[int, list[Session]]:
    """The message shown at which each session began, or the last one above it; a lens that is about a part of the
    conversation shows those only that began in that part."""
    if children and outline.sight.lens is not Lens.LIVED:
        lived = Outline(outline.transcript, Sight(rewound=outline.sight.rewound))
        rows = [birthplace(lived, child) for child in children]
        shown = [row is not None and outline.index(row.id) is not None for row in rows]
        children = [child for child, each in zip(children, shown, strict=True) if each]
    found: dict[int, list[Session]] = {}
    for child in children:
        row = birthplace(outline, child)
        if row is not None:
            found.setdefault(row.id, []).append(child)
    return found


def birthplace(outline: Outline, child: Session) -> OutlineRow | None:
    """The row shown at which `child` began: where the store tells that, else the last one written by then."""
    if not outline.rows:
        return None
    if child.begun_at is None:
        return _written_by(outline.rows, child)
    index = outline.index(child.begun_at)
    if index is not None:
        return outline.rows[index]
    transcript = outline.transcript
    hidden = transcript.stands_for.get(child.begun_at, child.begun_at)
    at = next((at for at, row in enumerate(transcript.rows) if row.id == hidden), None)
    if at is None:
        return _written_by(outline.rows, child)
    above = (outline.index(row.id) for row in reversed(transcript.rows[:at]))
    return outline.rows[next((index for index in above if index is not None), 0)]


def _written_by(rows: Sequence[OutlineRow], child: Session) -> OutlineRow:
    """The last of `rows` that was there when `child` began, of its parent's if there is one; else the first."""
    early = [
        row
        for row in rows
        if row.timestamp is not None and child.started_at is not None and row.timestamp <= child.started_at
    ]
    own = [row for row in early if row.session_id == child.parent_id]
    return (own or early or list(rows[:1]))[-1]


def cradle(transcript: Transcript, child: Session, sight: Sight) -> Anchor:
    """The place in its parent's conversation at which `child` began, of what `sight` shows of that."""
    row = birthplace(Outline(transcript, sight), child)
    profile = transcript.session.profile
    if row is None:
        return Anchor(transcript.session.id, profile=profile)
    return Anchor(row.session_id, row.id, profile)
