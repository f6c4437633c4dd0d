"""Widths, cuts and breaks are counted in display cells."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len, get_character_cell_size

from hermes_tui.render import cells, clean, fit, pad
from hermes_tui.render.cells import _NARROW, _WIDE, wrap

LINES = st.text(alphabet="ab  \u00e9\u6f22\u5b57\u3042\ud55c\u0301\U0001f680\u0416\u2500", max_size=120)


@given(LINES, st.integers(0, 40))
def test_fit_never_takes_more_cells_and_says_when_it_cut(text: str, width: int) -> None:
    shown = fit(text, width)
    assert cell_len(shown) <= width
    assert shown == text if cell_len(text) <= width else shown.endswith("…") or width == 0


@given(LINES, st.integers(1, 40))
def test_pad_takes_exactly_the_width(text: str, width: int) -> None:
    assert cell_len(pad(text, width)) == width


@given(LINES, st.integers(2, 40), st.integers(0, 6))
def test_wrap_keeps_every_character_but_blanks_and_never_overflows(text: str, width: int, hang: int) -> None:
    hang = min(hang, width - 2)
    rows = wrap(text, 0, len(text), width, hang=hang)
    assert rows[0][0] == 0
    end = 0
    for number, (start, stop) in enumerate(rows):
        assert text[end:start].strip(" ") == ""
        assert cell_len(text[start:stop]) <= (width - hang if number else width)
        assert stop > start or not text.strip(" ")
        end = stop
    assert text[end:].strip(" ") == ""


@given(LINES, st.integers(2, 20), st.integers(1, 5))
def test_a_limit_gives_the_first_rows(text: str, width: int, limit: int) -> None:
    assert wrap(text, 0, len(text), width, limit=limit) == wrap(text, 0, len(text), width)[:limit]


def test_words_move_whole_where_a_blank_is_near() -> None:
    text = "one two three four five"
    assert [text[start:end] for start, end in wrap(text, 0, len(text), 10)] == ["one two", "three four", "five"]


def test_a_word_moves_whole_also_when_most_of_the_row_stays_empty() -> None:
    text = "not name **foo.bar**, so"
    assert [text[start:end] for start, end in wrap(text, 0, len(text), 18)] == ["not name", "**foo.bar**, so"]


def test_a_word_longer_than_the_row_is_cut_in_place() -> None:
    text = "x " + "y" * 20
    assert [text[start:end] for start, end in wrap(text, 0, len(text), 10)] == ["x yyyyyyyy", "y" * 10, "yy"]


def test_indentation_is_no_place_to_break() -> None:
    text = "        " + "z" * 9
    assert next(text[start:end] for start, end in wrap(text, 0, len(text), 12)).startswith("        z")


def test_a_combining_mark_stays_with_its_base() -> None:
    text = "abcde\u0301fgh"
    assert [text[start:end] for start, end in wrap(text, 0, len(text), 5)] == ["abcde\u0301", "fgh"]


def test_marks_alone_still_break() -> None:
    rows = wrap("\u0301" * 10_000, 0, 10_000, 10)
    assert max(end - start for start, end in rows) < 100


def test_runs_of_one_width_are_what_they_claim() -> None:
    every = "".join(map(chr, (*range(0x20, 0xD800), *range(0xE000, 0x11000))))
    for run, width in ((_NARROW, 1), (_WIDE, 2)):
        matched = [character for character in every if run.fullmatch(character)]
        assert len(matched) > 900
        assert {get_character_cell_size(character) for character in matched} == {width}


@given(st.text())
def test_cells_agrees_with_the_painter(text: str) -> None:
    shown = clean(text, keep_newlines=False)
    assert cells(shown) == cell_len(shown)
