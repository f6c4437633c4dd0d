"""The benchmarks beside other programs and beside a writer still run, and what they count is right; nothing is left."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from hermes_tui.library import Library
from hermes_tui.recorder import Layout
from tests.benchmarks import disk, peers, tables, wal
from tests.benchmarks.asked import SEARCHES, Asking, prepare
from tests.benchmarks.homes import Home
from tests.benchmarks.rivals import LIMIT, OURS, ROOT, SCREENS, SEARCHERS, VARIABLE, Found

VERBS_AT_ONCE = """
import contextlib, io, json, sys
from hermes_tui.cli import main
for words in json.loads(sys.argv[1]):
    with contextlib.redirect_stdout(io.TextIOWrapper(io.BytesIO(), "utf-8")):
        code = main(words)
    assert code == 0, (words, code)
"""


def silent(text: str) -> None:
    """Progress that nobody reads."""


@pytest.fixture(scope="module")
def asking(tmp_path_factory: pytest.TempPathFactory) -> Asking:
    return prepare(tmp_path_factory.mktemp("asked"), "XS", Layout.VIEWS, say=silent)


def test_what_others_are_asked_has_right_rows_and_we_find_exactly_those(asking: Asking) -> None:
    with Library.open(asking.store.path) as library:
        for asked in SEARCHES:
            assert asking.right[asked.name], asked.name
            answer = library.search(asked.text, limit=LIMIT)
            assert {hit.message.id for hit in answer.hits} == asking.right[asked.name], asked.name


def test_what_an_answer_names_is_judged_by_brute_force(asking: Asking) -> None:
    asked = SEARCHES[1]
    right = asking.right[asked.name]
    some, other = sorted(right)[:3], min(set(asking.places) - right)
    few = {"right": 3, "expected": len(right), "wrong": 1}
    assert peers.judged(Found(ids=frozenset([*some, other])), asked, asking) == few
    places = frozenset(asking.places[row] for row in [*some, other])
    assert peers.judged(Found(places=places), asked, asking) == few
    sessions = {asking.places[row][0] for row in right}
    told = peers.judged(Found(sessions=frozenset([min(sessions), "none"])), asked, asking)
    assert told == {"right": 1, "expected": len(sessions), "wrong": 1}


def test_others_that_are_not_there_are_rows_that_say_so(asking: Asking, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(VARIABLE, raising=False)
    monkeypatch.setenv("PATH", "")
    monkeypatch.setattr(peers, "SCREENS", SCREENS[1:])
    results = list(peers.run(asking, (), runs=1, say=silent, searches=SEARCHES[:1]))
    notes = {(each.name, each.variant): each.note for each in results if not each.times}
    assert {variant for name, variant in notes if name == "first rows"} == {screen.name for screen in SCREENS[1:]}
    for name in ("search: all twelve", "command: all twelve"):
        assert any(wanted == name for wanted, _ in notes)
    assert all("not there" in note for note in notes.values())
    found = {(each.name, each.variant): each.counts for each in results if each.times}
    expected = len(asking.right["words"])
    assert found["search: words", OURS] == found["command: words", OURS]
    assert found["search: words", OURS] == {"right": expected, "expected": expected, "wrong": 0}
    assert found["search: words", peers.LIKE] == {"right": expected, "expected": expected, "wrong": 0}
    printed = tables.report(results)
    assert "| command: all twelve | search-clanker-history |" in printed
    assert len(SEARCHERS) == 4


def test_an_agent_that_saves_is_measured(tmp_path: Path, asking: Asking) -> None:
    home = Home.made(tmp_path / "home", asking.store.path)
    told = wal.save(home.store, "wal", 0.05)
    assert told.commits
    assert told.log > 0
    assert told.refused == 0
    alone = wal.Takes([told, wal.Told([0.001] * 99 + [0.5], told.log + 8, 1)])
    assert alone.tails[1] == 0.5
    assert alone.log == told.log + 4
    assert len(alone.commits) == len(told.commits) + 100
    assert home.left().pages > 0, "what was saved is in the store"


@pytest.mark.parametrize("journal", ["wal", "delete"])
def test_no_verb_leaves_anything_behind(journal: str, asking: Asking, tmp_path: Path) -> None:
    """Nothing beside the store, in the home folder or in the one for temporary files, and the store as it was."""
    home = Home.made(tmp_path / "home", asking.store.path, journal=journal)
    verbs = [
        ["--db", str(home.store), *(word.format(session=asking.store.session) for word in words)]
        for words in disk.VERBS.values()
    ]
    subprocess.run(
        [sys.executable, "-c", VERBS_AT_ONCE, json.dumps(verbs)],
        env=home.environment() | {"PYTHONPATH": str(ROOT)},
        cwd=home.folder,
        check=True,
    )
    assert home.left().sizes == {}
    assert home.left().pages == 0
    (home.folder / "stray").write_text("x", encoding="utf-8")
    assert home.left().sizes == {"stray": 1}, "it would have been seen"
