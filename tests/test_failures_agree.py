"""What the store tells of failed tools and what their cards say is the same."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from hermes_tui.library import Library
from hermes_tui.recorder import Recorder
from hermes_tui.render import outcomes

RESULTS: list[tuple[object, bool]] = [
    ({"output": "x", "exit_code": 1}, True),
    ({"output": "two\nlines", "exit_code": 2, "error": None}, True),
    ({"output": "x", "exit_code": 0, "error": "only a warning"}, False),
    ({"exitCode": 3}, True),
    ({"returncode": -9}, True),
    ({"return_code": "1"}, True),
    ({"exit_status": "0"}, False),
    ({"exit_code": None, "error": "no such file"}, True),
    ({"error": "first line\nsecond line"}, True),
    ({"output": "two\nlines", "error": "first line\nsecond line"}, True),
    ({"output": "two\nlines", "error": "first line\nsecond line", "more": ["a", "b"]}, True),
    ({"output": "two\nerror:\nlines", "exit_code": 0, "error": "only\na warning"}, False),
    ({"error_message": "gone"}, True),
    ({"error": {"message": "gone"}}, True),
    ({"error": ""}, False),
    ({"error": False}, False),
    ({"error": []}, False),
    ({"error": 0}, False),
    ({"error": "None"}, False),
    ({"success": False, "path": "a"}, True),
    ({"ok": False}, True),
    ({"is_error": True}, True),
    ({"isError": False}, False),
    ({"success": True}, False),
    ({"output": "exit_code: 1"}, False),
    ("Error: it broke", True),
    ("ERROR it broke", True),
    ("error: it broke", True),
    ("Traceback (most recent call last):\n  File x\nKeyError: 1", True),
    ("an Error came by", False),
    ("plain", False),
]


@pytest.mark.parametrize(("result", "wrong"), RESULTS)
def test_the_store_and_the_card_agree(tmp_path: Path, result: object, wrong: bool) -> None:
    call = [{"id": "c", "function": {"name": "terminal", "arguments": "{}"}}]
    with Recorder(tmp_path / "state.db") as recorder:
        session = recorder.create_session("cli")
        asking = recorder.append(session, "assistant", "", tool_calls=call)
        text = result if isinstance(result, str) else json.dumps(result)
        answer = recorder.append(session, "tool", text, tool_name="terminal", tool_call_id="c")
    with Library.open(tmp_path / "state.db") as library:
        faults = library.faults([session])
        assert faults == (frozenset([answer]) if wrong else frozenset())
        message, said = library.messages([asking, answer])
    (ended,) = outcomes(message, [said], faults)
    assert ended is not None
    assert bool(ended.failure) == wrong
    assert not wrong or "second line" not in ended.failure
