"""Narrow and wide terminals, long lists, the place a reader has in them."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from hermes_tui.library import Library
from hermes_tui.model import Anchor
from hermes_tui.recorder import Recorder
from hermes_tui.store import first_page
from hermes_tui.tui import listing, seeking
from hermes_tui.tui.session_rows import SessionRows
from tests.tui.conftest import NOW, staged, tell


async def test_in_a_narrow_terminal_one_pane_is_shown_with_the_same_keys(library: Library) -> None:
    async with staged(library, size=(80, 24)) as stage:

        def shown() -> list[str]:
            panes = {"list": stage.browser.sessions, "search": stage.browser.search, "text": stage.browser.transcript}
            return [name for name, pane in panes.items() if pane.region.area > 0]

        assert shown() == ["list"]
        await stage.press("enter")
        await stage.shown("newest")
        assert shown() == ["text"]
        assert "Newest of all" in stage.lines()[0]
        await stage.press("escape")
        await stage.pilot.pause()
        assert shown() == ["list"]
        await stage.search("kettle")
        assert shown() == ["search"]
        assert "2 hits in 1 conversation" in stage.text()
        await stage.press("down", "enter")
        await stage.shown("garden#2")
        assert shown() == ["text"]
        await stage.press("escape", "escape")
        await stage.pilot.pause()
        assert shown() == ["list"]
        await stage.press("tab")
        await stage.pilot.pause()
        assert shown() == ["search"]


async def test_a_terminal_that_grows_shows_all_panes_and_keeps_the_place(library: Library) -> None:
    async with staged(library, size=(80, 24)) as stage:
        await stage.press("down", "enter")
        await stage.shown("recipes")
        await stage.pilot.resize_terminal(120, 36)
        await stage.until(lambda: stage.browser.sessions.region.area > 0)
        assert stage.focus == "transcript"
        assert stage.browser.sessions.rows.session is not None
        assert stage.browser.sessions.rows.session.id == "recipes"
        await stage.pilot.resize_terminal(60, 20)
        await stage.until(lambda: stage.browser.sessions.region.area == 0)
        assert stage.focus == "transcript"


@pytest.mark.parametrize("size", [(20, 6), (40, 10), (300, 80)])
async def test_any_size_of_terminal_works(library: Library, size: tuple[int, int]) -> None:
    async with staged(library, size=size) as stage:
        await stage.press("down")
        await stage.search("pager")
        await stage.press("down", "down", "enter", "question_mark")
        await stage.pilot.pause()
        assert "Transcript" in stage.text()


def crowd(path: Path, many: int) -> None:
    """Many sessions of one message each, the newest first in the alphabet last."""
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.executemany(
            "INSERT INTO sessions (id, source, title, started_at) VALUES (?, 'cli', ?, ?)",
            [(f"s{number:06}", f"Title {number}", NOW - many + number) for number in range(many)],
        )
        connection.executemany(
            "INSERT INTO messages (session_id, role, content, timestamp) VALUES (?, 'user', 'hello', ?)",
            [(f"s{number:06}", NOW - many + number) for number in range(many)],
        )


@pytest.fixture(scope="module")
def crowd_store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """5,000 sessions, written once."""
    path = tmp_path_factory.mktemp("crowd") / "state.db"
    Recorder(path).close()
    crowd(path, 5000)
    return path


@pytest.fixture
def crowded(crowd_store: Path, tmp_path: Path) -> Iterator[Recorder]:
    """A writer on a store of 5,000 sessions."""
    shutil.copyfile(crowd_store, tmp_path / "state.db")
    with Recorder(tmp_path / "state.db") as writer:
        yield writer


async def test_the_end_of_a_long_list_is_its_last_row(crowded: Recorder) -> None:
    async with staged(Library.open(crowded.path)) as stage:
        assert "5,000 conversations" in stage.text()
        await stage.press("G")
        await stage.shown("s000000")
        assert "Title 0 " in stage.text()
        # Rows far down are read without counts at first; they come when the rows are in view.
        await stage.until(lambda: any("cli · 1 message" in line for line in stage.lines()))
        await stage.press("pageup", "home")
        await stage.shown("s004999")


async def test_a_move_paints_the_rows_that_changed_and_no_others(
    crowded: Recorder, monkeypatch: pytest.MonkeyPatch
) -> None:
    painted: list[int] = []
    pieces = SessionRows.pieces

    def count(self: SessionRows, row: int, line: int, width: int) -> object:
        painted.append(row)
        return pieces(self, row, line, width)

    async with staged(Library.open(crowded.path)) as stage:
        await stage.shown("s004999")
        await stage.pilot.pause()
        monkeypatch.setattr(SessionRows, "pieces", count)
        await stage.press("down")
        await stage.pilot.pause()
        assert sorted(set(painted)) == [0, 1]


async def test_the_list_keeps_the_readers_place_when_it_grows(house: Recorder) -> None:
    async with staged(Library.open(house.path)) as stage:
        await stage.press("down", "down")
        await stage.shown("untitled")
        rows = stage.browser.sessions.rows
        house.create_session("cli", session_id="fresh", title="Just begun", started_at=NOW - 10)
        house.append("fresh", "user", "good evening", timestamp=NOW - 5)
        stage.browser.look()
        await stage.until(lambda: "6 conversations" in stage.text())
        assert rows.session is not None
        assert rows.session.id == "untitled"
        assert stage.browser.reading == "untitled"


async def test_a_long_list_keeps_the_row_on_its_line_of_the_screen(
    crowded: Recorder, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also when its first page is shown first, and what is new before the rest is read again."""
    monkeypatch.setattr(first_page, "MANY", 1000)
    monkeypatch.setattr(listing, "LONG", 1000)
    async with staged(Library.open(crowded.path)) as stage:
        assert "The newest 60 conversations, reading on" in stage.text() or "5,000 conversations" in stage.text()
        await stage.until(lambda: "5,000 conversations" in stage.text())
        await stage.press(*["pagedown"] * 3)
        rows = stage.browser.sessions.rows
        assert rows.session is not None
        held, line = rows.session.id, rows.window_line()
        crowded.create_session("cli", session_id="fresh", title="Just begun", started_at=NOW + 10)
        crowded.append("fresh", "user", "good evening", timestamp=NOW + 10)
        stage.browser.look()
        await stage.until(lambda: "5,001 conversations" in stage.text())
        assert (rows.session.id, rows.window_line()) == (held, line)


