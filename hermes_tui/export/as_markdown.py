"""A document as Markdown: who said what, when, with anchors; tool output in fences that its own fences cannot close."""

from __future__ import annotations

from collections.abc import Iterator

from hermes_tui.export.fences import closed, fence_for
from hermes_tui.export.material import Chapter
from hermes_tui.export.reading import Reading
from hermes_tui.model import Anchor, Compaction, Kind, Message, Session, ToolCall
from hermes_tui.render.clean import clean_for_document
from hermes_tui.render.words import count, moment, role_label, state_label


def document(reading: Reading) -> Iterator[str]:
    """All chapters, each under the title of its session."""
    for number, chapter in enumerate(reading.material.chapters):
        if number:
            yield "\n"
        for line in title(reading.head(chapter.session)):
            yield line + "\n"
        yield from _chapter(reading, chapter)


def _chapter(reading: Reading, chapter: Chapter) -> Iterator[str]:
    cuts = {cut.at: cut for cut in chapter.compactions}
    for message in reading.messages(chapter):
        if skipped := chapter.skipped.get(message.id, 0):
            yield f"\n*{count(skipped, 'message')} {'left out' if message.id != chapter.rows[0].id else 'earlier'}*\n"
        if cut := cuts.get(message.id):
            yield f"\n---\n\n*{border(cut)}*\n"
        for line in message_lines(message, chapter.anchor(message), marked=message.id in chapter.marked):
            yield line + "\n"
        if message.reasoning.strip():
            if reading.reasoning:
                yield from (f"{line}\n" for line in _reasoning(message))
            else:
                reading.leave("reasoning")
        for image in reading.images(chapter, message):
            yield f"\n![{image.media_type}](data:{image.media_type};base64,{image.data})\n"
    if chapter.after:
        yield f"\n*{count(chapter.after, 'message')} later*\n"


def title(session: Session) -> Iterator[str]:
    """The title of a session, and a line about it."""
    yield f"# {field(session.title) or field(session.id)}"
    yield ""
    about = (f"session {field(session.id)}", field(session.source), field(session.model), stamp(session.started_at))
    yield " · ".join(part for part in about if part)


def border(cut: Compaction) -> str:
    """What compaction did at a place."""
    goes_on = ", and went on in a new session" if cut.continued else ""
    return f"Compacted here: of {count(cut.before, 'message')} the model kept {count(cut.kept)}{goes_on}"


def message_lines(message: Message, anchor: Anchor, *, marked: bool = False) -> Iterator[str]:
    """A message under a heading of its own, after an empty line."""
    who = role_label(message.role, message.kind)
    if message.kind is Kind.TOOL and message.tool_name:
        who = f"{who} {field(message.tool_name)}"
    about = (stamp(message.timestamp), state_label(message.state, message.copies), f"`{field(str(anchor))}`")
    yield ""
    yield f"## {'→ ' if marked else ''}{who} · {' · '.join(part for part in about if part)}"
    if message.text:
        yield ""
        if message.kind is Kind.TOOL:
            yield from _fenced(message.text)
        else:
            yield closed(clean_for_document(message.text))
    for call in message.tool_calls:
        yield ""
        yield from _call(call)


def field(text: str | None) -> str:
    """Text on one line, in which runs of blanks are one."""
    return "" if text is None else " ".join(clean_for_document(text).split())


def stamp(timestamp: float | None) -> str:
    """Local time with its zone, as 2026-08-01T14:02:09+02:00; "" when unknown."""
    then = moment(timestamp)
    return "" if then is None else then.astimezone().isoformat(timespec="seconds")


def _call(call: ToolCall) -> Iterator[str]:
    yield f"Calls `{field(call.name)}`:"
    yield ""
    yield from _fenced(call.arguments)


def _reasoning(message: Message) -> Iterator[str]:
    yield ""
    yield "*Reasoning:*"
    yield ""
    yield from (f"> {line}" for line in clean_for_document(message.reasoning).split("\n"))


def _fenced(text: str) -> Iterator[str]:
    body = clean_for_document(text)
    fence = fence_for(body)
    yield fence
    yield body
    yield fence
