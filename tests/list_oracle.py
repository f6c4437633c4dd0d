"""The default list by plain SQL: what the promises say is a row, what is left out and why, and what each row shows.

Shares nothing with the product. It knows the marks and reasons of STATE_DB section 4.3, and no damaged cells.
"""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

AUTOMATION = "('cron', 'tool', 'kanban', 'webhook', 'batch', 'curator')"
RESETS = "('session_reset', 'session_switch', 'idle', 'daily', 'suspended', 'resume_pending_expired', 'new_session')"
OPTIONAL = (
    "archived", "hidden", "pinned", "last_activity_at", "cwd", "git_branch", "git_repo_root", "session_key",
    "last_read_at",
)  # fmt: skip

# One row a session; how it hangs on its parent; who goes on with whom; each conversation from its first to its last.
LIST = f"""
WITH RECURSIVE
  s AS (
    SELECT *, max(started_at, COALESCE(last_activity_at, 0),
      COALESCE((SELECT max(timestamp) FROM messages m WHERE m.session_id = named.id), 0)) AS active FROM named),
  edges AS (
    SELECT c.id, p.id AS parent, CASE
      WHEN c.branched IS NOT NULL AND (c.branched = p.id OR p.branched IS NOT c.branched) THEN 'branch'
      WHEN c.reset IS NOT NULL AND (c.reset = p.id OR p.reset IS NOT c.reset) THEN 'reset'
      WHEN c.delegated IS NOT NULL AND (c.delegated = p.id OR p.delegated IS NOT c.delegated) THEN 'delegate'
      WHEN c.source = 'subagent' AND p.source <> 'subagent' THEN 'delegate'
      WHEN p.end_reason = 'compression' AND c.source <> 'tool' THEN 'continuation'
      WHEN c.source = 'subagent' THEN 'delegate'
      WHEN p.end_reason = 'branched' AND c.started_at >= p.ended_at THEN 'branch'
      WHEN p.end_reason IN {RESETS} AND (CASE WHEN COALESCE(c.session_key, p.session_key, '') <> ''
        THEN c.session_key IS p.session_key ELSE c.started_at >= p.ended_at END) THEN 'reset'
      ELSE 'delegate' END AS kind
    FROM s AS c JOIN s AS p ON c.parent_session_id = p.id AND c.id <> p.id),
  follow AS (
    SELECT id, parent FROM (
      SELECT e.id, e.parent, row_number() OVER (PARTITION BY e.parent ORDER BY
        NOT EXISTS (SELECT 1 FROM edges x WHERE x.parent = e.id AND x.kind = 'continuation'),
        c.ended_at IS NOT NULL, c.active DESC, c.started_at DESC, e.id DESC) AS place
      FROM edges e JOIN s c ON c.id = e.id WHERE e.kind = 'continuation') WHERE place = 1),
  chain AS (
    SELECT id AS root, id, 1 AS place FROM s WHERE id NOT IN (SELECT id FROM follow)
    UNION ALL
    SELECT chain.root, follow.id, chain.place + 1 FROM chain JOIN follow ON follow.parent = chain.id),
  tips AS (SELECT root, id AS tip, max(place) AS many FROM chain GROUP BY root),
  told AS (
    SELECT root, tip, many, CASE
      WHEN t.archived THEN 'archived' WHEN t.hidden THEN 'hidden'
      WHEN r.source = 'subagent' THEN 'subagent'
      WHEN r.delegated IS NOT NULL AND (r.branched IS NULL AND r.reset IS NULL
        OR EXISTS (SELECT 1 FROM edges WHERE edges.id = root AND kind = 'delegate')) THEN 'subagent'
      WHEN r.source IN {AUTOMATION} THEN r.source END AS reason
    FROM tips JOIN s AS t ON t.id = tip JOIN s AS r ON r.id = root)
SELECT json_group_array(json_object(
  'id', tip, 'reason', reason,
  'segments', json((SELECT json_group_array(id) FROM (
    SELECT id FROM chain WHERE chain.root = told.root ORDER BY place))),
  'source', (SELECT source FROM s WHERE id = root), 'started', (SELECT started_at FROM s WHERE id = root),
  'active', (SELECT max(active) FROM s WHERE id IN (SELECT id FROM chain WHERE chain.root = told.root)),
  'input', (SELECT sum(input_tokens) FROM s WHERE id IN (SELECT id FROM chain WHERE chain.root = told.root)),
  'output', (SELECT sum(output_tokens) FROM s WHERE id IN (SELECT id FROM chain WHERE chain.root = told.root)),
  'rows', (SELECT count(*) FROM messages WHERE session_id IN (SELECT id FROM chain WHERE chain.root = told.root)),
  'title', {{title}}, 'model', {{model}}, 'cwd', {{cwd}}, 'branch', {{git_branch}}, 'project', {{git_repo_root}}))
FROM told
"""
NEWEST = """(SELECT {name} FROM s JOIN chain ON chain.id = s.id WHERE chain.root = told.root AND {name} <> ''
  ORDER BY place DESC LIMIT 1)"""


@dataclass(frozen=True)
class Expected:
    """The rows in their order, and how many sessions are left out for which reason."""

    rows: list[dict[str, Any]]
    hidden: dict[str, int]


def default_list(path: Path) -> Expected:
    """What the default list of a store holds."""
    with closing(sqlite3.connect(path)) as connection:
        held = {row[1] for row in connection.execute("PRAGMA table_info(sessions)")}
        missing = ", ".join(f"NULL AS {name}" for name in OPTIONAL if name not in held)
        marks = ", ".join(
            f"json_extract(CASE WHEN json_valid(model_config) THEN model_config END, '$.{mark}') AS {name}"
            for mark, name in (
                ("_branched_from", "branched"),
                ("_reset_from", "reset"),
                ("_delegate_from", "delegated"),
            )
        )
        connection.execute(
            f"CREATE TEMP VIEW named AS SELECT *, {marks}{', ' + missing if missing else ''} FROM sessions"
        )
        newest = {name: NEWEST.format(name=name) for name in ("title", "model", "cwd", "git_branch", "git_repo_root")}
        found = json.loads(connection.execute(LIST.format(**newest)).fetchone()[0])
    hidden: dict[str, int] = {}
    for row in found:
        if row["reason"]:
            hidden[row["reason"]] = hidden.get(row["reason"], 0) + len(row["segments"])
    rows = [row for row in found if not row["reason"]]
    return Expected(sorted(rows, key=lambda row: (-row["active"], row["id"])), hidden)
