"""Beside the programs that others use for the same: how soon rows are there, how long a search takes, what it finds.

All take turns in one run, each on a copy of the same store in a home of its own. Right rows are told by brute force
(asked.py). A program that is not there is a row that says so. What each has left behind is counted at the end.
"""

from __future__ import annotations

import json
import resource
import sqlite3
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing, suppress
from dataclasses import dataclass, field
from pathlib import Path

from hermes_tui.library import Cancelled, Library, Ticket
from hermes_tui.model import Answer
from tests.benchmarks.asked import SEARCHES, Asked, Asking
from tests.benchmarks.homes import Home, variables
from tests.benchmarks.measure import Result, Times, ratio, spread
from tests.benchmarks.questions import Question
from tests.benchmarks.rivals import LIMIT, OURS, ROOT, SCREENS, SEARCHERS, Found, Neighbourhood, Screen, Searcher
from tests.benchmarks.stores import Say
from tests.benchmarks.terminal import Terminal

LETTERS = 10  # of a title or a first message that tell one row from another
PATIENCE = 120  # seconds after which a command is taken to hang
NEWEST = 60  # conversations of which some are on the first picture
SOON, HERMES, LIKE = "hermes-tui, first hits", "Hermes search_messages", "LIKE over all text"
MISSING = "not there: HERMES_TUI_BENCH_HERMES names no Python with Hermes; see tests/benchmarks/rivals.py"
ALL = "all twelve"


@dataclass(slots=True)
class Takes:
    """What one program took for one thing, and what it found."""

    times: Times = field(default_factory=Times)
    found: Found = field(default_factory=Found)


def run(
    asking: Asking, questions: Sequence[Question], *, runs: int, say: Say, searches: Sequence[Asked] = SEARCHES
) -> Iterator[Result]:
    """First rows, then every search: within a program that runs already, and as a command of its own."""
    with tempfile.TemporaryDirectory() as scratch:
        near = Neighbourhood.found()
        yield from _first_rows(asking, near, Path(scratch), runs=runs, say=say)
        yield from _within(asking, near, Path(scratch), searches, runs=runs, say=say)
        yield from _commands(asking, near, Path(scratch), searches, runs=runs, say=say)


# -- first rows -------------------------------------------------------------------------------------------------------


def _first_rows(asking: Asking, near: Neighbourhood, scratch: Path, *, runs: int, say: Say) -> Iterator[Result]:
    shown = _marks(asking.store.path)
    there = [screen for screen in SCREENS if not near.missing(screen.needs)]
    homes = {
        screen.name: Home.made(scratch / f"screen-{place}", asking.store.path) for place, screen in enumerate(there)
    }
    first = {screen.name: 0.0 for screen in there}
    takes = {screen.name: Times() for screen in there}
    for number in range(runs + 1):
        for screen in there:
            say(f"peers {asking.store.layout.value} {asking.store.size}: first rows, {screen.name}")
            wall, cpu = _seen(screen, homes[screen.name], near, shown)
            if number == 0:
                first[screen.name] = wall
            else:
                takes[screen.name].wall.append(wall)
                takes[screen.name].cpu.append(cpu)
    for screen in SCREENS:
        if screen not in there:
            yield _result(asking, "first rows", screen.name, note=_notes(near.missing(screen.needs), screen.note))
            continue
        left = homes[screen.name].left()
        yield _result(
            asking,
            "first rows",
            screen.name,
            takes=takes[screen.name],
            ours=takes[OURS],
            first=first[screen.name],
            counts={"files left": len(left.files), "bytes left": left.bytes, "pages changed": left.pages},
            note=_notes(near.version("hermes-agent" if "hermes " in screen.name else screen.name), screen.note),
        )


def _seen(screen: Screen, home: Home, near: Neighbourhood, shown: Callable[[str], int]) -> tuple[float, float]:
    """Seconds from the spawn to the first rows, and of CPU."""
    environment = variables(home.environment(*near.folder) | ({"PYTHONPATH": str(ROOT)} if screen.name == OURS else {}))
    command = screen.command(home.store)
    path = near.which(command[0]) or command[0]
    with Terminal([path, *command[1:]], environment=environment, folder=home.folder) as terminal:
        wall = terminal.wait(screen.shows or (lambda text: shown(text) >= screen.rows))
        return wall, terminal.cpu()


def _marks(store: Path) -> Callable[[str], int]:
    """Counts how many of the newest conversations a text shows, by the beginning of their title or first message."""
    with closing(sqlite3.connect(f"{store.resolve().as_uri()}?mode=ro", uri=True)) as connection:
        rows = connection.execute(
            "SELECT s.title, (SELECT m.content FROM messages m WHERE m.session_id = s.id AND m.role = 'user'"
            " ORDER BY m.id LIMIT 1) FROM sessions s ORDER BY (SELECT max(m.timestamp) FROM messages m"
            " WHERE m.session_id = s.id) DESC LIMIT ?",
            (NEWEST,),
        ).fetchall()
    marks = [{text[:LETTERS] for text in row if text and len(text) >= LETTERS} for row in rows]
    return lambda text: sum(any(mark in text for mark in some) for some in marks)


