"""Regular expressions: a bad one is a sentence, a hostile one ends, and every match holds the literals claimed."""

from __future__ import annotations

import re
import subprocess
import sys
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from hermes_tui.model import Case
from hermes_tui.query import regexp
from hermes_tui.query.regexp import BadPattern, Expression, Searcher, TooSlow, compile_expression, literals

HOSTILE = "(a|a)+$"
VICTIM = "a" * 60 + "b"


def searcher(text: str, case: Case = Case.FOLD) -> Searcher:
    return Searcher(compile_expression(text, case))


def marked(pattern: str, text: str, case: Case = Case.FOLD) -> list[str]:
    return [text[start:end] for start, end in searcher(pattern, case).spans(text, limit=1000)]


@pytest.mark.parametrize(
    ("pattern", "text", "expected"),
    [
        (r"error \d+", "Error 12, ERROR 7, error x", ["Error 12", "ERROR 7"]),
        (r"^\w+$", "one\ntwo three\nfour", ["one", "four"]),
        ("a.c", "abc a\nc aéc", ["abc", "aéc"]),
        ("straße", "STRASSE Straße STRAßE", ["Straße", "STRAßE"]),
        ("größe", "GRÖSSE GRÖßE", ["GRÖßE"]),
        ("привет", "Привет, ПРИВЕТ", ["Привет", "ПРИВЕТ"]),
        (r"\w+", "naïve 北京 x_1", ["naïve", "北京", "x_1"]),
        ("北.", "北京 北\n", ["北京"]),
        # empty matches are none
        ("x*", "aaxxa", ["xx"]),
        ("|a", "ba", ["a"]),
        ("(?=a)", "aaa", []),
        ("^", "a\nb", []),
        ("", "a", []),
        (r"\b", "a b", []),
        # a brace that begins no count is itself
        ("{i}", "f{i} {I} x", ["{i}", "{I}"]),
        ("f{i}", "f{i} f", ["f{i}"]),
        ("foo{e<=1}", "fo fob foo{e<=1}", ["foo{e<=1}"]),
        ("a{1,2}{x}", "aa{x}", ["aa{x}"]),
        ('{"a": [0-9]{2}}', '{"a": 12}', ['{"a": 12}']),
        (r"\p{Lu}{2}[{}]", "AB{", ["AB{"]),
        ("a{2}b{,1}c{1,}", "aacc aabc", ["aacc", "aabc"]),
    ],
)
def test_a_text_is_marked_where_the_expression_matches_something(pattern: str, text: str, expected: list[str]) -> None:
    assert marked(pattern, text) == expected
    assert searcher(pattern).found(text) is bool(expected)


def test_case_is_told_apart_when_asked() -> None:
    assert marked("Err", "err Err ERR") == ["err", "Err", "ERR"]
    assert marked("Err", "err Err ERR", Case.EXACT) == ["Err"]
    assert marked("(?i)Err", "err Err", Case.EXACT) == ["err", "Err"]
    assert marked("(?-i:E)rr", "err ERR") == ["ERR"]


def test_letters_of_elsewhere_that_fold_to_ascii_are_themselves_only() -> None:
    """The indexes disagree about them; what a literal finds must be all there is."""
    assert marked("disk", "di\u017fk dis\u212a D\u0130SK disk DI\u0307SK") == ["disk"]
    assert marked("\u017f", "s\u017fS") == ["\u017f"]
    assert marked("\u0130", "i\u0130I") == ["\u0130"]
    assert marked("s\u017f", "s\u017f ss", Case.EXACT) == ["s\u017f"]


def test_a_text_is_matched_as_it_is_read() -> None:
    assert marked(r"\berror", "\x1b[31merror\x1b[0m") == ["error"]
    assert marked("caf\u00e9", "cafe\u0301 caf\u00e9") == ["cafe\u0301", "caf\u00e9"]
    assert marked("[e\u0301]", "cafe\u0301 caf\u00e9") == ["e\u0301", "\u00e9"]
    assert marked("a.b", "a\0b a\udc80b") == ["a\0b", "a\udc80b"]


def test_no_more_spans_than_asked_for() -> None:
    assert searcher("a").spans("aaaa", limit=2) == [(0, 1), (1, 2)]
    assert searcher("a").spans("aaaa", limit=0) == []


