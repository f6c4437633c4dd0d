"""Messages: stored as releases store them, counted, changed and deleted."""

from __future__ import annotations

import json
from typing import Any

import pytest

from hermes_tui.recorder import Layout, NewMessage, RecorderError
from tests.recorder.conftest import NOON, OpenStore, Store, call


def test_a_message_stores_what_it_was_given(store: Store) -> None:
    session = store.recorder.create_session("cli")
    calls = [call("call_1", arguments='{"command": "ls /tmp"}'), call("call_2", "read_file")]
    message = store.recorder.append(
        session,
        "assistant",
        "Let me look.",
        tool_calls=calls,
        reasoning="They want a list.",
        reasoning_details=[{"type": "reasoning.text", "text": "They want a list."}],
        finish_reason="tool_calls",
        token_count=12,
        timestamp=NOON - 5,
        observed=True,
        platform_message_id="m-9",
        display_kind="steer",
        display_metadata={"by": "hand"},
    )
    (row,) = store.recorder.live_messages(session)
    assert (row["id"], row["session_id"], row["role"], row["content"]) == (
        message,
        session,
        "assistant",
        "Let me look.",
    )
    assert json.loads(row["tool_calls"]) == calls
    assert row["tool_calls"] == json.dumps(calls)
    assert (row["reasoning"], row["finish_reason"], row["token_count"]) == ("They want a list.", "tool_calls", 12)
    assert json.loads(row["reasoning_details"])[0]["text"] == "They want a list."
    assert (row["timestamp"], row["observed"], row["platform_message_id"]) == (NOON - 5, 1, "m-9")
    assert (row["active"], row["compacted"]) == (1, 0)
    if store.recorder.layout is not Layout.INLINE:  # which has no such columns
        assert (row["display_kind"], json.loads(row["display_metadata"])) == ("steer", {"by": "hand"})


@pytest.mark.parametrize(
    ("content", "stored"),
    [
        ("plain 文字\nwith\x00nul", "plain 文字\nwith\x00nul"),
        ("", ""),
        (None, None),
        (b"\xff\xfe raw", b"\xff\xfe raw"),
        ([{"type": "text", "text": "字"}], '\x00json:[{"type": "text", "text": "\\u5b57"}]'),
        ({"ok": True}, '\x00json:{"ok": true}'),
        ("\x00json:[1]", '\x00json:"\\u0000json:[1]"'),
    ],
)
def test_content_is_stored_as_releases_store_it_and_reads_back(store: Store, content: Any, stored: object) -> None:
    session = store.recorder.create_session("cli")
    store.recorder.append(session, "user", content)
    assert store.column("SELECT content FROM messages") == [stored]
    assert store.recorder.live_messages(session)[0]["content"] == content


def test_half_a_surrogate_pair_does_not_lose_the_message(store: Store) -> None:
    session = store.recorder.create_session("cli")
    store.recorder.append(session, "user", "broken \ud83d emoji", reasoning="\udc00")
    assert store.rows("SELECT content, reasoning FROM messages") == [("broken \ufffd emoji", "\ufffd")]


def test_calls_given_as_json_text_are_not_encoded_twice(store: Store) -> None:
    session = store.recorder.create_session("cli")
    store.recorder.append(session, "assistant", tool_calls=json.dumps([call("call_1")]))  # type: ignore[arg-type]
    assert json.loads(store.column("SELECT tool_calls FROM messages")[0]) == [call("call_1")]
    assert store.recorder.session(session)["tool_call_count"] == 1


@pytest.mark.parametrize(
    ("fields", "named"),
    [
        ({"tool_calls": "{not json"}, "not JSON"),
        ({"tool_calls": ["ls"]}, "list of mappings"),
        ({"tool_calls": [{"id": object()}]}, "cannot be stored as JSON"),
        ({"content": 7}, "not int"),
        ({"content": [object()]}, "cannot be stored as JSON"),
        ({"contents": "typo"}, "no field 'contents'"),
    ],
)
def test_what_cannot_be_stored_is_refused_and_nothing_is_written(
    store: Store, fields: dict[str, Any], named: str
) -> None:
    session = store.recorder.create_session("cli")
    good: NewMessage = {"role": "user", "content": "fine"}
    bad: Any = {"role": "assistant", **fields}
    with pytest.raises(RecorderError, match=named):
        store.recorder.append_many(session, [good, bad])
    assert store.rows("SELECT * FROM messages") == []
    assert store.recorder.session(session)["message_count"] == 0


