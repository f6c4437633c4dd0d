"""The recording and the reading side share no constant; here they meet in a file and have to agree about it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from hermes_tui.library import Library
from hermes_tui.model import Anchor, Kind, SessionKind, State
from hermes_tui.recorder import Layout, Recorder, StorageSettings, Usage


@pytest.fixture(params=list(Layout), ids=str)
def recorder(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Recorder]:
    with Recorder(tmp_path / "state.db", layout=request.param) as opened:
        yield opened


@pytest.fixture
def library(recorder: Recorder) -> Iterator[Library]:
    opened = Library.open(recorder.path)
    yield opened
    opened.close()


def test_the_layout_that_was_written_is_the_layout_that_is_read(recorder: Recorder, library: Library) -> None:
    assert library.capabilities.layout.value == recorder.layout.value
    for index in (library.capabilities.word, library.capabilities.trigram):
        assert index is not None
        assert index.usable


def test_a_store_without_indexes_is_read_as_such(tmp_path: Path) -> None:
    with Recorder(tmp_path / "bare.db", settings=StorageSettings(fts_enabled=False)) as recorder:
        session = recorder.create_session("cli")
        message = recorder.append(session, "user", "found all the same")
        library = Library.open(recorder.path)
        assert library.capabilities.layout.value == "none"
        assert [hit.anchor.message_id for hit in library.search("found").hits] == [message]
        library.close()


def test_states_and_kinds_are_read_as_they_were_written(recorder: Recorder, library: Library) -> None:
    session = recorder.create_session("cli")
    old = recorder.append(session, "user", "first question")
    recorder.append(session, "assistant", "first answer")
    summary = recorder.compact(session, "One question.")
    slip = recorder.append(session, "user", "a slip")
    recorder.rewind(session, slip)
    live = recorder.append(session, "user", "second question")
    rows = {row.id: row for row in library.transcript(Anchor(session)).rows}
    assert {name: rows[message].state for name, message in (("old", old), ("slip", slip), ("live", live))} == {
        "old": State.COMPACTED,
        "slip": State.REWOUND,
        "live": State.LIVE,
    }
    (shown,) = library.messages([summary])
    assert shown.kind in {Kind.SUMMARY, Kind.HIDDEN}
    assert "One question." in shown.text


def test_a_kept_tail_is_one_message_to_a_reader(recorder: Recorder, library: Library) -> None:
    session = recorder.create_session("cli")
    recorder.append(session, "user", "go")
    recorder.append(session, "assistant", "the kept answer")
    recorder.compact(session, "Began.", keep_last=1)
    copy = recorder.live_messages(session)[-1]["id"]
    seen = [row.id for row in library.transcript(Anchor(session)).rows if row.state is not State.REWOUND]
    texts = [message.text for message in library.messages(seen)]
    assert texts.count("the kept answer") == 1
    assert [hit.anchor.message_id for hit in library.search('"kept answer"').hits] == [copy]


def test_edges_are_read_as_they_were_written(recorder: Recorder, library: Library) -> None:
    root = recorder.create_session("cli", title="Work")
    recorder.append(root, "user", "begin")
    tip = recorder.split(root, "Began.")
    recorder.append(tip, "user", "go on")
    twig = recorder.branch(tip)
    fresh = recorder.reset(twig)
    helper = recorder.delegate(tip)
    kinds = {
        name: library.transcript(Anchor(session)).session.kind
        for name, session in (("tip", tip), ("twig", twig), ("fresh", fresh), ("helper", helper))
    }
    assert kinds == {
        "tip": SessionKind.CONTINUATION,
        "twig": SessionKind.BRANCH,
        "fresh": SessionKind.RESET,
        "helper": SessionKind.DELEGATE,
    }
    assert [segment.id for segment in library.transcript(Anchor(tip)).segments] == [root, tip]


def test_what_a_message_holds_comes_back(recorder: Recorder, library: Library) -> None:
    session = recorder.create_session("telegram", title="All of it", model="m", cwd="/srv")
    recorder.record_usage(session, Usage("m", input_tokens=7, output_tokens=2, estimated_cost_usd=0.25))
    call = {"id": "call_1", "type": "function", "function": {"name": "terminal", "arguments": '{"command": "echo 字"}'}}
    ids = recorder.append_many(
        session,
        [
            {"role": "user", "content": [{"type": "text", "text": "a picture 画"}], "timestamp": 1_790_000_000.0},
            {"role": "assistant", "content": None, "tool_calls": [call], "reasoning": "Echo it."},
            {"role": "tool", "content": "字", "tool_name": "terminal", "tool_call_id": "call_1"},
        ],
    )
    picture, asked, answered = library.messages(ids)
    assert (picture.text, picture.timestamp) == ("a picture 画", 1_790_000_000.0)
    assert asked.tool_calls[0].name == "terminal"
    assert "echo 字" in asked.tool_calls[0].arguments
    assert asked.reasoning == "Echo it."
    assert (answered.text, answered.kind, answered.tool_name) == ("字", Kind.TOOL, "terminal")
    (row,) = library.sessions().rows
    assert (row.source, row.title, row.model, row.cwd) == ("telegram", "All of it", "m", "/srv")
    assert (row.input_tokens, row.output_tokens, row.cost_usd) == (7, 2, 0.25)
