"""The heart of the suite: a search finds exactly what brute force over decoded rows finds.

On every layout, in every state an index can be in, for questions put together from the words of the store.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hermes_tui.library import Library
from hermes_tui.model import Message
from hermes_tui.query import parse
from hermes_tui.recorder import Layout
from hermes_tui.store.connection import connect, look
from hermes_tui.store.messages import read_messages
from hermes_tui.store.schema import detect
from tests.oracle import expected
from tests.stores import GAPS, STATES, WORDS, put_in_state, write_odd_store

EVERYTHING = 100_000

PIECES = st.sampled_from(WORDS).flatmap(
    lambda word: st.one_of(
        st.just(word),
        st.just(word.upper()),
        st.just(word.lower()),
        st.tuples(st.integers(0, len(word) - 1), st.integers(1, len(word))).map(lambda at: word[at[0] : at[0] + at[1]]),
    )
)
PHRASES = st.tuples(st.sampled_from(WORDS), st.sampled_from([gap for gap in GAPS if gap.isspace()]), PIECES).map(
    lambda parts: f'"{"".join(parts)}"'
)
QUESTIONS = st.lists(st.one_of(PIECES, PIECES, PHRASES), min_size=1, max_size=3).flatmap(
    lambda parts: st.sampled_from([" ", " ", " OR ", " NOT "]).map(lambda joint: joint.join(parts))
)


@cache
def rows_of(path: Path) -> tuple[Message, ...]:
    with connect(look(path)) as connection:
        capabilities = detect(connection)
        ids = [row[0] for row in connection.rows("SELECT id FROM messages")]
        return read_messages(connection, capabilities, ids)


@pytest.fixture(scope="module", params=[f"{layout.value}-{state}" for layout in Layout for state in STATES])
def store(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Library]:
    layout, _, state = request.param.partition("-")
    path = tmp_path_factory.mktemp("oracle") / "state.db"
    write_odd_store(path, Layout(layout))
    put_in_state(path, state)
    with Library.open(path) as library:
        yield library


ASKING = settings(deadline=None, suppress_health_check=list(HealthCheck), derandomize=True)


@given(typed=QUESTIONS)
@settings(ASKING, max_examples=15)
def test_a_search_finds_what_brute_force_finds(store: Library, typed: str) -> None:
    check(store, typed)


@pytest.mark.soak
@given(typed=QUESTIONS)
@settings(ASKING, max_examples=60)
def test_a_search_finds_what_brute_force_finds_for_many_questions(store: Library, typed: str) -> None:
    check(store, typed)


def check(store: Library, typed: str) -> None:
    """Compare what is found with what brute force finds."""
    query = parse(typed)
    if query.empty:
        return
    rows = rows_of(store.path)
    wanted = expected(query, rows)
    answer = store.search(typed, limit=EVERYTHING)
    by_id = {row.id: row for row in rows}
    found = {hit.message.id for hit in answer.hits}
    too_many = [by_id[id_].text[-120:] for id_ in sorted(found - wanted.shown)][:3]
    missed = [(id_, by_id[id_].role, by_id[id_].text[-120:]) for id_ in sorted(wanted.shown - found)][:3]
    assert found <= wanted.shown, f"found too much: {too_many}"
    # A message that compaction stored again is one hit: what is not in the hits is a copy of one that is.
    copies = sum(hit.message.copies for hit in answer.hits)
    assert copies >= len(wanted.shown), (
        f"missed {missed} by {[(step.route.value, step.reason) for step in answer.plan]}"
    )
    assert bool(answer.hits) == bool(wanted.shown)
    assert answer.complete
    assert answer.coverage.searched == answer.coverage.messages
