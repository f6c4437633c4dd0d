"""Hint mode: labels on all that can be copied, copied whole whatever the screen cuts, and the way back."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from hermes_tui.hints import HintKind, labels
from hermes_tui.library import Library
from hermes_tui.model import Anchor
from hermes_tui.recorder import Recorder
from hermes_tui.tui import clipboard
from hermes_tui.tui.asklink import LinkScreen
from hermes_tui.tui.hint_menu import HintMenu
from hermes_tui.tui.hinting import Labelled
from tests.tui.conftest import NOW, Stage, staged
from tests.tui.pace import Gate

SIZES = [(80, 24), (120, 36), (200, 50)]
LONG = "/srv/data/" + "/".join(f"folder_number_{at}" for at in range(20)) + "/end.py"
CODE = "x = '" + "y" * 300 + "'\n\tif x:\n    pass"
DEEP = "find . -name '*.py' -newer stamp -exec grep -n 'needle in a very long haystack of code' {} + | sort | uniq -c"


@pytest.fixture(autouse=True)
def clipboard_at_hand(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is copied is looked at where the app keeps it; trying the tools of this machine each time costs seconds."""

    async def copy(text: str, **options: object) -> str:
        return f"Copied {len(text)}."

    monkeypatch.setattr(clipboard, "copy", copy)


@pytest.fixture
def work(tmp_path: Path) -> Path:
    """The folder a session ran in: a file as old as it, one that was written since."""
    folder = tmp_path / "work"
    folder.mkdir()
    for name, written in (("old.py", NOW - 90 * 86_400), ("new.py", NOW)):
        (folder / name).write_text("x", encoding="utf-8")
        os.utime(folder / name, (written, written))
    return folder


@pytest.fixture
def library(recorder: Recorder, work: Path) -> Library:
    """One session that ran there, of three messages; the first says most."""
    recorder.create_session("cli", session_id="s", title="One", cwd=str(work))
    recorder.append(
        "s",
        "user",
        f"look at old.py:3, new.py and gone.py, then at {LONG}\nand https://lab.test/(a).\n```py\n{CODE}\n```\nthe end",
    )
    call = {"id": "c1", "function": {"name": "terminal", "arguments": json.dumps({"command": DEEP})}}
    recorder.append("s", "assistant", "", tool_calls=[call])
    recorder.append("s", "tool", "needle in old.py", tool_name="terminal", tool_call_id="c1")
    return Library.open(recorder.path)


async def read(stage: Stage, anchor: str = "s#1") -> None:
    await stage.shown(anchor)
    stage.browser.transcript.focus()
    await stage.settled()


def labelled(stage: Stage, holds: Callable[[Labelled], bool]) -> Labelled:
    """The first thing on screen of which that is true."""
    return next(each for each in stage.browser.labelled if holds(each))


def text_is(text: str) -> Callable[[Labelled], bool]:
    return lambda each: each.seen.hint.text == text


def says(stage: Stage, sentence: str) -> bool:
    return sentence in stage.status()


def has(stage: Stage, text: str) -> bool:
    return stage.app._clipboard == text


async def copied(stage: Stage, holds: Callable[[Labelled], bool]) -> str:
    """What typing a label copies."""
    await stage.press("f")
    stage.app._clipboard = ""
    await stage.press(*labelled(stage, holds).label)
    await stage.until(lambda: stage.app._clipboard, "the copy")
    assert not stage.browser.hinting
    return stage.app._clipboard


@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
async def test_a_label_copies_all_of_what_the_screen_wraps_or_cuts(library: Library, size: tuple[int, int]) -> None:
    async with staged(library, size=size, anchor=Anchor("s", 1)) as stage:
        await read(stage)
        before = stage.lines()
        await stage.press("f")
        assert stage.focus == "hint-bar"
        during = stage.lines()
        seen = [each.seen.hint for each in stage.browser.labelled]
        assert [hint.text for hint in seen[:4]] == ["old.py:3", "new.py", "gone.py", LONG]
        assert len(during) == len(before)
        assert sum(old != new for old, new in zip(before, during, strict=True)) <= len(seen) + 1
        for each in stage.browser.labelled:
            row = during[stage.browser.transcript.region.y + line_of(stage, each)]
            assert each.label in row
        await stage.press("escape")
        await stage.pilot.pause()
        assert (stage.lines(), stage.focus) == (before, "transcript")

        assert await copied(stage, text_is(LONG)) == LONG
        assert await copied(stage, lambda each: each.seen.hint.kind is HintKind.CODE) == CODE
        assert await copied(stage, text_is("https://lab.test/(a)")) == "https://lab.test/(a)"
        await stage.press("end")
        assert await copied(stage, lambda each: each.seen.hint.kind is HintKind.COMMAND) == DEEP
        assert DEEP not in stage.text()  # the card shows its beginning


def line_of(stage: Stage, each: Labelled) -> int:
    """The line of the window that a label stands on."""
    pane = stage.browser.transcript
    assert pane.outline is not None
    index = pane.outline.index(each.seen.message.id)
    assert index is not None
    return pane.heights.before(index) + pane.border_lines(index) + each.seen.row - pane.top


