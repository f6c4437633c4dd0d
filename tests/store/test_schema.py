"""What a file offers is told from the file: layouts, columns, markers, and whether an index may be believed."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from hermes_tui.model import Capabilities, Index, Layout, Trust
from hermes_tui.recorder import Layout as Written
from hermes_tui.recorder import Recorder, StorageSettings
from hermes_tui.store import connection as connection_module
from hermes_tui.store.connection import Cancelled, Connection, StoreBusy, Ticket
from hermes_tui.store.schema import column, detect, outdated, verify_index
from tests.store.conftest import listing, make_quiet, open_writer, write

Opener = Callable[[Path], Connection]
Change = Callable[[Path], None]

TABLES = ("messages_fts", "messages_fts_trigram")
LAYOUTS = list(Written)
NEW = [Written.EXTERNAL, Written.VIEWS]


@pytest.fixture(params=LAYOUTS, ids=lambda layout: layout.value)
def layout(request: pytest.FixtureRequest) -> Written:
    found: Written = request.param
    return found


def record(
    path: Path, layout: Written = Written.VIEWS, *, rows: int = 40, settings: StorageSettings | None = None
) -> None:
    """A store with typed, tool, cron and odd messages, as the recorder keeps it."""
    with Recorder(path, layout=layout, settings=settings) as recorder:
        session = recorder.create_session("cli")
        cron = recorder.create_session("cron")
        delegate = recorder.delegate(session)
        for n in range(rows // 4):
            recorder.append(session, "user", f"please weigh kettle{n} and report")
            recorder.append(session, "tool", f'{{"output": "kettle{n} weighs {n}"}}', tool_name="scales")
            recorder.append(cron, "assistant", f"nightly kettle{n} done")
            recorder.append(delegate, "assistant", f"delegated kettle{n} done")


def run(path: Path, *statements: str) -> None:
    """What another program does to the file."""
    agent = open_writer(path)
    for statement in statements:
        agent.execute(statement)
    agent.close()


def grow(path: Path, rows: int) -> None:
    """Many more messages typed by a person, in one transaction."""
    numbers = f"WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < {rows})"
    run(
        path,
        f"{numbers} INSERT INTO messages (session_id, role, content, timestamp) "
        "SELECT m.session_id, 'user', 'kettle number unique' || x, 0 FROM n, messages m WHERE m.id = 1",
    )


def detected(opened: Opener, path: Path) -> Capabilities:
    return detect(opened(path))


def index(capabilities: Capabilities, table: str) -> Index:
    found = capabilities.word if table == "messages_fts" else capabilities.trigram
    assert found is not None
    assert found.table == table
    return found


# Layouts


def test_each_layout_is_told_from_its_sql(store: Path, opened: Opener, layout: Written) -> None:
    record(store, layout)
    before = listing(store.parent)
    found = detected(opened, store)
    word, trigram = index(found, "messages_fts"), index(found, "messages_fts_trigram")
    assert (word.trust, trigram.trust) == (Trust.GOOD, Trust.GOOD)
    assert (word.note, trigram.note, found.gap, found.markers) == (None, None, None, ())
    match layout:
        case Written.INLINE:
            assert found.layout is Layout.INLINE
            assert (word.tool_chars, word.calls, word.automation) == (None, True, True)
            assert (trigram.tool_chars, trigram.calls, trigram.automation) == (None, True, True)
        case Written.EXTERNAL:
            assert found.layout is Layout.EXTERNAL
            assert (word.tool_chars, word.calls, word.automation) == (None, True, True)
            assert (trigram.tool_chars, trigram.calls, trigram.automation) == (0, True, True)
        case Written.VIEWS:
            assert found.layout is Layout.VIEWS
            assert (word.tool_chars, word.calls, word.automation) == (8192, True, True)
            assert (trigram.tool_chars, trigram.calls, trigram.automation) == (0, False, False)
    assert listing(store.parent) == before


def test_verifying_a_sound_file_changes_nothing(store: Path, opened: Opener, layout: Written) -> None:
    record(store, layout)
    connection = opened(store)
    found = detect(connection)
    assert verify_index(connection, found) == found


def test_a_store_without_messages_has_sound_indexes(store: Path, opened: Opener, layout: Written) -> None:
    record(store, layout, rows=0)
    connection = opened(store)
    found = detect(connection)
    assert (index(found, "messages_fts").usable, index(found, "messages_fts_trigram").usable) == (True, True)
    assert verify_index(connection, found) == found


def test_odd_rows_do_not_make_a_sound_index_look_damaged(store: Path, opened: Opener, layout: Written) -> None:
    odd = [
        None,
        "",
        "…",
        "a b",
        "\0json:" + '[{"type": "text", "text": "kettle"}]',
        "before\0behind",
        b"\xff\xfe bytes",
        "北京市的天气很好",
        "今天 部署 服务器 。",
        "ПРИВЕТ мир",
        "crème brûlée cafe\u0301 e\u0301",
        "İstanbul ſtraße ﬁnger ǅungla",
        "emoji🚀glued rocket🚀",
        "under_score kebab-case dotted.name x=1",
        "\x1b[31mERROR\x1b[0m",
        "日本語テキスト ひらがな カタカナ",
        "w" * 5000,
    ]
    with Recorder(store, layout=layout) as recorder:
        session = recorder.create_session("cli")
        for _ in range(4):
            for content in odd:
                recorder.append(session, "user", content)
                recorder.append(session, "tool", content)
    connection = opened(store)
    found = detect(connection)
    assert [(one.trust, one.complete) for one in (found.word, found.trigram) if one] == [(Trust.GOOD, True)] * 2
    assert verify_index(connection, found) == found


def test_a_file_without_indexes(store: Path, opened: Opener) -> None:
    record(store, settings=StorageSettings(fts_enabled=False))
    found = detected(opened, store)
    assert (found.layout, found.word, found.trigram) == (Layout.NONE, None, None)


def test_tables_of_the_oldest_shape_are_enough(store: Path, opened: Opener) -> None:
    write(store, "one")
    connection = opened(store)
    found = detect(connection)
    assert (found.layout, found.word, found.trigram, found.gap, found.markers) == (Layout.NONE, None, None, None, ())
    assert found.session_columns == {"id", "source", "started_at"}
    assert found.message_columns == {"id", "session_id", "role", "content", "timestamp"}
    assert found.tables >= {"sessions", "messages"}
    assert found.sqlite == sqlite3.sqlite_version
    assert verify_index(connection, found) == found


@pytest.mark.parametrize("missing", TABLES)
def test_one_index_may_be_missing(store: Path, opened: Opener, layout: Written, missing: str) -> None:
    record(store, layout)
    drops = [f"DROP TRIGGER {missing}_{event}" for event in ("insert", "update", "delete")]
    run(store, *drops, f"DROP TABLE {missing}")
    found = detected(opened, store)
    assert (found.word is None, found.trigram is None) == (missing == "messages_fts", missing != "messages_fts")
    assert found.layout.value == layout.value


# Markers


@pytest.mark.parametrize(
    ("markers", "gap"),
    [
        ({"fts_rebuild_high_water": "30", "fts_rebuild_progress": "12"}, (12, 30)),
        ({"fts_rebuild_high_water": "30"}, (0, 30)),
        ({"fts_rebuild_high_water": "30", "fts_rebuild_progress": "30"}, None),
        ({"fts_rebuild_high_water": "30", "fts_rebuild_progress": "nonsense"}, (0, 30)),
        ({"fts_rebuild_high_water": "0"}, None),
        ({"fts_rebuild_progress": "12"}, None),
        ({"fts_optimize_available": "1", "store_created_at_utc": "2026"}, None),
    ],
)
def test_the_gap_of_an_unfinished_rebuild(
    store: Path, opened: Opener, markers: dict[str, str], gap: tuple[int, int] | None
) -> None:
    record(store)
    agent = open_writer(store)
    agent.executemany("INSERT INTO state_meta (key, value) VALUES (?, ?)", markers.items())
    agent.close()
    found = detected(opened, store)
    assert found.gap == gap
    assert found.markers == tuple(sorted(f"{key}={value}" for key, value in markers.items() if key.startswith("fts")))


@pytest.mark.parametrize("layout", NEW)
def test_rows_a_rebuild_has_not_reached_are_no_damage(store: Path, opened: Opener, layout: Written) -> None:
    record(store, layout)
    agent = open_writer(store)
    agent.execute("INSERT INTO state_meta VALUES ('fts_rebuild_high_water', '40')")
    agent.execute("INSERT INTO state_meta VALUES ('fts_rebuild_progress', '10')")
    for table in TABLES:
        agent.execute(f"INSERT INTO {table} ({table}) VALUES ('delete-all')")
        source = f"{table}_src" if layout is Written.VIEWS or table == TABLES[1] else "messages"
        columns = [row[1] for row in agent.execute(f"PRAGMA table_xinfo({table})") if not row[6]]
        listed = ", ".join(columns)
        agent.execute(f"INSERT INTO {table} (rowid, {listed}) SELECT id, {listed} FROM {source} WHERE id <= 10")
    agent.close()
    connection = opened(store)
    found = detect(connection)
    assert found.gap == (10, 40)
    assert (index(found, TABLES[0]).usable, index(found, TABLES[1]).usable) == (True, True)
    assert (index(found, TABLES[0]).complete, index(found, TABLES[1]).complete) == (True, True)
    assert verify_index(connection, found) == found


@pytest.mark.parametrize("value", ["1", "0", ""])
def test_a_stale_marker_of_any_value_means_stale(store: Path, opened: Opener, layout: Written, value: str) -> None:
    record(store, layout)
    run(store, f"INSERT INTO state_meta VALUES ('fts_stale', '{value}')")
    found = detected(opened, store)
    assert {index(found, table).trust for table in TABLES} == {Trust.STALE}
    assert not any(index(found, table).usable for table in TABLES)
    assert "history intact" in (index(found, TABLES[0]).note or "")


def test_a_stale_marker_of_the_foreign_index_means_nothing(store: Path, opened: Opener) -> None:
    record(store)
    run(store, "INSERT INTO state_meta VALUES ('fts_cjk_stale', '1')")
    found = detected(opened, store)
    assert {index(found, table).trust for table in TABLES} == {Trust.GOOD}


def test_changed_markers_are_noticed(store: Path, opened: Opener) -> None:
    record(store)
    connection = opened(store)
    found = detect(connection)
    assert not outdated(connection, found)
    run(store, "INSERT INTO state_meta VALUES ('fts_rebuild_high_water', '30')")
    assert outdated(connection, found)
    assert not outdated(connection, detect(connection))


def test_a_file_without_markers_is_never_outdated(store: Path, opened: Opener) -> None:
    write(store, "one")
    connection = opened(store)
    assert not outdated(connection, detect(connection))


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


# Asking


def test_a_locked_store_is_busy_not_damaged(store: Path, opened: Opener, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection_module, "PATIENCE_SECONDS", 0.05)
    record(store, settings=StorageSettings(journal_mode="delete"))
    connection = opened(store)
    agent = open_writer(store)
    agent.execute("BEGIN EXCLUSIVE")
    with pytest.raises(StoreBusy):
        detect(connection)
    agent.execute("COMMIT")
    agent.close()
    assert index(detect(connection), "messages_fts").usable


def test_a_lock_in_the_middle_is_busy_or_waited_for_but_never_damage(
    store: Path, opened: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connection_module, "PATIENCE_SECONDS", 0.001)
    record(store, settings=StorageSettings(journal_mode="delete"))
    connection = opened(store)
    sound = detect(connection)
    busy = 0
    for statements in range(0, 120, 4):
        agent = open_writer(store)
        ticket = Locking(agent, after=statements)
        try:
            found = detect(connection, ticket=ticket) if statements < 30 else sound
            assert verify_index(connection, found, ticket=ticket) == sound
        except StoreBusy:
            busy += 1
        agent.close()
    assert busy > 20


class Locking(Ticket):
    """A ticket under which an agent takes the store for itself before a certain statement."""

    def __init__(self, agent: sqlite3.Connection, *, after: int) -> None:
        super().__init__()
        self._agent = agent
        self._left = after

    @contextmanager
    def running(self, stop: Callable[[], None]) -> Iterator[None]:
        if self._left == 0:
            self._agent.execute("BEGIN EXCLUSIVE")
        self._left -= 1
        with super().running(stop):
            yield


def test_detecting_and_verifying_can_be_cancelled(store: Path, opened: Opener) -> None:
    record(store)
    connection = opened(store)
    found = detect(connection)
    ticket = Ticket()
    ticket.cancel()
    with pytest.raises(Cancelled):
        detect(connection, ticket=ticket)
    with pytest.raises(Cancelled):
        verify_index(connection, found, ticket=ticket)


def test_an_agent_may_write_while_we_detect(store: Path, opened: Opener) -> None:
    record(store, settings=StorageSettings(journal_mode="delete"))
    agent = open_writer(store)

    class Interfering(Ticket):
        def check(self) -> None:
            agent.execute("UPDATE messages SET content = content || ' again' WHERE id % 5 = 1")
            super().check()

    connection = opened(store)
    found = detect(connection, ticket=Interfering())
    agent.close()
    assert found.word is not None
    assert detect(connection).word == replace(found.word, trust=Trust.GOOD, complete=True, note=None)


# Columns


def test_a_column_is_named_or_replaced(store: Path, opened: Opener) -> None:
    write(store, "one")
    found = detected(opened, store)
    assert column(found, "messages", "content") == "m.content"
    assert column(found, "messages", "active") == "NULL"
    assert column(found, "messages", "active", "1") == "1"
    assert column(found, "sessions", "source", alias="s") == "s.source"
    assert column(found, "sessions", "archived", "0", alias="s") == "0"
    assert column(found, "sessions", "source", alias="") == "source"
    with pytest.raises(ValueError, match="state_meta"):
        column(found, "state_meta", "key")
