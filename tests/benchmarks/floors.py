"""What a picture of the browser is measured beside: an app with one widget that starts, or shows a key."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial

from textual.geometry import Size

from tests.benchmarks.measure import Result, Spread, ratio, spread
from tests.benchmarks.pictures import EmptyApp, Take

WINDOW = Size(120, 36)
START, KEY = "start", "key"
"""The floors."""


@dataclass(slots=True)
class Measure:
    """The takes of one thing, and the floor they stand beside."""

    name: str
    variant: str
    floor: str = ""
    wall: list[float] = field(default_factory=list)
    cpu: list[float] = field(default_factory=list)
    counts: dict[str, int] = field(default_factory=dict)

    def add(self, take: Take) -> None:
        """One more."""
        self.wall.append(take.wall)
        self.cpu.append(take.cpu)

    def count(self, name: str, holds: bool) -> None:
        """How often something held; it is there with 0 as well."""
        self.counts[name] = self.counts.get(name, 0) + holds


async def floors(start: Measure, key: Measure, *, runs: int, keys: int) -> None:
    """Start an empty app `runs` times, and press a key in one `keys` times."""
    for _ in range(runs):
        start.add(await _started())
    app = EmptyApp()
    async with app.run_test(size=WINDOW) as pilot:
        for number in range(1, keys + 1):
            await pilot.pause()
            key.add(await app.key("j", partial(_pressed, app, number)))


async def _started() -> Take:
    app = EmptyApp()
    app.take = take = Take(lambda: bool(app.area))
    async with app.run_test(size=WINDOW):
        return await take.there()


def _pressed(app: EmptyApp, presses: int) -> bool:
    return app.presses == presses


def results(
    bench: str, measures: Iterable[Measure], *, layout: str, size: str, counts: Mapping[str, int]
) -> Iterator[Result]:
    """Every measure with its ratios to its floor, which is one of them."""
    measures = list(measures)
    floors = {one.variant: one for one in measures if not one.floor}
    for one in measures:
        times = {"wall": spread(one.wall), "cpu": spread(one.cpu)}
        if (floor := floors.get(one.floor)) is not None:
            times |= {"floor": spread(floor.wall), "floor cpu": spread(floor.cpu)}
        yield Result(
            bench=bench,
            layout=layout,
            size=size,
            name=one.name,
            variant=one.variant,
            times=times,
            counts={**counts, **one.counts},
            ratios=_ratios(times),
        )


def _ratios(times: Mapping[str, Spread]) -> dict[str, float]:
    pairs = {"wall / floor": ("wall", "floor"), "cpu / floor": ("cpu", "floor cpu")}
    found = {name: ratio(times[ours], times.get(floor)) for name, (ours, floor) in pairs.items()}
    return {name: value for name, value in found.items() if value is not None}
