"""A real Hermes writer on a leash. Run with a release importable: `python hermes_writer.py STORE own|wal`.

`own` keeps the journal mode the release picks for this SQLite; `wal` answers its version check with "not affected", so
that a release which avoids write-ahead logging on older SQLites uses it as it does on a fixed one.

Commands on stdin, one a line; answers on stdout, one JSON object a line:

    append N    N messages, one commit each -> N times {"id", "session", "role", "needles", "at", "seconds", "retries"},
                then {"done": N}. `needles` are texts that are in this message and in no other. `at` is when the commit
                began (time.time). `retries` counts how often the release met a lock and tried again.
    go          the same without a pause until the next command comes
    hasty       no patience from here on: SQLite does not wait for a lock at all, so any lock met is a retry
    close       close the store, end
"""

from __future__ import annotations

import importlib
import json
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from queue import SimpleQueue
from threading import Thread
from typing import Any

SESSIONS = (
    ("20261101_090000_aaaaaa", "cli"),
    ("20261101_100000_bbbbbb", "telegram"),
    ("cron_nightly_20261101", "cron"),
)


def call(number: int) -> list[dict[str, Any]]:
    """A tool call as the API hands it over: its arguments are JSON within JSON."""
    arguments = json.dumps({"command": f"make argument{number}needle 参数{number}針"})
    return [{"id": f"call_{number}", "type": "function", "function": {"name": "terminal", "arguments": arguments}}]


def messages(begin: int) -> Iterator[tuple[dict[str, Any], list[str]]]:
    """Messages of every shape an agent writes, and texts that only they hold."""
    number = begin
    while True:
        word, path, han = f"word{number}needle", f"src/mod_{number}/needle.py", f"検索{number}番針"
        yield {"role": "user", "content": f"please look at {word}, `{path}` and {han}"}, [word, path, han]
        number += 1
        yield (
            {"role": "assistant", "content": None, "tool_calls": call(number), "reasoning": "one call will do"},
            [f"argument{number}needle", f"参数{number}針"],
        )
        number += 1
        output = "x " * 5000 + f"\x1b[31mERROR\x1b[0m output{number}needle"
        result = {"role": "tool", "content": output, "tool_name": "terminal", "tool_call_id": f"call_{number - 1}"}
        yield result, [f"output{number}needle"]
        number += 1
        parts = [
            {"type": "text", "text": f"a picture of picture{number}needle, Kraków{number}針"},
            {"type": "image_url", "image_url": {"url": "data:image/png;base64,iVBORw0KGgo="}},
        ]
        yield {"role": "user", "content": parts}, [f"picture{number}needle", f"Kraków{number}針"]
        number += 1


class Patience:
    """Counts how often the release sleeps before it tries a write again."""

    def __init__(self) -> None:
        self.retries = 0
        self._sleep = time.sleep
        time.sleep = self.sleep  # the releases call `time.sleep`, so this is what they get

    def sleep(self, seconds: Any) -> None:
        """Sleep, counted."""
        self.retries += 1
        self._sleep(seconds)


def answer(value: object) -> None:
    """One line on stdout."""
    print(json.dumps(value, ensure_ascii=True), flush=True)


class Writer:
    """Appends messages, turn about to each session."""

    def __init__(self, database: Any, begin: int) -> None:
        self.written = 0
        self._database = database
        self._messages = messages(begin)
        self._patience = Patience()

    def append(self) -> None:
        """One message, and its line of answer."""
        message, needles = next(self._messages)
        session = SESSIONS[self.written % len(SESSIONS)][0]
        self._patience.retries, at, began = 0, time.time(), time.perf_counter()
        row = self._database.append_message(session, **message)
        seconds = time.perf_counter() - began
        self.written += 1
        said = {"id": row, "session": session, "role": message["role"], "needles": needles}
        answer({**said, "at": at, "seconds": seconds, "retries": self._patience.retries})


def heard() -> SimpleQueue[list[str]]:
    """The commands as they come in, each split into words; an empty one when there will be no more."""
    commands: SimpleQueue[list[str]] = SimpleQueue()

    def hear() -> None:
        for line in sys.stdin:
            commands.put(line.split())
        commands.put([])

    Thread(target=hear, daemon=True).start()
    return commands


def use_wal() -> None:
    """Make the release believe that this SQLite has no write-ahead logging fault."""
    for module in ("hermes_cli.sqlite_runtime", "hermes_state_wal", "hermes_state"):
        try:
            loaded = importlib.import_module(module)
        except ImportError:
            continue
        for name in ("is_sqlite_wal_reset_vulnerable", "_is_sqlite_wal_reset_vulnerable"):
            if hasattr(loaded, name):
                setattr(loaded, name, lambda *_arguments, **_options: False)


def main() -> None:
    """Open the store with the release's own SessionDB and do as told."""
    store, journal = Path(sys.argv[1]), sys.argv[2]
    if journal == "wal":
        use_wal()
    database = importlib.import_module("hermes_state").SessionDB(db_path=store)
    mode = database._conn.execute("PRAGMA journal_mode").fetchone()[0]
    begin = database._conn.execute("SELECT count(*) FROM messages").fetchone()[0]
    for session, source in SESSIONS:
        if begin == 0:
            database.create_session(session, source)
    answer({"journal_mode": mode, "messages": begin})
    writer = Writer(database, begin)
    commands = heard()
    while (command := commands.get()) and command[0] != "close":
        if command[0] == "hasty":
            database._conn.execute("PRAGMA busy_timeout = 0").fetchall()
        elif command[0] == "go":
            while commands.empty():
                writer.append()
        else:
            for _ in range(int(command[1])):
                writer.append()
        answer({"done": writer.written})
    database.close()
    answer({"closed": True})


if __name__ == "__main__":
    main()