BAD = [
    ("(abc", "missing ) at character 5."),
    ("a)", "at character 2."),
    ("[a", "at character 3."),
    ("*a", "nothing to repeat at character 1."),
    ("a**", "multiple repeat at character 3."),
    ("a{3,1}", "at character"),
    ("\\", "bad escape"),
    (r"\q", "bad escape"),
    ("(?P<x", "at character 6."),
    ("(?z)", "at character"),
    ("(?P=no)", "unknown group"),
    (r"\2", "invalid group reference"),
    ("[z-a]", "bad character range"),
    (r"\p{nonsense}", "unknown property"),
    (r"\L<x>", "undefined named list"),
    ("(*FOO)", "unknown verb"),
    ("{}{i}{a}(b", "missing ) at character 11."),
    ("e\u0301e\u0301(", "missing ) at character 6."),
    ("\udc80\x00(", "missing ) at character 4."),
    ("(?x) a", "flag x at character 1"),
    ("ab(?r)", "flag r at character 3"),
    ("(?V1)[a--b]", "flag V at character 1"),
    ("(?is-m:a)(?bi)", "flag b at character 10"),
]


@pytest.mark.parametrize(("pattern", "says"), BAD)
def test_what_is_no_expression_is_explained_where_it_goes_wrong(pattern: str, says: str) -> None:
    for case in Case:
        with pytest.raises(BadPattern) as caught:
            compile_expression(pattern, case)
        sentence = str(caught.value)
        assert says in sentence
        assert sentence.startswith("This ")
        assert sentence.endswith(".")
        assert sentence.isprintable()


@pytest.mark.parametrize(
    "pattern",
    [
        "a" * 501,
        "(?:a{1000}){1000}",
        "((a{50}){50}){50}",
        "(?:()()){5000}",
        "(?:()()){0000000005000}",
        "(?:" * 16 + "ab" + "){2}" * 16,
        "(" * 60 + "ab" + ")+" * 60,
        "(?P<n>(?>(?=" * 6 + "ab" + "){9}){9})" * 6,
        "a{99999999999999999999}",
        "a{" + "9" * 400 + "}",
        "(?:(?:[[]){100}){100}",
        "(" * 249 + "a" + ")" * 249,
        "(?:" * 124 + "a" + ")" * 124,
        "(?:[^a]|" * 50 + "a" + ")*" * 49,
    ],
)
def test_a_hostile_expression_is_refused_or_compiled_never_a_burden(pattern: str) -> None:
    """Each of the first ten takes gigabytes or minutes when it is let through."""
    with suppress(BadPattern):
        assert compile_expression(pattern) == Expression(pattern, Case.FOLD)


@pytest.mark.parametrize("pattern", ["(?:a{1000}){1000}", "(?:()()){5000}", "(" * 60 + "ab" + ")+" * 60])
def test_an_expression_whose_counts_multiply_is_refused(pattern: str) -> None:
    with pytest.raises(BadPattern, match="repeats too much"):
        compile_expression(pattern)
    with pytest.raises(BadPattern, match="repeats too much"):
        Searcher(Expression(pattern))


def test_an_expression_too_long_is_refused() -> None:
    assert compile_expression("a" * 500)
    with pytest.raises(BadPattern, match="500 are allowed"):
        compile_expression("a" * 501)


@pytest.mark.parametrize(
    "pattern",
    [
        r"[0-9a-f]{40}",
        r"\d{4}-\d{2}-\d{2}T\d{2}:\d{2}",
        r"(?:\d{1,3}\.){3}\d{1,3}",
        r"(?:[A-Za-z0-9+/]{4}){20,}={0,2}",
        r".{0,4000}x",
        r"[[:alpha:]]{3,}\b(?<!foo)(?!bar)(?P<name>a|b)(?P=name)",
        r"(?:(?:foo|bar)+,\s*)+",
    ],
)
def test_what_people_write_is_let_through(pattern: str) -> None:
    assert compile_expression(pattern).text == pattern


def test_an_expression_that_runs_away_is_stopped() -> None:
    hostile = searcher(HOSTILE)
    for ask in (hostile.found, lambda text: hostile.spans(text, limit=1)):
        with pytest.raises(TooSlow, match=r"takes longer than 0\.25 s on a text of 61 characters\.$"):
            ask(VICTIM)
    assert hostile.spans("aaa", limit=5) == [(0, 3)]


def test_others_run_while_it_matches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(regexp, "PATIENCE", 1.0)
    hostile, begun, ended = searcher(HOSTILE), threading.Event(), []

    def run() -> None:
        begun.set()
        with suppress(TooSlow):
            hostile.found(VICTIM)
        ended.append(True)

    thread = threading.Thread(target=run)
    thread.start()
    assert begun.wait(30)
    assert not ended  # an engine that holds the interpreter lets nobody look before it is done
    thread.join()
    assert ended


def test_one_searcher_serves_many_threads() -> None:
    shared = searcher(r"(\w)(\w+)-\1")
    texts = ["ab-a " * (count % 50) + "x" * count for count in range(400)]
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda text: shared.spans(text, limit=100, patience=60), texts))
    assert [len(spans) for spans in found] == [count % 50 for count in range(400)]


