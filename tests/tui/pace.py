"""Lets a browser without a terminal do all it has to do, and no longer.

Textual's pilot takes the program to be at rest once it used next to no processor time for 20 ms, and looks for that
three times for a key. Here it is at rest when nothing is ready to run, every question that a thread was given is
answered, and the screen shows what it has to show: no clock tells that, so a loaded machine changes nothing. A thread
that a test holds back stands at a `Gate`, and nobody waits for it. Timers of the program (a pause in typing, say) are
not waited for: who asks for what comes after them waits until it is there.

Textual also reads the style sheets of each app anew; here once for all apps with the same colours.
"""

from __future__ import annotations

import asyncio
import threading
import time
import weakref
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

import pytest
from textual._context import active_app
from textual.app import App
from textual.css.model import RuleSet
from textual.css.stylesheet import Stylesheet
from textual.screen import Screen

from hermes_tui.store.connection import Ticket

LONGEST = 1.0
"""Seconds after which a program that never rests is left alone."""
LOOK = 0.005
"""Seconds between two looks whether a thread that is at work has come to a gate."""
TURN = 0.02
"""Seconds after which it is looked again for what a thread tells on its way to an answer."""
SHUT = 60.0
"""Seconds after which a gate that nobody opened fails its test."""
PICTURES = 10
"""How often the screen may ask to be painted again at once."""

_at_gates: set[int] = set()
"""The threads that tests hold back."""


class Gate(threading.Event):
    """Holds back a thread of the program until a test opens it with `set`."""

    def pass_through(self, ticket: Ticket | None = None) -> None:
        """Wait here, thread, until it is open; a `ticket` that is cancelled ends the waiting."""
        _at_gates.add(threading.get_ident())
        try:
            deadline = time.monotonic() + SHUT
            while not self.wait(0.001):
                assert time.monotonic() < deadline, "nobody opened the gate"
                if ticket is not None:
                    ticket.check()
        finally:
            _at_gates.discard(threading.get_ident())


class Questions:
    """What threads were given to answer, wherever the program does so, and has not got back yet."""

    def __init__(self) -> None:
        self._given: weakref.WeakKeyDictionary[Future[Any], ThreadPoolExecutor] = weakref.WeakKeyDictionary()
        self._asked: dict[asyncio.Future[Any], ThreadPoolExecutor] = {}

    def giving(self, submit: Callable[..., Future[Any]]) -> Callable[..., Future[Any]]:
        """The same as `submit`, noting what is given to whom."""

        def given(executor: ThreadPoolExecutor, *args: Any, **how: Any) -> Future[Any]:
            future = submit(executor, *args, **how)
            self._given[future] = executor
            return future

        return given

    def asking(self, wrap: Callable[..., asyncio.Future[Any]]) -> Callable[..., asyncio.Future[Any]]:
        """The same as `wrap`, noting who waits for what was given."""

        def asked(future: Any, **how: Any) -> asyncio.Future[Any]:
            waiting = wrap(future, **how)
            executor = self._given.get(future) if isinstance(future, Future) else None
            if executor is not None:
                self._asked[waiting] = executor
                waiting.add_done_callback(lambda done: self._asked.pop(done, None))
            return waiting

        return asked

    def open(self) -> list[asyncio.Future[Any]]:
        """Those of this loop that are being answered, and not held back by a test."""
        loop = asyncio.get_running_loop()
        return [
            waiting
            for waiting, executor in self._asked.items()
            if waiting.get_loop() is loop and not waiting.done() and not _threads(executor) & _at_gates
        ]


def _threads(executor: ThreadPoolExecutor) -> set[int]:
    return {thread.ident or 0 for thread in tuple(executor._threads)}


QUESTIONS = Questions()


@contextmanager
def quick() -> Iterator[None]:
    """Within this, pilots wait by the rules of this module."""

    async def rest(min_sleep: float = 0, max_sleep: float = LONGEST) -> None:
        await at_rest()

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ThreadPoolExecutor, "submit", QUESTIONS.giving(ThreadPoolExecutor.submit))
        wrap = QUESTIONS.asking(asyncio.wrap_future)
        patch.setattr(asyncio, "wrap_future", wrap)
        patch.setattr(asyncio.futures, "wrap_future", wrap)  # the one that `asyncio.to_thread` goes through
        patch.setattr("textual.app.wait_for_idle", rest)
        patch.setattr("textual.pilot.wait_for_idle", rest)
        patch.setattr(Stylesheet, "_parse_rules", parsed_once(Stylesheet._parse_rules))
        yield


async def at_rest() -> None:
    """Wait until there is nothing to do."""
    deadline = time.monotonic() + LONGEST
    pictures = 0
    while time.monotonic() < deadline:
        await all_ready_done(deadline)
        if questions := QUESTIONS.open():
            await asyncio.wait(questions, timeout=LOOK, return_when=asyncio.FIRST_COMPLETED)
            continue
        app = running_app()
        if app is not None and app._resize_timer is not None:
            app._check_resize()  # sizes wait a little for others to come; here no other comes
            continue
        screen = app.screen if app is not None and app._screen_stack else None
        if screen is None or not unpainted(screen) or pictures == PICTURES:
            return
        pictures += 1
        screen._on_timer_update()


async def next_turn() -> None:
    """Wait until something may be different: a thread has answered, a timer of the program is due, or a moment later,
    for what threads tell on their way. Without it a loop that waits for a timer would keep the processor busy."""
    loop: Any = asyncio.get_running_loop()
    due = min((handle.when() - loop.time() for handle in loop._scheduled if not handle.cancelled()), default=TURN)
    turn = loop.create_future()
    alarm = loop.call_later(max(0.0, min(due, TURN)), turn.set_result, None)
    await asyncio.wait([turn, *QUESTIONS.open()], return_when=asyncio.FIRST_COMPLETED)
    alarm.cancel()


async def all_ready_done(deadline: float) -> None:
    """Give way until nothing else is ready to run."""
    loop: Any = asyncio.get_running_loop()
    quiet = 0
    while quiet < 2 and time.monotonic() < deadline:
        await asyncio.sleep(0)
        quiet = 0 if loop._ready else quiet + 1


def running_app() -> App[Any] | None:
    """The app that is played with."""
    app = active_app.get(None)
    return app if app is not None and app.is_running else None


def unpainted(screen: Screen[object]) -> bool:
    """Whether the screen waits for the next of its regular moments to be painted."""
    return screen.is_current and bool(
        screen._layout_required
        or screen._scroll_required
        or screen._repaint_required
        or screen._dirty_widgets
        or screen._callbacks
    )


def parsed_once(parse: Callable[..., list[RuleSet]]) -> Callable[..., list[RuleSet]]:
    """The same, which remembers what it parsed whatever style sheet it was for."""
    known: dict[tuple[object, ...], list[RuleSet]] = {}

    def parsed(sheet: Stylesheet, *args: Any, **how: Any) -> list[RuleSet]:
        key = (args, tuple(sorted(how.items())), tuple(sheet._variables.items()))
        if key not in known:
            known[key] = parse(sheet, *args, **how)
        return known[key]

    return parsed
