"""What Python adds to the statements the program runs: their CPU as our connection runs them, beside the same SQL in C.

The statements are those that the real code asks for, recorded while it answers. Ours is `Connection.rows` with the JSON
of its answer read, as the callers do. The floor wraps the same SQL so that every cell is still worked out and only one
number comes back. Both are taken in turns, all statements of a kind in a row.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from unittest.mock import patch

from hermes_tui.library import Library
from hermes_tui.model import Anchor
from hermes_tui.store.connection import Connection
from tests.benchmarks.measure import Result, Times, ratio, spread
from tests.benchmarks.needles import PATH
from tests.benchmarks.questions import Question
from tests.benchmarks.stores import LARGEST, Say, Store

PAGE = 50  # rows on a screen, about

Ask = Callable[[Library, Store], Callable[[], object]]


@dataclass(frozen=True, slots=True)
class Asked:
    """A statement as it was asked for."""

    connection: Connection
    sql: str
    params: tuple[object, ...]


def _previews(library: Library, store: Store) -> Callable[[], object]:
    ids = [session.id for session in library.opening().rows[:PAGE]]
    return lambda: library.previews(ids)


def _details(library: Library, store: Store) -> Callable[[], object]:
    rows = library.sessions(preview=0).rows[:PAGE]
    return lambda: library.detailed(rows)


def _search(text: str) -> Ask:
    return lambda library, store: lambda: library.search(text)


KINDS: dict[str, Ask] = {
    "first page": lambda library, store: library.opening,
    "whole list": lambda library, store: lambda: library.sessions(everything=True, preview=0),
    "previews of a page": _previews,
    "details of a page": _details,
    "outline of the largest session": lambda library, store: lambda: library.transcript(Anchor(store.session)),
    "rows of a window": lambda library, store: lambda: library.messages(_middle(store, PAGE)),
    "rows in bulk": lambda library, store: lambda: library.messages(_middle(store, 20 * PAGE)),
    "search for a word": _search("harvest"),
    "search for a path": _search(PATH),
    "search inside words": _search("brillig"),
    "counts of what filters hide": lambda library, store: lambda: library.hides("harvest source:cron role:user"),
}
"""What is asked of the library, once it is ready to be asked that; what it asks of the store is measured."""

ONCE = ("whole list", "outline of the largest session")  # kept by who asked, and asked for anew only when it changes


def run(store: Store, questions: Sequence[Question], *, runs: int, say: Say) -> Iterator[Result]:
    """Measure every kind of statement. What is learned of a file once, before its first search, is not among them."""
    uri = f"{store.path.resolve().as_uri()}?mode=ro"
    for name, ready in KINDS.items():
        say(f"statements {store.layout.value} {store.size}: {name}")
        with Library.open(store.path) as library, closing(sqlite3.connect(uri, uri=True)) as raw:
            ask = ready(library, store)
            if name not in ONCE:
                ask()
            yield _measured(store, name, recorded(ask), raw, runs)


def recorded(ask: Callable[[], object]) -> list[Asked]:
    """The statements that `ask` runs, but those that only look at the file."""
    asked: list[Asked] = []
    rows = Connection.rows

    def noting(self: Connection, sql: str, params: Sequence[object] = (), **more: object) -> object:
        asked.append(Asked(self, sql, tuple(params)))
        return rows(self, sql, params, **more)  # type: ignore[arg-type]

    with patch.object(Connection, "rows", noting):
        ask()
    return [one for one in asked if not one.sql.lstrip().startswith("PRAGMA") and "pragma_" not in one.sql]


def in_c(sql: str, columns: int) -> str:
    """The same SQL with every cell worked out and nothing but a number handed over."""
    names = [f"c{number}" for number in range(columns)]
    cells = " + ".join(f"total(length({name} || ''))" for name in names)
    return f"WITH asked({', '.join(names)}) AS ({sql}) SELECT {cells} FROM asked"


def _measured(store: Store, name: str, asked: Sequence[Asked], raw: sqlite3.Connection, runs: int) -> Result:
    answers = [_answer(one) for one in asked]
    floors = [
        (in_c(one.sql, len(rows[0]) if rows else 1), one.params)
        for one, (rows, _) in zip(asked, answers, strict=True)
        if rows
    ]
    ours, floor = Times(), Times()
    for take in range(runs + 1):
        if take == 1:  # the first time reads the file
            ours, floor = Times(), Times()
        with floor.taken():
            for sql, params in floors:
                raw.execute(sql, params).fetchall()
        with ours.taken():
            for one in asked:
                _answer(one)
    times = {
        "wall": spread(ours.wall),
        "cpu": spread(ours.cpu),
        "floor": spread(floor.wall),
        "floor cpu": spread(floor.cpu),
    }
    pairs = {
        "cpu / floor": ratio(times["cpu"], times["floor cpu"]),
        "wall / floor": ratio(times["wall"], times["floor"]),
    }
    return Result(
        bench="statements",
        layout=store.layout.value,
        size=store.size,
        name=name,
        variant="statements",
        times=times,
        counts={"statements": len(asked), "rows": sum(many for _, many in answers)},
        ratios={pair: part for pair, part in pairs.items() if part is not None},
    )


def _answer(asked: Asked) -> tuple[list[tuple[object, ...]], int]:
    """What comes back, with its JSON read, and how many rows it stands for."""
    rows = asked.connection.rows(asked.sql, asked.params)
    many = len(rows)
    for row in rows:
        for cell in row:
            if isinstance(cell, str) and cell.startswith("["):
                many = max(many, len(json.loads(cell)))
    return rows, many


def _middle(store: Store, many: int) -> list[int]:
    ids = sorted(store.rows[LARGEST])
    middle = len(ids) // 2
    return ids[max(0, middle - many // 2) : middle + many // 2]
