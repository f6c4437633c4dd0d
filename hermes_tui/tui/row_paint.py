"""How the rows of the session list look: in one line with columns, or in two lines."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable

from hermes_tui.model import Session
from hermes_tui.render import cells, count, one_line, when
from hermes_tui.tui import labels
from hermes_tui.tui.columns import GAP, RIGHT, USUAL, Column, Fit
from hermes_tui.tui.piece import Piece, field
from hermes_tui.tui.sheet import Folded, Runs

FLOW = (
    Column.STORE,
    Column.SOURCE,
    Column.MESSAGES,
    Column.MARKS,
    Column.STATUS,
    Column.UNREAD,
    Column.MODEL,
    Column.PROJECT,
    Column.COST,
    Column.TOKENS,
    Column.BRANCH,
    Column.STARTED,
)
"""What the second line of a row tells, as far as it goes."""
LONGEST = 24
"""Cells of one thing told there."""
LOUD = ("interrupted", "error", labels.RUNNING)


class RowPaint:
    """Puts the lines of rows together. `wanted` are the columns to show, `fit` those of a row in one line; without
    one a row takes two, and what it is sorted by, `urged`, comes first in the second."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self.wanted: Collection[Column] = USUAL
        self.fit: Fit | None = None
        self.urged = Column.ACTIVE
        self._clock = clock

    def job(self, row: Runs, line: int, width: int, *, opened: bool) -> Iterable[Piece]:
        """`▸ nightly-backup ×31  ▪▪▪✕▪ 3 failed`, and when it ran last."""
        bar, words = labels.outcomes(row.job)
        look = "lines--state" if "failed" in words or "interrupted" in words else "lines--soft"
        if line == 1:
            yield f"  {one_line(row.job.source, LONGEST)} · {bar} ", "lines--soft"
            yield words, look
            return
        age = when(row.job.last, self._clock())
        many = f" ×{count(len(row.sessions))}"
        beside = f"  {bar} {words}" if self.fit is not None else ""
        room = width - cells(age) - 3 - cells(beside) - cells(many) - 2
        name = field(("▾ " if opened else "▸ ") + row.job.name, max(8, room)).rstrip()
        yield name, "lines--title"
        yield many, "lines--soft"
        yield beside, look
        used = cells(name) + cells(many) + cells(beside) + cells(age) + 1
        yield " " * max(1, width - used) + f"{age} ", "lines--soft"

    def conversation(self, session: Session, marks: list[str], line: int, width: int, *, depth: int) -> Iterable[Piece]:
        """One line of a conversation that stands under `depth` others."""
        indent = "  " * (depth - 1) + "└ " if depth else ""
        name = indent + labels.title(session)
        look = "lines--title" if labels.titled(session) else ""
        if self.fit is not None:
            yield from self._columns(self.fit, session, name, look, marks)
        elif line == 0:
            age = labels.cell(Column.ACTIVE, session, self._clock())
            yield field(name, width - cells(age) - 3), look
            yield f"  {age} ", "lines--soft"
        else:
            yield " " * cells(indent), ""
            yield from self._flow(session, marks, width - cells(indent))

    def _columns(self, fits: Fit, session: Session, name: str, look: str, marks: list[str]) -> Iterable[Piece]:
        now = self._clock()
        flags = "  ".join(marks) if Column.MARKS in self.wanted else ""
        for column, width in fits.shown:
            if column is Column.TITLE:
                shown = one_line(flags, width - 10)
                yield field(name, width - (cells(shown) + 2 if shown else 0)), look
                yield f"  {shown}" if shown else "", "lines--soft"
                continue
            text = labels.cell(column, session, now)
            loud = column is Column.UNREAD or text in LOUD
            padded = " " * GAP + field(text, width, right=column in RIGHT)
            yield padded, "lines--state" if loud else "lines--soft"

    def _flow(self, session: Session, marks: list[str], width: int) -> Iterable[Piece]:
        now = self._clock()
        left = width
        for column in sorted(FLOW, key=lambda column: column is not self.urged):
            if column not in self.wanted and column is not self.urged:
                continue
            for text in marks if column is Column.MARKS else [_worded(column, session, now)]:
                shown = one_line(text, LONGEST)
                if shown and cells(shown) + 3 <= left:
                    loud = text in LOUD or column is Column.UNREAD
                    yield " · " if left < width else "", "lines--soft"
                    yield shown, "lines--state" if loud else "lines--soft"
                    left -= cells(shown) + 3


def group(row: Folded, line: int, width: int) -> Iterable[Piece]:
    """A group that is folded."""
    if line == 0:
        yield f"▸ {one_line(row.name, max(8, width - 14))}", "lines--group"
        yield f" · {count(row.size)}", "lines--soft"
    else:
        yield f"  {count(row.size, 'conversation')} folded (Right unfolds)", "lines--soft"


def _worded(column: Column, session: Session, now: float) -> str:
    """A cell as it reads without a heading above it."""
    text = labels.cell(column, session, now)
    match column:
        case Column.MESSAGES if text:
            return count(labels.messages(session), "message")
        case Column.TOKENS if text:
            return f"{text} tokens"
        case Column.STARTED if text:
            return f"started {text}"
        case _:
            return text
