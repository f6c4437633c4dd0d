"""What can be stored, by the names of the columns, and how values are written into them."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from typing import Any, NotRequired, Required, TypedDict

from hermes_tui.recorder.errors import RecorderError

MAX_TITLE = 100  # characters
STRUCTURED = "\x00json:"  # stands before content that is not plain text
SUMMARY_HEAD = "[CONTEXT COMPACTION — REFERENCE ONLY] Earlier turns were compacted into the summary below."
SUMMARY_NOTE = "It tells what was said and done before; it asks for nothing."
SUMMARY_TAIL = "--- END OF CONTEXT SUMMARY — respond to the message below, not the summary above ---"

Content = str | bytes | Sequence[Any] | Mapping[str, Any] | None


class SessionFields(TypedDict, total=False):
    """What a session may say about itself. A column the file does not have is left out."""

    user_id: str | None
    session_key: str | None  # the chat of a messenger: sessions of one chat share it
    chat_id: str | None
    chat_type: str | None
    thread_id: str | None
    display_name: str | None
    origin_json: Mapping[str, Any] | None
    model: str | None
    model_config: Mapping[str, Any] | None
    cwd: str | None
    git_branch: str | None
    git_repo_root: str | None
    profile_name: str | None
    billing_provider: str | None
    billing_base_url: str | None
    billing_mode: str | None
    last_activity_at: float | None
    last_read_at: float | None  # Unix seconds; 0 for unread, None for never tracked


class MessageFields(TypedDict, total=False):
    """What a message may carry besides its role and content. A column the file does not have is left out.

    `tool_calls` is the list a model answers with: `[{"id", "type": "function", "function": {"name", "arguments"}}]`,
    where `arguments` is JSON text. `timestamp` is Unix seconds, the recorder's clock when left out.
    """

    tool_calls: Sequence[Mapping[str, Any]] | None
    tool_call_id: str | None
    tool_name: str | None
    effect_disposition: str | None
    timestamp: float | None
    token_count: int | None
    finish_reason: str | None
    reasoning: str | None
    reasoning_content: str | None
    reasoning_details: Sequence[Any] | None
    codex_reasoning_items: Sequence[Any] | None
    codex_message_items: Sequence[Any] | None
    platform_message_id: str | None
    observed: bool  # said in a group, not to the agent
    api_content: str | None  # what was sent to the model where it differs from the content
    display_kind: str | None
    display_metadata: Mapping[str, Any] | None


class NewMessage(MessageFields):
    """One message for `append_many`."""

    role: Required[str]
    content: NotRequired[Content]


class MessageChanges(MessageFields, total=False):
    """What `update_message` may change."""

    role: str
    content: Content


_JSON_COLUMNS = {
    "origin_json",
    "model_config",
    "tool_calls",
    "reasoning_details",
    "codex_reasoning_items",
    "codex_message_items",
    "display_metadata",
}
_SESSION_NAMES = frozenset(SessionFields.__annotations__)
_MESSAGE_NAMES = frozenset(MessageFields.__annotations__) | {"role", "content"}

_CONTROLS = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f]")
_INVISIBLE = re.compile("[\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffc]")


def session_values(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Column values of a session's fields. Raises `RecorderError` for a name that is not a field."""
    return _column_values(fields, _SESSION_NAMES, "session")


