"""Whether an index may be believed: triggers, tokenizers, damage, rows that are missing."""

from __future__ import annotations

from pathlib import Path

import pytest

from hermes_tui.model import Layout, Trust
from hermes_tui.recorder import Layout as Written
from hermes_tui.recorder import Recorder
from hermes_tui.store.schema import detect, verify_index
from tests.store.conftest import make_quiet, open_writer, write
from tests.store.recorded import TABLES, Opener, detected, grow, index, record, run

# Triggers


@pytest.mark.parametrize("event", ["insert", "update", "delete"])
@pytest.mark.parametrize("table", TABLES)
def test_an_index_lacking_a_trigger_is_not_trusted(
    store: Path, opened: Opener, layout: Written, table: str, event: str
) -> None:
    record(store, layout)
    run(store, f"DROP TRIGGER {table}_{event}")
    found = detected(opened, store)
    other = next(name for name in TABLES if name != table)
    assert (index(found, table).trust, index(found, other).trust) == (Trust.UNTRIGGERED, Trust.GOOD)


def test_triggers_are_known_by_what_they_do(store: Path, opened: Opener, layout: Written) -> None:
    """A trigger's name proves nothing: other names are as good, and a right name on another table is not."""
    record(store, layout)
    agent = open_writer(store)
    every = "SELECT name, sql FROM sqlite_master WHERE type = 'trigger' AND name LIKE 'messages_fts%' ORDER BY name"
    triggers = agent.execute(every).fetchall()
    assert len(triggers) == 6
    for n, (name, sql) in enumerate(triggers):
        agent.execute(f"DROP TRIGGER {name}")
        agent.execute(sql.replace(f"TRIGGER {name}", f'TRIGGER "odd name {n}"'))
    agent.execute("CREATE TRIGGER messages_fts_insert AFTER INSERT ON sessions BEGIN SELECT 1; END")
    agent.close()
    assert {index(detected(opened, store), table).trust for table in TABLES} == {Trust.GOOD}
    run(store, "DROP TRIGGER messages_fts_insert", 'DROP TRIGGER "odd name 0"')
    agent = open_writer(store)
    agent.execute("CREATE TRIGGER messages_fts_insert AFTER INSERT ON messages BEGIN SELECT 'INTO messages_fts'; END")
    agent.execute("CREATE TRIGGER x AFTER INSERT ON messages BEGIN /* INSERT INTO messages_fts */ SELECT 1; END")
    agent.close()
    assert Trust.UNTRIGGERED in {index(detected(opened, store), table).trust for table in TABLES}


def test_one_trigger_may_keep_both_indexes(store: Path, opened: Opener) -> None:
    write(store, journal="wal")
    agent = open_writer(store)
    agent.execute("CREATE VIRTUAL TABLE messages_fts USING fts5(content)")
    agent.execute("CREATE VIRTUAL TABLE messages_fts_trigram USING fts5(content, tokenize='trigram')")
    fill = "INSERT INTO {0}(rowid, content) VALUES (new.id, new.content);"
    drop = "DELETE FROM {0} WHERE rowid = old.id;"
    fills, drops = ("".join(part.format(table) for table in TABLES) for part in (fill, drop))
    both = {"INSERT": fills, "DELETE": drops, "UPDATE": drops + fills}
    for event, body in both.items():
        agent.execute(f"CREATE TRIGGER {event.lower()}_both AFTER {event} ON messages BEGIN {body} END")
    agent.execute("INSERT INTO messages (session_id, role, content) VALUES ('s1', 'user', 'copper kettle')")
    agent.close()
    found = detected(opened, store)
    assert {index(found, table).trust for table in TABLES} == {Trust.GOOD}
    assert not index(found, TABLES[0]).calls  # these triggers leave tool calls out
    assert found.layout is Layout.INLINE


def test_an_update_trigger_that_does_not_watch_the_text_is_none(store: Path, opened: Opener) -> None:
    record(store)
    agent = open_writer(store)
    (sql,) = agent.execute("SELECT sql FROM sqlite_master WHERE name = 'messages_fts_update'").fetchone()
    agent.execute("DROP TRIGGER messages_fts_update")
    start, end = sql.index("UPDATE OF"), sql.index(" ON messages")
    agent.execute(sql[:start] + "UPDATE OF role" + sql[end:])
    agent.close()
    assert index(detected(opened, store), "messages_fts").trust is Trust.UNTRIGGERED


