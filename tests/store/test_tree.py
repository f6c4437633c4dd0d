"""The lineage as a tree: every session of it once, each edge named, whatever the links say."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hermes_tui.model import Counts, SessionKind, Status, TreeRow
from hermes_tui.store.tree import DETAILED, RAILS, tree
from tests.store.handmade import DAY, SHAPES, Store
from tests.store.plans import plans, scans


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "state.db")


def rows_of(store: Store, session: str) -> tuple[TreeRow, ...]:
    connection, capabilities = store.open()
    with connection:
        return tree(connection, capabilities, session)


def drawn(rows: tuple[TreeRow, ...]) -> list[str]:
    """As a screen draws it: the lines of the levels above, the corner, the id, the edge, `*` for a tip."""
    lines = []
    for row in rows:
        lead = "".join("| " if goes_on else "  " for goes_on in row.rails)
        mark = "*" if row.tip else "?" if row.session is None else ""
        lines.append(f"{lead}{'`' if row.last else '+'} {row.id}{mark} {row.edge.value}")
    return lines


def write_family(store: Store) -> None:
    """A conversation of three sessions with all that can begin in one, told out of order."""
    compressed = {"end_reason": "compression", "ended_at": DAY + 90}
    store.session("C", parent_session_id="B", started_at=DAY + 300)
    store.session("A", title="Harbour", **compressed)
    store.session("B", parent_session_id="A", started_at=DAY + 100, **compressed)
    store.session("split", parent_session_id="A", started_at=DAY + 95, ended_at=DAY + 96)
    store.session("branch", parent_session_id="A", started_at=DAY + 50, config={"_branched_from": "A"}, **compressed)
    store.session("branch2", parent_session_id="branch", started_at=DAY + 120, config={"_branched_from": "A"})
    store.session("helper", parent_session_id="branch", started_at=DAY + 60, source="subagent")
    store.session("reset", parent_session_id="C", started_at=DAY + 400, config={"_reset_from": "C"})
    store.session("worker", parent_session_id="C", started_at=DAY + 350, config={"_delegate_from": "C"})
    store.session("stranger")
    store.message("B", "one")
    store.message("B", "two", role="assistant")


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("asked", ["A", "C", "branch2", "reset"])
def test_a_lineage_is_told_from_its_beginning_whoever_is_asked(tmp_path: Path, shape: str, asked: str) -> None:
    store = Store(tmp_path / "state.db", **SHAPES[shape])
    write_family(store)
    rows = rows_of(store, asked)
    assert drawn(rows) == [
        "+ A root",
        "| + branch branch",
        "| | ` helper* delegate",
        "| + branch2* continuation",
        "| ` split* continuation",
        "+ B continuation",
        "` C* continuation",
        "  + worker* delegate",
        "  ` reset* reset",
    ]
    assert [row.id for row in rows if row.current] == [asked]
    assert [row.wrong for row in rows] == [None] * len(rows)
    told = {row.id: row.session for row in rows}
    middle = told["B"]
    assert middle is not None
    assert (middle.counts, middle.status, middle.preview) == (Counts(live=2), Status.COMPLETE, "one")
    assert middle.segments == ("A", "B", "C")
    assert told["A"] is not None
    assert (told["A"].title, told["A"].status) == ("Harbour", Status.EMPTY)


def test_a_parent_that_is_missing_has_a_row(store: Store) -> None:
    store.session("late", parent_session_id="gone", started_at=DAY + 5)
    store.session("early", parent_session_id="gone", started_at=DAY + 1)
    store.session("child", parent_session_id="early", config={"_branched_from": "early"})
    rows = rows_of(store, "late")
    assert drawn(rows) == ["` gone? root", "  + early* orphan", "  | ` child* branch", "  ` late* orphan"]
    assert [row.session is None for row in rows] == [True, False, False, False]
    assert [row.current for row in rows] == [False, False, False, True]


def test_who_is_not_there_has_no_lineage(store: Store) -> None:
    store.session("child", parent_session_id="gone")
    connection, capabilities = store.open()
    with connection:
        for nobody in ("gone", "nowhere", ""):
            with pytest.raises(KeyError):
                tree(connection, capabilities, nobody)


@pytest.mark.parametrize("reason", ["compression", None])
@pytest.mark.parametrize("asked", ["one", "two", "three", "leaf"])
def test_a_loop_is_cut_once_and_said_to_be_one(store: Store, reason: str | None, asked: str) -> None:
    for number, (key, parent) in enumerate((("two", "one"), ("three", "two"), ("one", "three"), ("leaf", "two"))):
        ended = {} if key == "leaf" else {"end_reason": reason}
        store.session(key, parent_session_id=parent, started_at=DAY + number, **ended)
    rows = rows_of(store, asked)
    assert sorted(row.id for row in rows) == ["leaf", "one", "three", "two"]
    assert [row.loop for row in rows] == [True, False, False, False]


def test_a_session_that_is_its_own_parent(store: Store) -> None:
    store.session("self", parent_session_id="self", end_reason="compression")
    store.session("next", parent_session_id="self")
    rows = rows_of(store, "next")
    assert drawn(rows) == ["+ self root", "` next* continuation"]
    assert rows[0].loop
    assert rows[0].wrong == "It names itself as its parent."


WRONG: dict[str, tuple[dict[str, Any], str | None]] = {
    "orphaned": ({"config": {"_delegate_from": "__orphaned__"}}, "a conversation of its own"),
    "reset twice": (
        {"config": {"_reset_from": "P", "_delegate_from": "P"}, "parent_session_id": "P"},
        "marked as a reset",
    ),
    "lost": ({"config": {"_branched_from": "deleted"}}, "a branch of deleted, which is not in this store"),
    "unbound": ({"config": {"_reset_from": "Q"}}, "a reset of Q, but it has no parent"),
    "delegate": ({"config": {"_delegate_from": "P"}, "parent_session_id": "P"}, None),
    "plain": ({"config": {"temperature": 1}}, None),
}


@pytest.mark.parametrize("name", WRONG)
def test_marks_that_cannot_be_true_are_told(store: Store, name: str) -> None:
    cells, said = WRONG[name]
    store.session("P")
    store.session("Q")
    store.session(name, **cells)
    (row,) = [row for row in rows_of(store, name) if row.id == name]
    assert row.session is not None
    assert row.wrong is None if said is None else said in (row.wrong or "")


def test_what_the_upgrade_marked_twice_stays_a_reset(store: Store) -> None:
    store.session("P", end_reason="session_reset")
    store.session("R", parent_session_id="P", config={"_reset_from": "P", "_delegate_from": "P"})
    assert drawn(rows_of(store, "R")) == ["` P* root", "  ` R* reset"]


@pytest.mark.parametrize("kind", ["compression", "branch"])
def test_ten_thousand_sessions_are_no_matter(store: Store, kind: str) -> None:
    """A straight line of compressions, and branches of branches: neither recursion nor lines without end."""
    many = 10_000
    for number in range(many):
        parent = f"s{number - 1:05}" if number else None
        cells = {"end_reason": "compression"} if kind == "compression" else {"config": {"_branched_from": parent}}
        store.session(f"s{number:05}", parent_session_id=parent, started_at=DAY + number, **cells)
    rows = rows_of(store, "s05000")
    assert [row.id for row in rows] == [f"s{number:05}" for number in range(many)]
    deepest = 0 if kind == "compression" else many - 1
    assert rows[-1].depth == deepest
    assert max(len(row.rails) for row in rows) == min(deepest, RAILS)
    assert len(rows) > DETAILED
    assert [row.id for row in rows if row.current] == ["s05000"]


NAMES = [f"s{number}" for number in range(7)]
FAMILY = st.lists(
    st.tuples(
        st.sampled_from(NAMES),
        st.none() | st.sampled_from([*NAMES, "gone", "lost"]),
        st.sampled_from([None, "compression", "compression", "branched"]),
        st.sampled_from(["cli", "subagent"]),
        st.integers(0, 9),
        st.dictionaries(st.sampled_from(["_branched_from", "_delegate_from", "_reset_from"]), st.sampled_from(NAMES)),
    ),
    max_size=7,
    unique_by=lambda made: made[0],
)


def kin(family: list[Any], asked: str) -> set[str]:
    """By brute force: all that parents join to `asked`, those that are missing included."""
    joined = {asked}
    while True:
        more = {key for key, parent, *_ in family if parent in joined or key in joined}
        more |= {parent for key, parent, *_ in family if key in joined and parent}
        if more <= joined:
            return joined
        joined |= more


@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(FAMILY)
def test_every_session_of_a_lineage_is_told_once_and_in_its_place(
    tmp_path_factory: pytest.TempPathFactory, family: list[Any]
) -> None:
    store = Store(tmp_path_factory.mktemp("family") / "state.db")
    for key, parent, reason, source, at, config in family:
        cells = {"end_reason": reason, "source": source, "started_at": DAY + at, "config": config}
        store.session(key, parent_session_id=parent, **cells)
    connection, capabilities = store.open()
    with connection:
        for asked, *_ in family[:2]:
            rows = tree(connection, capabilities, asked)
            assert sorted(row.id for row in rows) == sorted(kin(family, asked))
            known = {key: parent for key, parent, *_ in family}
            assert {row.id for row in rows if row.session is not None} == {row.id for row in rows} & known.keys()
            assert sum(row.loop for row in rows) <= 1
            over: list[TreeRow] = []
            for row in rows:
                assert len(row.rails) == row.depth
                before = over[row.depth] if row.depth < len(over) else None
                over = over[: row.depth]
                assert len(over) == row.depth
                assert row.rails == tuple(not each.last for each in over)
                stands_under = over[-1].id if over else None
                if row.edge is SessionKind.CONTINUATION and before is not None and known[row.id] == before.id:
                    assert not before.last
                elif row.depth:
                    assert known[row.id] == stands_under
                over.append(row)


def test_no_lineage_takes_a_walk_over_a_table(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    write_family(store)
    connection, capabilities = store.open()
    with connection:
        steps = plans(connection, lambda: tree(connection, capabilities, "C"), monkeypatch)
    assert scans(steps, "sessions", "c", "s", "p") == []
    assert scans(steps, "messages", "m") == []
    assert any("c USING INDEX" in step or "c USING COVERING INDEX" in step for step in steps)
