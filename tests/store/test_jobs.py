"""Which rows of a list are runs of one job, how each ended, and how long sessions are."""

from __future__ import annotations

from pathlib import Path

import pytest

from hermes_tui.model import Job, Status
from hermes_tui.store.jobs import OUTCOMES, jobs, sizes
from hermes_tui.store.sessions import list_sessions
from tests.store.handmade import DAY, SHAPES, Store
from tests.store.plans import plans, scans


def told(store: Store) -> tuple[Job, ...]:
    connection, capabilities = store.open()
    with connection:
        rows = list_sessions(connection, capabilities, everything=True).rows
        return jobs(connection, capabilities, rows)


@pytest.mark.parametrize("shape", SHAPES)
def test_runs_of_a_job_are_together(tmp_path: Path, shape: str) -> None:
    store = Store(tmp_path / "state.db", **SHAPES[shape])
    ends = ({"role": "assistant"}, {"role": "assistant", "finish_reason": "error"}, {"role": "tool"}, None)
    for number, end in enumerate(ends):
        key = f"cron_back_up_2026010{number + 1}_030000"
        title = f"Nightly backup · Jan {number + 1:02} 03:00" + (" #2" if number == 3 else "")
        store.session(key, source="cron", title=title, started_at=DAY + number * 100)
        if end is not None:
            store.message(key, "x", timestamp=DAY + number * 100 + 1, **end)
    store.session("cron_ab12_20260105_030000", source="cron", started_at=DAY + 50)
    store.session("k1", source="kanban", title="Water the plants", started_at=DAY + 10)
    store.session("k2", source="kanban", title="Water the plants #2", started_at=DAY + 20)
    store.session("k3", source="kanban", title="Sweep 2026-01-03", started_at=DAY + 5)
    store.session("w1", source="webhook", started_at=DAY + 1)
    store.session("w2", source="webhook", started_at=DAY + 2)
    store.session("typed", source="cli", title="cron_ab12_20260105_030000", started_at=DAY + 900)
    found = told(store)
    assert [(job.name, job.source, job.runs, job.last) for job in found] == [
        ("Nightly backup", "cron", tuple(f"cron_back_up_2026010{n}_030000" for n in (4, 3, 2, 1)), DAY + 300),
        ("ab12", "cron", ("cron_ab12_20260105_030000",), DAY + 50),
        ("Water the plants", "kanban", ("k2", "k1"), DAY + 20),
        ("Sweep", "kanban", ("k3",), DAY + 5),
        ("webhook", "webhook", ("w2", "w1"), DAY + 2),
    ]
    assert found[0].outcomes == (Status.EMPTY, Status.INTERRUPTED, Status.ERROR, Status.COMPLETE)


def test_a_run_that_was_compressed_is_one_run(tmp_path: Path) -> None:
    store = Store(tmp_path / "state.db")
    store.session("cron_x_20260101_000000", source="cron", end_reason="compression", ended_at=DAY + 5)
    store.session("20260101_000500_abcdef", source="cron", parent_session_id="cron_x_20260101_000000")
    store.message("20260101_000500_abcdef", "failed", role="assistant", finish_reason="error")
    (job,) = told(store)
    assert (job.name, job.runs, job.outcomes) == ("x", ("20260101_000500_abcdef",), (Status.ERROR,))


def test_a_job_without_a_title_is_called_by_what_it_is_told_to_do(tmp_path: Path) -> None:
    store = Store(tmp_path / "state.db")
    for job, words in (("a1", "Check the disk."), ("b2", "[Cron job: nightly backup] Run it."), ("c3", "")):
        for number in range(2):
            key = f"cron_{job}_20260101_00000{number}"
            store.session(key, source="cron", started_at=DAY + number)
            store.message(key, words, timestamp=DAY + number)
    assert {job.name for job in told(store)} == {"Check the disk.", "nightly backup", "c3"}


def test_only_the_newest_ends_are_looked_up(tmp_path: Path) -> None:
    store = Store(tmp_path / "state.db")
    for number in range(OUTCOMES + 5):
        store.session(f"cron_x_20260101_{number:06}", source="cron", started_at=DAY + number)
    (job,) = told(store)
    assert (len(job.runs), len(job.outcomes)) == (OUTCOMES + 5, OUTCOMES)


@pytest.mark.parametrize("shape", SHAPES)
def test_sizes_count_every_row(tmp_path: Path, shape: str) -> None:
    store = Store(tmp_path / "state.db", **SHAPES[shape])
    for session, many in (("A", 3), ("B", 1)):
        store.session(session)
        for number in range(many):
            store.message(session, "x", active=number % 2)
    store.session("empty")
    store.message("stranger", "x")
    connection, _ = store.open()
    with connection:
        assert sizes(connection) == {"A": 3, "B": 1, "stranger": 1}


def test_sizes_are_counted_in_an_index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = Store(tmp_path / "state.db")
    store.message("A", "x")
    connection, _ = store.open()
    with connection:
        steps = plans(connection, lambda: sizes(connection), monkeypatch)
    assert scans(steps, "messages", "m") == []
    assert any("COVERING INDEX" in step for step in steps)
