"""The library: one thread at a time on a connection, long searches beside pages, files that change underneath."""

from __future__ import annotations

import os
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from threading import Event

import pytest

from hermes_tui.library import Cancelled, Library, StoreMissing, StoreUnreadable, Ticket
from hermes_tui.model import Anchor, Answer, Layout, State
from hermes_tui.recorder import Layout as Written
from hermes_tui.recorder import Recorder
from tests.library.conftest import Town, write_town

WAIT = 30  # seconds before a test that hangs is given up


@pytest.fixture
def threads() -> Iterator[ThreadPoolExecutor]:
    """Some threads."""
    with ThreadPoolExecutor(4) as pool:
        yield pool


class Held:
    """A search that stands still in the middle until it is let go or cancelled."""

    def __init__(self, library: Library, pool: ThreadPoolExecutor) -> None:
        self.ticket = Ticket()
        self._standing, self._go = Event(), Event()
        self.answer: Future[Answer] = pool.submit(
            library.search, "harbour", on_progress=self._hold, ticket=self.ticket
        )  # a title has the word, so there is progress to tell before the first row
        assert self._standing.wait(WAIT)

    def _hold(self, _answer: Answer) -> None:
        self._standing.set()
        while not self._go.is_set():
            self.ticket.pause(0.01)

    def let_go(self) -> Answer:
        """Let it end; what it found."""
        self._go.set()
        return self.answer.result(WAIT)


def test_a_search_never_holds_up_a_list_or_a_page(town: Town, library: Library, threads: ThreadPoolExecutor) -> None:
    held = Held(library, threads)
    assert threads.submit(library.sessions).result(WAIT).rows
    assert threads.submit(library.transcript, Anchor(town.long)).result(WAIT).rows
    assert threads.submit(library.window, Anchor(town.long, 3)).result(WAIT).messages
    assert not held.answer.done()
    assert held.let_go().hits


def test_one_connection_answers_one_question_at_a_time(library: Library, threads: ThreadPoolExecutor) -> None:
    held = Held(library, threads)
    second = threads.submit(library.search, "pier")
    third_ticket = Ticket()
    third = threads.submit(library.search, "buoy", ticket=third_ticket)
    third_ticket.cancel()
    assert isinstance(third.exception(WAIT), Cancelled), "a question that waits for its turn can be cancelled"
    assert not second.done()
    held.let_go()
    assert second.result(WAIT).hits


def test_a_cancelled_question_ends_and_the_next_is_answered(library: Library, threads: ThreadPoolExecutor) -> None:
    held = Held(library, threads)
    held.ticket.cancel()
    assert isinstance(held.answer.exception(WAIT), Cancelled)
    assert library.search("harbour").hits


def test_a_cancelled_ticket_never_begins(library: Library) -> None:
    ticket = Ticket()
    ticket.cancel()
    for question in (library.sessions, lambda ticket: library.search("pier", ticket=ticket)):
        with pytest.raises(Cancelled):
            question(ticket=ticket)


def test_closing_ends_what_runs_and_what_comes_later(town: Town, threads: ThreadPoolExecutor) -> None:
    library = Library.open(town.path)
    held = Held(library, threads)
    waiting = threads.submit(library.search, "pier")
    closing = threads.submit(library.close)
    try:
        closing.result(WAIT)
    finally:
        held.ticket.cancel()
    assert isinstance(held.answer.exception(WAIT), Cancelled)
    assert isinstance(waiting.exception(WAIT), Cancelled)
    for question in (library.sessions, lambda: library.search("pier"), lambda: library.transcript(Anchor(town.long))):
        with pytest.raises(Cancelled):
            question()
    assert library.changed() is False
    library.close()


def test_opening_what_is_not_there_leaves_nothing_open(tmp_path: Path) -> None:
    with pytest.raises(StoreMissing):
        Library.open(tmp_path / "state.db")
    (tmp_path / "state.db").write_text("no database" * 100)
    with pytest.raises(StoreUnreadable):
        Library.open(tmp_path / "state.db")
    assert os.listdir(tmp_path) == ["state.db"]


@pytest.fixture
def own(town: Town, tmp_path: Path) -> Path:
    """A copy of the store that a test may change."""
    return Path(shutil.copy(town.path, tmp_path / "state.db"))


