"""Times and counts: taken, summed up, put beside floors of the same run, saved as JSON, shown as Markdown."""

from __future__ import annotations

import json
import os
import platform
import sqlite3
import statistics
import subprocess
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

FORMAT = 1


@dataclass(slots=True)
class Times:
    """What one thing took, each time it was done: seconds on the wall, and of this thread's CPU."""

    wall: list[float] = field(default_factory=list)
    cpu: list[float] = field(default_factory=list)

    @contextmanager
    def taken(self) -> Iterator[None]:
        """Time a block."""
        cpu, wall = time.thread_time(), time.perf_counter()
        yield
        self.wall.append(time.perf_counter() - wall)
        self.cpu.append(time.thread_time() - cpu)


@dataclass(frozen=True, slots=True)
class Spread:
    """Several takes of one time, in milliseconds. `noise` is how wide the middle half of them is, by the median."""

    median: float
    p95: float
    least: float
    worst: float
    noise: float
    takes: int


def spread(seconds: Sequence[float]) -> Spread:
    """The spread of takes in seconds, of which there is at least one."""
    takes = sorted(one * 1000 for one in seconds)
    middle = statistics.median(takes)
    low, high = _quantile(takes, 0.25), _quantile(takes, 0.75)
    return Spread(
        median=round(middle, 4),
        p95=round(_quantile(takes, 0.95), 4),
        least=round(takes[0], 4),
        worst=round(takes[-1], 4),
        noise=round((high - low) / middle, 3) if middle else 0.0,
        takes=len(takes),
    )


def _quantile(ordered: Sequence[float], part: float) -> float:
    place = part * (len(ordered) - 1)
    low = int(place)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (ordered[high] - ordered[low]) * (place - low)


@dataclass(frozen=True, slots=True)
class Result:
    """What was measured of one thing. `bench`, `layout`, `size`, `name` and `variant` say of what.

    `times` in milliseconds, `counts` of rows and statements, `ratios` of a time of ours to a floor of the same run.
    """

    bench: str
    layout: str
    size: str
    name: str
    variant: str
    times: Mapping[str, Spread] = field(default_factory=dict)
    counts: Mapping[str, int] = field(default_factory=dict)
    ratios: Mapping[str, float] = field(default_factory=dict)
    note: str = ""

    @property
    def key(self) -> tuple[str, str, str, str, str]:
        """What it is a measure of."""
        return (self.bench, self.layout, self.size, self.name, self.variant)


def ratio(ours: Spread, floor: Spread | None) -> float | None:
    """How many times as long ours takes as the floor; None where there is no floor."""
    return round(ours.median / floor.median, 2) if floor is not None and floor.median else None


def document(results: Iterable[Result], *, runs: int) -> dict[str, Any]:
    """Everything measured, as JSON takes it."""
    return {
        "format": FORMAT,
        "commit": commit(),
        "at": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        "machine": machine(),
        "runs": runs,
        "results": [_shape(result) for result in results],
    }


def _shape(result: Result) -> dict[str, Any]:
    shape: dict[str, Any] = {
        "bench": result.bench,
        "layout": result.layout,
        "size": result.size,
        "name": result.name,
        "variant": result.variant,
        "times": {name: _spread_shape(one) for name, one in result.times.items()},
        "counts": dict(result.counts),
        "ratios": dict(result.ratios),
    }
    return shape | ({"note": result.note} if result.note else {})


def _spread_shape(one: Spread) -> dict[str, float]:
    return {name: getattr(one, name) for name in ("median", "p95", "least", "worst", "noise", "takes")}


def load(path: Path) -> list[Result]:
    """The results in a file that was saved before. Raises ValueError for a file of another format."""
    return results_of(read(path))


def read(path: Path) -> dict[str, Any]:
    """A document saved before. Raises ValueError for a file of another format, OSError for none."""
    try:
        saved = json.loads(path.read_text(encoding="utf-8"))
    except ValueError:
        saved = None
    whole = isinstance(saved, dict) and saved.get("format") == FORMAT and {"machine", "results"} <= saved.keys()
    if not whole:
        raise ValueError(f"{path} holds no benchmark results of format {FORMAT}")
    return dict(saved)


def results_of(saved: Mapping[str, Any]) -> list[Result]:
    """The results in a document."""
    return [
        Result(
            bench=one["bench"],
            layout=one["layout"],
            size=one["size"],
            name=one["name"],
            variant=one["variant"],
            times={name: Spread(**times) for name, times in one["times"].items()},
            counts=one["counts"],
            ratios=one["ratios"],
            note=one.get("note", ""),
        )
        for one in saved["results"]
    ]


def commit() -> str | None:
    """The commit that was measured, with a + when files differ from it; None outside a checkout."""
    root = Path(__file__).resolve().parents[2]
    try:
        told = [
            subprocess.run(["git", *words], cwd=root, capture_output=True, text=True, check=True).stdout.strip()
            for words in (["rev-parse", "--short=12", "HEAD"], ["status", "--porcelain", "--", "hermes_tui"])
        ]
    except (OSError, subprocess.CalledProcessError):
        return None
    return told[0] + ("+" if told[1] else "")


def machine() -> dict[str, Any]:
    """What sort of machine this is, and how busy it was; nothing that tells which one."""
    load_average = round(os.getloadavg()[0], 1) if hasattr(os, "getloadavg") else None
    return {
        "system": platform.system(),
        "processor": platform.machine(),
        "cpus": os.cpu_count(),
        "load": load_average,
        "python": platform.python_version(),
        "sqlite": sqlite3.sqlite_version,
    }


def table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A Markdown table, padded so that it reads well as it stands."""
    lines = [list(columns), *(list(row) for row in rows)]
    widths = [max(3, *(len(line[place]) for line in lines)) for place in range(len(columns))]
    padded = [" | ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)) for line in lines]
    rule = " | ".join("-" * width for width in widths)
    return "\n".join(f"| {line} |" for line in (padded[0], rule, *padded[1:]))


def shown(value: float | None) -> str:
    """A number of milliseconds or times, with as many places as say something."""
    if value is None:
        return "-"
    return f"{value:.2f}" if value < 10 else f"{value:.1f}" if value < 100 else f"{value:,.0f}"
