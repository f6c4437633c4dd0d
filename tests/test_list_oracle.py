"""The default list is what plain SQL makes of the same file: on the demo store, on an odd one, on random families."""

from __future__ import annotations

import random
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from hermes_tui.library import Library
from hermes_tui.recorder import Layout
from tests.conftest import SampleStore
from tests.list_oracle import default_list
from tests.store.handmade import DAY, SHAPES, Store
from tests.stores import write_odd_store


def check(path: Path) -> None:
    """Every row, its order and what it shows; and what is left out, by reason."""
    expected = default_list(path)
    with Library.open(path) as library:
        found = library.sessions(preview=10**6)
        everything = library.sessions(everything=True, preview=0)
    assert [row.id for row in found.rows] == [row["id"] for row in expected.rows]
    assert dict(found.hidden) == expected.hidden
    for row, told in zip(found.rows, expected.rows, strict=True):
        assert list(row.segments) == told["segments"]
        assert (row.source, row.title or None, row.model or None) == (told["source"], told["title"], told["model"])
        assert (row.cwd or None, row.branch, row.project) == (told["cwd"], told["branch"], told["project"])
        assert (row.started_at, row.last_active_at) == pytest.approx((told["started"], told["active"]), abs=1e-5)
        assert (row.input_tokens, row.output_tokens) == (told["input"], told["output"])
        assert row.counts.total == told["rows"]
    assert sum(len(row.segments) for row in everything.rows) == sum(len(row.segments) for row in found.rows) + sum(
        found.hidden.values()
    )


@pytest.mark.parametrize("layout", [Layout.INLINE, Layout.VIEWS])
def test_the_demo_store(layout: Layout, written_sample: SampleStore) -> None:
    check(written_sample(layout))


def test_an_odd_store(tmp_path: Path) -> None:
    path = tmp_path / "state.db"
    write_odd_store(path, Layout.VIEWS)
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE messages SET timestamp = 1780000000 WHERE typeof(timestamp) = 'text'")
    check(path)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("seed", range(4))
def test_random_families(tmp_path: Path, shape: str, seed: int) -> None:
    """Sessions whose parents began before them, with every mark, reason, source and flag."""
    chance = random.Random(seed)
    store = Store(tmp_path / "state.db", **SHAPES[shape])
    for number in range(120):
        parent = f"s{chance.randrange(number):03}" if number and chance.random() < 0.6 else None
        mark = chance.choice([None, None, None, "_branched_from", "_reset_from", "_delegate_from"])
        named = chance.choice([parent or "elsewhere", parent or "elsewhere", "elsewhere"])
        began = DAY + number * 10 + chance.random()
        reason = chance.choice([None, "compression", "compression", "branched", "session_reset", "idle", "cli_close"])
        store.session(
            f"s{number:03}",
            parent_session_id=chance.choice([parent, parent, parent, "gone"]) if parent else None,
            source=chance.choice(["cli", "cli", "telegram", "cron", "subagent", "tool", "kanban", "strange"]),
            model_config=f'{{"{mark}": "{named}"}}' if mark else None,
            end_reason=reason,
            started_at=began,
            ended_at=began + chance.choice([1, 500]) if reason else None,
            title=chance.choice([None, f"title {number}"]),
            model=chance.choice([None, "m1", "m2"]),
            cwd=chance.choice([None, "/srv"]),
            git_branch=chance.choice([None, "main"]),
            git_repo_root=chance.choice([None, "/srv/app"]),
            session_key=chance.choice([None, None, "chat:1", "chat:2"]),
            archived=int(chance.random() < 0.1),
            hidden=int(chance.random() < 0.1),
            last_activity_at=chance.choice([None, began + 3000]),
            input_tokens=chance.choice([None, 10]),
            output_tokens=chance.choice([None, 1]),
        )
        for _ in range(chance.choice([0, 1, 3])):
            store.message(f"s{number:03}", "hello", timestamp=began + chance.randrange(900))
    connection, _ = store.open()
    connection.close()
    check(store.path)
