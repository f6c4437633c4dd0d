"""The tables of a session store in three shapes, named as Hermes Agent names them.

Each shape has the columns of the newest release that creates it, and each holds all columns of the one before. What
differs most between them, the full-text indexes, is in `index`.
"""

from __future__ import annotations

import sqlite3
from enum import StrEnum

from hermes_tui.recorder.errors import RecorderError


class Layout(StrEnum):
    """Which generation of files a new store looks like."""

    INLINE = "inline"  # releases up to 0.19: indexes that keep their own copy of the text
    EXTERNAL = "external"  # 0.20 and 0.21: indexes that point into `messages`
    VIEWS = "views"  # the newest: indexes over views that leave long tool output and automation out


SCHEMA_VERSIONS = {Layout.INLINE: 22, Layout.EXTERNAL: 26, Layout.VIEWS: 31}

_SESSION_COLUMNS = {
    Layout.INLINE: """
        id TEXT PRIMARY KEY
        source TEXT NOT NULL
        user_id TEXT
        session_key TEXT
        chat_id TEXT
        chat_type TEXT
        thread_id TEXT
        display_name TEXT
        origin_json TEXT
        expiry_finalized INTEGER DEFAULT 0
        model TEXT
        model_config TEXT
        system_prompt TEXT
        parent_session_id TEXT REFERENCES sessions(id)
        started_at REAL NOT NULL
        ended_at REAL
        end_reason TEXT
        message_count INTEGER DEFAULT 0
        tool_call_count INTEGER DEFAULT 0
        input_tokens INTEGER DEFAULT 0
        output_tokens INTEGER DEFAULT 0
        cache_read_tokens INTEGER DEFAULT 0
        cache_write_tokens INTEGER DEFAULT 0
        reasoning_tokens INTEGER DEFAULT 0
        cwd TEXT
        git_branch TEXT
        git_repo_root TEXT
        billing_provider TEXT
        billing_base_url TEXT
        billing_mode TEXT
        estimated_cost_usd REAL
        actual_cost_usd REAL
        cost_status TEXT
        cost_source TEXT
        pricing_version TEXT
        title TEXT
        api_call_count INTEGER DEFAULT 0
        handoff_state TEXT
        handoff_platform TEXT
        handoff_error TEXT
        compression_failure_cooldown_until REAL
        compression_failure_error TEXT
        compression_fallback_streak INTEGER NOT NULL DEFAULT 0
        profile_name TEXT
        rewind_count INTEGER NOT NULL DEFAULT 0
        archived INTEGER NOT NULL DEFAULT 0
    """,
    Layout.EXTERNAL: """
        system_prompt_hash TEXT REFERENCES system_prompts(hash)
        git_metadata_generation INTEGER NOT NULL DEFAULT 0
        title_source TEXT
        last_activity_at REAL
        last_activity_description TEXT
        last_activity_provenance TEXT
        compression_ineffective_count INTEGER NOT NULL DEFAULT 0
        pinned INTEGER NOT NULL DEFAULT 0
        hidden INTEGER NOT NULL DEFAULT 0
        last_read_at REAL
    """,
    Layout.VIEWS: """
        created_source TEXT
        compression_recovery_deadline REAL
        compression_overload_streak INTEGER NOT NULL DEFAULT 0
        transport_profile TEXT
        auto_archived INTEGER NOT NULL DEFAULT 0
        tool_names TEXT
    """,
}

_MESSAGE_COLUMNS = {
    Layout.INLINE: """
        id INTEGER PRIMARY KEY AUTOINCREMENT
        session_id TEXT NOT NULL REFERENCES sessions(id)
        role TEXT NOT NULL
        content TEXT
        tool_call_id TEXT
        tool_calls TEXT
        tool_name TEXT
        effect_disposition TEXT
        timestamp REAL NOT NULL
        token_count INTEGER
        finish_reason TEXT
        reasoning TEXT
        reasoning_content TEXT
        reasoning_details TEXT
        codex_reasoning_items TEXT
        codex_message_items TEXT
        platform_message_id TEXT
        observed INTEGER DEFAULT 0
        active INTEGER NOT NULL DEFAULT 1
        compacted INTEGER NOT NULL DEFAULT 0
        api_content TEXT
    """,
    Layout.EXTERNAL: """
        _compressed_summary INTEGER NOT NULL DEFAULT 0
        display_kind TEXT
        display_metadata TEXT
    """,
    Layout.VIEWS: """
        display_identity BLOB
        display_order INTEGER
        message_uid TEXT
        absorbed_message_uids TEXT
        tool_call_uids TEXT
        tool_call_uid TEXT
    """,
}

