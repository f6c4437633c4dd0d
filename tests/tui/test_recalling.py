"""Searches of before: recalled in the box, listed, saved, forgotten; and when one is remembered."""

from __future__ import annotations

from pathlib import Path

import pytest

from hermes_tui.history import History, Saved
from hermes_tui.library import Library
from hermes_tui.model import PLAIN, Case, Mode
from hermes_tui.tui import recalling
from hermes_tui.tui.past import NameScreen, PastPicker
from tests.tui.conftest import Stage, staged


@pytest.fixture
def history(tmp_path: Path) -> History:
    return History.open(tmp_path / "state", environ={})


@pytest.fixture
def past(history: History) -> History:
    """Two searches of before, the newer one with a switch on."""
    history.remember("kettle")
    history.remember("Pager", case=Case.EXACT)
    return history


def texts(history: History) -> list[str]:
    return [one.text for one in history.past]


def box(stage: Stage) -> tuple[str, Mode]:
    return stage.browser.search.box.value, stage.browser.mode


async def test_up_recalls_with_switches_and_down_leads_back_and_then_to_the_hits(
    library: Library, past: History
) -> None:
    async with staged(library, history=past) as stage:
        await stage.search("rare")
        await stage.press("up")
        assert box(stage) == ("Pager", Mode(case=Case.EXACT))
        await stage.press("up")
        assert box(stage) == ("kettle", PLAIN)
        await stage.answered("kettle")
        await stage.press("up")
        assert stage.status() == "There is no search before that."
        await stage.press("down")
        assert box(stage) == ("Pager", Mode(case=Case.EXACT))
        await stage.press("down")
        assert box(stage) == ("rare", PLAIN)
        assert stage.focus == "box"
        await stage.answered("rare")
        await stage.press("down")
        assert stage.focus == "hits"


async def test_typing_leaves_the_past(library: Library, past: History) -> None:
    async with staged(library, history=past) as stage:
        await stage.press("slash", "up", "up")
        await stage.type(" dawn")
        await stage.answered("kettle dawn")
        await stage.press("down")
        assert stage.focus == "hits"
        await stage.press("slash", "up")
        assert box(stage)[0] == "Pager"


async def test_what_stood_empty_is_empty_again(library: Library, past: History) -> None:
    async with staged(library, history=past) as stage:
        await stage.press("slash", "up", "down")
        assert box(stage) == ("", PLAIN)
        assert stage.browser.text == ""


async def test_a_search_is_remembered_when_its_hits_are_looked_at(
    library: Library, history: History, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recalling, "STANDING", 3600.0)  # or a slow machine remembers it for having stood
    async with staged(library, history=history) as stage:
        remembered: list[str] = []
        for text, keys in (("kettle", ["down", "down"]), ("pager", ["enter"]), ("rare", ["down", "enter"])):
            await stage.press("slash", "ctrl+u", "escape")
            await stage.search(text)
            assert texts(history) == remembered
            await stage.press(*keys)
            remembered.insert(0, text)
            await stage.until(lambda: texts(history) == remembered)


async def test_a_search_that_stands_is_remembered(
    library: Library, history: History, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recalling, "STANDING", 0.0)
    async with staged(library, history=history) as stage:
        await stage.press("alt+t")
        await stage.search("kettle")
        await stage.until(lambda: "kettle" in texts(history))
        assert history.past[0].mode == Mode(reasoning=True)


async def test_without_a_history_nothing_is_remembered_and_that_is_said(library: Library) -> None:
    async with staged(library) as stage:
        await stage.search("kettle")
        for keys in (["down", "down"], ["slash", "up"]):
            await stage.press(*keys)
        assert stage.status() == "Searches are not remembered."
        await stage.press("ctrl+r")
        assert stage.app.screen is stage.browser


async def test_a_past_search_is_chosen_from_the_list(library: Library, past: History) -> None:
    async with staged(library, history=past) as stage:
        await stage.press("ctrl+r")
        await stage.until(lambda: isinstance(stage.app.screen, PastPicker))
        await stage.pilot.pause()
        assert "Pager" in stage.text()
        await stage.type("ket")
        await stage.press("enter")
        await stage.answered("kettle")
        assert box(stage) == ("kettle", PLAIN)


async def test_a_search_is_saved_run_and_forgotten(library: Library, history: History) -> None:
    async with staged(library, history=history) as stage:
        await stage.press("ctrl+s")
        assert stage.status() == "There is no search to save yet."
        await stage.press("alt+c")
        await stage.search("kettle source:cli")
        await stage.press("ctrl+s")
        await stage.until(lambda: isinstance(stage.app.screen, NameScreen))
        await stage.press("enter")
        assert isinstance(stage.app.screen, NameScreen)
        await stage.type("Tea")
        await stage.press("enter")
        await stage.until(lambda: [one.name for one in history.saved] == ["Tea"])
        await stage.until(lambda: stage.status().startswith("Saved as Tea."))
        saved = history.saved[0]
        assert isinstance(saved, Saved)
        assert (saved.text, saved.mode) == ("kettle source:cli", Mode(case=Case.EXACT))
        await stage.press("ctrl+u", "alt+c", "ctrl+r")
        await stage.until(lambda: isinstance(stage.app.screen, PastPicker))
        await stage.press("enter")
        await stage.answered("kettle source:cli")
        assert stage.browser.mode == Mode(case=Case.EXACT)
        await stage.press("ctrl+r")
        await stage.until(lambda: isinstance(stage.app.screen, PastPicker))
        await stage.press("delete")
        await stage.until(lambda: history.saved == ())
        assert "Tea" not in stage.text()


async def test_what_is_wrong_with_the_files_is_said(library: Library, tmp_path: Path) -> None:
    inside = History.open(tmp_path / "hermes" / "state", environ={"HERMES_HOME": str(tmp_path / "hermes")})
    assert inside.trouble
    async with staged(library, history=inside) as stage:
        await stage.search("kettle")
        await stage.press("enter")
        await stage.until(lambda: stage.status() == inside.trouble)
        assert texts(inside) == ["kettle"]
