"""What was typed becomes what the promises S1 to S7 say, and nothing typed is ever an error."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermes_tui.query import Query, TermKind, parse

W, P, C, Q = TermKind.WORD, TermKind.PART, TermKind.CODE, TermKind.PHRASE


def kinds(text: str) -> list[tuple[str, TermKind]]:
    return [(term.text, term.kind) for term in parse(text).terms]


@pytest.mark.parametrize("text", ["", "   ", '"', '""', '" "', "\t\n"])
def test_nothing_to_look_for_is_no_filter(text: str) -> None:
    assert parse(text).empty


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("stale socket", [("stale", W), ("socket", W)]),
        ("TODO: fix", [("TODO:", C), ("fix", W)]),
        ('"stale socket"', [("stale socket", Q)]),
        ("src/app/main.py", [("src/app/main.py", C)]),
        ("--onefile", [("--onefile", C)]),
        ("C:\\x", [("C:\\x", C)]),
        ("foo.bar()", [("foo.bar()", C)]),
        ("kv_map", [("kv_map", C)]),
        ("61.2%", [("61.2%", C)]),
        ("don't", [("don't", C)]),
        ("旅行", [("旅行", P)]),
        ("fixする", [("fixする", P)]),
        ("🎉", [("🎉", C)]),
        ("café", [("café", W)]),
        ("cafe\u0301", [("cafe\u0301", W)]),
        ("content: hello", [("content:", C), ("hello", W)]),
        ('name="x" y', [('name="x"', C), ("y", W)]),
        ("* -", [("*", C), ("-", C)]),
    ],
)
def test_words_code_and_phrases(text: str, expected: list[tuple[str, TermKind]]) -> None:
    assert kinds(text) == expected


def test_only_the_last_word_is_a_prefix() -> None:
    assert [term.prefix for term in parse("open the do").terms] == [False, False, True]
    assert [term.prefix for term in parse("open main.py").terms] == [False, False]
    assert [term.prefix for term in parse('open "the door"').terms] == [False, False]


def test_an_open_quote_runs_to_the_end_while_it_is_typed() -> None:
    assert kinds('say "AND (x') == [("say", W), ("AND (x", Q)]
    assert kinds('say "') == [("say", W)]
    assert kinds('say "stale ') == [("say", W), ("stale", Q)]


def clauses(query: Query) -> list[tuple[list[str], list[str]]]:
    return [([t.text for t in c.wanted], [t.text for t in c.unwanted]) for c in query.clauses]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a AND b", [(["a", "b"], [])]),
        ("a OR b", [(["a"], []), (["b"], [])]),
        ("a b OR c", [(["a", "b"], []), (["c"], [])]),
        ("a NOT b", [(["a"], ["b"])]),
        ("a AND NOT b", [(["a"], ["b"])]),
        ("a OR b NOT c", [(["a"], []), (["b"], ["c"])]),
        # still being typed: ignored
        ("a AND", [(["a"], [])]),
        ("a NOT", [(["a"], [])]),
        # not between two terms: words
        ("AND", [(["AND"], [])]),
        ("NOT a", [(["NOT", "a"], [])]),
        ("OR b", [(["OR", "b"], [])]),
        ("a and b", [(["a", "and", "b"], [])]),
        ('a "AND" b', [(["a", "AND", "b"], [])]),
        ("a AND AND b", [(["a", "AND", "b"], [])]),
    ],
)
def test_operators_only_between_two_terms(text: str, expected: list[tuple[list[str], list[str]]]) -> None:
    assert clauses(parse(text)) == expected


@given(st.text(max_size=60) | st.text(alphabet='ab "*-()\\ANDORT:', max_size=30))
def test_any_text_is_legal_at_every_keystroke(text: str) -> None:
    for end in range(len(text) + 1):
        query = parse(text[:end])
        assert all(clause.wanted for clause in query.clauses)
        assert all(term.text.strip() for term in query.terms)


def test_a_pasted_file_is_cut_and_still_a_question() -> None:
    assert 0 < len(parse("word " * 100_000).terms) <= 64


def test_looking_inside_words_leaves_code_and_phrases_alone() -> None:
    loose = parse('fix main.py "a b"').inside_words()
    assert [term.kind for term in loose.terms] == [P, C, Q]
    assert not any(term.prefix for term in loose.terms)
