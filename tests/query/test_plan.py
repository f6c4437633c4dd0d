"""The table of (typed, capabilities) -> steps: routes can be judged without a database."""

from __future__ import annotations

import sqlite3
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermes_tui.model import Capabilities, Index, Layout, Route, Trust
from hermes_tui.query import Plan, Scope, parse, plan

INLINE = Capabilities(layout=Layout.INLINE, word=Index("messages_fts"), trigram=Index("messages_fts_trigram"))
EXTERNAL = Capabilities(
    layout=Layout.EXTERNAL, word=Index("messages_fts"), trigram=Index("messages_fts_trigram", tool_chars=0)
)
VIEWS = Capabilities(
    layout=Layout.VIEWS,
    word=Index("messages_fts", tool_chars=8192),
    trigram=Index("messages_fts_trigram", tool_chars=0, calls=False, automation=False),
)
NO_TRIGRAM = replace(VIEWS, trigram=None)
STALE = replace(
    VIEWS,
    word=Index("messages_fts", trust=Trust.STALE, note="stale"),
    trigram=Index("messages_fts_trigram", trust=Trust.STALE, note="stale"),
)
NOTHING = Capabilities()


def routes(the_plan: Plan) -> set[Route]:
    return {step.route for step in the_plan.steps}


def scanned(the_plan: Plan) -> set[Scope]:
    return {scope for step in the_plan.steps for scope in step.scope}


@pytest.mark.parametrize("capabilities", [INLINE, EXTERNAL])
@pytest.mark.parametrize(
    "typed", ["src/app/main.py", "--onefile", "C:\\Users\\x", '"stale socket"', "foo.bar()", "kv_map"]
)
def test_code_of_several_words_is_answered_by_the_word_index_alone(typed: str, capabilities: Capabilities) -> None:
    assert routes(plan(parse(typed), capabilities)) == {Route.WORD}


def test_code_needs_a_scan_only_of_what_the_word_index_is_cut_off_from() -> None:
    assert scanned(plan(parse("src/app/main.py"), VIEWS)) == {Scope.NULS, Scope.LONG}


@pytest.mark.parametrize("typed", ["TODO:", "foo_"])
def test_the_end_of_a_word_goes_to_the_trigram_index(typed: str) -> None:
    assert Route.TRIGRAM in routes(plan(parse(typed), INLINE))
    assert Scope.ALL not in scanned(plan(parse(typed), INLINE))


@pytest.mark.parametrize("capabilities", [INLINE, EXTERNAL, VIEWS])
def test_two_characters_of_a_script_without_spaces_are_scanned_for(capabilities: Capabilities) -> None:
    assert Scope.ALL in scanned(plan(parse("北京"), capabilities))


def test_three_characters_go_to_the_trigram_index_and_the_rest_is_scanned() -> None:
    the_plan = plan(parse("打包程序"), VIEWS)
    assert Route.TRIGRAM in routes(the_plan)
    assert scanned(the_plan) == {Scope.TOOLS, Scope.CALLS, Scope.AUTOMATION, Scope.NULS}


def test_a_term_too_short_for_trigram_is_never_sent_there() -> None:
    for step in plan(parse("hello ab"), VIEWS).steps:
        if step.route is Route.TRIGRAM:
            assert step.match is not None
            assert "ab" not in step.match


@pytest.mark.parametrize("typed", ["fix", "src/main.py", "北京", "TODO:"])
@pytest.mark.parametrize("capabilities", [STALE, NOTHING])
def test_without_an_index_to_trust_everything_is_scanned(typed: str, capabilities: Capabilities) -> None:
    the_plan = plan(parse(typed), capabilities)
    assert routes(the_plan) == {Route.SCAN}
    assert scanned(the_plan) - {Scope.ACCENTED} == {Scope.ALL}


def test_the_note_of_an_index_that_is_not_trusted_is_told() -> None:
    assert plan(parse("fix"), STALE).notes == ("stale",)


@pytest.mark.parametrize("typed", ["fix", "src/main.py"])
def test_rows_an_unfinished_rebuild_lacks_are_scanned(typed: str) -> None:
    the_plan = plan(parse(typed), replace(VIEWS, gap=(100, 368)))
    assert Scope.UNINDEXED in scanned(the_plan)
    assert the_plan.notes


def test_without_a_trigram_index_words_are_still_found_inside_other_scripts() -> None:
    assert scanned(plan(parse("sparrow"), NO_TRIGRAM)) & {Scope.ALL, Scope.FOREIGN}


def test_words_fall_back_to_parts_of_words_and_say_so() -> None:
    fallback = plan(parse("needle"), VIEWS).fallback
    assert fallback is not None
    assert fallback.notes
    assert plan(parse("src/main.py"), VIEWS).fallback is None


def test_scans_come_last_and_every_step_has_its_reason() -> None:
    for typed in ("fix TODO: 北京", "a OR b.c", "te", "x NOT y"):
        steps = plan(parse(typed), VIEWS).steps
        kinds = [step.route is Route.SCAN for step in steps]
        assert kinds == sorted(kinds)
        assert all(step.reason for step in steps)


def test_a_short_prefix_asks_for_the_whole_word_first() -> None:
    tiers = [step.tier for step in plan(parse("te"), VIEWS).steps if step.route is Route.WORD]
    assert tiers[0] == 0
    assert 1 in tiers


@given(st.text(max_size=40) | st.text(alphabet='aé北"*-()\\:ς<\x1b~^+{}[]', max_size=20))
def test_sqlite_accepts_every_expression(text: str) -> None:
    connection = sqlite3.connect(":memory:")
    connection.execute("CREATE VIRTUAL TABLE messages_fts USING fts5(content)")
    connection.execute("CREATE VIRTUAL TABLE messages_fts_trigram USING fts5(content, tokenize='trigram')")
    clean = text.encode("utf-8", "replace").decode()
    for step in plan(parse(clean), VIEWS).steps:
        if step.match is not None:
            table = "messages_fts" if step.route is Route.WORD else "messages_fts_trigram"
            connection.execute(f"SELECT rowid FROM {table} WHERE {table} MATCH ?", (step.match,)).fetchall()
    connection.close()
