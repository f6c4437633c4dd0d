"""What ties sessions and generations of messages together: compaction, splits, branches, resets, delegates, rewinds.

Every function runs inside the caller's transaction, so a reader sees all of a change or nothing of it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from hermes_tui.recorder.errors import RecorderError
from hermes_tui.recorder.fields import summary_text
from hermes_tui.recorder.rows import Rows, marked_config, unmarked_config

_CARRIED_BY_A_CONTINUATION = (
    "model", "system_prompt", "system_prompt_hash", "tool_names", "cwd", "git_branch", "git_repo_root", "profile_name",
    "user_id", "session_key", "chat_id", "chat_type", "thread_id", "display_name", "origin_json", "pinned", "archived",
    "billing_provider", "billing_base_url", "billing_mode",
)  # fmt: skip
_CARRIED_BY_A_RESET = (
    "model", "system_prompt", "system_prompt_hash", "tool_names", "user_id", "session_key", "chat_id", "chat_type",
    "thread_id", "display_name", "origin_json",
)  # fmt: skip


def compact(rows: Rows, session_id: str, summary: str, keep_last: int) -> int:
    """Summarise away all live rows but the last few; return the id of the summary row.

    The kept rows are stored again behind the summary. Their originals are marked taken back where rows have uids (as
    the newest release does, so that a search finds each message once) and summarised away otherwise.
    """
    rows.require_column("messages", "compacted", "keep what a compaction archives")
    rows.count(session_id, messages=0, tool_calls=0)
    old, tail = _summarised_and_kept(rows, session_id, keep_last)
    rows.set_state(old, active=0, compacted=1)
    rows.set_state(tail, active=0, compacted=0 if "message_uid" in rows.columns.messages else 1)
    summary_id = _add_summary(rows, session_id, summary)
    rows.copy_messages(tail, session_id)
    rows.recount(session_id)
    return summary_id


def split(rows: Rows, parent_id: str, child_id: str, summary: str, keep_last: int) -> None:
    """End a session as compressed and continue it in a new one that begins with the summary and the kept rows."""
    rows.count(parent_id, messages=0, tool_calls=0)
    _, tail = _summarised_and_kept(rows, parent_id, keep_last)
    parent = rows.session(parent_id)
    values = _carried(parent, _CARRIED_BY_A_CONTINUATION) | unmarked_config(parent["model_config"])
    end(rows, parent_id, "compression", again=True)
    rows.add_child(parent_id, child_id, parent["source"], values | _next_title_values(rows, parent))
    _add_summary(rows, child_id, summary)
    rows.copy_messages(tail, child_id)
    rows.recount(child_id)


def branch(rows: Rows, parent_id: str, child_id: str, title: str | None) -> None:
    """Start a session that owns a copy of the parent's live transcript; an open parent ends as branched."""
    parent = rows.session(parent_id)
    values = _carried(parent, _CARRIED_BY_A_CONTINUATION) | marked_config(
        parent["model_config"], "_branched_from", parent_id
    )
    titles = {"title": title, "title_source": "user"} if title else _next_title_values(rows, parent)
    end(rows, parent_id, "branched")
    rows.add_child(parent_id, child_id, parent["source"], values | titles | {"pinned": 0, "archived": 0})
    rows.copy_messages(rows.live_ids(parent_id), child_id)
    rows.recount(child_id)


def reset(rows: Rows, parent_id: str, child_id: str, reason: str) -> None:
    """End a session for good and start an empty one in the same chat."""
    parent = rows.session(parent_id)
    values = _carried(parent, _CARRIED_BY_A_RESET) | marked_config(parent["model_config"], "_reset_from", parent_id)
    end(rows, parent_id, reason)
    rows.add_child(parent_id, child_id, parent["source"], values)


def delegate(rows: Rows, parent_id: str, child_id: str, values: Mapping[str, Any]) -> None:
    """Start the session of a sub-agent that works for the parent; it never takes over the parent's chat."""
    config = marked_config(values.get("model_config"), "_delegate_from", parent_id)
    rows.add_child(parent_id, child_id, "subagent", {**values, **config})


