"""A reader of a conversation that is being written: what is new stays below until the reader goes there, or comes into
view by itself while they follow; and the rail's view of the whole.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager

from rich.segment import Segment
from textual.message import Message as Event
from textual.reactive import var
from textual.strip import Strip

from hermes_tui.render import cells, count
from hermes_tui.tui.rail import Cell, Sign, cells_of
from hermes_tui.tui.walker import Walker


class Grower(Walker):
    """What it knows of the end of the conversation, and of all its parts at once."""

    following: var[bool] = var(False, init=False)
    """Whether what is written comes into view by itself."""

    class SignsChanged(Event):
        """The rail is another one."""

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id, classes=classes)
        self._fresh_from: int | None = None  # the first entry that is new and was not in view yet
        self._taking_in = False
        self._signs: list[Cell | None] = []
        self._signed: tuple[int, int] = (0, 0)  # the height and the lines in all that the signs are for
        self.hit_entries: Iterable[int] = ()

    # The end.

    @contextmanager
    def taking_in(self) -> Iterator[None]:
        """While what came is taken in, lines move that the reader did not move; who follows stays at the end."""
        self._taking_in = True
        try:
            yield
            if self.following:
                self.to_end()
        finally:
            self._taking_in = False

    def grown(self, known: int) -> None:
        """Entries came behind the `known` first ones."""
        if not self.following and self._fresh_from is None and known < len(self.heights):
            self._fresh_from = known

    def to_end(self) -> None:
        """Show the end of the last message."""
        if len(self.heights):
            self.reveal(len(self.heights) - 1)
            self.settle(self.cursor, self.heights[self.cursor] - 1, self.window - 1)

    def forget_fresh(self) -> None:
        """Another conversation: nothing of it is new, and nobody follows it."""
        self._fresh_from = None
        self.following = False

    @property
    def below(self) -> int:
        """How many new messages were not in view yet."""
        return 0 if self._fresh_from is None else len(self.heights) - self._fresh_from

    def settled(self) -> None:
        """Note what is in view; who goes up does not follow any more."""
        super().settled()
        entries = self.in_window()
        if self._fresh_from is not None and entries.stop > self._fresh_from:
            self._fresh_from = entries.stop if entries.stop < len(self.heights) else None
        at_end = self.top + self.window >= self.heights.total and self.cursor == len(self.heights) - 1
        if self.following and not at_end and not self._taking_in:
            self.following = False
        height, lines = self._signed
        if height and abs(self.heights.total - lines) * height * 2 > lines:  # by half a cell of the rail
            self.signs_changed()

    def action_follow(self) -> None:
        """Follow what is written, or stop."""
        self.following = not self.following
        if self.following:
            self._fresh_from = None
            with self.taking_in():
                self.signs_changed()

    def watch_following(self) -> None:
        """Say so at the bottom."""
        self.refresh()

    def render_line(self, y: int) -> Strip:
        """One line of the window; the last says what is below."""
        strip = super().render_line(y)
        if y != self.window - 1 or not (note := self.note()):
            return strip
        look = self.get_component_rich_style("transcript--below", partial=True)
        room = max(0, self.room - cells(note))
        return Strip([*strip.crop(0, room), Segment(note, self.rich_style + look)], room + cells(note)).crop(
            0, self.room
        )

    def note(self) -> str:
        """What stands at the right of the last line, if anything."""
        if self.following:
            return " following (w) "
        return f" {count(self.below)} new below (End) " if self.below else ""

    # The rail.

    def take_faults(self, faults: frozenset[int]) -> None:
        """These messages tell of something that went wrong."""
        known = self.faults
        super().take_faults(faults)
        if faults != known:
            self.signs_changed()

    def choose_marks(self) -> None:
        """Other marks are on the rail as well."""
        super().choose_marks()
        self.signs_changed()

    def signs_changed(self) -> None:
        """Have the rail painted again."""
        self._signed = (0, 0)
        self.post_message(self.SignsChanged())

    def signs(self, height: int) -> Sequence[Cell | None]:
        """The cells of a rail of that height."""
        if self._signed[0] != height:
            self._signs = self._find_signs(height)
            self._signed = (height, self.heights.total)
        return self._signs

    def _find_signs(self, height: int) -> list[Cell | None]:
        outline = self.outline
        if outline is None or not outline.rows:
            return [None] * height
        finds = self.finds
        found = [] if finds is None else [outline.index(message) for message in finds.messages]
        marks = {
            Sign.TURN: outline.turns(),
            Sign.BORDER: outline.cuts,
            Sign.ERROR: self.faulty(),
            Sign.HIT: self.hit_entries if finds is None else (),
            Sign.FIND: [index for index in found if index is not None],
        }
        return cells_of(self.heights.all(), marks, height)
