"""A raw cell becomes what a person reads, whatever it holds."""

from __future__ import annotations

import base64
import json
import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermes_tui.model import Kind, Message, Region, State, ToolCall
from hermes_tui.store.decode import (
    decode_calls,
    decode_json_texts,
    decode_text,
    decode_time,
    kind_of,
    message_fields,
    state_of,
)
from hermes_tui.store.scaffold import own_words

SUMMARY = "[CONTEXT COMPACTION — REFERENCE ONLY] Earlier turns were compacted into the summary below. More."
END = "--- END OF CONTEXT SUMMARY — respond to the message below, not the summary above ---"
CARRIER = (
    "[PRIOR CONTEXT — for reference only; not a new message]\n{words}\n"
    f"[END OF PRIOR CONTEXT — COMPACTION SUMMARY BELOW]\n{SUMMARY}\n{END}"
)
SKILL = '[IMPORTANT: The user has invoked the "work" skill, indicating they want you to follow its instructions.]'
TYPED = "The user has provided the following instruction alongside the skill invocation: "


def image(size: int, kind: str = "image/png") -> dict[str, Any]:
    data = base64.b64encode(b"\x89" * size).decode()
    return {"type": "image_url", "image_url": {"url": f"data:{kind};base64,{data}"}}


def stored(value: Any, mark: str = "\x00json:") -> str:
    return mark + json.dumps(value)


# Text


@pytest.mark.parametrize(
    ("raw", "text"),
    [
        (None, ""),
        ("", ""),
        ("plain — text\r\n\ttabbed", "plain — text\r\n\ttabbed"),
        (b"bytes \xff\xfe here", "bytes �� here"),
        (b"hello \xe2\x9c", "hello �"),
        ("nul\x00inside", "nul\x00inside"),
        ("lone \ud83d surrogate", "lone � surrogate"),
        ("\x1b[31mred\x1b[0m", "\x1b[31mred\x1b[0m"),
        ('{"not": "a tool result"}', '{"not": "a tool result"}'),
    ],
)
def test_content_of_people_stands_as_it_is(raw: Any, text: str) -> None:
    assert decode_text(raw, "user") == text
    text.encode()


@pytest.mark.parametrize("mark", ["\x00json:", "\x01json:"])
def test_parts_read_as_text_and_pictures(mark: str) -> None:
    content = stored([{"type": "text", "text": "receipt from Krak\u00f3w"}, image(40 * 1024)], mark)
    assert "ó" not in content
    assert decode_text(content, "user") == "receipt from Kraków\n[image/png 40 KB]"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ([image(72)], "[image/png 72 B]"),
        ([image(3 * 1024 * 1024, "image/jpeg")], "[image/jpeg 3.0 MB]"),
        ([{"type": "input_text", "text": "a"}, {"type": "text", "text": ""}, {"type": "text", "text": "b"}], "a\nb"),
        ([{"type": "input_image", "image_url": "https://example.com/x.png"}], "[image https://example.com/x.png]"),
        (
            [{"type": "image", "source": {"type": "base64", "media_type": "image/gif", "data": "QUJD"}}],
            "[image/gif 3 B]",
        ),
        ([{"type": "image_url", "image_url": {}}], "[image]"),
        ([{"type": "input_audio", "input_audio": {"data": "QUJD", "format": "wav"}}], "[input_audio]"),
        ([{"type": "file", "file": {"filename": "report.pdf", "file_data": "QUJD"}}], "[file report.pdf 3 B]"),
        (
            [{"type": "file", "file": {"filename": "a.pdf", "file_data": "data:application/pdf;base64,QUJD"}}],
            "[application/pdf a.pdf 3 B]",
        ),
        ([{"type": "input_file", "filename": "a.pdf", "file_id": "f-1"}], "[input_file a.pdf]"),
        ([{"type": "tool_result", "content": [{"type": "text", "text": "inner"}]}], "inner"),
        (["bare", {"type": "text", "text": "part"}], "bare\npart"),
        ({"_multimodal": True, "content": [{"type": "text", "text": "seen"}, image(2048)]}, "seen\n[image/png 2 KB]"),
        ({"ok": True, "text": "字典"}, "ok: true\ntext: 字典"),
        ({"type": "text", "text": {"value": "nested"}}, "nested"),
        ([1, 2.5], "1\n2.5"),
        ("\x00json:[1]", "\x00json:[1]"),
        (12345, "12345"),
        (None, "null"),
        ([], ""),
        ([{"type": "text", "text": "bad \ud83d end"}], "bad � end"),
    ],
)
def test_every_stored_structure_reads(value: Any, text: str) -> None:
    assert decode_text(stored(value), "user") == text


