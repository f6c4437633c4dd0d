"""Runs inside a real release: writes sessions into a store, or tells what the release makes of one.

    python hermes_sessions.py STORE write   # what to write as JSON on standard input
    python hermes_sessions.py STORE read    # {"search": [queries], "say": text for each listed session or null}

Answers one line of JSON. Imports nothing of hermes_tui.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from hermes_state import SessionDB  # type: ignore[import-not-found]


def write(db: Any, sessions: list[dict[str, Any]]) -> dict[str, Any]:
    ids: dict[str, list[int]] = {}
    for session in sessions:
        db.create_session(session["id"], session["source"], **session.get("fields", {}))
        ids[session["id"]] = [db.append_message(session["id"], **message) for message in session["messages"]]
    return {"ids": ids}


def read(db: Any, wanted: dict[str, Any]) -> dict[str, Any]:
    listed = db.list_sessions_rich(limit=200)
    answer: dict[str, Any] = {
        "sessions": [
            {name: row.get(name) for name in ("id", "source", "title", "message_count", "preview", "_lineage_root_id")}
            for row in listed
        ],
        "live": {row["id"]: [[m["role"], m["content"]] for m in db.get_messages(row["id"])] for row in listed},
        "prompts": {row["id"]: (db.get_session(row["id"]) or {}).get("system_prompt") for row in listed},
        "found": {text: [hit["id"] for hit in db.search_messages(text, limit=50)] for text in wanted["search"]},
    }
    if wanted.get("say"):
        answer["said"] = {row["id"]: db.append_message(row["id"], "user", wanted["say"]) for row in listed}
        answer["found_again"] = [hit["id"] for hit in db.search_messages(wanted["say"], limit=50)]
    return answer


def main() -> None:
    store, command = Path(sys.argv[1]), sys.argv[2]
    given = json.load(sys.stdin)
    db = SessionDB(db_path=store)
    try:
        print(json.dumps(write(db, given) if command == "write" else read(db, given)))
    finally:
        db.close()


main()
