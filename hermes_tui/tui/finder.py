"""A reader that looks for characters in its conversation: marks them in a look of their own and goes from one to the
next, opening folds on the way.
"""

from __future__ import annotations

from collections.abc import Sequence

from textual.strip import Strip

from hermes_tui.model import OutlineRow
from hermes_tui.render import Field, Mark, Marks, Page, Piece
from hermes_tui.tui.literal import Finds, Literal, Spot, text_of
from hermes_tui.tui.paint import FINDS, HITS
from hermes_tui.tui.reader import Reader, Target
from hermes_tui.tui.shelf import Leaf


class Finder(Reader):
    """While something is looked for its marks stand in place of the search's."""

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id, classes=classes)
        self.finds: Finds | None = None
        """What was found so far; None while nothing is looked for."""
        self.literal: Literal | None = None
        """What is looked for."""
        self._find_marks: Marks | None = None
        self._spot: Spot | None = None
        self._search_marks: Marks | None = None
        self._search_sought: frozenset[int] = frozenset()

    # What is looked for.

    def look_for(
        self, literal: Literal | None, *, origin: int | None = None
    ) -> tuple[list[OutlineRow], list[OutlineRow]]:
        """Begin to look for `literal`, or stop. The rows shown, those above the message `origin` (None: above the
        cursor) and those from it on."""
        self.literal, self._spot = literal, None
        self._find_marks = None if literal is None else Marks(literal)
        self.finds = None if literal is None else Finds()
        self.choose_marks()
        self.put_back()
        self.refresh()
        if self.outline is None:
            return [], []
        start = self.cursor if origin is None else self.outline.nearest(origin)
        return self.outline.rows[:start], self.outline.rows[start:]

    def take_finds(self, spots: Sequence[Spot], *, ahead: bool) -> None:
        """More places were found, behind the beginning of the search (`ahead`) or before it; the first is gone to."""
        if self.finds is None or self.outline is None or not spots:
            return
        self.finds.add(spots, ahead=ahead)
        self.choose_marks()
        if self.finds.current is None:
            self.step_find(1)
        elif not {spot.message_id for spot in spots}.isdisjoint(self.outline.rows[at].id for at in self.in_window()):
            self.put_back()
            self.refresh()

    def end_finds(self) -> None:
        """All rows were looked through."""
        if self.finds is not None:
            self.finds.complete = True

    def step_find(self, direction: int) -> bool:
        """Go to the next place found (1) or the one before (-1); whether there is one."""
        spot = self.finds.step(direction) if self.finds is not None else None
        index = self.outline.index(spot.message_id) if spot is not None and self.outline is not None else None
        if spot is None or index is None:
            return False
        self._spot = spot
        self.bring(index, Target.CENTRE)
        self.refresh()
        return True

    def set_marks(self, marks: Marks | None, sought: frozenset[int]) -> None:
        """What the search marks, and the messages that must show a match of it."""
        self._search_marks, self._search_sought = marks, sought
        self.choose_marks()

    def choose_marks(self) -> None:
        """The marks of what is looked for, else those of the search."""
        if self.finds is not None:
            self.marks, self.sought, self.mark_looks = self._find_marks, frozenset(self.finds.messages), FINDS
        else:
            self.marks, self.sought, self.mark_looks = self._search_marks, self._search_sought, HITS

    # Where it is.

    def bring(self, index: int, target: Target) -> None:
        """Show entry `index`; the match gone to by a find need not be the first of its message."""
        super().bring(index, target)
        if self._spot is not None and self.brought == self._spot.message_id:
            self.brought = None

    def match_row(self, index: int) -> int | None:
        """The row of the place gone to; a fold that hides it is opened."""
        page, spot = self.page(index), self._spot
        if page is None or spot is None or self.outline is None or self.outline.rows[index].id != spot.message_id:
            return super().match_row(index)
        row = _row_of(page, spot)
        if not _marked(page, row) and page.foldable and spot.place.source is not None and _folds(spot):
            self.unfold([spot.message_id])
            page = self.page(index) or page
            row = _row_of(page, spot)
        return row

    def line(self, index: int, row: int, width: int) -> Strip:
        """One line of an entry; on that of the place gone to, one mark looks different."""
        spot, outline = self._spot, self.outline
        if spot is not None and outline is not None and outline.rows[index].id == spot.message_id:
            leaf = self.leaf(index)
            inside = row - self.border_lines(index)
            if leaf is not None and 0 <= inside < leaf.page.height and inside == _row_of(leaf.page, spot):
                pieces = leaf.page.pieces(inside)
                return self.paint_row(leaf, index, inside, _current(pieces, self._before(leaf, inside, spot)))
        return super().line(index, row, width)

    def _before(self, leaf: Leaf, row: int, spot: Spot) -> int:
        """How many marks stand on the row before the place gone to."""
        source = spot.place.source
        if self.marks is None or source is None or source.field not in (Field.TEXT, Field.ARGUMENTS, Field.REASONING):
            return 0
        starts = [start for start, _ in self.marks.of(leaf.message, source, text_of(leaf.message, source))]
        earlier = [start for start in starts if start < spot.place.offset]
        number = 0
        while earlier and leaf.page.locate(spot.place._replace(offset=earlier.pop())) == row:
            number += 1
        return number


def _row_of(page: Page, spot: Spot) -> int:
    row = page.locate(spot.place)
    if _marked(page, row) or not page.height:
        return row
    first = page.mark_row()
    return row if first is None or _folds(spot) else first


def _folds(spot: Spot) -> bool:
    """Whether the place is in a text that is cut or folded, and not in a line of the frame."""
    source = spot.place.source
    return source is not None and source.field in (Field.TEXT, Field.ARGUMENTS, Field.REASONING)


def _marked(page: Page, row: int) -> bool:
    return row < page.height and any(piece.mark for piece in page.pieces(row))


def _current(pieces: list[Piece], number: int) -> list[Piece]:
    """The pieces with mark `number` of the row (from 0) as the current one."""
    found = -1
    inside = False
    changed = []
    for piece in pieces:
        found += piece.mark is not Mark.NONE and not inside
        inside = piece.mark is not Mark.NONE
        changed.append(piece._replace(mark=Mark.CURRENT) if inside and found == number else piece)
    return changed
