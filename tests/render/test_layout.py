"""A message in rows: nothing is lost without a word, and a match is always among them."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.cells import cell_len

from hermes_tui.model import Kind, Message, State, ToolCall
from hermes_tui.render import Ink, Mark, Marks, View, clean, lay_out
from tests.render.reading import Words, inks, marked, message, rows

# -- what a message shows


def test_a_turn_has_a_header_and_its_words() -> None:
    page = lay_out(message("hello there", "user"), View(40))
    assert rows(page) == ["", "You", "hello there"]
    assert page.lead == 1


def test_the_header_bears_state_copies_and_time_at_the_right() -> None:
    page = lay_out(message("x", state=State.COMPACTED, copies=3, timestamp=1_785_000_000.0), View(40))
    assert re.fullmatch(r"Assistant +compacted x3 \d\d:\d\d", rows(page)[1])
    assert cell_len(rows(page)[1]) == 40
    assert inks(page, "compacted x3") == {Ink.STATE}


def test_a_narrow_header_keeps_the_state() -> None:
    page = lay_out(message("x", state=State.COMPACTED, timestamp=1_785_000_000.0), View(24))
    assert "compacted" in rows(page)[1]


def test_markdown_is_told_apart_by_ink_and_never_rewritten() -> None:
    text = (
        "# Head\nplain `code` **bold** https://host.test/a\n> said\n- item\n1. first\n```\nx = 1\n# no head\n```\nafter"
    )
    page = lay_out(message(text), View(80))
    assert "\n".join(rows(page)[2:]) == text
    assert inks(page, "# Head") == {Ink.HEADING}
    assert inks(page, "`code`") == {Ink.INLINE}
    assert inks(page, "bold") == {Ink.STRONG}
    assert inks(page, "https://host.test/a") == {Ink.LINK}
    assert inks(page, "> said") == {Ink.QUOTE}
    assert inks(page, "- ") == inks(page, "1. ") == {Ink.BULLET}
    assert inks(page, "x = 1") == inks(page, "# no head") == {Ink.CODE}
    assert inks(page, "```") == {Ink.FENCE}
    assert inks(page, "after") == {Ink.BODY}


def test_a_longer_fence_holds_a_shorter_one() -> None:
    page = lay_out(message("````md\n```\ninner\n```\n````\nouter"), View(80))
    assert inks(page, "inner") == {Ink.CODE}
    assert inks(page, "outer") == {Ink.BODY}


def test_what_a_tool_answers_is_not_read_as_markdown() -> None:
    page = lay_out(message("# comment\n- option\n```", "tool", tool_name="terminal"), View(80))
    assert inks(page, "# comment") == inks(page, "- option") == inks(page, "```") == {Ink.OUTPUT}
    assert rows(page)[1].startswith("↳ terminal  3 lines")


def test_further_rows_of_a_list_item_hang() -> None:
    page = lay_out(message("- " + "word " * 20), View(30))
    assert rows(page)[2].startswith("- word")
    assert all(row.startswith("  word") for row in rows(page)[3:])


def test_a_call_is_a_card_of_one_line_and_unfolds() -> None:
    call = ToolCall("c", "terminal", "command: ls -la src/\ntimeout: 30")
    page = lay_out(message(tool_calls=(call,)), View(60, joined=True))
    assert rows(page) == ["▸ terminal  ls -la src/  timeout=30"]
    assert page.foldable
    page = lay_out(message(tool_calls=(call,)), View(60, joined=True, unfolded=True))
    assert rows(page) == ["▾ terminal", "    command: ls -la src/", "    timeout: 30"]


def test_a_call_with_a_script_shows_its_first_line() -> None:
    call = ToolCall("c", "execute_code", "code:\n\nimport os\nprint(os.getcwd())")
    assert rows(lay_out(message(tool_calls=(call,)), View(60, joined=True))) == ["▸ execute_code  import os"]


def test_an_argument_that_is_no_field_stands_as_it_is() -> None:
    call = ToolCall("c", "", "just text")
    assert rows(lay_out(message(tool_calls=(call,)), View(60, joined=True))) == ["▸ tool  just text"]


def test_a_row_without_text_says_so_or_shows_what_it_has() -> None:
    assert rows(lay_out(message(""), View(40)))[2:] == ["(no text)"]
    assert rows(lay_out(message("\x00"), View(40)))[2:] == ["(no text)"]
    assert rows(lay_out(message("", reasoning="thinking"), View(40)))[2:] == ["▾ thought for 1 word", "│ thinking"]
    assert rows(lay_out(message("", "tool"), View(40, joined=True))) == ["↳ tool  no output"]


def test_reasoning_is_one_line_until_it_is_wanted() -> None:
    folded = lay_out(message("b", reasoning="one\ntwo"), View(40))
    assert rows(folded)[2:] == ["▸ thought for 2 words (r)", "b"]
    assert folded.foldable
    shown = ["│ one", "│ two", "b"]
    by_key = rows(lay_out(message("b", reasoning="one\ntwo"), View(40, reasoning=True)))[2:]
    assert by_key == ["▾ thought for 2 words (r)", *shown]
    alone = rows(lay_out(message("b", reasoning="one\ntwo"), View(40, unfolded=True)))[2:]
    assert alone == ["▾ thought for 2 words", *shown]


def test_a_summary_is_folded_and_says_who_wrote_it() -> None:
    page = lay_out(message("story\n" * 30, "user", kind=Kind.SUMMARY), View(80))
    assert rows(page)[1] == "▸ Summary written by a machine, 30 lines"
    assert page.height == 2
    assert lay_out(message("story\n" * 30, "user", kind=Kind.SUMMARY), View(80, unfolded=True)).height == 32


def test_bookkeeping_is_one_quiet_line() -> None:
    page = lay_out(message("model switched\nto a larger one " * 9, "system", kind=Kind.NOTICE), View(60))
    assert page.height == 2
    assert rows(page)[1].startswith("Note  model switched to a larger")
    assert rows(page)[1].endswith("…")
    assert page.foldable


# -- caps


def numbered(count: int) -> str:
    return "\n".join(f"line {number}" for number in range(1, count + 1))


def test_a_long_answer_of_a_tool_is_capped_and_says_what_is_left() -> None:
    page = lay_out(message(numbered(4832), "tool"), View(80, joined=True))
    assert rows(page)[-2:] == ["  line 20", "  … 4,812 more lines (Enter)"]
    assert page.foldable
    assert page.ink(page.height - 1) is Ink.MORE


def test_a_turn_is_capped_later() -> None:
    page = lay_out(message(numbered(4832)), View(80))
    assert rows(page)[-2:] == ["line 200", "… 4,632 more lines (Enter)"]


def test_a_fold_that_would_save_next_to_nothing_is_not_made() -> None:
    page = lay_out(message(numbered(22), "tool"), View(80, joined=True))
    assert rows(page)[-1] == "  line 22"
    assert not page.foldable


def test_one_endless_line_is_counted_in_characters() -> None:
    page = lay_out(message("x" * 5_000_000, "tool"), View(82, joined=True))
    assert page.height == 22
    assert rows(page)[-1] == f"  … {5_000_000 - 20 * 80:,} more characters (Enter)"


def test_unfolded_everything_is_there() -> None:
    text = numbered(3000)
    page = lay_out(message(text, "tool"), View(80, joined=True, unfolded=True))
    assert [row.strip() for row in rows(page)[1:]] == text.split("\n")


@settings(max_examples=40)
@given(
    st.lists(st.text(alphabet="ab  \t\u6f22\u0301\x1b[m#`->|1.\n", max_size=60), max_size=40).map("\n".join),
    st.integers(8, 60),
    st.sampled_from(["tool", "assistant"]),
)
def test_unfolded_rows_hold_every_character_in_order_and_fit(text: str, width: int, role: str) -> None:
    page = lay_out(message(text, role), View(width, unfolded=True))
    for row in rows(page):
        assert cell_len(row) <= width
    body = [block for block in page.blocks if block.source is not None]
    shown = "".join(block.text[low:high] for block in body for low, high, *_ in block.cuts)
    bare = str.maketrans("", "", " \n")
    assert shown.translate(bare) == clean(text).translate(bare)


# -- matches


PADDING = st.sampled_from(
    ["x ", "word\n", "\x1b[31mred\x1b[0m ", "\t", "\u6f22\u5b57", "\n\n", "y", "```\n", "- item\n"]
)


@settings(max_examples=40, deadline=None)
@given(
    PADDING, st.integers(0, 3000), PADDING, st.integers(0, 500), st.integers(8, 120), st.sampled_from(["tool", "user"])
)
def test_a_hit_shows_its_match_wherever_it_is(
    before: str, many: int, after: str, more: int, width: int, role: str
) -> None:
    text = before * many + " needle " + after * more
    page = lay_out(message(text, role), View(width, seek=True, marks=Marks(Words("needle"))))
    assert "".join(marked(page)) == "needle"
    row = page.mark_row()
    assert row is not None
    assert any(piece.mark for piece in page.pieces(row))
    assert page.height < 240


@settings(max_examples=40, deadline=None)
@given(
    st.lists(st.sampled_from(["needle", "hay ", "\n", "\t", "\x1b[0m", "\u6f22", "\u202e"]), max_size=200).map("".join)
)
def test_what_is_marked_is_what_matched(text: str) -> None:
    page = lay_out(message(text, "tool"), View(30, unfolded=True, marks=Marks(Words("needle"))))
    assert "".join(marked(page)) == "needle" * text.count("needle")


def test_a_match_in_a_folded_part_opens_that_part_alone() -> None:
    calls = (ToolCall("a", "read", "path: a\nnote: hay"), ToolCall("b", "write", "path: b\nextra: a" + "\n\nneedle"))
    page = lay_out(message("", tool_calls=calls), View(60, joined=True, seek=True, marks=Marks(Words("needle"))))
    assert rows(page)[0].startswith("▸ read")
    assert any("needle" in row for row in rows(page))
    assert marked(page) == ["needle"]


@pytest.mark.parametrize(
    "held",
    [
        message("", reasoning="a\nneedle\nb", tool_calls=(ToolCall("a", "read", "path: a"),)),
        message("story\n" * 90 + "needle", "user", kind=Kind.SUMMARY),
        message("note " * 90 + "needle", "system", kind=Kind.NOTICE),
        message("ok", "tool", tool_name="needle_tool"),
        message("", tool_calls=(ToolCall("a", "needle_tool", "path: a"),)),
        message("", tool_calls=(ToolCall("a", "write", "content: " + "hay " * 400 + "needle"),)),
    ],
)
def test_a_match_in_any_text_of_a_message_is_shown(held: Message) -> None:
    page = lay_out(held, View(60, seek=True, marks=Marks(Words("needle"))))
    assert "needle" in marked(page)


def test_a_match_in_the_frame_is_no_match() -> None:
    page = lay_out(message(numbered(3), "tool", tool_name="ls"), View(60, seek=True, marks=Marks(Words("line", "3"))))
    assert page.mark_row() == 2
    assert "3 lines" in rows(page)[1]
    assert not any(piece.mark for piece in page.pieces(1))


def test_only_the_first_match_is_the_current_one() -> None:
    page = lay_out(message("needle needle\nneedle"), View(60, marks=Marks(Words("needle"))))
    levels = [p.mark for row in range(page.height) for p in page.pieces(row, current=True) if p.mark]
    assert levels == [Mark.CURRENT, Mark.HIT, Mark.HIT]


# -- places


@settings(max_examples=40, deadline=None)
@given(st.text(alphabet="ab \n\t\u6f22", min_size=1, max_size=2000), st.integers(8, 90), st.integers(8, 90), st.data())
def test_a_place_is_found_again_at_another_width(text: str, width: int, other: int, data: st.DataObject) -> None:
    first = lay_out(message("x" + text + "x"), View(width))
    second = lay_out(message("x" + text + "x"), View(other))
    number = data.draw(st.integers(0, first.height - 1))
    place = first.place(number)
    if place.source is not None:
        assert first.locate(place) == number
        again = second.place(second.locate(place))
        assert again.source == place.source
        assert again.offset <= place.offset
        if second.locate(place) + 1 < second.height:
            following = second.place(second.locate(place) + 1)
            assert following.source is None or following.offset > place.offset or following.offset == again.offset
