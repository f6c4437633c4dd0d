"""Files that released versions wrote: their list by plain SQL, every lineage, every session in full, every day."""

from __future__ import annotations

import gzip
import json
import shutil
import sqlite3
from collections import Counter
from collections.abc import Iterator
from contextlib import closing

import pytest

from hermes_tui.library import Library
from hermes_tui.model import Deed, SessionKind
from hermes_tui.query import Field
from tests.real_stores.test_reading import FILES, MISSING, name_of
from tests.test_list_oracle import check

pytestmark = pytest.mark.real_stores


@pytest.fixture(scope="module", params=FILES or [MISSING], ids=name_of)
def store(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Library]:
    path = tmp_path_factory.mktemp("real") / "state.db"
    with gzip.open(request.param) as packed, path.open("wb") as unpacked:
        shutil.copyfileobj(packed, unpacked)
    with Library.open(path) as library:
        yield library


def test_the_default_list_is_what_plain_sql_makes_of_it(store: Library) -> None:
    check(store.path)


def test_every_session_has_a_lineage_and_details(store: Library) -> None:
    with closing(sqlite3.connect(store.path)) as connection:
        connection.row_factory = sqlite3.Row
        stored = {row["id"]: dict(row) for row in connection.execute("SELECT * FROM sessions")}
        counts = Counter(owner for (owner,) in connection.execute("SELECT session_id FROM messages"))
    assert dict(store.sizes()) == counts
    for key, row in stored.items():
        tree = store.tree(key)
        assert [each.id for each in tree if each.current] == [key]
        assert len({each.id for each in tree}) == len(tree)
        assert {each.id for each in tree} >= {each for each in (row["parent_session_id"],) if each}
        found = store.details(key)
        assert dict(found.columns) == row
        assert found.session.counts.total == counts[key]
        assert found.tree == sum(each.session is not None for each in tree)


def test_the_lineages_are_those_that_were_written(store: Library) -> None:
    edges = [(each.id[-6:], each.edge, each.depth, each.tip) for each in store.tree("20261026_100000_c0de01")]
    assert edges == [
        ("c0de00", SessionKind.ROOT, 0, False),
        ("c0de01", SessionKind.CONTINUATION, 0, False),
        ("c0de02", SessionKind.CONTINUATION, 0, True),
    ]
    reset = store.tree("20261027_101000_4e5e71")
    assert [(each.edge, each.depth) for each in reset] == [(SessionKind.ROOT, 0), (SessionKind.RESET, 1)]
    with closing(sqlite3.connect(store.path)) as connection:
        (config,) = connection.execute(
            "SELECT model_config FROM sessions WHERE id = '20261027_101000_4e5e71'"
        ).fetchone()
    assert (reset[1].wrong is not None) == ("_delegate_from" in config), "the upgrade of old files marked it twice"
    (root, *helpers) = store.tree("20261021_090600_5ub002")
    assert root.id == "20261021_090000_a1b2c3"
    assert {each.edge for each in helpers} == {SessionKind.DELEGATE}


def test_what_one_session_used_and_touched(store: Library) -> None:
    found = store.details("20261021_090000_a1b2c3")
    main = [usage for usage in found.usage if not usage.task]
    assert sum(usage.input or 0 for usage in main) == found.session.input_tokens == 15334
    assert all(usage.model for usage in found.usage)
    assert found.system_prompt == "You are Hermes, a helpful agent.\nWorking directory: /home/bob/project"
    assert {(each.path, each.deed) for each in found.touches} == {
        ("app.py", Deed.RAN),
        ("/home/bob/project", Deed.RAN),
        ("/home/bob/project/app.py", Deed.READ),
    }
    touched = store.touched("project/app.py")
    assert {(each.path, each.deed) for each in touched.rows} == {
        ("app.py", Deed.RAN),
        ("/home/bob/project/app.py", Deed.READ),
    }
    assert {each.anchor.session_id for each in touched.rows} == {"20261021_090000_a1b2c3"}


def test_every_message_was_said_at_some_time(store: Library) -> None:
    with closing(sqlite3.connect(store.path)) as connection:
        ends = connection.execute("SELECT min(timestamp), max(timestamp), count(*) FROM messages").fetchone()
    whole = store.day(ends[0], ends[1] + 1)
    copies = ends[2] - len(whole.moments) - sum(many for _, many in whole.hidden)
    assert 0 <= copies < 40, "rows that compaction and branches have stored again"
    assert whole.undated == 0
    assert [each.timestamp for each in whole.moments] == sorted(each.timestamp for each in whole.moments)
    middle = (ends[0] + ends[1]) / 2
    parts = [store.day(ends[0], middle), store.day(middle, ends[1] + 1)]
    assert [each.anchor for part in parts for each in part.moments] == [each.anchor for each in whole.moments]
    json.dumps([each.excerpt for each in whole.moments], ensure_ascii=False).encode()


def test_days_and_jobs_hold_every_session_once(store: Library) -> None:
    rows = store.sessions(everything=True, preview=0).rows
    with closing(sqlite3.connect(store.path)) as connection:
        (last, many, messages) = connection.execute(
            "SELECT max(started_at), count(*), (SELECT count(*) FROM messages) FROM sessions"
        ).fetchone()
    for by in (Field.SOURCE, Field.MODEL):
        used = store.activity(days=60, by=by, now=last + 86_400 * 3)
        assert sum(day.sessions for day in used.days) == sum(share.sessions for share in used.by) == many
        assert sum(day.messages or 0 for day in used.days) == messages
    jobs = store.jobs(rows)
    assert {job.source for job in jobs} == {"cron", "kanban", "tool", "webhook"}
    (cron,) = (job for job in jobs if job.source == "cron")
    assert cron.runs == ("cron_ab12cd34ef56_20261024_030000",)
    assert "Summarise the project" in cron.name  # it has no title, so it goes by what it is told to do
