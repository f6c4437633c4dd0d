"""Copying, help, palette, colours, and a store that cannot be read."""

from __future__ import annotations

import os
import stat
from concurrent.futures import Future
from pathlib import Path

import pytest
from textual.command import CommandPalette

from hermes_tui.library import Library
from hermes_tui.model import SessionList
from hermes_tui.recorder import Recorder
from hermes_tui.store.connection import StoreUnreadable
from hermes_tui.tui.app import HermesApp
from hermes_tui.tui.commands import COMMANDS
from hermes_tui.tui.help import KEYS, HelpScreen, HelpText, told
from hermes_tui.tui.order import ListOrder
from hermes_tui.tui.themes import DARK, LIGHT
from hermes_tui.tui.trouble import TroubleScreen
from tests.tui.conftest import NOW, Stage, staged


@pytest.fixture
def tmux(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A tmux that keeps what it is given in the file this names."""
    folder = tmp_path / "bin"
    folder.mkdir()
    script = folder / "tmux"
    script.write_text(f"#!/bin/sh\n/bin/cat > '{folder}/buffer'\n", encoding="utf-8")
    script.chmod(script.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("PATH", str(folder))
    monkeypatch.setenv("TMUX", "x")
    return folder / "buffer"


@pytest.mark.skipif(os.name == "nt", reason="the tool of this test is a shell script")
async def test_y_copies_the_message_of_a_hit_and_says_how(library: Library, tmux: Path) -> None:
    async with staged(library) as stage:
        await stage.search("dawn")
        await stage.press("down", "y")
        await stage.until(lambda: "Copied" in stage.status())
        text = "The copper kettle holds two litres. I would water at dawn."
        assert tmux.read_text(encoding="utf-8") == text
        assert stage.status() == f"Copied {len(text)} characters to the tmux buffer; tmux sends it on to the terminal."
        assert stage.status() in stage.text()


@pytest.mark.skipif(os.name == "nt", reason="the tool of this test is a shell script")
async def test_y_copies_the_message_that_is_read(library: Library, tmux: Path) -> None:
    async with staged(library) as stage:
        await stage.press("enter")
        await stage.shown("newest")
        await stage.press("y")
        await stage.until(lambda: "Copied" in stage.status())
        assert tmux.read_text(encoding="utf-8") == "hello"


@pytest.mark.skipif(os.name == "nt", reason="the tool of this test is a shell script")
async def test_ctrl_c_copies_what_is_selected_in_the_box(library: Library, tmux: Path) -> None:
    async with staged(library) as stage:
        await stage.press("slash")
        await stage.type("two words")
        await stage.press("ctrl+shift+a", "ctrl+c")
        await stage.until(lambda: "Copied" in stage.status())
        assert tmux.read_text(encoding="utf-8") == "two words"


async def test_help_lists_every_command_those_of_the_pane_first(library: Library) -> None:
    async with staged(library) as stage:
        await stage.press("question_mark")
        assert isinstance(stage.app.screen, HelpScreen)
        text = stage.app.screen.query_one(HelpText)
        lines = [line.plain for line in told(text.places, 1000)]
        assert next(line.strip() for line in stage.lines() if line.strip()) == lines[1] == "Session list"
        keys, does = [line[:KEYS].strip() for line in lines], [line[KEYS:] for line in lines]
        for command in COMMANDS:
            places = [at for at, said in enumerate(does) if said == f"{command.title}. {command.does}"]
            assert any(" ".join(keys[at : at + 2]).startswith(command.shown) for at in places), command.title
        await stage.press("escape")
        await stage.until(lambda: stage.app.screen is stage.browser)
        await stage.search("kettle")
        await stage.press("down", "question_mark")
        assert next(line.strip() for line in stage.lines() if line.strip()) == "Hits"


async def test_the_palette_runs_commands_of_the_pane_in_use(library: Library) -> None:
    async with staged(library) as stage:
        await stage.press("ctrl+p")
        await stage.until(lambda: isinstance(stage.app.screen, CommandPalette))
        await stage.type("sort")
        await stage.until(lambda: "The next order" in stage.text())
        await stage.press("enter")
        await stage.until(lambda: stage.browser.order is ListOrder.STARTED)
        assert stage.app.screen is stage.browser


def brightness(color: str) -> float:
    """Relative luminance by WCAG, 0 to 1."""
    parts = [int(color[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    bright, dim = sorted((brightness(one), brightness(other)), reverse=True)
    return (bright + 0.05) / (dim + 0.05)


@pytest.mark.parametrize("theme", [DARK, LIGHT], ids=["dark", "light"])
@pytest.mark.parametrize("name", ["soft", "heading", "user", "assistant", "tool", "state"])
def test_every_colour_of_text_can_be_read_on_every_background(theme: object, name: str) -> None:
    assert theme in (DARK, LIGHT)
    colours = (DARK if theme is DARK else LIGHT).variables
    whole = DARK if theme is DARK else LIGHT
    for background in (whole.background, whole.surface, colours["cursor"], colours["cursor-far"]):
        assert background is not None
        assert contrast(colours[name], background) >= 4.0
    assert contrast(colours["mark-foreground"], colours["mark-background"]) >= 4.5


async def test_any_theme_can_be_chosen(library: Library) -> None:
    async with staged(library) as stage:
        for name in ("hermes-dark", "hermes-light", "nord", "textual-light", "ansi-dark"):
            stage.app.theme = name
            await stage.search("kettle")
            assert "2 hits" in stage.text()
            await stage.press("ctrl+u", "escape")
            assert "2 hits" not in stage.text()


async def test_the_first_page_may_still_be_on_its_way(house: Recorder) -> None:
    opening: Future[Library] = Future()
    first: Future[SessionList] = Future()
    app = HermesApp(opening, sessions=first, clock=lambda: NOW)
    async with app.run_test(size=(120, 36)) as pilot:
        stage = Stage(pilot, app)
        await pilot.pause()
        assert "Reading the store ..." in stage.text()
        library = Library.open(house.path)
        opening.set_result(library)
        page = library.sessions(limit=2)
        first.set_result(page)
        await stage.until(lambda: "Newest of all" in stage.text())
        # A page that was cut is followed by the whole list.
        await stage.until(lambda: "5 conversations" in stage.text())
    library.close()


async def test_a_store_that_cannot_be_read_is_explained(tmp_path: Path) -> None:
    opening: Future[Library] = Future()
    opening.set_exception(StoreUnreadable("/x/[state].db is not a database. Point --db at another file."))
    app = HermesApp(opening, clock=lambda: NOW)
    async with app.run_test(size=(120, 36)) as pilot:
        stage = Stage(pilot, app)
        await stage.until(lambda: isinstance(app.screen, TroubleScreen))
        assert "/x/[state].db is not a database. Point --db at another file." in stage.text()
        assert "hermes-tui demo" in stage.text()
        await pilot.press("q")
        await stage.until(lambda: app._exit)


async def test_a_list_that_fails_is_explained(house: Recorder) -> None:
    first: Future[SessionList] = Future()
    first.set_exception(StoreUnreadable("It is gone."))
    library = Library.open(house.path)
    app = HermesApp(library, sessions=first, clock=lambda: NOW)
    async with app.run_test(size=(80, 24)) as pilot:
        stage = Stage(pilot, app)
        await stage.until(lambda: isinstance(app.screen, TroubleScreen))
        assert "It is gone." in stage.text()
    library.close()


async def test_the_badge_of_a_store_that_is_read_out_of_the_ordinary_is_on_screen(library: Library) -> None:
    async with staged(library) as stage:
        stage.browser.status.badge = "snapshot: 12 KB of log not read"
        await stage.pilot.pause()
        assert "snapshot: 12 KB of log not read" in stage.lines()[-1]
