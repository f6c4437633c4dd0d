"""Making very many rows at once without looking for garbage on the way."""

from __future__ import annotations

import gc
import threading
from collections.abc import Iterator
from contextlib import contextmanager


class _Calm:
    """Who makes rows now; the last one to be done has garbage looked for again, if that was so before the first."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._makers = 0
        self._was_on = False

    @contextmanager
    def __call__(self) -> Iterator[None]:
        with self._lock:
            if self._makers == 0:
                self._was_on = gc.isenabled()
                gc.disable()
            self._makers += 1
        try:
            yield
        finally:
            with self._lock:
                self._makers -= 1
                if self._makers == 0 and self._was_on:
                    gc.enable()


uncollected = _Calm()
"""`with uncollected():` no garbage is looked for, in any thread.

The collector wakes up for every seven hundred new objects and walks what there is, again and again: for a list of a
hundred thousand rows, none of which is garbage, that took as long as all the rest.
"""
