"""The first key of a burst is asked at once, the others when the fingers rest."""

from __future__ import annotations

from hermes_tui.tui.burst import Burst


class Fingers:
    """A clock that a test sets."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def test_a_key_alone_is_not_kept_waiting() -> None:
    fingers = Fingers()
    burst = Burst(0.04, clock=fingers)
    assert burst.wait() == 0.0
    fingers.now += 5
    assert burst.wait() == 0.0


def test_keys_that_follow_fast_wait_for_the_next() -> None:
    fingers = Fingers()
    burst = Burst(0.04, clock=fingers)
    burst.wait()
    waits = []
    for _ in range(3):
        fingers.now += 0.08
        waits.append(burst.wait())
    assert waits == [0.04, 0.04, 0.04]
