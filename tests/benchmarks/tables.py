"""Results as Markdown tables, one for each benchmark of a store. Times are in milliseconds."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from tests.benchmarks.measure import Result, machine, shown, table

SEARCH = (
    "question", "order", "cold first", "cold", "first", "complete", "p95", "CPU", "floor", "LIKE",
    "first/floor", "all/floor", "all/LIKE", "right", "wrong", "floor has", "LIKE has", "statements", "read",
)  # fmt: skip
TRANSCRIPT = (
    "what", "how", "wall", "p95", "CPU", "CPU p95", "floor", "floor CPU", "wall/floor", "CPU/floor", "takes", "counts",
)  # fmt: skip
STARTING = (
    "what", "how", "wall", "p95", "CPU", "floor", "floor CPU", "wall/floor", "CPU/floor", "memory MB", "peak MB",
    "memory/floor", "peak/floor", "takes",
)  # fmt: skip
BESIDE = ("what", "how", "times", "beside", "counts", "note")
PEERS = (
    "what", "who", "wall", "p95", "CPU", "first time", "ours/theirs", "first/theirs", "right", "wrong",
    "left behind", "note",
)  # fmt: skip
MANNERS = ("what", "how", "median", "p95", "worst", "takes")


def report(results: Sequence[Result]) -> str:
    """All results, and what they were measured on."""
    facts = ", ".join(f"{name} {value}" for name, value in machine().items() if value is not None)
    parts = [facts]
    for (bench, layout, size), some in groupby(results, key=lambda one: (one.bench, one.layout, one.size)):
        parts.append(f"## {bench}: {layout}, {size} (ms)")
        rows = list(some)
        parts.append(TABLES.get(bench, _manners)(rows))
    return "\n\n".join(parts)


def _searches(results: Sequence[Result]) -> str:
    return table(SEARCH, [_search(result) for result in results])


def _search(result: Result) -> list[str]:
    times, counts, ratios = result.times, result.counts, result.ratios
    plain = times.get("plain")
    return [
        result.name,
        result.variant,
        shown(times["cold first"].median),
        shown(times["cold"].median),
        shown(times["first"].median),
        shown(times["complete"].median),
        shown(times["complete"].p95),
        shown(times["cpu"].median),
        shown(times["floor"].median),
        shown(plain.median if plain else None),
        shown(ratios.get("first / floor")),
        shown(ratios.get("complete / floor")),
        shown(ratios.get("complete / plain")),
        f"{counts['right']}/{counts['expected']}",
        str(counts["wrong"]),
        str(counts["floor right"]),
        str(counts.get("plain right", "-")),
        str(counts["statements"]),
        str(counts["read"]),
    ]


def _manners(results: Sequence[Result]) -> str:
    rows = []
    for result in results:
        for times in result.times.values():
            numbers = (times.median, times.p95, times.worst)
            rows.append([result.name, result.variant, *map(shown, numbers), str(times.takes)])
    return table(MANNERS, rows)


def _transcripts(results: Sequence[Result]) -> str:
    return table(TRANSCRIPT, [_transcript(result) for result in results])


def _transcript(result: Result) -> list[str]:
    times, ratios = result.times, result.ratios
    wall, cpu, floor, floor_cpu = (times.get(name) for name in ("wall", "cpu", "floor", "floor cpu"))
    return [
        result.name,
        result.variant,
        *(shown(value) for one in (wall, cpu) for value in ((one.median, one.p95) if one else (None, None))),
        *(shown(one.median if one else None) for one in (floor, floor_cpu)),
        *(shown(ratios.get(name)) for name in ("wall / floor", "cpu / floor")),
        str(wall.takes if wall else 0),
        ", ".join(f"{count:,} {name}" for name, count in result.counts.items()),
    ]


def _starts(results: Sequence[Result]) -> str:
    return table(STARTING, [_start(result) for result in results])


def _start(result: Result) -> list[str]:
    times, ratios = result.times, result.ratios
    floor, floor_cpu = (times.get(name) for name in ("floor", "floor cpu"))
    memory = (result.counts.get(name) for name in ("memory KiB", "peak KiB"))
    return [
        result.name,
        result.variant,
        *map(shown, (times["wall"].median, times["wall"].p95, times["cpu"].median)),
        *(shown(one.median if one else None) for one in (floor, floor_cpu)),
        *(shown(ratios.get(f"{name} / floor")) for name in ("wall", "cpu")),
        *(shown(None if kib is None else kib / 1024) for kib in memory),
        *(shown(ratios.get(f"{name} / floor")) for name in ("memory", "peak")),
        str(times["wall"].takes),
    ]


def _peers(results: Sequence[Result]) -> str:
    return table(PEERS, [_peer(result) for result in results])


def _peer(result: Result) -> list[str]:
    times, counts = result.times, result.counts
    wall, cpu, first = (times.get(name) for name in ("wall", "cpu", "first time"))
    left = "{files left} files, {bytes left:,} B, {pages changed} pages of the store"
    return [
        result.name,
        result.variant,
        *(shown(value) for value in ((wall.median, wall.p95) if wall else (None, None))),
        *(shown(one.median if one else None) for one in (cpu, first)),
        *(shown(result.ratios.get(f"{name} / theirs")) for name in ("ours", "first")),
        f"{counts['right']}/{counts['expected']}" if "right" in counts else "-",
        str(counts.get("wrong", "-")),
        left.format_map(counts) if "files left" in counts else "-",
        result.note,
    ]


def _beside(results: Sequence[Result]) -> str:
    """Times, ratios and counts as they come."""
    rows = []
    for result in results:
        times = [f"{name} {shown(one.median)}, p95 {shown(one.p95)}" for name, one in result.times.items()]
        ratios = [f"{name} {shown(value)}" for name, value in result.ratios.items()]
        counts = [f"{count:,} {name}" for name, count in result.counts.items()]
        rows.append([result.name, result.variant, *map("; ".join, (times, ratios, counts)), result.note])
    return table(BESIDE, rows)


TABLES = {
    "search": _searches,
    "transcript": _transcripts,
    "listing": _transcripts,
    "statements": _transcripts,
    "starting": _starts,
    "peers": _peers,
    "writer": _beside,
    "disk": _beside,
    "typing": _beside,
}
"""How the results of a benchmark are shown, where not in the plain way."""
