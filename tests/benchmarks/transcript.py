"""How the transcript of a long conversation opens, scrolls, is resized and grows, from the key to the painted picture.

Each time stands beside a floor of the same run: an app with one widget that starts, or shows a key.
"""

from __future__ import annotations

import asyncio
import shutil
import tempfile
import time
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

from textual.geometry import Size
from textual.pilot import Pilot

from hermes_tui.library import Library
from hermes_tui.model import Anchor
from hermes_tui.recorder import NewMessage, Recorder
from hermes_tui.tui.transcript import TranscriptPane
from tests.benchmarks.conversation import Conversation
from tests.benchmarks.floors import KEY, START, WINDOW, Measure, floors, results
from tests.benchmarks.measure import Result
from tests.benchmarks.pictures import EmptyApp, PicturedBrowser, Take
from tests.benchmarks.questions import Question
from tests.benchmarks.stores import Say

SMALLER = Size(100, 30)
KEYS = 50  # of each key
GROWS = 50  # messages that a writer appends at once


def run(
    store: Conversation, questions: Sequence[Question], *, runs: int, say: Say, keys: int = KEYS
) -> Iterator[Result]:
    """All measures: what starts or grows `runs` times, each key `keys` times, resizing as often as a fifth of that.

    A transcript is not asked the `questions`.
    """
    measures = asyncio.run(_measured(store, runs, keys, say))
    counts = {"messages": store.messages}
    return results("transcript", measures, layout=store.layout.value, size=store.size, counts=counts)


async def _measured(store: Conversation, runs: int, keys: int, say: Say) -> list[Measure]:
    """Floors first, and again afterwards, so that both ends of the run are in them."""
    long, short = Anchor(store.long, store.middle), Anchor(store.short, store.short_middle)
    start, key = Measure("empty app", START), Measure("empty app", KEY)
    resized = Measure("empty app", "resize", KEY)
    measures = [start, key, resized]

    def tell(what: str) -> None:
        say(f"transcript {store.layout.value} {store.size}: {what}")

    tell("an empty app")
    await _floors(start, key, resized, runs=runs, keys=keys)
    for anchor, variant in ((long, "middle, at start"), (short, "short one, at start")):
        tell(f"open {variant}")
        measures.append(await _starts(store.path, anchor, Measure("open", variant, START), runs))
    with Library.open(store.path) as library:
        app = PicturedBrowser(library, anchor=long, rest=None)
        async with app.run_test(size=WINDOW) as pilot:
            tell("open, move, resize")
            measures += await _opens(app, pilot, long=long, short=short, runs=runs)
            measures += [await _presses(app, pilot, key=name, keys=keys) for name in ("pagedown", "j")]
            measures.append(await _resizes(app, pilot, keys=keys))
    tell("live append")
    measures += await _grows(store, long, runs)
    await _floors(start, key, resized, runs=runs, keys=keys)
    return measures


# Floors.


async def _floors(start: Measure, key: Measure, resized: Measure, *, runs: int, keys: int) -> None:
    await floors(start, key, runs=runs, keys=keys)
    app = EmptyApp()
    async with app.run_test(size=WINDOW) as pilot:
        for size in _sizes(keys):
            await pilot.pause()
            resized.add(await app.timed(partial(app.resize, size), partial(_sized, app, size)))


def _sized(app: EmptyApp, size: Size) -> bool:
    return app.area == size


