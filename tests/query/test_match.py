"""Verification and marking: what the promises S3 to S6 call a match, and where it is."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermes_tui.model import Case, Mode
from hermes_tui.query import Matcher, parse


def marked(query: str, text: str, case: Case = Case.FOLD) -> list[str]:
    """The pieces of `text` that are marked; a message that does not match as a whole marks nothing here."""
    matcher = Matcher(parse(query, mode=Mode(case=case)))
    return [text[a:b] for a, b in matcher.spans(text)] if matcher.matches([text]) else []


@pytest.mark.parametrize(
    ("query", "text", "expected"),
    [
        ("TODO: fix", "TODO: fix the pager", ["TODO:", "fix"]),
        ("stale socket", "the socket was stale", ["socket", "stale"]),
        ('"stale socket"', "stale\n   socket", ["stale\n   socket"]),
        ("hel", "Hello help shell", ["Hel", "hel"]),
        ("kv_map", "kv_map2 KV_MAP", ["kv_map", "KV_MAP"]),
        ("100%", "100% done, 100 items", ["100%"]),
        ("fix", "パスをfixする", ["fix"]),
        ("旅行", "来月の旅行を計画", ["旅行"]),
        ("ОШИБКА", "Ошибка сети", ["Ошибка"]),
        ("ош", "Ошибка сети", ["Ош"]),
        ("οδος", "ΟΔΟΣ", ["ΟΔΟΣ"]),
        ("cafe", "CAFÉ cafe\u0301s", ["CAFÉ", "cafe\u0301"]),
        ("viet", "việt", ["việt"]),
        ("Krako\u0301w", "Kraków", ["Kraków"]),
        ("src/Ko\u0308ln.py", "see src/Köln.py", ["src/Köln.py"]),
        ("error", "\x1b[31mERROR\x1b[0m: bad", ["ERROR"]),
        ("[/b]", "use [/b] to close", ["[/b]"]),
        ("🎉", "shipped 🎉 today", ["🎉"]),
        ("foo OR bar", "bar none, foo", ["bar", "foo"]),
        ("ist", "İstanbul", ["İst"]),
        ("strasse", "Straße, STRASSE", ["Straße", "STRASSE"]),
        ("straße", "STRASSE STRAẞE", ["STRASSE", "STRAẞE"]),
    ],
)
def test_marks(query: str, text: str, expected: list[str]) -> None:
    assert marked(query, text) == expected


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("error x", "terror x"),
        ("stale socket", "stale bread"),
        ('"stale socket"', "socket stale"),
        ("tea_pot_lid", "teaXpotXlid"),
        ("TODO: fix", "fix the kettle"),
        ("content: hello", "hello there"),
        ("foo NOT bar", "foo bar"),
        ('"cafe"', "café"),
        ("мой ", "мои дом"),
    ],
)
def test_no_match(query: str, text: str) -> None:
    assert marked(query, text) == []


def test_words_may_stand_in_different_fields_but_a_phrase_in_one() -> None:
    assert Matcher(parse("terminal ls")).matches(["done", "terminal", "ls -la"])
    assert not Matcher(parse('"terminal ls"')).matches(["done", "terminal", "ls -la"])


def test_the_case_toggle() -> None:
    assert marked("Fix", "fix Fix", Case.EXACT) == ["Fix"]
    assert marked("Main.py", "main.py Main.py", Case.EXACT) == ["Main.py"]
    assert marked("Cafe", "Café café", Case.EXACT) == ["Café"]


def test_an_excerpt_is_one_line_and_its_spans_point_at_what_matched() -> None:
    text = "x" * 500 + "\n\n   the   NEEDLE \t here\n" + "y " * 500
    excerpt = Matcher(parse("needle")).excerpt([text])
    assert "\n" not in excerpt.snippet
    assert [excerpt.snippet[a:b] for a, b in excerpt.spans] == ["NEEDLE"]
    assert excerpt.snippet.startswith("…")
    assert excerpt.snippet.endswith("…")
    assert len(excerpt.snippet) <= 170


def test_an_excerpt_comes_from_the_field_that_matched() -> None:
    excerpt = Matcher(parse("grep")).excerpt(["", "terminal", "command: grep -r x"])
    assert excerpt.snippet == "command: grep -r x"


def test_a_word_cut_by_the_excerpt_is_not_taken_for_another() -> None:
    text = "needle " + "z" * 100
    excerpt = Matcher(parse(f"needle {'z' * 43} x")).excerpt([text], width=50)
    assert excerpt.snippet == "needle " + "z" * 43 + "…"
    assert [excerpt.snippet[a:b] for a, b in excerpt.spans] == ["needle"]


TEXTS = st.text(alphabet="aAbsßé e\u0301北京 _-./\n\x1b[m0İςΣ가\u1100\u1161", max_size=40)


@given(TEXTS, TEXTS)
def test_spans_are_sorted_apart_and_inside_the_text(query: str, text: str) -> None:
    spans = Matcher(parse(query)).spans(text)
    assert all(0 <= a < b <= len(text) for a, b in spans)
    assert all(spans[i][1] < spans[i + 1][0] for i in range(len(spans) - 1))


@given(TEXTS, TEXTS, TEXTS)
def test_a_message_that_matches_has_marks_and_an_excerpt_with_marks(query: str, one: str, two: str) -> None:
    parsed = parse(query)
    matcher = Matcher(parsed)
    if parsed.empty or not matcher.matches([one, two]):
        return
    assert matcher.spans(one) or matcher.spans(two)
    excerpt = matcher.excerpt([one, two])
    assert excerpt.spans
    assert all(0 <= a < b <= len(excerpt.snippet) for a, b in excerpt.spans)


@given(st.text(alphabet="aéñüВйŐ北", min_size=1, max_size=8))
def test_both_normal_forms_match_each_other(word: str) -> None:
    composed, apart = unicodedata.normalize("NFC", word), unicodedata.normalize("NFD", word)
    assert marked(composed, f"x {apart} y") == [apart]
    assert marked(apart, f"x {composed} y") == [composed]
