"""Two saved runs side by side: what got slower or faster by more than the takes of either vary among themselves."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from tests.benchmarks.measure import Result, Spread, shown, table

LEAST_NOISE = 0.10  # changes smaller than this part say nothing on any machine
LEAST_MS = 0.2  # nor do fractions of a millisecond


class Verdict(StrEnum):
    """What a pair of times says."""

    SLOWER = "slower"
    FASTER = "faster"
    SAME = "same"


@dataclass(frozen=True, slots=True)
class Change:
    """One time in both runs. `noise` is how far apart two runs of the same thing may lie, as a part of the old one."""

    what: str
    old: Spread
    new: Spread

    @property
    def noise(self) -> float:
        """The wider of the two spreads."""
        return max(LEAST_NOISE, self.old.noise, self.new.noise)

    @property
    def part(self) -> float:
        """How much more (or less) the new one takes, as a part of the old one."""
        return (self.new.median - self.old.median) / self.old.median if self.old.median else 0.0

    @property
    def verdict(self) -> Verdict:
        """Whether the change is more than noise."""
        if abs(self.part) <= self.noise or abs(self.new.median - self.old.median) < LEAST_MS:
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
                yield Change(f"{' '.join(filter(None, result.key))}: {name}", earlier.times[name], times)


def report(old: Sequence[Result], new: Sequence[Result]) -> str:
    """What changed, the worst first, in Markdown."""
    found = list(changes(old, new))
    parts = []
    for verdict, title in ((Verdict.SLOWER, "Slower"), (Verdict.FASTER, "Faster")):
        some = sorted((one for one in found if one.verdict is verdict), key=lambda one: -abs(one.part))
        rows = [
            (one.what, shown(one.old.median), shown(one.new.median), f"{one.part:+.0%}", f"{one.noise:.0%}")
            for one in some
        ]
        columns = ("what", "old ms", "new ms", "change", "noise")
        parts.append(f"## {title}: {len(rows)}\n\n{table(columns, rows) if rows else 'nothing'}")
    counted = list(_counts(old, new))
    if counted:
        parts.append(f"## Counts that differ: {len(counted)}\n\n{table(('what', 'old', 'new'), counted)}")
    same = sum(one.verdict is Verdict.SAME for one in found)
    parts.append(f"{same} of {len(found)} times differ by no more than noise.")
    return "\n\n".join(parts)


def _counts(old: Sequence[Result], new: Sequence[Result]) -> Iterator[tuple[str, str, str]]:
    """Counts are the same from run to run, so every difference tells."""
    before = {result.key: result for result in old}
    for result in new:
        if (earlier := before.get(result.key)) is None:
            continue
        for name, count in result.counts.items():
            if (was := earlier.counts.get(name)) is not None and was != count:
                yield f"{' '.join(filter(None, result.key))}: {name}", f"{was:,}", f"{count:,}"
