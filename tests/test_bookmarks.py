"""Bookmarks survive compaction, a moved store and each other's browsers; nothing of a disk's trouble is hidden."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import stat
import subprocess
import sys
import threading
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermes_tui.history import Bookmark, Bookmarks, History
from hermes_tui.history.bookmarks import from_entry, to_line
from hermes_tui.history.files import locked
from hermes_tui.library import Library
from hermes_tui.model import MessageKey
from hermes_tui.recorder import Layout, Recorder

SUMMARY = "[CONTEXT COMPACTION — REFERENCE ONLY] Earlier turns were compacted into the summary below."
NOWHERE = {"HOME": "/nonexistent"}


def opened(folder: Path) -> Bookmarks:
    return Bookmarks.open(folder, environ=NOWHERE)


def marked(library: Library, message_id: int, note: str = "") -> Bookmark:
    found = library.key(message_id)
    assert found is not None
    session, key = found
    return Bookmark(session, key, message_id, note=note, when=1.0)


# -- the file ----------------------------------------------------------------------------------------------------------


def test_bookmarks_are_kept_replaced_found_and_removed(tmp_path: Path) -> None:
    folder = tmp_path / "state"
    kept = opened(folder)
    assert not folder.exists()
    kettle = Bookmark(
        "s1", MessageKey("u1", "d1", 5.0), 7, note="copper Kettle", title="Kitchen", text="x" * 999, when=2.0
    )
    whole = Bookmark("s2", note=" 花 first ", title="Spring", profile="work", when=3.0)
    kept.put(kettle)
    kept.put(whole)
    kept.put(replace(kettle, note="the kettle, again"))
    again = opened(folder)
    assert [each.note for each in again.all()] == ["花 first", "the kettle, again"]
    assert again.all() == kept.all()
    assert [each.session for each in again.all("KETTLE kitchen")] == ["s1"]
    assert again.all("kettle spring") == ()
    assert again.of_session("s2") == again.all()[0]
    assert again.of_session("s1") is None
    assert again.of_message(["s0", "s1"], MessageKey("u1", "other", 6.0)) == again.all()[1]
    assert again.of_message(["s1"], MessageKey(None, "d1", None)) == again.all()[1]
    assert again.of_message(["s0"], MessageKey("u1", "d1", 5.0)) is None
    again.remove(whole)
    assert len(kept.all()) == 2
    kept.refresh()
    assert [each.session for each in kept.all()] == ["s1"]
    assert kept.trouble is None
    if os.name != "nt":
        assert stat.S_IMODE((folder / "bookmarks.jsonl").stat().st_mode) == 0o600
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700


@given(
    st.builds(
        Bookmark,
        session=st.text(min_size=1),
        key=st.none()
        | st.builds(MessageKey, st.none() | st.text(), st.text(), st.none() | st.floats(0, 4e9) | st.text()),
        message=st.none() | st.integers(1, 2**63),
        note=st.text(),
        when=st.floats(0, 4e9),
        title=st.text(),
        role=st.text(),
        text=st.text(),
        profile=st.none() | st.text(),
    )
)
def test_a_line_holds_any_bookmark(bookmark: Bookmark) -> None:
    line = to_line(bookmark)
    assert b"\n" not in line
    assert from_entry(json.loads(line)) == bookmark


def test_lines_that_are_not_understood_stay_and_are_told(tmp_path: Path) -> None:
    file = tmp_path / "bookmarks.jsonl"
    odd = ["no json", '{"format": 1}', '{"format": 9, "session": "x"}', '{"format": 1, "session": "s", "digest": 7}']
    known = '{"format": 1, "session": "s1", "note": "old", "colour": "red"}'
    file.write_text("\n".join([*odd, known, ""]))
    kept = opened(tmp_path)
    assert [each.session for each in kept.all()] == ["s1"]
    assert kept.trouble == f"3 lines were skipped as damaged: {file}."
    kept.put(Bookmark("s1", note="new", when=1.0))
    lines = file.read_text().splitlines()
    assert lines[:4] == odd
    assert json.loads(lines[4])["colour"] == "red"
    assert json.loads(lines[4])["note"] == "new"


def test_without_a_file_they_are_kept_in_memory_and_it_is_said(tmp_path: Path) -> None:
    (tmp_path / "state").write_text("a file in the place of the folder")
    blocked = opened(tmp_path / "state")
    blocked.put(Bookmark("s1", when=1.0))
    assert [each.session for each in blocked.all()] == ["s1"]
    assert "kept for this session only" in (blocked.trouble or "")
    home = tmp_path / ".hermes"
    home.mkdir()
    inside = Bookmarks.open(home / "x", environ={"HOME": str(tmp_path), "USERPROFILE": str(tmp_path)})
    inside.put(Bookmark("s1", when=1.0))
    assert list(home.iterdir()) == []
    assert "Hermes' own folder" in (inside.trouble or "")
    history = History.open(home / "x", environ={"HOME": str(tmp_path), "USERPROFILE": str(tmp_path)})
    history.bookmarks.put(Bookmark("s1", when=1.0))
    assert history.bookmarks.trouble == inside.trouble


def test_they_go_with_the_history_and_are_off_with_it(tmp_path: Path) -> None:
    off = History.off().bookmarks
    off.put(Bookmark("s1", when=1.0))
    assert off.all() == ()
    assert off.trouble == "History is off: no bookmark is kept or removed."
    history = History.open(tmp_path / "state", environ=NOWHERE)
    assert history.bookmarks is history.bookmarks
    history.bookmarks.put(Bookmark("s1", when=1.0))
    assert [each.session for each in opened(tmp_path / "state").all()] == ["s1"]


WRITER = """
import sys
from pathlib import Path
from hermes_tui.history import Bookmark, Bookmarks
kept = Bookmarks.open(Path(sys.argv[1]), environ={"HOME": "/nonexistent"})
for number in range(15):
    kept.put(Bookmark(f"{sys.argv[2]}-{number}", when=1.0))