# Indexes this SQLite cannot read


def rewrite(path: Path, old: str, new: str) -> None:
    """Change the SQL of the tables as if another SQLite had made them."""
    agent = open_writer(path)
    agent.execute("PRAGMA writable_schema = 1")
    agent.execute("UPDATE sqlite_master SET sql = replace(sql, ?, ?) WHERE type = 'table'", (old, new))
    agent.close()


@pytest.mark.parametrize(
    ("old", "new", "table"),
    [
        ("tokenize='trigram'", "tokenize='better'", "messages_fts_trigram"),
        ("tokenize='trigram'", "tokenize='trigram case_sensitive 1'", "messages_fts_trigram"),
        ("tokenize='trigram'", "tokenize='trigram future 9'", "messages_fts_trigram"),
        ("USING fts5(", "USING fts9(", "messages_fts"),
        ("content_rowid='id')", "content_rowid='id', tokenize='porter')", "messages_fts"),
        ("content_rowid='id')", "content_rowid='id', detail=none)", "messages_fts"),
    ],
)
def test_a_module_or_tokenizer_we_do_not_have(store: Path, opened: Opener, old: str, new: str, table: str) -> None:
    record(store)
    rewrite(store, old, new)
    connection = opened(store)
    found = index(detect(connection), table)
    assert (found.trust, found.usable) == (Trust.UNUSABLE, False)
    assert connection.value("SELECT count(*) FROM messages") == 40


def test_the_tokenizer_is_asked_for_and_not_there(store: Path, opened: Opener, monkeypatch: pytest.MonkeyPatch) -> None:
    """A tokenizer we would know how to use, but that this SQLite does not have."""
    record(store)
    rewrite(store, "tokenize='trigram'", "tokenize='future'")
    from hermes_tui.store import indexes

    known = {**indexes._SURE_TOKENIZERS, "messages_fts_trigram": {"future"}}
    monkeypatch.setattr(indexes, "_SURE_TOKENIZERS", known)
    assert index(detected(opened, store), "messages_fts_trigram").trust is Trust.UNUSABLE


def test_the_foreign_index_is_never_touched(store: Path, opened: Opener) -> None:
    record(store)
    run(store, "CREATE VIRTUAL TABLE messages_fts_cjk USING fts5(content, tool_name, tool_calls)")
    rewrite(store, "tool_name, tool_calls)", "tool_name, tool_calls, tokenize='cjk_unicode61')")
    connection = opened(store)
    found = detect(connection)
    assert {index(found, table).trust for table in TABLES} == {Trust.GOOD}
    assert verify_index(connection, found) == found


# Damage


@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE {0}_data SET block = zeroblob(20) WHERE id > 10",
        "DELETE FROM {0}_data",
        "DELETE FROM {0}_data WHERE id > 10",
        "UPDATE {0}_data SET block = x'ffffffffffffffffff' WHERE id = 10",
        "DROP TABLE {0}_data",
        "DROP TABLE {0}_docsize",
    ],
)
def test_a_damaged_index_is_not_trusted_and_history_is_intact(
    store: Path, opened: Opener, layout: Written, table: str, damage: str
) -> None:
    record(store, layout)
    agent = open_writer(store)
    agent.execute("PRAGMA writable_schema = 1")  # lets shadow tables be dropped
    agent.execute(damage.format(table))
    agent.close()
    connection = opened(store)
    found = detect(connection)
    other = next(name for name in TABLES if name != table)
    assert (index(found, table).trust, index(found, other).trust) == (Trust.DAMAGED, Trust.GOOD)
    assert "history intact" in (index(found, table).note or "")
    assert connection.value("SELECT count(*) FROM messages WHERE instr(content, 'kettle') > 0") == 40


