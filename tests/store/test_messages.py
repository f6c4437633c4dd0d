"""Conversations as read: every message once, in its place, whole."""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from hermes_tui.model import Counts, Kind, Message, State, ToolCall, Transcript
from hermes_tui.store.connection import Cancelled, Ticket
from hermes_tui.store.messages import read_messages, session_of, transcript
from tests.store.handmade import BARE_MESSAGE, BARE_SESSION, DAY, OLD_MESSAGE, OLD_SESSION, Store

LIVE: dict[str, Any] = {"active": 1, "compacted": 0}
AWAY: dict[str, Any] = {"active": 0, "compacted": 1}
BACK: dict[str, Any] = {"active": 0, "compacted": 0}
SUMMARY = "[CONTEXT COMPACTION — REFERENCE ONLY] Earlier turns were compacted into the summary below. More text."
CALL = json.dumps([{"id": "c", "function": {"name": "ls", "arguments": "{}"}}])
END = "--- END OF CONTEXT SUMMARY — respond to the message below, not the summary above ---"


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "state.db", indexes="new")


def outline(store: Store, session: str) -> Transcript:
    connection, capabilities = store.open()
    with connection:
        return transcript(connection, capabilities, session)


def shown(found: Transcript) -> list[int]:
    return [row.id for row in found.rows]


def read(store: Store, *ids: int, copies: Mapping[int, int] | None = None) -> tuple[Message, ...]:
    connection, capabilities = store.open()
    with connection:
        return read_messages(connection, capabilities, ids, copies=copies)


# Order


def test_order_is_by_id_not_by_time(store: Store) -> None:
    """H-TIME-1."""
    store.session("s")
    for late in (0.382, 0.484, 0.441, 0.500):
        store.message("s", "x", role="tool", timestamp=DAY + late)
    found = outline(store, "s")
    assert shown(found) == [1, 2, 3, 4]
    assert [row.timestamp for row in found.rows] == [DAY + 0.382, DAY + 0.484, DAY + 0.441, DAY + 0.500]


def test_a_conversation_reads_from_root_to_tip(store: Store) -> None:
    store.session("tip", parent_session_id="mid", started_at=DAY + 2, title="Trip #3")
    store.session("root", end_reason="compression", title="Trip")
    store.session("mid", parent_session_id="root", end_reason="compression", started_at=DAY + 1)
    store.session("branch", parent_session_id="mid", config={"_branched_from": "mid"})
    tip = store.message("tip", "three")
    root = store.message("root", "one")
    mid = [store.message("mid", "two"), store.message("mid", "two and a half")]
    store.message("branch", "elsewhere")
    found = outline(store, "mid")
    assert shown(found) == [root, *mid, tip]
    assert [row.session_id for row in found.rows] == ["root", "mid", "mid", "tip"]
    assert [session.id for session in found.segments] == ["root", "mid", "tip"]
    assert [session.counts for session in found.segments] == [Counts(1), Counts(2), Counts(1)]
    assert found.session == found.segments[1]
    assert found.session.conversation == "tip"
    assert found.counts == Counts(live=4)


def test_sessions_that_are_empty_or_not_there(store: Store) -> None:
    store.session("empty")
    connection, capabilities = store.open()
    found = transcript(connection, capabilities, "empty")
    assert (found.rows, found.counts, dict(found.stands_for)) == ((), Counts(), {})
    with pytest.raises(KeyError):
        transcript(connection, capabilities, "gone")


# States and kinds


def test_rows_say_what_became_of_them(store: Store) -> None:
    """H-ANCHOR-1 and H-ANCHOR-2: compacted rows are rows, rewound ones are there and marked."""
    store.session("s")
    store.message("s", "old plan: copper kettle", **AWAY)
    store.message("s", SUMMARY)
    store.message("s", "secret undo walrus", **BACK)
    store.message("s", "ok", role="assistant", active=None, compacted=None)
    found = outline(store, "s")
    assert [(row.state, row.kind) for row in found.rows] == [
        (State.COMPACTED, Kind.TURN),
        (State.LIVE, Kind.SUMMARY),
        (State.REWOUND, Kind.TURN),
        (State.LIVE, Kind.TURN),
    ]
    assert found.counts == Counts(live=2, compacted=1, rewound=1)


def parts(*texts: str, before: list[Any] | None = None) -> str:
    return "\x00json:" + json.dumps([*(before or []), *({"type": "text", "text": text} for text in texts)])


