"""The use cases: what both front ends may ask of a session store, and nothing else.

Knows no SQL, no screen and no command line. A `Library` owns the connections; everything it answers is a noun of
`hermes_tui.model`.
"""

from __future__ import annotations

from hermes_tui.library.library import Library
from hermes_tui.library.places import Ambiguous, LibraryError, NotFound
from hermes_tui.library.ways import uncounted
from hermes_tui.library.where import other_stores, store_of
from hermes_tui.store.connection import (
    Cancelled,
    StoreBusy,
    StoreDamaged,
    StoreError,
    StoreMissing,
    StoreUnreadable,
    Ticket,
)

__all__ = [
    "Ambiguous",
    "Cancelled",
    "Library",
    "LibraryError",
    "NotFound",
    "StoreBusy",
    "StoreDamaged",
    "StoreError",
    "StoreMissing",
    "StoreUnreadable",
    "Ticket",
    "other_stores",
    "store_of",
    "uncounted",
]
