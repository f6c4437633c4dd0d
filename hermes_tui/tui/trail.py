"""The places a reader has been: back and forward, as in a browser of pages. Pure."""

from __future__ import annotations

from hermes_tui.model import Anchor

LONGEST = 200
"""Places remembered."""


class Trail:
    """Places left behind, and those that going back has left ahead."""

    def __init__(self) -> None:
        self._behind: list[Anchor] = []
        self._ahead: list[Anchor] = []

    def leave(self, place: Anchor) -> None:
        """The reader leaves `place` for somewhere new: what was ahead is forgotten."""
        if not self._behind or self._behind[-1] != place:
            self._behind.append(place)
            del self._behind[:-LONGEST]
        self._ahead.clear()

    def back(self, here: Anchor | None) -> Anchor | None:
        """The place before, which is left for from `here`; None when there is none."""
        return self._go(self._behind, self._ahead, here)

    def forward(self, here: Anchor | None) -> Anchor | None:
        """The place gone back from."""
        return self._go(self._ahead, self._behind, here)

    def _go(self, source: list[Anchor], other: list[Anchor], here: Anchor | None) -> Anchor | None:
        while source and source[-1] == here:
            source.pop()
        if not source:
            return None
        if here is not None:
            other.append(here)
        return source.pop()
