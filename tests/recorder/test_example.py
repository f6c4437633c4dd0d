"""The example in the package's documentation does what it says."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import hermes_tui.recorder
from tests.recorder.conftest import look


def test_the_example_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = re.search(r"```python\n(.*?)```", hermes_tui.recorder.__doc__ or "", re.DOTALL)
    assert found is not None
    monkeypatch.chdir(tmp_path)
    exec(compile(found[1], "the example", "exec"), {})
    said = look(tmp_path / "state.db", "SELECT role, content FROM messages ORDER BY id")
    assert said == [
        ("user", "How do I list files?"),
        ("assistant", None),
        ("tool", "notes.md"),
        ("assistant", "With `ls`. There is one file here."),
    ]
    sessions = look(tmp_path / "state.db", "SELECT title, end_reason, message_count, tool_call_count FROM sessions")
    assert sessions == [("First steps", "cli_close", 4, 1)]
