"""Markdown as people read it, while the text on screen stays the text that was stored."""

from __future__ import annotations

import re
from importlib import import_module
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.cells import cell_len

from hermes_tui.render import ADDRESS, Ink, Marks, View, lay_out
from hermes_tui.render.code import LANGUAGES, LONGEST
from tests.render.reading import Words, inks, message, rows, shown

TABLE = "| Name | Size |\n|:--|--:|\n| app | 12 MB |\n| installer.exe | 3 |"


def test_marks_are_quieter_than_what_they_mark() -> None:
    page = lay_out(message("a **bold** and *slanted* and _too_ and ~~gone~~ end"), View(80))
    assert inks(page, "bold") == {Ink.STRONG}
    assert inks(page, "slanted") == inks(page, "too") == {Ink.ITALIC}
    assert inks(page, "gone") == {Ink.STRIKE}
    assert inks(page, "**") == inks(page, "~~") == {Ink.SIGN}
    assert rows(page)[2] == "a **bold** and *slanted* and _too_ and ~~gone~~ end"


@pytest.mark.parametrize(
    "text", ["snake_case_name", "2 * 3 * 4", "a ** b ** c", "x*y*z", "__init__.py", "~~ x ~~", "5*"]
)
def test_what_is_no_mark_stays_plain(text: str) -> None:
    assert inks(lay_out(message(f"so {text} it"), View(80)), text) == {Ink.BODY}


def test_a_link_shows_its_words_and_where_it_leads() -> None:
    page = lay_out(message("see [the docs](https://host.test/a_b_c) or https://host.test/d"), View(90))
    assert (
        inks(page, "the docs")
        == inks(page, "https://host.test/a_b_c")
        == inks(page, "https://host.test/d")
        == {Ink.LINK}
    )
    assert "[the docs](https://host.test/a_b_c)" in rows(page)[2]


def test_lists_nest_and_tasks_show_their_boxes() -> None:
    page = lay_out(message("- one\n  - " + "two " * 20 + "\n- [ ] open\n- [x] done\n10. ten"), View(30))
    assert inks(page, "- [ ] ") == inks(page, "- [x] ") == inks(page, "10. ") == {Ink.BULLET}
    hanging = [row for row in rows(page) if row.startswith("    two")]
    assert len(hanging) >= 2, "further rows of a nested item stand below its words"


@pytest.mark.parametrize("rule", ["---", "***", "___", "- - -", "----------"])
def test_a_rule_is_told_from_a_list(rule: str) -> None:
    page = lay_out(message(f"above\n\n{rule}\nbelow"), View(40))
    assert inks(page, rule) == {Ink.RULE}


def test_placeholders_of_images_and_files_stand_out() -> None:
    page = lay_out(
        message("look [image/png 40 KB] and [file report.pdf 1.2 MB] but [file a bug](http://x.test)"), View(90)
    )
    assert inks(page, "[image/png 40 KB]") == inks(page, "[file report.pdf 1.2 MB]") == {Ink.MEDIA}
    assert inks(page, "file a bug") == {Ink.LINK}


# -- tables


def test_a_table_that_fits_has_even_columns() -> None:
    page = lay_out(message("before\n\n" + TABLE + "\n\nafter"), View(60))
    assert rows(page)[4:8] == [
        "| Name          |  Size |",
        "|:--------------|------:|",
        "| app           | 12 MB |",
        "| installer.exe |     3 |",
    ]
    assert shown(page).replace("\n", "") == ("before" + TABLE + "after").replace("\n", "")
    assert "\n".join(page.stored(number) for number in range(4, 8)) == TABLE
    assert page.stored(7, 2, 22) == "installer.exe | "


def test_a_table_that_does_not_fit_stands_as_it_is_stored() -> None:
    text = "| a | " + "word " * 30 + "|\n|---|---|\n| b | c |"
    page = lay_out(message(text), View(40))
    assert rows(page)[-1] == "| b | c |"
    assert shown(page).replace(" ", "") == text.replace(" ", "").replace("\n", "")


def test_wide_letters_and_bars_within_cells_keep_columns_even() -> None:
    page = lay_out(message("| 漢字 | x |\n|---|---|\n| a\\|b | `c|d` |"), View(60))
    ends = [cell_len(row) for row in rows(page)[2:]]
    assert len(set(ends)) == 1
    assert rows(page)[-1] == "| a\\|b | `c|d` |"


CELL = st.text(alphabet="ab |-:`\\漢\u0301*", max_size=8)


@settings(deadline=None, max_examples=60)
@given(st.lists(st.lists(CELL, max_size=5).map("|".join), max_size=6), st.integers(4, 60))
def test_no_table_overflows_or_loses_a_character(lines: list[str], width: int) -> None:
    text = "x\n" + "\n".join("|" + line for line in [*lines[:1], "---|:-:|--:", *lines[1:]]) + "\ny"
    page = lay_out(message(text), View(width, unfolded=True))
    assert max(map(cell_len, rows(page))) <= width
    bare = str.maketrans("", "", " \n")
    assert shown(page).translate(bare) == text.translate(bare)


