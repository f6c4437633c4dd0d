"""Several stores in the browser: what lies elsewhere is told, gone over to, and read at once."""

from __future__ import annotations

import asyncio
import os
import shutil
import sqlite3
from collections.abc import Callable, Sequence
from contextlib import closing
from functools import partial
from pathlib import Path

import pytest

from hermes_tui.library import Cancelled, Library, Stores, places_of
from hermes_tui.model import Anchor, SessionKey, StorePlace
from hermes_tui.recorder import Recorder
from hermes_tui.tui.app import HermesApp
from hermes_tui.tui.elsewhere import Elsewhere
from hermes_tui.tui.stores import StoresScreen
from tests.tui.conftest import HOUR, NOW, Clock, Stage, staged, tell
from tests.tui.pace import Gate


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A Hermes home: three profiles, of which one is no store, and a snapshot that holds a session more."""
    home = tmp_path / "home"
    stores = {"state.db": "badger", "profiles/work/state.db": "walrus", "state-snapshots/monday/state.db": "badger"}
    for number, (name, word) in enumerate(stores.items()):
        path = home / name
        path.parent.mkdir(parents=True)
        with Recorder(path, clock=Clock(NOW - (20 - number) * HOUR)) as writer:
            for session_id, title in ((f"{word}s", f"Many {word}s"), ("twin", f"Twin {word}")):
                writer.create_session("cli", session_id=session_id, title=title)
                tell(writer, session_id, ("user", f"a {word} and a kettle"), ("assistant", f"a {word} indeed"))
            if "monday" in name:
                writer.create_session("cli", session_id="gone", title="Gone since")
                tell(writer, "gone", ("user", "what only the snapshot has"))
    (home / "profiles/broken").mkdir()
    (home / "profiles/broken/state.db").write_text("no database")
    monkeypatch.setenv("HERMES_HOME", str(home))
    monkeypatch.setenv("HOME", str(tmp_path))
    return home


def on_screen(stage: Stage, *words: str) -> Callable[[], bool]:
    return lambda: all(word in stage.text() for word in words)


def listed(stage: Stage, key: SessionKey) -> bool:
    return key in rows(stage)


def told(stage: Stage, *sentences: str) -> Callable[[], bool]:
    """Whether all of these are told above the list, which begins with the first words of the first."""
    band = stage.browser.query_one("#elsewhere", Elsewhere)
    return lambda: list(band.told) == list(sentences) and sentences[0][:20] in stage.text()


def rows(stage: Stage) -> list[SessionKey]:
    listing = stage.browser.listing
    return [] if listing is None else [row.key for row in listing.rows]


async def test_what_other_stores_hold_is_told_and_gone_over_to(home: Path) -> None:
    async with staged(Stores.open(places_of()), size=(120, 30)) as stage:
        await stage.until(
            told(
                stage,
                "2 sessions in 1 other store (P)",
                "broken cannot be read (P)",
                "1 session only in backup state-snapshots-monday (P)",
            )
        )
        assert rows(stage) == [(None, "twin"), (None, "badgers")]
        await stage.press("P")
        await stage.until(on_screen(stage, "Profiles", "Backups", "4 stores", "2 sessions"))
        assert on_screen(stage, "is not a SQLite file", "1 session only here")()
        # One that cannot be read says why and is not gone over to.
        await stage.press("down", "enter")
        assert isinstance(stage.app.screen, StoresScreen)
        await stage.press("down", "enter")
        await stage.until(lambda: rows(stage) == [(None, "twin"), (None, "walruss")], "the store that was gone over to")
        await stage.until(on_screen(stage, "Twin walrus"))
        assert "badger" not in stage.text()
        assert str(home / "profiles/work/state.db") in stage.browser.status.store


async def test_all_profiles_at_once_keep_what_has_the_same_id_apart(home: Path) -> None:
    async with staged(Library.open(home / "state.db"), size=(120, 30)) as stage:
        await stage.press("P")
        await stage.until(on_screen(stage, "4 stores"))
        await stage.press("a")
        unread = "broken cannot be read (P): is not a SQLite file"
        await stage.until(told(stage, unread, "1 session only in backup state-snapshots-monday (P)"))
        # Who was reading goes on reading the same, which is called after its store now.
        await stage.until(lambda: stage.browser.transcript.here is not None)
        assert stage.browser.transcript.here is not None
        assert stage.browser.transcript.here.key == ("default", "twin")
        keys = [("work", "twin"), ("work", "walruss"), ("default", "twin"), ("default", "badgers")]
        assert rows(stage) == keys
        for profile, word in (("work", "walrus"), ("default", "badger")):
            place = Anchor("twin", profile=profile)
            stage.browser.read(place)
            await stage.shown(str(place))
            assert f"a {word} and a kettle" in stage.text()
        await stage.search("kettle")
        assert {anchor.key for anchor in stage.hits()} == set(keys)
        assert on_screen(stage, "work · ", "default · ")()
        for anchor in stage.hits():
            stage.browser.show(anchor)
            await stage.shown(str(anchor))
            assert stage.browser.transcript.here == anchor
        # With a backup beside, the session that was lost is a row again.
        await stage.press("escape", "escape", "P")
        await stage.until(on_screen(stage, "4 stores"))
        screen = stage.app.screen
        assert isinstance(screen, StoresScreen)
        screen.rows.go(0)
        await stage.press("space")
        screen.rows.go(3)
        await stage.press("space", "enter")
        await stage.until(lambda: ("state-snapshots-monday", "gone") in rows(stage))
        assert ("default", "badgers") in rows(stage)


async def test_what_is_told_of_a_store_is_not_cut_without_a_sign(home: Path) -> None:
    async with staged(Library.open(home / "state.db"), size=(120, 30)) as stage:
        await stage.until(on_screen(stage, "broken cannot be read (P)"))
        band = stage.browser.query_one("#elsewhere", Elsewhere)
        for why in ("the file is not whole, " * 9, "x" * 99):
            band.told = (f"work cannot be read (P): {why}",)
            await stage.pilot.pause()
            assert "…" in "".join(line.split("▕")[0] for line in stage.lines()[:6]), why


async def test_messages_on_their_way_are_not_taken_for_those_of_another_store(tmp_path: Path) -> None:
    for name in ("one", "two"):
        with Recorder(tmp_path / f"{name}.db", clock=Clock(NOW - 20 * HOUR)) as writer:
            writer.create_session("cli", session_id=name, title=name)
            tell(writer, name, *(("user", f"said in {name}, {number}") for number in range(300)))
    stores = Stores({name: Library.open(tmp_path / f"{name}.db") for name in ("one", "two")})
    first, second = (Anchor(name, 1, name) for name in ("one", "two"))
    async with staged(stores, anchor=first) as stage:
        await stage.shown(str(first))
        stage.browser.transcript.focus()
        await stage.press("o")
        await stage.until(on_screen(stage, "said in one, 12"))
        await stage.press("escape")
        await stage.settled()
        gate = Gate()
        held = asyncio.ensure_future(stage.browser.desk._page.ask(gate.pass_through))
        stage.browser.show(second)
        await stage.press("end")
        await stage.until(on_screen(stage, "…"))
        gate.set()
        await held
        await stage.shown(str(second))
        await stage.settled()
        await stage.press("end", "o")
        await stage.settled()
        await stage.until(on_screen(stage, "said in two, 299"))
        for key in ("end", "home"):  # of what was said
            await stage.press(key)
            await stage.settled()
            page = "".join(line.partition("▕")[2] for line in stage.lines())
            assert page.count("said in two, ") > 12
            assert "said in one" not in page


async def test_a_way_out_into_another_profile_goes_over_to_it(home: Path) -> None:
    async with staged(Stores.open(places_of())) as stage:
        await stage.search("walrus")
        await stage.until(on_screen(stage, "4 hits in profile work"))
        await stage.press("f1")
        await stage.until(lambda: stage.browser.desk.stores.first.path == home / "profiles/work/state.db")
        await stage.answered("walrus")
        assert {anchor.session_id for anchor in stage.hits()} == {"twin", "walruss"}
        opened = stage.browser.desk.stores
    assert closed(opened)  # what the browser went over to is closed with it


async def test_of_two_choices_the_newer_wins_and_what_the_other_opened_is_closed(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gate, opening = Gate(), Stores.open
    opened: list[Stores] = []

    def held_back(places: Sequence[StorePlace]) -> Stores:
        opened.append(stores := opening(places))
        if len(opened) == 1:
            gate.pass_through()
        return stores

    async with staged(Library.open(home / "state.db")) as stage:
        monkeypatch.setattr(Stores, "open", held_back)
        stage.browser.switch([StorePlace(home / "state-snapshots/monday/state.db", "monday")])
        await stage.until(lambda: opened)
        stage.browser.switch([StorePlace(home / "profiles/work/state.db", "work")])
        await stage.until(lambda: rows(stage) == [(None, "twin"), (None, "walruss")])
        gate.set()
        await stage.until(lambda: closed(opened[0]), "the older one closed")
        assert not closed(opened[1])
        # A look at the store that was taken back before it began is not the last one.
        stage.browser.look()
        stage.browser.workers.cancel_group(stage.browser, "look")
        await stage.settled()
        with Recorder(home / "profiles/work/state.db", clock=lambda: NOW - 60.0) as writer:
            tell(writer, writer.create_session("cli", session_id="new"), ("user", "here I am"))
        stage.browser.look()
        await stage.until(partial(listed, stage, (None, "new")))


def closed(stores: Stores) -> bool:
    try:
        stores.sessions()
    except Cancelled:
        return True
    return False


async def test_new_sessions_appear_in_any_store_and_a_replaced_file_is_read_anew(home: Path) -> None:
    async with staged(Stores.open(places_of(everything=True))) as stage:
        await stage.until(on_screen(stage, "broken cannot be read (P): is not"))
        for profile, path in (("default", home / "state.db"), ("work", home / "profiles/work/state.db")):
            with Recorder(path, clock=lambda: NOW - 60.0) as writer:
                writer.create_session("cli", session_id=f"new-{profile}", title="Just now")
                tell(writer, f"new-{profile}", ("user", "here I am"))
            stage.browser.look()
            await stage.until(partial(listed, stage, (profile, f"new-{profile}")))
        shutil.copyfile(home / "state-snapshots/monday/state.db", home / "copy.db")
        os.replace(home / "copy.db", home / "profiles/broken/state.db")
        stage.browser.look()
        await stage.until(lambda: ("broken", "gone") in rows(stage))
        await stage.until(lambda: "broken cannot be read" not in stage.text())
        # What goes away is told, and leaves the others where they are.
        os.unlink(home / "profiles/work/state.db")
        stage.browser.look()
        await stage.until(on_screen(stage, "work cannot be read (P): "))
        await stage.until(lambda: ("work", "new-work") not in rows(stage))
        assert listed(stage, ("default", "new-default"))


async def test_from_a_store_that_cannot_be_listed_its_backup_is_reached(home: Path) -> None:
    path = home / "state.db"
    with closing(sqlite3.connect(path)) as connection:
        size, (page,) = (
            connection.execute("PRAGMA page_size").fetchone()[0],
            connection.execute("SELECT rootpage FROM sqlite_master WHERE name = 'sessions'").fetchone(),
        )
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    spoilt = bytearray(path.read_bytes())
    spoilt[(page - 1) * size : page * size] = bytes(size)
    path.write_bytes(bytes(spoilt))
    app = HermesApp(Library.open(path), clock=lambda: NOW)
    async with app.run_test(size=(120, 36)) as pilot:
        stage = Stage(pilot, app)
        await stage.until(on_screen(stage, "is damaged", "P shows other stores and backups"))
        await stage.press("P")
        await stage.until(on_screen(stage, "4 stores", "2 sessions only here", "Hermes uses it"))
        await stage.press("escape")
        await stage.until(on_screen(stage, "is damaged", "P shows other stores and backups"))  # and no empty list
        await stage.press("P")
        await stage.until(on_screen(stage, "4 stores", "2 sessions only here"))
        screen = stage.app.screen
        assert isinstance(screen, StoresScreen)
        screen.rows.go(3)
        await stage.press("enter")
        await stage.until(lambda: listed(stage, (None, "gone")))
        assert on_screen(stage, "Gone since")()
    stage.browser.desk.stores.close()
