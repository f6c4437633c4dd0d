"""What compaction did to a conversation, and the three ways to read it: each shows what a plain query says."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from hermes_tui.library import Library
from hermes_tui.model import Anchor
from hermes_tui.recorder import Layout, Recorder
from hermes_tui.tui.lens import Lens
from tests.tui.conftest import NOW, Clock, Stage, staged

Made = Callable[[Recorder], list[str]]


def say(recorder: Recorder, session: str, word: str, many: int) -> list[int]:
    return [recorder.append(session, ("user", "assistant")[at % 2], f"{word} number {at}") for at in range(many)]


def in_place(recorder: Recorder) -> list[str]:
    session = recorder.create_session("cli", title="In place")
    say(recorder, session, "old", 12)
    recorder.compact(session, "summary of the old", keep_last=4)
    say(recorder, session, "new", 3)
    return [session]


def twice(recorder: Recorder) -> list[str]:
    session = recorder.create_session("cli", title="Twice")
    say(recorder, session, "old", 8)
    recorder.compact(session, "summary of the old", keep_last=3)
    recorder.append(session, "user", "for the model alone", display_kind="hidden")
    say(recorder, session, "middle", 2)
    recorder.compact(session, "summary of the middle", keep_last=4)
    recorder.rewind(session, say(recorder, session, "new", 4)[2])
    return [session]


def split(recorder: Recorder) -> list[str]:
    first = recorder.create_session("cli", title="Split", model="large-1")
    say(recorder, first, "old", 10)
    second = recorder.split(first, "summary of the old", keep_last=2)
    recorder.update_session(second, model="small-2")
    say(recorder, second, "middle", 5)
    recorder.compact(second, "summary of the middle", keep_last=4)
    say(recorder, second, "later", 2)
    third = recorder.split(second, "summary of all", keep_last=2)
    say(recorder, third, "new", 2)
    return [first, second, third]


def undone(recorder: Recorder) -> list[str]:
    session = recorder.create_session("cli", title="Undone")
    recorder.rewind(session, say(recorder, session, "old", 6)[4])
    say(recorder, session, "new", 2)
    return [session]


def query(path: Path, sessions: list[str], lens: Lens, *, rewound: bool = False) -> list[str]:
    """What the lens has to show, first words only, told by SQLite from the rows as stored."""
    said = "role, content, timestamp, tool_call_id, tool_calls, tool_name"
    live = "MAX(COALESCE(active, 1) <> 0 AND session_id = :tip)"
    gone = "MAX(COALESCE(active, 1) <> 0 OR compacted <> 0) = 0"
    hidden = "MAX(COALESCE(display_kind, '') = 'hidden' AND COALESCE(_compressed_summary, 0) = 0)"
    match lens:
        case Lens.LIVED:
            having, order = f"NOT {hidden}" + ("" if rewound else f" AND NOT {gone}"), "MIN(id)"
        case Lens.MODEL:
            having, order = live, "MAX(id)"
        case Lens.AWAY:
            having, order = f"NOT {live} AND NOT {gone} AND NOT {hidden}", "MIN(id)"
    marks = ", ".join("?" * len(sessions))
    with closing(sqlite3.connect(path)) as connection:
        columns = {row[1] for row in connection.execute("PRAGMA table_info(messages)")}
        source = "SELECT *" + "".join(
            f", NULL AS {name}" for name in ("display_kind", "_compressed_summary") if name not in columns
        )
        tip = connection.execute("SELECT ?", (sessions[-1],)).fetchone()[0].replace("'", "''")
        sql = f"""SELECT MAX(content) FROM ({source} FROM messages WHERE session_id IN ({marks}))
            GROUP BY {said} HAVING {having} ORDER BY {order}""".replace(":tip", f"'{tip}'")
        return [begin(content) for (content,) in connection.execute(sql, sessions)]


def begin(text: str) -> str:
    return "a summary" if text.startswith("[CONTEXT") else text


async def visible(stage: Stage) -> list[str]:
    """The first words of every message that can be scrolled to, from top to bottom."""
    pane = stage.browser.transcript
    outline = pane.outline
    assert outline is not None
    await stage.press("home")
    await stage.until(lambda: all(pane.shelf.message(row.id) for row in outline.rows), "every message")
    messages = [pane.shelf.message(row.id) for row in outline.rows]
    return [begin(message.text) for message in messages if message is not None]


@pytest.mark.parametrize("layout", list(Layout))
@pytest.mark.parametrize("make", [in_place, twice, split, undone])
async def test_every_lens_shows_what_a_plain_query_says(tmp_path: Path, make: Made, layout: Layout) -> None:
    path = tmp_path / "state.db"
    with Recorder(path, layout=layout, clock=Clock(NOW - 86_400)) as recorder:
        if make is twice and layout is Layout.INLINE:
            pytest.skip("that layout hides nothing")
        sessions = make(recorder)
    async with staged(Library.open(path), anchor=Anchor(sessions[-1]), size=(120, 100)) as stage:
        await stage.shown(sessions[-1])
        pane = stage.browser.transcript
        for lens in (Lens.LIVED, Lens.MODEL, Lens.AWAY, Lens.LIVED):
            assert pane.lens is lens
            wanted = query(path, sessions, lens)
            assert await visible(stage) == wanted, lens
            shown = [line for line in stage.lines() if " number " in line]
            assert len(shown) == sum(" number " in text for text in wanted), "each is on the screen once"
            await stage.press("c")
        await stage.press("c", "c", "x")
        assert pane.lens is Lens.LIVED
        assert await visible(stage) == query(path, sessions, Lens.LIVED, rewound=True)


async def test_borders_carry_counts_and_the_heading_says_what_is_live(tmp_path: Path) -> None:
    path = tmp_path / "state.db"
    with Recorder(path, clock=Clock(NOW - 86_400)) as recorder:
        (session,) = in_place(recorder)
    async with staged(Library.open(path), anchor=Anchor(session), size=(120, 70)) as stage:
        await stage.shown(session)
        await stage.until(lambda: "8 of 16 live · as lived" in stage.text(), "counts and lens")
        lines = stage.lines()
        (border,) = (y for y, line in enumerate(lines) if "compacted: 12 messages before, 4 kept" in line)
        assert "old number 11" in "\n".join(lines[border - 4 : border])
        assert "written by a machine" in "\n".join(lines[border : border + 4])
        assert "summary of the old" not in stage.text(), "a summary is folded"
        for number in range(8, 12):
            (line,) = (y for y, text in enumerate(lines) if f"old number {number}" in text)
            assert "x2" in lines[line - 1]
        await stage.press("c")
        await stage.until(lambda: "8 of 16 live · as the model saw it" in stage.text())
        assert "compacted: 12 messages before, 4 kept" in stage.text()
        assert "old number 7" not in stage.text()
        await stage.press("c")
        await stage.until(lambda: "only what was compacted away" in stage.text())
        assert "old number 7" in stage.text()
        assert "old number 8" not in stage.text()


async def test_a_split_says_where_it_went_on_and_with_which_model(tmp_path: Path) -> None:
    path = tmp_path / "state.db"
    with Recorder(path, clock=Clock(NOW - 86_400)) as recorder:
        sessions = split(recorder)
    async with staged(Library.open(path), anchor=Anchor(sessions[0]), size=(120, 120)) as stage:
        await stage.shown(sessions[0])
        await stage.until(lambda: "compacted: 10 messages before, 2 kept · continued in session Split" in stage.text())
        assert "model: small-2, before that large-1" in stage.text()
        assert "compacted: 7 messages before, 4 kept ─" in stage.text()
        assert "compacted: 6 messages before, 2 kept · continued" in stage.text()


async def test_where_nothing_was_compacted_the_lens_says_so(tmp_path: Path) -> None:
    path = tmp_path / "state.db"
    with Recorder(path, clock=Clock(NOW - 86_400)) as recorder:
        (session,) = undone(recorder)
    async with staged(Library.open(path), anchor=Anchor(session)) as stage:
        await stage.shown(session)
        await stage.press("c", "c")
        await stage.until(lambda: "Nothing was compacted away." in stage.text())
        await stage.press("c")
        await stage.until(lambda: "new number 1" in stage.text())


async def test_the_reader_stays_when_the_lens_changes(tmp_path: Path) -> None:
    path = tmp_path / "state.db"
    with Recorder(path, clock=Clock(NOW - 86_400)) as recorder:
        session = recorder.create_session("cli", title="Long")
        ids = say(recorder, session, "old", 60)
        recorder.compact(session, "summary of the old", keep_last=30)
    async with staged(Library.open(path), anchor=Anchor(session, ids[40])) as stage:
        await stage.shown(f"{session}#{ids[40]}")

        def line() -> int:
            return next((y for y, text in enumerate(stage.lines()) if "old number 40" in text), -1)

        before = line()
        assert before > 0
        await stage.press("c")
        await stage.until(lambda: "as the model saw it" in stage.text())
        assert line() == before
        await stage.press("c", "c")
        await stage.until(lambda: "as lived" in stage.text())
        assert line() == before


async def test_a_lens_that_shows_nothing_gives_the_place_back(tmp_path: Path) -> None:
    path = tmp_path / "state.db"
    with Recorder(path, clock=Clock(NOW - 86_400)) as recorder:
        session = recorder.create_session("cli", title="Whole")
        ids = say(recorder, session, "old", 60)
    async with staged(Library.open(path), anchor=Anchor(session, ids[40])) as stage:
        await stage.shown(f"{session}#{ids[40]}")
        pane = stage.browser.transcript
        await stage.press("c", "c", "c")
        await stage.until(lambda: "old number 40" in stage.text())
        assert pane.outline is not None
        assert pane.outline.rows[pane.cursor].id == ids[40]
        await stage.press("j")
        assert pane.outline.rows[pane.cursor].id == ids[41]


async def test_the_cursor_is_on_the_message_that_was_read_in_every_lens(tmp_path: Path) -> None:
    path = tmp_path / "state.db"
    with Recorder(path, clock=Clock(NOW - 86_400)) as recorder:
        session = recorder.create_session("cli", title="Long")
        ids = say(recorder, session, "old", 60)
        recorder.compact(session, "summary of the old", keep_last=4)
    async with staged(Library.open(path), anchor=Anchor(session, ids[20])) as stage:
        await stage.shown(f"{session}#{ids[20]}")
        pane = stage.browser.transcript
        await stage.press("c")  # as the model saw it: what was read is not shown
        await stage.until(lambda: "as the model saw it" in stage.text())
        assert pane.cursor in pane.in_window()
        await stage.press("c", "c")
        await stage.until(lambda: "as lived" in stage.text())
        assert pane.outline is not None
        assert pane.outline.rows[pane.cursor].id == ids[20]
