"""Compaction, splits, branches, resets, sub-agents and rewinds: what the model sees, and what stays in the file."""

from __future__ import annotations

import json

import pytest

from hermes_tui.recorder import Layout, NewMessage, RecorderError
from tests.recorder.conftest import Store, call

LIVE, COMPACTED, REWOUND = (1, 0), (0, 1), (0, 0)
HEAD = "[CONTEXT COMPACTION — REFERENCE ONLY] Earlier turns were compacted into the summary below."


def talk(store: Store, session: str, turns: int = 4) -> list[int]:
    messages: list[NewMessage] = []
    for number in range(turns):
        messages += [
            {"role": "user", "content": f"question {number}"},
            {"role": "assistant", "content": f"answer {number}"},
        ]
    return [store.recorder.append(session, message["role"], message["content"]) for message in messages]


def contents(store: Store, session: str) -> list[str]:
    return [message["content"] for message in store.recorder.live_messages(session)]


def test_compaction_keeps_the_tail_and_archives_the_rest(store: Store) -> None:
    session = store.recorder.create_session("cli")
    ids = talk(store, session)
    summary = store.recorder.compact(session, "They spoke of three things.", keep_last=2)

    live = store.recorder.live_messages(session)
    assert live[0]["id"] == summary
    assert live[0]["role"] == "user"
    assert live[0]["content"].startswith(HEAD)
    assert "They spoke of three things." in live[0]["content"]
    assert [message["content"] for message in live[1:]] == ["question 3", "answer 3"]
    assert all(message["id"] > summary for message in live[1:])
    originals = store.rows("SELECT timestamp FROM messages WHERE id IN (?, ?) ORDER BY id", *ids[-2:])
    assert [(message["timestamp"],) for message in live[1:]] == originals

    superseded = REWOUND if store.recorder.layout is Layout.VIEWS else COMPACTED
    assert store.states(session) == {
        **dict.fromkeys(ids[:-2], COMPACTED),
        **dict.fromkeys(ids[-2:], superseded),
        **{message["id"]: LIVE for message in live},
    }
    assert store.recorder.session(session)["message_count"] == 3
    if store.recorder.layout is not Layout.INLINE:
        assert (live[0]["_compressed_summary"], live[0]["display_kind"]) == (1, "hidden")


def test_a_second_compaction_archives_the_first_summary(store: Store) -> None:
    session = store.recorder.create_session("cli")
    talk(store, session)
    first = store.recorder.compact(session, "First.", keep_last=1)
    store.recorder.append(session, "user", "and then?")
    store.recorder.compact(session, "Second.")
    assert store.states(session)[first] == COMPACTED
    assert len(store.recorder.live_messages(session)) == 1


def test_a_copy_is_the_same_message_to_a_reader_of_the_newest_layout(store: Store) -> None:
    if store.recorder.layout is not Layout.VIEWS:
        return
    session = store.recorder.create_session("cli")
    original = talk(store, session)[-1]
    store.recorder.compact(session, "Short.", keep_last=1)
    copy = store.recorder.live_messages(session)[-1]["id"]
    assert copy != original
    facts = store.rows("SELECT message_uid, display_identity FROM messages WHERE id IN (?, ?)", original, copy)
    assert facts[0] == facts[1]
    # The original can no longer be seen, so the copy stands where it was written.
    assert store.rows("SELECT display_order FROM messages WHERE id = ?", copy) == [(copy,)]


def test_the_kept_tail_never_begins_with_a_tool_result(store: Store) -> None:
    session = store.recorder.create_session("cli")
    store.recorder.append(session, "user", "list both")
    store.recorder.append(session, "assistant", "looking", tool_calls=[call("a"), call("b")])
    store.recorder.append(session, "tool", "one", tool_call_id="a")
    store.recorder.append(session, "tool", "two", tool_call_id="b")
    store.recorder.compact(session, "Asked to list.", keep_last=1)
    assert contents(store, session)[1:] == ["looking", "one", "two"]
    assert store.recorder.session(session)["tool_call_count"] == 2


@pytest.mark.parametrize("keep_last", [8, 9])
def test_nothing_to_summarise_is_refused_and_changes_nothing(store: Store, keep_last: int) -> None:
    session = store.recorder.create_session("cli")
    ids = talk(store, session)
    with pytest.raises(RecorderError, match="nothing to summarise"):
        store.recorder.compact(session, "?", keep_last=keep_last)
    with pytest.raises(RecorderError, match="nothing to summarise"):
        store.recorder.split(session, "?", keep_last=keep_last)
    with pytest.raises(RecorderError, match="cannot be negative"):
        store.recorder.compact(session, "?", keep_last=-1)
    assert store.states(session) == dict.fromkeys(ids, LIVE)
    assert store.recorder.session(session)["end_reason"] is None
    assert len(store.rows("SELECT id FROM sessions")) == 1


def test_a_split_goes_on_in_a_child(store: Store) -> None:
    root = store.recorder.create_session(
        "telegram", title="Migration", model="m", system_prompt="Be kind.", chat_id="5", session_key="k", cwd="/srv"
    )
    ids = talk(store, root)
    tip = store.recorder.split(root, "So far so good.", keep_last=1)

    parent, child = store.recorder.session(root), store.recorder.session(tip)
    assert (parent["end_reason"], child["end_reason"]) == ("compression", None)
    assert child["parent_session_id"] == root
    assert child["started_at"] >= parent["ended_at"]
    for name in ("source", "model", "system_prompt", "chat_id", "session_key", "cwd"):
        assert child[name] == parent[name], name
    assert (parent["title"], child["title"]) == ("Migration", "Migration #2")
    assert store.states(root) == dict.fromkeys(ids, LIVE)
    assert contents(store, tip)[0].startswith(HEAD)
    assert contents(store, tip)[1:] == ["answer 3"]
    assert child["message_count"] == 2


