"""The nouns of the product: frozen dataclasses and enumerations, nothing else.

Imports nothing of ours, knows no SQL and no screen. Every value in here is already decoded: text is what a
person reads, times are Unix seconds in UTC or None where the store holds something that is not a time.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum, StrEnum


class State(StrEnum):
    """What the store says of a row: in the model's context, summarised away, or taken back by the user."""

    LIVE = "live"  # active = 1 (or NULL, or no such column)
    COMPACTED = "compacted"  # active = 0, compacted = 1
    REWOUND = "rewound"  # active = 0, compacted = 0


class Kind(StrEnum):
    """What a message is for a reader, whatever its role column says."""

    TURN = "turn"  # something a person or the model said
    TOOL = "tool"  # the result of a tool call
    SUMMARY = "summary"  # a compaction hand-off written by a machine
    NOTICE = "notice"  # bookkeeping: model switches, session_meta, background notes
    HIDDEN = "hidden"  # display_kind = hidden or model_only: scaffolding for the model


class SessionKind(StrEnum):
    """The edge by which a session hangs on its parent."""

    ROOT = "root"
    CONTINUATION = "continuation"  # the parent was compressed and this goes on
    BRANCH = "branch"
    RESET = "reset"
    DELEGATE = "delegate"
    ORPHAN = "orphan"  # names a parent that is not in the store


class Status(StrEnum):
    """How a session stands, told from its last row: see facts in `store.sessions`."""

    EMPTY = "empty"
    COMPLETE = "complete"
    INTERRUPTED = "interrupted"
    ERROR = "error"


@dataclass(frozen=True, slots=True)
class Anchor:
    """A place in a store, written `SESSION` or `SESSION#MESSAGE`: the one currency between panes and verbs."""

    session_id: str
    message_id: int | None = None
    profile: str | None = None

    def __str__(self) -> str:
        place = self.session_id if self.message_id is None else f"{self.session_id}#{self.message_id}"
        return place if self.profile is None else f"{self.profile}/{place}"


@dataclass(frozen=True, slots=True)
class ToolCall:
    """One call an assistant row asks for. `arguments` is readable text (decoded, pretty JSON), never raw JSON."""

    id: str | None
    name: str
    arguments: str


@dataclass(frozen=True, slots=True)
class Message:
    """One row of `messages`, decoded.

    `text` is the content a person reads. `reasoning` is "" where there is none. `copies` counts the rows of the
    conversation that hold this same message (compaction stores a kept tail again); the row shown is one of them.
    `extra` holds further columns by name for a raw view.
    """

    id: int
    session_id: str
    role: str
    text: str
    state: State = State.LIVE
    kind: Kind = Kind.TURN
    timestamp: float | None = None
    tool_name: str | None = None
    tool_call_id: str | None = None
    tool_calls: tuple[ToolCall, ...] = ()
    reasoning: str = ""
    token_count: int | None = None
    finish_reason: str | None = None
    display_kind: str | None = None
    observed: bool = False
    copies: int = 1


@dataclass(frozen=True, slots=True)
class Counts:
    """How many rows of each state; copies and bookkeeping rows included, as the table holds them."""

    live: int = 0
    compacted: int = 0
    rewound: int = 0

    @property
    def total(self) -> int:
        """All rows."""
        return self.live + self.compacted + self.rewound


@dataclass(frozen=True, slots=True)
class Session:
    """One row of `sessions`; in a list it stands for its conversation (see `segments`).

    In a list row, `id`, `title`, `model`, `cwd` and the end are those of the newest tip; `started_at` is that of the
    root, and counts, tokens and cost are sums over `segments`. Read alone (`conversation` or a hit's session) it is
    that one row. `segments` are the ids of the compression chain, root first, itself included.
    """

    id: str
    source: str
    title: str | None = None
    model: str | None = None
    started_at: float | None = None
    last_active_at: float | None = None
    ended_at: float | None = None
    end_reason: str | None = None
    parent_id: str | None = None
    kind: SessionKind = SessionKind.ROOT
    conversation: str = ""  # the id of the tip that shows this session in the list
    segments: tuple[str, ...] = ()
    counts: Counts = Counts()
    input_tokens: int | None = None
    output_tokens: int | None = None
    cost_usd: float | None = None
    cwd: str | None = None
    preview: str = ""  # first real words of a person, one line; "" until asked for
    status: Status = Status.COMPLETE
    archived: bool = False
    hidden: bool = False
    pinned: bool = False
    profile: str | None = None


@dataclass(frozen=True, slots=True)
class SessionList:
    """The rows of a list, newest activity first, and what a default or a limit left out.

    `hidden` counts sessions (not rows) by the first reason that hid them ("cron", "archived", ...): every session of
    the store is a row, in a row's `segments`, or counted here. `truncated` says a limit cut the rows; `notes` are
    sentences about the filters, for people.
    """

    rows: tuple[Session, ...]
    hidden: Mapping[str, int]
    truncated: bool = False
    total: int = 0  # rows before the limit
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class OutlineRow:
    """One message of a transcript as known without reading its text. `size` is the stored length in bytes of content,
    tool calls and reasoning together: an estimate of height, not a character count."""

    id: int
    session_id: str
    role: str
    state: State
    kind: Kind
    size: int
    timestamp: float | None = None
    copies: int = 1