_OTHER_TABLES = {
    Layout.INLINE: """
        CREATE TABLE schema_version (version INTEGER NOT NULL);
        CREATE TABLE state_meta (key TEXT PRIMARY KEY, value TEXT);
        CREATE TABLE session_model_usage (
            session_id TEXT NOT NULL REFERENCES sessions(id) ON DELETE CASCADE,
            model TEXT NOT NULL,
            billing_provider TEXT NOT NULL DEFAULT '',
            billing_base_url TEXT NOT NULL DEFAULT '',
            billing_mode TEXT NOT NULL DEFAULT '',
            task TEXT NOT NULL DEFAULT '',
            api_call_count INTEGER NOT NULL DEFAULT 0,
            input_tokens INTEGER NOT NULL DEFAULT 0,
            output_tokens INTEGER NOT NULL DEFAULT 0,
            cache_read_tokens INTEGER NOT NULL DEFAULT 0,
            cache_write_tokens INTEGER NOT NULL DEFAULT 0,
            reasoning_tokens INTEGER NOT NULL DEFAULT 0,
            estimated_cost_usd REAL NOT NULL DEFAULT 0,
            actual_cost_usd REAL NOT NULL DEFAULT 0,
            cost_status TEXT,
            cost_source TEXT,
            first_seen REAL,
            last_seen REAL,
            PRIMARY KEY (session_id, model, billing_provider, billing_base_url, billing_mode, task)
        );
    """,
    Layout.EXTERNAL: "CREATE TABLE system_prompts (hash TEXT PRIMARY KEY, prompt TEXT NOT NULL);",
    Layout.VIEWS: "",
}

_INDEXES = {
    Layout.INLINE: """
        CREATE INDEX idx_sessions_source ON sessions(source);
        CREATE INDEX idx_sessions_source_id ON sessions(source, id);
        CREATE INDEX idx_sessions_parent ON sessions(parent_session_id);
        CREATE INDEX idx_sessions_started ON sessions(started_at DESC);
        CREATE INDEX idx_sessions_session_key ON sessions(session_key, started_at DESC);
        CREATE INDEX idx_sessions_gateway_peer
            ON sessions(source, user_id, chat_id, chat_type, thread_id, started_at DESC);
        CREATE INDEX idx_sessions_handoff_state ON sessions(handoff_state, started_at);
        CREATE UNIQUE INDEX idx_sessions_title_unique ON sessions(title) WHERE title IS NOT NULL;
        CREATE INDEX idx_messages_session ON messages(session_id, timestamp);
        CREATE INDEX idx_messages_session_active ON messages(session_id, active, timestamp);
        CREATE INDEX idx_messages_active_null ON messages(active) WHERE active IS NULL;
        CREATE INDEX idx_messages_platform_msg_id
            ON messages(session_id, platform_message_id) WHERE platform_message_id IS NOT NULL;
        CREATE INDEX idx_session_model_usage_session ON session_model_usage(session_id);
        CREATE INDEX idx_session_model_usage_model ON session_model_usage(model);
    """,
    Layout.EXTERNAL: """
        CREATE INDEX idx_messages_session_id ON messages(session_id, id);
        CREATE INDEX idx_messages_assistant_calls_by_session
            ON messages(session_id) WHERE role = 'assistant' AND tool_calls IS NOT NULL;
        CREATE INDEX idx_sessions_system_prompt_hash ON sessions(system_prompt_hash);
    """,
    Layout.VIEWS: """
        CREATE INDEX idx_messages_display_page
            ON messages(session_id, display_order, active DESC, id DESC) WHERE active = 1 OR compacted = 1;
        CREATE INDEX idx_messages_display_backfill
            ON messages(session_id) WHERE (display_order IS NULL OR display_identity IS NULL)
            AND (active = 1 OR compacted = 1);
        CREATE INDEX idx_messages_display_identity
            ON messages(session_id, display_identity, display_order)
            WHERE display_identity IS NOT NULL AND (active = 1 OR compacted = 1);
        CREATE INDEX idx_messages_session_uid ON messages(session_id, message_uid) WHERE active = 1;
        CREATE INDEX idx_sessions_tool_names ON sessions(tool_names);
        CREATE INDEX idx_sessions_effective_activity
            ON sessions(COALESCE(last_activity_at, started_at) DESC, started_at DESC);
    """,
}

# Rows of one session that hold the same logical message share a display_order: the lowest one of a row that can be
# seen (live or summarised away). The triggers keep that true whoever writes.
_VISIBLE = "({row}.active = 1 OR {row}.compacted = 1)"
_FIRST_TWIN = """(
    SELECT MIN(twin.{what}) FROM messages AS twin
    WHERE twin.session_id = {row}.session_id AND twin.id <> {row}.id
      AND twin.display_identity = {row}.display_identity AND (twin.active = 1 OR twin.compacted = 1))"""
_TWINS_OF = """session_id = {row}.session_id AND id <> {row}.id
      AND display_identity = {row}.display_identity AND (active = 1 OR compacted = 1)"""

