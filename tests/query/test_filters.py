"""Filters (S7): what is typed as field:value narrows down, and what only looks like it is text and says so."""

from __future__ import annotations

from datetime import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermes_tui.model import Mode, Region
from hermes_tui.query import Field, parse

FIELDS = tuple(field.value for field in Field)


def understood(text: str) -> tuple[str, list[tuple[str, tuple[str, ...], bool]]]:
    query = parse(text)
    return query.words, [(part.field.value, part.values, part.negated) for part in query.filters]


@pytest.mark.parametrize(
    ("text", "words", "filters"),
    [
        ("kettle source:cli", "kettle", [("source", ("cli",), False)]),
        ("source:cli kettle", "kettle", [("source", ("cli",), False)]),
        ("-source:cron kettle", "kettle", [("source", ("cron",), True)]),
        ("kettle source:cli,telegram lid", "kettle lid", [("source", ("cli", "telegram"), False)]),
        ('title:"my plan" x', "x", [("title", ("my plan",), False)]),
        ('title:my" "plan,other', "", [("title", ("my plan", "other"), False)]),
        ('x title:"still being ty', "x", [("title", ("still being ty",), False)]),
        ("after:2026-08-01 before:2026-09", "", [("after", ("2026-08-01",), False), ("before", ("2026-09",), False)]),
        ("on:yesterday after:7d", "", [("on", ("yesterday",), False), ("after", ("7d",), False)]),
        ("is:Archived in:TOOLS", "", [("is", ("archived",), False), ("in", ("tools",), False)]),
        ("cwd:~/src/app model:qwen*", "", [("cwd", ("~/src/app",), False), ("model", ("qwen*",), False)]),
        ("session:20260101_000000_aaaa01#3", "", [("session", ("20260101_000000_aaaa01#3",), False)]),
        ("kettle NOT source:cron", "kettle", [("source", ("cron",), True)]),
        ("kettle NOT -source:cron", "kettle", [("source", ("cron",), False)]),
        ("kettle AND source:cli AND lid", "kettle AND lid", [("source", ("cli",), False)]),
    ],
)
def test_filters_are_taken_out_wherever_they_stand(
    text: str, words: str, filters: list[tuple[str, tuple[str, ...], bool]]
) -> None:
    assert understood(text) == (words, filters)
    assert parse(text).notes == ()


@pytest.mark.parametrize(
    "text",
    [
        "content: hello",  # a field nobody knows
        "sources:cli",
        "Source:cli",
        "source: cli",  # a filter has its value right behind the colon
        "model:",
        'title:""',
        "http://source:80/x",
        "--source:cli",
        '"source:cli"',
        "x-source:cli",
    ],
)
def test_what_is_no_filter_is_text(text: str) -> None:
    query = parse(text)
    assert query.filters == ()
    assert query.words == text
    assert query.terms


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("is:banana", "live, compacted, rewound, archived"),
        ("is:live,archived", "either"),
        ("in:basement", "reasoning"),
        ("after:banana", "date"),
        ("before:2026-13", "2026-13"),
        ("on:today,yesterday", "one date"),
    ],
)
def test_a_value_that_makes_no_sense_is_text_and_says_so(text: str, told: str) -> None:
    query = parse(f"kettle {text}")
    assert query.filters == ()
    assert [term.text for term in query.terms] == ["kettle", text]
    (note,) = query.notes
    assert note.startswith(f"{text} is no filter")
    assert told in note


def test_operators_beside_a_filter_join_nothing() -> None:
    query = parse("kettle OR source:cli")
    assert [len(clause.wanted) for clause in query.clauses] == [1]
    assert "OR beside it says nothing" in query.notes[0]
    assert [term.text for term in parse("source:cli AND kettle").terms] == ["kettle"]
    assert parse("source:cli AND kettle").notes == ()
    unwanted = parse("source:cli NOT kettle").clauses
    assert [(clause.wanted, [term.text for term in clause.unwanted]) for clause in unwanted] == [((), ["kettle"])]


def test_a_filter_can_be_taken_out_again() -> None:
    for text in ("a source:cli b", "source:cli a b", "a b source:cli", 'a title:"x y" b', "a NOT source:cli b"):
        query = parse(text)
        (part,) = query.filters
        assert query.without(part) == "a b"


def looked_into(text: str) -> tuple[set[Region], bool]:
    query = parse(text)
    return set(query.regions), query.titles


def test_in_says_where_to_look() -> None:
    usual = {Region.TEXT, Region.TOOLS}
    assert looked_into("x") == (usual, True)
    assert looked_into("x in:reasoning") == ({Region.REASONING}, False)
    assert parse("x in:text,reasoning").regions == {Region.TEXT, Region.REASONING}
    assert parse("x in:text in:tools").regions == usual
    assert looked_into("x in:titles") == (set(), True)
    assert looked_into("x -in:tools") == ({Region.TEXT}, True)
    assert parse("x", mode=Mode(reasoning=True)).regions == {*usual, Region.REASONING}


def test_a_regular_expression_leaves_its_filters_out() -> None:
    query = parse(r"err(or|s)\b  x source:cli", mode=Mode(regex=True))
    assert query.pattern is not None
    assert query.pattern.text == r"err(or|s)\b  x"
    assert [part.text for part in query.filters] == ["source:cli"]
    assert query.problem is None


def test_a_bad_pattern_is_explained() -> None:
    query = parse("err(or source:cli", mode=Mode(regex=True))
    assert query.pattern is None
    assert query.problem is not None
    assert not query.empty
    assert parse("source:cli", mode=Mode(regex=True)).problem is None


BITS = st.sampled_from(
    [*(f"{field}:" for field in FIELDS), '"', "-", ",", "7d", "cli", " ", "NOT", "OR", "AND", "x", "\\", "\0"]
)


@given(st.lists(BITS, max_size=12).map("".join), st.booleans())
def test_any_text_is_legal_and_each_filter_can_be_taken_out(text: str, regex: bool) -> None:
    query = parse(text, mode=Mode(regex=regex))
    for number, part in enumerate(query.filters):
        assert text[part.start : part.start + len(part.text)] == part.text
        assert part.values
        left = parse(query.without(part), mode=Mode(regex=regex)).filters
        others = [other for place, other in enumerate(query.filters) if place != number]
        assert [(other.field, other.values, other.negated) for other in left] == [
            (other.field, other.values, other.negated) for other in others
        ]


def test_a_filter_that_is_being_typed_is_not_looked_for_yet() -> None:
    query = parse("kettle source:")
    assert ([term.text for term in query.terms], query.words) == (["kettle"], "kettle")
    assert query.notes == ("source: has no value yet; in quotes it is looked for as text",)
    for text in ("source:", '"source:"', 'kettle "source:"', "source: kettle"):
        assert "source:" in [term.text for term in parse(text).terms], text


@pytest.mark.parametrize("text", ['after:"2026-08-01 12:30"', "after:2026-08-01T12:30"])
def test_a_date_may_have_a_time(text: str) -> None:
    (part,) = parse(text).filters
    assert part.field is Field.AFTER
    assert part.period(1.0e9)[0] == datetime(2026, 8, 1, 12, 30).astimezone().timestamp()
