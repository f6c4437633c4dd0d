"""Our default list beside what `hermes sessions list` prints for the same file: every difference has a reason.

The file is the demo store, and each file of real releases when HERMES_TUI_REAL_STORES names their folder.
"""

from __future__ import annotations

import gzip
import os
import re
import shutil
import sqlite3
from collections import Counter
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from hermes_tui.library import Library
from hermes_tui.model import Session, SessionKind, SessionList
from hermes_tui.recorder import Layout
from hermes_tui.sample import write_sample
from tests.interop.conftest import FORK, OLDEST, UPSTREAM, Release, Releases

pytestmark = pytest.mark.interop

SCRIPT = Path(__file__).with_name("hermes_list.py")
FOLDER = os.environ.get("HERMES_TUI_REAL_STORES", "")
REAL = sorted(Path(FOLDER).glob("*.db.gz")) if FOLDER else []
CLEAN = re.compile(r"\W+")


def demo(layout: Layout) -> Callable[[Path], None]:
    return lambda path: write_sample(path, layout=layout)


def unpacked(file: Path) -> Callable[[Path], None]:
    def write(path: Path) -> None:
        with gzip.open(file) as packed, path.open("wb") as plain:
            shutil.copyfileobj(packed, plain)

    return write


STORES = [
    pytest.param(OLDEST, demo(Layout.INLINE), id="demo-oldest"),
    pytest.param(UPSTREAM, demo(Layout.INLINE), id="demo-upstream"),
    pytest.param(FORK, demo(Layout.VIEWS), id="demo-fork"),
    *(
        pytest.param(UPSTREAM if file.name.startswith("0.1") else FORK, unpacked(file), id=file.name.split(".db")[0])
        for file in REAL
    ),
]


def printed(release: Release, store: Path) -> list[tuple[str, str]]:
    """The lines of `hermes sessions list`: the id, and what stands before it."""
    release.home.mkdir(exist_ok=True)
    shutil.copyfile(store, release.home / "state.db")  # the release upgrades what it opens
    told = release.run(SCRIPT, "sessions", "list", "--limit", "100000")
    (rule,) = [number for number, line in enumerate(told.splitlines()) if line.startswith("──")]
    lines = [line.rsplit(maxsplit=1) for line in told.splitlines()[rule + 1 :] if line.strip()]
    return [(line[-1], line[0]) for line in lines]


def theirs_alone(row: Session, ours: SessionList) -> str | None:
    """Why the release lists a row that we leave out by default."""
    if row.source in ours.hidden:
        return "automation: folded, counted, and shown by one key"
    if row.archived or row.hidden:
        return "the release knows no such flag"
    return None


def ours_alone(row: Session, config: str) -> str | None:
    """Why we list a row that the release leaves out."""
    match row.kind:
        case SessionKind.RESET:
            return "a reset in the same chat is a conversation of its own"
        case SessionKind.BRANCH:
            return "a branch is a conversation of its own"
        case SessionKind.ORPHAN:
            return "its parent is not there, so nothing else shows it"
        case SessionKind.CONTINUATION:
            return "it goes on from where another went on as well"
        case SessionKind.DELEGATE if "_delegate_from" not in config and row.source != "subagent":
            return "nothing but a parent says that a sub-agent held it: a person may have"
        case _:
            return "wrongly marked by an upgrade" if "__orphaned__" in config else None


@pytest.mark.parametrize(("name", "write"), STORES)
def test_every_difference_has_a_reason(
    name: str, write: Callable[[Path], None], releases: Releases, tmp_path: Path
) -> None:
    store = tmp_path / "state.db"
    write(store)
    release = releases.get(name, tmp_path / "home")
    lines = printed(release, store)
    theirs = [key for key, _ in lines]
    with closing(sqlite3.connect(store)) as connection:
        configs = dict(connection.execute("SELECT id, COALESCE(model_config, '') FROM sessions").fetchall())
    with Library.open(store) as library:
        default = library.sessions(preview=0)
        everything = {row.id: row for row in library.sessions(everything=True, preview=0).rows}
    ours = {row.id: row for row in default.rows}
    assert len(theirs) == len(set(theirs)) > 10

    reasons: Counter[str] = Counter()
    unexplained: list[Any] = []
    for key in theirs:
        if key not in ours:
            assert key in everything, "one row for a conversation, and it is the same one"
            reason = theirs_alone(everything[key], default)
            reasons[reason or ""] += 1
            unexplained += [] if reason else [everything[key]]
    for key in ours.keys() - set(theirs):
        reason = ours_alone(ours[key], configs[key])
        reasons[reason or ""] += 1
        unexplained += [] if reason else [ours[key]]
    assert unexplained == []
    both = [key for key in theirs if key in ours]
    assert len(both) >= 10, "most rows are in both lists"
    assert reasons["automation: folded, counted, and shown by one key"], "the file holds automation"

    # Theirs are in the order they began (what was pinned stands first in newer releases); ours by last activity.
    started = [ours[key].started_at or 0.0 for key in both if not ours[key].pinned]
    assert started == sorted(started, reverse=True)
    for key, line in lines:
        title = ours[key].title if key in ours else None
        if title:
            assert CLEAN.sub("", line).startswith(CLEAN.sub("", title)[:16])
