"""A reader whose rows can bear labels: what in its window can be copied, and the labels painted over it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from textual.message import Message as Event
from textual.strip import Strip

from hermes_tui.tui.paint import GUTTER
from hermes_tui.tui.selecting import Selector
from hermes_tui.tui.tags import Seen, Tag, on_page, overlay


class Tagger(Selector):
    """What it knows of labels; it neither makes them nor reads keys."""

    class RowsChanged(Event):
        """While labels are shown: other rows are in the window, or stand elsewhere."""

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id, classes=classes)
        self._tags: Mapping[tuple[int, int], Sequence[Tag]] | None = None
        self._typed = ""

    def seen(self) -> list[Seen]:
        """What in the window can be copied, from top to bottom; rows are those of the messages' pages."""
        found: list[Seen] = []
        for index in self.in_window():
            leaf = self.leaf(index)
            if leaf is not None:
                begin = self.heights.before(index) + self.border_lines(index) - self.top
                rows = range(max(0, -begin), min(leaf.page.height, self.window - begin))
                found += on_page(leaf.message, leaf.page, rows)
        return found

    def lacking(self) -> bool:
        """Whether something in the window is still on its way."""
        return any(self.leaf(index) is None for index in self.in_window())

    def put_tags(self, tags: Mapping[tuple[int, int], Sequence[Tag]] | None, typed: str = "") -> None:
        """Paint these labels, by message and row of its page; None ends it. `typed` is what was typed of one."""
        self._tags, self._typed = tags, typed
        self.refresh()

    def settled(self) -> None:
        """Labels stand on what was in the window before."""
        super().settled()
        if self._tags is not None:
            self.post_message(self.RowsChanged())

    def line(self, index: int, row: int, width: int) -> Strip:
        """One line of an entry with its labels."""
        strip = super().line(index, row, width)
        if not self._tags or self.outline is None:
            return strip
        tags = self._tags.get((self.outline.rows[index].id, row - self.border_lines(index)))
        if not tags:
            return strip
        moved = [Tag(GUTTER + tag.x, tag.label, tag.sign) for tag in tags]
        look, done = self.look("transcript--tag"), self.look("transcript--tag-typed")
        return overlay(strip, moved, self._typed, look=look, done=done)
