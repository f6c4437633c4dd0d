"""Saved runs, one or more files for each commit: put together, and the ratios of each commit as a table."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from tests.benchmarks.measure import Result, read, results_of, shown, table

MACHINE = ("system", "processor", "cpus", "python", "sqlite")  # what must be the same for times to be comparable


@dataclass(frozen=True, slots=True)
class Run:
    """What was measured of one commit. `at` is the UTC time the newest file was saved, empty where none says so."""

    commit: str  # 12 hex digits, + when files differed from it
    at: str
    machine: Mapping[str, Any]
    results: Sequence[Result]


def run(path: Path) -> Run:
    """The run in a file, or of the newest commit in a folder. Raises OSError, and ValueError when there is none."""
    if path.is_dir():
        if not (found := runs(path)):
            raise ValueError(f"{path} holds no benchmark results")
        return found[-1]
    document = read(path)
    return Run(document["commit"] or "", document.get("at", ""), document["machine"], results_of(document))


def runs(folder: Path) -> list[Run]:
    """The runs of a folder, one for each commit, the commit measured last at the end.

    Where files of one commit measured the same thing, the newer one counts.
    """
    found: dict[str, Run] = {}
    each = [(one.at, path.name, one) for path in folder.glob("*.json") for one in [run(path)]]
    for _, _, one in sorted(each, key=lambda entry: entry[:2]):
        before = found.pop(one.commit, None)
        merged = {result.key: result for result in (*(before.results if before else ()), *one.results)}
        found[one.commit] = Run(one.commit, one.at, one.machine, list(merged.values()))
    return list(found.values())


def differing(one: Run, other: Run) -> list[str]:
    """In what the machines of two runs differ, `cpus 2 and 8`."""
    names = [name for name in MACHINE if one.machine.get(name) != other.machine.get(name)]
    return [f"{name} {one.machine.get(name)} and {other.machine.get(name)}" for name in names]


def history(found: Sequence[Run], patterns: Sequence[str]) -> str:
    """A table with a row for each commit and a column for each ratio whose full name matches one of the patterns."""
    columns: dict[str, None] = {}
    rows: list[tuple[Run, dict[str, float]]] = []
    for one in found:
        ratios = {name: value for name, value in named(one.results) if _wanted(name, patterns)}
        columns |= dict.fromkeys(ratios)
        rows.append((one, ratios))
    cells = [[one.commit, one.at or "-", *(shown(ratios.get(name)) for name in columns)] for one, ratios in rows]
    return table(("commit", "saved", *columns), cells) if columns else ""


def named(results: Sequence[Result]) -> Iterator[tuple[str, float]]:
    """Every ratio under its full name: `search views S path newest: complete / floor`."""
    for result in results:
        for name, value in result.ratios.items():
            yield f"{' '.join(filter(None, result.key))}: {name}", value


def _wanted(name: str, patterns: Sequence[str]) -> bool:
    return any(fnmatchcase(name, pattern) or pattern in name for pattern in patterns)


def main(words: Sequence[str]) -> int:
    """The `history` sub-command; 2 when the folder cannot be read."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks history", description="Ratios, commit by commit.")
    parser.add_argument("folder", type=Path, help="where --out has saved results")
    parser.add_argument(
        "names", nargs="*", default=["*"], metavar="NAME", help="a part of a ratio's full name, or a pattern with *"
    )
    asked = parser.parse_args(words)
    try:
        if not asked.folder.is_dir():
            raise ValueError(f"There is no folder {asked.folder}. Name the one that --out saved results in.")
        if not (found := runs(asked.folder)):
            raise ValueError(f"{asked.folder} holds no benchmark results.")
        if not (told := history(found, asked.names)):
            raise ValueError("No ratio is called so." if asked.names != ["*"] else "These results hold no ratios.")
    except (OSError, ValueError) as error:
        print(error, file=sys.stderr)
        return 2
    print(told)
    return 0
