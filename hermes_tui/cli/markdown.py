"""A window as Markdown, as `export` writes it, with what there is before and after."""

from __future__ import annotations

from collections.abc import Iterator

from hermes_tui.export.as_markdown import message_lines, title
from hermes_tui.model import Anchor, Window


def show(window: Window) -> Iterator[str]:
    """The session's title, a line about it, and each message under a heading of its own."""
    yield from title(window.session)
    if window.before:
        yield from ("", f"*{window.before} earlier*")
    for message in window.messages:
        yield from message_lines(message, Anchor(message.session_id, message.id, window.session.profile))
    if window.after:
        yield from ("", f"*{window.after} later*")
