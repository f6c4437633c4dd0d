"""The nouns of the product: frozen dataclasses and enumerations, nothing else.

Imports no other room, knows no SQL and no screen. Every value in here is already decoded: text is what a
person reads, times are Unix seconds in UTC or None where the store holds something that is not a time.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

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
    Image,
    Kind,
    Message,
    MessageKey,
    OutlineRow,
    Session,
    SessionKey,
    SessionKind,
    SessionList,
    State,
    Status,
    ToolCall,
    Transcript,
    Window,
)
from hermes_tui.model.later import later
from hermes_tui.model.stores import (
    Capabilities,
    FoundStore,
    Index,
    Layout,
    Opened,
    Origin,
    StorePlace,
    StoreReport,
    Trust,
    Unread,
)

if TYPE_CHECKING:
    from hermes_tui.model.sights import (
        Activity,
        Day,
        DayUse,
        Deed,
        Details,
        Job,
        Moment,
        Share,
        Touch,
        Touches,
        TreeRow,
        Usage,
    )

__all__ = [
    "PLAIN",
    "Activity",
    "Anchor",
    "Answer",
    "Capabilities",
    "Case",
    "Compaction",
    "Counts",
    "Coverage",
    "Day",
    "DayUse",
    "Deed",
    "Details",
    "Filtered",
    "FoundStore",
    "Hit",
    "HitMessage",
    "Image",
    "Index",
    "Job",
    "Kind",
    "Layout",
    "Message",
    "MessageKey",
    "Mode",
    "Moment",
    "Opened",
    "Origin",
    "OutlineRow",
    "PlanStep",
    "Region",
    "Route",
    "Session",
    "SessionKey",
    "SessionKind",
    "SessionList",
    "Share",
    "State",
    "Status",
    "StorePlace",
    "StoreReport",
    "ToolCall",
    "Touch",
    "Touches",
    "Transcript",
    "TreeRow",
    "Trust",
    "Unread",
    "Usage",
    "WayOut",
    "Window",
]

__getattr__ = later(
    __name__,
    {
        "sights": (
            "Activity",
            "Day",
            "DayUse",
            "Deed",
            "Details",
            "Job",
            "Moment",
            "Share",
            "Touch",
            "Touches",
            "TreeRow",
            "Usage",
        )
    },
)