def test_an_expression_is_a_value() -> None:
    assert {Expression("a", Case.FOLD), compile_expression("a"), Expression("a", Case.EXACT)} == {
        Expression("a"),
        Expression("a", Case.EXACT),
    }


def test_a_search_without_one_never_loads_the_engine() -> None:
    script = "import sys, hermes_tui.query.regexp as r; r.literals('abc'); assert 'regex' not in sys.modules"
    subprocess.run([sys.executable, "-c", script], check=True, timeout=60, cwd=Path(__file__).parents[2])


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("socket", ("socket",)),
        ("ab", ()),
        (r"src/app\.py", ("src/app.py",)),
        (r"kv_map-2\.0", ("kv_map-2.0",)),
        ("stale socket", ("stale", "socket")),
        (r"error: \d+ items", ("error", "items")),
        ("fooo?bar", ("foo", "bar")),
        ("foo*bar", ("bar",)),
        ("fo+bar", ("obar",)),
        ("xo{2}y", ("xooy",)),
        ("xo{2,}yz", ("xoo", "ooyz")),
        ("o{0,3}abc", ("abc",)),
        ("abc{0}def", ("def",)),
        ("foo|bar", ()),
        ("foo(bar|baz)quux", ("foo", "quux")),
        ("foo(?:bar)?quux", ("foo", "quux")),
        ("(?:foo(bar)+)+", ("foo", "bar")),
        ("(foo(bar)*)", ("foo",)),
        ("foo[abc]bar", ("foo", "bar")),
        ("[foo]", ()),
        (r"[\]foo]bar", ("bar",)),
        ("[^]foo]bar", ("bar",)),
        ("[[:alpha:]foo]bar", ("bar",)),
        ("[[foo]bar", ()),
        (r"\bfoo\b", ("foo",)),
        (r"\x41foo", ()),
        (r"\u0041foo-bar", ("oo-bar",)),
        (r"\101foo", ("foo",)),
        (r"\pLfoo", ()),
        (r"\p{L}foo", ("foo",)),
        (r"foo\Kbar", ()),
        ("^foo$", ("foo",)),
        ("foo foo", ("foo",)),
        ("café-bar", ("caf", "-bar")),
        ("cafe\u0301s", ("caf",)),
        ("foo{bar}", ("foo", "bar")),
        # what may change everything says nothing
        ("(?i)foo", ()),
        ("(?x) f o o", ()),
        ("(?=foo)bar", ()),
        ("(?!foo)bar", ()),
        ("(?P<n>foo)", ()),
        ("(?#foo)bar", ()),
        ("(*SKIP)foo", ()),
        ("foo(?R)?", ()),
        # what is no expression says nothing
        ("(foo", ()),
        ("foo)", ()),
        ("", ()),
        ("[foo", ()),
        ("foo\\", ("foo",)),
        ("a{99999999999999999999}" + "9" * 10_000, ("a" * 16, "a" * 16 + "9" * 10_000)),
    ],
)
def test_literals_are_what_every_match_must_hold(pattern: str, expected: tuple[str, ...]) -> None:
    assert literals(pattern) == expected


# -- patterns drawn from a grammar, each with texts that match it ------------------------------------------------------

Drawn = tuple[str, st.SearchStrategy[str]]  # a pattern, and texts it matches

ATOMS: list[Drawn] = [
    *((char, st.just(char)) for char in "abikst01_-/"),
    *((re.escape(char), st.just(char)) for char in ".*({[\\|"),
    (" ", st.just(" ")),
    ("é", st.sampled_from("éÉ")),
    ("{", st.just("{")),
    (".", st.sampled_from("abk é.")),
    (r"\d", st.sampled_from("01")),
    (r"\w", st.sampled_from("abk0")),
    ("[abk]", st.sampled_from("abk")),
    ("[^b]", st.sampled_from("ak .")),
    ("[]a.]", st.sampled_from("]a.")),
    (r"\x61", st.just("a")),
]


def _repeated(drawn: Drawn, sign: str) -> Drawn:
    pattern, texts = drawn
    low, high = {"*": (0, 2), "+": (1, 3), "?": (0, 1), "*?": (0, 2), "{2}": (2, 2), "{1,}": (1, 3), "{0,2}": (0, 2)}[
        sign
    ]
    return pattern + sign, st.lists(texts, min_size=low, max_size=high).map("".join)


def _joined(parts: list[Drawn]) -> Drawn:
    return "".join(pattern for pattern, _ in parts), st.tuples(*(texts for _, texts in parts)).map("".join)


def _branches(parts: list[Drawn]) -> Drawn:
    return "|".join(pattern for pattern, _ in parts), st.one_of(*(texts for _, texts in parts))


