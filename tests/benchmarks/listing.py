"""How the list of very many conversations opens, scrolls, is sorted and folded, from the key to the painted picture.

Each time stands beside a floor of the same run: an app with one widget that starts, or shows a key.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from textual.pilot import Pilot

from hermes_tui.library import Library
from hermes_tui.recorder import Layout, Recorder, StorageSettings
from hermes_tui.tui.order import Grouping
from tests.benchmarks import words
from tests.benchmarks.floors import KEY, START, Measure, floors, results
from tests.benchmarks.measure import Result
from tests.benchmarks.pictures import PicturedBrowser, Take
from tests.benchmarks.questions import Question
from tests.benchmarks.stores import Say, kept, recipe, to_stderr

SESSIONS = {"XS": 7_000, "S": 10_000, "M": 100_000, "L": 100_000}
"""How many sessions a size has; XS are just enough for a first page."""
KEYS = 50
FEW = 8  # rows that are surely in view
SOURCES = ("cli", "telegram", "cron", "subagent", "discord")
SHARES = (45, 20, 20, 8, 7)
LAST_MOMENT = 1_790_000_000.0
STEP = 300.0  # seconds from one session to the next


@dataclass(frozen=True, slots=True)
class Crowd:
    """A store of `sessions` short sessions."""

    path: Path
    size: str
    layout: Layout
    sessions: int


def prepare(folder: Path, size: str, layout: Layout, *, say: Say = to_stderr, sessions: int | None = None) -> Crowd:
    """The store of this size and layout, made now if it is not in `folder` yet."""
    many = SESSIONS[size] if sessions is None else sessions
    sources = [Path(__file__), Path(str(words.__file__))]
    stem = f"crowd-{many}-{layout.value}"
    path, _ = kept(folder, stem, recipe(*sources), lambda path: _write(path, layout, many, say))
    return Crowd(path, size, layout, many)


def _write(path: Path, layout: Layout, many: int, say: Say) -> dict[str, object]:
    chance = random.Random(5)
    writer = words.Writer(chance)
    now = [LAST_MOMENT - many * STEP]
    settings = StorageSettings(synchronous="off")  # a store that is cut short is made anew
    with Recorder(path, settings=settings, layout=layout, clock=lambda: now[0], randomness=chance) as recorder:
        parent = ""
        for number in range(many):
            now[0] += STEP
            (source,) = chance.choices(SOURCES, weights=SHARES)
            if source == "subagent" and parent:
                session = recorder.delegate(parent, model="small-70b")
            elif source == "cron":
                name = f"cron_job{chance.randrange(40)}_20260101_{number:06}"
                session = recorder.create_session(source, session_id=name, model="small-70b")
            else:
                title = f"{' '.join(writer.words(4)).capitalize()} {number}" if chance.random() < 0.7 else None
                folder = f"/srv/projects/p{chance.randrange(30)}"
                session = recorder.create_session(source, title=title, model="large-405b", cwd=folder)
                parent = session if source == "cli" else parent
            recorder.append_many(
                session,
                [
                    {"role": "user", "content": f"please see to {number}", "timestamp": now[0]},
                    {"role": "assistant", "content": "done", "timestamp": now[0] + 5},
                ],
            )
            if number % 1000 == 0:
                say(f"making {path.name}: {number:,} of {many:,} sessions")
    return {"sessions": many}


def run(store: Crowd, questions: Sequence[Question], *, runs: int, say: Say, keys: int = KEYS) -> Iterator[Result]:
    """All measures: what starts `runs` times, each key `keys` times. A list is not asked the `questions`."""
    measures = asyncio.run(_measured(store, runs, keys, say))
    counts = {"sessions": store.sessions}
    return results("listing", measures, layout=store.layout.value, size=store.size, counts=counts)


async def _measured(store: Crowd, runs: int, keys: int, say: Say) -> list[Measure]:
    measures = [Measure("empty app", START), Measure("empty app", KEY)]
    page, whole = Measure("open", "first page", START), Measure("open", "whole list", START)
    await floors(*measures, runs=runs, keys=keys)
    for _ in range(runs):
        say(f"listing {store.size}: open")
        await _opened(store, page, whole)
    with Library.open(store.path) as library:
        app = PicturedBrowser(library, rest=None)
        app.take = there = Take(lambda: _whole(app))
        async with app.run_test(size=(120, 36)) as pilot:
            await there.there()
            say(f"listing {store.size}: move, sort, group")
            moves = [await _presses(app, pilot, key, keys) for key in ("j", "pagedown", "G", "g")]
            changes = [await _changes(app, pilot, key, runs) for key in ("s", "B", "a")]
            folds = await _folds(app, pilot, runs)
    await floors(*measures, runs=runs, keys=keys)
    return [*measures, page, whole, *moves, *changes, folds]


async def _opened(store: Crowd, page: Measure, whole: Measure) -> None:
    """Open the store and the browser, until its first rows are painted, and until all are."""
    take = Take(lambda: bool(app.browser.sessions.rows.laid.rows))
    with Library.open(store.path) as library:
        app = PicturedBrowser(library, rest=None)
        app.take = take
        begun = Take(lambda: _whole(app))
        async with app.run_test(size=(120, 36)):
            page.add(await take.there())
            app.take = begun
            app.browser.refresh()
            whole.add(await begun.there())


def _whole(app: PicturedBrowser) -> bool:
    listing = app.browser.listing if app.browser.is_attached else None
    return listing is not None and not listing.truncated


async def _presses(app: PicturedBrowser, pilot: Pilot[None], key: str, keys: int) -> Measure:
    """Press one key again and again: j where no scrolling is needed, Home and End each from the other end."""
    measure = Measure(key, "", KEY)
    rows = app.browser.sessions.rows
    for _ in range(keys):
        if key in ("g", "G"):
            rows.go(rows.count - 1 if key == "g" else 0, quietly=True)
        elif key == "j" and rows.cursor >= FEW:
            rows.go(0, quietly=True)
        await pilot.pause()
        before = rows.cursor
        measure.add(await app.key(key, lambda before=before: rows.cursor != before))  # type: ignore[misc]
    return measure


async def _changes(app: PicturedBrowser, pilot: Pilot[None], key: str, runs: int) -> Measure:
    """Press a key that puts the list together anew, until that list is shown."""
    measure = Measure(key, "another list", KEY)
    for _ in range(runs):
        await pilot.pause()
        measure.add(await app.key(key, partial(_is_another, app, app.browser.sheet)))
    return measure


def _is_another(app: PicturedBrowser, before: object) -> bool:
    return app.browser.sheet is not before


async def _folds(app: PicturedBrowser, pilot: Pilot[None], runs: int) -> Measure:
    """Fold the group that the highlight is in, and unfold it again."""
    while app.browser.grouping is not Grouping.SOURCE:
        await app.key("B", partial(_is_another, app, app.browser.sheet))
    rows = app.browser.sessions.rows
    rows.go(0)
    measure = Measure("left, right", "fold", KEY)
    for number in range(2 * runs):
        await pilot.pause()
        shown = rows.count
        changed: Callable[[], bool] = partial(_counts_others, rows, shown)
        measure.add(await app.key("right" if number % 2 else "left", changed))
    return measure


def _counts_others(rows: object, shown: int) -> bool:
    return getattr(rows, "count", shown) != shown
