"""How much went on day by day: a bar for each day, and the same by source and by model."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable
from typing import ClassVar

from textual.binding import Binding, BindingType

from hermes_tui.model import Activity, Anchor, DayUse
from hermes_tui.model.record import dataclass
from hermes_tui.query import Field
from hermes_tui.render import count, moment
from hermes_tui.tui import labels
from hermes_tui.tui.cycle import Cycle
from hermes_tui.tui.labels import short
from hermes_tui.tui.lines import Piece, field
from hermes_tui.tui.sight import READING, SightScreen

PERIODS = (30, 90, 365, 3650)
"""Days that can be looked back at."""
LABEL = 16
NUMBERS = 36
EIGHTHS = " ▏▎▍▌▋▊▉"


class Measure(Cycle):
    """What the bars are long by; the value is read by people."""

    SESSIONS = "sessions"
    TOKENS = "tokens"
    COST = "cost"


@dataclass(frozen=True, slots=True)
class Bar:
    """A day, or all of one source or model, with the share of the longest bar that it has (0 to 1)."""

    label: str
    sessions: int
    tokens: int
    cost: float | None
    share: float
    heading: str
    day: float | None = None
    anchor: Anchor | None = None

    def pieces(self, width: int) -> Iterable[Piece]:
        """The label, the bar, and the numbers."""
        numbers = width >= LABEL + NUMBERS + 12
        room = max(4, width - LABEL - (NUMBERS if numbers else 0) - 2)
        yield field(self.label, LABEL) + " ", "lines--title" if self.sessions else "lines--soft"
        yield field(bar(self.share, room), room), "lines--assistant"
        if numbers:
            yield " " + field(self._numbers(), NUMBERS, right=True), "lines--soft"

    def _numbers(self) -> str:
        if not self.sessions:
            return ""
        cost = "" if self.cost is None else f"  {labels.dollars(self.cost)}"
        return f"{count(self.sessions, 'session')}  {short(self.tokens)} tokens{cost}"


def bar(share: float, width: int) -> str:
    """A bar of `share` (0 to 1) of `width` cells, in eighths; anything above nothing shows."""
    eighths = round(min(1.0, max(0.0, share)) * width * 8)
    if share > 0:
        eighths = max(1, eighths)
    full, rest = divmod(eighths, 8)
    return "█" * full + (EIGHTHS[rest] if rest else "")


class ChartScreen(SightScreen):
    """Bars for days, the newest first, then for each source or model. Enter on a day lists what was said on it."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("s", "measure", "Other bars", show=False),
        Binding("b", "by", "By source or model", show=False),
        Binding("p", "period", "Longer, shorter", show=False),
        Binding("A", "close", "Close", show=False),
    ]
    KEYS = "s: bars by sessions, tokens, cost · b: by source or model · p: period · Enter: what was said that day"

    def __init__(
        self,
        read: Callable[[int, Field], Awaitable[Activity]],
        *,
        open_day: Callable[[float, Callable[[Anchor | None], None]], None],
    ) -> None:
        """`read` takes days to look back and a field; `open_day` shows a day that begins at a time, and says what
        place it ended with."""
        super().__init__()
        self._read = read
        self._open_day = open_day
        self._measure = Measure.SESSIONS
        self._by = Field.SOURCE
        self._period = 1
        self._found: Activity | None = None
        self._to_shares = False

    async def load(self) -> None:
        """All of the period."""
        self._found = await self._read(PERIODS[self._period], self._by)
        self._draw()

    def _draw(self) -> None:
        found = self._found
        if found is not None:
            rows = bars(found, self._measure, self._by)
            self.show(self._titled(found), rows, cursor=max(0, self.rows.cursor))
            if self._to_shares:  # they stand below all the days, so what was asked for would be out of sight
                self._to_shares = False
                self.rows.go(len(rows) - 1)
                self.rows.go(next((at for at, row in enumerate(rows) if row.day is None), len(rows) - 1))

    def _titled(self, found: Activity) -> str:
        sessions = sum(one.sessions for one in found.days)
        tokens = sum(one.input + one.output for one in found.days)
        costs = [one.cost_usd for one in found.days if one.cost_usd is not None]
        said = [f"The last {count(PERIODS[self._period], 'day')}: {count(sessions, 'session')}, {short(tokens)} tokens"]
        said += [labels.dollars(sum(costs))] if costs else []
        untold = self._measure is Measure.COST and not costs
        said.append(f"bars by {self._measure.value}" + (", which no session tells" if untold else ""))
        if found.undated:
            said.append(f"{count(found.undated, 'session')} without a start left out")
        if found.earlier:
            said.append(f"{count(found.earlier)} older (p)")
        said += found.notes
        return " · ".join(said)

    def choose(self) -> None:
        """The day under the highlight."""
        here = self.rows.here
        if isinstance(here, Bar) and here.day is not None:
            self._open_day(here.day, self.went)

    def action_measure(self) -> None:
        """Bars by something else."""
        self._measure = self._measure.next()
        self._draw()

    def action_by(self) -> None:
        """By model in place of source, or back, and go there."""
        self._to_shares = True
        self._by = Field.MODEL if self._by is Field.SOURCE else Field.SOURCE
        self.title_line(READING)
        self.read_anew()

    def action_period(self) -> None:
        """The next period."""
        self._period = (self._period + 1) % len(PERIODS)
        self.title_line(READING)
        self.read_anew()


def bars(found: Activity, measure: Measure, by: Field) -> list[Bar]:
    """A bar for each day up to the first that has anything, the newest first; then one for each share."""
    days = [_of_day(one) for one in reversed(found.days)]
    while days and not days[-1].sessions:
        days.pop()
    shares = [
        Bar(one.name or "(none)", one.sessions, one.tokens, one.cost_usd, 0.0, f"By {by.value}") for one in found.by
    ]
    return _measured(days, measure) + _measured(shares, measure)


def _measured(rows: list[Bar], measure: Measure) -> list[Bar]:
    amounts = [_amount(row, measure) for row in rows]
    longest = max(amounts, default=0.0)
    return [
        Bar(row.label, row.sessions, row.tokens, row.cost, amount / longest if longest else 0.0, row.heading, row.day)
        for row, amount in zip(rows, amounts, strict=True)
    ]


def _amount(row: Bar, measure: Measure) -> float:
    match measure:
        case Measure.SESSIONS:
            return float(row.sessions)
        case Measure.TOKENS:
            return float(row.tokens)
        case Measure.COST:
            return row.cost or 0.0


def _of_day(one: DayUse) -> Bar:
    then = moment(one.start)
    label = "" if then is None else f"{then:%a %d %b %Y}"
    heading = "" if then is None else f"{then:%B %Y}"
    return Bar(label, one.sessions, one.input + one.output, one.cost_usd, 0.0, heading, day=one.start)
