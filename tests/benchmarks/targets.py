"""What was set as a goal, and the ratio that tells whether it is reached."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase

from tests.benchmarks.measure import Result
from tests.benchmarks.saved import named


@dataclass(frozen=True, slots=True)
class Target:
    """A goal: every ratio whose full name (saved.named) is like the pattern is to be at most `limit`."""

    label: str
    pattern: str
    limit: float


@dataclass(frozen=True, slots=True)
class Met:
    """A goal and what was measured: the worst of `count` ratios."""

    target: Target
    value: float
    name: str
    count: int

    @property
    def reached(self) -> bool:
        """Whether the worst is within the limit."""
        return self.value <= self.target.limit


TARGETS = (
    Target("start to the first page / empty app", "starting * open list: wall / floor", 1.15),
    Target("start in the middle of a long conversation / empty app", "starting * open middle*: wall / floor", 1.7),
    Target("start at a message of 1 MB / empty app", "starting * open 1 MB *: wall / floor", 1.8),
    Target("sessions --json / bare Python", "starting * S sessions --json: wall / floor", 4.0),
    Target("search --json / bare Python", "starting * S search --json*: wall / floor", 4.0),
    Target("memory with all sessions / empty app", "starting * open all sessions: memory / floor", 1.15),
    Target("memory with a long conversation / empty app", "starting * open middle*: memory / floor", 1.35),
    Target("memory with a message of 1 MB / empty app", "starting * open 1 MB *: memory / floor", 1.6),
    Target("last key to hits / over a few rows", "typing * last key to hits, S: wall / floor", 1.5),
    Target("slowest echoes while searching / over a few rows", "typing * while nothing is found, S: p95 / floor", 2.5),
    Target("CPU of a cursor key in the list / empty app", "listing * j: cpu / floor", 2.0),
    Target("CPU of a page in the list / empty app", "listing * pagedown: cpu / floor", 3.5),
    Target("CPU of a page in a conversation / empty app", "transcript * pagedown: cpu / floor", 5.0),
    Target("all hits of a code path / its raw SQL", "search * [ML] path newest: complete / floor", 3.0),
    Target("all hits of a code path / LIKE", "search * [ML] path newest: complete / plain", 0.1),
    Target("all hits amid words / fastest LIKE", "search * inside newest: complete / plain", 1.5),
    Target("all hits of two Chinese characters / LIKE", "search * two chinese newest: complete / plain", 1.5),
    Target("few rows, CPU of Python / SQL in C", "statements * page*: cpu / floor", 1.5),
    Target("many rows, CPU of Python / SQL in C", "statements * rows in bulk*: cpu / floor", 2.0),
    Target("log of an agent beside the browser / alone", "writer * browser open wal: log / alone", 1.2),
    Target("first rows / hermes sessions browse", "peers * first rows hermes *: ours / theirs", 1.0),
    Target("twelve complete searches / Hermes' own search", "peers * search: all twelve Hermes *: ours / theirs", 1.0),
)
"""In the order they are told."""


def met(results: Sequence[Result], targets: Sequence[Target] = TARGETS) -> Iterator[Met]:
    """Every goal that something was measured for."""
    ratios = list(named(results))
    for target in targets:
        found = [(value, name) for name, value in ratios if fnmatchcase(name, target.pattern)]
        if found:
            value, name = max(found)
            yield Met(target, value, name, len(found))
