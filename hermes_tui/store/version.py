"""Which state of its file a connection reads: what was worked out from one holds as long as that state does."""

from __future__ import annotations

from hermes_tui.model import Opened
from hermes_tui.store.connection import Connection

Version = tuple[object, ...]


def version(connection: Connection) -> Version:
    """The state now. It has to be told before anything is read: what is written meanwhile makes it another one."""
    return (id(connection), connection.generation, connection.fingerprint())


def is_told(connection: Connection) -> bool:
    """Whether two equal versions are of one state: of a file written moments ago, or of a copy, they may not be."""
    return connection.opened is Opened.RO or (connection.opened is Opened.IMMUTABLE and connection.footing.settled)