@pytest.mark.parametrize("raw", ["\x00json:", "\x00json:{broken", "\x01json:[1,", "\x00json:" + "[" * 100_000])
def test_broken_structure_shows_raw(raw: str) -> None:
    assert decode_text(raw, "user") == raw


# Tool calls


def call(name: str, arguments: Any, key: str = "call_1") -> dict[str, Any]:
    return {"id": key, "type": "function", "function": {"name": name, "arguments": arguments}}


TERMINAL = (ToolCall("call_1", "terminal", "command: ls -la"),)


@pytest.mark.parametrize(
    ("raw", "calls"),
    [
        (None, ()),
        ("", ()),
        ("[]", ()),
        ("null", ()),
        (json.dumps([call("terminal", '{"command": "ls -la"}')]), TERMINAL),
        (json.dumps(json.dumps([call("terminal", '{"command": "ls -la"}')])), TERMINAL),
        (json.dumps(call("terminal", {"command": "ls -la"})), TERMINAL),
        (
            json.dumps([{"name": "terminal", "arguments": '{"command": "ls"}'}]),
            (ToolCall(None, "terminal", "command: ls"),),
        ),
        (json.dumps([call("say", '{"text": "\\u5317"}')]), (ToolCall("call_1", "say", "text: 北"),)),
        (json.dumps([call("say", "not json")]), (ToolCall("call_1", "say", "not json"),)),
        (json.dumps([call("say", "")]), (ToolCall("call_1", "say", ""),)),
        (
            json.dumps([call("a", "{}"), call("b", "{}", "call_2")]),
            (ToolCall("call_1", "a", "{}"), ToolCall("call_2", "b", "{}")),
        ),
        (
            json.dumps([{"type": "tool_use", "id": "t1", "name": "read", "input": {"path": "x"}}]),
            (ToolCall("t1", "read", "path: x"),),
        ),
        ('[{"id": "c", "function": {"name": "cut', (ToolCall(None, "", '[{"id": "c", "function": {"name": "cut'),)),
        (b'[{"name": "raw", "arguments": "{}"}]', (ToolCall(None, "raw", "{}"),)),
        (json.dumps(["just words"]), (ToolCall(None, "", "just words"),)),
    ],
)
def test_calls_in_every_shape(raw: Any, calls: tuple[ToolCall, ...]) -> None:
    assert decode_calls(raw) == calls


def test_texts_of_provider_lists() -> None:
    details = [{"type": "reasoning.text", "text": "first", "signature": "c2ln"}, {"type": "encrypted", "data": "AAAA"}]
    assert decode_json_texts(json.dumps(details)) == "first"
    items = [
        {"type": "reasoning", "encrypted_content": "AAAA", "summary": [{"type": "summary_text", "text": "thought"}]}
    ]
    assert decode_json_texts(json.dumps(json.dumps(items))) == "thought"
    assert decode_json_texts(json.dumps([{"content": [{"type": "output_text", "text": "answer"}]}])) == "answer"
    assert decode_json_texts("{broken") == decode_json_texts(None) == ""


# Times


