"""What a search is asked and what it answers."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum, StrEnum

from hermes_tui.model.conversations import Anchor, Kind, Session, State
from hermes_tui.model.record import dataclass


class Route(StrEnum):
    """How rows are looked for."""

    WORD = "word"
    TRIGRAM = "trigram"
    SCAN = "scan"


class Case(Enum):
    """Whether a search tells capitals from small letters."""

    FOLD = "fold"
    EXACT = "exact"


class Region(StrEnum):
    """A part of a message that can be looked into by itself: `in:text`, `in:tools`, `in:reasoning`."""

    TEXT = "text"  # what a person or the model said
    TOOLS = "tools"  # results, names and arguments of tool calls
    REASONING = "reasoning"  # what the model thought


@dataclass(frozen=True, slots=True)
class Mode:
    """How a typed text is understood: the switches beside the search box.

    `regex` takes what is not a filter as one regular expression; `reasoning` looks into what the model thought as well.
    """

    case: Case = Case.FOLD
    regex: bool = False
    reasoning: bool = False


PLAIN = Mode()  # every switch off


@dataclass(frozen=True, slots=True)
class HitMessage:
    """What a list of hits shows of the message itself."""

    id: int
    role: str
    tool_name: str | None
    timestamp: float | None
    state: State
    copies: int = 1
    kind: Kind = Kind.TURN


@dataclass(frozen=True, slots=True)
class Hit:
    """One message that matched. `spans` are half-open ranges of Unicode code points in `snippet` that matched.

    `rank` is where it stands in the order asked for, the least first; ranks of several stores compare.
    """

    anchor: Anchor
    snippet: str
    spans: tuple[tuple[int, int], ...]
    message: HitMessage
    session: Session
    route: Route = Route.WORD
    rank: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True)
class Coverage:
    """Which rows an answer has looked at. `word`, `trigram` and `scan` count the hits each route brought.

    `searched` reaches `messages` when the answer is complete. `notes` are sentences for people: a damaged index, a
    rank that looked at the newest rows only, words looked for inside words.
    """

    messages: int = 0
    searched: int = 0
    word: int = 0
    trigram: int = 0
    scan: int = 0
    notes: tuple[str, ...] = ()
    scanning: str | None = None  # what is being scanned right now, for the progress line


@dataclass(frozen=True, slots=True)
class PlanStep:
    """One step of the Plan an answer came by, as people and JSON are told it. `match` is None for a scan."""

    route: Route
    match: str | None
    reason: str


@dataclass(frozen=True, slots=True)
class Filtered:
    """One filter that stands. `text` is the filter as typed (`-source:cron`), `without` the query with it taken out.

    `hides` counts the messages that match but for this filter; None while nobody has counted. `more` says that
    counting stopped there.
    """

    text: str
    without: str
    hides: int | None = None
    more: bool = False


@dataclass(frozen=True, slots=True)
class WayOut:
    """Another question that has hits where this one has none (S11), and how many; `more` says counting stopped there.

    `reason` says for people what is different ("without source:cli", "in rewound turns"). The question is `text` in
    `mode`, with `rewound` and `hidden` messages or not, in the store of `profile` where that is not None.
    """

    reason: str
    hits: int
    more: bool
    text: str
    mode: Mode = Mode()
    rewound: bool = False
    hidden: bool = False
    profile: str | None = None


@dataclass(frozen=True, slots=True)
class Answer:
    """What a search knows so far. Hits are in the order asked for; `plan` are the steps that were or will be run.

    `problem` is a sentence where the text cannot be searched for as it stands (a pattern that is no regular
    expression): there are no hits then, which says nothing about the store.
    """

    query: str
    sort: str
    hits: tuple[Hit, ...]
    sessions: tuple[Session, ...]  # title and id hits
    coverage: Coverage
    hidden: Mapping[str, int]  # matching messages left out, by reason ("rewound", ...)
    total: int | None  # matching messages found; None when counting was stopped
    truncated: bool
    elapsed_ms: float
    complete: bool  # False while steps are still running
    plan: tuple[PlanStep, ...] = ()
    goto: Anchor | None = None  # the text names a place: go straight there
    mode: Mode = Mode()
    filters: tuple[Filtered, ...] = ()
    problem: str | None = None
