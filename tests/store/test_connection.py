"""One connection: the file may wake, move, change or be locked under it; statements can be cancelled; reads only."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from hermes_tui.model import Opened
from hermes_tui.store import connection as connection_module
from hermes_tui.store.connection import (
    Cancelled,
    Connection,
    StoreBusy,
    StoreDamaged,
    StoreError,
    StoreMissing,
    Ticket,
)
from tests.store.conftest import ADD, TEXTS, killed_in_save, listing, make_quiet, open_writer, texts, write

Opener = Callable[[Path], Connection]

COUNT_TO = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < {}) SELECT count(*) FROM n"
ENDLESS = COUNT_TO.format(10**12)
LONG = COUNT_TO.format(100_000)


class Around(Ticket):
    """A ticket that does something right before or right after each statement that runs under it."""

    def __init__(self, before: Callable[[], object] = lambda: None, after: Callable[[], object] = lambda: None) -> None:
        super().__init__()
        self._before = before
        self._after = after

    @contextmanager
    def running(self, stop: Callable[[], None]) -> Iterator[None]:
        with super().running(stop):
            self._before()
            yield
            self._after()


def once(action: Callable[[], object]) -> Callable[[], object]:
    """Do it the first time only."""
    actions = iter([action])
    return lambda: next(actions, lambda: None)()


# Answers


def test_rows_value_and_json(store: Path, opened: Opener) -> None:
    write(store, "one", "two")
    connection = opened(store)
    assert connection.rows("SELECT id, content FROM messages WHERE id > ?", (1,)) == [(2, "two")]
    assert connection.value("SELECT count(*) FROM messages") == 2
    assert connection.value("SELECT id FROM messages WHERE id > 9") is None
    assert connection.json("SELECT json_group_array(json_array(id, content)) FROM messages") == [[1, "one"], [2, "two"]]
    assert connection.json("SELECT NULL") == []
    assert connection.json("SELECT json_array(1) FROM messages WHERE id > 9") == []


def test_bad_utf8_is_shown_and_harms_nobody(store: Path, opened: Opener) -> None:
    write(store, "fine")
    agent = open_writer(store)
    agent.execute("INSERT INTO messages (session_id, role, content) VALUES ('s1', 'user', CAST(x'68690a9c' AS TEXT))")
    agent.close()
    connection = opened(store)
    assert texts(connection) == ["fine", "hi\n\ufffd"]
    assert connection.json("SELECT json_group_array(content) FROM messages") == ["fine", "hi\n\ufffd"]


@pytest.mark.parametrize("value", ["\ud800", "a\udcffb", 10**30, -(10**30)])
def test_parameters_sqlite_cannot_hold_find_nothing(store: Path, opened: Opener, value: object) -> None:
    write(store, "one")
    assert opened(store).rows("SELECT id FROM messages WHERE content = ? OR id = ?", (value, value)) == []


def test_text_and_blob_are_told_apart(store: Path, opened: Opener) -> None:
    write(store, "one")
    assert opened(store).rows("SELECT x'00ff', 'a' || char(0) || 'b'") == [(b"\x00\xff", "a\0b")]


def test_the_statement_is_at_fault_not_the_store(store: Path, opened: Opener) -> None:
    write(store, "one")
    connection = opened(store)
    with pytest.raises(StoreError) as failure:
        connection.rows("SELECT nonsense FROM messages")
    assert type(failure.value) is StoreError
    assert "nonsense" in failure.value.engine
    assert "nonsense" not in str(failure.value)
    assert str(store) in str(failure.value)
    assert texts(connection) == ["one"]


def test_damage_is_named_and_other_rows_stay_readable(store: Path, opened: Opener) -> None:
    write(store, *["x" * 3000 for _ in range(200)])
    size = store.stat().st_size
    with store.open("r+b") as file:
        file.seek(size // 2 // 4096 * 4096)
        file.write(b"\xff" * 4096)
    connection = opened(store)
    with pytest.raises(StoreDamaged, match="damaged"):
        texts(connection)
    assert connection.value("SELECT length(content) FROM messages WHERE id = 1") == 3000
    assert connection.value("SELECT length(content) FROM messages WHERE id = 200") == 3000


def test_a_closed_connection_says_so(store: Path, opened: Opener) -> None:
    write(store, "one")
    connection = opened(store)
    connection.close()
    connection.close()
    with pytest.raises(StoreError, match="closed"):
        texts(connection)


# The file moves under us


def test_a_quiet_file_that_woke_is_read_anew(store: Path, opened: Opener) -> None:
    write(store, "one")
    make_quiet(store)
    connection = opened(store)
    assert (texts(connection), connection.opened, connection.generation) == (["one"], Opened.IMMUTABLE, 0)
    agent = open_writer(store)
    agent.execute(ADD, ("two",))
    assert (texts(connection), connection.opened, connection.generation) == (["one", "two"], Opened.RO, 1)
    agent.execute(ADD, ("three",))
    assert (texts(connection), connection.generation) == (["one", "two", "three"], 1)
    assert connection.badge is None
    agent.close()


def test_an_answer_of_a_file_that_woke_meanwhile_is_thrown_away(store: Path, opened: Opener) -> None:
    write(store, "one")
    make_quiet(store)
    connection = opened(store)
    agents: list[sqlite3.Connection] = []

    def wake() -> None:
        agents.append(open_writer(store))
        agents[0].execute(ADD, ("two",))

    assert texts(connection, ticket=Around(after=once(wake))) == ["one", "two"]
    assert (connection.opened, connection.generation) == (Opened.RO, 1)
    agents[0].close()


def test_an_agent_that_only_opens_the_file_wakes_it(store: Path, opened: Opener) -> None:
    write(store, "one")
    make_quiet(store)
    connection = opened(store)
    agent = open_writer(store)
    agent.execute(TEXTS).fetchall()
    assert (texts(connection), connection.opened) == (["one"], Opened.RO)
    agent.close()


def test_an_agent_that_came_and_went_leaves_a_quiet_file(store: Path, opened: Opener) -> None:
    write(store, "one")
    make_quiet(store)
    connection = opened(store)
    assert texts(connection) == ["one"]
    write(store, "two")
    assert (texts(connection), connection.opened, connection.generation) == (["one", "two"], Opened.IMMUTABLE, 1)
    assert os.listdir(store.parent) == ["state.db"]


def test_two_saves_within_one_tick_of_the_clock_are_both_seen(store: Path, opened: Opener) -> None:
    """The time and size of a file written moments ago may stay the same over one more save."""
    write(store, "one")
    just_now = store.stat().st_mtime_ns + 3600 * 10**9  # in the future: as young as can be for the whole test
    os.utime(store, ns=(just_now, just_now))
    connection = opened(store)
    assert (texts(connection), connection.generation) == (["one"], 0)
    size = store.stat().st_size
    write(store, "two")
    os.utime(store, ns=(just_now, just_now))
    assert store.stat().st_size == size
    assert texts(connection) == ["one", "two"]


def test_an_agent_that_wakes_again_and_again_is_never_misread(store: Path, opened: Opener) -> None:
    write(store, "0")
    script = (
        "import sqlite3, sys\n"
        "for n in range(1, 120):\n"
        "    db = sqlite3.connect(sys.argv[1], isolation_level=None, timeout=30)\n"
        f"    db.execute({ADD!r}, (str(n),)); db.execute({ADD!r}, (str(n) + '+',)); db.close()\n"
    )
    agent = subprocess.Popen([sys.executable, "-c", script, str(store)])
    connection = opened(store)
    seen: list[int] = []
    while agent.poll() is None:
        whole = texts(connection)
        assert whole == ["0", *[f"{1 + n // 2}{'+' * (n % 2)}" for n in range(len(whole) - 1)]]
        seen.append(len(whole))
    assert agent.returncode == 0
    assert seen == sorted(seen)
    assert len(texts(connection)) == 239


@pytest.mark.parametrize("journal", ["wal", "delete"])
def test_a_replaced_file_is_opened_anew(store: Path, opened: Opener, journal: str) -> None:
    write(store, "old", journal=journal)
    write(store.with_name("new.db"), "new", journal=journal)
    connection = opened(store)
    assert texts(connection) == ["old"]
    store.with_name("new.db").replace(store)
    assert (texts(connection), connection.generation) == (["new"], 1)


def test_a_replaced_file_is_noticed_while_an_agent_has_the_old_one(store: Path, opened: Opener) -> None:
    write(store, "old")
    agent = open_writer(store)
    agent.execute(ADD, ("log",))
    connection = opened(store)
    assert texts(connection) == ["old", "log"]
    write(store.with_name("new.db"), "new")
    for name in ("state.db", "state.db-wal", "state.db-shm"):
        store.with_name(name).rename(store.with_name(f"old-{name}"))
    store.with_name("new.db").rename(store)
    assert (texts(connection), connection.generation) == (["new"], 1)
    agent.close()


def test_a_file_that_is_gone_is_missing(store: Path, opened: Opener) -> None:
    write(store, "one")
    connection = opened(store)
    assert texts(connection) == ["one"]
    store.rename(store.with_name("elsewhere.db"))
    with pytest.raises(StoreMissing, match="gone"):
        texts(connection)
    store.with_name("elsewhere.db").rename(store)
    assert texts(connection) == ["one"]


@pytest.mark.parametrize("journal", ["wal", "delete"])
def test_a_migrated_file_starts_a_new_generation(store: Path, opened: Opener, journal: str) -> None:
    write(store, "one", journal=journal)
    agent = open_writer(store)
    agent.execute(ADD, ("two",))
    connection = opened(store)
    assert (texts(connection), connection.generation) == (["one", "two"], 0)
    agent.execute(ADD, ("three",))
    assert (texts(connection), connection.generation) == (["one", "two", "three"], 0)
    agent.execute("ALTER TABLE messages ADD COLUMN active INTEGER")
    assert connection.rows("SELECT active FROM messages") == [(None,)] * 3
    assert connection.generation == 1
    agent.close()


def test_a_save_cut_short_moves_an_open_connection_to_a_copy_until_it_is_repaired(
    store: Path, opened: Opener, temporary: Path
) -> None:
    write(store, "one", journal="delete")
    first, second = opened(store), opened(store)
    assert (texts(first), texts(second), first.opened) == (["one"], ["one"], Opened.RO)
    killed_in_save(store)
    before = listing(store.parent)
    assert (texts(first), first.opened, first.generation) == (["one"], Opened.COPY, 1)
    assert (texts(second), second.opened, second.generation) == (["one"], Opened.COPY, 1)
    assert first.badge is not None
    assert listing(store.parent) == before
    assert len(list(temporary.iterdir())) == 1
    write(store, "two", journal="delete")  # the next agent repairs the file, as only agents do
    assert (texts(first), first.opened, first.generation) == (["one", "two"], Opened.RO, 2)
    assert (texts(second), second.opened, second.badge) == (["one", "two"], Opened.RO, None)
    assert list(temporary.iterdir()) == []


def test_a_connection_survives_a_climb_that_failed(store: Path, opened: Opener) -> None:
    write(store, "one")
    make_quiet(store)
    connection = opened(store)
    whole = store.read_bytes()
    store.write_bytes(b"")
    with pytest.raises(StoreError, match="empty"):
        texts(connection)
    store.write_bytes(whole)
    assert texts(connection) == ["one"]


# Fingerprints


@pytest.mark.parametrize("journal", ["wal", "delete"])
def test_the_fingerprint_changes_with_each_commit_of_another(store: Path, opened: Opener, journal: str) -> None:
    write(store, "one", journal=journal)
    agent = open_writer(store)
    agent.execute(ADD, ("two",))
    connection = opened(store)
    seen = [connection.fingerprint()]
    for _ in range(5):
        assert connection.fingerprint() == seen[-1]
        agent.execute("UPDATE messages SET content = content || '.'")
        seen.append(connection.fingerprint())
    assert len(set(seen)) == 6
    agent.close()


def test_the_fingerprint_changes_when_a_quiet_file_is_written_or_replaced(store: Path, opened: Opener) -> None:
    write(store, "one")
    make_quiet(store)
    connection = opened(store)
    seen = [connection.fingerprint(), connection.fingerprint()]
    assert seen[0] == seen[1]
    write(store, "two")
    seen.append(connection.fingerprint())
    write(store.with_name("new.db"), "new")
    store.with_name("new.db").replace(store)
    seen.append(connection.fingerprint())
    assert len(set(seen)) == 3


# Manners


@pytest.mark.parametrize("statement", [TEXTS, "SELECT nonsense", LONG])
def test_a_reader_never_stops_an_agent_from_saving(store: Path, opened: Opener, statement: str) -> None:
    """In rollback-journal mode an open cursor or transaction of ours would make this commit fail."""
    write(store, *["x" * 5000 for _ in range(100)], journal="delete")
    connection = opened(store)
    agent = open_writer(store)
    for n in range(5):
        try:
            connection.rows(statement)
        except StoreError:
            assert statement == "SELECT nonsense"
        agent.execute(ADD, (str(n),))
    cancelled = Around(before=lambda: cancelled.cancel())
    with pytest.raises(Cancelled):
        connection.rows(ENDLESS, ticket=cancelled)
    agent.execute(ADD, ("saved",))
    assert texts(connection)[-1] == "saved"
    agent.close()


def test_a_lock_that_is_let_go_was_worth_waiting_for(store: Path, opened: Opener) -> None:
    write(store, "one", journal="delete")
    connection = opened(store)
    agent = open_writer(store)
    agent.execute("BEGIN EXCLUSIVE")
    agent.execute(ADD, ("two",))

    class Patient(Ticket):
        def pause(self, seconds: float) -> None:
            if agent.in_transaction:
                agent.execute("COMMIT")
            super().pause(seconds)

    assert texts(connection, ticket=Patient()) == ["one", "two"]
    agent.close()


def test_a_lock_that_is_kept_is_busy(store: Path, opened: Opener, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection_module, "PATIENCE_SECONDS", 0.05)
    write(store, "one", journal="delete")
    connection = opened(store)
    agent = open_writer(store)
    agent.execute("BEGIN EXCLUSIVE")
    with pytest.raises(StoreBusy, match="written by another program") as failure:
        texts(connection)
    assert str(store) in str(failure.value)
    assert connection.fingerprint()[1:] != ()
    agent.execute("COMMIT")
    assert texts(connection) == ["one"]
    agent.close()


def test_waiting_for_a_lock_can_be_cancelled(store: Path, opened: Opener, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection_module, "PATIENCE_SECONDS", 600)
    write(store, "one", journal="delete")
    connection = opened(store)
    agent = open_writer(store)
    agent.execute("BEGIN EXCLUSIVE")

    class Impatient(Ticket):
        def pause(self, seconds: float) -> None:
            self.cancel()
            super().pause(seconds)

    with pytest.raises(Cancelled):
        texts(connection, ticket=Impatient())
    agent.close()


WRITES = [
    "INSERT INTO messages (session_id, role) VALUES ('s1', 'user')",
    "UPDATE messages SET content = ''",
    "DELETE FROM messages",
    "REPLACE INTO sessions VALUES ('s1', 'cli', 0)",
    "CREATE TABLE x (y)",
    "CREATE TEMP TABLE x (y)",
    "CREATE TEMP VIEW x AS SELECT 1",
    "CREATE INDEX x ON messages (role)",
    "CREATE VIRTUAL TABLE temp.x USING fts5(y)",
    "DROP TABLE messages",
    "ALTER TABLE messages ADD COLUMN x",
    "BEGIN",
    "SAVEPOINT x",
    "ATTACH ':memory:' AS x",
    "VACUUM",
    "VACUUM INTO 'x.db'",
    "REINDEX",
    "ANALYZE",
    "UPDATE sqlite_master SET sql = ''",
    "DELETE FROM sqlite_master",
    "INSERT INTO messages_fts (messages_fts) VALUES ('optimize')",
    "PRAGMA journal_mode = delete",
    "PRAGMA wal_checkpoint",
    "PRAGMA query_only = 0",
    "PRAGMA writable_schema = 1",
    "PRAGMA user_version = 1",
    "PRAGMA schema_version = 1",
    "PRAGMA temp_store_directory = '/'",
    "PRAGMA incremental_vacuum",
    "PRAGMA optimize",
    "SELECT * FROM messages_fts_cjk",
]


@pytest.mark.parametrize("statement", WRITES)
def test_nothing_but_reads_can_be_attempted(
    store: Path, opened: Opener, statement: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(store, "one")
    agent = open_writer(store)
    agent.execute("CREATE VIRTUAL TABLE messages_fts USING fts5(content)")
    agent.execute("CREATE VIRTUAL TABLE messages_fts_cjk USING fts5(content)")
    monkeypatch.chdir(store.parent)
    connection = opened(store)
    texts(connection)
    before = listing(store.parent)
    with pytest.raises(StoreError):
        connection.rows(statement)
    assert listing(store.parent) == before
    assert texts(connection) == ["one"]
    agent.execute(ADD, ("two",))
    assert texts(connection) == ["one", "two"]
    agent.close()


@pytest.mark.parametrize(
    "statement",
    [
        "PRAGMA table_xinfo(messages)",
        "PRAGMA data_version",
        "SELECT rowid FROM messages_fts WHERE messages_fts MATCH '\"one\"' ORDER BY rank",
        "SELECT json_group_array(value) FROM json_each('[1]')",
        "SELECT sqlite_version()",
        "EXPLAIN QUERY PLAN SELECT * FROM messages",
        LONG,
    ],
)
def test_reads_of_all_kinds_are_let_through(store: Path, opened: Opener, statement: str) -> None:
    write(store, "one")
    agent = open_writer(store)
    agent.execute("CREATE VIRTUAL TABLE messages_fts USING fts5(content)")
    agent.execute("INSERT INTO messages_fts (rowid, content) VALUES (1, 'one')")
    agent.close()
    assert len(opened(store).rows(statement)) > 0


# Cancelling


def test_a_cancelled_ticket_never_starts(store: Path, opened: Opener) -> None:
    write(store, "one")
    connection = opened(store)
    ticket = Ticket()
    ticket.cancel()
    assert ticket.cancelled
    with pytest.raises(Cancelled):
        texts(connection, ticket=ticket)
    with pytest.raises(Cancelled):
        ticket.check()


def test_a_ticket_cancelled_on_the_way_to_its_statement_never_starts(store: Path, opened: Opener) -> None:
    write(store, "one")
    connection = opened(store)

    class Late(Ticket):
        @contextmanager
        def running(self, stop: Callable[[], None]) -> Iterator[None]:
            self.cancel()
            with super().running(stop):
                raise AssertionError("it started")
            yield

    with pytest.raises(Cancelled):
        texts(connection, ticket=Late())


def in_background(work: Callable[[], Any]) -> tuple[threading.Thread, list[object]]:
    """Run in a thread; the list gets the answer or the exception."""
    outcome: list[object] = []

    def run() -> None:
        try:
            outcome.append(work())
        except Exception as error:
            outcome.append(error)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    return thread, outcome


def test_a_running_statement_stops(store: Path, opened: Opener) -> None:
    write(store, "one")
    connection = opened(store)
    started = threading.Event()
    ticket = Around(before=started.set)
    thread, outcome = in_background(lambda: connection.rows(ENDLESS, ticket=ticket))
    assert started.wait(30)
    ticket.cancel()
    thread.join(30)
    assert [type(one) for one in outcome] == [Cancelled]
    assert texts(connection) == ["one"]


def test_a_cancel_that_came_before_the_first_step_is_not_lost(store: Path, opened: Opener) -> None:
    """SQLite forgets an interrupt when the statement has not begun."""
    write(store, "one")
    connection = opened(store)
    ticket = Around(before=lambda: ticket.cancel())
    thread, outcome = in_background(lambda: connection.rows(ENDLESS, ticket=ticket))
    thread.join(30)
    assert [type(one) for one in outcome] == [Cancelled]


def test_a_cancel_never_hits_the_statement_of_another_ticket(store: Path, opened: Opener) -> None:
    write(store, "one")
    connection = opened(store)
    old = Around(before=lambda: old.cancel())
    with pytest.raises(Cancelled):
        connection.rows(ENDLESS, ticket=old)
    stop = threading.Event()

    def keep_cancelling() -> None:
        while not stop.is_set():
            old.cancel()

    thread = threading.Thread(target=keep_cancelling)
    thread.start()
    try:
        for _ in range(10):
            assert connection.value(LONG, ticket=Ticket()) == 100000
    finally:
        stop.set()
        thread.join()


def test_a_cancel_right_after_the_answer_harms_nobody(store: Path, opened: Opener) -> None:
    write(store, "one")
    connection = opened(store)
    for _ in range(10):
        ticket = cancelling_after()
        assert texts(connection, ticket=ticket) == ["one"]
        assert ticket.cancelled
        assert connection.value(LONG) == 100000


def cancelling_after() -> Ticket:
    """A ticket that is cancelled when its first statement has run."""
    ticket = Around(after=lambda: ticket.cancel())
    return ticket


def test_waiting_for_ones_turn_can_be_cancelled(store: Path, opened: Opener) -> None:
    write(store, "one")
    connection = opened(store)
    started = threading.Event()
    first, second = Around(before=started.set), Ticket()
    thread, outcome = in_background(lambda: connection.rows(ENDLESS, ticket=first))
    assert started.wait(30)
    waiting, refused = in_background(lambda: texts(connection, ticket=second))
    second.cancel()
    waiting.join(30)
    assert [type(one) for one in refused] == [Cancelled]
    assert outcome == []
    first.cancel()
    thread.join(30)
    assert [type(one) for one in outcome] == [Cancelled]


def test_one_ticket_stops_statements_on_two_connections(store: Path, opened: Opener) -> None:
    write(store, "one")
    running = threading.Barrier(3, timeout=30)
    ticket = Around(before=running.wait)
    connections = [opened(store), opened(store)]
    work = [in_background(partial(one.rows, ENDLESS, ticket=ticket)) for one in connections]
    running.wait()
    ticket.cancel()
    for thread, outcome in work:
        thread.join(30)
        assert [type(one) for one in outcome] == [Cancelled]


def test_closing_stops_what_is_running(store: Path, opened: Opener) -> None:
    write(store, "one")
    connection = opened(store)
    started = threading.Event()
    thread, outcome = in_background(lambda: connection.rows(ENDLESS, ticket=Around(before=started.set)))
    assert started.wait(30)
    connection.close()
    thread.join(30)
    assert [type(one) for one in outcome] == [Cancelled]


def test_many_threads_share_one_connection(store: Path, opened: Opener) -> None:
    write(store, *[str(n) for n in range(100)])
    connection = opened(store)
    work = [in_background(lambda: [len(texts(connection)) for _ in range(30)]) for _ in range(8)]
    for thread, outcome in work:
        thread.join(60)
        assert outcome == [[100] * 30]