@pytest.mark.parametrize(
    ("cell", "seconds"),
    [
        (0, 0.0),
        (1780000000.25, 1780000000.25),
        (1781773226453, 1781773226.453),
        (1781773226453000, 1781773226.453),
        (1781773226453000000, 1781773226.453),
        ("1780000000.5", 1780000000.5),
        ("1781773226453", 1781773226.453),
        ("2026-04-09T12:00:00", 1775736000.0),
        ("2026-04-09 12:00:00", 1775736000.0),
        ("2026-04-09T12:00:00Z", 1775736000.0),
        ("2026-04-09T14:00:00+02:00", 1775736000.0),
        (b"1780000000", 1780000000.0),
        (4.2e9, 4.2e9),
    ],
)
def test_times_in_every_unit(cell: Any, seconds: float) -> None:
    found = decode_time(cell)
    assert found is not None
    assert math.isclose(found, seconds, abs_tol=1e-3)


@pytest.mark.parametrize(
    "cell",
    [None, True, False, -1, -0.5, math.inf, -math.inf, math.nan, 5e246, 5e9, 10**400, "", "soon", "inf", "nan", "-5",
     "1969-12-31T00:00:00", "9999-99-99", b"\xff", [1]],
)  # fmt: skip
def test_no_times(cell: Any) -> None:
    assert decode_time(cell) is None


@given(st.one_of(st.integers(), st.floats(), st.text(max_size=20), st.binary(max_size=20)))
def test_any_cell_is_a_time_or_none(cell: Any) -> None:
    found = decode_time(cell)
    assert found is None or 0 <= found <= 4.2e9


# State and kind


@pytest.mark.parametrize(
    ("active", "compacted", "state"),
    [
        (1, 0, State.LIVE),
        (1, 1, State.LIVE),
        (None, None, State.LIVE),
        (None, 1, State.LIVE),
        (0, 1, State.COMPACTED),
        (0, 0, State.REWOUND),
        (0, None, State.REWOUND),
    ],
)
def test_states(active: Any, compacted: Any, state: State) -> None:
    assert state_of(active, compacted) is state


@pytest.mark.parametrize(
    ("role", "text", "columns", "kind"),
    [
        ("user", "hello", {}, Kind.TURN),
        ("assistant", "", {}, Kind.TURN),
        ("tool", "[CONTEXT COMPACTION quoted by a tool", {}, Kind.TOOL),
        ("user", f"\n  {SUMMARY}\n\nwhat was done\n\n{END}\n", {}, Kind.SUMMARY),
        ("assistant", "[CONTEXT SUMMARY]: what was done", {}, Kind.SUMMARY),
        ("user", SUMMARY, {"display_kind": "hidden", "compressed_summary": 1}, Kind.SUMMARY),
        ("user", "a hand-over without its sign", {"compressed_summary": 1}, Kind.SUMMARY),
        ("user", f"{SUMMARY}\n\n{END}\n\nthe real ask", {}, Kind.TURN),
        ("user", f"{SUMMARY}\n\n{END}\n\nthe real ask", {"compressed_summary": 1}, Kind.TURN),
        (
            "user",
            CARRIER.format(words="real ask"),
            {},
            Kind.TURN,
        ),
        (
            "user",
            CARRIER.format(words=""),
            {},
            Kind.SUMMARY,
        ),
        ("user", "scaffold", {"display_kind": "hidden"}, Kind.HIDDEN),
        ("user", "scaffold", {"display_metadata": '{"model_only": true}'}, Kind.HIDDEN),
        ("user", "scaffold", {"display_metadata": json.dumps('{"model_only": true}')}, Kind.HIDDEN),
        ("tool", "result", {"display_kind": "hidden"}, Kind.HIDDEN),
        ("user", "words", {"display_metadata": '{"model_only": false}'}, Kind.TURN),
        ("user", "words", {"display_metadata": "{model_only"}, Kind.TURN),
        ("user", "switched", {"display_kind": "model_switch"}, Kind.NOTICE),
        ("user", "switched", {"display_kind": "personality_switch"}, Kind.NOTICE),
        ("user", "done", {"display_kind": "async_delegation_complete"}, Kind.NOTICE),
        ("user", "done", {"display_kind": "process_complete"}, Kind.NOTICE),
        ("user", "go on", {"display_kind": "auto_continue"}, Kind.NOTICE),
        ("user", "note", {"display_kind": "internal_notification"}, Kind.NOTICE),
        ("assistant", "failed", {"display_kind": "failed_turn"}, Kind.NOTICE),
        ("user", "typed by a person", {"display_kind": "steer"}, Kind.TURN),
        ("user", SKILL, {"display_kind": "skill_invocation"}, Kind.TURN),
        ("user", "from a later release", {"display_kind": "sparkle"}, Kind.TURN),
        ("session_meta", "", {}, Kind.NOTICE),
        ("system", "", {}, Kind.NOTICE),
        ("system", "be brief", {}, Kind.NOTICE),
        ("user", "[IMPORTANT: Background process 12 exited with code 0]", {}, Kind.NOTICE),
        ("user", "[ASYNC DELEGATION COMPLETE — d1]", {}, Kind.NOTICE),
        ("user", "You've reached the maximum number of tool-calling iterations allowed. Please", {}, Kind.NOTICE),
        (
            "user",
            "Continue from the compressed conversation context above. This marker exists because no human user turn",
            {},
            Kind.NOTICE,
        ),
        ("assistant", "[IMPORTANT: Background process quoted by the model", {}, Kind.TURN),
    ],
)
def test_kinds(role: str, text: str, columns: dict[str, Any], kind: Kind) -> None:
    asked = {"display_kind": None, "display_metadata": None, "compressed_summary": None, **columns}
    assert kind_of(role, text, **asked) is kind


