"""JSON, format 1: the contract of the command line, one function for each shape.

Keys may be added; none is renamed or dropped within a format number, and they stay in this order. Nothing here dumps a
dataclass: what the product calls a thing inside may change, what a script reads may not.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping, Sequence
from typing import Any

from hermes_tui.model import (
    Answer,
    Capabilities,
    Case,
    Hit,
    Index,
    Message,
    Mode,
    PlanStep,
    Session,
    SessionList,
    StoreReport,
    ToolCall,
    WayOut,
    Window,
)

FORMAT = 1
MATCH_CHARS = 160
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


def reply(
    value: SessionList | Answer | Window | StoreReport,
    *,
    profile: str | None,
    explain: bool = False,
    ways_out: Sequence[WayOut] = (),
) -> Shape:
    """What a verb prints for what it was answered. `profile` is that of the store; `explain` gives the plan in full;
    `ways_out` are other questions, for an answer without a hit."""
    match value:
        case SessionList():
            return sessions(value, profile=profile)
        case Answer():
            return search(value, profile=profile, explain=explain, ways_out=ways_out)
        case Window():
            return show(value, profile=profile)
        case StoreReport():
            return doctor([value])


def search(answer: Answer, *, profile: str | None, explain: bool = False, ways_out: Sequence[WayOut] = ()) -> Shape:
    """What `search` answers. What an index is asked can be thousands of characters: only `explain` gives all of it."""
    covered = answer.coverage
    return {
        "format": FORMAT,
        "query": answer.query,
        "sort": answer.sort,
        "plan": [_step(step, whole=explain) for step in answer.plan],
        "hits": [_hit(hit, profile) for hit in answer.hits],
        "sessions": [session(row, profile=profile) for row in answer.sessions],
        "coverage": {
            "messages": covered.messages,
            "searched": covered.searched,
            "word": covered.word,
            "trigram": covered.trigram,
            "scan": covered.scan,
            "notes": list(covered.notes),
        },
        "hidden": dict(answer.hidden),
        "total": answer.total,
        "truncated": answer.truncated,
        "elapsed_ms": round(answer.elapsed_ms, 3),
        "mode": _mode(answer.mode),
        "filters": [
            {"text": part.text, "without": part.without, "hides": part.hides, "more": part.more}
            for part in answer.filters
        ],
        "ways_out": [_way(way) for way in ways_out],
        "goto": None if answer.goto is None else str(answer.goto),
    }


def _mode(mode: Mode) -> Shape:
    return {"case": mode.case is Case.EXACT, "regex": mode.regex, "reasoning": mode.reasoning}


def _way(way: WayOut) -> Shape:
    return {
        "reason": way.reason,
        "hits": way.hits,
        "more": way.more,
        "query": way.text,
        "mode": _mode(way.mode),
        "all": way.rewound or way.hidden,
        "profile": way.profile,
    }


def show(window: Window, *, profile: str | None) -> Shape:
    """What `show` answers."""
    anchor = window.anchor
    marked = None if anchor is None else anchor.message_id
    return {
        "format": FORMAT,
        "session": session(window.session, profile=profile),
        "anchor": None if anchor is None else str(anchor),
        "messages": _messages(window.messages, marked),
        "before": window.before,
        "after": window.after,
        "bookends": {
            "start": _messages(window.bookends_start, marked),
            "end": _messages(window.bookends_end, marked),
        },
        "hidden": dict(window.hidden),
    }


def sessions(listed: SessionList, *, profile: str | None) -> Shape:
    """What `sessions` answers."""
    return {
        "format": FORMAT,
        "sessions": [session(row, profile=profile) for row in listed.rows],
        "hidden": dict(listed.hidden),
        "truncated": listed.truncated,
        "notes": list(listed.notes),
    }


def doctor(reports: Sequence[StoreReport]) -> Shape:
    """What `doctor` answers."""
    return {"format": FORMAT, "stores": [_store(report) for report in reports]}


def session(row: Session, *, profile: str | None) -> Shape:
    """A session as lists, `show` and the title hits of `search` give it. `profile` is that of the store."""
    counts = row.counts
    return {
        "id": row.id,
        "profile": row.profile or profile,
        "title": row.title,
        "preview": row.preview,
        "source": row.source,
        "model": row.model,
        "started_at": _number(row.started_at),
        "last_active_at": _number(row.last_active_at),
        "ended_at": _number(row.ended_at),
        "end_reason": row.end_reason,
        "messages": {"live": counts.live, "compacted": counts.compacted, "rewound": counts.rewound},
        "tokens": {"input": row.input_tokens, "output": row.output_tokens},
        "cost_usd": _number(row.cost_usd),
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
    }


def message(row: Message, *, is_anchor: bool) -> Shape:
    """A message as `show` gives it."""
    return {
        "id": row.id,
        "session_id": row.session_id,
        "role": row.role,
        "state": row.state.value,
        "kind": row.kind.value,
        "timestamp": _number(row.timestamp),
        "text": row.text,
        "tool_name": row.tool_name,
        "tool_calls": [_call(call) for call in row.tool_calls],
        "reasoning": row.reasoning,
        "copies": row.copies,
        "is_anchor": is_anchor,
    }


def _messages(rows: Sequence[Message], marked: int | None) -> list[Shape]:
    return [message(row, is_anchor=row.id == marked) for row in rows]


def _call(call: ToolCall) -> Shape:
    return {"id": call.id, "name": call.name, "arguments": call.arguments}


def _step(step: PlanStep, *, whole: bool) -> Shape:
    match = step.match
    if match is not None and not whole and len(match) > MATCH_CHARS:
        match = match[:MATCH_CHARS].rpartition(" OR ")[0] + " OR …"
    return {"route": step.route.value, "match": match, "reason": step.reason}


def _hit(hit: Hit, profile: str | None) -> Shape:
    found, owner = hit.message, hit.session
    return {
        "anchor": str(hit.anchor),
        "snippet": hit.snippet,
        "spans": [[start, end] for start, end in hit.spans],
        "message": {
            "id": found.id,
            "role": found.role,
            "tool_name": found.tool_name,
            "timestamp": _number(found.timestamp),
            "state": found.state.value,
            "copies": found.copies,
            "kind": found.kind.value,
        },
        "session": {
            "id": owner.id,
            "title": owner.title,
            "source": owner.source,
            "model": owner.model,
            "started_at": _number(owner.started_at),
            "last_active_at": _number(owner.last_active_at),
            "profile": owner.profile or profile,
            "conversation": owner.conversation or owner.id,
        },
    }


def _store(report: StoreReport) -> Shape:
    offered = report.capabilities
    return {
        "path": report.path,
        "profile": report.profile,
        "journal_mode": report.journal_mode,
        "opened": report.opened.value,
        "sqlite": report.sqlite,
        "layout": offered.layout.value,
        "indexes": _indexes(offered),
        "messages": report.messages,
        "sessions": report.sessions,
        "markers": list(offered.markers),
        "untouched": report.untouched,
        "notes": list(report.notes),
    }


def _indexes(offered: Capabilities) -> Mapping[str, Any]:
    gap = offered.gap
    return {
        "word": _index(offered.word),
        "trigram": _index(offered.trigram),
        "gap": None if gap is None else {"after": gap[0], "through": gap[1]},
    }


def _index(index: Index | None) -> Shape | None:
    """What an index holds; `tool_chars` is how much of a tool's output, null for all of it."""
    if index is None:
        return None
    return {
        "table": index.table,
        "trust": index.trust.value,
        "complete": index.complete,
        "tool_chars": index.tool_chars,
        "calls": index.calls,
        "automation": index.automation,
        "note": index.note,
    }


def _number(value: float | None) -> float | None:
    """The value where JSON has one for it."""
    return value if value is not None and math.isfinite(value) else None