# -- code


def test_code_is_read_by_the_language_of_its_fence() -> None:
    page = lay_out(
        message('```python\nclass A:\n    """Text\n    goes on"""\n    x = 12  # why\n```\nclass B'), View(60)
    )
    assert inks(page, "class") == {Ink.KEYWORD, Ink.BODY}
    assert inks(page, "goes on") == {Ink.STRING}
    assert inks(page, "12") == {Ink.NUMBER}
    assert inks(page, "# why") == {Ink.COMMENT}


def test_a_plugin_is_never_asked_for_a_language() -> None:
    for name in ("", "made-up", "x" * 5000, "../../etc", "{python", "console"):
        page = lay_out(message(f"```{name}\nclass A\n```"), View(60))
        assert inks(page, "class A") in ({Ink.CODE}, set()) or name == "{python"


def test_every_language_is_one_that_can_be_read() -> None:
    lexers: Any = import_module("pygments.lexers")
    known = {alias for _, aliases, _, _ in lexers.get_all_lexers(plugins=False) for alias in aliases}
    assert known >= LANGUAGES


def test_code_that_is_too_long_is_plain_and_all_there() -> None:
    text = "```python\n" + "x = 1\n" * (LONGEST // 6 + 1) + "```"
    page = lay_out(message(text), View(60, unfolded=True))
    assert inks(page, "x = 1") == {Ink.CODE}
    minified = lay_out(message("```js\nlet a = 1\nlet b = " + "1," * 400 + "\n```"), View(60, unfolded=True))
    assert inks(minified, "let") == {Ink.KEYWORD, Ink.CODE}, "what stands above the long line is read"
    assert inks(minified, "1,1,") == {Ink.CODE}


def test_wrapped_code_is_code_on_all_of_its_rows() -> None:
    for width in (40, 70, 120):
        page = lay_out(message("```\n    " + "call(a, b) " * 30 + "\n```"), View(width))
        for number in range(3, page.height - 1):
            assert page.ink(number) is Ink.CODE
            assert {piece.ink for piece in page.pieces(number)} == {Ink.CODE}
            assert page.text(number).startswith("    ")
            assert page.stored(number).startswith("call") == (number > 3)


def test_a_fence_in_a_list_is_closed_where_it_ends_and_inline_code_opens_none() -> None:
    page = lay_out(message("1. a\n   - b\n     ```sh\n     echo hi\n     ```\n   - c\n```x``` inline\nend"), View(60))
    assert inks(page, "c") >= {Ink.BODY}
    assert inks(page, "end") == {Ink.BODY}
    assert inks(page, "```sh") == {Ink.FENCE}


def test_a_window_in_the_middle_of_code_knows_its_language() -> None:
    text = "```python\n" + "x = 1  # why\n" * 900 + "needle = 2\n```"
    page = lay_out(message(text), View(60, seek=True, marks=Marks(Words("needle"))))
    assert inks(page, "# why") == {Ink.COMMENT}


def test_a_diff_in_a_fence_shows_what_came_and_went() -> None:
    page = lay_out(message("```diff\n@@ -1 +1 @@\n-old\n+new\n same\n```"), View(60))
    assert (inks(page, "-old"), inks(page, "+new"), inks(page, "@@")) == ({Ink.REMOVED}, {Ink.ADDED}, {Ink.HUNK})
    assert inks(page, " same") == {Ink.CODE}


def test_one_long_row_does_not_spoil_the_columns_of_the_others() -> None:
    long = "| a name that is longer than there is room for in this width | 3 |"
    page = lay_out(message(f"| Name | Size |\n|:--|--:|\n| app | 12 MB |\n{long}\n| installer.exe | 3 |"), View(40))
    told = rows(page)
    for row in ("| Name          |  Size |", "|:--------------|------:|", "| app           | 12 MB |",
                "| installer.exe |     3 |"):  # fmt: skip
        assert row in told
    assert " ".join(row.strip() for row in told).count(long) == 1
    assert all(cell_len(row) <= 40 for row in told)
    most = lay_out(message("| Name | Size |\n|:--|--:|\n" + "\n".join([long] * 5)), View(40))
    assert "| Name | Size |" in rows(most)


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("it is at https://host.test/path.", "https://host.test/path"),
        ("(see https://host.test/a?b=1), then", "https://host.test/a?b=1"),
        ("https://host.test/Name_(word)/x is", "https://host.test/Name_(word)/x"),
        ("https://host.test/open(", "https://host.test/open"),
        ("[so](https://host.test/a_(b))", "https://host.test/a_(b)"),
        ("really https://host.test/x?!", "https://host.test/x"),
    ],
)
def test_an_address_ends_before_what_ends_the_sentence(text: str, address: str) -> None:
    page = lay_out(message(text), View(90))
    pieces = [piece for row in range(page.height) for piece in page.pieces(row)]
    assert "".join(piece.text for piece in pieces if piece.ink is Ink.LINK).endswith(address)
    assert re.findall(ADDRESS, text) == [address]