CRON = (
    "[IMPORTANT: You are running as a scheduled cron job. DELIVERY: it is delivered. SILENT: respond with exactly "
    '"[SILENT]" (nothing else), or say [SILENT] and nothing more.]'
)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("hello", "hello"),
        ("<memory-context>\n[System note]\n</memory-context>\nthanks, that worked", "thanks, that worked"),
        ("<memory-context>never closed", ""),
        (f"{SUMMARY}\nbody\n{END}", ""),
        (f"{SUMMARY}\nbody\n{END}\n\nthe real ask", "the real ask"),
        (
            CARRIER.format(words="kept words"),
            "kept words",
        ),
        (f"{SKILL}\n\nbody body\n\n{TYPED}fix the title leak", "fix the title leak"),
        (f"{SKILL}\n\nbody\n\n{TYPED}fix it\n\n[Runtime note: x]", "fix it"),
        (f"{SKILL}\n\nbody without words", "/work"),
        (f"{CRON}\n\nCheck [the] disk.\n\nSay so.", "Check [the] disk.\n\nSay so."),
        (f"{SKILL}\n\nbody\n\n{TYPED}{CRON}\n\nCheck the disk.", "Check the disk."),
        (CRON, ""),
        ("[IMPORTANT: You are running late]\n\nhello", "[IMPORTANT: You are running late]\n\nhello"),
        ("[System note: Your previous turn was interrupted by a restart.]\n\nmake the tea", "make the tea"),
        ("[System note: A new message came.]\n[System note: Your previous turn stopped.]\n\ngo on", "go on"),
        ("[System note: Your previous turn was interrupted.]", ""),
        ("[System note: mine] stays", "[System note: mine] stays"),
    ],
)
def test_own_words(text: str, words: str) -> None:
    assert own_words(text) == words


def test_fields_a_query_is_matched_against() -> None:
    message = Message(
        1, "s", "assistant", "text", tool_calls=(ToolCall("c", "terminal", "command: ls"),), reasoning="thought"
    )
    assert message_fields(message) == ["text", "terminal", "command: ls"]
    assert message_fields(message, set(Region)) == ["text", "terminal", "command: ls", "thought"]
    assert message_fields(message, {Region.TOOLS}) == ["terminal", "command: ls"]
    assert message_fields(Message(3, "s", "tool", "done"), {Region.TEXT}) == []
    assert message_fields(Message(2, "s", "tool", "", tool_name="terminal")) == ["terminal"]
