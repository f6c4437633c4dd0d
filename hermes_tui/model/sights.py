"""What is seen of many sessions at once: a lineage, one session in full, a day, a path, a chart, jobs.

Times are Unix seconds, tokens are counts, cost is in US dollars; None says that the store does not tell.
"""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple

from hermes_tui.model.conversations import Anchor, Kind, Session, SessionKind, State, Status
from hermes_tui.model.record import dataclass


@dataclass(frozen=True, slots=True)
class TreeRow:
    """One session in the tree of its lineage, drawn from top to bottom.

    `edge` names how it hangs on the row it stands under. `rails` tells for each level above it, outermost first,
    whether that level's line goes on below this row; `last` that no brother follows. `tip` is the current end of its
    conversation, `current` the session that was asked for. `loop` marks a session whose parents lead back to itself:
    it is told once, with the edge cut there. `wrong` is a sentence about marks that cannot be true, None as a rule.
    """

    id: str
    session: Session | None  # with counts, status and preview not looked up; None: named as a parent, and not there
    edge: SessionKind = SessionKind.ROOT
    depth: int = 0
    rails: tuple[bool, ...] = ()
    last: bool = True
    tip: bool = False
    current: bool = False
    loop: bool = False
    wrong: str | None = None


@dataclass(frozen=True, slots=True)
class Usage:
    """What one model used in a session for one task; "" is the main conversation, others are named by the agent
    ("title_generation"). `calls` are requests to the model."""

    model: str
    task: str = ""
    input: int | None = None
    output: int | None = None
    cache_read: int | None = None
    cache_write: int | None = None
    reasoning: int | None = None
    cost_usd: float | None = None
    calls: int | None = None


class Deed(StrEnum):
    """What a tool call does with a path, told from the tool's name and its arguments."""

    READ = "read"
    WROTE = "wrote"
    RAN = "ran"  # the path is in a command line, or the folder it runs in
    SEARCHED = "searched"
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class Touch:
    """A path in the arguments of a tool call, as it is written there; `anchor` is the message that calls.

    `count` is how many calls it stands for, where several with the same path and deed are told as one. `full` is the
    whole path where the session's folder tells it, else the same as `path`.
    """

    path: str
    deed: Deed
    tool: str
    anchor: Anchor
    timestamp: float | None = None
    session: Session | None = None
    count: int = 1
    full: str = ""


@dataclass(frozen=True, slots=True)
class Touches:
    """Who touched a path, the last written first. `total` counts what was found; when `truncated`, a limit cut the
    rows, and there may be more than `total`. `spoilt` counts rows that cannot be read, since the file is damaged there.
    `partly` says that no call names the path by whole names, so that these hold it as a part of a path.
    """

    path: str
    rows: tuple[Touch, ...]
    total: int
    truncated: bool = False
    spoilt: int = 0
    notes: tuple[str, ...] = ()  # sentences: stores that did not answer
    partly: bool = False


@dataclass(frozen=True, slots=True)
class Details:
    """One session in full.

    `session` is that one row, with counts, status and preview. `columns` are all its cells as they are stored, in
    their order, bytes as text. `usage` is by model and task. `touches` holds the first call of each path and deed in
    the conversation it is a segment of, in reading order, with `count`. `tree` counts the sessions of its lineage.
    """

    session: Session
    columns: tuple[tuple[str, object], ...]
    system_prompt: str | None = None
    tools: tuple[str, ...] = ()
    usage: tuple[Usage, ...] = ()
    touches: tuple[Touch, ...] = ()
    tree: int = 1


@dataclass(frozen=True, slots=True)
class Moment:
    """A message in the order of time, one line of it."""

    anchor: Anchor
    timestamp: float
    role: str
    kind: Kind
    tool_name: str | None
    state: State
    excerpt: str
    session: Session


@dataclass(frozen=True, slots=True)
class Day:
    """All that was said from `start` to before `end`, across sessions, the oldest first.

    `sessions` counts those that spoke. `hidden` counts what is left out by reason ("rewound", "hidden"). `undated`
    counts messages of the store whose time cannot be read: they may belong here. A limit cuts the end off.
    """

    start: float
    end: float
    moments: tuple[Moment, ...]
    sessions: int = 0
    undated: int = 0
    truncated: bool = False
    total: int = 0  # moments before the limit
    hidden: tuple[tuple[str, int], ...] = ()
    notes: tuple[str, ...] = ()  # sentences: stores that did not answer


@dataclass(frozen=True, slots=True)
class DayUse:
    """What the sessions that began on one local day used; `start` is its midnight. `messages` are those written
    on that day, whatever session holds them; None where counting them takes a walk over all of them."""

    start: float
    sessions: int = 0
    messages: int | None = None
    input: int = 0
    output: int = 0
    cost_usd: float | None = None


class Share(NamedTuple):
    """What the sessions of one source or model used in a period; `tokens` are input and output."""

    name: str
    sessions: int
    tokens: int
    cost_usd: float | None


@dataclass(frozen=True, slots=True)
class Activity:
    """Every day of a period, the oldest first, also those without a session; and the same sums `by` source or model,
    the most sessions first. `undated` counts sessions whose start cannot be read, `earlier` those that began before."""

    days: tuple[DayUse, ...]
    by: tuple[Share, ...] = ()
    undated: int = 0
    notes: tuple[str, ...] = ()  # sentences: stores that did not answer
    earlier: int = 0


@dataclass(frozen=True, slots=True)
class Job:
    """The runs of one automation: ids of list rows, newest first, and in the same order how each ended."""

    name: str
    source: str
    runs: tuple[str, ...]
    outcomes: tuple[Status, ...]
    last: float | None = None
