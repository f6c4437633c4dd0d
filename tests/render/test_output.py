"""What tools answer: colours they brought along, data, diffs; the text itself is never touched."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hermes_tui.model import ToolCall
from hermes_tui.render import Ink, Marks, Tint, View, clean, lay_out
from hermes_tui.render.sgr import tinted
from tests.render.reading import Words, inks, marked, message, rows, tints

RED, BOLD = Tint(1), Tint(None, bold=True)


# -- colours of terminal output


def test_colours_become_looks_and_the_text_stays() -> None:
    page = lay_out(
        message("a \x1b[31mred\x1b[0m b \x1b[1mbold\x1b[22m \x1b[4;32mline\x1b[m end", "tool"), View(80, joined=True)
    )
    assert rows(page)[1] == "  a red b bold line end"
    assert tints(page) == [("red", RED), ("bold", BOLD), ("line", Tint(2, underline=True))]


@pytest.mark.parametrize(
    ("codes", "tint"),
    [
        ("38;5;208", Tint(208)),
        ("38;2;10;20;30", Tint((10, 20, 30))),
        ("38:2::10:20:30", Tint((10, 20, 30))),
        ("38:5:9", Tint(9)),
        ("91", Tint(9)),
        ("1;31", Tint(1, bold=True)),
        ("48;5;1", Tint()),  # a background is not followed, and its numbers are no colours
        ("48;2;1;4;31", Tint()),
        ("41;7;8;5", Tint()),  # neither are reversed, hidden and blinking text
        ("38;5;999", Tint()),
        ("38;2;1;2", Tint()),
        ("38", Tint()),
        (";;;", Tint()),
        ("99999999999999999999", Tint()),
        ("?31", Tint()),
        ("٣١", Tint()),
    ],
)
def test_only_what_is_safe_is_followed(codes: str, tint: Tint) -> None:
    assert tinted(Tint(), codes) == tint


def test_a_colour_goes_on_over_lines_until_it_is_reset() -> None:
    page = lay_out(message("\x1b[31mone\ntwo\x1b[39m\nthree", "tool"), View(80, joined=True))
    assert tints(page) == [("one", RED), ("two", RED)]


def test_marks_of_the_query_are_right_beside_colours() -> None:
    text = "\x1b[31mnee\x1b[32mdle\x1b[0m hay \x1b[1mneedle\x1b[0m"
    for width in range(6, 40):
        page = lay_out(message(text, "tool"), View(width, joined=True, unfolded=True, marks=Marks(Words("needle"))))
        assert "".join(marked(page)) == "needle"


@settings(deadline=None)
@given(
    st.lists(st.sampled_from(["a", "b ", "\n", "\x1b[31m", "\x1b[0m", "\x1b[1;4m", "\x9b32m", "\t", "漢"]), max_size=60)
)
def test_colours_are_those_a_terminal_would_show(parts: list[str]) -> None:
    expected: list[tuple[str, Tint]] = []
    tint = Tint()
    for part in parts:
        codes = part.removeprefix("\x1b[").removeprefix("\x9b")
        if codes != part:
            tint = tinted(tint, codes[:-1])
        else:
            expected += ((letter, tint) for letter in part if letter not in " \n\t")
    page = lay_out(message("x" + "".join(parts) + "\x1b[0mx", "tool"), View(20, joined=True, unfolded=True))
    pieces = [piece for number in range(1, page.height) for piece in page.pieces(number)]
    seen = [(letter, piece.tint or Tint()) for piece in pieces for letter in piece.text if letter != " "]
    assert seen == [("x", Tint()), *expected, ("x", Tint())]


# -- data


def test_json_shows_its_keys_strings_and_numbers() -> None:
    page = lay_out(message('{"name": "a \\" b", "n": -1.5e3, "ok": true, "none": null}', "tool"), View(90, joined=True))
    assert inks(page, '"name"') == {Ink.KEY}
    assert inks(page, '"a \\" b"') == {Ink.STRING}
    assert inks(page, "-1.5e3") == inks(page, "true") == inks(page, "null") == {Ink.NUMBER}


def test_data_read_as_lines_shows_its_keys() -> None:
    call = ToolCall("c", "x", "path: a.py\nlimit: 20\nflags:\n  deep: true\nwords: said 20 times")
    page = lay_out(message("", tool_calls=(call,)), View(60, joined=True, unfolded=True))
    assert inks(page, "path:") == inks(page, "flags:") == inks(page, "deep:") == {Ink.KEY}
    assert inks(page, "20") == {Ink.NUMBER, Ink.CODE}
    assert inks(page, " said 20 times") == {Ink.CODE}


def test_a_log_is_no_data() -> None:
    page = lay_out(message("[12:00:01] started 12\nWARNING: 3 left", "tool"), View(80, joined=True))
    assert inks(page, "12") == inks(page, "WARNING: 3 left") == {Ink.OUTPUT}


def test_deep_in_one_long_line_strings_are_still_told_from_what_is_between_them() -> None:
    text = '{"items": [' + ", ".join(f'{{"id": {at}, "name": "some words {at}"}}' for at in range(9000)) + "]}"
    page = lay_out(message(text, "tool"), View(90, joined=True, unfolded=True))
    for number in (40, page.height // 2, page.height - 3):
        looks = {piece.text: piece.ink for piece in page.pieces(number)}
        assert looks['"id"'] is Ink.KEY
        assert {ink for text, ink in looks.items() if text.startswith('"some words') and text.endswith('"')} == {
            Ink.STRING
        }


# -- diffs

DIFF = "diff --git a/x b/x\nindex 1..2\n--- a/x\n+++ b/x\n@@ -1,3 +1,3 @@ def f\n a\n-b\n+c\n d\n"


def test_a_diff_is_told_by_its_content_and_ends_with_its_hunk() -> None:
    page = lay_out(message("+ before\n- list\n" + DIFF + "- item after\n+ item", "tool"), View(80, joined=True))
    assert (inks(page, "-b"), inks(page, "+c")) == ({Ink.REMOVED}, {Ink.ADDED})
    assert (
        inks(page, "--- a/x")
        == inks(page, "+++ b/x")
        == inks(page, "@@ -1,3")
        == inks(page, "diff --git")
        == {Ink.HUNK}
    )
    assert inks(page, "- item after") == inks(page, "+ item") == inks(page, "- list") == {Ink.OUTPUT}


def test_a_patch_among_arguments_shows_what_it_changes() -> None:
    body = "path: x\npatch:\n*** Begin Patch\n*** Update File: x\n@@ def f\n-old\n+new\n*** End Patch\nmode: replace"
    page = lay_out(message("", tool_calls=(ToolCall("c", "patch", body),)), View(60, joined=True, unfolded=True))
    assert (inks(page, "-old"), inks(page, "+new")) == ({Ink.REMOVED}, {Ink.ADDED})
    assert inks(page, "mode:") == {Ink.KEY}


def test_a_long_line_of_a_diff_is_one_colour_on_all_of_its_rows() -> None:
    page = lay_out(message("@@ -1 +1 @@\n-" + "old " * 60 + "\n+new", "tool"), View(40, joined=True, unfolded=True))
    assert {piece.ink for number in range(2, page.height - 1) for piece in page.pieces(number)[1:]} == {Ink.REMOVED}


@settings(deadline=None)
@given(
    st.lists(
        st.sampled_from(["@@ -1,2 +1,2 @@", "@@ -9999999,99999999 +1 @@", "@@", "-a", "+b", " c", "", "--- a", "+++ b",
                         "*** Begin Patch", "*** End Patch", "diff --git", "\\ No newline", "x"]), max_size=40)
)  # fmt: skip
def test_any_lines_like_those_of_diffs_are_shown_as_they_are(lines: list[str]) -> None:
    text = "x\n" + "\n".join(lines) + "\ny"
    page = lay_out(message(text, "tool"), View(50, joined=True, unfolded=True))
    assert [row.removeprefix("  ") for row in rows(page)[1:]] == clean(text).split("\n")
