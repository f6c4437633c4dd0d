"""Cancelling: before, during and after a statement, from any thread, and never the statement of another."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from hermes_tui.store.connection import (
    Cancelled,
    Connection,
    Ticket,
)
from tests.store.conftest import (
    ENDLESS,
    LONG,
    Around,
    texts,
    write,
)

Opener = Callable[[Path], Connection]


def test_a_cancelled_ticket_never_starts(store: Path, opened: Opener) -> None:
    write(store, "one")
    connection = opened(store)
    ticket = Ticket()
    ticket.cancel()
    assert ticket.cancelled
    with pytest.raises(Cancelled):
        texts(connection, ticket=ticket)
    with pytest.raises(Cancelled):
        ticket.check()


def test_a_ticket_cancelled_on_the_way_to_its_statement_never_starts(store: Path, opened: Opener) -> None:
    write(store, "one")
    connection = opened(store)

    class Late(Ticket):
        @contextmanager
        def running(self, stop: Callable[[], None]) -> Iterator[None]:
            self.cancel()
            with super().running(stop):
                raise AssertionError("it started")
            yield

    with pytest.raises(Cancelled):
        texts(connection, ticket=Late())


def in_background(work: Callable[[], Any]) -> tuple[threading.Thread, list[object]]:
    """Run in a thread; the list gets the answer or the exception."""
    outcome: list[object] = []

    def run() -> None:
        try:
            outcome.append(work())
        except Exception as error:
            outcome.append(error)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    return thread, outcome


def test_a_running_statement_stops(store: Path, opened: Opener) -> None:
    write(store, "one")
    connection = opened(store)
    started = threading.Event()
    ticket = Around(before=started.set)
    thread, outcome = in_background(lambda: connection.rows(ENDLESS, ticket=ticket))
    assert started.wait(30)
    ticket.cancel()
    thread.join(30)
    assert [type(one) for one in outcome] == [Cancelled]
    assert texts(connection) == ["one"]


def test_a_cancel_that_came_before_the_first_step_is_not_lost(store: Path, opened: Opener) -> None:
    """SQLite forgets an interrupt when the statement has not begun."""
    write(store, "one")
    connection = opened(store)
    ticket = Around(before=lambda: ticket.cancel())
    thread, outcome = in_background(lambda: connection.rows(ENDLESS, ticket=ticket))
    thread.join(30)
    assert [type(one) for one in outcome] == [Cancelled]


def test_a_cancel_never_hits_the_statement_of_another_ticket(store: Path, opened: Opener) -> None:
    write(store, "one")
    connection = opened(store)
    old = Around(before=lambda: old.cancel())
    with pytest.raises(Cancelled):
        connection.rows(ENDLESS, ticket=old)
    stop = threading.Event()

    def keep_cancelling() -> None:
        while not stop.is_set():
            old.cancel()

    thread = threading.Thread(target=keep_cancelling)
    thread.start()
    try:
        for _ in range(10):
            assert connection.value(LONG, ticket=Ticket()) == 100000
    finally:
        stop.set()
        thread.join()


def test_a_cancel_right_after_the_answer_harms_nobody(store: Path, opened: Opener) -> None:
    write(store, "one")
    connection = opened(store)
    for _ in range(10):
        ticket = cancelling_after()
        assert texts(connection, ticket=ticket) == ["one"]
        assert ticket.cancelled
        assert connection.value(LONG) == 100000


def cancelling_after() -> Ticket:
    """A ticket that is cancelled when its first statement has run."""
    ticket = Around(after=lambda: ticket.cancel())
    return ticket


def test_waiting_for_ones_turn_can_be_cancelled(store: Path, opened: Opener) -> None:
    write(store, "one")
    connection = opened(store)
    started = threading.Event()
    first, second = Around(before=started.set), Ticket()
    thread, outcome = in_background(lambda: connection.rows(ENDLESS, ticket=first))
    assert started.wait(30)
    waiting, refused = in_background(lambda: texts(connection, ticket=second))
    second.cancel()
    waiting.join(30)
    assert [type(one) for one in refused] == [Cancelled]
    assert outcome == []
    first.cancel()
    thread.join(30)
    assert [type(one) for one in outcome] == [Cancelled]


def test_one_ticket_stops_statements_on_two_connections(store: Path, opened: Opener) -> None:
    write(store, "one")
    running = threading.Barrier(3, timeout=30)
    ticket = Around(before=running.wait)
    connections = [opened(store), opened(store)]
    work = [in_background(partial(one.rows, ENDLESS, ticket=ticket)) for one in connections]
    running.wait()
    ticket.cancel()
    for thread, outcome in work:
        thread.join(30)
        assert [type(one) for one in outcome] == [Cancelled]


def test_closing_stops_what_is_running(store: Path, opened: Opener) -> None:
    write(store, "one")
    connection = opened(store)
    started = threading.Event()
    thread, outcome = in_background(lambda: connection.rows(ENDLESS, ticket=Around(before=started.set)))
    assert started.wait(30)
    connection.close()
    thread.join(30)
    assert [type(one) for one in outcome] == [Cancelled]


def test_many_threads_share_one_connection(store: Path, opened: Opener) -> None:
    write(store, *[str(n) for n in range(100)])
    connection = opened(store)
    work = [in_background(lambda: [len(texts(connection)) for _ in range(30)]) for _ in range(8)]
    for thread, outcome in work:
        thread.join(60)
        assert outcome == [[100] * 30]