def test_the_clock_stamps_what_has_no_time(store: Store) -> None:
    session = store.recorder.create_session("cli")
    for _ in range(3):
        store.recorder.append(session, "user", "tick")
    first, second, third = store.column("SELECT timestamp FROM messages ORDER BY id")
    assert NOON < first < second < third


def test_counters_follow_appends_changes_and_deletes(store: Store) -> None:
    session = store.recorder.create_session("cli")
    first = store.recorder.append(session, "assistant", tool_calls=[call("a"), call("b")])
    second = store.recorder.append(session, "user", "hello", timestamp=NOON + 500)

    def counters() -> tuple[int, int]:
        row = store.recorder.session(session)
        return row["message_count"], row["tool_call_count"]

    assert counters() == (2, 2)
    store.recorder.update_message(first, tool_calls=[call("a")])
    assert counters() == (2, 1)
    store.recorder.delete_message(second)
    assert counters() == (1, 1)
    store.recorder.update_message(first, tool_calls=None, content="no calls")
    assert counters() == (1, 0)


def test_activity_is_when_the_newest_message_was_said(open_store: OpenStore) -> None:
    store = open_store(Layout.VIEWS)
    session = store.recorder.create_session("cli")
    store.recorder.append(session, "user", "late", timestamp=NOON + 900)
    store.recorder.append(session, "user", "told later about earlier", timestamp=NOON + 100)
    assert store.recorder.session(session)["last_activity_at"] == NOON + 900


def test_many_messages_are_written_together(store: Store) -> None:
    session = store.recorder.create_session("cli")
    ids = store.recorder.append_many(session, [{"role": "user", "content": str(number)} for number in range(250)])
    assert ids == sorted(ids)
    assert store.column("SELECT content FROM messages ORDER BY id") == [str(number) for number in range(250)]
    assert store.recorder.session(session)["message_count"] == 250
    assert store.recorder.append_many(session, []) == []


def test_a_message_that_is_not_there_is_named(store: Store) -> None:
    with pytest.raises(RecorderError, match="There is no message 99"):
        store.recorder.update_message(99, content="x")
    with pytest.raises(RecorderError, match="There is no message 99"):
        store.recorder.delete_message(99)


def test_every_message_has_a_uid_and_an_identity_in_the_newest_layout(open_store: OpenStore) -> None:
    store = open_store(Layout.VIEWS)
    session = store.recorder.create_session("cli")
    same: NewMessage = {"role": "user", "content": "same words", "timestamp": NOON}
    first, twin = store.recorder.append_many(session, [same, same])
    other = store.recorder.append(session, "user", "other words", timestamp=NOON)

    def identities() -> dict[int, tuple[Any, ...]]:
        rows = store.rows("SELECT id, message_uid, display_identity, display_order FROM messages")
        return {row[0]: row[1:] for row in rows}

    facts = identities()
    assert len({uid for uid, _, _ in facts.values()}) == 3
    assert facts[first][1] == facts[twin][1] != facts[other][1]
    assert (facts[first][2], facts[twin][2], facts[other][2]) == (first, first, other)

    store.recorder.update_message(twin, content="changed words")
    changed = identities()
    assert changed[first] == facts[first]
    assert changed[twin][1] not in (None, facts[twin][1], facts[other][1])
    assert changed[twin][2] == twin

    store.recorder.update_message(twin, content="same words")
    assert identities() == facts


def test_a_call_keeps_its_identity_when_its_arguments_are_shortened(open_store: OpenStore) -> None:
    store = open_store(Layout.VIEWS)
    session = store.recorder.create_session("cli")
    for arguments in ('{"text": "very long"}', "{}"):
        store.recorder.append(session, "assistant", tool_calls=[call("call_1", arguments=arguments)], timestamp=NOON)
    one, other = store.column("SELECT display_identity FROM messages")
    assert one == other


def test_a_repeatable_source_of_ids_repeats(open_store: OpenStore) -> None:
    def written(name: str) -> list[tuple[Any, ...]]:
        store = open_store(name=name)
        session = store.recorder.create_session("cli")
        store.recorder.append(session, "user", "hello")
        return store.rows("SELECT session_id, message_uid, timestamp FROM messages")

    assert written("one.db") == written("two.db")
