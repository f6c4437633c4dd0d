"""Choices that a key goes through, one after the other."""

from __future__ import annotations

from enum import Enum
from typing import Self


class Cycle(Enum):
    """A choice of these; the members stand in the order that the key goes through them."""

    def next(self) -> Self:
        """The one that the key goes to from here, round and round."""
        every = list(type(self))
        return every[(every.index(self) + 1) % len(every)]
