"""Names of a room whose modules are imported when the first of them is asked for, so that a start does not pay for all.

A room lists such names for type checkers under `TYPE_CHECKING` and says here where they live (PEP 562).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from importlib import import_module


def later(room: str, homes: Mapping[str, Sequence[str]]) -> Callable[[str], object]:
    """The `__getattr__` of the package `room`; `homes` are the names by the module of the room that has them."""
    where = {name: f"{room}.{home}" for home, names in homes.items() for name in names}

    def look_up(name: str) -> object:
        if name not in where:
            raise AttributeError(f"module {room!r} has no attribute {name!r}")
        return getattr(import_module(where[name]), name)

    return look_up
