"""JSON, format 1: the contract of the command line, one function for each shape.

Keys may be added; none is renamed or dropped within a format number, and they stay in this order. Nothing here dumps a
dataclass: what the product calls a thing inside may change, what a script reads may not.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from hermes_tui.export.shapes import FORMAT, Shape, dump, message, number, session
from hermes_tui.model import (
    Answer,
    Capabilities,
    Case,
    FoundStore,
    Hit,
    Index,
    Message,
    Mode,
    PlanStep,
    SessionList,
    StoreReport,
    Unread,
    WayOut,
    Window,
)

__all__ = ["dump", "message", "reply", "session"]

MATCH_CHARS = 160


def reply(
    value: SessionList | Answer | Window | Sequence[StoreReport],
    *,
    profile: str | None,
    explain: bool = False,
    ways_out: Sequence[WayOut] = (),
    unread: Sequence[Unread] = (),
    elsewhere: Sequence[FoundStore] = (),
) -> Shape:
    """What a verb prints for what it was answered. `profile` is that of the only store; `explain` gives the plan in
    full; `ways_out` are other questions, for an answer without a hit; `unread` are stores that could not be read, and
    `elsewhere` those that nobody asked about."""
    match value:
        case SessionList():
            shape = sessions(value, profile=profile)
        case Answer():
            shape = search(value, profile=profile, explain=explain, ways_out=ways_out)
        case Window():
            shape = show(value, profile=profile)
        case _:
            shape = doctor(value, elsewhere)
    if unread:
        shape["unread"] = [{"path": str(each.path), "profile": each.name, "why": each.why} for each in unread]
    return shape


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


def doctor(reports: Sequence[StoreReport], elsewhere: Sequence[FoundStore] = ()) -> Shape:
    """What `doctor` answers; what lies `elsewhere` was counted and not examined."""
    return {
        "format": FORMAT,
        "stores": [_store(report) for report in reports],
        "elsewhere": [_found(store) for store in elsewhere],
    }


def _found(store: FoundStore) -> Shape:
    return {
        "path": str(store.place.path),
        "profile": store.place.name,
        "kind": store.origin.value,
        "sessions": store.sessions,
        "last_active_at": number(store.last_active_at),
        "bytes": store.size,
        "only_here": store.missing,
        "why": store.why,
    }


def _messages(rows: Sequence[Message], marked: int | None) -> list[Shape]:
    return [message(row, is_anchor=row.id == marked) for row in rows]


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
            "timestamp": number(found.timestamp),
            "state": found.state.value,
            "copies": found.copies,
            "kind": found.kind.value,
        },
        "session": {
            "id": owner.id,
            "title": owner.title,
            "source": owner.source,
            "model": owner.model,
            "started_at": number(owner.started_at),
            "last_active_at": number(owner.last_active_at),
            "profile": owner.owner or owner.profile or profile,
            "conversation": owner.conversation or owner.id,
            "store": owner.profile or profile,
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
