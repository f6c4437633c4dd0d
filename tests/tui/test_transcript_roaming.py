"""From one thing worth stopping at to the next, to a place that is typed, and back: on a real store."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from hermes_tui.library import Library
from hermes_tui.model import Anchor
from hermes_tui.recorder import Recorder
from hermes_tui.tui.goto import aim
from hermes_tui.tui.lens import Sight
from hermes_tui.tui.outline import Outline
from hermes_tui.tui.trail import Trail
from tests.tui.conftest import NOW, Clock, Stage, staged
from tests.tui.transcripts import START, said, transcript

DAY = 86_400.0


def written(path: Path) -> tuple[str, dict[str, int]]:
    """A conversation with all there is to stop at, and where it is: `goal`, `call1`, `bad`, ..."""
    at: dict[str, int] = {}
    with Recorder(path, clock=Clock(NOW - 3 * DAY)) as recorder:
        session = recorder.create_session("cli", session_id="s", title="Long")

        def chat(many: int, word: str) -> None:
            for number in range(many):
                recorder.append(session, "user", f"{word} question {number}")
                recorder.append(session, "assistant", f"{word} answer {number}\n\n" + "and more\n\n" * 8)

        def call(name: str, result: dict[str, object]) -> None:
            arguments = [{"id": name, "function": {"name": "terminal", "arguments": json.dumps({"command": name})}}]
            at[name] = recorder.append(session, "assistant", "", tool_calls=arguments)
            at[f"{name} result"] = recorder.append(
                session, "tool", json.dumps(result), tool_name="terminal", tool_call_id=name
            )

        at["goal"] = recorder.append(session, "user", "the goal of it all")
        chat(20, "early")
        call("call1", {"output": "fine", "exit_code": 0})
        chat(20, "middle")
        call("call2", {"output": "bad", "exit_code": 2})
        chat(3, "then")
        at["cut"] = recorder.compact(session, "what was said")
        chat(20, "late")
        at["last"] = recorder.append(session, "assistant", "the last answer")
        recorder.append(session, "user", "thanks")
    return session, at


async def cursor_at(stage: Stage, message: int) -> None:
    def there() -> bool:
        here = stage.browser.transcript.here
        return here is not None and here.message_id == message

    await stage.until(there, f"the cursor on {message}")


async def test_calls_errors_and_borders(tmp_path: Path) -> None:
    session, at = written(tmp_path / "state.db")
    async with staged(Library.open(tmp_path / "state.db"), anchor=Anchor(session)) as stage:
        await stage.shown(session)
        await stage.until(lambda: stage.browser.transcript.faults)
        for key, place in (
            ("right_square_bracket", "call1"),
            ("right_square_bracket", "call2"),
            ("left_square_bracket", "call1"),
            ("e", "call2 result"),
            ("right_curly_bracket", "cut"),
            ("E", "call2 result"),
        ):
            await stage.press(key)
            await cursor_at(stage, at[place])
        await stage.press("left_curly_bracket")
        await stage.until(lambda: stage.status() == "There is no compaction border above.")
        await stage.press("e")
        await stage.until(lambda: stage.status() == "This is the last error.")


async def test_calls_are_stopped_at_whether_they_were_answered_or_not(tmp_path: Path) -> None:
    def call(name: str) -> list[dict[str, object]]:
        return [{"id": name, "function": {"name": "terminal", "arguments": "{}"}}]

    with Recorder(tmp_path / "state.db", clock=Clock(NOW - 3 * DAY)) as recorder:
        session = recorder.create_session("cli", session_id="s", title="Long")
        recorder.append(session, "user", "go")
        broken = recorder.append(session, "assistant", "trying", tool_calls=call("a"))
        recorder.append(session, "user", "again")
        recorder.append(session, "assistant", "no calls here")
        last = recorder.append(session, "assistant", "once more", tool_calls=call("b"))
    async with staged(Library.open(tmp_path / "state.db"), anchor=Anchor(session)) as stage:
        await stage.shown(session)
        for message in (broken, last):
            await stage.press("right_square_bracket")
            await cursor_at(stage, message)
        await stage.press("right_square_bracket")
        await stage.until(lambda: stage.status() == "This is the last tool call.")


async def test_an_error_written_meanwhile_is_known(tmp_path: Path) -> None:
    session, _ = written(tmp_path / "state.db")
    async with staged(Library.open(tmp_path / "state.db"), anchor=Anchor(session)) as stage:
        await stage.shown(session)
        await stage.until(lambda: stage.browser.transcript.faults)
        with Recorder(tmp_path / "state.db") as recorder:
            new = recorder.append(session, "tool", "Traceback (most recent call last)", tool_name="python")
        await stage.until(lambda: new in stage.browser.transcript.faults)
        await stage.press("e", "e")
        await cursor_at(stage, new)


async def test_bookends_and_the_way_back(tmp_path: Path) -> None:
    session, at = written(tmp_path / "state.db")
    middle = at["call1"]
    async with staged(Library.open(tmp_path / "state.db"), anchor=Anchor(session, middle)) as stage:
        await stage.shown(f"{session}#{middle}")
        await stage.press("b")
        await cursor_at(stage, at["goal"])
        assert "the goal of it all" in stage.text()
        await stage.press("backspace")
        await cursor_at(stage, middle)
        await stage.press("l")
        await cursor_at(stage, at["last"])
        assert "the last answer" in stage.text()
        await stage.press("alt+left")
        await cursor_at(stage, middle)
        await stage.press("alt+right")
        await cursor_at(stage, at["last"])
        await stage.press("alt+right")
        await stage.until(lambda: stage.status() == "There is no place to go forward to.")
        await stage.press("backspace", "backspace")
        await stage.until(lambda: stage.status() == "There is no place to go back to.")


async def test_back_leads_to_the_hit_before_in_another_conversation(library: Library) -> None:
    async with staged(library) as stage:
        await stage.search("rare")
        first, second = stage.hits()[1:3]
        assert first.session_id != second.session_id
        await stage.press("down", "down", "enter")
        await stage.shown(str(first))
        await stage.press("n")
        await stage.shown(str(second))
        await stage.press("backspace")
        await stage.shown(str(first))


async def test_the_go_to_line(tmp_path: Path) -> None:
    session, at = written(tmp_path / "state.db")
    async with staged(Library.open(tmp_path / "state.db"), anchor=Anchor(session)) as stage:
        await stage.shown(session)

        async def go(text: str) -> None:
            await stage.press("colon")
            await stage.until(lambda: stage.focus == "goto-box")
            for char in text:
                await stage.pilot.press({"%": "percent_sign", "#": "number_sign"}.get(char, char))
            await stage.press("enter")

        await go(str(at["call2"]))
        await cursor_at(stage, at["call2"])
        assert stage.focus == "transcript"
        assert "Go to" not in stage.text()
        await go("0%")
        await cursor_at(stage, at["goal"])
        await stage.press("backspace")
        await cursor_at(stage, at["call2"])
        await go("99999")
        await stage.until(lambda: "Message 99999 is not shown" in stage.status())
        assert stage.focus == "goto-box"
        await stage.press("escape")
        await go("yesterday")  # of the browser's clock, which is not that of the machine
        await stage.until(lambda: "ends before yesterday" in stage.status())
        await stage.press("escape")
        await stage.until(lambda: stage.focus == "transcript")
        assert not stage.browser.goto_bar.display


def test_what_can_be_typed_to_go_to() -> None:
    messages = [said(at, f"word {at}", timestamp=START + (at // 4) * DAY + (at % 4) * 60) for at in range(100)]
    outline = Outline(transcript(messages), Sight())
    assert [aim(text, outline, 0, NOW) for text in ("0%", "50%", "100%", "12.5 %")] == [0, 50, 99, 12]
    assert [aim(text, outline, 0, NOW) for text in ("7", "#7", "s1#7")] == [7, 7, 7]
    assert aim("2026-07-28", outline, 0, NOW) % 4 == 0
    first = aim("2026-07-28", outline, 0, NOW)
    assert aim("2026-07-29", outline, 0, NOW) == first + 4
    for text, sentence in (
        ("1000", "Message 1000 is not shown"),
        ("2030-01-01", "ends before"),
        ("2020-01-01", "begins after"),
        ("xyzzy", "xyzzy"),
    ):
        with pytest.raises(ValueError, match=sentence):
            aim(text, outline, 0, NOW)
    # A number that may be a year is a message where there is one; dates count from the clock that is handed over.
    with pytest.raises(ValueError, match="ends before 2030"):
        aim("2030", outline, 0, NOW)
    later = Outline(transcript([said(at, "word") for at in range(2025, 2030)]), Sight())
    assert aim("2027", later, 0, NOW) == 2
    noon = START + 24.5 * DAY
    assert outline.rows[aim("yesterday", outline, 0, noon)].timestamp == START + 24 * DAY
    assert outline.rows[aim("2d", outline, 0, noon)].timestamp == START + 23 * DAY
    assert aim("2026-07-28..2026-07-30", outline, 0, noon) == first
    assert aim("..2026-08", outline, 0, noon) == 0
    with pytest.raises(ValueError, match="nothing to go to"):
        aim("7", Outline(transcript([]), Sight()), 0, NOW)


def test_a_trail_is_walked_both_ways() -> None:
    a, b, c, d = (Anchor("s", number) for number in range(4))
    trail = Trail()
    assert trail.back(a) is None
    trail.leave(a)
    trail.leave(a)
    trail.leave(b)
    assert trail.back(c) == b
    assert trail.back(b) == a
    assert trail.back(a) is None
    assert trail.forward(a) == b
    trail.leave(b)
    assert trail.forward(d) is None, "what was ahead is forgotten"
    assert trail.back(d) == b


# -- the outline


async def test_the_outline_follows_and_leads(tmp_path: Path) -> None:
    session, at = written(tmp_path / "state.db")
    async with staged(Library.open(tmp_path / "state.db"), anchor=Anchor(session, at["call1"])) as stage:
        await stage.shown(f"{session}#{at['call1']}")
        await stage.press("o")
        await stage.until(lambda: stage.focus == "turns")
        turns = stage.browser.turns
        await stage.until(lambda: "early question 19" in stage.text(), "words of turns")
        assert turns.turns[turns.cursor].id == at["call1"] - 2
        await stage.press("home", "enter")
        await cursor_at(stage, at["goal"])
        assert stage.focus == "transcript"
        assert turns.region.area > 0
        await stage.press("u", "u")
        await stage.until(lambda: turns.cursor == 2)
        await stage.press("backspace")
        await cursor_at(stage, at["call1"])
        await stage.until(lambda: turns.turns[turns.cursor].id == at["call1"] - 2)
        await stage.press("o")
        await stage.until(lambda: not turns.display)
        assert stage.focus == "transcript"


async def test_in_a_narrow_terminal_the_outline_takes_the_place_of_the_text(tmp_path: Path) -> None:
    session, _ = written(tmp_path / "state.db")
    async with staged(Library.open(tmp_path / "state.db"), anchor=Anchor(session), size=(80, 24)) as stage:
        await stage.shown(session)
        await stage.press("o")
        await stage.until(lambda: stage.focus == "turns")
        assert stage.browser.transcript.region.area == 0
        await stage.press("G", "enter")
        await stage.until(lambda: stage.focus == "transcript")
        assert stage.browser.turns.region.area == 0
        assert "thanks" in stage.text()
        await stage.press("o", "escape")
        await stage.until(lambda: stage.focus == "transcript")


async def test_the_outline_grows_with_the_conversation(tmp_path: Path) -> None:
    session, _ = written(tmp_path / "state.db")
    async with staged(Library.open(tmp_path / "state.db"), anchor=Anchor(session)) as stage:
        await stage.shown(session)
        await stage.press("o", "G")
        before = len(stage.browser.turns.turns)
        with Recorder(tmp_path / "state.db") as recorder:
            recorder.append(session, "user", "one thing more")
        await stage.until(lambda: len(stage.browser.turns.turns) == before + 1)
        assert stage.browser.turns.cursor == before - 1, "the highlight stays"
        await stage.press("down")
        await stage.until(lambda: "one thing more" in stage.text())
