"""How far a search has to look, and in which direction."""

from __future__ import annotations

from bisect import insort
from dataclasses import field
from enum import StrEnum

from hermes_tui.model import Kind, Message, State
from hermes_tui.model.record import dataclass


class Order(StrEnum):
    """The direction rows are looked at, by id."""

    NEWEST = "newest"
    OLDEST = "oldest"


@dataclass(slots=True)
class Reach:
    """How far a search still has to look: with `limit` hits at hand, only at rows nearer than the last of them."""

    newest: bool
    limit: int
    rewound: bool
    hidden: bool
    low: int = 0
    high: int = 0
    _visible: list[tuple[int, int]] = field(default_factory=list)  # (tier, distance from the near end) of shown hits

    def add(self, message: Message, tier: int) -> None:
        """Take in a hit."""
        if (self.rewound or message.state is not State.REWOUND) and (self.hidden or message.kind is not Kind.HIDDEN):
            insort(self._visible, (tier, -message.id if self.newest else message.id))

    def edge(self, tier: int) -> int | None:
        """The id that a hit of `tier` has to be nearer than; None while any is welcome."""
        if len(self._visible) < self.limit:
            return None
        last_tier, last = self._visible[self.limit - 1]
        if last_tier < tier:
            return self.high if self.newest else self.low
        return (-last if self.newest else last) if last_tier == tier else None

    def bounds(self, low: int, high: int, tier: int) -> tuple[int, int]:
        """What is left of the range (low, high]."""
        edge = self.edge(tier)
        if edge is None:
            return low, high
        return (max(low, edge), high) if self.newest else (low, min(high, edge - 1))

    def beyond(self, row: int, tier: int) -> bool:
        """Whether a hit at `row` would come too late."""
        edge = self.edge(tier)
        return edge is not None and (row <= edge if self.newest else row >= edge)

    def done(self, low: int, high: int) -> float:
        """How much of the table lies outside (low, high], 0 to 1."""
        whole = self.high - self.low
        return 1.0 if whole <= 0 else min(1.0, max(0.0, 1.0 - (high - low) / whole))