def test_a_split_session_takes_no_more_messages_and_says_where_they_belong(store: Store) -> None:
    root = store.recorder.create_session("cli")
    talk(store, root)
    middle = store.recorder.split(root, "One.")
    store.recorder.append(middle, "user", "go on")
    tip = store.recorder.split(middle, "Two.")
    with pytest.raises(RecorderError, match=f"it goes on as '{tip}'"):
        store.recorder.append(root, "user", "lost?")
    with pytest.raises(RecorderError, match="was split"):
        store.recorder.compact(root, "again")
    with pytest.raises(RecorderError, match="was split"):
        store.recorder.split(root, "again")
    assert "lost?" not in store.column("SELECT content FROM messages")


def test_a_branch_owns_a_copy(store: Store) -> None:
    root = store.recorder.create_session("cli", title="Plans", model_config={"temperature": 1})
    ids = talk(store, root, turns=2)
    store.recorder.rewind(root, ids[2])
    twig = store.recorder.branch(root)
    named = store.recorder.branch(root, title="Other plans")

    assert store.recorder.session(root)["end_reason"] == "branched"
    row = store.recorder.session(twig)
    assert row["parent_session_id"] == root
    assert json.loads(row["model_config"]) == {"temperature": 1, "_branched_from": root}
    assert (row["title"], store.recorder.session(named)["title"]) == ("Plans #2", "Other plans")
    assert contents(store, twig) == ["question 0", "answer 0"]
    times = "SELECT timestamp FROM messages WHERE session_id = ? AND active = 1 ORDER BY id"
    assert store.rows(times, twig) == store.rows(times, root)
    store.recorder.append(twig, "user", "only here")
    assert "only here" not in contents(store, root)


def test_a_branch_of_a_tip_is_no_continuation(store: Store) -> None:
    root = store.recorder.create_session("cli")
    talk(store, root)
    tip = store.recorder.split(root, "One.")
    twig = store.recorder.branch(tip)
    deeper = store.recorder.branch(twig)
    assert json.loads(store.recorder.session(deeper)["model_config"]) == {"_branched_from": twig}
    with pytest.raises(RecorderError, match=f"goes on as '{tip}'"):
        store.recorder.append(root, "user", "x")


def test_a_reset_starts_empty_in_the_same_chat(store: Store) -> None:
    old = store.recorder.create_session("telegram", title="Chat", chat_id="5", session_key="k", user_id="9", cwd="/srv")
    talk(store, old)
    new = store.recorder.reset(old, reason="daily")
    row = store.recorder.session(new)
    assert store.recorder.session(old)["end_reason"] == "daily"
    assert json.loads(row["model_config"]) == {"_reset_from": old}
    assert (row["parent_session_id"], row["source"], row["title"]) == (old, "telegram", None)
    assert (row["chat_id"], row["session_key"], row["user_id"]) == ("5", "k", "9")
    assert store.recorder.live_messages(new) == []


def test_a_sub_agent_works_under_its_parent_and_never_in_its_chat(store: Store) -> None:
    parent = store.recorder.create_session("telegram", chat_id="5", session_key="k", cwd="/srv", model="large")
    helper = store.recorder.delegate(parent, model="small", model_config={"effort": "low"})
    row = store.recorder.session(helper)
    assert (row["source"], row["parent_session_id"], row["model"], row["cwd"]) == ("subagent", parent, "small", "/srv")
    assert json.loads(row["model_config"]) == {"effort": "low", "_delegate_from": parent}
    assert (row["chat_id"], row["session_key"]) == (None, None)
    assert store.recorder.session(parent)["ended_at"] is None


def test_a_rewind_takes_back_the_turn_and_all_after_it(store: Store) -> None:
    session = store.recorder.create_session("cli")
    ids = talk(store, session)
    assert store.recorder.rewind(session, ids[4]) == 4
    assert store.states(session) == {**dict.fromkeys(ids[:4], LIVE), **dict.fromkeys(ids[4:], REWOUND)}
    row = store.recorder.session(session)
    assert (row["message_count"], row["rewind_count"]) == (4, 1)
    store.recorder.append(session, "user", "better question")
    assert contents(store, session)[-1] == "better question"


def test_a_rewind_leaves_archived_messages_alone(store: Store) -> None:
    session = store.recorder.create_session("cli")
    ids = talk(store, session)
    store.recorder.compact(session, "Short.")
    again = store.recorder.append(session, "user", "again")
    store.recorder.rewind(session, again)
    assert [store.states(session)[message] for message in ids] == [COMPACTED] * len(ids)


def test_a_rewind_goes_to_a_live_message_of_the_user(store: Store) -> None:
    session, other = store.recorder.create_session("cli"), store.recorder.create_session("cli")
    ids = talk(store, session)
    elsewhere = talk(store, other)
    with pytest.raises(RecorderError, match="not one"):
        store.recorder.rewind(session, ids[1])
    with pytest.raises(RecorderError, match="not a live message"):
        store.recorder.rewind(session, elsewhere[0])
    store.recorder.rewind(session, ids[4])
    with pytest.raises(RecorderError, match="not a live message"):
        store.recorder.rewind(session, ids[6])
    assert store.states(session)[ids[0]] == LIVE