assert kept.trouble is None, kept.trouble
"""


def test_several_processes_lose_nothing_of_each_others(tmp_path: Path) -> None:
    env = {**os.environ, "PYTHONPATH": os.getcwd()}
    running = [
        subprocess.Popen([sys.executable, "-c", WRITER, str(tmp_path / "state"), name], env=env) for name in "abc"
    ]
    assert [process.wait(timeout=60) for process in running] == [0, 0, 0]
    assert len(opened(tmp_path / "state").all()) == 45


def test_nobody_who_looks_waits_for_the_disk(tmp_path: Path) -> None:
    kept = opened(tmp_path)
    writer = threading.Thread(target=kept.put, args=[Bookmark("s1", when=1.0)])
    with locked(tmp_path):
        writer.start()
        while not kept.all():
            pass
        assert not (tmp_path / "bookmarks.jsonl").exists()
    writer.join()
    assert [each.session for each in opened(tmp_path).all()] == ["s1"]


# -- where a marked message is now -------------------------------------------------------------------------------------


@pytest.mark.parametrize("layout", list(Layout), ids=lambda layout: layout.value)
def test_a_mark_is_found_after_compaction_and_in_a_moved_store(layout: Layout, tmp_path: Path) -> None:
    path = tmp_path / "state.db"
    clock = iter(range(1_790_000_000, 1_800_000_000))
    with Recorder(path, layout=layout, clock=lambda: float(next(clock))) as recorder:
        session = recorder.create_session("cli", title="Long")
        early = recorder.append(session, "user", "early words")
        kept = recorder.append(session, "user", "kept words")
        with Library.open(path) as library:
            marks = [marked(library, early), marked(library, kept), Bookmark(session, when=1.0)]
        tip = recorder.split(session, f"{SUMMARY} so far", keep_last=1)
        recorder.append(tip, "assistant", "and on")
    moved = tmp_path / "elsewhere" / "other.db"
    moved.parent.mkdir()
    shutil.copyfile(path, moved)
    with closing(sqlite3.connect(moved)) as connection, connection:  # row ids are another store's own
        connection.execute("UPDATE messages SET id = id + 1000")
    for place in (path, moved):
        with Library.open(place) as library:
            texts = []
            for mark in marks[:2]:
                anchor = library.place(mark.session, mark.key, mark.message)
                assert anchor is not None
                assert anchor.message_id is not None
                texts += [message.text for message in library.messages([anchor.message_id])]
                assert library.window(anchor, size=0).messages[0].text == texts[-1]
            assert texts == ["early words", "kept words"]
            assert library.place(session, None, None) is not None
            assert library.place("no such session", None, None) is None
            assert library.place("no such session", marks[0].key, 999_999) is None
            unknown = MessageKey("x", "y", 1.0)
            assert library.place(session, unknown, early) is None


def test_messages_that_say_the_same_at_other_times_are_told_apart(tmp_path: Path) -> None:
    clock = iter(range(1_790_000_000, 1_800_000_000))
    with Recorder(tmp_path / "state.db", clock=lambda: float(next(clock))) as recorder:
        session = recorder.create_session("cli")
        ids = [recorder.append(session, "user", "again") for _ in range(3)]
    with Library.open(tmp_path / "state.db") as library:
        keys = [marked(library, each).key for each in ids]
        assert len({key.digest for key in keys if key is not None}) == 3
        assert library.key(999) is None