_DISPLAY_TRIGGERS = f"""
CREATE TRIGGER messages_message_uid_insert AFTER INSERT ON messages WHEN new.message_uid IS NULL BEGIN
    UPDATE messages SET message_uid = lower(hex(randomblob(16))) WHERE id = new.id;
END;
CREATE TRIGGER messages_display_order_insert AFTER INSERT ON messages WHEN new.display_order IS NULL BEGIN
    UPDATE messages SET display_order = COALESCE({_FIRST_TWIN.format(row="new", what="display_order")}, new.id)
    WHERE id = new.id;
END;
CREATE TRIGGER messages_display_visibility_update AFTER UPDATE OF active, compacted ON messages
WHEN {_VISIBLE.format(row="new")} <> {_VISIBLE.format(row="old")} BEGIN
    UPDATE messages
    SET display_order = MIN(new.id, COALESCE({_FIRST_TWIN.format(row="new", what="display_order")}, new.id))
    WHERE id = new.id AND {_VISIBLE.format(row="new")};
    UPDATE messages SET display_order = (SELECT display_order FROM messages WHERE id = new.id)
    WHERE {_TWINS_OF.format(row="new")} AND {_VISIBLE.format(row="new")};
    UPDATE messages SET display_order = {_FIRST_TWIN.format(row="old", what="id")}
    WHERE {_TWINS_OF.format(row="old")} AND NOT {_VISIBLE.format(row="new")};
END;
CREATE TRIGGER messages_display_identity_update
AFTER UPDATE OF role, content, timestamp, tool_call_id, tool_calls, tool_name, display_kind ON messages
WHEN new.role IS NOT old.role OR new.content IS NOT old.content OR new.timestamp IS NOT old.timestamp
  OR new.tool_call_id IS NOT old.tool_call_id OR new.tool_calls IS NOT old.tool_calls
  OR new.tool_name IS NOT old.tool_name OR new.display_kind IS NOT old.display_kind BEGIN
    UPDATE messages SET display_identity = NULL, display_order = NULL
    WHERE id = new.id OR ({_TWINS_OF.format(row="old")});
END;
CREATE TRIGGER messages_display_identity_delete AFTER DELETE ON messages WHEN {_VISIBLE.format(row="old")} BEGIN
    UPDATE messages SET display_order = {_FIRST_TWIN.format(row="old", what="id")}
    WHERE {_TWINS_OF.format(row="old")};
END;
"""


def create_tables(connection: sqlite3.Connection, layout: Layout) -> None:
    """Make every table, index and display trigger of a layout; full-text indexes are not among them.

    Runs inside the caller's transaction and expects a file without tables.
    """
    generations = list(Layout)[: list(Layout).index(layout) + 1]
    statements = [
        f"CREATE TABLE sessions ({_column_list(_SESSION_COLUMNS, generations)});",
        f"CREATE TABLE messages ({_column_list(_MESSAGE_COLUMNS, generations)});",
    ]
    statements += [_OTHER_TABLES[generation] for generation in generations]
    statements += [_INDEXES[generation] for generation in generations]
    if layout is Layout.VIEWS:
        statements.append(_DISPLAY_TRIGGERS)
    run_script(connection, "\n".join(statements))
    connection.execute("INSERT INTO schema_version (version) VALUES (?)", (SCHEMA_VERSIONS[layout],))
    if layout is Layout.VIEWS:
        # Every row of this store is written with its uid, so there is nothing for Hermes to fill in later.
        connection.execute("INSERT INTO state_meta (key, value) VALUES ('message_uid_backfill', '1')")


def detect_layout(connection: sqlite3.Connection) -> Layout | None:
    """Which layout an existing file has, or None for a file without any table; told from the file, never a version.

    Raises `RecorderError` for a database that is not a session store.
    """
    schema = dict(connection.execute("SELECT name, sql FROM sqlite_master WHERE type IN ('table', 'view')"))
    if not schema:
        return None
    if not {"sessions", "messages", "state_meta"} <= schema.keys():
        (file,) = connection.execute("SELECT file FROM pragma_database_list WHERE name = 'main'").fetchone()
        raise RecorderError(f"{file} is a database, but not a session store. Name another file.")
    word_index = schema.get("messages_fts")
    if word_index is not None and "tool_name" not in word_index:
        return Layout.INLINE
    if word_index is not None and "messages_fts_src" not in word_index:
        return Layout.EXTERNAL
    if word_index is not None:
        return Layout.VIEWS
    columns = table_columns(connection, "messages")
    if "message_uid" in columns:
        return Layout.VIEWS
    return Layout.EXTERNAL if "display_kind" in columns else Layout.INLINE


def table_columns(connection: sqlite3.Connection, table: str) -> frozenset[str]:
    """The names of the columns a table has in this file."""
    return frozenset(name for (name,) in connection.execute("SELECT name FROM pragma_table_info(?)", (table,)))


def run_script(connection: sqlite3.Connection, script: str) -> None:
    """Run several statements inside the open transaction (`executescript` would commit it)."""
    statement = ""
    for line in script.splitlines(keepends=True):
        statement += line
        if sqlite3.complete_statement(statement):
            connection.execute(statement)
            statement = ""


def _column_list(columns: dict[Layout, str], generations: list[Layout]) -> str:
    lines = [line.strip() for generation in generations for line in columns[generation].strip().splitlines()]
    return ",\n    ".join(lines)
