"""All that was said on one day, across sessions, in order."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable
from datetime import datetime, timedelta
from typing import ClassVar

from textual.binding import Binding, BindingType

from hermes_tui.model import Anchor, Day, Moment
from hermes_tui.model.record import dataclass
from hermes_tui.render import cells, clock, count, day, moment, one_line, state_label
from hermes_tui.tui import labels
from hermes_tui.tui.lines import Piece, field
from hermes_tui.tui.sight import READING, SightScreen

CLOCK = 6
ROLE = 12
NAME = range(16, 30)
"""Cells for the name of the session: a quarter of the line, within these."""


@dataclass(frozen=True, slots=True)
class Said:
    """One message of the day."""

    moment: Moment

    @property
    def heading(self) -> str:
        """The hour it was said in."""
        return f"{clock(self.moment.timestamp)[:2]}:00"

    @property
    def anchor(self) -> Anchor | None:
        """The message."""
        return self.moment.anchor

    def pieces(self, width: int) -> Iterable[Piece]:
        """When, who, what, and in which session."""
        told = self.moment
        state = state_label(told.state)
        look = f"lines--{told.role}" if told.role in ("user", "assistant", "tool") else "lines--soft"
        yield field(clock(told.timestamp), CLOCK), "lines--soft"
        yield field(labels.speaker(told), ROLE) + " ", look
        wide = min(max(NAME.start, width // 4), NAME.stop)
        room = width - CLOCK - ROLE - 3 - wide - (cells(state) + 2 if state else 0)
        yield field(told.excerpt, max(8, room)), ""
        if state:
            yield f"  {state}", "lines--state"
        yield "  " + field(labels.named(told.session), wide), "lines--soft"


class DayScreen(SightScreen):
    """One day; Left and Right go to the one before and the one after."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("left,h", "turn(-1)", "Day before", show=False),
        Binding("right,l", "turn(1)", "Day after", show=False),
        Binding("a", "more", "More", show=False),
        Binding("T", "close", "Close", show=False),
    ]
    KEYS = "Left, Right: the day before, after · Enter reads it there, Escape closes this."

    def __init__(
        self,
        read: Callable[[float, float, int], Awaitable[Day]],
        *,
        at: float,
        most: int,
        around: Anchor | None = None,
    ) -> None:
        """Shows the local day that `at` (Unix seconds) is in, the highlight on the message `around` or what was said
        next to `at`. `read` takes a start, an end, and how many messages to read at `most`."""
        super().__init__(most=most)
        self._read = read
        self._at = at
        self._around = around
        self._date = _date(at)

    async def load(self) -> None:
        """The messages of the day."""
        start, end = bounds(self._date)
        found = await self._read(start, end, self.most)
        self.cut = found.truncated
        rows = [Said(one) for one in found.moments]
        self.show(titled(found), rows, cursor=self._cursor(found))

    def _cursor(self, found: Day) -> int:
        for number, one in enumerate(found.moments):
            if self._around is not None and one.anchor == self._around:
                return number
        later = (number for number, one in enumerate(found.moments) if one.timestamp >= self._at)
        return next(later, 0)

    def action_turn(self, by: int) -> None:
        """Another day."""
        self._date += timedelta(days=by)
        self._at = bounds(self._date)[0]
        self.title_line(READING)
        self.read_anew()


def titled(found: Day) -> str:
    """`Monday 30 November 2026 · 132 messages in 7 sessions · 3 rewound left out`."""
    if not found.moments:
        said = [f"{day(found.start)} · nothing was said"]
    else:
        many = count(found.total or len(found.moments), "message")
        said = [f"{day(found.start)} · {many} in {count(found.sessions, 'session')}"]
    if found.truncated:
        said.append(f"the first {count(len(found.moments))} are shown (a shows more)")
    said += [f"{count(many)} {reason} left out" for reason, many in found.hidden]
    if found.undated:
        said.append(f"{count(found.undated, 'message')} without a time may belong here")
    said += found.notes
    return one_line(" · ".join(said), 400)


def bounds(date: datetime) -> tuple[float, float]:
    """Start and end of the local day that begins at `date`, also where clocks are changed on it."""
    return date.timestamp(), (date + timedelta(days=1)).timestamp()


def _date(at: float) -> datetime:
    then = moment(at) or datetime.now()
    return then.replace(hour=0, minute=0, second=0, microsecond=0, fold=0)
