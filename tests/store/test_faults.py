"""Which messages tell of something that went wrong."""

from __future__ import annotations

import json
import os
import sqlite3
import time
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from hermes_tui.store.connection import Ticket
from hermes_tui.store.faults import Faults, faults
from tests.store.handmade import Store


@pytest.mark.parametrize(
    ("cells", "wrong"),
    [
        ({"role": "tool", "content": json.dumps({"output": "x", "exit_code": 1})}, True),
        ({"role": "tool", "content": json.dumps({"output": "x", "exit_code": -9, "error": None})}, True),
        ({"role": "tool", "content": json.dumps({"output": '{"exit_code": 1}', "exit_code": 0, "error": None})}, False),
        ({"role": "tool", "content": json.dumps({"error": "no such file"})}, True),
        ({"role": "tool", "content": json.dumps({"error": ""})}, False),
        ({"role": "tool", "content": json.dumps({"success": False})}, True),
        ({"role": "tool", "content": json.dumps({"success": True, "error": None})}, False),
        ({"role": "tool", "content": "Traceback (most recent call last):\n ..."}, True),
        ({"role": "tool", "content": "Error: it broke"}, True),
        ({"role": "tool", "content": "no error here"}, False),
        ({"role": "tool", "content": '{"exit_code": 1, '}, False),
        ({"role": "tool", "content": None}, False),
        ({"role": "tool", "content": b'{"exit_code": 2}'}, True),
        ({"role": "tool", "content": b"\xff\x00"}, False),
        ({"role": "user", "content": "Error: look at this"}, False),
        ({"role": "assistant", "content": "", "finish_reason": "error"}, True),
        ({"role": "assistant", "content": "fine", "finish_reason": "stop"}, False),
        ({"role": "user", "content": "x", "display_kind": "failed_turn"}, True),
    ],
)
def test_a_message_tells_of_an_error_or_not(tmp_path: Path, cells: dict[str, Any], wrong: bool) -> None:
    store = Store(tmp_path / "state.db", indexes="new")
    store.session("s")
    store.session("other")
    message = store.message("s", **cells)
    store.message("other", "Error", role="tool")
    connection, capabilities = store.open()
    with connection:
        assert faults(connection, capabilities, ["s"]) == (frozenset([message]) if wrong else frozenset())
        assert faults(connection, capabilities, ["s"], after=message) == frozenset()


def test_a_conversation_is_looked_through_once_until_somebody_writes(tmp_path: Path) -> None:
    store = Store(tmp_path / "state.db", indexes="new")
    store.session("s")
    first, second = (store.message("s", "Error", role="tool") for _ in range(2))
    connection, capabilities = store.open()
    long_ago = time.time() - 1000
    os.utime(store.path, (long_ago, long_ago))
    with connection:
        connection.value("SELECT 1")  # notices the other time
        known, asked = Faults(), connection.json
        texts: list[str] = []

        def noted(sql: str, params: Sequence[Any] = (), *, ticket: Ticket | None = None) -> Any:
            texts.append(sql)
            return asked(sql, params, ticket=ticket)

        connection.json = noted  # type: ignore[method-assign]
        for after, wanted in ((0, {first, second}), (0, {first, second}), (first, {second})):
            assert known.of(connection, capabilities, session_ids=["s"], after=after) == wanted
        assert len(texts) == 1
        with closing(sqlite3.connect(store.path)) as writer, writer:
            writer.execute("UPDATE messages SET content = 'fine' WHERE id = ?", [first])
        assert known.of(connection, capabilities, session_ids=["s"]) == {second}
        assert len(texts) == 2
