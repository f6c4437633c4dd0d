"""What a file offers, and what is said of it."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path

from hermes_tui.model.record import dataclass


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


@dataclass(frozen=True, slots=True)
class StorePlace:
    """Where a store lies, and its name: that of its profile, or what tells it from others that are read with it."""

    path: Path
    name: str | None = None


@dataclass(frozen=True, slots=True)
class Unread:
    """A store that cannot be read, and the sentence that says why."""

    path: Path
    name: str | None
    why: str


class Origin(StrEnum):
    """Why a store was found."""

    PROFILE = "profile"  # of the Hermes that is in use
    HOME = "other home"  # of another Hermes home of the same person
    BACKUP = "backup"  # what Hermes or a repair put aside; never opened unless asked for
    FILE = "file"  # named by the person


@dataclass(frozen=True, slots=True)
class FoundStore:
    """A store that lies on this machine, looked at without reading any message.

    `why` is the sentence for a store that could not be read; `sessions` is None then, and where nobody counted.
    `last_active_at` is in Unix seconds, `size` in bytes with its write-ahead log. `sticky` says that Hermes' own
    commands use this profile. `missing` counts sessions that it holds and the store in use does not.
    """

    place: StorePlace
    origin: Origin
    sessions: int | None = None
    last_active_at: float | None = None
    size: int | None = None
    why: str | None = None
    sticky: bool = False
    missing: int = 0