def test_damage_to_a_part_of_the_index_is_found_by_verifying(store: Path, opened: Opener) -> None:
    """Newest rows are in small segments of their own; a lost one is only noticed by the rows that were in it."""
    record(store, Written.INLINE)
    grow(store, 3000)
    agent = open_writer(store)
    agent.execute("DELETE FROM messages_fts WHERE rowid BETWEEN 700 AND 800")
    agent.execute("INSERT INTO messages_fts_docsize SELECT id, x'03' FROM messages WHERE id BETWEEN 700 AND 800")
    agent.close()
    make_quiet(store)
    connection = opened(store)
    found = detect(connection)
    verified = verify_index(connection, found)
    assert index(verified, "messages_fts").trust is Trust.DAMAGED
    assert index(verified, "messages_fts_trigram").trust is Trust.GOOD


# Rows that are missing


def without_triggers(path: Path, table: str, *statements: str) -> None:
    """Let another program write while the triggers of an index are away, and bring them back."""
    agent = open_writer(path)
    triggers = agent.execute(
        "SELECT name, sql FROM sqlite_master WHERE type = 'trigger' AND name GLOB ? ", (f"{table}_[iud]*",)
    ).fetchall()
    assert len(triggers) == 3
    for name, _ in triggers:
        agent.execute(f"DROP TRIGGER {name}")
    for statement in statements:
        agent.execute(statement)
    for _, sql in triggers:
        agent.execute(sql)
    agent.close()


@pytest.mark.parametrize("table", TABLES)
def test_rows_written_without_triggers_are_missed(store: Path, opened: Opener, layout: Written, table: str) -> None:
    record(store, layout)
    typed = "SELECT session_id, 'user', 'unseen ' || id, 0 FROM messages WHERE id = 1"
    without_triggers(store, table, f"INSERT INTO messages (session_id, role, content, timestamp) {typed}")
    found = detected(opened, store)
    other = next(name for name in TABLES if name != table)
    assert (index(found, table).usable, index(found, table).complete) == (True, False)
    assert (index(found, other).usable, index(found, other).complete) == (True, True)
    assert "history intact" in (index(found, table).note or "")


def test_a_missing_row_of_an_index_that_takes_every_row_is_noticed_at_once(
    store: Path, opened: Opener, layout: Written
) -> None:
    record(store, layout)
    grow(store, 2000)
    run(store, "DELETE FROM messages_fts_docsize WHERE id = 1101")
    assert not index(detected(opened, store), "messages_fts").complete


@pytest.mark.parametrize("table", TABLES)
def test_a_single_missing_row_anywhere_is_found_by_verifying(
    store: Path, opened: Opener, layout: Written, table: str
) -> None:
    record(store, layout)
    grow(store, 2000)
    gone = f"DELETE FROM {table}_docsize WHERE id = 1101"
    run(store, gone, f"INSERT INTO {table}_docsize (id, sz) VALUES (999999, x'00')")
    make_quiet(store)
    connection = opened(store)
    found = detect(connection)
    assert index(found, table).complete
    verified = verify_index(connection, found)
    assert not index(verified, table).complete
    assert index(verified, table).usable


def test_rows_that_were_deleted_without_triggers_do_no_harm(store: Path, opened: Opener, layout: Written) -> None:
    record(store, layout)
    without_triggers(store, "messages_fts", "DELETE FROM messages WHERE id IN (9, 13)")
    connection = opened(store)
    found = detect(connection)
    assert (index(found, "messages_fts").usable, index(found, "messages_fts").complete) == (True, True)
    assert verify_index(connection, found) == found


def test_rows_an_index_leaves_out_by_design_are_not_missing(store: Path, opened: Opener) -> None:
    with Recorder(store, layout=Written.VIEWS) as recorder:
        for source in ("cron", "subagent"):
            session = recorder.create_session(source)
            for _ in range(30):
                recorder.append(session, "user", "automated kettle")
        session = recorder.create_session("cli")
        for _ in range(30):
            recorder.append(session, "tool", "tool kettle")
        delegate = recorder.delegate(session)
        for _ in range(30):
            recorder.append(delegate, "user", "delegated kettle")
    connection = opened(store)
    found = detect(connection)
    assert connection.value("SELECT count(*) FROM messages_fts_trigram_docsize") == 0
    assert [(one.trust, one.complete) for one in (found.word, found.trigram) if one] == [(Trust.GOOD, True)] * 2
    assert verify_index(connection, found) == found
