"""How long a search takes, to its first hit and to its end, beside what SQLite alone needs for the same rows."""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from unittest.mock import patch

from hermes_tui.library import Library
from hermes_tui.library.growing import RANKED
from hermes_tui.model import Answer, Message
from hermes_tui.store.connection import Connection
from hermes_tui.store.messages import read_messages
from tests.benchmarks.measure import Result, Spread, Times, ratio, spread
from tests.benchmarks.questions import Question, Sql, like_scan
from tests.benchmarks.stores import Say, Store

LIMIT = 200  # hits asked for, as the screen does
ORDERS = ("newest", "best")


@dataclass(slots=True)
class Takes:
    """All takes of one search: seconds to the first hit, and to the end."""

    first: list[float] = field(default_factory=list)
    complete: Times = field(default_factory=Times)

    def take(self, library: Library, question: Question, store: Store, order: str) -> Answer:
        """Search once. Where no report came before the end, the first hit came with the end."""
        seen: list[float] = []

        def look(answer: Answer) -> None:
            if answer.hits and not seen:
                seen.append(time.perf_counter())

        began = time.perf_counter()
        with self.complete.taken():
            answer = library.search(question.text(store), sort=order, limit=LIMIT, mode=question.mode, on_progress=look)
        self.first.append(seen[0] - began if seen else self.complete.wall[-1])
        return answer


@dataclass(slots=True)
class Floor:
    """One raw statement, and how often it was taken. `ids` are what it names."""

    sql: Sql
    limit: int
    ids: tuple[int, ...] = ()
    times: Times = field(default_factory=Times)

    def take(self, connection: sqlite3.Connection) -> None:
        """Run it once, to the last row."""
        with self.times.taken():
            rows = connection.execute(self.sql.sql, {**self.sql.params, "limit": self.limit}).fetchall()
        self.ids = tuple(row[0] for row in rows)

    def right(self, question: Question, store: Store) -> int:
        """How many of the rows that are right it names."""
        return len(question.right(store).intersection(self.ids))


def run(
    store: Store, questions: Sequence[Question], *, runs: int, say: Say, orders: Sequence[str] = ORDERS
) -> Iterator[Result]:
    """Ask every question in every order: once cold, then `runs` times with the floors in between."""
    uri = f"{store.path.resolve().as_uri()}?mode=ro"
    for question in questions:
        for order in orders:
            say(f"search {store.layout.value} {store.size}: {question.name}, {order}")
            forget_cached(store.path)
            with Library.open(store.path) as library, closing(sqlite3.connect(uri, uri=True)) as connection:
                yield _asked(library, connection, question, store, order=order, runs=runs)


def _asked(
    library: Library, connection: sqlite3.Connection, question: Question, store: Store, *, order: str, runs: int
) -> Result:
    cold, warm = Takes(), Takes()
    cold.take(library, question, store, order)
    # As many candidates as the answer looks at: one more than is shown, or as many as are ranked.
    wanted = RANKED if order == "best" else LIMIT + 1
    floors = [Floor(sql, wanted) for sql in question.floors(store)]
    plain = Floor(like_scan(question), wanted) if question.plain else None
    beside = [*floors, *([plain] if plain else [])]
    for floor in beside:  # the first time reads the file
        floor.take(connection)
        floor.times = Times()
    for _ in range(runs):
        for floor in beside:
            floor.take(connection)
        with counted() as work:
            answer = warm.take(library, question, store, order)
    floor = min(floors, key=lambda one: (-one.right(question, store), spread(one.times.wall).median))
    times = {
        "cold first": spread(cold.first),
        "cold": spread(cold.complete.wall),
        "first": spread(warm.first),
        "complete": spread(warm.complete.wall),
        "cpu": spread(warm.complete.cpu),
        "floor": spread(floor.times.wall),
        "floor cpu": spread(floor.times.cpu),
    }
    if plain is not None:
        times["plain"] = spread(plain.times.wall)
    counts = _counts(answer, question, store) | {
        "floor rows": len(floor.ids),
        "floor right": min(LIMIT, floor.right(question, store)),
        "statements": work.statements,
        "read": work.read,
    }
    if plain is not None:
        counts["plain right"] = min(LIMIT, plain.right(question, store))
    return Result(
        bench="search",
        layout=store.layout.value,
        size=store.size,
        name=question.name,
        variant=order,
        times=times,
        counts=counts,
        ratios=_ratios(times),
        note="; ".join(answer.coverage.notes),
    )


def _counts(answer: Answer, question: Question, store: Store) -> dict[str, int]:
    right = question.right(store)
    found = {hit.anchor.message_id for hit in answer.hits}
    return {"expected": min(LIMIT, len(right)), "right": len(found & right), "wrong": len(found - right)}


def _ratios(times: dict[str, Spread]) -> dict[str, float]:
    pairs = {
        "first / floor": ratio(times["first"], times["floor"]),
        "complete / floor": ratio(times["complete"], times["floor"]),
        "cpu / floor": ratio(times["cpu"], times["floor cpu"]),
        "complete / plain": ratio(times["complete"], times.get("plain")),
    }
    return {name: part for name, part in pairs.items() if part is not None}


@dataclass(slots=True)
class Work:
    """What a search asked of SQLite: statements, and messages read whole to be verified."""

    statements: int = 0
    read: int = 0


@contextmanager
def counted() -> Iterator[Work]:
    """Count what searches in the block do; a call more for each statement, which no time here can show."""
    work = Work()
    rows = Connection.rows

    def counting_rows(self: Connection, *args: object, **more: object) -> object:
        work.statements += 1
        return rows(self, *args, **more)  # type: ignore[arg-type]

    def counting_read(*args: object, **more: object) -> tuple[Message, ...]:
        found = read_messages(*args, **more)  # type: ignore[arg-type]
        work.read += len(found)
        return found

    reading = patch("hermes_tui.store.search.read_messages", counting_read)
    with patch.object(Connection, "rows", counting_rows), reading:
        yield work


def forget_cached(path: Path) -> None:
    """Ask the system to forget what it has read of the file, so that the next reader finds it cold."""
    if not hasattr(os, "posix_fadvise"):
        return  # then the first run is only as cold as a new connection
    with suppress(OSError), path.open("rb") as file:
        os.fsync(file.fileno())
        os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
