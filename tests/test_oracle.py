"""The heart of the suite: a search finds exactly what brute force over decoded rows finds.

On every layout, in every state an index can be in, for questions put together from the words of the store.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hermes_tui.library import Library
from hermes_tui.library.search import SORTS
from hermes_tui.model import PLAIN, Case, Message, Mode
from hermes_tui.query import parse
from hermes_tui.recorder import Layout
from hermes_tui.store.connection import connect, look
from hermes_tui.store.messages import read_messages
from hermes_tui.store.schema import detect
from tests.oracle import Facts, expected
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
# What only stands on the screen: reading JSON as lines puts signs between its texts.
# fmt: off
READ = st.sampled_from((
    "exit_code:", "xit_code:", "ode:", "de:", "nested:", "path:", "-", ":", '"exit_code: 0"', '"code: 0"', '"- k"',
    '"k: 1.5"', '"path: src/app/main.py"', '"output: fix"', '"command: fix"', "EXIT_CODE:", "北京:",
))
# fmt: on
PHRASES = st.tuples(st.sampled_from(WORDS), st.sampled_from([gap for gap in GAPS if gap.isspace()]), PIECES).map(
    lambda parts: f'"{"".join(parts)}"'
)
QUESTIONS = st.lists(st.one_of(PIECES, PIECES, PHRASES, READ), min_size=1, max_size=3).flatmap(
    lambda parts: st.sampled_from([" ", " ", " OR ", " NOT "]).map(lambda joint: joint.join(parts))
)


DAYS = ("2026-05-28", "2026-05-29", "2026-07-01", "2026-05-30")  # the rows of the odd store lie around these
# fmt: off
FILTERS = st.sampled_from((
    "source:cli", "source:cron,telegram", "-source:cron", "-source:CLI,discord", "model:qwen3", "-model:qwen3",
    "role:user", "role:tool", "-role:tool", "tool:terminal", "-tool:terminal", "tool:browser,read_file",
    "title:odd", "title:strasse", "-title:odd", "cwd:/srv", "cwd:app",
    "is:live", "is:compacted", "is:rewound", "-is:live", "is:archived", "-is:archived", "is:pinned", "is:running",
    "-is:running", "is:branch", "is:child", "-is:child", "is:live,compacted",
    "in:reasoning", "in:tools", "in:text", "-in:tools", "in:text in:reasoning",
    *(f"{sign}{field}:{day}" for sign in ("", "-") for field in ("after", "before", "on") for day in DAYS),
))
# fmt: on
FILTERED = st.tuples(
    st.one_of(st.just(""), PIECES, QUESTIONS), st.lists(FILTERS, min_size=1, max_size=3), st.booleans()
).map(lambda parts: " ".join([parts[0], *parts[1]] if parts[2] else [*parts[1], parts[0]]).strip())
PATTERNS = st.sampled_from(
    (
        r"err.r",
        r"\bfix\w*",
        r"main\.py$",
        r"^[A-Z]+:",
        r"\d+%",
        r"(go|youer)",
        "北.",
        r"kv_map\d",
        r"source",
        r"x{2,}",
        r"a?b*",
    )
)
MODES = st.builds(Mode, case=st.sampled_from(Case), reasoning=st.booleans())


@cache
def facts_of(path: Path) -> Facts:
    facts = Facts(path)
    facts.count_copies(rows_of(path))
    return facts


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
@settings(ASKING, max_examples=10)
def test_a_search_finds_what_brute_force_finds(store: Library, typed: str) -> None:
    check(store, typed)


@given(typed=FILTERED, mode=MODES, sort=st.sampled_from(SORTS))
@settings(ASKING, max_examples=8)
def test_filters_modes_and_orders_find_what_brute_force_finds(
    store: Library, typed: str, mode: Mode, sort: str
) -> None:
    check(store, typed, mode, sort)


@given(typed=st.one_of(PATTERNS, st.tuples(PATTERNS, FILTERS).map(" ".join)), mode=MODES)
@settings(ASKING, max_examples=4)
def test_a_regular_expression_finds_what_brute_force_finds(store: Library, typed: str, mode: Mode) -> None:
    check(store, typed, replace(mode, regex=True))


@pytest.mark.soak
@given(typed=FILTERED, mode=MODES, sort=st.sampled_from(SORTS))
@settings(ASKING, max_examples=30)
def test_many_filters_modes_and_orders_find_what_brute_force_finds(
    store: Library, typed: str, mode: Mode, sort: str
) -> None:
    check(store, typed, mode, sort)


@pytest.mark.soak
@given(typed=QUESTIONS)
@settings(ASKING, max_examples=30)
def test_a_search_finds_what_brute_force_finds_for_many_questions(store: Library, typed: str) -> None:
    check(store, typed)


def check(store: Library, typed: str, mode: Mode = PLAIN, sort: str = "newest") -> None:
    """Compare what is found with what brute force finds."""
    query = parse(typed, mode=mode)
    if query.empty:
        return
    rows = rows_of(store.path)
    wanted = expected(query, rows, facts_of(store.path))
    answer = store.search(typed, limit=EVERYTHING, mode=mode, sort=sort)
    assert [part.text for part in answer.filters] == [part.text for part in query.filters]
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
