"""Which columns a list of conversations has room for: pure, told by the width, by choice and by what there is to show.

The title is always there and takes the room that the others leave. Of the others each has its width, and a rank that
says who stays when there is little room; what does not fit is left out whole, and `Fit.left` names it.
"""

from __future__ import annotations

from collections.abc import Collection
from enum import StrEnum

from hermes_tui.model.record import dataclass

GAP = 2
"""Blanks before every column but the title."""
TITLE_LEAST = 24
TITLE_SHARE = 4
"""Tenths of a list that the title keeps when there is room for more than the plain columns."""


class Column(StrEnum):
    """A column, in the order they stand from left to right. The values are read by people."""

    TITLE = "title"
    MARKS = "marks"
    STORE = "store"
    UNREAD = "unread"
    STATUS = "status"
    SOURCE = "source"
    MODEL = "model"
    PROJECT = "project"
    BRANCH = "branch"
    MESSAGES = "messages"
    TOKENS = "tokens"
    COST = "cost"
    STARTED = "started"
    ACTIVE = "last active"


WIDTHS = {
    Column.STORE: 10,
    Column.UNREAD: 6,
    Column.STATUS: 11,
    Column.SOURCE: 9,
    Column.MODEL: 16,
    Column.PROJECT: 14,
    Column.BRANCH: 14,
    Column.MESSAGES: 6,
    Column.TOKENS: 6,
    Column.COST: 7,
    Column.STARTED: 10,
    Column.ACTIVE: 10,
}
"""Cells. Marks stand behind the title, in its room."""
HEADS = {Column.MESSAGES: "msgs", Column.ACTIVE: "active"}
"""What stands above a column, where its name is too long for it."""
RIGHT = frozenset({Column.MESSAGES, Column.TOKENS, Column.COST, Column.STARTED, Column.ACTIVE})
"""Columns whose cells end at their right edge."""
RANKS = (
    Column.ACTIVE,
    Column.STATUS,
    Column.MESSAGES,
    Column.STORE,
    Column.SOURCE,
    Column.MODEL,
    Column.COST,
    Column.PROJECT,
    Column.TOKENS,
    Column.UNREAD,
    Column.BRANCH,
    Column.STARTED,
)
"""Who stays in little room, first to last."""
PLAIN = frozenset({Column.ACTIVE, Column.STATUS, Column.MESSAGES, Column.STORE, Column.SOURCE})
USUAL = frozenset(Column) - {Column.STARTED}
"""What is shown, room permitting, until the reader chooses."""


@dataclass(frozen=True, slots=True)
class Fit:
    """The columns of one width: each with its cells, from left to right, the title first; and those `left` out for
    lack of room, in the order of their ranks."""

    shown: tuple[tuple[Column, int], ...]
    left: tuple[Column, ...] = ()


def fit(width: int, wanted: Collection[Column], *, urged: Column | None = None) -> Fit:
    """The columns of `wanted` that stand in `width` cells. `urged`, what the list is sorted by, goes before all."""
    room = width - 1 - TITLE_LEAST
    share = max(0, width * TITLE_SHARE // 10 - TITLE_LEAST)
    taken: set[Column] = set()
    left: list[Column] = []
    ranks = RANKS if urged not in RANKS else (urged, *(column for column in RANKS if column is not urged))
    for column in ranks:
        if column not in wanted and column is not urged:
            continue
        kept = 0 if column in PLAIN or column is urged else share
        if GAP + WIDTHS[column] <= room - kept:
            taken.add(column)
            room -= GAP + WIDTHS[column]
        else:
            left.append(column)
    shown = [(column, WIDTHS[column]) for column in Column if column in taken]
    return Fit(((Column.TITLE, max(1, TITLE_LEAST + room)), *shown), tuple(left))


def head(column: Column) -> str:
    """What stands above it."""
    return HEADS.get(column, column.value)