def _sizes(keys: int) -> list[Size]:
    """There and back, as often as a fifth of `keys`."""
    return [SMALLER, WINDOW] * max(1, keys // 10)


# The transcript.


def _pane(app: PicturedBrowser) -> TranscriptPane | None:
    return next(iter(app.browser.query(TranscriptPane)), None)


def _full(pane: TranscriptPane | None) -> bool:
    """Whether everything in the window is there to be read."""
    entries = range(0) if pane is None else pane.in_window()
    return pane is not None and bool(entries) and all(pane.page(index) is not None for index in entries)


def _shows(app: PicturedBrowser, anchor: Anchor) -> bool:
    pane = _pane(app)
    if pane is None or pane.outline is None or anchor.message_id is None or app.browser.reading != str(anchor):
        return False
    return pane.outline.index(anchor.message_id) in pane.in_window() and _full(pane)


async def _starts(path: Path, anchor: Anchor, measure: Measure, runs: int) -> Measure:
    """Open the store and the browser at a place."""
    for _ in range(runs):
        measure.add(await _started(path, anchor))
    return measure


async def _started(path: Path, anchor: Anchor) -> Take:
    take = Take(lambda: _shows(app, anchor))
    with Library.open(path) as library:
        app = PicturedBrowser(library, anchor=anchor, rest=None)
        app.take = take
        async with app.run_test(size=WINDOW):
            return await take.there()


async def _opens(app: PicturedBrowser, pilot: Pilot[None], *, long: Anchor, short: Anchor, runs: int) -> list[Measure]:
    """Go from one conversation to the other and back; it ends in the long one. The first time is one take, since the
    library keeps what it read."""
    measures = [Measure("open", "short one", KEY), Measure("open", "middle, again", KEY)]
    first = Measure("open", "middle, first time", KEY)
    first.add(await app.timed(partial(app.browser.read, long), partial(_shows, app, long)))
    for _ in range(runs):
        for measure, anchor in zip(measures, (short, long), strict=True):
            await pilot.pause()
            measure.add(await app.timed(partial(app.browser.read, anchor), partial(_shows, app, anchor)))
    return [*measures, first]


async def _presses(app: PicturedBrowser, pilot: Pilot[None], *, key: str, keys: int) -> Measure:
    """Press one key again and again. `blank` counts the keys after which a picture had messages missing."""
    measure = Measure(key, "", KEY)
    pane = app.browser.transcript
    for _ in range(keys):
        await pilot.pause()
        blanks: list[bool] = []
        measure.add(await app.key(key, partial(_moved, pane, (pane.cursor, pane.top), blanks)))
        measure.count("blank", bool(blanks))
    return measure


def _moved(pane: TranscriptPane, before: tuple[int, int], blanks: list[bool]) -> bool:
    """Whether another place is shown, all of it; notes in `blanks` when it is another one but not all of it."""
    if (pane.cursor, pane.top) == before:
        return False
    full = _full(pane)
    if not full:
        blanks.append(True)
    return full


async def _resizes(app: PicturedBrowser, pilot: Pilot[None], *, keys: int) -> Measure:
    """Change the size of the terminal. `lost` counts how often what was read is out of the window afterwards."""
    measure = Measure("resize", "", KEY)
    pane = app.browser.transcript
    for size in _sizes(keys):
        await pilot.pause()
        read = pane.cursor
        measure.add(await app.timed(partial(app.resize, size), partial(_resized, pane, pane.size)))
        measure.count("lost", read not in pane.in_window())
    return measure


def _resized(pane: TranscriptPane, before: Size) -> bool:
    return pane.size != before and _full(pane)


class _Noticing(Library):
    """A library that remembers when a change was noticed last."""

    noticed = noticed_cpu = 0.0

    def changed(self) -> bool:
        cpu, wall = time.process_time(), time.perf_counter()
        if changed := super().changed():
            self.noticed, self.noticed_cpu = wall, cpu
        return changed


async def _grows(store: Conversation, anchor: Anchor, runs: int) -> list[Measure]:
    """A writer appends while the reader stands in the middle, until the picture counts the new rows.

    From the commit on, looking once in a while is part of it, and so is the rest the browser takes after each reading,
    since the writer goes on at once; from the moment it was noticed on, all is work. `moved` counts how often the top
    line was another one afterwards.
    """
    measures = [Measure("append", "from commit", KEY), Measure("append", "from noticing", KEY)]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "state.db"
        shutil.copyfile(store.path, path)
        with Recorder(path) as writer, _Noticing.open(path) as library:
            app = PicturedBrowser(library, anchor=anchor, rest=None)
            app.take = there = Take(lambda: _shows(app, anchor))
            async with app.run_test(size=WINDOW) as pilot:
                await there.there()
                for number in range(1, runs + 1):
                    await pilot.pause()
                    await _grown(app, library, writer, (store.long, number * GROWS), measures)
    return measures


async def _grown(
    app: PicturedBrowser, library: _Noticing, writer: Recorder, wanted: tuple[str, int], measures: list[Measure]
) -> None:
    """Append to a session and wait until so many rows in all are counted as new."""
    session, below = wanted
    pane = app.query_one(TranscriptPane)
    known, top = len(pane.heights), pane.render_line(0).text
    rows: list[NewMessage] = [
        {"role": ("user", "assistant")[number % 2], "content": f"new {number}"} for number in range(GROWS)
    ]
    writer.append_many(session, rows)
    cpu = time.process_time()
    take = await app.timed(lambda: None, lambda: len(pane.heights) == known + GROWS and pane.below == below)
    measures[0].add(take)
    measures[1].wall.append(take.end - library.noticed)
    measures[1].cpu.append(cpu + take.cpu - library.noticed_cpu)
    for measure in measures:
        measure.counts["rows"] = len(pane.heights) - known
        measure.count("moved", pane.render_line(0).text != top)
