"""Where in its parent a session began: at the call that started it, at the last message a branch took along."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from hermes_tui.library import Library
from hermes_tui.recorder import Layout, Recorder


class Clock:
    """The time of the recorder, moved by hand."""

    now = 1_780_000_000.0

    def __call__(self) -> float:
        self.now += 1
        return self.now


def call(number: int, **arguments: object) -> dict[str, object]:
    return {
        "id": f"call_{number}",
        "type": "function",
        "function": {"name": "delegate_task", "arguments": json.dumps(arguments)},
    }


@pytest.mark.parametrize("layout", list(Layout))
def test_each_sub_agent_belongs_to_the_call_with_its_goal(tmp_path: Path, layout: Layout) -> None:
    """They run side by side and begin in any order; whoever is told nothing that was asked goes by who was waiting."""
    path = tmp_path / "state.db"
    with Recorder(path, layout=layout, clock=Clock()) as writer:
        parent = writer.create_session("cli")
        writer.append(parent, "user", "look after the tins and the boxes")
        tins = writer.append(parent, "assistant", "", tool_calls=[call(1, goal="count the  tins")])
        boxes = [{"goal": "count the boxes"}, {"goal": "weigh the boxes", "context": "all"}]
        both = writer.append(parent, "assistant", "", tool_calls=[call(2, tasks=boxes)])
        began = {}
        for goal in ("weigh the boxes", "count the tins", "count the boxes"):
            began[goal] = writer.delegate(parent)
            writer.append(began[goal], "user", goal)
        for number in (1, 2):
            writer.append(parent, "tool", "{}", tool_name="delegate_task", tool_call_id=f"call_{number}")
        writer.append(parent, "assistant", "all counted")
        late = writer.append(parent, "assistant", "", tool_calls=[call(3, goal="count the tins")])
        again = writer.delegate(parent)
        writer.append(again, "user", "count the tins")
        odd = writer.delegate(parent)
        writer.append(odd, "user", "you are told something else")
        writer.append(parent, "tool", "{}", tool_name="delegate_task", tool_call_id="call_3")
        writer.append(parent, "user", "and now nobody is asked")
        unasked = writer.delegate(parent)
        writer.append(unasked, "user", "on its own")
    with Library.open(path) as library:
        found = {session.id: session.begun_at for session in library.children([parent])}
    assert found == {
        began["count the tins"]: tins,
        began["count the boxes"]: both,
        began["weigh the boxes"]: both,
        again: late,
        odd: late,
        unasked: None,
    }


def test_a_branch_begins_at_the_last_message_it_took_along(tmp_path: Path) -> None:
    clock = Clock()
    with Recorder(tmp_path / "state.db", clock=clock) as writer:
        parent = writer.create_session("cli")
        writer.append_many(parent, [{"role": "user", "content": f"tin {number}"} for number in range(4)])
        kept = writer.append(parent, "assistant", "that was all")
        back = writer.append(parent, "user", "no, wait")
        writer.append(parent, "assistant", "I wait")
        writer.rewind(parent, back)
        branch = writer.branch(parent, title="Another way")
        writer.append(branch, "user", "that was all")
        empty = writer.create_session("cli")
        bare = writer.branch(empty, title="From nothing")
    with Library.open(tmp_path / "state.db") as library:
        assert [(session.id, session.begun_at) for session in library.children([parent])] == [(branch, kept)]
        assert [(session.id, session.begun_at) for session in library.children([empty])] == [(bare, None)]