async def test_paths_say_how_they_stand_and_the_menu_does_more(library: Library, work: Path) -> None:
    async with staged(library, anchor=Anchor("s", 1)) as stage:
        await read(stage)
        await stage.press("f")
        await stage.until(lambda: "×" in stage.text(), "the signs")
        for name, sign in (("old.py:3", "✓"), ("new.py", "±"), ("gone.py", "×")):
            assert labelled(stage, text_is(name)).label + sign in stage.text()
        await stage.press("escape")
        for name, told in (("old.py:3", "exists"), ("new.py", "changed since"), ("gone.py", "gone")):
            assert await copied(stage, text_is(name)) == name
            await stage.until(partial(says, stage, f"Path {name}: {told}."), told)

        for key, text in (("r", "old.py"), ("a", f"{work}/old.py"), ("l", "old.py:3"), ("y", "old.py:3")):
            await stage.press("f", "semicolon")
            assert "More on" in stage.text()
            stage.app._clipboard = ""
            await stage.press(*labelled(stage, text_is("old.py:3")).label)
            await stage.until(lambda: isinstance(stage.app.screen, HintMenu), "the menu")
            await stage.pilot.pause()
            assert "Path, exists" in stage.text()
            await stage.press(key)
            await stage.until(partial(has, stage, text), text)
            await stage.pilot.pause()
            assert stage.focus == "transcript"

        await stage.press("f", "semicolon", *labelled_later(stage, "new.py"))
        await stage.until(lambda: isinstance(stage.app.screen, HintMenu), "the menu")
        await stage.pilot.pause()
        assert "More on" not in stage.lines()[-1]
        await stage.press("e")  # what runs a test is no terminal
        await stage.until(lambda: "cannot put the browser aside" in stage.status(), "what came of it")

        await stage.press("f", "semicolon", *labelled_later(stage, "gone.py"))
        await stage.until(lambda: isinstance(stage.app.screen, HintMenu), "the menu")
        await stage.pilot.pause()
        assert "Open in the editor" not in stage.text()
        await stage.press("t")
        await stage.until(lambda: "gone.py" in stage.text() and "call" in stage.text(), "who touched it")


def labelled_later(stage: Stage, text: str) -> str:
    """The label that a path will have: labels are made of what is on screen alone."""
    seen = stage.browser.transcript.seen()
    return labels(len(seen))[[each.hint.text for each in seen].index(text)]


async def test_letters_that_are_no_label_are_not_taken_and_other_keys_leave(library: Library) -> None:
    async with staged(library, anchor=Anchor("s", 1)) as stage:
        await read(stage)
        await stage.press("f", "z", "q", "slash", "x")
        assert stage.browser.hinting
        assert stage.browser.hint_bar.typed == ""
        stage.browser.say("The store cannot be read.", trouble="a question of its own")
        await stage.pilot.pause()
        assert "The store cannot be read." in stage.text()
        await stage.press("f", "tab")
        await stage.pilot.pause()
        assert not stage.browser.hinting
        await stage.press("f")
        stage.browser.transcript.move(2)
        await stage.pilot.pause()
        assert all(line_of(stage, each) >= 0 for each in stage.browser.labelled)


@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
async def test_hits_and_their_marks_bear_labels(library: Library, recorder: Recorder, size: tuple[int, int]) -> None:
    async with staged(library, size=size) as stage:
        await stage.search("needle")
        await stage.press("down")
        await stage.until(lambda: stage.focus == "hits", "the hits")
        await stage.pilot.pause()
        await stage.press("f")
        await stage.until(lambda: stage.browser.hint_bar.things is not None, "the labels")
        hits = [each for each in stage.browser.labelled if each.hit]
        assert {each.seen.hint.text for each in hits} >= {"old.py"}
        await stage.pilot.pause()
        rows = stage.browser.search.hits
        assert all(each.label in stage.lines()[rows.region.y + rows._first[each.seen.row]] for each in hits)
        assert any(not each.hit for each in stage.browser.labelled) == (size[0] > 80)
        # A hit that comes meanwhile has a label, and those that it moves take theirs along.
        recorder.append("s", "user", "a needle in another.py")
        stage.browser.look()
        await stage.until(lambda: any(each.hit and has_come(each) for each in stage.browser.labelled), "its label")
        await stage.settled()
        hits = [each for each in stage.browser.labelled if each.hit]
        assert has_come(hits[0])
        assert len(hits) > 1
        beside = [hit.message.id for each in hits if (hit := rows.hit_at(each.seen.row)) is not None]
        assert beside == [each.seen.message.id for each in hits]
        await stage.press(*hits[1].label)
        await stage.until(lambda: stage.app._clipboard == hits[1].seen.hint.text, "the copy")
        assert stage.focus == "hits"
        stage.app._clipboard = ""
        stage.burst("f", ";", *hits[1].label, "y")
        await stage.until(lambda: stage.app._clipboard == hits[1].seen.hint.text, "the copy out of the menu")


