"""The outline of a conversation: what a person said in it, a line each, beside the text."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable

from textual.message import Message as Event

from hermes_tui.model import Message, OutlineRow, SessionKey
from hermes_tui.model.record import dataclass
from hermes_tui.render import clock, day
from hermes_tui.tui.commands import Where, bindings
from hermes_tui.tui.lines import Lines, Piece, field
from hermes_tui.tui.outline import Outline

CLOCK = 6


class TurnRows(Lines):
    """The lines. The highlight is on the turn that is being read."""

    BINDINGS = bindings(Where.OUTLINE)

    @dataclass
    class Chosen(Event):
        """The reader wants to go to this message."""

        message_id: int

    @dataclass
    class TextsWanted(Event):
        """These turns came into view, and their words are not here yet: hand them over with `supply`."""

        ids: tuple[int, ...]

    def __init__(self, *, id: str) -> None:  # noqa: A002 - Textual's own name for it
        super().__init__(id=id)
        self.turns: list[OutlineRow] = []
        self._entries: list[int] = []  # where each turn is in the outline
        self._root: SessionKey | None = None
        self._words: dict[int, str] = {}
        self._asked: set[int] = set()

    def on_mount(self) -> None:
        """Nobody asked for it yet."""
        self.display = False

    def fill(self, outline: Outline | None, entry: int) -> None:
        """Show the turns of a conversation that is read at `entry`; while the reader is here, theirs stays lit."""
        root = outline.root if outline is not None else None
        if root != self._root:
            self._root = root
            self._words.clear()  # of another store: ids are those of other turns
        held = self.turns[self.cursor].id if self.has_focus and 0 <= self.cursor < len(self.turns) else None
        self._entries = outline.turns() if outline is not None else []
        self.turns = [outline.rows[at] for at in self._entries] if outline is not None else []
        self._asked.clear()
        keep = self.window_line() if self.count else None
        cursor = next((row for row, turn in enumerate(self.turns) if turn.id == held), self._turn_at(entry))
        self.lay_out(range(len(self.turns)), height=1, total=len(self.turns), cursor=cursor, keep=keep)
        self.reveal()
        self.call_after_refresh(self._want)

    def follow(self, entry: int) -> None:
        """Highlight the turn that entry `entry` belongs to."""
        if self.display and self.count:
            self.go(self._turn_at(entry), quietly=True)

    def supply(self, messages: Iterable[Message]) -> None:
        """The words of turns."""
        for message in messages:
            self._words[message.id] = message.text[:400]
        self.refresh()

    def _turn_at(self, entry: int) -> int:
        return max(0, bisect_right(self._entries, entry) - 1) if self._entries else -1

    def chosen(self) -> None:
        """Tell which turn was chosen."""
        self.post_message(self.Chosen(self.turns[self.cursor].id))

    def resized(self) -> None:
        """Other rows may be in view."""
        self._want()

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        """Other rows come into view."""
        super().watch_scroll_y(old_value, new_value)
        self._want()

    def _want(self) -> None:
        if not self.display:
            return
        ids = [self.turns[row].id for row in self.in_view()]
        wanted = tuple(each for each in ids if each not in self._words and each not in self._asked)
        if wanted:
            self._asked.update(wanted)
            self.post_message(self.TextsWanted(wanted))

    def pieces(self, row: int, line: int, width: int) -> Iterable[Piece]:
        """When it was said, with the day where that is another one, and its first words."""
        turn = self.turns[row]
        earlier = self.turns[row - 1] if row else None
        today = day(turn.timestamp)
        said = clock(turn.timestamp)
        if earlier is None or day(earlier.timestamp) != today:
            said = " ".join(today.split()[1:3])[:6]
        yield field(said, CLOCK) + " ", "lines--soft"
        yield field(self._words.get(turn.id, "…"), width - CLOCK - 1), ""
