"""Tool calls and their answers in the transcript: how each ended on its card, answers folded below it."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import partial
from pathlib import Path

from hermes_tui.library import Library, Stores
from hermes_tui.model import Anchor, Message, Session, State, ToolCall
from hermes_tui.recorder import Recorder
from hermes_tui.tui.pairs import paired
from hermes_tui.tui.reader import Target
from tests.tui.conftest import NOW, Clock, staged
from tests.tui.transcripts import START, PaneApp, Words, called, said, talk, transcript


def answer(number: int, to: str, text: str, *, seconds: float = 0.3) -> Message:
    """What a tool said to the call `to`, written `seconds` after the row before."""
    row = said(number, text, "tool", tool_name="terminal", tool_call_id=to)
    assert row.timestamp is not None
    return replace(row, timestamp=row.timestamp - 60 + seconds)


LISTING = "\n".join(f"file_{at}.py" for at in range(14))


def worked() -> list[Message]:
    """A call that went well, one that failed, one that nothing answers."""
    return [
        said(1, "do it"),
        called(2, "terminal", "command: ls -la src/\ntimeout: 3"),
        answer(3, "c2", LISTING),
        called(4, "terminal", "command: make"),
        answer(5, "c4", "output: no rule\nexit_code: 2"),
        said(6, "and now", "assistant"),
        called(7, "terminal", "command: sleep 100"),
    ]


async def test_cards_say_how_their_calls_ended() -> None:
    app = PaneApp(worked())
    async with app.run_test(size=(100, 30)) as pilot:
        app.open(1)
        await pilot.pause()
        assert "▸ terminal  ls -la src/  timeout=3  -> 14 lines, 0.3 s" in app.lines()[app.line_of("ls -la")]
        assert "-> failed: exit code 2" in app.lines()[app.line_of("make")]
        assert "-> running …" in app.lines()[app.line_of("sleep 100")]


async def test_a_call_is_running_only_at_the_end_of_a_session_that_is_open() -> None:
    live = Session(id="s1", source="cli")
    for messages, session, words in (
        (worked(), live._replace(ended_at=START + 9000), "no result"),
        ([*worked(), said(8, "are you there?")], live, "no result"),
        ([*worked(), said(8, "taken back", state=State.REWOUND)], live, "running …"),
        ([*worked()[:-1], replace(worked()[-1], state=State.REWOUND)], live, "no result"),
    ):
        app = PaneApp(messages)
        async with app.run_test(size=(100, 30)) as pilot:
            app.pane.rewound = True
            app.open(1, segments=(session,))
            await pilot.pause()
            assert f"-> {words}" in app.lines()[app.line_of("sleep 100")], words
            app.pane.pairs.clock = lambda: START + 7 * 60 + 100_000.0  # a day later nobody waits any more
            app.pane.forget_views()
            assert "-> no result" in app.lines()[app.line_of("sleep 100")]


async def test_an_answer_below_its_card_is_one_line() -> None:
    app = PaneApp(worked())
    async with app.run_test(size=(100, 30)) as pilot:
        app.open(1)
        await pilot.pause()
        line = app.line_of("file_0.py")
        assert line == app.line_of("ls -la") + 1
        assert app.line_of("file_1.py") == -1
        assert app.line_of("make") <= line + 2


async def test_an_answer_to_no_call_above_it_is_shown() -> None:
    messages = [*worked()[:2], answer(3, "another", LISTING)]
    app = PaneApp(messages)
    async with app.run_test(size=(100, 30)) as pilot:
        app.open(1)
        await pilot.pause()
        assert app.line_of("file_13.py") > 0


async def test_a_late_answer_folds_and_unfolds_with_its_card() -> None:
    messages = [
        said(1, "do it"),
        called(2, "terminal", "command: sleep 100"),
        said(3, "are you there?"),
        answer(4, "c2", LISTING),
        said(5, "yes", "assistant"),
    ]
    app = PaneApp(messages)
    async with app.run_test(size=(100, 40)) as pilot:
        app.open(2)
        await pilot.pause()
        assert app.line_of("▸ terminal  file_0.py") > app.line_of("are you there?")
        assert app.line_of("file_13.py") == -1
        for shown in (True, False):
            await pilot.press("enter")
            assert (app.line_of("file_13.py") > 0) is shown


async def test_an_answer_opens_on_a_hit() -> None:
    app = PaneApp(worked())
    async with app.run_test(size=(100, 30)) as pilot:
        app.open(3, matcher=Words("file_9"), hits=(3,))
        await pilot.pause()
        assert app.line_of("file_9.py") > 0


async def test_nothing_is_said_of_answers_that_are_not_here_or_do_not_say_what_they_answer() -> None:
    app = PaneApp([said(1, "do it"), called(2, "terminal", "command: ls"), answer(3, "c2", LISTING)], deliver=False)
    async with app.run_test(size=(100, 30)) as pilot:
        app.open(2, seen=lambda number: number < 3)
        await pilot.pause()
        assert "->" not in app.lines()[app.line_of("terminal  ls")]
        app.hand_over()
        await pilot.pause()
        assert "-> 14 lines" in app.lines()[app.line_of("terminal  ls")]
    app = PaneApp(talk(8))
    async with app.run_test(size=(100, 50)) as pilot:
        app.open(1)
        await pilot.pause()
        assert app.line_of("ls -la src/2") > 0
        assert app.line_of("no result") == -1


async def test_an_answer_above_the_window_folds_when_its_call_comes() -> None:
    messages = [said(1, "do it"), called(2, "terminal", "command: ls"), answer(3, "c2", LISTING), said(4, "end")]
    app = PaneApp(messages, deliver=False)
    async with app.run_test(size=(100, 6)) as pilot:
        app.open(4, seen=lambda number: number > 2)
        await pilot.pause()
        app.hand_over()
        await pilot.pause()
        await pilot.press("home")
        await pilot.pause()
        assert app.line_of("file_1.py") == -1


async def test_an_answer_that_is_written_later_completes_the_card() -> None:
    messages = worked()
    app = PaneApp(messages)
    async with app.run_test(size=(100, 30)) as pilot:
        app.open(1)
        await pilot.pause()
        assert "-> running …" in app.lines()[app.line_of("sleep 100")]
        app.messages[8] = answer(8, "c7", "one\ntwo")
        app.pane.renew(transcript(list(app.messages.values())))
        await pilot.pause()
        assert "-> 2 lines, 0.3 s" in app.lines()[app.line_of("sleep 100")]


async def test_enter_on_a_call_opens_its_answers_too_and_folds_them_again() -> None:
    calls = (ToolCall("a", "terminal", "command: one"), ToolCall("b", "terminal", "command: two"))
    first = "\n".join(f"first {at}" for at in range(5))
    second = "\n".join(f"second {at}" for at in range(5))
    messages = [
        said(1, "do it"),
        said(2, "", "assistant", tool_calls=calls),
        answer(3, "a", first),
        answer(4, "b", second),
        called(5, "terminal", "command: three"),
        answer(6, "c5", "third 0\nthird 1"),
    ]
    app = PaneApp(messages)
    async with app.run_test(size=(100, 40)) as pilot:
        app.open(2)
        await pilot.pause()
        app.pane.focus()
        await pilot.press("enter")
        await pilot.pause()
        assert app.line_of("first 4") > 0
        assert app.line_of("second 4") > 0
        assert app.line_of("third 1") == -1
        await pilot.press("enter")
        await pilot.pause()
        assert app.line_of("first 4") == -1
        assert app.line_of("second 4") == -1
        await pilot.press("j", "enter")  # on an answer: its own
        await pilot.pause()
        assert app.line_of("first 4") > 0
        assert app.line_of("second 4") == -1
        await pilot.press("escape")
        await pilot.pause()
        assert app.line_of("first 4") == -1


async def test_a_call_without_arguments_opens_its_answer() -> None:
    app = PaneApp([said(1, "do it"), called(2, "status", ""), answer(3, "c2", LISTING)])
    async with app.run_test(size=(100, 30)) as pilot:
        app.open(2)
        await pilot.pause()
        app.pane.focus()
        await pilot.press("enter")
        await pilot.pause()
        assert app.line_of("file_13.py") > 0
        await pilot.press("enter")
        await pilot.pause()
        assert app.line_of("file_13.py") == -1
        await pilot.click("#transcript", offset=(10, app.line_of("▸ status")))
        await pilot.pause()
        assert app.line_of("file_13.py") > 0


async def test_the_first_guess_of_a_folded_answer_is_its_height() -> None:
    messages = [said(1, "do it")]
    for at in range(2, 200, 2):
        messages += [called(at, "terminal", f"command: ls {at}"), answer(at + 1, f"c{at}", LISTING * 20)]
    app = PaneApp(messages, deliver=False)
    async with app.run_test(size=(100, 30)) as pilot:
        app.open(1)
        await pilot.pause()
        guessed = app.pane.heights[150]
        app.pane.bring(150, Target.TOP)
        app.hand_over()
        await pilot.pause()
        assert (guessed, app.pane.heights[150]) == (1, 1)


# -- answers that are elsewhere


def test_an_answer_belongs_to_the_nearest_call_above_it_that_has_none() -> None:
    def pairs(*rows: str) -> dict[str, int]:
        """Rows are calls (`a`, `ab`) and answers (`=a`); the pairs by the call's row and letter."""
        order = {at: at for at in range(len(rows))}
        calls = [(at, tuple(row)) for at, row in enumerate(rows) if not row.startswith("=")]
        answers = [(at, row[1:]) for at, row in enumerate(rows) if row.startswith("=")]
        return {f"{at}{rows[at][number]}": found for (at, number), found in paired(calls, answers, order).items()}

    assert pairs("a", "=a") == {"0a": 1}
    assert pairs("ab", "=b", "=a") == {"0b": 1, "0a": 2}
    assert pairs("a", "b", "=b", "=a") == {"1b": 2, "0a": 3}
    assert pairs("a", "=a", "a", "=a") == {"0a": 1, "2a": 3}
    assert pairs("a", "a", "=a") == {"1a": 2}, "the first was never answered"
    assert pairs("=a", "a") == {}, "an answer is not above its call"
    assert pairs("a", "=a", "=a") == {"0a": 1}
    assert pairs("aa", "=a") == {"0a": 1}