async def test_at_the_top_of_a_long_list_what_is_new_comes_into_view(crowded: Recorder) -> None:
    async with staged(Library.open(crowded.path)) as stage:
        await stage.shown("s004999")
        crowded.create_session("cli", session_id="fresh", title="Just begun", started_at=NOW + 10)
        crowded.append("fresh", "user", "good evening", timestamp=NOW + 10)
        stage.browser.look()
        await stage.until(lambda: "Just begun" in stage.text())
        assert stage.browser.sessions.rows.session is not None
        assert stage.browser.sessions.rows.session.id == "s004999"
        assert stage.browser.reading == "s004999"


async def test_the_open_transcript_grows_without_losing_the_place(house: Recorder) -> None:
    async with staged(Library.open(house.path)) as stage:
        await stage.shown("newest")
        house.append("newest", "user", "and one more thing")
        stage.browser.look()
        await stage.until(lambda: "and one more thing" in stage.text())
        assert stage.browser.reading == "newest"
        assert stage.browser.sessions.rows.session is not None
        assert stage.browser.sessions.rows.session.id == "newest"


async def test_rewound_turns_are_counted_and_shown_by_their_key(recorder: Recorder) -> None:
    """H-ANCHOR-2"""
    recorder.create_session("cli", session_id="s", title="Taken back")
    ids = tell(recorder, "s", ("user", "first walrus"), ("assistant", "yes"), ("user", "secret walrus"))
    recorder.rewind("s", ids[2])
    async with staged(Library.open(recorder.path)) as stage:
        await stage.search("walrus")
        assert stage.hits() == [Anchor("s", ids[0])]
        assert "1 more in rewound turns (x)" in stage.text()
        assert "secret walrus" not in stage.text()
        await stage.press("down", "x")
        await stage.until(lambda: len(stage.hits()) == 2)
        assert any("secret walrus" in line and "rewound" in line for line in stage.lines())


async def test_compacted_messages_are_found_and_marked(recorder: Recorder) -> None:
    """H-ANCHOR-1"""
    recorder.create_session("cli", session_id="s", title="Long talk")
    [old, *_] = tell(recorder, "s", ("user", "old plan: copper kettle"), ("assistant", "noted"))
    recorder.compact("s", "The plan was settled.")
    tell(recorder, "s", ("user", "go on"))
    async with staged(Library.open(recorder.path)) as stage:
        await stage.search("kettle")
        assert stage.hits() == [Anchor("s", old)]
        assert any("old plan" in line and "compacted" in line for line in stage.lines())
        await stage.press("down", "enter")
        await stage.shown(f"s#{old}")
        assert "old plan: copper kettle" in stage.text()
        assert "2 of 4 live" in stage.text()


async def test_what_is_said_while_a_query_stands_joins_its_hits(house: Recorder) -> None:
    async with staged(Library.open(house.path)) as stage:
        await stage.search("kettle")
        await stage.press("down", "down")
        await stage.shown("garden#1")
        [new] = tell(house, "newest", ("user", "put the kettle on"))
        stage.browser.look()
        await stage.until(lambda: Anchor("newest", new) in stage.hits())
        assert stage.browser.search.hits.anchor_here == Anchor("garden", 1)
        assert "3 hits in 2 conversations" in stage.text()


async def test_in_a_narrow_terminal_a_click_opens(library: Library) -> None:
    async with staged(library, size=(80, 24)) as stage:
        row = next(number for number, line in enumerate(stage.lines()) if "Recipes" in line)
        await stage.pilot.click(offset=(4, row))
        await stage.shown("recipes")
        assert stage.focus == "transcript"


async def test_in_a_wide_terminal_a_click_highlights(library: Library) -> None:
    async with staged(library) as stage:
        row = next(number for number, line in enumerate(stage.lines()) if "Recipes" in line)
        await stage.pilot.click(offset=(4, row))
        await stage.shown("recipes")
        assert stage.focus == "list-rows"


async def test_a_message_held_by_several_rows_says_so_in_the_transcript(recorder: Recorder) -> None:
    recorder.create_session("cli", session_id="s", title="Copies")
    tell(recorder, "s", *[("user", f"needle {number}") for number in range(6)])
    recorder.compact("s", "what was said", keep_last=2)
    async with staged(Library.open(recorder.path)) as stage:
        await stage.shown("s")
        await stage.search("needle")
        assert any("x2" in line for line in stage.lines()), stage.text()
        await stage.press("enter")
        top = stage.browser.transcript.region.y
        await stage.until(lambda: any("x2" in line for line in stage.lines()[top:]))


async def test_where_the_limit_cuts_no_count_is_passed_off_as_whole(
    library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(seeking, "FIRST_HITS", 2)
    async with staged(library) as stage:
        await stage.search("pager")
        assert sum(line.rstrip().endswith("1+ hits") for line in stage.lines()) == 2
        await stage.until(lambda: "hit 1 of 1+" in stage.text())
        assert stage.text().count("(a shows all)") == 2  # of the list and of the hits
        assert "stopped at" not in stage.text()
