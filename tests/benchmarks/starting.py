"""Whole processes from their spawn to the picture that is waited for: time, CPU and memory of each.

Programs take turns, the floors among them, so that noise hits all alike. The floor of a program in a terminal is a
Textual app that shows one text; that of a command without a screen is Python with the modules it cannot do without.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

from hermes_tui.library import Library
from hermes_tui.model import Anchor
from hermes_tui.recorder import Layout
from tests.benchmarks import conversation, empty, listing, stores, weights
from tests.benchmarks.measure import Result, Spread, ratio, spread
from tests.benchmarks.questions import Question
from tests.benchmarks.stores import Say, Store, to_stderr
from tests.benchmarks.terminal import KEYS_COUNT, Terminal

ROOT = Path(__file__).resolve().parents[2]
EMPTY, MODULES = "empty app", "sqlite3, argparse, json"
"""The floors."""
WORD = "config"
NEAR = 200  # messages around the middle in which one that a person wrote is looked for
LETTERS = 14  # of a text that is waited for: short enough to stand on one row of any pane
AT_REST = 0.8  # seconds without a paint after which everything that is read in the background is there


@dataclass(frozen=True, slots=True)
class Stores:
    """The stores that are opened."""

    usual: Store
    crowd: listing.Crowd
    reading: conversation.Conversation
    weights: weights.Weights


@dataclass(frozen=True, slots=True)
class Program:
    """A command and the texts that show that it is where it should be; none for a command without a screen.

    `resting` is for memory that is only there when all is read in the background.
    """

    name: str
    variant: str
    command: tuple[str, ...]
    shows: tuple[str, ...] = ()
    floor: str = EMPTY
    resting: bool = False


@dataclass(slots=True)
class Takes:
    """What a program took: seconds on the wall and of CPU, bytes of memory now and at most."""

    wall: list[float] = field(default_factory=list)
    cpu: list[float] = field(default_factory=list)
    memory: list[int] = field(default_factory=list)
    peak: list[int] = field(default_factory=list)


def prepare(folder: Path, size: str, layout: Layout, *, say: Say = to_stderr, small: bool = False) -> Stores:
    """The stores of this size and layout, made now if they are not in `folder` yet; `small` only to see it all run."""
    return Stores(
        usual=stores.prepare(folder, size, layout, say=say),
        crowd=listing.prepare(folder, "S", layout, say=say, sessions=400 if small else None),
        reading=conversation.prepare(folder, size, layout, say=say, messages=200 if small else None),
        weights=weights.prepare(folder, layout, characters=1 << (12 if small else 20), say=say),
    )


def programs(there: Stores) -> list[Program]:
    """Every program that is started, floors first."""
    usual, reading = str(there.usual.path), there.reading
    said = {kind: _said(reading, *place) for kind, place in _places(reading).items()}
    large = there.weights
    return [
        Program(EMPTY, "", _python("-m", empty.__name__), (empty.SHOWN,), ""),
        Program("open", "list", _ours("--db", usual), _listed(there.usual.path)),
        Program("open", "until keys count", _ours("--db", usual), (*_listed(there.usual.path), KEYS_COUNT)),
        *(
            Program("open", kind, _ours("--db", str(reading.path), anchor), (text,))
            for kind, (anchor, text) in said.items()
        ),
        *(
            Program("open", f"1 MB {kind}", _ours("--db", str(large.path), anchor), (large.shown[kind],))
            for kind, anchor in large.anchors.items()
        ),
        Program(
            "open",
            "all sessions",
            _ours("--db", str(there.crowd.path)),
            (*_listed(there.crowd.path), KEYS_COUNT),
            resting=True,
        ),
        Program("python", "pass", _python("-c", "pass"), (), ""),
        Program("python", MODULES, _python("-c", f"import {MODULES}"), (), ""),
        Program("sessions", "--json", _ours("sessions", "--json", "--db", usual), (), MODULES),
        Program("search", f"--json {WORD}", _ours("search", "--json", "--db", usual, WORD), (), MODULES),
    ]


def run(there: Stores, questions: Sequence[Question], *, runs: int, say: Say) -> Iterator[Result]:
    """Start every program `runs` times. Starting is not asked the `questions`."""
    usual = there.usual
    return measured(programs(there), runs=runs, say=say, layout=usual.layout.value, size=usual.size)


def measured(some: Sequence[Program], *, runs: int, say: Say, layout: str, size: str) -> Iterator[Result]:
    """Start these programs in turns, `runs` times each after a first time that does not count."""
    takes = {program: Takes() for program in some}
    with tempfile.TemporaryDirectory() as home:
        environment = {"HOME": home, "XDG_STATE_HOME": home, "XDG_DATA_HOME": home, "PYTHONPATH": str(ROOT)}
        for number in range(runs + 1):  # the first time modules are compiled and files are read from the disk
            say(f"starting {layout} {size}: {number} of {runs}")
            for program, took in takes.items():
                (_in_terminal if program.shows else _alone)(program, took if number else Takes(), environment)
    return _results(takes, layout=layout, size=size)


def _in_terminal(program: Program, took: Takes, environment: Mapping[str, str]) -> None:
    with Terminal(program.command, environment=environment) as terminal:
        wall = terminal.wait(lambda painted: _holds(painted, program.shows))
        took.wall.append(wall)
        took.cpu.append(terminal.cpu())
        if program.resting or not program.floor:
            terminal.rest(still=AT_REST)
        took.memory.append(terminal.resident())
        took.peak.append(terminal.peak())


def _holds(painted: str, texts: Iterable[str]) -> bool:
    """Blanks do not count: they come from where rows end and from how a text is wrapped."""
    close = "".join(painted.split())
    return all("".join(text.split()) in close for text in texts)


def _alone(program: Program, took: Takes, environment: Mapping[str, str]) -> None:
    laid = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    began, before = time.perf_counter(), _children()
    subprocess.run(program.command, env={**laid, **environment}, stdout=subprocess.DEVNULL, check=True)
    took.wall.append(time.perf_counter() - began)
    took.cpu.append(_children() - before)


def _children() -> float:
    spent = resource.getrusage(resource.RUSAGE_CHILDREN)
    return spent.ru_utime + spent.ru_stime


def _python(*words: str) -> tuple[str, ...]:
    return (sys.executable, *words)


def _ours(*words: str) -> tuple[str, ...]:
    return _python("-m", "hermes_tui", *words)


def _listed(path: Path) -> tuple[str, ...]:
    """What the first three rows of the list begin with."""
    with Library.open(path) as library:
        rows = library.sessions(limit=3, preview=3).rows
    return tuple((row.title or row.preview or "")[:LETTERS] for row in rows)


def _places(reading: conversation.Conversation) -> dict[str, tuple[str, int]]:
    return {
        "middle of 20,000": (reading.long, reading.middle),
        "short conversation": (reading.short, reading.short_middle),
    }


def _said(reading: conversation.Conversation, session: str, middle: int) -> tuple[str, str]:
    """The anchor of what a person wrote nearest the middle, and how that begins."""
    with Library.open(reading.path) as library:
        rows = library.transcript(Anchor(session, middle)).rows
        place = next(number for number, row in enumerate(rows) if row.id == middle)
        near = sorted(rows[max(0, place - NEAR) : place + NEAR], key=lambda row: abs(row.id - middle))
        for message in library.messages([row.id for row in near]):
            if message.role == "user" and message.text[:LETTERS].isascii():
                return f"{session}#{message.id}", message.text[:LETTERS]
    raise ValueError(f"nobody says anything around message {middle}")


def _results(takes: Mapping[Program, Takes], *, layout: str, size: str) -> Iterator[Result]:
    floors = {name: took for each, took in takes.items() if not each.floor for name in (each.name, each.variant)}
    for program, took in takes.items():
        floor = floors.get(program.floor)
        times = {"wall": spread(took.wall), "cpu": spread(took.cpu)}
        if floor is not None:
            times |= {"floor": spread(floor.wall), "floor cpu": spread(floor.cpu)}
        counts = {
            name: int(median(sizes)) >> 10
            for name, sizes in (("memory KiB", took.memory), ("peak KiB", took.peak))
            if sizes
        }
        yield Result(
            bench="starting",
            layout=layout,
            size=size,
            name=program.name,
            variant=program.variant,
            times=times,
            counts=counts,
            ratios=_ratios(times, took, floor),
        )


def _ratios(times: Mapping[str, Spread], took: Takes, floor: Takes | None) -> dict[str, float]:
    if floor is None:
        return {}
    found = {
        f"{name} / floor": ratio(times[name], times[under]) for name, under in (("wall", "floor"), ("cpu", "floor cpu"))
    }
    for name, ours, theirs in (("memory / floor", took.memory, floor.memory), ("peak / floor", took.peak, floor.peak)):
        if ours and theirs:
            found[name] = round(median(ours) / median(theirs), 2)
    return {name: value for name, value in found.items() if value is not None}