async def test_an_answer_is_found_wherever_it_stands(tmp_path: Path) -> None:
    path = tmp_path / "state.db"
    with Recorder(path, clock=Clock(NOW - 3600)) as recorder:
        first = recorder.create_session("cli", title="Long")

        def call(session: str, name: str, *ids: str) -> int:
            calls = [
                {"id": each, "function": {"name": "terminal", "arguments": json.dumps({"command": f"{name} {each}"})}}
                for each in ids
            ]
            return recorder.append(session, "assistant", "", tool_calls=calls)

        def answer(session: str, to: str, result: object) -> int:
            text = result if isinstance(result, str) else json.dumps(result)
            return recorder.append(session, "tool", text, tool_name="terminal", tool_call_id=to)

        recorder.append(first, "user", "do it")
        call(first, "early", "x")
        recorder.append(first, "user", "are you there?")
        recorder.append(first, "assistant", "I wait for it")
        answer(first, "x", "one\ntwo\nthree")
        call(first, "twin", "y", "z")
        answer(first, "y", {"output": "many\nlines", "error": "it broke\nin two places"})
        recorder.append(first, "user", "and the other?")
        call(first, "never", "w")
        recorder.append(first, "user", "go on")
        second = recorder.split(first, "what was said", keep_last=1)
        answer(second, "z", "1\n2")
        call(second, "again", "x")
        answer(second, "x", "1\n2\n3\n4")
        recorder.append(second, "user", "and now")
        call(second, "last", "v", "u")
        answer(second, "u", "done")
    wanted = {
        "early x": "-> 3 lines, 3 min",
        "twin y": "-> failed: it broke",
        "twin z": "-> 2 lines",
        "never w": "-> no result",
        "again x": "-> 4 lines",
        "last v": "-> running …",
        "last u": "-> 1 line",
    }
    with Recorder(tmp_path / "other.db", clock=Clock(NOW - 3600)) as recorder:
        other = recorder.create_session("cli", title="The same ids in another store")
        recorder.append(other, "user", "do it")
        call(other, "other", "x")
        recorder.append(other, "user", "are you there?")
        answer(other, "x", "all\nof\nanother\nkind\nhere")
    stores = Stores({name: Library.open(tmp_path / f"{name}.db") for name in ("state", "other")})
    async with staged(stores, anchor=Anchor(second, profile="state"), size=(120, 80)) as stage:
        await stage.shown(str(Anchor(second, profile="state")))
        await stage.press("home")

        def holds(words: str, told: str) -> bool:
            return told in line(words)

        def line(words: str) -> str:
            return next((line for line in stage.lines() if f"terminal  {words}" in line), "")

        for words, told in wanted.items():
            await stage.until(partial(holds, words, told), f"{words} {told}")
        with Recorder(path, clock=lambda: NOW) as recorder:
            recorder.append(second, "user", "stop")
            answer(second, "v", "late\nbut\nhere\nyet\nagain")
            answer(second, "w", "years later")
        await stage.until(lambda: "-> 5 lines" in line("last v"))
        await stage.until(lambda: "-> 1 line" in line("never w"))
        stage.browser.show(Anchor(other, profile="other"))
        await stage.until(lambda: line("other x"))
        await stage.settled()
        assert "-> 5 lines" in line("other x")
