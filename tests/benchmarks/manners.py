"""How a search behaves beside a screen: how soon it stops when nobody wants it, how long it holds the event loop."""

from __future__ import annotations

import asyncio
import random
import threading
import time
from collections.abc import Callable, Iterator, Sequence

from hermes_tui.library import Library
from hermes_tui.model import Answer
from hermes_tui.store.connection import Cancelled, Ticket
from tests.benchmarks.measure import Result, spread
from tests.benchmarks.questions import Question
from tests.benchmarks.search import LIMIT, forget_cached
from tests.benchmarks.stores import Say, Store

SLOW = ("common", "path", "inside", "absent", "two chinese", "one letter", "bare pattern", "reasoning")
TICK = 0.001  # seconds between two ticks
REST = 100  # ticks with nothing beside
Work = Callable[[asyncio.AbstractEventLoop], object]
TRIES = 4  # cancelled searches for each run asked for


def cancel(store: Store, questions: Sequence[Question], *, runs: int, say: Say) -> Iterator[Result]:
    """Cancel searches at moments drawn from the time they would take, warm, and cold where much is looked up once."""
    for question in questions:
        if question.name not in SLOW:
            continue
        for variant in ("warm", "cold"):
            say(f"cancel {store.layout.value} {store.size}: {question.name}, {variant}")
            latencies = list((_cancel_warm if variant == "warm" else _cancel_cold)(store, question, runs))
            if latencies:
                yield Result(
                    bench="cancel",
                    layout=store.layout.value,
                    size=store.size,
                    name=question.name,
                    variant=variant,
                    times={"cancel": spread(latencies)},
                )


def _cancel_warm(store: Store, question: Question, runs: int) -> Iterator[float]:
    with Library.open(store.path) as library:
        _seconds(library, question, store)
        whole = _seconds(library, question, store)
        yield from _cancelled(library, question, store, whole=whole, tries=TRIES * runs)


def _cancel_cold(store: Store, question: Question, runs: int) -> Iterator[float]:
    forget_cached(store.path)
    with Library.open(store.path) as library:
        whole = _seconds(library, question, store)
    for number in range(runs):
        forget_cached(store.path)
        with Library.open(store.path) as library:
            yield from _cancelled(library, question, store, whole=whole, tries=1, seed=number)


def _seconds(library: Library, question: Question, store: Store) -> float:
    began = time.perf_counter()
    library.search(question.text(store), sort="newest", limit=LIMIT, mode=question.mode)
    return time.perf_counter() - began


def _cancelled(
    library: Library, question: Question, store: Store, *, whole: float, tries: int, seed: int = 0
) -> Iterator[float]:
    """Seconds from `cancel()` to the end of each search that was still running then."""
    chance = random.Random(seed)
    for _ in range(tries):
        ticket = Ticket()
        ended: list[float] = []

        def search(ticket: Ticket = ticket, ended: list[float] = ended) -> None:
            try:
                library.search(question.text(store), sort="newest", limit=LIMIT, mode=question.mode, ticket=ticket)
            except Cancelled:
                ended.append(time.perf_counter())

        thread = threading.Thread(target=search)
        thread.start()
        thread.join(chance.uniform(0.0, whole * 0.9))
        asked = time.perf_counter()
        ticket.cancel()
        thread.join()
        if ended:
            yield max(0.0, ended[0] - asked)


def held(store: Store, questions: Sequence[Question], *, runs: int, say: Say) -> Iterator[Result]:
    """How long an event loop waits for its turn while a thread searches and reports to it."""
    with Library.open(store.path) as library:
        yield _held(store, "nothing runs", "", asyncio.run(_resting(REST)))
        for question in questions:
            if question.name not in SLOW:
                continue
            for order in ("newest", "best"):
                say(f"held {store.layout.value} {store.size}: {question.name}, {order}")
                _seconds(library, question, store)
                waits: list[float] = []
                for _ in range(runs):
                    waits += asyncio.run(_ticking(_streaming(library, question, store, order)))
                yield _held(store, question.name, order, waits)


def _held(store: Store, name: str, variant: str, waits: Sequence[float]) -> Result:
    return Result(
        bench="held",
        layout=store.layout.value,
        size=store.size,
        name=name,
        variant=variant,
        times={"held": spread(waits)},
    )


class _Ticker:
    """A timer that sets itself again and again, and notes how much later than asked the loop gave it its turn."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self.waits: list[float] = []  # seconds
        self._loop = loop
        self._wanted = loop.create_future()
        self._many = 0
        self._set()

    def _set(self) -> None:
        self._due = self._loop.time() + TICK
        self._timer = self._loop.call_at(self._due, self._tick)

    def _tick(self) -> None:
        self.waits.append(max(0.0, self._loop.time() - self._due))
        self._set()
        if self._many and len(self.waits) >= self._many and not self._wanted.done():
            self._wanted.set_result(None)

    async def stopped(self, *, ticks: int) -> list[float]:
        """What it noted, once it has ticked so often."""
        self._many = ticks
        if len(self.waits) < ticks:
            await self._wanted
        self._timer.cancel()
        return self.waits


async def _resting(ticks: int) -> list[float]:
    """How late this loop is when nothing else runs, in seconds."""
    return await _Ticker(asyncio.get_running_loop()).stopped(ticks=ticks)


async def _ticking(work: Work) -> list[float]:
    """How late this loop is while `work` runs in a thread, in seconds."""
    loop = asyncio.get_running_loop()
    ticker = _Ticker(loop)
    await loop.run_in_executor(None, work, loop)
    return await ticker.stopped(ticks=1)


def _streaming(library: Library, question: Question, store: Store, order: str) -> Work:
    """A search whose answers are handed to the loop as they grow."""
    received: list[Answer] = []

    def search(loop: asyncio.AbstractEventLoop) -> None:
        def hand_over(answer: Answer) -> None:
            loop.call_soon_threadsafe(received.append, answer)

        library.search(question.text(store), sort=order, limit=LIMIT, mode=question.mode, on_progress=hand_over)

    return search
