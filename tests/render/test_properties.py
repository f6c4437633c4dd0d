"""Whatever a message holds: nothing lost or doubled, nothing wider than the screen, marks where the query matches."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.cells import cell_len

from hermes_tui.model import Message, ToolCall
from hermes_tui.render import Field, Mark, Marks, Page, View, clean, lay_out
from tests.render.reading import Words, message, rows, shown

PARTS = st.sampled_from(
    ["needle", "word ", "漢字", "e\u0301", "\u0301", "\U0001f680", "\u200d", "\u202e", "\x1b[31m", "\x1b[0m", "\x9b1m",
     "\x1b]0;t\x07", "\x00", "\t", "\r", "\n", "\n\n", "    ", "- ", "1. ", "- [ ] ", "# ", "> ", "> > ", "```python\n",
     "```\n", "~~~\n", "~~", "**", "*", "_", "`", "[", "](", ")", "!", "| a | b |\n", "|---|:-:|\n", "|", "---\n",
     "https://a.test/b ", '{"a": 1}', '"', "{", "key: 1\n", "@@ -1,2 +1,2 @@\n", "+new\n", "-old\n",
     "*** Begin Patch\n", "[image/png 4 KB]", "def f(x):\n", "'''", "\\"]
)  # fmt: skip
TEXTS = st.lists(PARTS, max_size=50).map("".join)
WIDTHS = st.integers(4, 130)
ROLES = st.sampled_from(["tool", "assistant", "user"])
BARE = str.maketrans("", "", " \n")


def of(text: str, role: str) -> Message:
    return message("x" + text + "x", role)


@settings(max_examples=80, deadline=None)
@given(TEXTS, WIDTHS, ROLES)
def test_all_of_the_text_is_on_the_rows_once_and_in_order(text: str, width: int, role: str) -> None:
    page = lay_out(of(text, role), View(width, unfolded=True))
    assert shown(page).translate(BARE) == clean("x" + text + "x").translate(BARE)
    for number in range(page.height):
        block, (low, high, *_) = page._row(number)
        assert page.stored(number) == block.text[low:high]
        assert "".join(piece.text for piece in page.pieces(number) if not piece.drawn) == block.text[low:high]


@settings(max_examples=80, deadline=None)
@given(TEXTS, WIDTHS, ROLES)
def test_no_row_is_wider_than_the_screen(text: str, width: int, role: str) -> None:
    call = ToolCall("c", text[:40], text)
    for unfolded in (False, True):
        page = lay_out(message(text, role, tool_calls=(call,), reasoning=text), View(width, unfolded=unfolded))
        assert all(cell_len(row) <= width for row in rows(page))


@settings(max_examples=80, deadline=None)
@given(TEXTS, WIDTHS, ROLES)
def test_marked_is_exactly_what_matches(text: str, width: int, role: str) -> None:
    held = of(text, role)
    marks = Marks(Words("needle", "字e"))
    page = lay_out(held, View(width, unfolded=True, marks=marks))
    (block,) = [block for block in page.blocks if block.source is not None and block.source.field is Field.TEXT]
    assert block.cleaned is not None
    expected: set[int] = set()
    for low, high in marks.spans(held.text):
        expected.update(range(*block.cleaned.span(low - block.base, high - block.base)))
    seen: set[int] = set()
    for number in range(page.height):
        inside, (left, right, *_) = page._row(number)
        if inside is block:
            seen |= marked_offsets(page, number, left)
            expected -= set(range(right, next_left(page, number, block, len(block.text))))
    assert seen == expected


def marked_offsets(page: Page, number: int, left: int) -> set[int]:
    """The offsets that are marked on a row."""
    found: set[int] = set()
    at = left
    for piece in page.pieces(number):
        if piece.drawn:
            assert piece.mark is Mark.NONE
            continue
        if piece.mark is not Mark.NONE:
            found.update(range(at, at + len(piece.text)))
        at += len(piece.text)
    return found


def next_left(page: Page, number: int, block: object, end: int) -> int:
    """Where the row after `number` begins: what is between is blanks at a break, which no row shows."""
    if number + 1 < page.height and page._row(number + 1)[0] is block:
        return page._row(number + 1)[1][0]
    return end


@settings(max_examples=60, deadline=None)
@given(TEXTS, WIDTHS, st.data())
def test_a_cell_of_a_row_is_a_place_of_the_text(text: str, width: int, data: st.DataObject) -> None:
    page = lay_out(of(text, "assistant"), View(width, unfolded=True))
    number = data.draw(st.integers(0, page.height - 1))
    block, (left, right, *_) = page._row(number)
    if block.source is None or block.cleaned is None:
        return
    places = [page.place(number, cell).offset for cell in range(width + 2)]
    assert places == sorted(places)
    assert places[0] == block.cleaned.source(left)
    assert places[-1] == block.cleaned.source(right)
    assert all(page.locate(page.place(number, cell)) in (number, number + 1) for cell in range(width))


@pytest.mark.parametrize("role", ["tool", "assistant"])
@pytest.mark.parametrize(
    "text",
    [
        "x" * 1_000_000,
        "漢" * 300_000,
        "[" * 10_000,
        "[" * 10_000 + "]" * 10_000,
        '{"a":' * 10_000,
        "**" * 50_000,
        "*a " * 30_000,
        "`" * 100_000,
        "> " * 50_000,
        "- " * 50_000,
        "|" * 100_000,
        ("|" + "-|" * 90 + "\n") * 2000,
        "```python\n" * 20_000,
        "```c\n" + "/*\n" * 20_000,
        "~" * 100_000,
        "\u0301" * 100_000,
        "\x1b[31m" * 50_000,
        "\x1b[38;2;1" * 20_000,
        "\x1b]" * 50_000,
        "@@ -1,999999999 +1,999999999 @@\n" * 20_000,
        "*** Begin Patch\n" * 20_000,
        'key: "' + '\\"' * 100_000,
        "a: " * 50_000,
        "\ud800" * 1000,
        "\u202e\u2066" * 20_000,
    ],
    ids=lambda text: ascii(text[:12]),
)
def test_hostile_text_is_laid_out_and_painted(text: str, role: str) -> None:
    for view in (View(80), View(80, unfolded=True)):
        page = lay_out(message(text, role), view)
        for number in {0, 1, 2, page.height // 3, page.height // 2, page.height - 2, page.height - 1}:
            if 0 <= number < page.height:
                assert cell_len(page.text(number)) <= 80
