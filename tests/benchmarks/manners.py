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
from tests.benchmarks.stores import SIZES, Say, Store

SLOW = ("common", "path", "inside", "absent", "two chinese", "one letter", "bare pattern", "reasoning")
TICK = 0.001  # seconds the ticker sleeps
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
        rest = 0.2 if SIZES[store.size] > 10_000 else 0.02
        yield _held(store, "nothing runs", "", asyncio.run(_ticking(lambda loop: time.sleep(rest))))
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


async def _ticking(work: Work) -> list[float]:
    """Run `work` in a thread, and measure meanwhile how much later than asked this loop gets its turn, in seconds."""
    loop = asyncio.get_running_loop()
    done = loop.run_in_executor(None, work, loop)
    waits: list[float] = []
    while not (waits and done.done()):
        began = time.perf_counter()
        await asyncio.sleep(TICK)
        waits.append(max(0.0, time.perf_counter() - began - TICK))
    await done
    return waits


def _streaming(library: Library, question: Question, store: Store, order: str) -> Work:
    """A search whose answers are handed to the loop as they grow."""
    received: list[Answer] = []

    def search(loop: asyncio.AbstractEventLoop) -> None:
        def hand_over(answer: Answer) -> None:
            loop.call_soon_threadsafe(received.append, answer)

        library.search(question.text(store), sort=order, limit=LIMIT, mode=question.mode, on_progress=hand_over)

    return search
