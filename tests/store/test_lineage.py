"""Which sessions are one conversation: every session in exactly one chain, whatever the links say."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermes_tui.model import SessionKind
from hermes_tui.store.catalogue import load
from hermes_tui.store.lineage import Lineage, Link
from tests.store.handmade import DAY, Store


def link(key: str, parent: str | None = None, **cells: Any) -> Link:
    """A session that was started on `DAY` plus `at` seconds, ended by `reason`, with `forks` in its config."""
    reason = cells.get("reason")
    at = DAY + cells.get("at", 0.0)
    return Link(
        id=key,
        parent=parent,
        source=cells.get("source", "cli"),
        end_reason=reason,
        started=at,
        ended=at + 100 if reason else None,
        open=reason is None,
        activity=DAY + cells.get("used", cells.get("at", 0.0)),
        session_key=cells.get("place"),
        forks=cells.get("forks", {}),
    )


def chains(*links: Link) -> set[tuple[str, ...]]:
    return set(Lineage(links).chains())


def test_compression_continues_a_conversation() -> None:
    lineage = Lineage(
        [
            link("tip", "mid", at=300),
            link("root", reason="compression"),
            link("mid", "root", at=150, reason="compression"),
            link("other"),
        ]
    )
    assert set(lineage.chains()) == {("root", "mid", "tip"), ("other",)}
    assert lineage.chain("mid") == ("root", "mid", "tip")
    assert lineage.chain("nowhere") == ()
    assert [lineage.kind(key) for key in ("root", "mid", "tip")] == [
        SessionKind.ROOT,
        SessionKind.CONTINUATION,
        SessionKind.CONTINUATION,
    ]


PARENT = {"reason": "compression"}


@pytest.mark.parametrize(
    ("parent", "child", "kind"),
    [
        (PARENT, {}, SessionKind.CONTINUATION),
        (PARENT, {"forks": {"_branched_from": "p"}}, SessionKind.BRANCH),
        (PARENT, {"forks": {"_reset_from": "p"}}, SessionKind.RESET),
        (PARENT, {"forks": {"_delegate_from": "p"}}, SessionKind.DELEGATE),
        (PARENT, {"source": "tool"}, SessionKind.DELEGATE),
        (PARENT, {"source": "subagent"}, SessionKind.DELEGATE),
        ({"reason": "compression", "source": "subagent"}, {"source": "subagent"}, SessionKind.CONTINUATION),
        ({"reason": "tui_shutdown"}, {"forks": {"_branched_from": "p"}}, SessionKind.BRANCH),
        ({"reason": "branched"}, {"at": 200}, SessionKind.BRANCH),
        ({"reason": "branched"}, {"at": 50}, SessionKind.DELEGATE),
        ({"reason": "session_reset", "place": "chat:1"}, {"place": "chat:1"}, SessionKind.RESET),
        ({"reason": "session_reset", "place": "chat:1"}, {"place": "chat:2"}, SessionKind.DELEGATE),
        ({"reason": "idle"}, {"at": 200}, SessionKind.RESET),
        ({"reason": "idle"}, {"at": 50}, SessionKind.DELEGATE),
        ({}, {"forks": {"_delegate_from": "p"}}, SessionKind.DELEGATE),
        ({}, {}, SessionKind.DELEGATE),
        # A reset that a migration of old files marked as a sub-agent's besides.
        ({"reason": "daily"}, {"forks": {"_delegate_from": "p", "_reset_from": "p"}}, SessionKind.RESET),
    ],
)
def test_edges(parent: dict[str, Any], child: dict[str, Any], kind: SessionKind) -> None:
    assert Lineage([link("p", **parent), link("c", "p", **child)]).kind("c") is kind


def test_a_continuation_carries_copies_of_the_markers_of_what_it_continues() -> None:
    branch = {"_branched_from": "p"}
    lineage = Lineage(
        [
            link("p", reason="branched"),
            link("b", "p", at=200, reason="compression", forks=branch),
            link("b2", "b", at=400, forks=branch),
        ]
    )
    assert lineage.chain("b2") == ("b", "b2")
    assert lineage.kind("b") is SessionKind.BRANCH
    assert lineage.kind("b2") is SessionKind.CONTINUATION


@pytest.mark.parametrize(
    ("first", "second", "chosen"),
    [
        # what goes on is preferred to what is open, that to what was used last
        ({"reason": "compression"}, {"used": 900}, "first"),
        ({}, {"reason": "cli_close", "used": 900}, "first"),
        ({"used": 10}, {"used": 900}, "second"),
        ({"reason": "cli_close", "used": 10}, {"reason": "cli_close", "used": 900}, "second"),
    ],
)
def test_one_of_several_continuations_goes_on(first: dict[str, Any], second: dict[str, Any], chosen: str) -> None:
    links = [link("root", reason="compression"), link("first", "root", **first), link("second", "root", **second)]
    grown = [link("later", "first", at=500)] if first.get("reason") == "compression" else []
    lineage = Lineage([*links, *grown])
    other = "second" if chosen == "first" else "first"
    assert chosen in lineage.chain("root")
    assert lineage.chain(other) == (other,)


def test_compression_without_a_child_is_no_reason_to_prefer_a_session() -> None:
    links = [link("root", reason="compression"), link("dead", "root", reason="compression"), link("live", "root")]
    assert chains(*links) == {("root", "live"), ("dead",)}


def test_missing_parents_and_loops() -> None:
    lineage = Lineage(
        [
            link("orphan", "gone"),
            link("self", "self", reason="compression"),
            link("a", "b", reason="compression"),
            link("b", "a", reason="compression"),
        ]
    )
    assert lineage.kind("orphan") is SessionKind.ORPHAN
    assert lineage.kind("self") is SessionKind.ROOT
    assert set(lineage.chains()) == {("orphan",), ("self",), ("a", "b")}


@pytest.mark.parametrize(
    ("cells", "delegated"),
    [
        ({"source": "subagent"}, True),
        ({"forks": {"_delegate_from": "p"}}, True),
        ({"forks": {"_delegate_from": "__orphaned__"}}, True),
        ({"forks": {"_delegate_from": "p", "_reset_from": "p"}}, False),
        ({"forks": {"_branched_from": "p"}}, False),
        ({}, False),
    ],
)
@pytest.mark.parametrize("parent", ["p", "gone", None])
def test_whose_session_it_is(cells: dict[str, Any], delegated: bool, parent: str | None) -> None:
    assert Lineage([link("p"), link("c", parent, **cells)]).delegated("c") is delegated


names = st.sampled_from([f"s{number}" for number in range(7)])
some_links = st.lists(
    st.builds(
        link,
        names,
        st.none() | names | st.just("gone"),
        reason=st.sampled_from([None, "compression", "compression", "branched", "session_reset"]),
        source=st.sampled_from(["cli", "tool", "subagent"]),
        at=st.floats(0, 1000),
        forks=st.dictionaries(st.sampled_from(["_branched_from", "_delegate_from", "_reset_from"]), names, max_size=2),
    ),
    max_size=7,
    unique_by=lambda made: made.id,
)


@given(some_links)
def test_every_session_is_in_exactly_one_chain(links: list[Link]) -> None:
    lineage = Lineage(links)
    held = sorted(member for chain in lineage.chains() for member in chain)
    assert held == sorted(made.id for made in links)
    for made in links:
        assert made.id in lineage.chain(made.id)
        assert lineage.kind(made.id) in SessionKind


# The same, read from a file: all at once, and for the family of one session


CONFIGS = [
    None,
    "",
    "{broken _branched_from",
    '{"temperature": 0.2}',
    json.dumps({"_branched_from": "s1"}),
    json.dumps(json.dumps({"_branched_from": "s1"})),
    json.dumps({"_delegate_from": None}),
    json.dumps(["_reset_from"]),
]


@pytest.mark.parametrize("indexes", ["old", "new", "none"])
def test_a_family_reads_like_the_whole(tmp_path: Path, indexes: str) -> None:
    store = Store(tmp_path / "state.db", indexes=indexes)
    reasons = [None, "compression", "compression", "branched", "compression"]
    for number in range(60):
        parent = None if number % 7 == 0 else f"s{number * 5 // 8}"
        cells = {"parent_session_id": parent, "end_reason": reasons[number % 5], "started_at": DAY + number * 10}
        store.session(f"s{number}", model_config=CONFIGS[number % len(CONFIGS)], **cells)
        store.message(f"s{number}", "hello", timestamp=DAY + number * 7 % 100)
    store.session("loop1", parent_session_id="loop2", end_reason="compression")
    store.session("loop2", parent_session_id="loop1", end_reason="compression")
    store.session("orphan", parent_session_id="gone", end_reason="compression")
    store.session("child", parent_session_id="orphan")
    connection, capabilities = store.open()
    whole = load(connection, capabilities).lineage
    assert whole.chain("orphan") == ("orphan", "child")
    assert set(whole.chain("loop1")) == {"loop1", "loop2"}
    for key in (*(f"s{number}" for number in range(60)), "loop1", "loop2", "orphan", "child"):
        family = load(connection, capabilities, [key]).lineage
        assert set(family.chain(key)) == set(whole.chain(key))
        assert key.startswith("loop") or family.chain(key) == whole.chain(key)
        assert family.kind(key) is whole.kind(key)