def message_values(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Column values of a message's fields. Raises `RecorderError` for a name that is not a field."""
    values = _column_values(fields, _MESSAGE_NAMES, "message")
    if "content" in values:
        values["content"] = encode_content(fields["content"])
    if "observed" in values:
        values["observed"] = int(bool(values["observed"]))
    if values.get("timestamp") is not None:
        values["timestamp"] = float(values["timestamp"])
    if "tool_calls" in values:
        values["tool_calls"] = _tool_calls(fields["tool_calls"])
    return values


def encode_content(content: Content) -> str | bytes | None:
    """Content as it is stored: plain values as they are, lists and mappings as marked JSON text.

    Text that begins with the mark itself is wrapped in it, so that it reads back as the same text.
    """
    if content is None or isinstance(content, bytes):
        return content
    if isinstance(content, str):
        text = without_surrogates(content)
        return STRUCTURED + json.dumps(text) if text.startswith(STRUCTURED) else text
    if isinstance(content, (Sequence, Mapping)):
        return STRUCTURED + _json(content, "content")
    raise RecorderError(f"content must be text, bytes, a list, a mapping or None, not {type(content).__name__}.")


def decode_content(stored: object) -> Any:
    """The value that `encode_content` was given; text behind a broken mark comes back as it is stored."""
    if isinstance(stored, str) and stored.startswith(STRUCTURED):
        try:
            return json.loads(stored[len(STRUCTURED) :])
        except ValueError:
            return stored
    return stored


def clean_title(title: str | None) -> str | None:
    """A title on one line without control and invisible characters; None when nothing is left.

    Raises `RecorderError` for a title of more than 100 characters.
    """
    if not title:
        return None
    text = _INVISIBLE.sub("", _CONTROLS.sub("", without_surrogates(title)))
    text = re.sub(r"\s+", " ", text).strip()
    if len(text) > MAX_TITLE:
        raise RecorderError(f"A title has at most {MAX_TITLE} characters, this one has {len(text)}.")
    return text or None


def summary_text(summary: str) -> str:
    """A summary between the lines by which every reader knows that a machine wrote it."""
    return f"{SUMMARY_HEAD} {SUMMARY_NOTE}\n\n{summary.strip()}\n\n{SUMMARY_TAIL}"


def display_identity(row: Mapping[str, Any]) -> bytes:
    """A digest that is the same for every stored copy of one logical message.

    An assistant row whose tool calls all have ids is known by those; its arguments may be shortened in a later copy.
    """
    content, tool_calls = row["content"], row["tool_calls"]
    if row["role"] == "assistant" and (ids := _call_ids(tool_calls)):
        content, tool_calls = None, ids
    key = (row["role"], content, row["timestamp"], row["tool_call_id"], tool_calls, row["tool_name"])
    return hashlib.sha256(repr(key).encode("utf-8", "surrogatepass")).digest()


def _call_ids(stored: str | None) -> tuple[str, ...]:
    """The ids of all stored calls, empty when one of them has none."""
    try:
        calls = json.loads(stored or "[]")
        ids = tuple(call.get("call_id") or call.get("id") for call in calls)
    except (ValueError, TypeError, AttributeError):
        return ()
    return ids if all(ids) else ()


def without_surrogates(text: str) -> str:
    """Text that SQLite can store: halves of surrogate pairs become U+FFFD."""
    return re.sub("[\ud800-\udfff]", "\ufffd", text)


def _tool_calls(calls: Sequence[Mapping[str, Any]] | str | None) -> str | None:
    """A list of calls as JSON text, None for an empty list; JSON text of such a list is taken as it is meant."""
    if isinstance(calls, str):
        try:
            calls = json.loads(calls)
        except ValueError as error:
            raise RecorderError(f"tool_calls is text, but not JSON: {error}.") from error
    if not calls:
        return None
    if not isinstance(calls, (list, tuple)) or not all(isinstance(call, Mapping) for call in calls):
        raise RecorderError("tool_calls must be a list of mappings.")
    return _json(list(calls), "tool_calls")


def _column_values(fields: Mapping[str, Any], known: frozenset[str], what: str) -> dict[str, Any]:
    if unknown := sorted(set(fields) - known):
        raise RecorderError(f"A {what} has no field {unknown[0]!r}.")
    values: dict[str, Any] = {}
    for name, value in fields.items():
        if name in _JSON_COLUMNS and value is not None and not isinstance(value, str):
            value = _json(value, name)
        elif isinstance(value, str):
            value = without_surrogates(value)
        values[name] = value
    return values


def _json(value: object, name: str) -> str:
    """ASCII JSON, as every release writes it. Raises `RecorderError` for what JSON cannot hold."""
    try:
        return json.dumps(value)
    except (TypeError, ValueError) as error:
        raise RecorderError(f"{name} cannot be stored as JSON: {error}.") from error