def execute(path: Path, *statements: str) -> None:
    """Be another program that changes the store."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        for statement in statements:
            connection.execute(statement)


ADD = "INSERT INTO messages (session_id, role, content, timestamp) VALUES ('77777', 'user', 'a late word', 1790009999)"


@pytest.mark.parametrize("journal", ["wal", "delete"])
def test_a_commit_of_another_program_is_noticed_once_and_seen(journal: str, own: Path) -> None:
    execute(own, f"PRAGMA journal_mode = {journal}")
    with Library.open(own) as library:
        assert library.changed() is False
        assert library.search("late").hits == ()
        execute(own, ADD)
        assert library.changed() is True
        assert library.changed() is False
        assert len(library.search("late").hits) == 1
        assert library.transcript(Anchor("77777")).counts.live == 2


@pytest.mark.parametrize("journal", ["wal", "delete"])
def test_reading_is_no_change(journal: str, own: Path) -> None:
    execute(own, f"PRAGMA journal_mode = {journal}")
    with Library.open(own) as library:
        library.sessions()
        library.search("pier")
        library.window(Anchor("77777"))
        assert library.changed() is False


def test_changes_are_asked_for_without_waiting(own: Path, threads: ThreadPoolExecutor) -> None:
    """While a list is read the answer is no, and the change is not forgotten."""
    with Library.open(own) as library:
        execute(own, ADD)
        with library._list.released():
            assert threads.submit(library.changed).result(WAIT) is False
        assert library.changed() is True


def layout(library: Library) -> Layout:
    return library.capabilities.layout


def test_a_replaced_store_is_read_anew(own: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.db"
    with Recorder(other, layout=Written.INLINE) as recorder:
        talk = recorder.create_session("telegram", title="Another store")
        recorder.append(talk, "user", "only in the other one")
    with Library.open(own) as library:
        assert layout(library) is Layout.VIEWS
        os.replace(other, own)
        assert library.changed() is True
        assert [row.title for row in library.sessions(everything=True).rows] == ["Another store"]
        assert len(library.search("only").hits) == 1
        assert layout(library) is Layout.INLINE
        assert library.transcript(Anchor(talk)).counts.live == 1


def test_a_migrated_store_is_read_with_its_new_columns(tmp_path: Path) -> None:
    path = tmp_path / "state.db"
    execute(
        path,
        "CREATE TABLE sessions (id TEXT PRIMARY KEY, source TEXT, started_at REAL)",
        "CREATE TABLE messages (id INTEGER PRIMARY KEY, session_id TEXT, role TEXT, content TEXT, timestamp REAL)",
        "INSERT INTO sessions VALUES ('s', 'cli', 1790000000)",
        "INSERT INTO messages VALUES (1, 's', 'user', 'stays', 1790000001), (2, 's', 'user', 'goes', 1790000002)",
    )
    with Library.open(path) as library:
        assert {row.state for row in library.transcript(Anchor("s")).rows} == {State.LIVE}
        assert len(library.search("goes").hits) == 1
        execute(
            path,
            "ALTER TABLE messages ADD COLUMN active INTEGER NOT NULL DEFAULT 1",
            "UPDATE messages SET active = 0 WHERE id = 2",
        )
        assert [row.state for row in library.transcript(Anchor("s")).rows] == [State.LIVE, State.REWOUND]
        found = library.search("goes")
        assert (found.hits, found.hidden) == ((), {"rewound": 1})
        assert "active" in library.capabilities.message_columns


def test_an_index_rebuild_that_begins_is_noticed(own: Path) -> None:
    """No schema changes when a rebuild begins; the markers say which rows no index holds from then on."""
    execute(own, "PRAGMA journal_mode = delete")  # a file that is read in place, not opened anew at each commit
    with Library.open(own) as library:
        before = library.search("pier").hits
        for marker in ("('fts_rebuild_high_water', '9999')", "('fts_rebuild_progress', '0')"):
            execute(own, f"INSERT INTO state_meta (key, value) VALUES {marker}")
        assert [hit.anchor for hit in library.search("pier").hits] == [hit.anchor for hit in before]
        assert library.capabilities.gap == (0, 9999)


def test_a_search_names_hits_sessions_and_profile(town: Town) -> None:
    with Library.open(town.path, profile="work") as library:
        answer = library.search("harbour", sort="oldest")
        assert answer.hits[0].anchor.session_id == town.root
        assert {session.id for session in answer.sessions} == {town.root, town.middle, town.tip}
        assert {hit.session.profile for hit in answer.hits} == {"work"}
        assert library.explain("harbour")[: len(answer.plan)] == answer.plan != ()


@pytest.mark.parametrize("text", ["", "   ", '"', '""'])
def test_without_words_the_answer_is_the_recent_sessions(text: str, library: Library) -> None:
    answer = library.search(text, limit=3)
    assert answer.hits == ()
    assert answer.complete
    assert [session.id for session in answer.sessions] == [row.id for row in library.sessions(limit=3).rows]


def test_limit_cuts_and_says_so(library: Library) -> None:
    answer = library.search("question", limit=5)
    assert len(answer.hits) == 5
    assert answer.truncated
    everything = library.search("question", limit=50)
    assert (len(everything.hits), everything.truncated, everything.total) == (20, False, 20)


def test_the_first_rows_of_a_list_come_whole_and_others_on_demand(library: Library) -> None:
    bare = library.sessions(preview=0).rows
    assert {row.preview for row in bare} == {""}
    whole = library.sessions().rows
    assert library.detailed(bare) == whole
    assert library.previews([row.id for row in bare]) == {row.id: row.preview for row in whole}


def test_messages_come_in_the_order_asked_for(town: Town, library: Library) -> None:
    assert [message.id for message in library.messages([5, 2, 999_999, 9])] == [5, 2, 9]
    (kept,) = library.messages([town.kept], copies={town.kept: 2})
    assert kept.copies == 2


def test_no_question_leaves_a_trace(town: Town, tmp_path: Path) -> None:
    path = tmp_path / "quiet" / "state.db"
    path.parent.mkdir()
    shutil.copy(town.path, path)
    before = [(child.name, child.read_bytes(), child.stat().st_mtime_ns) for child in path.parent.iterdir()]
    questions: list[Callable[[Library], object]] = [
        Library.sessions,
        Library.changed,
        Library.report,
        lambda library: library.search("harbour"),
        lambda library: library.explain("harbour"),
        lambda library: library.resolve("Harbour"),
        lambda library: library.window(Anchor(town.long, 3)),
    ]
    with Library.open(path) as library:
        for question in questions:
            question(library)
    assert [(child.name, child.read_bytes(), child.stat().st_mtime_ns) for child in path.parent.iterdir()] == before


def test_the_town_is_what_its_description_says(tmp_path: Path) -> None:
    """The other tests lean on it."""
    town = write_town(tmp_path / "state.db")
    with closing(sqlite3.connect(town.path)) as connection:
        states = dict(connection.execute("SELECT id, active + 2 * compacted FROM messages").fetchall())
    assert states[town.kept] == 1
    assert states[town.rewound] == 0
    assert states[town.copied] in (0, 2)
