"""Lets a browser without a terminal do all it has to do, and no longer.

Textual's pilot takes the program to be at rest once it used next to no processor time for 20 ms, and looks for that
three times for a key. Here it is at rest when nothing is ready to run, no thread is at work on a question, and the
screen shows what it has to show. It also reads the style sheets of each app anew; here once for all apps with the same
colours.
"""

from __future__ import annotations

import asyncio
import time
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from textual._context import active_app
from textual.css.model import RuleSet
from textual.css.stylesheet import Stylesheet
from textual.screen import Screen

from hermes_tui.tui.lanes import Lane

LOOK = 0.02
"""Seconds for which a thread has to use no processor time to be taken as one that is held up."""
HELD = 0.05
"""The part of these seconds that it may use nevertheless."""
LONGEST = 1.0
"""Seconds after which a program that never rests is left alone."""
PICTURES = 10
"""How often the screen may ask to be painted again at once."""


@contextmanager
def quick() -> Iterator[None]:
    """Within this, pilots wait by the rules of this module."""
    lanes: weakref.WeakSet[Lane] = weakref.WeakSet()
    begin = Lane.__init__

    def note(lane: Lane, name: str) -> None:
        begin(lane, name)
        lanes.add(lane)

    async def rest(min_sleep: float = 0, max_sleep: float = LONGEST) -> None:
        await at_rest(lambda: any(lane._tickets for lane in lanes))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Lane, "__init__", note)
        patch.setattr("textual.app.wait_for_idle", rest)
        patch.setattr("textual.pilot.wait_for_idle", rest)
        patch.setattr(Stylesheet, "_parse_rules", parsed_once(Stylesheet._parse_rules))
        yield


async def at_rest(asking: Callable[[], bool]) -> None:
    """Wait until there is nothing to do; `asking` tells whether a thread is at work."""
    deadline = time.monotonic() + LONGEST
    pictures = 0
    while time.monotonic() < deadline:
        await all_ready_done(deadline)
        if asking() and await working(asking):
            continue
        app = active_app.get(None)
        if app is not None and app.is_running and app._resize_event is not None:
            await asyncio.sleep(LOOK / 20)  # sizes wait a little for others to come
            continue
        screen = screen_on_top()
        if screen is None or not unpainted(screen) or pictures == PICTURES:
            return
        pictures += 1
        screen._on_timer_update()


async def all_ready_done(deadline: float) -> None:
    """Give way until nothing else is ready to run."""
    loop: Any = asyncio.get_running_loop()
    quiet = 0
    while quiet < 2 and time.monotonic() < deadline:
        await asyncio.sleep(0)
        quiet = 0 if loop._ready else quiet + 1


async def working(asking: Callable[[], bool]) -> bool:
    """Wait for the threads that are asked; False when they only wait, as a test may have them do."""
    began, used = time.monotonic(), time.process_time()
    while asking():
        await asyncio.sleep(LOOK / 20)
        took = time.monotonic() - began
        if took >= LOOK:
            return time.process_time() - used > HELD * took
    return True


def screen_on_top() -> Screen[object] | None:
    """What is on the screen of the running app."""
    app = active_app.get(None)
    return app.screen if app is not None and app.is_running and app._screen_stack else None


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
