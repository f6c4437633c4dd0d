"""A transcript as entries of a scroll: pages of messages under their borders, painted, and kept in their place.

Only what is in the window is laid out and only visible lines are painted. Until the reader moves, the place they were
brought to keeps its row in the middle; after that, the line they read does, whatever arrives, unfolds or is resized.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum

from rich.style import Style
from textual.strip import Strip

from hermes_tui.model import Kind, OutlineRow, State
from hermes_tui.model.record import dataclass
from hermes_tui.render import MEASURE, Ink, Mark, Marks, Page, Piece, Place, View, cells, clock, fit, role_label
from hermes_tui.tui.heights import Heights
from hermes_tui.tui.lens import Lens, newest
from hermes_tui.tui.outline import Outline
from hermes_tui.tui.paint import GUTTER, HITS, paint
from hermes_tui.tui.pairs import Pairs
from hermes_tui.tui.scroll import EntryScroll
from hermes_tui.tui.shelf import Leaf, Shelf

NONE = {
    Lens.LIVED: "No messages.",
    Lens.MODEL: "The model has nothing of this conversation.",
    Lens.AWAY: "Nothing was compacted away.",
}
"""What is said where a lens shows no messages."""


class Target(Enum):
    """How a message is brought into view."""

    CENTRE = "centre"  # its first match in the middle, or all of it
    TOP = "top"  # its header near the top, so that what follows can be read


@dataclass(frozen=True, slots=True)
class Hold:
    """A line that stays where it is: a row of a message (`place` where its text is known) on row `at` of `window`."""

    message_id: int
    row: int
    place: Place | None
    at: int
    window: int


class Reader(EntryScroll):
    """The entries of an `Outline`, one of them under the cursor."""

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id, classes=classes)
        self.outline: Outline | None = None
        self.shelf = Shelf()
        self.pairs = Pairs(self.shelf)
        self.cursor = 0
        self._chosen: int | None = None  # the message the reader went to last
        self.marks: Marks | None = None
        self.sought: frozenset[int] = frozenset()  # messages that must show a match
        self.mark_looks = HITS
        self.brought: int | None = None  # the one whose first match is the current one
        self.unfolded: set[int] = set()
        self.reasons = False  # whether reasoning is unfolded everywhere
        self.aim: tuple[int, Target] | None = None
        self._hold: Hold | None = None
        self._looks: dict[str, Style] = {}
        self._views: dict[int, View] = {}  # by message, for what `_seen_as` says
        self._seen_as: tuple[object, ...] = ()
        self._keeping = False  # while what is held is put back, it is not chosen anew: that would drift

    # Entries.

    @property
    def text_width(self) -> int:
        """Cells for the text of a message; one is left free at the right."""
        return max(1, self.room - GUTTER - 1)

    def lay(self, outline: Outline) -> None:
        """Begin with the rows of `outline`, at heights known from before or guessed; the cursor stays if it can."""
        old, known = self.outline, {}
        if old is not None and old.root == outline.root:
            known = {row.id: self.heights[index] for index, row in enumerate(old.rows)}
            self.cursor = outline.nearest(self._chosen) if self._chosen is not None and outline.rows else 0
            if newest(old.transcript) != newest(outline.transcript):
                self.shelf.repaint()  # it went on in another session: what is painted as live is not any more
        else:
            self.cursor = 0
            self._chosen = None
        width = self.text_width
        self.outline = outline
        self.forget_views()
        guesses = outline.guesses(width)
        if known:
            guesses = [known.get(row.id) or guess for row, guess in zip(outline.rows, guesses, strict=True)]
        self.heights = Heights(guesses)

    def page(self, index: int) -> Page | None:
        """The page of a message that is here."""
        leaf = self.leaf(index)
        return leaf.page if leaf else None

    def leaf(self, index: int) -> Leaf | None:
        """A message that is here, laid out."""
        if self.outline is None:
            return None
        return self.shelf.leaf(self.outline.rows[index].id, self._view(index, self.outline))

    def measure(self, index: int) -> int:
        """The borders above a message and its page, or a guess while it is not here."""
        if self.outline is None:
            return 1
        page = self.page(index)
        height = page.height if page else self.outline.guess(index, self.text_width)
        return self.border_lines(index) + max(1, height) + self.tail_lines(index)

    def border_lines(self, index: int) -> int:
        """Lines of entry `index` above its message: every border with an empty line above, but at the very top."""
        return max(0, 2 * len(self.outline.borders(index)) - (index == 0)) if self.outline else 0

    def tail_lines(self, index: int) -> int:
        """Lines below the last entry: every border with an empty line above."""
        return 2 * len(self.outline.tail()) if self.outline and index == len(self.outline) - 1 else 0

    def header(self, index: int) -> int:
        """The line of entry `index` that its message's first words are on."""
        page = self.page(index)
        return self.border_lines(index) + (page.lead if page else 0)

    def _view(self, index: int, outline: Outline) -> View:
        message_id = outline.rows[index].id
        seen_as = (self.room, self.reasons, self.marks, self.sought, self.brought)
        if seen_as != self._seen_as:
            self._views.clear()
        self._seen_as = seen_as
        view = self._views.get(message_id)
        if view is None:
            view = self._views[message_id] = self._new_view(message_id, index, outline)
        return view

    def _new_view(self, message_id: int, index: int, outline: Outline) -> View:
        return View(
            width=self.text_width,
            unfolded=message_id in self.unfolded,
            reasoning=self.reasons,
            joined=outline.joined(index),
            spaced=outline.spaced(index),
            carded=self.pairs.carded(outline, index),
            failed=self.pairs.failed(message_id),
            seek=message_id in self.sought or message_id == self.brought,
            marks=self.marks,
            outcomes=self.pairs.outcomes(outline, index),
        )

    def forget_views(self) -> None:
        """Messages came, or other rows are shown: calls may have an answer now."""
        self.pairs.forget()
        self._views.clear()

    def unfold(self, message_ids: Iterable[int], *, again: bool = False) -> None:
        """Show all of these messages; fold them with `again`."""
        for message_id in message_ids:
            (self.unfolded.discard if again else self.unfolded.add)(message_id)
            self._views.pop(message_id, None)

    # Staying in place.

    def bring(self, index: int, target: Target) -> None:
        """Put the cursor on entry `index` and show it there until the reader moves."""
        if self.outline is None or not self.outline.rows:
            return
        message_id = self.outline.rows[index].id
        self.brought = message_id if target is Target.CENTRE else None
        self.aim = (message_id, target)
        self._choose(index)
        self._settle_on(index, target)

    def _choose(self, index: int) -> None:
        """The reader is at entry `index`; other rows may be shown for a while in which it is not."""
        self.cursor = index
        self._chosen = self.outline.rows[index].id if self.outline is not None else None

    def put_back(self) -> None:
        """Settle again with what is read in its place."""
        self._keeping = self._hold is not None
        self._put_back()
        self._keeping = False

    def _put_back(self) -> None:
        outline, hold = self.outline, self._hold
        if outline is None or not outline.rows:
            self.settle(0, 0, 0)
        elif self.aim is not None:
            self.cursor = outline.nearest(self.aim[0])
            self._settle_on(self.cursor, self.aim[1])
        elif hold is None:
            self.settle(0, 0, 0)
        elif (index := outline.index(hold.message_id)) is None:
            self.settle(outline.nearest(hold.message_id), 0, hold.at)
        else:
            page, row = self.page(index), hold.row
            if page is not None and hold.place is not None:
                row = self.border_lines(index) + page.locate(hold.place)
            self.settle(index, row, hold.at * self.window // max(1, hold.window))

    def settled(self) -> None:
        """Remember the line that has to stay."""
        if self._keeping:
            return
        entries = self.in_window()
        if self.outline is None or not entries:
            self._hold = None
            return
        index = self.cursor if self.cursor in entries else next(filter(self.page, entries), entries[0])
        begin = self.heights.before(index) - self.top
        first, last = max(0, -begin), min(self.heights[index], self.window - begin) - 1
        row = min(max(first, self.header(index)), last)
        page, inside = self.page(index), row - self.border_lines(index)
        place = page.place(inside) if page is not None and 0 <= inside < page.height else None
        self._hold = Hold(self.outline.rows[index].id, row, place, begin + row, self.window)

    def moved(self) -> None:
        """The reader scrolled: the cursor stays in the window."""
        self.aim = None
        entries = self.in_window()
        if entries and self.cursor not in entries:
            top = self.top
            headed = [at for at in entries if 0 <= self.heights.before(at) + self.header(at) - top < self.window]
            self.put_cursor((headed or entries)[0 if self.cursor < entries.start else -1])

    def put_cursor(self, index: int) -> None:
        """Move the cursor to an entry in the window."""
        self.aim = None
        if index != self.cursor:
            self._move_cursor(index)
            self.settled()

    def reveal(self, index: int) -> None:
        """Move the cursor to entry `index` and scroll as little as shows all of it, or its nearer end."""
        self.aim = None
        below = index > self.cursor
        same = not self.heights.set(index, self.measure(index))
        self._move_cursor(index)
        height, at = self.heights[index], self.heights.before(index) - self.top
        if below and at + height > self.window:
            at = max(0, self.window - height)
        elif not below and at < 0:
            at = min(0, self.window - height)
        self.settle(index, 0, at, same=same)

    def _move_cursor(self, index: int) -> None:
        """The cursor is on another entry: these two look different."""
        for changed in {self.cursor, index}:
            if changed < len(self.heights):
                self.paint_entry(changed)
        self._choose(index)

    def match_row(self, index: int) -> int | None:
        """The row of the match that a message is shown for, if it is here and has one."""
        page = self.page(index)
        return page.mark_row() if page else None

    def _settle_on(self, index: int, target: Target) -> None:
        match = self.match_row(index) if target is Target.CENTRE else None
        header = self.header(index)
        if match is not None:
            self.settle(index, self.border_lines(index) + match, self.window // 2)
        elif target is Target.TOP:
            self.settle(index, header if index else 0, min(2, self.window // 3) if index else 0)
        else:
            free = self.window - (self.measure(index) - header)
            self.settle(index, header, max(free // 2, min(self.window // 4, 6)))

    # Painting.

    def nothing(self, y: int, width: int) -> Strip:
        """That there are no messages to show."""
        outline = self.outline
        text = "" if outline is None or y != self.window // 3 else NONE[outline.sight.lens]
        return paint((" ", ""), [Piece(text, Ink.META, Mark.NONE)], self.look, width=width)

    def line(self, index: int, row: int, width: int) -> Strip:
        """One line of an entry: a border, a row of the message's page, or that it is on its way."""
        outline = self.outline
        if outline is None:
            return Strip.blank(width, self.look(""))
        entry, borders = outline.rows[index], self.border_lines(index)
        if row < borders:
            return self._border(outline.borders(index), row + (index == 0), width)
        row -= borders
        leaf = self.shelf.leaf(entry.id, self._view(index, outline))
        if leaf is None:
            return paint(self._sign(index, entry, row > 0), _on_its_way(entry, row), self.look, width=width)
        if row >= leaf.page.height:
            below = row - leaf.page.height
            known = below < self.tail_lines(index)
            return self._border(outline.tail(), below, width) if known else Strip.blank(width, self.look(""))
        look = (0 if index != self.cursor else 2 if self.has_focus else 1) + 3 * (entry.id == self.brought)
        brought = entry.id == self.brought
        return self.shelf.strip(
            leaf, row, look, lambda: self.paint_row(leaf, index, row, leaf.page.pieces(row, current=brought))
        )

    def paint_row(self, leaf: Leaf, index: int, row: int, pieces: list[Piece]) -> Strip:
        """Row `row` of a message's page, whose `pieces` are these."""
        outline = self.outline
        if outline is None:
            return Strip.blank(self.room, self.look(""))
        entry = outline.rows[index]
        return paint(
            self._sign(index, entry, row >= leaf.page.lead),
            pieces,
            self.look,
            marks=self.mark_looks,
            width=self.room,
            ink=leaf.page.ink(row),
            past=entry.state is State.REWOUND,
        )

    def _border(self, borders: tuple[str, ...], line: int, width: int) -> Strip:
        number, drawn = divmod(line, 2)
        measure = min(self.text_width, MEASURE)
        text = fit(f"── {borders[number]} ", measure) if drawn else ""
        text += "─" * (measure - cells(text)) if drawn else ""
        return paint((" ", ""), [Piece(text, Ink.META, Mark.NONE)], self.look, width=width)

    def _sign(self, index: int, row: OutlineRow, inside: bool) -> tuple[str, str]:
        """What stands in the gutter: the cursor, a row that is not live, or a person speaking."""
        if index == self.cursor and inside:
            return "▌", "transcript--cursor" if self.has_focus else "transcript--cursor-far"
        if row.state is State.REWOUND:
            return "×" if inside else " ", "transcript--side"
        if self.outline is not None and self.outline.away(row):
            return "┊", "transcript--side"
        person = inside and row.role == "user" and row.kind is Kind.TURN
        return ("▏", "transcript--you") if person else (" ", "")

    def look(self, name: str) -> Style:
        """The style of a component class; "" is the plain one. Textual works both out anew each time it is asked."""
        style = self._looks.get(name)
        if style is None:
            plain = self._looks.setdefault("", self.rich_style)
            style = plain + self.get_component_rich_style(name, partial=True) if name else plain
            self._looks[name] = style
        return style

    def notify_style_update(self) -> None:
        """Paint again in the new colours."""
        self._looks.clear()
        self.shelf.repaint()
        super().notify_style_update()


def _on_its_way(row: OutlineRow, line: int) -> list[Piece]:
    """Lines that hold the place of a message until it is here."""
    if line == 0:
        return []
    words = f"{role_label(row.role, row.kind)} {clock(row.timestamp)}".rstrip() + " …" if line == 1 else "·"
    return [Piece(words, Ink.META, Mark.NONE)]
