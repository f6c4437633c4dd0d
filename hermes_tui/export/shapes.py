"""JSON, format 1: a session and a message as every verb gives them, and JSON text that is safe to print.

Keys may be added; none is renamed or dropped within a format number, and they stay in this order. Imports nothing but
the nouns: who answers in JSON pays for no rendering.
"""

from __future__ import annotations

import json
import math
import re
from typing import Any

from hermes_tui.model import Message, Session, ToolCall

FORMAT = 1
Shape = dict[str, Any]

# JSON itself escapes control codes below U+0020 only. The others must not reach a terminal either, and the two line
# separators must not break a reader that goes by lines; escaped, every reader of JSON gets them back as they were.
_UNSAFE = re.compile("[\x7f-\x9f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]")
_SURROGATE = re.compile("[\ud800-\udfff]")


def dump(value: Shape, *, indent: int | None = None) -> str:
    """`value` as JSON text that is valid UTF-8, holds no control code as such, and no NaN."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, indent=indent)
    if text.isascii():
        return text.replace("\x7f", "\\u007f")
    return _UNSAFE.sub(lambda found: f"\\u{ord(found[0]):04x}", _SURROGATE.sub("\ufffd", text))


def session(row: Session, *, profile: str | None) -> Shape:
    """A session as lists, `show` and the title hits of `search` give it. `profile` is that of the store.

    A gateway writes sessions of several profiles into one store: `profile` in the shape is whose it is, `store` names
    the store that holds it, which is what stands in front of an anchor.
    """
    counts = row.counts
    return {
        "id": row.id,
        "profile": row.owner or row.profile or profile,
        "title": row.title,
        "preview": row.preview,
        "source": row.source,
        "model": row.model,
        "started_at": number(row.started_at),
        "last_active_at": number(row.last_active_at),
        "ended_at": number(row.ended_at),
        "end_reason": row.end_reason,
        "messages": {"live": counts.live, "compacted": counts.compacted, "rewound": counts.rewound},
        "tokens": {"input": row.input_tokens, "output": row.output_tokens},
        "cost_usd": number(row.cost_usd),
        "cwd": row.cwd,
        "status": row.status.value,
        "parent": row.parent_id,
        "kind": row.kind.value,
        "segments": list(row.segments),
        "conversation": row.conversation or row.id,
        "archived": row.archived,
        "hidden": row.hidden,
        "pinned": row.pinned,
        "branch": row.branch,
        "project": row.project,
        "unread": row.unread,
        "store": row.profile or profile,
    }


def message(row: Message, *, is_anchor: bool) -> Shape:
    """A message as `show` gives it."""
    return {
        "id": row.id,
        "session_id": row.session_id,
        "role": row.role,
        "state": row.state.value,
        "kind": row.kind.value,
        "timestamp": number(row.timestamp),
        "text": row.text,
        "tool_name": row.tool_name,
        "tool_calls": [_call(call) for call in row.tool_calls],
        "reasoning": row.reasoning,
        "copies": row.copies,
        "is_anchor": is_anchor,
    }


def _call(call: ToolCall) -> Shape:
    return {"id": call.id, "name": call.name, "arguments": call.arguments}


def number(value: float | None) -> float | None:
    """The value where JSON has one for it."""
    return value if value is not None and math.isfinite(value) else None
