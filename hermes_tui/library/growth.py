"""An answer of several stores while it is being found."""

from __future__ import annotations

import threading
import time

from hermes_tui.library import merging
from hermes_tui.library.questions import Growing
from hermes_tui.model import Answer

TELL_EVERY = 0.03  # seconds between two reports
Name = str | None


class Growth:
    """What all stores have found so far, told at most every TELL_EVERY seconds."""

    def __init__(self, tell: Growing, limit: int) -> None:
        self._tell = tell
        self._limit = limit
        self._lock = threading.Lock()
        self._parts: dict[Name, Answer] = {}
        self._began = time.perf_counter()
        self._told = float("-inf")

    def of(self, name: Name) -> Growing:
        """What takes the answer of one store as it grows."""

        def take(answer: Answer) -> None:
            with self._lock:
                first = bool(answer.hits) and not any(part.hits for part in self._parts.values())
                self._parts[name] = answer
                now = time.perf_counter()
                if first or now - self._told >= TELL_EVERY:
                    elapsed = (now - self._began) * 1000
                    self._tell(merging.answers(self._parts, {}, limit=self._limit, complete=False, elapsed_ms=elapsed))
                    self._told = time.perf_counter()

        return take
