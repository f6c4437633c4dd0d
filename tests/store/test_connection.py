"""One connection: its answers, and how it follows a file that wakes, moves, is replaced, repaired or migrated."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from hermes_tui.model import Opened
from hermes_tui.store.connection import (
    Cancelled,
    Connection,
    StoreDamaged,
    StoreError,
    StoreMissing,
    Ticket,
)
from tests.store.conftest import (
    ADD,
    TEXTS,
    Around,
    killed_in_save,
    listing,
    make_quiet,
    open_writer,
    texts,
    write,
)

Opener = Callable[[Path], Connection]


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


def test_an_error_of_any_code_under_a_ticket_that_was_taken_back_is_no_trouble_of_the_store(
    store: Path, opened: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(store, "one")
    connection, ticket = opened(store), Ticket()

    def once(self: Connection, sql: str, *_: object) -> None:
        ticket.cancel()
        with sqlite3.connect(":memory:") as other:
            other.execute("SELECT interrupted")  # SQLITE_ERROR

    monkeypatch.setattr(Connection, "_once", once)
    with pytest.raises(Cancelled):
        connection.rows("SELECT 1", ticket=ticket)