def _group(drawn: Drawn, opening: str) -> Drawn:
    return f"{opening}{drawn[0]})", drawn[1]


SIGNS = st.sampled_from(["*", "+", "?", "*?", "{2}", "{1,}", "{0,2}"])
PLAIN: st.SearchStrategy[Drawn] = st.sampled_from(ATOMS)
WORD: st.SearchStrategy[Drawn] = st.text("akis-", min_size=3, max_size=5).map(lambda text: (text, st.just(text)))
# The last letter of a word with a sign: what is required of such a word ends before it, or not at all.
SIGNED: st.SearchStrategy[Drawn] = st.builds(
    lambda word, end, sign, after: _joined([word, _repeated(end, sign), after]),
    WORD,
    st.sampled_from(ATOMS[:4]),
    SIGNS,
    WORD,
)
GROUPED: st.SearchStrategy[Drawn] = st.builds(
    lambda words, opening, sign: _repeated(_group(_branches(words), opening), sign),
    st.lists(WORD, min_size=1, max_size=2),
    st.sampled_from(["(", "(?:"]),
    SIGNS,
)


def _grow(children: st.SearchStrategy[Drawn]) -> st.SearchStrategy[Drawn]:
    group = st.builds(_group, children, st.sampled_from(["(", "(?:"]))
    return st.one_of(
        st.lists(children | WORD | SIGNED | GROUPED, min_size=1, max_size=4).map(_joined),
        group,
        st.builds(_group, st.lists(children, min_size=2, max_size=3).map(_branches), st.sampled_from(["(", "(?:"])),
        st.builds(_repeated, PLAIN | group, SIGNS),
    )


GRAMMAR = st.recursive(PLAIN | WORD | SIGNED | GROUPED, _grow, max_leaves=8)
NOISE = st.text("abks01_-/. éſ\u212a\u0130\n", max_size=8)


def with_kelvins(text: str) -> str:
    return text.replace("k", "\u212a")


def with_long_s(text: str) -> str:
    return text.replace("s", "\u017f")


def with_dots(text: str) -> str:
    return text.replace("i", "\u0130")


DISGUISES: list[Callable[[str], str]] = [str, str.upper, str.swapcase, with_kelvins, with_long_s, with_dots]


@settings(max_examples=80)
@given(drawn=GRAMMAR, data=st.data())
def test_every_match_holds_every_literal(drawn: Drawn, data: st.DataObject) -> None:
    pattern, texts = drawn
    text = data.draw(NOISE) + data.draw(texts) + data.draw(NOISE)
    text = data.draw(st.sampled_from(DISGUISES))(text)
    try:
        spans = searcher(pattern).spans(text, limit=100)
    except (BadPattern, TooSlow):
        assume(False)
    needed = literals(pattern)
    for start, end in spans:
        held = text[start:end].lower()
        assert all(literal.lower() in held for literal in needed)
        assert all(literal.isascii() and len(literal) >= 3 for literal in needed)


@given(
    pattern=st.text("ab()|[]*+?{}\\.^$,:P<=>!1-\\dKx#i", max_size=25),
    text=st.text("ab1-", max_size=30),
)
@example(pattern="(?#a)aaa", text="aaa")
@example(pattern="aaa{0}", text="aa")
@example(pattern="[[:alpha:]aaa]", text="a")
@example(pattern="aaa\\K", text="aaa")
@example(pattern="(?:aaa|)b", text="b")
def test_no_pattern_at_all_is_claimed_to_need_what_it_does_not(pattern: str, text: str) -> None:
    needed = literals(pattern)
    with suppress(BadPattern, TooSlow):
        for start, end in searcher(pattern).spans(text, limit=100):
            assert all(literal.lower() in text[start:end] for literal in needed)


@given(drawn=GRAMMAR, data=st.data(), case=st.sampled_from(Case))
def test_it_marks_what_the_standard_library_would(drawn: Drawn, data: st.DataObject, case: Case) -> None:
    pattern, texts = drawn
    noise = st.text("abks01_-/. é\n", max_size=8)
    text = data.draw(noise) + data.draw(texts) + data.draw(noise)
    flags = re.MULTILINE | (re.IGNORECASE if case is Case.FOLD else 0)
    try:
        expected = [match.span() for match in re.finditer(pattern, text, flags) if match.group()]
        spans = searcher(pattern, case).spans(text, limit=1000)
    except (re.error, BadPattern, TooSlow):
        assume(False)
    assert spans == expected


@given(pattern=st.text(max_size=30), text=st.text(max_size=60))
def test_whatever_is_typed_matches_or_is_explained(pattern: str, text: str) -> None:
    literals(pattern)
    with suppress(BadPattern, TooSlow):
        for start, end in searcher(pattern).spans(text, limit=100):
            assert 0 <= start < end <= len(text)