@dataclass(frozen=True, slots=True)
class Compaction:
    """A place where compaction cut a conversation.

    `at` is the id of the first row of a transcript that was written after it (the machine's summary, as a rule), in
    the session `session_id`. The model had `before` messages and kept `kept` of them; each message counts once, and
    summaries, hidden and rewound rows do not. `continued` says that the conversation went on in that new session.
    """

    at: int
    session_id: str
    before: int
    kept: int
    continued: bool = False


@dataclass(frozen=True, slots=True)
class Transcript:
    """A conversation as read: its sessions root to tip, and every row that can be shown, in reading order.

    `rows` leaves out copies (counted on the row that stands for them) and holds rewound and hidden rows too, marked:
    the reader decides what to show. `counts` speaks of rows in the table. `compactions` are in reading order.
    """

    session: Session  # the session that was asked for
    segments: tuple[Session, ...]
    rows: tuple[OutlineRow, ...]
    counts: Counts
    stands_for: Mapping[int, int] = field(default_factory=dict)  # id of a folded copy -> id of the row shown
    compactions: tuple[Compaction, ...] = ()


@dataclass(frozen=True, slots=True)
class Window:
    """Messages around an anchor, and how many there are before and after them in the conversation.

    `hidden` counts the messages of the conversation that are in none of these, by reason ("rewound", "hidden").
    """

    session: Session
    anchor: Anchor | None
    messages: tuple[Message, ...]
    before: int
    after: int
    bookends_start: tuple[Message, ...] = ()
    bookends_end: tuple[Message, ...] = ()
    hidden: Mapping[str, int] = field(default_factory=dict)


class Route(StrEnum):
    """How rows are looked for."""

    WORD = "word"
    TRIGRAM = "trigram"
    SCAN = "scan"


class Layout(StrEnum):
    """How the full-text indexes are stored (facts: STATE_DB section 2)."""

    NONE = "none"
    INLINE = "inline"  # messages_fts(content) holds content + tool_name + tool_calls; trigram too, every row
    EXTERNAL = "external"  # three columns over `messages`; trigram leaves tool rows out
    VIEWS = "views"  # three columns over a view that cuts tool text; trigram leaves out tools, calls and automation


class Trust(StrEnum):
    """Why an index may or may not be believed."""

    GOOD = "good"
    MISSING = "missing"
    STALE = "stale"
    DAMAGED = "damaged"
    UNTRIGGERED = "untriggered"  # lacks its insert, update or delete trigger
    UNUSABLE = "unusable"  # its module or tokenizer is not in this SQLite


@dataclass(frozen=True, slots=True)
class Index:
    """One full-text index of the file and what it holds.

    `tool_chars` is how much of a tool row's content it holds (None: all; 0: no tool rows at all).
    `calls` says whether the JSON of tool calls is in it, `automation` whether cron, sub-agent and delegate ones are.
    """

    table: str
    trust: Trust = Trust.GOOD
    tool_chars: int | None = None
    calls: bool = True
    automation: bool = True
    complete: bool = True  # False: rows besides the gap are missing from it; a scan looks for them by `_docsize`
    note: str | None = None  # a sentence for the coverage line when trust is not GOOD

    @property
    def usable(self) -> bool:
        """Whether a step may ask it at all."""
        return self.trust is Trust.GOOD


@dataclass(frozen=True, slots=True)
class Capabilities:
    """What this file and this SQLite offer, read once per opened file; nothing branches on a version number."""

    layout: Layout = Layout.NONE
    word: Index | None = None
    trigram: Index | None = None
    gap: tuple[int, int] | None = None  # (progress, high_water]: ids in neither index while a rebuild is unfinished
    message_columns: frozenset[str] = frozenset()
    session_columns: frozenset[str] = frozenset()
    tables: frozenset[str] = frozenset()
    markers: tuple[str, ...] = ()  # state_meta keys that speak of the indexes, as stored
    sqlite: str = ""


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
    """One message that matched. `spans` are half-open ranges of Unicode code points in `snippet` that matched."""

    anchor: Anchor
    snippet: str
    spans: tuple[tuple[int, int], ...]
    message: HitMessage
    session: Session
    route: Route = Route.WORD


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


class Opened(StrEnum):
    """By which rung of the opening ladder a file is being read."""

    RO = "ro"
    IMMUTABLE = "immutable"
    COPY = "copy"


@dataclass(frozen=True, slots=True)
class StoreReport:
    """What `doctor` says of one store."""

    path: str
    profile: str | None
    journal_mode: str
    opened: Opened
    sqlite: str
    capabilities: Capabilities
    messages: int
    sessions: int
    untouched: bool  # the file and its folder are byte for byte, name for name what they were before we looked
    notes: tuple[str, ...] = ()
