"""The table of cases, and what holds for any text: spans, costs, and that nothing is ever raised."""

from __future__ import annotations

import re
import sys
from importlib import import_module
from pathlib import Path
from types import FrameType

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import hermes_tui.hints
from hermes_tui.hints import Hint, HintKind, find
from tests.hints.cases import CASES, Case, Found

PARTS = st.sampled_from(
    ["src/app.py", "/etc/hosts", "~/a b/c.md", "C:\\Users\\a b\\c.txt", "\\\\srv\\x\\", "https://a.test/(b)", "://",
     "a@b.test", "a1b2c3d", "20261021_090000_a1b2c3", "#12", ":12:5", "(3)", ", line 4", '"', "'", "`", "``",
     "```sh\n", "```\n", "~~~\n", "> ", "- ", "  ", "$ ", "# ", "\\\n", "<<EOF\n", "EOF\n", "--- a/x.py\n",
     "diff --git a/x b/x\n", "](", "[", ")", "(", "{", "}", "文件", "，", "。", "를", "e\u0301", "\x1b[31m", "\x1b[0m",
     "\x1b]0;t\x07", "\r\n", "\n", " ", "\t", "*", "_", "=", "--flag=", "$HOME/", "%TEMP%\\", "...", "\ud800", "\x00",
     "command: ", "for ", "do\n", "done\n", "a" * 70, "/", "\\"]
)  # fmt: skip
TEXTS = st.lists(PARTS, max_size=40).map("".join)


@pytest.mark.parametrize("told", CASES, ids=lambda told: ascii(told.text)[1:41])
def test_everything_that_can_be_copied_is_found_and_nothing_else(told: Case) -> None:
    found = [Found(hint.kind, hint.text, hint.path, hint.line, hint.column) for hint in find(told.text, call=told.call)]
    assert found == list(told.found)


def test_the_table_is_as_long_as_it_claims() -> None:
    assert len(CASES) >= 120
    assert len({told.text for told in CASES}) == len(CASES)
    assert {found.kind for told in CASES for found in told.found} == set(HintKind)


def squeezed(text: str) -> str:
    """Without what is left out of a joined command or a block in a list: blanks, continuation signs, quote signs."""
    return re.sub(r"[\s\\^`>]+", "", text)


def bare(text: str) -> str:
    return re.sub(r"\x1b(?:\[[0-9;]*m|\][^\x07\x1b\n]*\x07)", "", text)


@settings(max_examples=200, deadline=None)
@given(TEXTS, st.booleans())
def test_what_is_copied_is_what_stands_there(text: str, call: bool) -> None:
    found = find(text, call=call)
    assert list(found) == sorted(found, key=lambda hint: (hint.shown, hint.start, -hint.end))
    for hint in found:
        assert 0 <= hint.shown <= hint.start < hint.end <= len(text)
        stretch = text[hint.start : hint.end]
        match hint.kind:
            case HintKind.CODE | HintKind.COMMAND:
                assert squeezed(bare(hint.text)) == squeezed(bare(stretch))
            case _:
                assert hint.text == bare(stretch)
                assert "\n" not in hint.text
                assert hint.text == hint.text.strip() or hint.kind is HintKind.INLINE
        assert bool(hint.path) == (hint.kind is HintKind.PATH or hint.text.lower().startswith("file:///"))


@settings(max_examples=60, deadline=None)
@given(TEXTS, TEXTS, TEXTS)
def test_a_part_of_a_text_holds_what_the_whole_has_there(before: str, text: str, behind: str) -> None:
    whole = before + "\n" + text + "\n" + behind
    within = len(before) + 1, len(before) + 1 + len(text)
    expected = [hint for hint in find(whole) if hint.end > within[0] and hint.shown < within[1]]
    assert list(find(whole, within=within)) == expected


