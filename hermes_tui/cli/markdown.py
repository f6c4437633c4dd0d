"""A window as Markdown: who said what, when, with anchors; tool output in fences that its own fences cannot close."""

from __future__ import annotations

import re
from collections.abc import Iterator

from hermes_tui.cli.lines import field, stamp
from hermes_tui.model import Anchor, Kind, Message, ToolCall, Window
from hermes_tui.render.clean import clean
from hermes_tui.render.words import role_label, state_label

_TICKS = re.compile("`{3,}")


def show(window: Window) -> Iterator[str]:
    """The session's title, a line about it, and each message under a heading of its own."""
    session = window.session
    yield f"# {field(session.title) or field(session.id)}"
    yield ""
    about = (f"session {field(session.id)}", field(session.source), field(session.model), stamp(session.started_at))
    yield " · ".join(part for part in about if part)
    if window.before:
        yield from ("", f"*{window.before} earlier*")
    for message in window.messages:
        yield from _message(message, session.profile)
    if window.after:
        yield from ("", f"*{window.after} later*")


def _message(message: Message, store: str | None) -> Iterator[str]:
    anchor = field(str(Anchor(message.session_id, message.id, store)))
    who = role_label(message.role, message.kind)
    about = (stamp(message.timestamp), state_label(message.state, message.copies), f"`{anchor}`")
    yield ""
    yield f"## {who} · {' · '.join(part for part in about if part)}"
    if message.text:
        yield ""
        if message.kind is Kind.TOOL:
            yield from _fenced(message.text)
        else:
            yield clean(message.text)
    for call in message.tool_calls:
        yield ""
        yield from _call(call)


def _call(call: ToolCall) -> Iterator[str]:
    yield f"Calls `{field(call.name)}`:"
    yield ""
    yield from _fenced(call.arguments)


def _fenced(text: str) -> Iterator[str]:
    body = clean(text)
    fence = "`" * max(3, max((len(found[0]) + 1 for found in _TICKS.finditer(body)), default=3))
    yield fence
    yield body
    yield fence