def has_come(each: Labelled) -> bool:
    return each.seen.hint.text == "another.py"


async def test_where_there_is_nothing_the_mode_ends_at_once(recorder: Recorder) -> None:
    recorder.create_session("cli", session_id="s", title="One")
    recorder.append("s", "user", "and/or 1/2, said [bold]plainly[/]")
    async with staged(Library.open(recorder.path), anchor=Anchor("s", 1)) as stage:
        await read(stage)
        await stage.press("f")
        assert (stage.browser.hinting, stage.focus) == (False, "transcript")
        assert "Nothing on screen" in stage.status()


async def test_a_thousand_things_have_a_thousand_labels(recorder: Recorder) -> None:
    names = [f"{chr(97 + at % 26)}{at // 26}.c" for at in range(1400)]
    recorder.create_session("cli", session_id="s", title="One")
    recorder.append("s", "user", " ".join(names))
    async with staged(Library.open(recorder.path), size=(200, 80), anchor=Anchor("s", 1)) as stage:
        await read(stage)
        await stage.press("f")
        made = [each.label for each in stage.browser.labelled]
        assert len(made) == len(set(made)) >= 1000
        assert await copied_again(stage, made[-1]) == stage.browser.transcript.seen()[-1].hint.text


async def test_what_is_on_its_way_is_waited_for(recorder: Recorder) -> None:
    recorder.create_session("cli", session_id="s", title="One")
    for number in range(300):
        recorder.append("s", "user", f"look at file{number}.py\n" * 8)
    async with staged(Library.open(recorder.path), anchor=Anchor("s", 1)) as stage:
        await read(stage)
        gate = Gate()
        held = asyncio.ensure_future(stage.browser.desk._page.ask(gate.pass_through))
        stage.burst("end", "f")
        await stage.until(lambda: stage.browser.hinting, "hint mode")
        await stage.pilot.pause()
        assert (stage.browser.hinting, stage.status()) == (True, "")
        gate.set()
        await held
        await stage.until(lambda: stage.browser.labelled, "the labels")
        assert stage.browser.labelled[-1].seen.hint.text == "file299.py"


async def copied_again(stage: Stage, label: str) -> str:
    await stage.press(*label)
    await stage.until(lambda: stage.app._clipboard, "the copy")
    return stage.app._clipboard


async def test_the_menu_of_other_things_opens_goes_and_searches(recorder: Recorder) -> None:
    recorder.create_session("cli", session_id="20261021_090000_a1b2c3", title="There")
    there = recorder.append("20261021_090000_a1b2c3", "user", "the place that is meant, at commit a1b2c3d")
    recorder.create_session("cli", session_id="s", title="One")
    said = f"https://lab.test/a and 20261021_090000_a1b2c3#{there}, 20990101_000000_ffffff, a1b2c3d"
    here = recorder.append("s", "user", said)
    async with staged(Library.open(recorder.path), anchor=Anchor("s", here)) as stage:

        async def menu(text: str, key: str) -> None:
            await read(stage, f"s#{here}")
            await stage.press("f", "semicolon", *labelled_later(stage, text))
            await stage.until(lambda: isinstance(stage.app.screen, HintMenu), "the menu")
            await stage.pilot.pause()
            await stage.press(key)

        await menu("https://lab.test/a", "o")
        await stage.until(lambda: isinstance(stage.app.screen, LinkScreen), "the question")
        await stage.press("escape")
        await stage.until(lambda: stage.app.screen is stage.browser, "the browser")
        await menu("20990101_000000_ffffff", "g")
        await stage.until(lambda: "20990101_000000_ffffff" in stage.status(), "that there is none")
        await menu("a1b2c3d", "s")
        await stage.answered('"a1b2c3d"')
        assert len(stage.hits()) == 2
        stage.browser.show(Anchor("s", here))
        await menu(f"20261021_090000_a1b2c3#{there}", "g")
        await stage.shown(f"20261021_090000_a1b2c3#{there}")
        assert stage.focus == "transcript"


async def test_keys_that_come_all_at_once_are_taken_one_after_the_other(recorder: Recorder, work: Path) -> None:
    """Two letters of one label are no label of one letter; the key for a row of the menu is none of the transcript."""
    recorder.create_session("cli", session_id="s", title="One", cwd=str(work))
    recorder.append("s", "user", " ".join(f"src/{chr(97 + at)}.py" for at in range(20)) + " old.py")
    async with staged(Library.open(recorder.path), anchor=Anchor("s", 1)) as stage:
        await read(stage)
        label = labelled_later(stage, "old.py")
        assert len(label) == 2
        stage.burst("f", *label)
        await stage.until(lambda: stage.app._clipboard, "the copy")
        assert stage.app._clipboard == "old.py"
        stage.burst("f", ";", *label, "a")
        await stage.until(partial(has, stage, f"{work}/old.py"), "the path from the root")
        await stage.pilot.pause()
        assert (stage.app.screen, stage.focus) == (stage.browser, "transcript")
