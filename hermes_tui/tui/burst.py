"""When to ask: the first key of a burst at once, the rest when the fingers rest."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable


class Burst:
    """Tells keys that come alone from keys that come fast.

    `delay` is in seconds. A key that follows another within three delays belongs to a burst and is to wait one delay,
    in which a newer one may overtake it.
    """

    def __init__(self, delay: float, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._delay = delay
        self._clock = clock
        self._last = float("-inf")

    def wait(self) -> float:
        """Note a key now; the seconds to wait before asking."""
        now = self._clock()
        alone = now - self._last > 3 * self._delay
        self._last = now
        return 0.0 if alone else self._delay

    async def pause(self, seconds: float) -> None:
        """Wait that long; nothing at all for none."""
        if seconds > 0:
            await asyncio.sleep(seconds)
