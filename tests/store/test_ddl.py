"""What SQL text says of indexes, in the many ways it can be written."""

from __future__ import annotations

import pytest

from hermes_tui.store.ddl import Declared, declared, objects, plain

WORD = "CREATE VIRTUAL TABLE messages_fts USING fts5(content, tool_name, tool_calls, content='messages')"


def of(*sqls: str, table: str = "messages_fts") -> Declared | None:
    """The index of a file with these statements; triggers are taken to be on `messages`."""
    rows = []
    for n, sql in enumerate(sqls):
        kind = next(word for word in ("trigger", "view", "table") if word in sql.lower().split("begin")[0])
        name = {"table": "messages_fts", "view": "messages_fts_src"}.get(kind, f"t{n}")
        rows.append((kind, name, "messages", sql))
    return declared(objects(rows), table)


def seen(*sqls: str) -> Declared:
    found = of(*sqls)
    assert found is not None
    return found


FILL = "BEGIN INSERT INTO messages_fts(rowid) VALUES (new.id); END"


@pytest.mark.parametrize(
    "trigger",
    [
        f"CREATE TRIGGER x AFTER INSERT ON messages {FILL}",
        "create trigger x\nafter insert\non messages\nbegin\ninsert\ninto\nmessages_fts(rowid) values (new.id);\nend",
        'CREATE TRIGGER "a ""on"" b" AFTER INSERT ON "messages" BEGIN INSERT INTO "messages_fts" VALUES (1); END',
        "CREATE TRIGGER main.[x y] INSERT ON messages BEGIN INSERT OR REPLACE INTO main.messages_fts VALUES (1); END",
        "CREATE TRIGGER IF NOT EXISTS x INSERT ON messages WHEN 1 BEGIN REPLACE INTO `messages_fts` VALUES (1); END",
        f"CREATE TRIGGER x AFTER INSERT ON messages -- BEGIN of a comment\n{FILL}",
    ],
)
def test_an_insert_trigger_is_seen_however_it_is_written(trigger: str) -> None:
    assert seen(WORD, trigger).events == {"insert"}


@pytest.mark.parametrize(
    ("trigger", "event"),
    [
        ("AFTER DELETE ON messages BEGIN DELETE FROM messages_fts WHERE rowid = old.id; END", "delete"),
        ("AFTER DELETE ON messages BEGIN INSERT INTO messages_fts(messages_fts) VALUES ('delete'); END", "delete"),
        ("AFTER UPDATE ON messages BEGIN UPDATE messages_fts SET content = new.content; END", "update"),
        ("AFTER UPDATE OF role, content ON messages BEGIN DELETE FROM messages_fts; END", "update"),
    ],
)
def test_delete_and_update_triggers(trigger: str, event: str) -> None:
    assert seen(WORD, f"CREATE TRIGGER x {trigger}").events == {event}


@pytest.mark.parametrize(
    "trigger",
    [
        "AFTER INSERT ON messages BEGIN SELECT 1; END",
        "AFTER INSERT ON messages BEGIN INSERT INTO messages_fts_trigram VALUES (1); END",
        "AFTER INSERT ON messages BEGIN INSERT INTO my_messages_fts VALUES (1); END",
        "AFTER INSERT ON messages BEGIN SELECT 1; -- INSERT INTO messages_fts\nEND",
        "AFTER UPDATE OF active, compacted ON messages BEGIN DELETE FROM messages_fts; END",
    ],
)
def test_triggers_that_do_not_keep_the_index(trigger: str) -> None:
    assert seen(WORD, f"CREATE TRIGGER x {trigger}").events == frozenset()


def test_columns_and_options() -> None:
    found = seen(
        'CREATE VIRTUAL TABLE messages_fts USING FTS5(\n  content, -- what was said, all of it\n  "tool_name",\n'
        "  secret UNINDEXED, tokenize = 'unicode61 tokenchars ''-_''',\n  content='messages_fts_src', prefix='2 3')"
    )
    assert found.module == "fts5"
    assert found.columns == ("content", "tool_name")
    assert found.options == {
        "tokenize": "unicode61 tokenchars '-_'",
        "content": "messages_fts_src",
        "prefix": "2 3",
    }
    assert (found.over_view, found.calls) == (False, False)


@pytest.mark.parametrize(
    ("view", "tool_chars"),
    [
        ("SELECT id, content FROM messages", None),
        ("SELECT id, content FROM messages WHERE role <> 'tool'", 0),
        ("SELECT id, content FROM messages WHERE role != 'tool'", 0),
        ("SELECT m.id, m.content FROM messages m WHERE m.role IS NOT 'tool'", 0),
        ("SELECT id, content FROM messages WHERE role NOT IN ('system', 'tool')", 0),
        ("SELECT id, CASE WHEN role = 'tool' THEN substr(content, 1, 8192) ELSE content END FROM messages", 8192),
        ("SELECT id, iif(role='tool', SUBSTR( coalesce(content,'') ,1 , 100 ), content) FROM messages", 100),
        ("SELECT id, content /* role <> 'tool' is not so */ FROM messages -- substr(content, 1, 5)", None),
    ],
)
def test_how_much_of_a_tool_row_a_view_lets_through(view: str, tool_chars: int | None) -> None:
    table = WORD.replace("'messages'", "'messages_fts_src'")
    found = seen(table, f"CREATE VIEW messages_fts_src AS {view}")
    assert (found.over_view, found.tool_chars) == (True, tool_chars)


@pytest.mark.parametrize(
    "rule",
    [
        "s.source NOT IN ('cron', 'subagent')",
        "s.source <> 'cron'",
        "json_extract(s.model_config, '$._delegate_from') IS NULL",
    ],
)
def test_automation_that_a_trigger_leaves_out(rule: str) -> None:
    whole = "CREATE TRIGGER x AFTER INSERT ON messages BEGIN INSERT INTO messages_fts(rowid) SELECT new.id; END"
    part = whole.replace("SELECT new.id", f"SELECT new.id FROM sessions s WHERE {rule}")
    assert seen(WORD, whole).automation
    assert not seen(WORD, part).automation


def test_what_a_trigger_does_for_another_index_is_not_held_against_this_one() -> None:
    both = (
        "CREATE TRIGGER x AFTER INSERT ON messages BEGIN INSERT INTO messages_fts VALUES (new.id); "
        "INSERT INTO messages_fts_trigram SELECT new.id WHERE new.role <> 'tool'; END"
    )
    assert seen(WORD, both).tool_chars is None


def test_an_inline_index_holds_calls_when_its_trigger_adds_them() -> None:
    inline = "CREATE VIRTUAL TABLE messages_fts USING fts5(content)"
    trigger = "CREATE TRIGGER x AFTER INSERT ON messages BEGIN INSERT INTO messages_fts VALUES ({}); END"
    assert seen(inline, trigger.format("new.content || new.tool_calls")).calls
    assert not seen(inline, trigger.format("new.content")).calls


@pytest.mark.parametrize("table", ["CREATE TABLE messages_fts (content)", "CREATE VIEW messages_fts AS SELECT 1"])
def test_a_plain_table_of_that_name_is_no_index(table: str) -> None:
    assert of(table) is None


def test_comments_go_and_quoted_text_stays() -> None:
    kept = """SELECT '--x', '/*y*/', 'it''s', "a--b\"\""  """
    assert plain(f"{kept}-- gone\n/* gone\n too */, z") == f"{kept} \n , z"


def test_objects_without_sql_are_harmless() -> None:
    found = objects([("table", "messages_fts", "messages_fts", None), (None, None, None, None)])
    assert declared(found, "messages_fts") is None
