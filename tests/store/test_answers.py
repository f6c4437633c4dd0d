"""Rows that call tools by an id, and rows that answer them, wherever in a conversation they are."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from hermes_tui.library import Library
from hermes_tui.recorder import Layout, Recorder


def calls(*ids: str) -> list[dict[str, object]]:
    return [{"id": each, "function": {"name": "terminal", "arguments": json.dumps({"command": each})}} for each in ids]


@pytest.mark.parametrize("layout", list(Layout))
def test_calls_and_answers_are_found_by_id(tmp_path: Path, layout: Layout) -> None:
    path = tmp_path / "state.db"
    with Recorder(path, layout=layout) as recorder:
        one, two, other = (recorder.create_session("cli") for _ in range(3))
        both = recorder.append(one, "assistant", "", tool_calls=calls("a", "b"))
        recorder.append(one, "user", "a and b")
        recorder.append(one, "assistant", "", tool_calls=calls("c"))
        first = recorder.append(two, "tool", "done", tool_name="terminal", tool_call_id="a")
        recorder.append(two, "tool", "done", tool_name="terminal", tool_call_id="c")
        recorder.append(two, "tool", "nobody's")
        again = recorder.append(two, "assistant", "", tool_calls=calls("a"))
        recorder.append(other, "tool", "of another conversation", tool_name="terminal", tool_call_id="a")
    with Library.open(path) as library:
        making, answering = library.calls_and_answers([one, two], ["a", "b"])
        assert sorted(making) == [(both, ("a", "b")), (again, ("a",))]
        assert answering == [(first, ("a",))]
        assert library.calls_and_answers([one, two], []) == ([], [])


def test_a_store_without_calls_has_none(tmp_path: Path) -> None:
    path = tmp_path / "state.db"
    with Recorder(path, layout=Layout.VIEWS) as recorder:
        session = recorder.create_session("cli")
        recorder.append(session, "tool", "done", tool_call_id="a")
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("UPDATE messages SET tool_calls = x'ff00', tool_call_id = NULL")
        connection.commit()
    with Library.open(path) as library:
        assert library.calls_and_answers([session], ["a"]) == ([], [])
