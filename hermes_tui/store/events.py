"""What a search tells while it runs."""

from __future__ import annotations

from hermes_tui.model import Capabilities, Message, Route
from hermes_tui.model.record import dataclass
from hermes_tui.query import Plan


@dataclass(frozen=True, slots=True)
class Found:
    """One message that matches, verified. `tier` 1 stands behind tier 0 (it only begins like the short last word)."""

    message: Message
    snippet: str
    spans: tuple[tuple[int, int], ...]
    route: Route
    tier: int
    weight: float


@dataclass(frozen=True, slots=True)
class Coming:
    """The sessions of the hits that follow, so that what is known of them can be looked up at once."""

    sessions: frozenset[str]


@dataclass(frozen=True, slots=True)
class Progress:
    """How far the plan is. `part` is how much of this step is done, 0 to 1; `doing` names it for people."""

    step: int
    steps: int
    part: float
    doing: str
    edge: int | None = None  # the limit was reached: rows beyond this id were not looked at


@dataclass(frozen=True, slots=True)
class Damaged:
    """An index raised while it was asked: `capabilities` are those without it, `plan` is what runs from here on."""

    capabilities: Capabilities
    plan: Plan


@dataclass(frozen=True, slots=True)
class Spoilt:
    """So many ids lie where the file itself is damaged: what stood there cannot be read, all else was looked at."""

    count: int


@dataclass(frozen=True, slots=True)
class Slow:
    """A regular expression ran too long on so many messages, and was stopped there. With `gave_up` it was not tried
    on the rest."""

    count: int
    gave_up: bool


Event = Coming | Found | Progress | Damaged | Spoilt | Slow