# -- searches ---------------------------------------------------------------------------------------------------------


def _within(
    asking: Asking, near: Neighbourhood, scratch: Path, searches: Sequence[Asked], *, runs: int, say: Say
) -> Iterator[Result]:
    """Searches of programs that are running and have the store open."""
    homes = {
        name: Home.made(scratch / f"within-{place}", asking.store.path) for place, name in enumerate((OURS, HERMES))
    }
    with ExitStack() as stack:
        library = stack.enter_context(Library.open(homes[OURS].store))
        connection = stack.enter_context(closing(sqlite3.connect(f"{homes[OURS].store.as_uri()}?mode=ro", uri=True)))
        ways: dict[str, Callable[[Asked], tuple[float, float, Found]]] = {
            OURS: lambda asked: _timed(lambda: _library(library, asked)),
            SOON: lambda asked: _timed(lambda: _first_hits(library, asked)),
            LIKE: lambda asked: _timed(lambda: _like(connection, asked)),
        }
        if near.python:
            hermes = stack.enter_context(_Hermes(near.python, homes[HERMES], near))
            ways[HERMES] = hermes.search
        takes = _asked(asking, "search", ways, searches, runs=runs, say=say)
    notes = {HERMES: near.version("hermes-agent") if near.python else MISSING, SOON: "what is on the screen first"}
    yield from _tell(asking, "search", [OURS, SOON, HERMES, LIKE], searches, takes, notes)


def _commands(
    asking: Asking, near: Neighbourhood, scratch: Path, searches: Sequence[Asked], *, runs: int, say: Say
) -> Iterator[Result]:
    """Searches of programs that are started for each."""
    homes: dict[str, Home] = {}
    ways: dict[str, Callable[[Asked], tuple[float, float, Found]]] = {}
    notes: dict[str, str] = {}
    for place, searcher in enumerate(SEARCHERS):
        missing = near.missing(searcher.needs)
        notes[searcher.name] = _notes(missing or near.version(searcher.name), searcher.note)
        if not missing:
            homes[searcher.name] = Home.made(scratch / f"command-{place}", asking.store.path)
            ways[searcher.name] = _command(searcher, homes[searcher.name], near)
    takes = _asked(asking, "command", ways, searches, runs=runs, say=say)
    yield from _tell(asking, "command", [searcher.name for searcher in SEARCHERS], searches, takes, notes)


def _asked(
    asking: Asking,
    what: str,
    ways: dict[str, Callable[[Asked], tuple[float, float, Found]]],
    searches: Sequence[Asked],
    *,
    runs: int,
    say: Say,
) -> dict[tuple[str, str], Takes]:
    """Every search in every way, once for nothing, then in turns."""
    takes = {(name, asked.name): Takes() for name in ways for asked in searches}
    for asked in searches:
        say(f"peers {asking.store.layout.value} {asking.store.size}: {what}, {asked.name}")
        for number in range(runs + 1):
            for name, way in ways.items():
                wall, cpu, found = way(asked)
                if number:
                    each = takes[name, asked.name]
                    each.times.wall.append(wall)
                    each.times.cpu.append(cpu)
                    each.found = found
    return takes


def _tell(
    asking: Asking,
    what: str,
    names: Sequence[str],
    searches: Sequence[Asked],
    takes: dict[tuple[str, str], Takes],
    notes: dict[str, str],
) -> Iterator[Result]:
    """A row for each search and program, and one for all searches of a program."""
    sums: dict[str, tuple[Times, dict[str, int]]] = {}
    for name in names:
        some = [takes[name, asked.name] for asked in searches if (name, asked.name) in takes]
        if some:
            wall = [sum(walls) for walls in zip(*(each.times.wall for each in some), strict=True)]
            cpu = [sum(cpus) for cpus in zip(*(each.times.cpu for each in some), strict=True)]
            told = [judged(each.found, asked, asking) for each, asked in zip(some, searches, strict=True)]
            sums[name] = Times(wall, cpu), {key: sum(one[key] for one in told) for key in told[0]}
    for asked in searches:
        for name in names:
            if name in sums:
                each = takes[name, asked.name]
                ours, soon = (takes[one, asked.name].times if one in sums else None for one in (OURS, SOON))
                counts = judged(each.found, asked, asking)
                yield _result(
                    asking, f"{what}: {asked.name}", name, takes=each.times, ours=ours, soon=soon, counts=counts
                )
    for name in names:
        times, counts = sums.get(name, (None, {}))
        ours, soon = (sums[one][0] if one in sums else None for one in (OURS, SOON))
        yield _result(
            asking,
            f"{what}: {ALL}",
            name,
            takes=times,
            ours=ours,
            soon=soon,
            counts=counts,
            note=notes.get(name, ""),
        )


