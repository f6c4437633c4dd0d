"""What compaction did to a conversation, and the three ways to read it: each shows what a plain query says."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from hermes_tui.library import Library
from hermes_tui.model import Anchor
from hermes_tui.recorder import Layout, Recorder
from hermes_tui.tui.lens import Lens, Sight
from tests.tui.conftest import NOW, Clock, Stage, staged
from tests.tui.test_transcript_roaming import cursor_at


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


MAKES = [in_place, twice, split, undone]


def told_by(path: Path) -> dict[int, str]:
    """What each message of a store says, by id."""
    with closing(sqlite3.connect(path)) as connection:
        return dict(connection.execute("SELECT id, content FROM messages"))


def begin(text: str) -> str:
    return "a summary" if text.startswith("[CONTEXT") else text


def text_lines(stage: Stage) -> list[str]:
    """What is on the screen beside the list, whose glance at a conversation repeats words of it."""
    return [line.rpartition("▕")[2] for line in stage.lines()]


async def visible(stage: Stage) -> list[str]:
    """The first words of every message that can be scrolled to, from top to bottom."""
    pane = stage.browser.transcript
    outline = pane.outline
    assert outline is not None
    await stage.press("home")
    await stage.until(lambda: all(pane.shelf.message(row.id) for row in outline.rows), "every message")
    messages = [pane.shelf.message(row.id) for row in outline.rows]
    return [begin(message.text) for message in messages if message is not None]


SIGHTS = [Sight(Lens.LIVED), Sight(Lens.MODEL), Sight(Lens.AWAY), Sight(Lens.LIVED, rewound=True)]


@pytest.mark.parametrize("layout", list(Layout))
def test_every_lens_takes_the_rows_that_a_plain_query_says(tmp_path: Path, layout: Layout) -> None:
    path = tmp_path / "state.db"
    makes = [make for make in MAKES if not (make is twice and layout is Layout.INLINE)]  # that layout hides nothing
    with Recorder(path, layout=layout, clock=Clock(NOW - 86_400)) as recorder:
        made = [make(recorder) for make in makes]
    texts = told_by(path)
    with Library.open(path) as library:
        for make, sessions in zip(makes, made, strict=True):
            transcript = library.transcript(Anchor(sessions[-1]))
            for sight in SIGHTS:
                rows = [begin(texts[row.id]) for row in sight.rows(transcript, None)]
                assert rows == query(path, sessions, sight.lens, rewound=sight.rewound), (make.__name__, sight)


async def test_every_lens_shows_what_a_plain_query_says(tmp_path: Path) -> None:
    path = tmp_path / "state.db"
    with Recorder(path, clock=Clock(NOW - 86_400)) as recorder:
        made = [make(recorder) for make in MAKES]
    async with staged(Library.open(path), size=(120, 110)) as stage:
        pane = stage.browser.transcript

        def seen() -> Sight:
            return Sight(pane.lens, rewound=pane.rewound)

        for sessions in made:
            stage.browser.read(Anchor(sessions[-1]))
            await stage.shown(sessions[-1])
            for sight, keys in zip(SIGHTS, ("c", "c", "cx", "x"), strict=True):
                assert seen() == sight
                wanted = query(path, sessions, sight.lens, rewound=sight.rewound)
                assert await visible(stage) == wanted, sight
                shown = [line for line in text_lines(stage) if " number " in line]
                assert len(shown) == sum(" number " in text for text in wanted), "each is on the screen once"
                await stage.press(*keys)


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


async def test_every_lens_stays_what_it_is_however_a_place_is_gone_to(tmp_path: Path) -> None:
    """By hits, by typed places, back and forward, to a sub-agent and up again: no row of another kind is mixed in."""
    path = tmp_path / "state.db"
    with Recorder(path, clock=Clock(NOW - 86_400)) as recorder:
        sessions = split(recorder)
        child = recorder.delegate(sessions[-1])
        say(recorder, child, "task", 2)
        hidden = recorder.append(sessions[-1], "user", "for the model alone", display_kind="hidden")
        gone = say(recorder, sessions[-1], "taken back", 2)
        recorder.rewind(sessions[-1], gone[0])
        last = say(recorder, sessions[-1], "number the last", 1)[0]
    texts = told_by(path)
    early = {text: number for number, text in reversed(texts.items())}["old number 3"]

    async with staged(Library.open(path), anchor=Anchor(sessions[-1]), size=(100, 24)) as stage:
        pane = stage.browser.transcript

        def told() -> list[str]:
            assert pane.outline is not None
            return [begin(texts[row.id]) for row in pane.outline.rows]

        async def equal(lens: Lens) -> None:
            await stage.until(lambda: pane.lens is lens and stage.browser._on_its_way is None, lens.value)
            held = [child] if pane.outline is not None and pane.outline.transcript.session.id == child else sessions
            assert told() == query(path, held, lens, rewound=pane.rewound), lens

        async def to(lens: Lens) -> None:
            while pane.lens is not lens:
                await stage.press("c")
            await equal(lens)

        async def goto(message: int) -> None:
            await stage.press("colon", *str(message), "enter")

        await stage.shown(sessions[-1])
        for lens, place in zip(Lens, (early, last, last), strict=True):
            await to(lens)
            await goto(place)
            if lens is Lens.AWAY:
                assert f"Message {place} is not shown" in stage.status()
                await stage.press("escape")
            await equal(lens)
            await stage.press("b", "backspace")
            await equal(lens)
        # A hit that the lens does not show is read as lived; a lens chosen there shows its own rows and no other.
        await to(Lens.LIVED)
        await stage.search("number")
        await stage.press("enter")
        for lens, keys in ((Lens.AWAY, "nN"), (Lens.MODEL, "nn"), (Lens.AWAY, "nn")):
            await to(lens)
            for key in keys:
                await stage.press(key)
                await equal(pane.lens)
        # Places that are shown because they were asked for are not shown any more when something else is.
        for message in (hidden, gone[0]):
            await to(Lens.LIVED)
            stage.browser.read(Anchor(sessions[-1], message))
            await stage.shown(f"{sessions[-1]}#{message}")
            await cursor_at(stage, message)
            assert texts[message] in told()
            if message == hidden:
                await stage.press("c", "c")
                await equal(Lens.AWAY)
            stage.browser.read(Anchor(sessions[-1], last))
            await stage.shown(f"{sessions[-1]}#{last}")
            await equal(Lens.LIVED)
        # Down to the sub-agent, of which nothing was compacted, and up again.
        await to(Lens.AWAY)
        stage.browser.read(Anchor(child))
        await stage.shown(child)
        await equal(Lens.LIVED)
        assert "nothing was compacted in this conversation" in stage.status()
        await stage.press("D")
        await equal(Lens.LIVED)
        await stage.press("x")
        await stage.until(lambda: pane.rewound)
        await equal(Lens.LIVED)


async def test_what_was_compacted_away_ends_with_the_last_border(tmp_path: Path) -> None:
    path = tmp_path / "state.db"
    with Recorder(path, clock=Clock(NOW - 86_400)) as recorder:
        sessions = split(recorder)
    async with staged(Library.open(path), anchor=Anchor(sessions[-1]), size=(120, 90)) as stage:
        await stage.shown(sessions[-1])
        lived = [line.strip() for line in text_lines(stage) if "compacted: " in line]
        assert len(lived) == 3
        await stage.press("c", "c")
        await stage.until(lambda: "old number 0" in stage.text())
        lines = text_lines(stage)
        assert [line.strip() for line in lines if "compacted: " in line] == lived
        border = max(y for y, line in enumerate(lines) if "compacted: " in line)
        assert border > max(y for y, line in enumerate(lines) if " number " in line)
        await stage.press("end")
        assert any("compacted: " in line for line in stage.lines())
        with Recorder(path, clock=lambda: NOW) as recorder:
            recorder.append(sessions[-1], "user", "written meanwhile")
        pane = stage.browser.transcript
        await stage.until(lambda: pane.outline and pane.outline.transcript.rows[-1].timestamp == NOW)
        await stage.press("c")
        await stage.until(lambda: "written meanwhile" in stage.text())


async def test_next_hit_stays_in_the_lens_and_says_what_it_passes(tmp_path: Path) -> None:
    path = tmp_path / "state.db"
    with Recorder(path, clock=Clock(NOW - 86_400)) as recorder:
        other = recorder.create_session("cli", title="Another")
        say(recorder, other, "walrus", 1)
        session = recorder.create_session("cli", title="In place")
        away = [recorder.append(session, "user", f"walrus {at}") for at in range(3)]
        recorder.compact(session, "a summary of them")
        live = [recorder.append(session, "user", f"live walrus {at}") for at in range(2)]
    async with staged(Library.open(path), size=(120, 40)) as stage:
        pane = stage.browser.transcript
        await stage.search("walrus -role:assistant")
        await stage.press("enter")
        await cursor_at(stage, live[1])
        await stage.press("c", "c")
        await stage.until(lambda: pane.lens is Lens.AWAY and pane.outline and len(pane.outline) == 3)
        await cursor_at(stage, away[2])
        for wanted in reversed(away[:2]):  # newest first
            await stage.press("n")
            await cursor_at(stage, wanted)
            assert pane.lens is Lens.AWAY
        await stage.press("n")  # over to the other conversation, of which nothing was compacted
        await stage.until(lambda: stage.browser.reading.startswith(f"{other}#"))
        assert pane.lens is Lens.LIVED
        assert "nothing was compacted in this conversation" in stage.status()
        await stage.press("N")
        await cursor_at(stage, away[0])
        await stage.press("c", "c")
        await stage.until(lambda: pane.lens is Lens.AWAY)
        for wanted in away[1:]:
            await stage.press("N")
            await cursor_at(stage, wanted)
        await stage.press("N")
        await stage.until(lambda: "2 hits further up the hits not in “only what was compacted away”" in stage.status())
        assert pane.here == Anchor(session, away[-1])


async def test_the_border_below_all_that_is_shown_is_gone_to_by_key_and_by_rail(tmp_path: Path) -> None:
    path = tmp_path / "state.db"
    with Recorder(path, clock=Clock(NOW - 86_400)) as recorder:
        session = recorder.create_session("cli", title="In place")
        say(recorder, session, "old", 40)
        recorder.compact(session, "summary of the old")
    async with staged(Library.open(path), anchor=Anchor(session), size=(120, 24)) as stage:
        pane = stage.browser.transcript
        await stage.shown(session)
        await stage.press("c", "c")
        await stage.until(lambda: pane.lens is Lens.AWAY and pane.outline and len(pane.outline) == 40)
        for go in ("}", "rail"):
            await stage.press("home")
            assert "compacted: 40" not in stage.text()
            if go == "rail":
                await stage.pilot.click("#rail", offset=(0, pane.size.height - 1))
            else:
                await stage.press("right_curly_bracket")
            await stage.until(lambda: "compacted: 40 messages before, 0 kept" in stage.text())
            assert pane.cursor == 39
        await stage.press("right_curly_bracket")
        await stage.until(lambda: stage.status() == "This is the last compaction border.")
        await stage.press("u")
        await stage.press("U")
        await stage.until(lambda: stage.status() == "", "a notice that nothing is there, once something is gone to")
