"""A demo store: four months in the life of an invented developer, written through the recorder.

Robin runs a home-automation service (lamplight), a small tea shop on the web (teashop) and a pipeline for tide gauges
(tides), and talks to the agent from a terminal, two messengers and cron jobs. The same seed and time give the same
rows. Worth a search: `--onefile`, `idempotency key`, `打包程序`, `ConnectionResetError`, `C:\\Users\\Robin`, `Skarvik`.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

from hermes_tui.recorder import Layout, Recorder, StorageSettings
from hermes_tui.sample import archive, chats, house, jobs, machines, projects, shop, tides
from hermes_tui.sample.script import Scene
from hermes_tui.sample.stage import DAY, Clock, Stage

__all__ = ["NOW", "write_sample"]

NOW = 1_796_050_000.0  # 30 November 2026, 14:46:40 UTC


def write_sample(
    path: Path,
    *,
    layout: Layout = Layout.VIEWS,
    seed: int = 7,
    now: float = NOW,
    progress: Callable[[int, int], None] | None = None,
) -> None:
    """Write the demo store to a new file.

    `now` (Unix seconds) is when the newest session is being held. `progress` is called with the number of
    conversations written and of all. Raises `FileExistsError` when there is something at `path` already, and
    `RecorderError` when the file cannot be written.
    """
    if path.exists():
        raise FileExistsError(f"{path} is there already; the demo store wants a new file.")
    chance = random.Random(seed)
    clock = Clock(now)
    told = [*house.SCENES, *machines.SCENES, *shop.SCENES, *projects.SCENES, *tides.SCENES, *chats.SCENES]
    told += [*jobs.scenes(chance, now), archive.scene(chance)]
    beginnings = sorted(((_beginning(scene, chance, now), scene) for scene in told), key=lambda pair: pair[0])
    # A demo that a power cut spoils can be written again, so nothing waits for the disk.
    settings = StorageSettings(synchronous="off")
    with Recorder(path, settings=settings, layout=layout, clock=clock, randomness=chance) as recorder:
        stage = Stage(recorder, clock, chance)
        for done, (started_at, scene) in enumerate(beginnings, start=1):
            stage.play(scene, started_at)
            if progress is not None:
                progress(done, len(beginnings))


def _beginning(scene: Scene, chance: random.Random, now: float) -> float:
    """When a scene begins: jobs and the last days as written, the others at an hour at which people are awake."""
    started_at = now - scene.day * DAY
    if scene.source == "cron" or scene.day < 2:
        return started_at
    return round(started_at // DAY * DAY + chance.uniform(7, 20) * 3600, 3)
