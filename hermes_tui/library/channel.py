"""A connection that several threads may ask and one at a time uses.

The file under a connection can be replaced or migrated while it is read: a question is answered from one state of the
file and one set of capabilities, or asked again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import RLock
from typing import TypeVar

from hermes_tui.model import Capabilities
from hermes_tui.store.connection import Cancelled, Connection, Footing, StoreBusy, StoreError, Ticket, connect, look
from hermes_tui.store.schema import detect, outdated

T = TypeVar("T")
Question = Callable[[Connection, Capabilities, Ticket], T]

ATTEMPTS = 4  # a file that moved under a question is asked again this often before it is called busy
PATIENCE = 0.02  # seconds between two looks at a ticket while another thread has the connection


class Channel:
    """One guarded connection. `ask` runs a question on it; a cancelled ticket also ends the wait for its turn."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = RLock()
        self._connection: Connection | None = None
        self._detected: tuple[int, Capabilities] | None = None  # the generation they were read from
        self._running: Ticket | None = None
        self._closed = False

    def open(self, footing: Footing, *, known: Capabilities | None = None) -> Capabilities:
        """Connect, and say what the file offers; `known` spares the look when another channel has just taken it."""
        with self._lock:
            self._connection = connect(footing)
            if known is not None:
                self._detected = (self._connection.generation, known)
                return known
            return self._capabilities(self._connection, Ticket())

    def ask(self, question: Question[T], *, ticket: Ticket | None = None) -> T:
        """Answer `question(connection, capabilities, ticket)` from one state of the file.

        Raises StoreError, and Cancelled when the ticket or the whole channel was given up.
        """
        ticket = Ticket() if ticket is None else ticket
        with self._turn(ticket):
            return self._settled(question, ticket)

    def idle(self, question: Callable[[Connection], T]) -> T | None:
        """Answer a question that must not wait: None while another thread uses the connection."""
        if not self._lock.acquire(blocking=False):
            return None
        try:
            return None if self._closed else question(self._connected())
        finally:
            self._lock.release()

    @contextmanager
    def released(self) -> Iterator[None]:
        """Hold everybody off with no connection open; the next question connects again."""
        with self._lock:
            self._drop()
            yield

    def close(self) -> None:
        """Cancel what is running and give the connection up for good."""
        self._closed = True
        running = self._running
        if running is not None:
            running.cancel()
        with self._lock:
            self._drop()

    def _drop(self) -> None:
        if self._connection is not None:
            self._connection.close()
        self._connection = None
        self._detected = None

    @contextmanager
    def _turn(self, ticket: Ticket) -> Iterator[None]:
        while not self._lock.acquire(timeout=PATIENCE):
            ticket.check()
        try:
            self._running = ticket
            if self._closed:
                raise Cancelled
            ticket.check()
            yield
        finally:
            self._running = None
            self._lock.release()

    def _settled(self, question: Question[T], ticket: Ticket) -> T:
        connection = self._connected()
        for _ in range(ATTEMPTS):
            capabilities = self._capabilities(connection, ticket)
            generation = connection.generation
            try:
                answer = question(connection, capabilities, ticket)
            except StoreError:
                if connection.generation == generation:
                    raise
                continue
            if connection.generation == generation:
                return answer
        raise StoreBusy(f"{self._path} keeps being replaced while it is read; try again in a moment.")

    def _connected(self) -> Connection:
        if self._connection is None:
            self._connection = connect(look(self._path))
        return self._connection

    def _capabilities(self, connection: Connection, ticket: Ticket) -> Capabilities:
        """What this state of the file offers: looked up once per generation, and when an index rebuild moved on."""
        known = self._detected
        if known is not None and known[0] == connection.generation and outdated(connection, known[1], ticket=ticket):
            known = None
        while known is None or known[0] != connection.generation:
            generation = connection.generation
            known = self._detected = (generation, detect(connection, ticket=ticket))
        return known[1]

    @property
    def badge(self) -> str | None:
        """What the connection says of its own view of the store."""
        connection = self._connection
        return None if connection is None else connection.badge

    @property
    def capabilities(self) -> Capabilities | None:
        """What was last found; None before the first look."""
        return None if self._detected is None else self._detected[1]