def judged(found: Found, asked: Asked, asking: Asking) -> dict[str, int]:
    """How many rows are right, of how many there can be, and how many are wrong; conversations where it finds those."""
    right = asking.right[asked.name]
    if found.sessions:
        sessions = {asking.places[row][0] for row in right}
        hit = len(sessions & found.sessions)
        return {"right": hit, "expected": min(LIMIT, len(sessions)), "wrong": len(found.sessions) - hit}
    hit, wrong = len(right & found.ids), len(found.ids - right)
    if found.places:
        places = {asking.places[row] for row in right}
        hit, wrong = len(places & found.places), len(found.places - places)
    return {"right": min(LIMIT, hit), "expected": min(LIMIT, len(right)), "wrong": wrong}


# -- ways to search ---------------------------------------------------------------------------------------------------


def _timed(search: Callable[[], Found]) -> tuple[float, float, Found]:
    cpu, began = time.process_time(), time.perf_counter()
    found = search()
    return time.perf_counter() - began, time.process_time() - cpu, found


def _library(library: Library, asked: Asked) -> Found:
    answer = library.search(asked.text, sort="best", limit=LIMIT)
    return Found(ids=frozenset(hit.message.id for hit in answer.hits))


def _first_hits(library: Library, asked: Asked) -> Found:
    """What the screen shows first, the newest hits; the search is stopped there."""
    ticket, shown = Ticket(), set[int]()

    def look(answer: Answer) -> None:
        if answer.hits and not shown:
            shown.update(hit.message.id for hit in answer.hits)
            ticket.cancel()

    with suppress(Cancelled):
        answer = library.search(asked.text, sort="newest", limit=LIMIT, on_progress=look, ticket=ticket)
        shown.update(hit.message.id for hit in answer.hits)
    return Found(ids=frozenset(shown))


def _like(connection: sqlite3.Connection, asked: Asked) -> Found:
    columns = ("content", "tool_calls", "tool_name")
    one = f"({' OR '.join(f'{column} LIKE ? ESCAPE char(92)' for column in columns)})"
    escaped = [part.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_") for part in asked.parts]
    sql = f"SELECT id FROM messages WHERE {' AND '.join([one] * len(escaped))} ORDER BY id DESC LIMIT {LIMIT}"
    rows = connection.execute(sql, [f"%{part}%" for part in escaped for _ in columns]).fetchall()
    return Found(ids=frozenset(row for (row,) in rows))


class _Hermes:
    """A release of Hermes with its copy of the store open."""

    def __init__(self, python: Path, home: Home, near: Neighbourhood) -> None:
        # As text, because the folder of a script is where Python looks for modules first.
        script = Path(__file__).with_name("hermes_search.py").read_text(encoding="utf-8")
        self._process = subprocess.Popen(
            [str(python), "-c", script, str(home.store), str(LIMIT)],
            env=home.environment(*near.folder),
            cwd=home.folder,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )

    def __enter__(self) -> _Hermes:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.communicate(timeout=60)

    def search(self, asked: Asked) -> tuple[float, float, Found]:
        """One search, timed where it runs."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(asked.text) + "\n")
        self._process.stdin.flush()
        told = json.loads(self._process.stdout.readline())
        return told["wall"], told["cpu"], Found(ids=frozenset(told["ids"]))


def _command(searcher: Searcher, home: Home, near: Neighbourhood) -> Callable[[Asked], tuple[float, float, Found]]:
    environment = home.environment(*near.folder) | ({"PYTHONPATH": str(ROOT)} if searcher.name == OURS else {})

    def search(asked: Asked) -> tuple[float, float, Found]:
        command = searcher.command(home.store, asked)
        path = near.which(command[0]) or command[0]
        before, began = _children(), time.perf_counter()
        done = subprocess.run(
            [path, *command[1:]],
            env=environment,
            cwd=home.folder,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
            timeout=PATIENCE,
        )
        wall, cpu = time.perf_counter() - began, _children() - before
        return wall, cpu, searcher.read(done.stdout)

    return search


def _children() -> float:
    """CPU seconds of all children that have ended."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def _notes(*notes: str) -> str:
    return "; ".join(note for note in notes if note)


def _result(
    asking: Asking,
    name: str,
    variant: str,
    *,
    takes: Times | None = None,
    ours: Times | None = None,
    soon: Times | None = None,
    first: float | None = None,
    counts: dict[str, int] | None = None,
    note: str = "",
) -> Result:
    """`ours / theirs`, and `first / theirs` of our first hits, are below 1 where we are ahead."""
    times = {"wall": spread(takes.wall), "cpu": spread(takes.cpu)} if takes else {}
    if first is not None:
        times["first time"] = spread([first])
    pairs = {"ours / theirs": ours, "first / theirs": soon} if takes and not variant.startswith(OURS) else {}
    ratios = {
        name: value
        for name, one in pairs.items()
        if one and (value := ratio(spread(one.wall), times["wall"])) is not None
    }
    store = asking.store
    return Result(
        bench="peers",
        layout=store.layout.value,
        size=store.size,
        name=name,
        variant=variant,
        times=times,
        counts=counts or {},
        ratios=ratios,
        note=note,
    )
