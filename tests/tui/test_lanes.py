"""What is asked off the event loop, and how answers come back to it."""

from __future__ import annotations

import asyncio
import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermes_tui.model import Anchor, Counts, Kind, OutlineRow, Session, State, Transcript
from hermes_tui.store.connection import Ticket
from hermes_tui.tui.lanes import BUDGET, REACH, Lane, Relay, around, holds, index_of


def transcript(*sizes: int, copies: dict[int, int] | None = None) -> Transcript:
    """Messages 1, 2, 3 ... of these sizes, the first two in session `a`, the others in `b`."""
    rows = tuple(
        OutlineRow(number, "a" if number < 3 else "b", "user", State.LIVE, Kind.TURN, size)
        for number, size in enumerate(sizes, 1)
    )
    return Transcript(Session("b", "cli"), (Session("a", "cli"), Session("b", "cli")), rows, Counts(), copies or {})


def test_the_message_asked_for_comes_first_and_then_its_neighbours() -> None:
    assert around(transcript(*[10] * 7), Anchor("b", 4)) == (4, 5, 3, 6, 2, 7, 1)


def test_a_folded_copy_is_read_where_it_is_shown() -> None:
    folded = transcript(10, 10, 10, copies={99: 2})
    assert index_of(folded, Anchor("a", 99)) == 1
    assert around(folded, Anchor("a", 99))[0] == 2
    assert holds(folded, Anchor("a", 99))


def test_a_session_without_a_message_is_read_from_its_beginning() -> None:
    assert around(transcript(*[10] * 5), Anchor("b"))[0] == 3


@given(st.lists(st.integers(0, 2 * BUDGET), min_size=1, max_size=200), st.data())
def test_what_is_read_at_once_is_bounded(sizes: list[int], data: st.DataObject) -> None:
    asked = data.draw(st.integers(1, len(sizes)))
    ids = around(transcript(*sizes), Anchor("b", asked))
    assert ids[0] == asked
    assert len(ids) == len(set(ids)) <= 2 * REACH + 1
    assert sum(sizes[number - 1] for number in ids[1:]) <= BUDGET


def test_a_transcript_does_not_hold_what_came_after_it_was_read() -> None:
    read = transcript(10, 10, 10)
    assert holds(read, Anchor("b", 3))
    assert holds(read, Anchor("a"))
    assert not holds(read, Anchor("b", 4))
    assert not holds(read, Anchor("c"))


async def test_a_cancelled_question_has_its_ticket_cancelled_and_its_answer_dropped() -> None:
    lane, began, tickets = Lane("test"), asyncio.Event(), list[Ticket]()
    loop, finish = asyncio.get_running_loop(), threading.Event()

    def question(ticket: Ticket) -> str:
        tickets.append(ticket)
        loop.call_soon_threadsafe(began.set)
        finish.wait(20)
        return "late"

    asking = asyncio.create_task(lane.ask(question))
    await began.wait()
    asking.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asking
    assert tickets[0].cancelled
    finish.set()
    assert await lane.ask(lambda ticket: "new") == "new"
    lane.close()


async def test_a_question_cancelled_in_the_queue_is_never_asked() -> None:
    lane, finish, asked = Lane("test"), threading.Event(), list[str]()
    first = asyncio.create_task(lane.ask(lambda ticket: finish.wait(20)))
    second = asyncio.create_task(lane.ask(lambda ticket: asked.append("second")))
    await asyncio.sleep(0)
    second.cancel()
    with pytest.raises(asyncio.CancelledError):
        await second  # the thread is still busy with the first: only now has the question been given up
    finish.set()
    await first
    assert await lane.ask(lambda ticket: "third") == "third"
    assert asked == []
    lane.close()


async def test_closing_a_lane_stops_what_runs_on_it() -> None:
    lane, began = Lane("test"), threading.Event()

    def question(ticket: Ticket) -> None:
        began.set()
        while True:
            ticket.check()

    asking = asyncio.create_task(lane.ask(question))
    await asyncio.to_thread(began.wait, 20)
    lane.close()
    with pytest.raises(asyncio.CancelledError):
        await asking


async def test_a_stream_shows_the_newest_value_and_skips_those_overtaken() -> None:
    seen: list[int] = []
    done = asyncio.Event()

    def take(value: int) -> None:
        seen.append(value)
        if value == 99:
            done.set()

    relay = Relay(take)

    def pour() -> None:
        for value in range(100):
            relay(value)

    await asyncio.to_thread(pour)
    await asyncio.wait_for(done.wait(), 20)
    assert seen[-1] == 99
    assert seen == sorted(seen)
    assert len(seen) <= 3


async def test_nothing_of_a_stream_arrives_after_its_end() -> None:
    seen: list[int] = []
    relay = Relay(seen.append)
    await asyncio.to_thread(relay, 1)
    before = list(seen)
    relay.stop()
    await asyncio.to_thread(relay, 2)
    await asyncio.to_thread(relay, 3)
    assert seen == before
