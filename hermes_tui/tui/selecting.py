"""A reader with a mouse: click to place, drag to select, double click for a word, click on a link.

What is selected is handed over as it was written: without gutters and indents, and a line that was broken to fit the
screen is one line again.
"""

from __future__ import annotations

import re
from abc import abstractmethod
from collections.abc import Iterator

from textual import events
from textual.message import Message as Event
from textual.strip import Strip

from hermes_tui.model import Message
from hermes_tui.model.record import dataclass
from hermes_tui.render import ADDRESS, Ink, Page, Piece, cells
from hermes_tui.tui.kin import Kin
from hermes_tui.tui.literal import text_of
from hermes_tui.tui.paint import GUTTER

FOLDED = "\u25b8"  # the sign of a block that is folded
_WORD = re.compile(r"[\w.\-/~@#]+")
_URL = re.compile(ADDRESS)
_FRAME = frozenset((Ink.META, Ink.FOLD))


@dataclass(frozen=True, slots=True)
class Point:
    """A cell of a message: row `row` of its page (less than 0: of the borders above it), cell `x` of the line."""

    message_id: int
    row: int
    x: int


class Selector(Kin):
    """What the mouse does."""

    class LinkClicked(Event):
        """The reader clicked on this address."""

        def __init__(self, address: str) -> None:
            super().__init__()
            self.address = address

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id, classes=classes)
        self._selected: tuple[Point, Point] | None = None
        self._pressed: Point | None = None

    @abstractmethod
    def action_toggle_fold(self) -> None:
        """Unfold the message under the cursor, or fold it."""

    # The mouse.

    def on_mouse_down(self, event: events.MouseDown) -> None:
        """A selection may begin."""
        if event.button == 1:
            self.deselect()
            self._pressed = self._point(event)
            self.capture_mouse()

    def on_mouse_move(self, event: events.MouseMove) -> None:
        """What is between is selected; beyond the edges the text comes along."""
        if self._pressed is None:
            return
        if event.y < 0 or event.y >= self.window:
            self.move(-1 if event.y < 0 else 1)
        point = self._point(event)
        if point is not None and (self._selected is not None or point != self._pressed):
            self._selected = (self._pressed, point)
            self.refresh()

    def on_mouse_up(self, event: events.MouseUp) -> None:
        """The selection stands."""
        self._pressed = None
        self.release_mouse()

    def on_click(self, event: events.Click) -> None:
        """Place the cursor; unfold at the line that tells of more, open what began here, ask about a link. A second
        click selects the word."""
        point = self._point(event)
        if point is None or self._selected is not None or event.get_content_offset(self) is None:
            return
        if event.chain == 2:
            self._select_word(point)
            return
        index = self.outline.index(point.message_id) if self.outline is not None else None
        if index is None or event.chain > 1:
            return
        self.put_cursor(index)
        page, children = self.page(index), self.children_at(index)
        number = point.row + self.border_lines(index) - (self.heights[index] - len(children))
        if 0 <= number < len(children):
            self.open_child(children[number])
        elif page is not None and 0 <= point.row < page.height:
            ink, text = page.ink(point.row), page.text(point.row)
            if ink is Ink.MORE or (ink is Ink.FOLD and text.lstrip().startswith(FOLDED)):
                self.action_toggle_fold()
            elif (address := self._address(page, point)) is not None:
                self.post_message(self.LinkClicked(address))

    def _point(self, event: events.MouseEvent) -> Point | None:
        """The cell under the mouse, or the nearest."""
        if self.outline is None or not self.outline.rows:
            return None
        y = max(0, min(event.y, self.window - 1))
        index, row = self.heights.find(min(self.top + y, self.heights.total - 1))
        return Point(self.outline.rows[index].id, row - self.border_lines(index), max(0, min(event.x, self.room)))

    def _select_word(self, point: Point) -> None:
        index = self.outline.index(point.message_id) if self.outline is not None else None
        page = self.page(index) if index is not None else None
        if page is None or not 0 <= point.row < page.height:
            return
        text = page.text(point.row)
        for found in _WORD.finditer(text):
            word = found[0].rstrip(".")
            left = GUTTER + cells(text[: found.start()])
            right = left + cells(word)
            if left <= point.x < right:
                ends = (Point(point.message_id, point.row, left), Point(point.message_id, point.row, right - 1))
                self._selected = ends
                self.refresh()

    def _address(self, page: Page, point: Point) -> str | None:
        """The address of the link at a cell."""
        x = GUTTER
        for piece in page.pieces(point.row):
            x += cells(piece.text)
            if point.x < x:
                return self._whole(page, point, piece) if piece.ink is Ink.LINK else None
        return None

    def _whole(self, page: Page, point: Point, piece: Piece) -> str | None:
        """The whole address that `piece`, on one row, is a part of."""
        place, message = page.place(point.row), self.shelf.message(point.message_id)
        if place.source is not None and message is not None:
            end = page.place(point.row + 1) if point.row + 1 < page.height else None
            stop = end.offset if end is not None and end.source == place.source else place.offset + 4000
            text = text_of(message, place.source)
            start = max(0, place.offset - 4000)
            near = list(_URL.finditer(text, start, stop + 4000))
            here = [found[0] for found in near if found.end() > place.offset and found.start() < stop]
            if found := [url for url in here if piece.text.strip() in url] or here:
                return found[0]
        return found[0] if (found := _URL.findall(piece.text)) else None

    # The selection.

    def deselect(self) -> bool:
        """Select nothing; whether something was."""
        had, self._selected = self._selected is not None, None
        if had:
            self.refresh()
        return had

    def _range(self) -> tuple[int, Point, int, Point] | None:
        """First and last entry of the selection and the points in them, in reading order."""
        if self._selected is None or self.outline is None:
            return None
        found = []
        for point in self._selected:
            index = self.outline.index(point.message_id)
            if index is None:
                return None
            found.append((index, point.row, point.x, point))
        (first, _, _, begin), (last, _, _, end) = sorted(found, key=lambda each: each[:3])
        return first, begin, last, end

    def selected_text(self) -> str:
        """What is selected, as it was written; "" when nothing is."""
        span = self._range()
        if span is None:
            return ""
        first, begin, last, end = span
        parts: list[str] = []
        for index in range(first, last + 1):
            leaf = self.leaf(index)
            if leaf is not None:
                low = max(0, begin.row) if index == first else 0
                high = min(leaf.page.height - 1, end.row) if index == last else leaf.page.height - 1
                left = begin.x if index == first and begin.row >= 0 else 0
                right = end.x + 1 if index == last and end.row < leaf.page.height else None
                text = "".join(_written(leaf.message, leaf.page, range(low, high + 1), left, right))
                parts.append(text.strip("\n"))
        return "\n\n".join(part for part in parts if part)

    def line(self, index: int, row: int, width: int) -> Strip:
        """One line of an entry, what is selected of it reversed."""
        strip = super().line(index, row, width)
        span = self._range()
        if span is None:
            return strip
        first, begin, last, end = span
        here = (index, row - self.border_lines(index))
        if not (first, begin.row) <= here <= (last, end.row):
            return strip
        left = begin.x if here == (first, begin.row) else GUTTER
        right = end.x + 1 if here == (last, end.row) else max(left, GUTTER + cells(strip.text[GUTTER:].rstrip()))
        chosen = strip.crop(left, right).apply_style(self.look("transcript--selection"))
        return Strip.join([strip.crop(0, left), chosen, strip.crop(right, width)])