def test_a_part_of_a_line_without_end_is_found_like_the_rest() -> None:
    text = "".join(f'{{"path": "/srv/data/file{number}.json", "n": {number}}}, ' for number in range(20_000))
    at = text.index("/srv/data/file9999.json")
    assert [hint.text for hint in find(text, within=(at - 5, at + 5))] == ["/srv/data/file9999.json"]
    assert [hint.text for hint in find(text, within=(0, 30))] == ["/srv/data/file0.json"]


# -- what it costs ----------------------------------------------------------------------------------------------------

LONG = {
    "prose": "the file src/app.py:12 and https://a.test/b, then C:\\a\\b.txt in `code` of 2026\n",
    "quotes": "\"'`",
    "ticks": "` `` ``` ```` ",
    "brackets": "([{",
    "closing brackets": ")]}",
    "calls": "a(a)a[a]",
    "links": "[a](b",
    "schemes": "x://",
    "schemes in brackets": "ab://)",
    "drives": "C:\\a ",
    "backslashes": "a\\",
    "slashes": "a/",
    "hex": "a1",
    "at signs": "a@b.",
    "scripts": "文a/",
    "fences": "```sh\n",
    "open loops": "```sh\n" + "for a\n" * 50,
    "heredocs": "$ a <<E\nb\n",
    "escapes": "\x1b[31ma\x1b]",
    "equal signs": "/a=a",
    "one word": "abcdefgh",
    "diffs": "diff --git a/x b/x\n",
    "lines": "\n",
    "quoted fences": "> ```\n> - ```\n",
}


def steps(text: str, within: tuple[int, int] | None = None) -> int:
    """How many functions, of ours and of the interpreter, are called to read a text."""
    counted = 0

    def count(frame: FrameType, event: str, argument: object) -> None:
        nonlocal counted
        counted += event in ("call", "c_call")

    sys.setprofile(count)
    try:
        find(text, within=within)
    finally:
        sys.setprofile(None)
    return counted


@pytest.mark.parametrize("part", LONG.values(), ids=LONG)
def test_four_times_the_text_costs_four_times_the_steps(part: str) -> None:
    short, long = part * (1600 // len(part)), part * (6400 // len(part))
    assert steps(long) <= 4.6 * steps(short) + 400
    assert steps(long) <= 40 * len(long)


def test_what_is_on_a_screen_costs_no_more_in_a_megabyte() -> None:
    line = LONG["prose"]
    short, long = line * 1000, line * (1_000_000 // len(line))
    screen = 500 * len(line), 550 * len(line)
    assert len(find(long, within=screen)) == len(find(short, within=screen)) == 50 * 4
    assert steps(long, screen) == steps(short, screen)


def test_a_megabyte_is_read_to_its_end() -> None:
    line = "what was said, and done, and said again, and nothing in it to copy but a date: 2026-10-21\n"
    found = find(line * (1_000_000 // len(line)) + LONG["brackets"] * 20_000 + "\nsee /etc/hosts")
    assert [hint.text for hint in found] == ["/etc/hosts"]


def test_no_pattern_tries_again_what_it_took_without_end() -> None:
    """Every repeat is bounded or possessive, so a match costs its length, and a miss what is tried at one place."""
    folder = Path(hermes_tui.hints.__file__).parent
    patterns = [
        value
        for file in folder.glob("*.py")
        for value in vars(import_module(f"hermes_tui.hints.{file.stem}")).values()
        if isinstance(value, re.Pattern)
    ]
    assert len(patterns) > 20
    for pattern in patterns:
        signs = re.sub(r"\[(?:\\.|[^\]\\])+\]|\\.", "x", pattern.pattern)
        assert re.search(r"(?<![*+?}])[*+](?![+])", signs) is None, pattern.pattern


def test_hints_are_values() -> None:
    (hint,) = find("see src/app.py:12.")
    assert hint == Hint(HintKind.PATH, "src/app.py:12", 4, 17, 4, "src/app.py", 12, None)
