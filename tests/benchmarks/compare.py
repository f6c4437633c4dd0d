"""Two saved runs side by side: what got slower or faster by more than the takes of either vary among themselves.

A machine that is busier makes everything slower, the floors too. So what has a floor must have changed beside that as
well, and floors themselves are never what got slower.
"""

from __future__ import annotations

import argparse
import statistics
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from tests.benchmarks.measure import Result, Spread, shown, table
from tests.benchmarks.saved import Run, differing, run, runs

LEAST_NOISE = 0.10  # changes smaller than this part say nothing on any machine
LEAST_NOISE_ALONE = 0.30  # nor smaller than this where no floor tells how busy the machine was
LEAST_MS = 0.2  # nor do fractions of a millisecond
FLOORS = ("floor", "plain")  # how the names of times begin that are not ours


class Verdict(StrEnum):
    """What a pair of times says."""

    SLOWER = "slower"
    FASTER = "faster"
    SAME = "same"


@dataclass(frozen=True, slots=True)
class Change:
    """One time in both runs. `noise` is how far apart two runs of the same thing may lie, as a part of the old one.

    `beside` is how much its ratio to its floor has grown, as a part of the old one; None where it has no floor.
    """

    what: str
    old: Spread
    new: Spread
    beside: float | None = None
    floor: bool = False

    @property
    def noise(self) -> float:
        """The wider of the two spreads."""
        least = LEAST_NOISE_ALONE if self.beside is None else LEAST_NOISE
        return max(least, self.old.noise, self.new.noise)

    @property
    def part(self) -> float:
        """How much more (or less) the new one takes, as a part of the old one."""
        return (self.new.median - self.old.median) / self.old.median if self.old.median else 0.0

    @property
    def verdict(self) -> Verdict:
        """Whether the change is more than noise."""
        beside = self.part if self.beside is None else self.beside
        if min(abs(self.part), abs(beside)) <= self.noise or self.part * beside < 0 or self.floor:
            return Verdict.SAME
        if abs(self.new.median - self.old.median) < LEAST_MS:
            return Verdict.SAME
        return Verdict.SLOWER if self.part > 0 else Verdict.FASTER


def changes(old: Sequence[Result], new: Sequence[Result]) -> Iterator[Change]:
    """Every time that is in both runs."""
    before = {result.key: result for result in old}
    for result in new:
        if (earlier := before.get(result.key)) is None:
            continue
        for name, times in result.times.items():
            if name in earlier.times:
                yield Change(
                    what=f"{' '.join(filter(None, result.key))}: {name}",
                    old=earlier.times[name],
                    new=times,
                    beside=_beside(earlier, result, name),
                    floor=name.startswith(FLOORS),
                )


def _beside(old: Result, new: Result, name: str) -> float | None:
    """How much the ratio of this time to its floor has grown; of several the one that has changed least."""
    parts = [
        new.ratios[ratio] / was - 1
        for ratio, was in old.ratios.items()
        if ratio.partition(" / ")[0] == name and was and ratio in new.ratios
    ]
    return min(parts, key=abs) if parts else None


def report(old: Sequence[Result], new: Sequence[Result]) -> str:
    """What changed, the worst first, in Markdown."""
    found = list(changes(old, new))
    parts = []
    for verdict, title in ((Verdict.SLOWER, "Slower"), (Verdict.FASTER, "Faster")):
        some = sorted((one for one in found if one.verdict is verdict), key=lambda one: -abs(one.part))
        rows = [
            (
                one.what,
                shown(one.old.median),
                shown(one.new.median),
                f"{one.part:+.0%}",
                _part(one.beside),
                f"{one.noise:.0%}",
            )
            for one in some
        ]
        columns = ("what", "old ms", "new ms", "change", "beside its floor", "noise")
        parts.append(f"## {title}: {len(rows)}\n\n{table(columns, rows) if rows else 'nothing'}")
    counted = list(_counts(old, new))
    if counted:
        parts.append(f"## Counts that differ: {len(counted)}\n\n{table(('what', 'old', 'new'), counted)}")
    same = sum(one.verdict is Verdict.SAME for one in found)
    floors = [one.part for one in found if one.floor]
    busier = f" The floors took {statistics.median(floors):+.0%} (median of {len(floors)})." if floors else ""
    parts.append(f"{same} of {len(found)} times differ by no more than noise.{busier}")
    return "\n\n".join(parts)


def _part(value: float | None) -> str:
    return "-" if value is None else f"{value:+.0%}"


def _counts(old: Sequence[Result], new: Sequence[Result]) -> Iterator[tuple[str, str, str]]:
    """Counts are the same from run to run, so every difference tells."""
    before = {result.key: result for result in old}
    for result in new:
        if (earlier := before.get(result.key)) is None:
            continue
        for name, count in result.counts.items():
            if (was := earlier.counts.get(name)) is not None and was != count:
                yield f"{' '.join(filter(None, result.key))}: {name}", f"{was:,}", f"{count:,}"


def main(words: Sequence[str]) -> int:
    """The `compare` sub-command: 1 when something got slower, 2 when there is nothing to compare."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks compare", description="Show what got slower.")
    parser.add_argument("old", type=Path, help="a saved file, or a folder: with no NEW its two newest commits")
    parser.add_argument("new", type=Path, nargs="?", help="a saved file, or a folder of which the newest commit counts")
    parser.add_argument("--report", action="store_true", help="exit code 0 also when something got slower")
    asked = parser.parse_args(words)
    try:
        old, new = (run(asked.old), run(asked.new)) if asked.new else _newest_two(asked.old)
    except (OSError, ValueError) as error:
        print(error, file=sys.stderr)
        return 2
    if not {one.key for one in old.results} & {one.key for one in new.results}:
        print("The two runs measured nothing in common.", file=sys.stderr)
        return 2
    print(f"{old.commit or 'no commit'} -> {new.commit or 'no commit'}\n")
    if apart := differing(old, new):
        print(f"Not the same machine ({', '.join(apart)}): times say little.\n")
    print(report(old.results, new.results))
    slower = any(one.verdict is Verdict.SLOWER for one in changes(old.results, new.results))
    return 1 if slower and not asked.report else 0


def _newest_two(folder: Path) -> tuple[Run, Run]:
    if not folder.is_dir():
        missing = "" if folder.exists() else f"There is no {folder}. "
        raise ValueError(f"{missing}Name two saved files, or a folder that holds those of two commits.")
    found = runs(folder)
    if len(found) < 2:
        raise ValueError(f"{folder} holds results of {len(found)} commit{'' if len(found) == 1 else 's'}, not of two")
    return found[-2], found[-1]