PICTURE = {
    "type": "image_url",
    "image_url": {"url": "data:image/png;base64," + base64.b64encode(b"x" * 900).decode()},
}
ROWS: list[tuple[dict[str, Any], Kind]] = [
    ({"content": "words"}, Kind.TURN),
    ({"content": None}, Kind.TURN),
    ({"content": ""}, Kind.TURN),
    ({"content": "Can you?"}, Kind.TURN),
    ({"content": "[not a summary]"}, Kind.TURN),
    ({"content": "nul\x00[CONTEXT SUMMARY]: x"}, Kind.TURN),
    ({"content": b"\xff\xfe"}, Kind.TURN),
    ({"content": "done", "role": "assistant"}, Kind.TURN),
    ({"content": SUMMARY, "role": "tool"}, Kind.TOOL),
    ({"content": SUMMARY + "x" * 5000}, Kind.SUMMARY),
    ({"content": "\n\t  " + SUMMARY, "role": "assistant"}, Kind.SUMMARY),
    ({"content": SUMMARY, "display_kind": "hidden", "_compressed_summary": 1}, Kind.SUMMARY),
    ({"content": "x", "_compressed_summary": 1}, Kind.SUMMARY),
    ({"content": SUMMARY + "x" * 5000 + END}, Kind.SUMMARY),
    ({"content": SUMMARY + "x" * 5000 + END + "\n\nthe real ask"}, Kind.TURN),
    ({"content": parts(SUMMARY)}, Kind.SUMMARY),
    ({"content": parts("words", SUMMARY)}, Kind.TURN),
    ({"content": parts("hello", before=[PICTURE])}, Kind.TURN),
    ({"content": parts('quoted "x" \\ ' + "y" * 900)}, Kind.TURN),
    ({"content": "\x00json:{broken"}, Kind.TURN),
    ({"content": "x", "display_kind": "hidden"}, Kind.HIDDEN),
    ({"content": "x", "role": "tool", "display_kind": "hidden"}, Kind.HIDDEN),
    ({"content": "x", "display_metadata": '{"model_only": true}'}, Kind.HIDDEN),
    ({"content": "x", "display_metadata": '{"reactions": []}'}, Kind.TURN),
    ({"content": "x", "display_kind": "model_switch"}, Kind.NOTICE),
    ({"content": "x", "display_kind": "steer"}, Kind.TURN),
    ({"content": "[IMPORTANT: Background process 1 ended"}, Kind.NOTICE),
    ({"content": "You've reached the maximum number of tool-calling iterations allowed. Please"}, Kind.NOTICE),
    ({"content": None, "role": "session_meta"}, Kind.NOTICE),
    ({"content": "be brief", "role": "system"}, Kind.NOTICE),
]


def test_the_outline_and_the_message_agree_on_every_kind(store: Store) -> None:
    store.session("s")
    for cells, _ in ROWS:
        store.message("s", **cells)
    found = outline(store, "s")
    assert [row.kind for row in found.rows] == [kind for _, kind in ROWS]
    assert [message.kind for message in _again(store.path, shown(found))] == [kind for _, kind in ROWS]


def _again(path: Path, ids: list[int]) -> tuple[Message, ...]:
    from hermes_tui.store.connection import connect, look
    from hermes_tui.store.schema import detect

    with connect(look(path)) as connection:
        return read_messages(connection, detect(connection), ids)


def test_sizes_are_bytes_of_all_that_is_read(store: Store) -> None:
    store.session("s")
    store.message("s", "語語")
    store.message("s", "a\x00b", role="tool")
    store.message("s", None, role="assistant", tool_calls="[]", reasoning="why")
    store.message("s", b"\xff\xff", role="user", reasoning_content="because")
    assert [row.size for row in outline(store, "s").rows] == [6, 3, 5, 9]


# Messages


def test_a_message_whole(store: Store) -> None:
    store.session("s")
    key = store.message(
        "s",
        "Krak\u00f3w",
        role="assistant",
        timestamp=DAY + 0.25,
        tool_calls=CALL,
        reasoning="because",
        token_count=7,
        finish_reason="tool_calls",
        display_kind="steer",
        observed=1,
        **AWAY,
    )
    (found,) = read(store, key, copies={key: 4})
    assert found == Message(
        id=key,
        session_id="s",
        role="assistant",
        text="Kraków",
        state=State.COMPACTED,
        kind=Kind.TURN,
        timestamp=DAY + 0.25,
        tool_calls=(ToolCall("c", "ls", "{}"),),
        reasoning="because",
        token_count=7,
        finish_reason="tool_calls",
        display_kind="steer",
        observed=True,
        copies=4,
    )


def test_messages_come_in_the_order_asked_for(store: Store) -> None:
    store.session("s")
    ids = [store.message("s", f"m{number}") for number in range(300)]
    asked = [*reversed(ids), 9999, ids[5], -1]
    found = read(store, *asked)
    assert [message.id for message in found] == [*reversed(ids), ids[5]]
    assert found[0].text == "m299"
    assert {message.copies for message in found} == {1}
    assert read(Store(store.path.with_name("other.db"))) == ()


