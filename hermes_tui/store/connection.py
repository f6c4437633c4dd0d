"""One read-only connection to one store: run one statement, cancel it, survive what other programs do to the file."""

from __future__ import annotations

import json
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, TypeVar

from hermes_tui.model import Opened
from hermes_tui.store.copies import Moved
from hermes_tui.store.failures import (
    Failure,
    StoreBusy,
    StoreDamaged,
    StoreError,
    StoreMissing,
    StoreUnreadable,
    classify,
    unsteady,
)
from hermes_tui.store.footing import Footing, Sight, look, see
from hermes_tui.store.ladder import PATIENCE_SECONDS, Foothold, Refused, climb, wait_out
from hermes_tui.store.ticket import Cancelled, Ticket

__all__ = [
    "Cancelled",
    "Connection",
    "Footing",
    "StoreBusy",
    "StoreDamaged",
    "StoreError",
    "StoreMissing",
    "StoreUnreadable",
    "Ticket",
    "connect",
    "look",
]

T = TypeVar("T")

_MOVES = 5
_TURN_SECONDS = 0.02


def connect(footing: Footing) -> Connection:
    """Open the store that `look` has seen. Raises StoreError."""
    return Connection(footing)


class Connection:
    """A store, read by one statement at a time. Any thread may call; a second caller waits for the first.

    Nothing stays open between two calls: no cursor, no transaction, no lock that could stop the agent from saving.
    `generation` grows when the file was opened anew in another way, was replaced, or its schema changed: what was
    learned about it (capabilities, ids) is to be learned again.
    """

    def __init__(self, footing: Footing) -> None:
        self.path: Path = footing.path
        self.generation = 0
        self._learned: dict[str, tuple[int, Any]] = {}
        self._lock = threading.Lock()
        self._closed = False
        self._foothold: Foothold
        self._seen: Sight
        self._schema: int
        self._stand_on(climb(footing))

    @property
    def opened(self) -> Opened:
        """The rung of the ladder this connection stands on."""
        return self._foothold.opened

    @property
    def footing(self) -> Footing:
        """What was seen of the file when it was opened."""
        return self._foothold.footing

    @property
    def badge(self) -> str | None:
        """A sentence for people when what is read may be older than what the agent has, else None."""
        return self._foothold.badge

    def rows(self, sql: str, params: Sequence[Any] = (), *, ticket: Ticket | None = None) -> list[tuple[Any, ...]]:
        """All rows of one statement, run by itself. Raises StoreError, and Cancelled as soon as the ticket is."""
        ticket = ticket or Ticket()
        with self._turn(ticket):
            for _ in range(_MOVES):
                self._check_ground(ticket)
                try:
                    answer = self._patiently(sql, params, ticket)
                except Refused:
                    self._move()
                    continue
                except StoreError:
                    if self._quiet_file_woke():
                        continue
                    raise
                if not self._quiet_file_woke():
                    return answer
            raise unsteady(self.path)

    def value(self, sql: str, params: Sequence[Any] = (), *, ticket: Ticket | None = None) -> Any:
        """The first column of the first row, None when there is no row."""
        found = self.rows(sql, params, ticket=ticket)
        return found[0][0] if found else None

    def json(self, sql: str, params: Sequence[Any] = (), *, ticket: Ticket | None = None) -> Any:
        """`value()` parsed as JSON, `[]` for NULL: how many rows cross threads as one."""
        text = self.value(sql, params, ticket=ticket)
        return [] if text is None else json.loads(text)

    def learned(self, what: str, ask: Callable[[], T]) -> T:
        """What `ask` answered when this was asked first, as long as the generation is the same."""
        known = self._learned.get(what)
        if known is None or known[0] != self.generation:
            answer = ask()
            self._learned[what] = known = (self.generation, answer)
        found: T = known[1]
        return found

    def fingerprint(self) -> tuple[int | float | None, ...]:
        """A token that changes whenever another process committed or replaced the file. Costs microseconds.

        It speaks of the store itself, also where a copy of it is being read.
        """
        try:
            version = self.value("PRAGMA data_version")
        except StoreBusy:
            version = None
        try:
            seen = see(self.footing.place)
        except OSError:
            return (version,)
        return version, seen.device, seen.inode, seen.size, seen.mtime_ns, seen.wal, seen.wal_mtime_ns

    def close(self) -> None:
        """Stop what is running, close, remove a private copy. Closing twice is fine."""
        self._closed = True
        while not self._lock.acquire(timeout=_TURN_SECONDS):
            with suppress(sqlite3.ProgrammingError):  # the statement may just have moved on to another foothold
                self._foothold.raw.interrupt()
        try:
            self._foothold.close()
        finally:
            self._lock.release()

    def __enter__(self) -> Connection:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @contextmanager
    def _turn(self, ticket: Ticket) -> Iterator[None]:
        ticket.check()
        while not self._lock.acquire(timeout=_TURN_SECONDS):
            ticket.check()
        try:
            if self._closed:
                raise StoreError(f"The store {self.path} was closed.")
            yield
        finally:
            self._lock.release()

    def _patiently(self, sql: str, params: Sequence[Any], ticket: Ticket) -> list[tuple[Any, ...]]:
        deadline = time.monotonic() + PATIENCE_SECONDS
        tries = 0
        while True:
            try:
                return self._once(sql, params, ticket)
            except sqlite3.Error as error:
                if not hasattr(error, "sqlite_errorcode"):
                    raise  # misuse of the sqlite3 module: a slip of ours, not of the store
                # A table that SQLite makes up (pragma_index_list) may tell of the interrupt by another code.
                if classify(error) is Failure.STOPPED or ticket.cancelled or self._closed:
                    raise Cancelled from None
                wait_out(error, path=self.path, deadline=deadline, tries=tries, pause=ticket.pause)
                tries += 1

    def _once(self, sql: str, params: Sequence[Any], ticket: Ticket) -> list[tuple[Any, ...]]:
        raw = self._foothold.raw
        with ticket.running(raw.interrupt):
            try:
                cursor = raw.execute(sql, params)
            except (UnicodeEncodeError, OverflowError):
                cursor = raw.execute(sql, [_storable(value) for value in params])
            try:
                return cursor.fetchall()
            finally:
                cursor.close()

    def _check_ground(self, ticket: Ticket) -> None:
        """Before a statement: is this still the file that was opened, and of the same shape?"""
        try:
            seen = see(self.footing.place)
        except OSError:
            raise StoreMissing(f"The store {self.path} is gone since it was opened. Check the path.") from None
        match self.opened:
            case Opened.IMMUTABLE:
                if seen != self._seen:
                    self._move()
                elif not self.footing.settled:
                    # Written moments ago: one more commit might not show in a coarse clock, so trust no cached page.
                    self._move(grown=False)
            case Opened.RO if seen.key != self._seen.key:
                self._move()
            case Opened.RO if seen != self._seen:
                self._seen = seen
                self._check_schema(ticket)
            case Opened.COPY if seen != self._seen:
                self._seen = seen
                self._leave_copy()
            case _:
                pass

    def _check_schema(self, ticket: Ticket) -> None:
        try:
            schema = int(self._patiently("PRAGMA schema_version", (), ticket)[0][0])
        except Refused:
            return  # the statement that follows is refused too, and climbs
        if schema != self._schema:
            self._schema = schema
            self.generation += 1

    def _quiet_file_woke(self) -> bool:
        """After a statement on a file that was taken to be quiet: if anything moved, the answer is worth nothing."""
        if self.opened is not Opened.IMMUTABLE:
            return False
        try:
            return see(self.footing.place) != self._seen
        except OSError:
            return True

    def _move(self, *, grown: bool = True) -> None:
        """Climb again from what is there now, then leave the old foothold; when that fails the old one stays."""
        before = self._foothold
        self._stand_on(climb(look(self.path)))
        before.close()
        if grown or self.opened is not before.opened or self._seen != before.footing.sight:
            self.generation += 1

    def _leave_copy(self) -> None:
        """The store behind our copy has changed: read it in place again if that has become possible."""
        try:
            better = climb(look(self.path), copying=False)
        except (Moved, StoreError):
            return
        self._foothold.close()
        self._stand_on(better)
        self.generation += 1

    def _stand_on(self, foothold: Foothold) -> None:
        self._foothold = foothold
        self._seen = foothold.footing.sight
        self._schema = foothold.schema


def _storable(value: Any) -> Any:
    """A parameter that SQLite can hold: lone surrogates become U+FFFD, integers are cut to 64 bits."""
    if isinstance(value, str):
        return value.encode("utf-8", "surrogatepass").decode("utf-8", "replace")
    if isinstance(value, int):
        return max(-(2**63), min(value, 2**63 - 1))
    return value
