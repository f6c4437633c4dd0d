"""The nouns of the product: frozen dataclasses and enumerations, nothing else.

Imports no other room, knows no SQL and no screen. Every value in here is already decoded: text is what a
person reads, times are Unix seconds in UTC or None where the store holds something that is not a time.
"""

from __future__ import annotations

from hermes_tui.model.answers import (
    PLAIN,
    Answer,
    Case,
    Coverage,
    Filtered,
    Hit,
    HitMessage,
    Mode,
    PlanStep,
    Region,
    Route,
    WayOut,
)
from hermes_tui.model.conversations import (
    Anchor,
    Compaction,
    Counts,
    Kind,
    Message,
    OutlineRow,
    Session,
    SessionKind,
    SessionList,
    State,
    Status,
    ToolCall,
    Transcript,
    Window,
)
from hermes_tui.model.stores import (
    Capabilities,
    Index,
    Layout,
    Opened,
    StoreReport,
    Trust,
)

__all__ = [
    "PLAIN",
    "Anchor",
    "Answer",
    "Capabilities",
    "Case",
    "Compaction",
    "Counts",
    "Coverage",
    "Filtered",
    "Hit",
    "HitMessage",
    "Index",
    "Kind",
    "Layout",
    "Message",
    "Mode",
    "Opened",
    "OutlineRow",
    "PlanStep",
    "Region",
    "Route",
    "Session",
    "SessionKind",
    "SessionList",
    "State",
    "Status",
    "StoreReport",
    "ToolCall",
    "Transcript",
    "Trust",
    "WayOut",
    "Window",
]
