"""One question to several stores at once, each on a thread of its own, and what each made of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeVar

from hermes_tui.store.connection import Cancelled, StoreError

K = TypeVar("K")
A = TypeVar("A")
B = TypeVar("B")

AT_ONCE = 4  # stores that are asked at the same time


def fan(stores: Mapping[K, A], ask: Callable[[K, A], B]) -> tuple[dict[K, B], dict[K, StoreError]]:
    """What `ask` answers for each store, and the errors of those that failed; both in the order of `stores`.

    A single store is asked in this thread. All have ended when this returns. Raises Cancelled when any of them was, and
    whatever else `ask` raises but StoreError.
    """
    if len(stores) == 1:
        outcomes = [(name, _outcome(ask, name, store)) for name, store in stores.items()]
    else:
        from concurrent.futures import ThreadPoolExecutor  # nobody with one store pays for it

        with ThreadPoolExecutor(min(AT_ONCE, max(1, len(stores))), thread_name_prefix="hermes-store") as threads:
            running = [(name, threads.submit(_outcome, ask, name, store)) for name, store in stores.items()]
            outcomes = [(name, future.result()) for name, future in running]
    if any(isinstance(outcome, Cancelled) for _, outcome in outcomes):
        raise Cancelled
    answers, errors = {}, {}
    for name, outcome in outcomes:
        if isinstance(outcome, StoreError):
            errors[name] = outcome
        elif not isinstance(outcome, Cancelled):
            answers[name] = outcome
    return answers, errors


def _outcome(ask: Callable[[K, A], B], name: K, store: A) -> B | StoreError | Cancelled:
    try:
        return ask(name, store)
    except (StoreError, Cancelled) as error:
        return error
