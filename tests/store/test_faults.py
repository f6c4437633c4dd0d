"""Which messages tell of something that went wrong."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from hermes_tui.store.faults import faults
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