def _written(message: Message, page: Page, rows: range, left: int, right: int | None) -> Iterator[str]:
    """The text of these rows of a message, from cell `left` of the first to cell `right` of the last."""
    for row in rows:
        low = max(0, left - GUTTER) if row == rows.start else 0
        high = max(0, right - GUTTER) if right is not None and row == rows.stop - 1 else None
        if page.place(row).source is not None:
            yield page.stored(row, low, high).rstrip()
        else:
            yield _told(page.pieces(row), low, high).rstrip()
        if row + 1 < rows.stop:
            yield _between(message, page, row)


def _told(pieces: list[Piece], low: int, high: int | None) -> str:
    """What a line of the frame tells of the message, of the cells from `low` to `high`."""
    parts, x = [], 0
    for piece in pieces:
        if not (piece.drawn or piece.ink in _FRAME):
            parts.append(cut(piece.text, max(0, low - x), None if high is None else max(0, high - x)))
        x += cells(piece.text)
    return "".join(parts)


def _between(message: Message, page: Page, row: int) -> str:
    """What was written between the end of a row and the beginning of the next: a newline, a blank, or nothing."""
    here, after = page.place(row), page.place(row + 1)
    if here.source is None or here.source != after.source or after.offset <= here.offset:
        return "\n"
    text = text_of(message, here.source)[here.offset : after.offset]
    if "\n" in text:
        return "\n" * max(1, text.count("\n"))
    return text[len(text.rstrip()) :]


def cut(text: str, low: int, high: int | None) -> str:
    """The characters of `text` that stand in the cells from `low` to `high`; a wide one that is half in is in."""
    if not low and high is None:
        return text
    kept = []
    x = 0
    for char in text:
        width = cells(char)
        if x + max(1, width) > low and (high is None or x < high):
            kept.append(char)
        x += width
    return "".join(kept)
