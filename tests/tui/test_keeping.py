"""Taking things out of the browser, and finding them again: evidence, documents, bookmarks."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from pathlib import Path

from textual.widgets import Input, Static

from hermes_tui.export.material import Material
from hermes_tui.export.writing import Subject
from hermes_tui.history import History
from hermes_tui.library import Library
from hermes_tui.model import Anchor
from hermes_tui.recorder import Recorder
from hermes_tui.tui.marking import BookmarkPicker, NoteScreen
from hermes_tui.tui.writing import Write, WriteScreen
from tests.tui.conftest import Stage, staged

TOKEN = "ghp_" + "abcdefghijklmnopqrstuvwxyz0123456789"


def opened(house: Recorder) -> Library:
    return Library.open(house.path)


async def screen(stage: Stage, kind: type[object]) -> None:
    await stage.until(lambda: isinstance(stage.app.screen, kind), kind.__name__)
    await stage.pilot.pause()


async def at_browser(stage: Stage) -> None:
    await stage.until(lambda: stage.app.screen is stage.browser, "the browser")
    await stage.pilot.pause()


def said(stage: Stage, name: str) -> str:
    return str(stage.app.screen.query_one(f"#{name}", Static).render())


async def test_a_bookmark_is_made_listed_gone_to_and_removed(house: Recorder, tmp_path: Path) -> None:
    history = History.open(tmp_path / "state", environ={"HOME": "/nonexistent"})
    with opened(house) as library:
        place = library.search("divides").hits[0].anchor
    async with staged(opened(house), history=history, anchor=place) as stage:
        await stage.shown(str(place))
        await stage.press("m")
        await screen(stage, NoteScreen)
        await stage.type("why it crashed")
        await stage.press("enter")
        await stage.until(lambda: stage.status().startswith("Marked."))
        await stage.press("escape", "home", "m")
        await screen(stage, NoteScreen)
        await stage.press("enter")
        await stage.until(lambda: len(history.bookmarks.all()) == 2)
        session, message = history.bookmarks.all()
        assert (session.session, session.key) == ("newest", None)
        assert (message.session, message.message, message.note) == ("pager", place.message_id, "why it crashed")
        await stage.press("apostrophe")
        await screen(stage, BookmarkPicker)
        await stage.type("CRASHED divides")
        await stage.press("enter")
        await stage.shown(str(place))
        await at_browser(stage)
        await stage.press("m")
        await screen(stage, NoteScreen)
        assert stage.app.screen.query_one(Input).value == "why it crashed"
        await stage.press("ctrl+x")
        await stage.until(lambda: len(history.bookmarks.all()) == 1)
        await stage.press("apostrophe")
        await screen(stage, BookmarkPicker)
        await stage.press("ctrl+x")
        await stage.until(lambda: not history.bookmarks.all())
        await stage.press("escape")
        await at_browser(stage)
        await stage.press("apostrophe")
        await stage.until(lambda: "no bookmark yet" in stage.status())


async def test_without_a_history_nothing_is_marked(house: Recorder) -> None:
    async with staged(opened(house), history=History.off()) as stage:
        await stage.press("m")
        await screen(stage, NoteScreen)
        await stage.press("enter")
        await stage.until(lambda: stage.status() == "History is off: no bookmark is kept or removed.")


async def test_a_conversation_is_written_to_a_file_and_another_only_when_asked(house: Recorder, tmp_path: Path) -> None:
    house.append("recipes", "user", f"my token is {TOKEN}")
    with opened(house) as library:
        place = library.search("lovage").hits[0].anchor
    async with staged(opened(house), anchor=place, size=(80, 24)) as stage:
        await stage.shown(str(place))
        await stage.press("W")
        await screen(stage, WriteScreen)
        box = stage.app.screen.query_one(Input)
        assert box.value == str(Path.cwd() / "recipes-recipes.md")
        await stage.press("f3")
        assert box.value.endswith("recipes-recipes.json")
        assert "● JSON " in said(stage, "write-choices")
        path = tmp_path / "talk.json"
        box.value = str(path)
        await stage.press("f3", "f3", "f3", "f3")  # round again; a file somebody named keeps its name
        assert box.value == str(path)
        await stage.press("enter")
        await at_browser(stage)
        assert stage.status().startswith(f"3 messages written to {path}, ")
        assert "1 secret masked: 1 GitHub token" in stage.status()
        texts = [message["text"] for message in json.loads(path.read_text(encoding="utf-8"))["messages"]]
        assert texts[2] == "my token is [masked: GitHub token]"
        path.write_text("precious", encoding="utf-8")
        await stage.press("W")
        await screen(stage, WriteScreen)
        stage.app.screen.query_one(Input).value = str(path)
        await stage.press("f2", "f4", "enter")
        await stage.until(lambda: "is there already. Enter again replaces it" in said(stage, "write-keys"))
        assert path.read_text(encoding="utf-8") == "precious"
        await stage.press("enter")
        await at_browser(stage)
        assert "Secrets are kept as they stand." in stage.status()
        assert TOKEN in path.read_text(encoding="utf-8")


async def test_writing_is_watched_and_stopped(house: Recorder) -> None:
    stopped = asyncio.Event()

    async def run(write: Write) -> list[str]:
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            stopped.set()
            raise
        return []

    async with staged(opened(house)) as stage:
        subject = Subject("this", "Title", "name", lambda stores, ticket: Material(()))
        ended: list[str | None] = []
        end: Callable[[str | None], None] = ended.append
        stage.app.push_screen(WriteScreen([subject], run), end)
        await screen(stage, WriteScreen)
        await stage.press("enter")
        await stage.until(lambda: "Reading" in said(stage, "write-keys"))
        await stage.press("escape")
        await stage.until(lambda: said(stage, "write-keys").startswith("Stopped; nothing was written."))
        assert stopped.is_set()
        await stage.press("escape")
        await at_browser(stage)
        assert ended == [None]


async def test_evidence_of_a_hit_is_copied_with_what_was_searched_for(house: Recorder) -> None:
    async with staged(opened(house)) as stage:
        await stage.search("pager crash")
        await stage.press("down")
        hit = stage.hits()[0]
        await stage.press("Y")
        await stage.until(lambda: stage.app.clipboard)
        text = stage.app.clipboard
        assert f"`{Anchor(hit.session_id, hit.message_id)}`" in text
        assert text.startswith("# From earlier sessions")
        assert "## Fix the pager" in text
        assert "→ " in text
        await stage.press("W")
        await screen(stage, WriteScreen)
        assert f"● these {len(stage.hits())} hits" in said(stage, "write-choices")
