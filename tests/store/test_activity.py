"""What was used on each day: the same sums as adding up by hand, on days of the local clock."""

from __future__ import annotations

import time
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from hermes_tui.model import Activity, Share
from hermes_tui.store.activity import activity, local_midnights
from tests.store.handmade import DAY, SHAPES, Store
from tests.store.plans import plans, scans


@pytest.fixture
def zone(monkeypatch: pytest.MonkeyPatch) -> Iterator[pytest.MonkeyPatch]:
    """A clock that is turned on 29 March and 25 October 2026."""
    if not hasattr(time, "tzset"):
        pytest.skip("this system has one clock for all")
    monkeypatch.setenv("TZ", "Europe/Berlin")
    time.tzset()
    yield monkeypatch
    monkeypatch.undo()
    time.tzset()


def at(text: str) -> float:
    return datetime.fromisoformat(text).timestamp()


def used(store: Store, **how: Any) -> Activity:
    connection, capabilities = store.open()
    with connection:
        return activity(connection, capabilities, **how)


@pytest.mark.parametrize("shape", SHAPES)
def test_sums_by_local_day(tmp_path: Path, shape: str, zone: pytest.MonkeyPatch) -> None:
    store = Store(tmp_path / "state.db", **SHAPES[shape])
    store.session("late", started_at=at("2026-03-28T23:59:59"), input_tokens=9, source="telegram")
    cells: dict[str, Any] = {"input_tokens": 100, "output_tokens": 10, "estimated_cost_usd": 0.5}
    store.session("a", started_at=at("2026-03-29T00:00:00"), model="m1", **cells)
    store.session("b", started_at=at("2026-03-29T23:30:00"), actual_cost_usd=0.25, model="m1", **cells)
    store.session("c", started_at=at("2026-03-30T00:00:00") * 1000, source="telegram", output_tokens="7")
    store.session("before", started_at=at("2026-03-27T23:59:00"))
    store.session("tomorrow", started_at=at("2026-03-31T00:00:00"))
    for odd in (None, -1.0, "soon", 5e246):
        store.session(f"odd {odd}", started_at=odd)
    store.message("a", "m", timestamp=at("2026-03-29T01:59:00"))
    store.message("a", "m", timestamp=at("2026-03-29T03:01:00"))
    store.message("late", "m", timestamp=at("2026-03-30T23:59:59"))
    store.message("a", "m", timestamp=at("2026-03-31T00:00:00"))
    found = used(store, days=3, now=at("2026-03-30T12:00:00"))
    assert [each.start for each in found.days] == [at(f"2026-03-{day}T00:00:00") for day in (28, 29, 30)]
    assert [each.sessions for each in found.days] == [1, 2, 1]
    assert found.earlier == 1
    assert [(each.input, each.output) for each in found.days] == [(9, 0), (200, 20), (0, 7)]
    assert [each.cost_usd for each in found.days] == [None, 0.75, None]
    messages = [None] * 3 if shape == "unindexed" else [0, 2, 1]
    assert [each.messages for each in found.days] == messages
    assert found.by == (Share("cli", 2, 220, 0.75), Share("telegram", 2, 16, None))
    assert found.undated == 4


def test_by_model(tmp_path: Path) -> None:
    store = Store(tmp_path / "state.db")
    for number, model in enumerate(("m2", None, "m1", "m2")):
        store.session(f"s{number}", started_at=DAY, model=model, input_tokens=number)
    found = used(store, days=1, now=DAY, by="model")
    assert found.by == (Share("m2", 2, 3, None), Share("m1", 1, 2, None), Share("unknown", 1, 1, None))
    with pytest.raises(ValueError, match="title"):
        used(Store(tmp_path / "b.db"), now=DAY, by="title")


def test_an_empty_store_has_empty_days(tmp_path: Path) -> None:
    found = used(Store(tmp_path / "state.db"), days=90, now=DAY)
    assert len(found.days) == 90
    assert {(each.sessions, each.messages) for each in found.days} == {(0, 0)}
    assert found.by == ()


@pytest.mark.parametrize("name", ["Europe/Berlin", "America/St_Johns", "Asia/Kathmandu", "Pacific/Apia"])
def test_days_begin_at_midnight_wherever_one_is(zone: pytest.MonkeyPatch, name: str) -> None:
    zone.setenv("TZ", name)
    time.tzset()
    found = local_midnights(at("2026-11-30T18:00:00"), 400)
    assert len(found) == 401
    assert found == sorted(found)
    clocks = [datetime.fromtimestamp(moment) for moment in found]
    assert {(clock.hour, clock.minute) for clock in clocks} == {(0, 0)}
    assert len({clock.date() for clock in clocks}) == 401
    assert clocks[-2].date() == datetime(2026, 11, 30).date()


def test_messages_are_counted_in_an_index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = Store(tmp_path / "state.db")
    store.run("CREATE INDEX started ON sessions(started_at DESC)")
    store.session("S")
    store.message("S", "hello")
    connection, capabilities = store.open()
    with connection:
        steps = plans(connection, lambda: activity(connection, capabilities, now=DAY), monkeypatch)
    assert scans(steps, "messages", "m") == scans(steps, "sessions", "s") == []
    assert any("COVERING INDEX" in step for step in steps)