def rewind(rows: Rows, session_id: str, message_id: int) -> int:
    """Take back a live user message and every live row after it; return how many rows that were."""
    rows.require_column("messages", "active", "take messages back")
    live = rows.live_ids(session_id)
    if message_id not in live:
        raise RecorderError(f"The message {message_id} is not a live message of session {session_id!r}.")
    if rows.message(message_id)["role"] != "user":
        raise RecorderError(f"A rewind goes to a message of the user; {message_id} is not one.")
    taken_back = live[live.index(message_id) :]
    rows.set_state(taken_back, active=0, compacted=0)
    rows.set_session(session_id, {"rewind_count": (rows.session(session_id)["rewind_count"] or 0) + 1})
    rows.recount(session_id)
    return len(taken_back)


def end(rows: Rows, session_id: str, reason: str, *, again: bool = False) -> bool:
    """Mark a session as ended now; the first reason stays unless `again`. Returns whether anything changed."""
    if rows.session(session_id)["ended_at"] is not None and not again:
        return False
    rows.set_session(session_id, {"ended_at": rows.now, "end_reason": reason})
    return True


def next_title(rows: Rows, title: str) -> str:
    """The next free title of a series: `Taxes`, `Taxes #2`, `Taxes #3`."""
    base = re.sub(r" #\d+$", "", title)
    taken = rows.connection.execute(
        "SELECT title FROM sessions WHERE title = ? OR substr(title, 1, ?) = ?", (base, len(base) + 2, f"{base} #")
    ).fetchall()
    if not taken:
        return base
    numbers = [int(tail) for (name,) in taken if (tail := name[len(base) + 2 :]).isdecimal()]
    return f"{base} #{max([1, *numbers]) + 1}"


def require_free_title(rows: Rows, title: str, session_id: str) -> None:
    """Raise `RecorderError` when another session has this title."""
    taken = rows.connection.execute(
        "SELECT id FROM sessions WHERE title = ? AND id <> ?", (title, session_id)
    ).fetchone()
    if taken:
        raise RecorderError(f"The title {title!r} belongs to session {taken[0]!r}; next_title() finds a free one.")


def delete(rows: Rows, session_id: str) -> None:
    """Delete a session, its messages and its sub-agents; other children lose their parent."""
    rows.session(session_id)
    execute = rows.connection.execute
    sub_agents = execute(
        "SELECT id FROM sessions WHERE parent_session_id = ?"
        " AND json_extract(iif(json_valid(model_config), model_config, '{}'), '$._delegate_from') = parent_session_id",
        (session_id,),
    ).fetchall()
    for (child,) in sub_agents:
        delete(rows, child)
    execute("UPDATE sessions SET parent_session_id = NULL WHERE parent_session_id = ?", (session_id,))
    # The messages go first: the trigram index asks the session row whether it holds them.
    execute("DELETE FROM messages WHERE session_id = ?", (session_id,))
    execute("DELETE FROM sessions WHERE id = ?", (session_id,))
    rows.drop_unused_prompts()


def _next_title_values(rows: Rows, parent: Mapping[str, Any]) -> dict[str, Any]:
    if parent["title"] is None:
        return {}
    return {"title": next_title(rows, parent["title"]), "title_source": parent.get("title_source")}


def _summarised_and_kept(rows: Rows, session_id: str, keep_last: int) -> tuple[list[int], list[int]]:
    """The live rows before and from the kept tail; the tail is widened so that it never begins with a tool result."""
    if keep_last < 0:
        raise RecorderError("keep_last counts messages; it cannot be negative.")
    live = rows.live_ids(session_id)
    start = max(len(live) - keep_last, 0)
    while 0 < start < len(live) and rows.message(live[start])["role"] == "tool":
        start -= 1
    if start == 0:
        raise RecorderError(
            f"There is nothing to summarise in session {session_id!r}: it has {len(live)} live messages"
            f" and {keep_last} are to be kept."
        )
    return live[:start], live[start:]


def _add_summary(rows: Rows, session_id: str, summary: str) -> int:
    return rows.add_message(
        session_id,
        {"role": "user", "content": summary_text(summary), "_compressed_summary": 1, "display_kind": "hidden"},
    )


def _carried(parent: Mapping[str, Any], names: tuple[str, ...]) -> dict[str, Any]:
    return {name: parent[name] for name in names if name in parent}
