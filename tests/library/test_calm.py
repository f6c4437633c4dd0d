"""The garbage collector is left as it was found, whoever makes rows at the same time."""

from __future__ import annotations

import gc
from collections.abc import Iterator

import pytest

from hermes_tui.library import uncollected


@pytest.fixture(autouse=True)
def collecting() -> Iterator[None]:
    was_on = gc.isenabled()
    gc.enable()
    yield
    (gc.enable if was_on else gc.disable)()


def test_nothing_is_collected_until_the_last_maker_is_done() -> None:
    one, other = uncollected(), uncollected()
    one.__enter__()
    other.__enter__()
    assert not gc.isenabled()
    one.__exit__(None, None, None)
    assert not gc.isenabled()
    other.__exit__(None, None, None)
    assert gc.isenabled()


def test_an_error_leaves_it_on() -> None:
    with pytest.raises(ValueError, match="no rows"), uncollected():
        raise ValueError("no rows")
    assert gc.isenabled()


def test_whoever_turned_it_off_before_turns_it_on_again() -> None:
    gc.disable()
    with uncollected():
        pass
    assert not gc.isenabled()
