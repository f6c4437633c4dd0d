"""The line in which one types where to go: a message, a date, a share of the way."""

from __future__ import annotations

import re
from collections.abc import Sequence

from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.getters import query_one
from textual.message import Message
from textual.widgets import Static

from hermes_tui.model import OutlineRow
from hermes_tui.model.record import dataclass
from hermes_tui.query.dates import period
from hermes_tui.render import moment
from hermes_tui.tui.box import Box
from hermes_tui.tui.commands import Where, bindings
from hermes_tui.tui.lens import Lens
from hermes_tui.tui.outline import Outline

_SHARE = re.compile(r"(\d{1,3}(?:[.,]\d+)?) ?%")
_MESSAGE = re.compile(r"(?:.*#)?(\d{1,18})")
_CLOCK = re.compile(r"(\d{1,2}):(\d{2})")


class GoToBox(Box):
    """Where it is typed."""

    BINDINGS = bindings(Where.GOTO)

    def action_go_there(self) -> None:
        """Go to what was typed."""
        self.post_message(GoToBar.Entered(self.value))


class GoToBar(Horizontal):
    """The line. It is there while it is typed in."""

    box = query_one(GoToBox)

    @dataclass
    class Entered(Message):
        """The reader wants to go there."""

        text: str

    def compose(self) -> ComposeResult:
        """From left to right."""
        yield Static("Go to ", id="goto-sign", markup=False)
        yield GoToBox(id="goto-box", placeholder="message 4812, 50%, 2026-08-01, yesterday, 14:30")

    def on_mount(self) -> None:
        """Nobody asked for it yet."""
        self.display = False


def aim(text: str, outline: Outline, cursor: int, now: float) -> int:
    """The entry that `text` names in a conversation read at entry `cursor`; `now` is in Unix seconds. Dates are those
    of filters.

    Raises ValueError with a sentence where there is none.
    """
    text = text.strip()
    rows = outline.rows
    if not rows:
        raise ValueError("There is nothing to go to.")
    if found := _SHARE.fullmatch(text):
        share = float(found[1].replace(",", "."))
        return min(len(rows) - 1, int(len(rows) * share / 100))
    if found := _CLOCK.fullmatch(text):
        return _at_clock(rows, cursor, int(found[1]), int(found[2]))
    if found := _MESSAGE.fullmatch(text):
        index = outline.index(int(found[1]))
        if index is not None:
            return index
        if not _is_year(text):
            lens = outline.sight.lens
            told = "" if lens is Lens.LIVED else f", read as “{lens.value}”"
            raise ValueError(f"Message {found[1]} is not shown in this conversation{told}.")
    start, end = period(text, now)
    dated = [(at, row.timestamp) for at, row in enumerate(rows) if row.timestamp is not None]
    since = next(((at, said) for at, said in dated if said >= (start or 0.0)), None)
    if since is None:
        raise ValueError(f"The conversation ends before {text}.")
    if end is not None and since[1] >= end and since == dated[0]:
        raise ValueError(f"The conversation begins after {text}.")
    return since[0]


def _is_year(text: str) -> bool:
    """Whether four digits may well be a year; a message of that number goes first."""
    return len(text) == 4 and text[:2] in ("19", "20")


def _at_clock(rows: Sequence[OutlineRow], cursor: int, hour: int, minute: int) -> int:
    """The first message of the cursor's day from that time on."""
    day = moment(rows[cursor].timestamp)
    for at, row in enumerate(rows):
        then = moment(row.timestamp)
        if day and then and then.date() == day.date() and (then.hour, then.minute) >= (hour, minute):
            return at
    raise ValueError(f"Nothing was said that day from {hour}:{minute:02} on.")
