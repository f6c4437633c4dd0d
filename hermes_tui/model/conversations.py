"""Sessions and messages as people read them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from enum import StrEnum
from typing import NamedTuple

from hermes_tui.model.record import dataclass


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


SessionKey = tuple[str | None, str]
"""The name of a store (None while only one is open) and the id of a session in it."""


@dataclass(frozen=True, slots=True)
class Anchor:
    """A place in a store, written `SESSION` or `SESSION#MESSAGE`: the one currency between panes and verbs.

    With several stores open `profile` is the name of the store, written in front: `work/SESSION#MESSAGE`.
    """

    session_id: str
    message_id: int | None = None
    profile: str | None = None

    @property
    def key(self) -> SessionKey:
        """The session that holds the place, as `Session.key` has it."""
        return self.profile, self.session_id

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
class MessageKey:
    """What a message is known by wherever its row is: the uid that newer releases give it, and a digest of role,
    content and time. `time` is as stored, to look it up by."""

    uid: str | None
    digest: str
    time: float | str | None = None

    def same(self, other: MessageKey) -> bool:
        """Whether two keys are of the same message."""
        return self.digest == other.digest or (self.uid is not None and self.uid == other.uid)


@dataclass(frozen=True, slots=True)
class Image:
    """A picture that is stored in a message. `data` is base64."""

    media_type: str
    data: str


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


class Session(NamedTuple):
    """One row of `sessions`; in a list it stands for its conversation (see `segments`).

    In a list row, `id`, `title`, `model`, `cwd`, `branch`, `project` and the end are those of the newest tip;
    `started_at` is that of the root, and counts, tokens and cost are sums over `segments`. Read alone (`conversation`
    or a hit's session) it is that one row. `segments` are the ids of the compression chain, root first, itself
    included. A tuple, since a list may have a hundred thousand, and making these is most of what reading them takes.
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
    begun_at: int | None = None  # the message of its parent at which it began, where that was asked for and is told
    kind: SessionKind = SessionKind.ROOT
    conversation: str = ""  # the id of the tip that shows this session in the list
    segments: tuple[str, ...] = ()
    counts: Counts = Counts()
    lived: int | None = None  # messages a person reads: each once, none taken back or hidden; None until asked for
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
    branch: str | None = None  # of git, when the session last noted it
    project: str | None = None  # the root folder of its git repository
    unread: bool = False  # something was said since a person last looked
    owner: str | None = None  # the profile that a gateway wrote it for; it may serve several out of one store

    @property
    def key(self) -> SessionKey:
        """What tells it from every other session of the stores that are open: two stores may hold the same id."""
        return self.profile, self.id


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
    of: int = 0  # rows there would be without the filters


class OutlineRow(NamedTuple):
    """One message of a transcript as known without reading its text. `size` is the stored length in bytes of content,
    tool calls and reasoning together: an estimate of height, not a character count. `calls` says whether it calls
    tools. A tuple, since a conversation may have tens of thousands, and they are made and compared at once."""

    id: int
    session_id: str
    role: str
    state: State
    kind: Kind
    size: int
    timestamp: float | None = None
    copies: int = 1
    calls: bool = False


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
