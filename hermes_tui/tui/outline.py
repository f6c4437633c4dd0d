"""What a transcript shows of its rows, told from the outline alone: which ones, the borders between them, a first guess
of their heights.
"""

from __future__ import annotations

from dataclasses import dataclass
from operator import eq

from hermes_tui.model import Kind, OutlineRow, State, Transcript
from hermes_tui.render import count, day, moment, one_line

_CELLS = 0.8  # of a row of prose that are filled, on average
_TOOL_LINE = 45  # bytes in a line of tool output, on average


@dataclass(frozen=True, slots=True)
class Lens:
    """Which rows the reader wants to see. What is always shown: live and compacted rows that are not scaffolding."""

    rewound: bool = False
    hidden: bool = False

    def admits(self, row: OutlineRow) -> bool:
        """Whether the row is shown."""
        return (self.rewound or row.state is not State.REWOUND) and (self.hidden or row.kind is not Kind.HIDDEN)


class Outline:
    """The rows of a transcript that a lens admits, in reading order, and `kept`, a row shown whatever the lens says."""

    def __init__(self, transcript: Transcript, lens: Lens, *, kept: int | None = None) -> None:
        self.transcript = transcript
        self.lens = lens
        self.kept = None if kept is None else transcript.stands_for.get(kept, kept)
        self.rows = list(filter(self._admits, transcript.rows))
        self._index = {row.id: index for index, row in enumerate(self.rows)}
        self._borders: dict[int, tuple[str, ...]] = {}

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def root(self) -> tuple[str | None, str]:
        """What is the same for every reading of one conversation: the profile and its first session."""
        segments = self.transcript.segments or (self.transcript.session,)
        return self.transcript.session.profile, segments[0].id

    def _admits(self, row: OutlineRow) -> bool:
        return self.lens.admits(row) or row.id == self.kept

    def index(self, message_id: int) -> int | None:
        """Where the message is shown; a folded copy is where the row that stands for it is."""
        found = self._index.get(message_id)
        return self._index.get(self.transcript.stands_for.get(message_id, -1)) if found is None else found

    def nearest(self, message_id: int) -> int:
        """Where the message is shown, or else the first row shown after it; the last row if there is none."""
        found = self.index(message_id)
        if found is not None:
            return found
        passed = False
        for row in self.transcript.rows:
            passed = passed or row.id == message_id
            if passed and row.id in self._index:
                return self._index[row.id]
        return max(0, len(self.rows) - 1)

    def borders(self, index: int) -> tuple[str, ...]:
        """The lines drawn above row `index`: where compaction cut, where a day begins."""
        if index not in self._borders:
            self._borders[index] = self._find_borders(index)
        return self._borders[index]

    def _find_borders(self, index: int) -> tuple[str, ...]:
        row = self.rows[index]
        previous = self.rows[index - 1] if index else None
        found: list[str] = []
        if previous is not None and previous.session_id != row.session_id:
            found.append(self._continued(previous.session_id, row.session_id))
        elif previous is not None and previous.state is State.COMPACTED and row.state is State.LIVE:
            rows = self.transcript.rows
            many = sum(other.state is State.COMPACTED and other.session_id == row.session_id for other in rows)
            found.append(f"{count(many, 'message')} above were compacted")
        then, before = moment(row.timestamp), moment(previous.timestamp if previous else None)
        if then is not None and (previous is None or (before is not None and before.date() != then.date())):
            found.append(day(row.timestamp))
        return tuple(found)

    def joined(self, index: int) -> bool:
        """Whether row `index` goes on with what the row before it began."""
        if index == 0 or self.borders(index):
            return False
        row, previous = self.rows[index], self.rows[index - 1]
        return (
            previous.role in ("assistant", "tool")
            and previous.kind in (Kind.TURN, Kind.TOOL)
            and (row.kind is Kind.TOOL or row.role == "assistant")
            and previous.state is row.state
        )

    def spaced(self, index: int) -> bool:
        """Whether a row that is joined to the one before it has words above it rather than a tool's answer."""
        return index > 0 and self.rows[index - 1].role == "assistant"

    def guess(self, index: int, width: int) -> int:
        """About how many lines row `index` takes at `width` cells, its borders left aside."""
        row = self.rows[index]
        match row.kind:
            case Kind.TURN:
                return 3 + min(200, int(row.size / max(8.0, min(width, 100) * _CELLS)))
            case Kind.TOOL:
                return 2 + min(20, row.size // _TOOL_LINE)
            case Kind.SUMMARY | Kind.NOTICE | Kind.HIDDEN:
                return 2

    def grow(self, transcript: Transcript) -> bool:
        """Take in a later reading of the conversation, if all it did was to add rows at the end; whether it was so."""
        known = len(self.transcript.rows)
        if len(transcript.rows) < known or not all(map(eq, transcript.rows, self.transcript.rows)):
            return False
        for row in transcript.rows[known:]:
            if self._admits(row):
                self._index[row.id] = len(self.rows)
                self.rows.append(row)
        self.transcript = transcript
        return True

    def _continued(self, earlier: str, later: str) -> str:
        segments = {segment.id: segment for segment in self.transcript.segments}
        title = segments[later].title if later in segments else None
        named = one_line(title or later, 40)
        rows = self.transcript.rows
        many = sum(row.session_id == earlier and row.state is not State.REWOUND for row in rows)
        return f"continued in session {named}, compacted: {count(many, 'message')}"