@pytest.mark.parametrize(
    ("cells", "text"),
    [
        ({"content": None}, ""),
        ({"content": b"hello \xe2\x9c"}, "hello �"),
        ({"content": "nul\x00inside"}, "nul\x00inside"),
        ({"content": "\x1b[31mred"}, "\x1b[31mred"),
        ({"content": 'quote " back\\slash \u2028 \U0001f680'}, 'quote " back\\slash \u2028 \U0001f680'),
        ({"content": '{"output": "a\\nb", "exit_code": 0}', "role": "tool"}, "output:\na\nb\nexit_code: 0"),
        ({"content": parts("Krak\u00f3w", before=[PICTURE])}, "[image/png 900 B]\nKraków"),
        ({"content": "", "codex_message_items": '[{"content": [{"type": "output_text", "text": "said"}]}]'}, "said"),
        ({"content": "said", "codex_message_items": '[{"content": [{"text": "again"}]}]'}, "said"),
        ({"content": "x" * 2_000_000, "role": "tool"}, "x" * 2_000_000),
    ],
)
def test_texts(store: Store, cells: dict[str, Any], text: str) -> None:
    store.session("s")
    (found,) = read(store, store.message("s", **cells))
    assert found.text == text


def test_text_that_is_no_utf8(store: Store) -> None:
    """H-CELL-3."""
    store.session("s")
    store.message("s", "fine")
    store.run(
        "INSERT INTO messages (session_id, role, content) VALUES ('s', 'user', CAST(x'68656c6c6f20e29c' AS TEXT))"
    )
    found = read(store, 1, 2)
    assert [message.text for message in found] == ["fine", "hello �"]


@pytest.mark.parametrize(
    ("cells", "reasoning"),
    [
        ({}, ""),
        ({"reasoning": "plain", "reasoning_content": "field"}, "plain"),
        ({"reasoning": "", "reasoning_content": "field"}, "field"),
        ({"reasoning_details": '[{"type": "reasoning.text", "text": "detail", "signature": "c2ln"}]'}, "detail"),
        ({"codex_reasoning_items": '[{"summary": [{"text": "summed"}], "encrypted_content": "AA"}]'}, "summed"),
        ({"reasoning_details": "{broken"}, ""),
    ],
)
def test_reasoning_wherever_it_is_kept(store: Store, cells: dict[str, Any], reasoning: str) -> None:
    """H-CELL-2."""
    store.session("s")
    (found,) = read(store, store.message("s", "", role="assistant", **cells))
    assert found.reasoning == reasoning


@pytest.mark.parametrize("time", [float("inf"), "soon", b"\xff", None, -1.0])
def test_odd_cells_do_not_spoil_other_messages(store: Store, time: Any) -> None:
    store.session("s")
    odd = store.message("s", "x", timestamp=time, token_count="many", tool_name=b"\xff", finish_reason=3)
    even = store.message("s", "y", timestamp=DAY)
    connection, capabilities = store.open()
    found = read_messages(connection, capabilities, [odd, even])
    assert [message.timestamp for message in found] == [None, DAY]
    assert found[0].tool_name == "�"
    rows = transcript(connection, capabilities, "s").rows
    assert [row.timestamp for row in rows] == [None, DAY]


def test_the_session_of_a_message(store: Store) -> None:
    store.session("s")
    key = store.message("s", "x")
    connection, _ = store.open()
    assert session_of(connection, key) == "s"
    assert session_of(connection, key + 1) is None
    assert session_of(connection, 2**63 - 1) is None


# Columns that are not there


@pytest.mark.parametrize(
    "without",
    [
        OLD_MESSAGE,
        ("active",),
        ("compacted",),
        ("reasoning",),
        ("reasoning", "reasoning_content", "reasoning_details", "codex_reasoning_items", "codex_message_items"),
        ("display_kind", "display_metadata", "_compressed_summary", "observed"),
        ("timestamp",),
        (*OLD_SESSION, *OLD_MESSAGE),
        (*BARE_SESSION, *BARE_MESSAGE),
    ],
)
def test_files_of_other_shapes(tmp_path: Path, without: tuple[str, ...]) -> None:
    """H-DRIFT-1 and H-DRIFT-3: everything is shown; rows count as live where the file cannot say otherwise."""
    store = Store(tmp_path / "state.db", without=without)
    store.session("s")
    ids = [
        store.message("s", "hello", reasoning="r"),
        store.message("s", SUMMARY, _compressed_summary=1),
        store.message("s", '{"output": "a\\nb"}', role="tool", tool_name="ls", tool_calls="[]"),
    ]
    connection, capabilities = store.open()
    found = transcript(connection, capabilities, "s")
    assert shown(found) == ids
    assert found.counts == Counts(live=3)
    assert [row.kind for row in found.rows] == [Kind.TURN, Kind.SUMMARY, Kind.TOOL]
    messages = read_messages(connection, capabilities, ids)
    assert [message.text for message in messages] == ["hello", SUMMARY, "output:\na\nb"]


def test_rows_without_a_session_row_are_read_by_id(store: Store) -> None:
    key = store.message("lost", "x")
    connection, capabilities = store.open()
    assert session_of(connection, key) == "lost"
    assert [message.text for message in read_messages(connection, capabilities, [key])] == ["x"]


def test_questions_can_be_given_up(store: Store) -> None:
    store.session("s")
    connection, capabilities = store.open()
    ticket = Ticket()
    ticket.cancel()
    with pytest.raises(Cancelled):
        transcript(connection, capabilities, "s", ticket=ticket)
    with pytest.raises(Cancelled):
        read_messages(connection, capabilities, [1], ticket=ticket)
