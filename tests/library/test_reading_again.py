"""A conversation that was read before and is read again while somebody writes: always what the file holds."""

from __future__ import annotations

import random
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from hermes_tui.library import Library
from hermes_tui.library.places import NotFound
from hermes_tui.model import Anchor, Kind, State, Transcript
from hermes_tui.recorder import Layout, NewMessage, Recorder

START = 1_780_000_000.0
SUMMARY = "[CONTEXT COMPACTION — REFERENCE ONLY] Earlier turns were compacted into the summary below. Tins."


def talk(number: int) -> list[NewMessage]:
    return [
        {"role": "user", "content": f"tin {number}?", "timestamp": START + number * 10},
        {"role": "assistant", "content": f"Tin {number} is full.", "timestamp": START + number * 10 + 5},
    ]


def afresh(path: Path, session: str) -> Transcript:
    with Library.open(path) as library:
        return library.transcript(Anchor(session))


@pytest.mark.parametrize("layout", list(Layout))
def test_reading_again_is_reading_what_is_there(tmp_path: Path, layout: Layout) -> None:
    path = tmp_path / "state.db"
    with Recorder(path, layout=layout) as writer, Library.open(path) as library:
        session = writer.create_session("cli", title="Tins")
        ids = writer.append_many(session, [one for number in range(20) for one in talk(number)])
        other = writer.create_session("cli")
        writer.append(other, "user", "nothing of that")
        read = library.transcript(Anchor(session))

        def again(change: Callable[[], object]) -> Transcript:
            change()
            found = library.transcript(Anchor(session))
            assert found == afresh(path, session)
            rows = [row for row in library.sessions(everything=True).rows if session in row.segments]
            seen = [row for row in found.rows if row.state is not State.REWOUND and row.kind is not Kind.HIDDEN]
            assert [row.lived for row in rows] == [len(seen)]  # the list counts as the transcript does
            return found

        grown = again(lambda: writer.append_many(session, talk(20)))
        assert [row.id for row in grown.rows][:40] == ids
        assert len(grown.rows) == 42
        assert all(old is row for old, row in zip(read.rows, grown.rows, strict=False))  # these were not read again
        again(lambda: writer.append_many(session, [{"role": "system", "content": "a note"}, *talk(21)]))
        longer = again(lambda: writer.update_message(ids[4], content="tin 2, please?"))
        assert next(row for row in longer.rows if row.id == ids[4]).size > read.rows[4].size
        noted = again(lambda: writer.update_message(ids[6], display_kind="hidden"))
        kind = Kind.TURN if layout is Layout.INLINE else Kind.HIDDEN  # that layout has no such column
        assert next(row for row in noted.rows if row.id == ids[6]).kind is kind
        back = again(lambda: writer.rewind(session, ids[30]))
        assert {row.state for row in back.rows} == {State.LIVE, State.REWOUND}
        again(lambda: writer.append_many(session, talk(22)))
        cut = again(lambda: writer.compact(session, SUMMARY, keep_last=2))
        assert cut.compactions
        assert cut.stands_for
        again(lambda: writer.append_many(session, talk(23)))
        again(lambda: writer.delete_message(ids[0]))
        again(lambda: writer.append(other, "user", "still not"))
        tip = writer.split(session, SUMMARY, keep_last=1)
        assert len(again(lambda: writer.append_many(tip, talk(24))).segments) == 2
        assert library.transcript(Anchor(tip)) == afresh(path, tip)
        assert library.transcript(Anchor(tip)).session.id == tip
        writer.delete_session(session)
        with pytest.raises(NotFound):
            library.transcript(Anchor(session))


def test_what_changes_behind_the_recorder_is_seen(tmp_path: Path) -> None:
    """Any change to any cell that an outline tells of, beside rows that come."""
    path = tmp_path / "state.db"
    chance = random.Random(4)
    with Recorder(path) as writer, Library.open(path) as library:
        session = writer.create_session("cli")
        ids = writer.append_many(session, [one for number in range(30) for one in talk(number)])
        library.transcript(Anchor(session))
        for change in (
            "role = 'tool'",
            "role = 'weather'",
            "content = content || 'x'",
            "content = NULL",
            "reasoning = 'hm'",
            """tool_calls = '[{"id": "a"}]'""",
            "timestamp = timestamp + 1",
            "timestamp = 'noon'",
            "active = 0",
            "compacted = 1",
            "display_kind = 'notice'",
            "display_kind = 'hidden'",
            f"content = '{SUMMARY}'",
        ):
            with closing(sqlite3.connect(path)) as other, other:
                other.execute(f"UPDATE messages SET {change} WHERE id = ?", [chance.choice(ids)])
                other.execute(f"UPDATE messages SET {change} WHERE id = ?", [chance.choice(ids)])
            writer.append_many(session, talk(chance.randrange(100, 200)))
            assert library.transcript(Anchor(session)) == afresh(path, session), change


def test_a_store_that_was_replaced_is_read_anew(tmp_path: Path) -> None:
    path, other = tmp_path / "state.db", tmp_path / "other.db"
    for place, said in ((path, "the tin"), (other, "the tin, which is another one")):
        with Recorder(place) as writer:
            writer.create_session("cli", session_id="s")
            writer.append_many("s", [{"role": "user", "content": said, "timestamp": START}])
    with Library.open(path) as library:
        before = library.transcript(Anchor("s"))
        other.replace(path)
        assert library.transcript(Anchor("s")).rows[0].size > before.rows[0].size
