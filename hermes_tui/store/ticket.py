"""Cancelling: a Ticket is one request's right to run statements, taken back from any thread."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

# A statement that has not taken its first step forgets an interrupt, so it is repeated until the statement has ended.
# A progress handler would close the same gap, but takes the interpreter lock again and again: while the screen is being
# built, each call waits for its turn, and a scan of 30 ms was seen to take a second.
_INSIST_SECONDS = 0.01


class Cancelled(Exception):
    """The ticket was cancelled: nobody waits for this answer any more."""


class Ticket:
    """One request's right to run. Thread-safe; may be used on several connections.

    `cancel()` stops the statement that runs under this ticket and every one that would follow. It never stops a
    statement of another ticket: a connection's stop function is known here only while our own statement runs, and it
    is called and forgotten under one lock.
    """

    __slots__ = ("_cancelled", "_lock", "_stops")

    def __init__(self) -> None:
        self._cancelled = threading.Event()
        self._lock = threading.Lock()
        self._stops: list[Callable[[], None]] = []

    @property
    def cancelled(self) -> bool:
        """Whether `cancel()` was called."""
        return self._cancelled.is_set()

    def cancel(self) -> None:
        """Take the right back. Returns at once; the running statement ends within milliseconds."""
        with self._lock:
            self._cancelled.set()
            running = self._stop_all()
        if running:
            threading.Thread(target=self._insist, name="cancel", daemon=True).start()

    def check(self) -> None:
        """Raise Cancelled when the ticket was cancelled."""
        if self._cancelled.is_set():
            raise Cancelled

    def pause(self, seconds: float) -> None:
        """Sleep, but wake up and raise Cancelled as soon as the ticket is cancelled."""
        if self._cancelled.wait(seconds):
            raise Cancelled

    @contextmanager
    def running(self, stop: Callable[[], None]) -> Iterator[None]:
        """Let `cancel()` call `stop` for as long as the block runs. Raises Cancelled instead of entering."""
        with self._lock:
            self.check()
            self._stops.append(stop)
        try:
            yield
        finally:
            with self._lock:
                self._stops.remove(stop)

    def _insist(self) -> None:
        while True:
            time.sleep(_INSIST_SECONDS)
            with self._lock:
                if not self._stop_all():
                    return

    def _stop_all(self) -> bool:
        for stop in self._stops:
            stop()
        return bool(self._stops)
