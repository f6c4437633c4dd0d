"""Tool calls as cards of one line, with what came of them; nothing is claimed that the rows do not say."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from hermes_tui.model import Kind, Message, ToolCall
from hermes_tui.render import Ink, Marks, Outcome, View, lay_out, outcomes
from tests.render.reading import Words, inks, marked, message, rows

CALL = ToolCall("c1", "terminal", "command: ls -la src/")
ASKING = message("", tool_calls=(CALL,), timestamp=1_785_000_000.0)


def answer(text: str, call: str = "c1", *, after: float | None = 0.3) -> Message:
    time = None if after is None else 1_785_000_000.0 + after
    return message(text, "tool", id=2, tool_call_id=call, tool_name="terminal", timestamp=time)


def card(result: Message) -> str:
    ended = outcomes(ASKING, [result])
    return rows(lay_out(message("", tool_calls=(CALL,)), View(100, joined=True, outcomes=ended)))[0]


def test_a_card_says_how_much_came_back_and_how_long_it_took() -> None:
    text = "output:\n" + "\n".join(f"file {at}" for at in range(14)) + "\nexit_code: 0\nerror: null"
    assert card(answer(text)) == "▸ terminal  ls -la src/  -> 14 lines, 0.3 s"
    assert card(answer("plain\ntext\n", after=None)) == "▸ terminal  ls -la src/  -> 2 lines"
    assert card(answer("output: one\nexit_code: 0")) == "▸ terminal  ls -la src/  -> 1 line, 0.3 s"
    assert card(answer("output:\nexit_code: 0\nerror: null")) == "▸ terminal  ls -la src/  -> no output, 0.3 s"
    assert card(answer("x" * 20_000)) == "▸ terminal  ls -la src/  -> 1 line, 20 KB, 0.3 s"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("output:\nls: no such file\nexit_code: 2\nerror: null", "failed: exit code 2"),
        ("exit_code: 1\noutput:\na\nb", "failed: exit code 1"),
        ("error: file not found", "failed: file not found"),
        ("error: ''\nsuccess: false", "failed: ''"),
        ("success: false\npath: a", "failed: without success"),
        ("error:\nfirst of two\nsecond\nsuccess: false", "failed: first of two"),
        ("Error: it broke\nbadly", "failed: Error: it broke"),
        ("Traceback (most recent call last):\n  File x\nKeyError: 'a'", "failed: KeyError: 'a'"),
    ],
)
def test_what_went_wrong_is_said_in_words(text: str, words: str) -> None:
    assert f"-> {words}, 0.3 s" in card(answer(text))
    ended = outcomes(ASKING, [answer(text)])
    assert inks(lay_out(ASKING, View(90, joined=True, outcomes=ended)), "failed") == {Ink.FAILED}


@pytest.mark.parametrize(
    "text",
    [
        "output:\nexit_code: 2\nmore\nexit_code: 0\nerror: null",  # what was printed is not what the tool says
        "exit_code: 0\noutput:\nall is well\nexit_code: 3",
        "   Compiling app\nerror: could not compile",
        "exit_code: 0\nerror: null",
        "error: null\nsuccess: true",
        "error: 0",
        "the error: was elsewhere",
        "content:\nsuccess: false\nin a file\npath: a",
    ],
)
def test_nothing_failed_that_does_not_say_so(text: str) -> None:
    assert "failed" not in card(answer(text))


def test_calls_and_answers_are_paired_by_id() -> None:
    calls = tuple(ToolCall(name, "read", f"path: {name}") for name in ("a", "b", "c"))
    asking = message("", tool_calls=calls)
    rows_after = [answer("1\n2\n3", "c"), answer("1", "a"), message("next", "user")]
    assert [ended and ended.words() for ended in outcomes(asking, rows_after)] == ["1 line", "no result", "3 lines"]


def test_a_missing_answer_is_told_only_when_all_rows_are_known() -> None:
    assert outcomes(ASKING, [message("next", "user"), answer("late")]) == (Outcome(missing=True),)
    assert outcomes(ASKING, []) == (Outcome(missing=True),)
    assert outcomes(ASKING, [None, message("next", "user")]) == (None,)
    assert outcomes(ASKING, [None, answer("here")])[0] is not None
    nameless = message("", tool_calls=(ToolCall(None, "x", ""),))
    assert outcomes(nameless, []) == (None,)
    assert outcomes(message("no calls"), [answer("x")]) == ()


def test_rows_are_looked_at_as_far_as_calls_wait_for_them() -> None:
    def following() -> Iterator[Message]:
        yield answer("done")
        raise AssertionError("nobody waits for this row")

    assert outcomes(ASKING, following()) != (None,)


@pytest.mark.parametrize(
    ("seconds", "told"),
    [
        (0.0, ""),
        (-5.0, ""),
        (0.3, "0.3 s"),
        (12.4, "12 s"),
        (59.99, "1 min"),
        (125.0, "2 min 5 s"),
        (3720.0, "1 h 2 min"),
    ],
)
def test_time_taken_is_told_where_it_says_something(seconds: float, told: str) -> None:
    assert card(answer("x", after=seconds)).partition("-> 1 line")[2] == (f", {told}" if told else "")


def test_a_narrow_card_keeps_its_outcome() -> None:
    call = ToolCall("c1", "terminal", "command: " + "word " * 60)
    for width in range(40, 90, 7):
        ended = (Outcome(lines=14, seconds=0.3),)
        (row,) = rows(lay_out(message("", tool_calls=(call,)), View(width, joined=True, outcomes=ended)))
        assert row.endswith("-> 14 lines, 0.3 s")
        assert len(row) <= width


def test_an_answer_below_its_card_is_one_line_that_unfolds() -> None:
    text = "output:\ntotal 48\nmore\nexit_code: 0\nerror: null"
    folded = lay_out(answer(text, after=None), View(80, joined=True, carded=True))
    assert rows(folded)[0].startswith("  ▸ terminal  total 48")
    assert folded.height == 1
    assert folded.foldable
    unfolded = lay_out(answer(text, after=None), View(80, joined=True, carded=True, unfolded=True))
    assert [row.strip() for row in rows(unfolded)[1:]] == text.split("\n")
    alone = lay_out(answer(text, after=None), View(80, joined=True))
    assert alone.height == 6, "an answer whose call is not shown is not folded away"


def test_a_folded_answer_says_that_it_failed() -> None:
    page = lay_out(answer("output:\nno\nexit_code: 2\nerror: null"), View(80, joined=True, carded=True))
    assert rows(page)[0].startswith("  ▸ terminal  failed  no"), "why and how much is on the card above"


def test_a_folded_answer_opens_where_it_matches() -> None:
    text = "\n".join(f"line {at}" for at in range(900)) + "\nneedle"
    page = lay_out(answer(text), View(80, joined=True, carded=True, seek=True, marks=Marks(Words("needle"))))
    assert marked(page) == ["needle"]
    assert page.height < 30


def test_bookkeeping_names_a_change_of_model() -> None:
    note = message("Switched to big-model", "system", kind=Kind.NOTICE, display_kind="model_switch")
    assert rows(lay_out(note, View(60)))[1].startswith("Model  Switched to big-model")


def test_thoughts_are_measured_in_words_or_in_characters_of_scripts_without_blanks() -> None:
    assert rows(lay_out(message("b", reasoning="word " * 1204), View(60)))[2] == "▸ thought for 1,204 words (r)"
    assert rows(lay_out(message("b", reasoning="漢字" * 500), View(60)))[2] == "▸ thought for 1,000 characters (r)"
