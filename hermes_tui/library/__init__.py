"""The use cases: what both front ends may ask of a session store, and nothing else.

Knows no SQL, no screen and no command line. A `Library` owns the connections to one store, `Stores` one or several of
these; everything they answer is a noun of `hermes_tui.model`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from hermes_tui.library.calm import uncollected
from hermes_tui.library.library import Library
from hermes_tui.library.places import Ambiguous, LibraryError, NotFound
from hermes_tui.library.stores import Stores, none_of
from hermes_tui.library.where import closed_stores, distinct, named, other_stores, places_of, profile_at, store_of
from hermes_tui.model.later import later
from hermes_tui.store.connection import (
    Cancelled,
    StoreBusy,
    StoreDamaged,
    StoreError,
    StoreMissing,
    StoreUnreadable,
    Ticket,
)

if TYPE_CHECKING:
    from hermes_tui.library.census import Lead, leads, survey
    from hermes_tui.library.ways import uncounted

__all__ = [
    "Ambiguous",
    "Cancelled",
    "Lead",
    "Library",
    "LibraryError",
    "NotFound",
    "StoreBusy",
    "StoreDamaged",
    "StoreError",
    "StoreMissing",
    "StoreUnreadable",
    "Stores",
    "Ticket",
    "closed_stores",
    "distinct",
    "leads",
    "named",
    "none_of",
    "other_stores",
    "places_of",
    "profile_at",
    "store_of",
    "survey",
    "uncollected",
    "uncounted",
]

__getattr__ = later(__name__, {"census": ("Lead", "leads", "survey"), "ways": ("uncounted",)})
