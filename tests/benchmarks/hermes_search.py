"""Runs inside a real Hermes: searches one of its stores with its own search, as its agent does.

    python hermes_search.py STORE LIMIT     # one query a line on standard input, as JSON text

Answers one line of JSON for each: the ids it found, and the seconds and CPU seconds that took. Imports nothing of
hermes_tui.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

from hermes_state import SessionDB  # type: ignore[import-not-found]


def main() -> None:
    """Answer queries until there are no more."""
    store, limit = Path(sys.argv[1]), int(sys.argv[2])
    database = SessionDB(db_path=store)
    for line in sys.stdin:
        query = json.loads(line)
        cpu, began = time.process_time(), time.perf_counter()
        rows = database.search_messages(query, limit=limit)
        wall, used = time.perf_counter() - began, time.process_time() - cpu
        print(json.dumps({"ids": [row["id"] for row in rows], "wall": wall, "cpu": used}), flush=True)
    database.close()


if __name__ == "__main__":
    main()
