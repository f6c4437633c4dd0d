"""A row of the store with every column."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from hermes_tui.render import Ink, lay_out_row
from hermes_tui.render.raw import pretty
from tests.render.reading import Words, inks, marked, rows

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=6), inner, max_size=4),
    max_leaves=20,
)


def test_every_column_is_there_by_its_name() -> None:
    columns = {
        "id": 5,
        "role": "tool",
        "content": "a\nb",
        "reasoning": None,
        "blob": b"x\xff",
        "empty": "",
        "cost": 0.5,
    }
    page = lay_out_row(columns, 60)
    assert rows(page) == [
        "id         5",
        "role       tool",
        "content    ",
        "  a",
        "  b",
        "reasoning  NULL",
        "blob       x�  2 bytes",
        "empty      empty",
        "cost       0.5",
    ]
    assert inks(page, "reasoning") == {Ink.KEY}


def test_json_is_indented_and_says_what_marks_it() -> None:
    page = lay_out_row({"content": '\x00json:[{"type": "text"}]'}, 60)
    assert rows(page) == ["content  marked as JSON", "  [", "    {", '      "type": "text"', "    }", "  ]"]


def test_times_are_told_as_people_read_them() -> None:
    (row,) = rows(lay_out_row({"timestamp": 1_785_000_000.0}, 60))
    assert row.startswith("timestamp  1785000000.0  2026-07-2")


def test_matches_are_marked_in_short_and_long_values() -> None:
    page = lay_out_row({"needle": "a needle", "content": "hay\n" * 50 + "needle"}, 60, marker=Words("needle"))
    assert marked(page) == ["needle", "needle"], "the names of columns are not what was looked for"


@given(
    st.dictionaries(st.text(max_size=40), st.none() | st.integers() | st.floats() | st.text() | st.binary()),
    st.integers(1, 80),
)
def test_any_row_is_shown_within_the_width(columns: dict[str, object], width: int) -> None:
    page = lay_out_row(columns, width)
    assert page.height >= len(columns)
    assert all(cell_len(row) <= max(2, width) for row in rows(page))


@given(JSON, st.sampled_from([None, 1]))
def test_indented_json_means_the_same(value: object, indent: int | None) -> None:
    assert json.loads(pretty(json.dumps(value, indent=indent))) == value


def test_text_that_only_begins_like_json_is_left_alone() -> None:
    for text in ("[INFO] started", "{", "{x}", '["a"', '{"a": 1}}', "plain"):
        assert pretty(text) == text


def test_deep_nesting_and_open_strings_take_no_more_than_their_length() -> None:
    assert pretty("[" * 10_000 + "]" * 10_000).count("\n") == 2 * 10_000 - 2
    for text in ('{"' + '\\"' * 100_000, '["' * 100_000, '{"a"' + '"a"' * 100_000):
        assert pretty(text) == text
