"""Which state of its file a connection reads: what was worked out from one holds as long as that state does."""

from __future__ import annotations

from hermes_tui.model import Opened
from hermes_tui.store.connection import Connection

Version = tuple[object, ...]


def version(connection: Connection) -> Version:
    """The state now. It has to be told before anything is read: what is written meanwhile makes it another one.

    A store that is just being written to does not tell, and then it is like no other.
    """
    # Before the look, which may find another generation: who asks still goes by the columns of this one, and is asked
    # again because of it. What that makes must not pass for the new one's.
    generation = connection.generation
    seen = connection.fingerprint()
    return (id(connection), generation, seen) if seen[0] is not None else (object(),)


def is_told(connection: Connection) -> bool:
    """Whether two equal versions are of one state: of a file written moments ago, or of a copy, they may not be."""
    return connection.opened is Opened.RO or (connection.opened is Opened.IMMUTABLE and connection.footing.settled)
