"""What a transcript shows of its rows, told from the outline alone: which ones, the borders between them, a first guess
of their heights.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from hermes_tui.model import Compaction, Kind, OutlineRow, SessionKey, State, Transcript
from hermes_tui.render import count, day, moment, one_line
from hermes_tui.tui.lens import Lens, Sight, in_context, newest

_CELLS = 0.8  # of a row of prose that are filled, on average
_CALLERS = frozenset(("assistant", "tool"))
_MOST = 200  # lines of a turn that are guessed
_TOOL_LINE = 45  # bytes in a line of tool output, on average
_PAUSE = 4 * 3600.0  # seconds of silence that are worth a line


class Outline:
    """The rows of a transcript in one sight, in reading order, and `kept`, a row shown whatever the sight."""

    def __init__(self, transcript: Transcript, sight: Sight, *, kept: int | None = None) -> None:
        self.transcript = transcript
        self.sight = sight
        self.kept = None if kept is None else transcript.stands_for.get(kept, kept)
        self.rows = sight.rows(transcript, self.kept)
        self._index = {row.id: index for index, row in enumerate(self.rows)}
        self._tip = newest(transcript)
        self._borders: dict[int, tuple[str, ...]] = {}
        self._turns: list[int] = []
        self._turns_of = 0  # the number of rows they were found among
        self._read_at: dict[int, int] = {}  # where each row is in the transcript, where that is not where it is shown
        self.cuts = self._find_cuts()
        """Where compaction cut: the entry below a cut -> the cuts right above it; those below the last entry are at the
        number of entries."""

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def root(self) -> SessionKey:
        """That of its transcript."""
        return root_of(self.transcript)

    def away(self, row: OutlineRow) -> bool:
        """Whether the row was said and the model does not have it any more."""
        return row.state is not State.REWOUND and not in_context(row, self._tip)

    def index(self, message_id: int) -> int | None:
        """Where the message is shown; a folded copy is where the row that stands for it is."""
        found = self._index.get(message_id)
        return self._index.get(self.transcript.stands_for.get(message_id, -1)) if found is None else found

    def nearest(self, message_id: int) -> int:
        """Where the message is shown, or else the first row shown after it; the last row if there is none."""
        found = self.index(message_id)
        if found is not None:
            return found
        below = self._below(message_id)
        return max(0, len(self.rows) - 1) if below is None else below

    def borders(self, index: int) -> tuple[str, ...]:
        """The lines drawn above row `index`: where compaction cut, where a day begins."""
        if index not in self._borders:
            self._borders[index] = self._find_borders(index)
        return self._borders[index]

    def tail(self) -> tuple[str, ...]:
        """The lines drawn below the last row: where compaction cut after all that is shown."""
        return tuple(line for cut in self.cuts.get(len(self.rows), ()) for line in self._told(cut))

    def _find_cuts(self) -> dict[int, list[Compaction]]:
        cuts = self.transcript.compactions
        if not cuts or not self.rows:
            return {}
        if self.sight.lens is Lens.MODEL:  # all the model sees came after the last one
            return {0: [cuts[-1]]}
        found: dict[int, list[Compaction]] = {}
        for cut in cuts:
            index = self._index.get(cut.at)
            if index is None:
                index = self._below(cut.at)
            found.setdefault(len(self.rows) if index is None else index, []).append(cut)
        return found

    def _below(self, message_id: int) -> int | None:
        """The first row shown after a message that is not."""
        rows = self.transcript.rows
        at = next((at for at, row in enumerate(rows) if row.id == message_id), len(rows))
        return next((self._index[row.id] for row in rows[at:] if row.id in self._index), None)

    def _find_borders(self, index: int) -> tuple[str, ...]:
        row = self.rows[index]
        found = [line for cut in self.cuts.get(index, ()) for line in self._told(cut)]
        if row.copies == 1 and not any(line.startswith("model: ") for line in found):  # a copy may be of any session
            earlier = self._above(index, lambda row: row.copies == 1)
            found += self._model_changed(earlier.session_id, row.session_id) if earlier is not None else []
        then = moment(row.timestamp)
        if then is None or row.timestamp is None:
            return tuple(found)
        earlier = self._above(index, lambda row: moment(row.timestamp) is not None)
        before = moment(earlier.timestamp) if earlier is not None else None
        if before is None or earlier is None or earlier.timestamp is None:
            found.append(day(row.timestamp))
        else:
            days, pause = (then.date() - before.date()).days, row.timestamp - earlier.timestamp
            if days:
                found.append(day(row.timestamp) + (f" · {count(days)} days later" if days > 1 else ""))
            elif pause >= _PAUSE:
                found.append(f"{count(int(pause // 3600))} hours later")
        return tuple(found)

    def _told(self, cut: Compaction) -> list[str]:
        """The lines of one border."""
        numbers = f"compacted: {count(cut.before, 'message')} before, {count(cut.kept)} kept"
        segments = self.transcript.segments
        number = next((at for at, segment in enumerate(segments) if segment.id == cut.session_id), 0)
        if not cut.continued or not number:
            return [numbers]
        later, earlier = segments[number], segments[number - 1]
        lines = [f"{numbers} · continued in session {one_line(later.title or later.id, 40)}"]
        return lines + self._model_changed(earlier.id, later.id)

    def _above(self, index: int, fits: Callable[[OutlineRow], bool]) -> OutlineRow | None:
        """The last row above row `index` that fits."""
        return next((self.rows[at] for at in range(index - 1, -1, -1) if fits(self.rows[at])), None)

    def _model_changed(self, earlier: str, later: str) -> list[str]:
        """The line between rows of two sessions that went on with different models, as far as the store tells."""
        models = {segment.id: segment.model for segment in self.transcript.segments}
        now, then = models.get(later), models.get(earlier)
        return [f"model: {one_line(now, 40)}, before that {one_line(then, 40)}"] if now and then and now != then else []

    def turns(self) -> list[int]:
        """The entries a person said."""
        if self._turns_of != len(self.rows):
            turn = Kind.TURN
            self._turns = [at for at, row in enumerate(self.rows) if row.role == "user" and row.kind is turn]
            self._turns_of = len(self.rows)
        return self._turns

    def is_turn(self, index: int) -> bool:
        """Whether a person said it."""
        row = self.rows[index]
        return row.role == "user" and row.kind is Kind.TURN

    def is_answer(self, index: int) -> bool:
        """Whether the model said it."""
        row = self.rows[index]
        return row.role == "assistant" and row.kind is Kind.TURN and row.state is not State.REWOUND

    def is_call(self, index: int) -> bool:
        """Whether tools are called in it, or it is the first of results whose call is not above them."""
        row = self.rows[index]
        if row.kind is Kind.TOOL:
            return index == 0 or (
                self.rows[index - 1].kind is not Kind.TOOL and self.rows[index - 1].role != "assistant"
            )
        return row.calls

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

    def tools(self, index: int) -> range:
        """The entries right below row `index` that are answers of tools."""
        stop = index + 1
        while stop < len(self.rows) and self.rows[stop].kind is Kind.TOOL:
            stop += 1
        return range(index + 1, stop)

    def answers(self, index: int) -> Iterator[int]:
        """The messages right after row `index` that are answers of tools, whether this sight shows them or not."""
        rows, at = self.transcript.rows, self.read_at(index) + 1
        while at < len(rows) and rows[at].kind in (Kind.TOOL, Kind.HIDDEN):
            if rows[at].kind is Kind.TOOL:
                yield rows[at].id
            at += 1

    def read_at(self, index: int) -> int:
        """Where row `index` is among all rows of the transcript."""
        rows = self.transcript.rows
        if len(self.rows) != len(rows) and len(self._read_at) != len(rows):
            self._read_at = {row.id: at for at, row in enumerate(rows)}
        return self._read_at.get(self.rows[index].id, index)

    def spaced(self, index: int) -> bool:
        """Whether a row that is joined to the one before it has words above it rather than a tool's answer."""
        return index > 0 and self.rows[index - 1].role == "assistant"

    def guess(self, index: int, width: int) -> int:
        """About how many lines row `index` takes at `width` cells, its borders left aside."""
        return _guess(self.rows[index], self.rows[index - 1] if index else None, _filled(width))

    def guesses(self, width: int) -> list[int]:
        """The guess for every row."""
        filled, turn = _filled(width), Kind.TURN
        most = _MOST * filled
        previous: OutlineRow | None = None
        found = []
        for row in self.rows:  # most rows are turns, and a call for each of them would double what this takes
            if row.kind is turn:
                found.append(3 + row.size // filled if row.size < most else 3 + _MOST)
            else:
                found.append(_guess(row, previous, filled))
            previous = row
        return found

    def grow(self, transcript: Transcript) -> bool:
        """Take in a later reading of the conversation, if all it did was to add rows at the end; whether it was so."""
        old = self.transcript
        if (newest(transcript), transcript.compactions) != (self._tip, old.compactions):
            return False
        known = len(old.rows)
        if len(self.rows) in self.cuts or transcript.rows[:known] != old.rows:
            return False
        added = self.sight.rows(replace(transcript, rows=transcript.rows[known:]), self.kept)
        for row in added:
            self._index[row.id] = len(self.rows)
            self.rows.append(row)
        self.transcript = transcript
        self._read_at.clear()
        return True


def root_of(transcript: Transcript) -> SessionKey:
    """What is the same for every reading of one conversation: its first session."""
    return (transcript.segments or (transcript.session,))[0].key


def _filled(width: int) -> int:
    """Cells of a row of prose at `width` cells that are filled."""
    return max(8, int(min(width, 100) * _CELLS))


def _guess(row: OutlineRow, previous: OutlineRow | None, filled: int) -> int:
    kind = row.kind
    if kind is Kind.TURN:
        return 3 + min(_MOST, row.size // filled)
    if kind is not Kind.TOOL:
        return 2
    if previous is not None and previous.role in _CALLERS and previous.state is row.state:
        return 1  # one line below the card of its call
    return 2 + min(20, row.size // _TOOL_LINE)
