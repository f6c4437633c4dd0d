"""A document as one HTML file that fetches nothing and runs nothing.

Every text is escaped, there is no script, and the policy at the top forbids both scripts and everything that is not in
the file. Code has colours where its language is known; what is long or aside is folded into `<details>`.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterator
from html import escape

from hermes_tui.export.as_markdown import border, field, stamp
from hermes_tui.export.material import Chapter
from hermes_tui.export.reading import Reading
from hermes_tui.export.style import STYLE
from hermes_tui.hints import fences
from hermes_tui.model import Kind, Message, Session, ToolCall
from hermes_tui.render.cards import gist
from hermes_tui.render.clean import clean_for_document
from hermes_tui.render.code import Fence
from hermes_tui.render.outcome import answered, failure
from hermes_tui.render.words import count, role_label, size, state_label

LARGE = 2_000  # characters of an output from which its size is told besides its lines
_HASH = base64.b64encode(hashlib.sha256(STYLE.encode()).digest()).decode()
_POLICY = f"default-src 'none'; style-src 'sha256-{_HASH}'; img-src data:; base-uri 'none'; form-action 'none'"


def document(reading: Reading) -> Iterator[str]:
    """The whole file, message by message; what was masked and left out stands at its end."""
    chapters = reading.material.chapters
    titles = [_title(reading.head(chapter.session)) for chapter in chapters]
    name = titles[0] if len(titles) == 1 else count(len(titles), "conversation")
    yield (
        f'<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{escape(_POLICY)}">\n'
        f'<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f'<meta name="referrer" content="no-referrer">\n<meta name="generator" content="hermes-tui">\n'
        f"<title>{escape(name)}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n<main>\n"
    )
    for number, (chapter, title) in enumerate(zip(chapters, titles, strict=True), start=1):
        yield _head(chapter, title)
        # Messages of two stores may have the same number.
        yield from _chapter(reading, chapter, "m" if chapter.profile is None else f"m{number}-")
    yield f"</main>\n<footer>{''.join(f'<p>{escape(remark)}</p>' for remark in reading.remarks())}</footer>\n"
    yield "</body>\n</html>\n"


def _title(session: Session) -> str:
    return field(session.title) or field(session.id)


def _head(chapter: Chapter, title: str) -> str:
    session = chapter.session
    began, last = stamp(chapter.segments[0].started_at), stamp(session.last_active_at)
    facts = {
        "Session": field(session.id),
        "Source": field(session.source),
        "Model": field(session.model),
        "Began": began,
        "Last active": last,
        "Folder": field(session.cwd),
        "Messages": f"{len(chapter.rows):,}",
    }
    rows = "".join(f"<dt>{name}</dt><dd>{escape(value)}</dd>" for name, value in facts.items() if value)
    return f'<header>\n<h1 dir="auto">{escape(title)}</h1>\n<dl>{rows}</dl>\n</header>\n'


def _chapter(reading: Reading, chapter: Chapter, name: str) -> Iterator[str]:
    """Its messages; the id of each is `name` and its number."""
    cuts = {cut.at: cut for cut in chapter.compactions}
    for message in reading.messages(chapter):
        if skipped := chapter.skipped.get(message.id, 0):
            yield f'<p class="gap">{count(skipped, "message")} left out</p>\n'
        if cut := cuts.get(message.id):
            yield f'<p class="border">{border(cut)}</p>\n'
        yield _article(reading, chapter, message, name)
    if chapter.after:
        yield f'<p class="gap">{count(chapter.after, "message")} later</p>\n'


def _article(reading: Reading, chapter: Chapter, message: Message, name: str) -> str:
    who = role_label(message.role, message.kind)
    if message.kind is Kind.TOOL and message.tool_name:
        who = f"{who} {field(message.tool_name)}"
    state = state_label(message.state, message.copies)
    names = [message.kind.value, message.state.value]
    names += [name for name, so in (("user", message.role == "user"), ("marked", message.id in chapter.marked)) if so]
    parts = [
        f'<article id="{name}{message.id}" class="{" ".join(names)}">\n',
        f'<p class="about"><b>{escape(who)}</b> ',
        f"<time>{escape(stamp(message.timestamp))}</time> {f'<i>{state}</i> ' if state else ''}",
        f'<a href="#{name}{message.id}">#{message.id}</a></p>\n',
        _body(message),
        *(_call(call) for call in message.tool_calls),
    ]
    if message.reasoning.strip():
        parts.append(_folded("Reasoning", f'<div class="text" dir="auto">{_plain(message.reasoning)}</div>'))
    for image in reading.images(chapter, message):
        source = f"data:{image.media_type};base64,{image.data}"
        parts.append(f'<img alt="{escape(image.media_type)}" src="{escape(source)}">\n')
    return "".join([*parts, "</article>\n"])


def _body(message: Message) -> str:
    if not message.text:
        return ""
    match message.kind:
        case Kind.TOOL:
            return _folded(_amount(message.text), f'<div class="code">{_plain(message.text)}</div>')
        case Kind.SUMMARY | Kind.HIDDEN | Kind.NOTICE:
            inside = f'<div class="text" dir="auto">{_text(message.text)}</div>'
            return _folded(f"{role_label(message.role, message.kind)}, {size(len(message.text))}", inside)
        case Kind.TURN:
            return f'<div class="text" dir="auto">{_text(message.text)}</div>\n'


def _amount(text: str) -> str:
    lines = answered(text)
    told = [count(lines, "line") if lines else "no output"]
    told += [size(len(text))] if len(text) > LARGE else []
    wrong = failure(text)
    return ", ".join([f"failed: {wrong}", *told] if wrong else told)


def _call(call: ToolCall) -> str:
    shown = gist(call, 100)
    lead = f"Calls {field(call.name) or 'a tool'}"
    return _folded(f"{lead}: {shown}" if shown else lead, f'<div class="code">{_plain(call.arguments)}</div>')


def _folded(summary: str, inside: str) -> str:
    return f"<details><summary>{escape(clean_for_document(summary))}</summary>{inside}</details>\n"


def _plain(text: str) -> str:
    return escape(clean_for_document(text))


def _text(text: str) -> str:
    """Prose as it stands, with its fenced code set apart; no character is added or lost."""
    text = clean_for_document(text)
    parts: list[str] = []
    done = 0
    for block in fences(text):
        parts.append(escape(text[done : block.start]))
        code = _code(text, Fence(block.begin, block.end, block.info))
        first, last = escape(text[block.start : block.begin]), escape(text[block.end : block.stop])
        parts.append(
            f'<div class="code"><span class="fence">{first}</span>{code}<span class="fence">{last}</span></div>'
        )
        done = block.stop
    return "".join([*parts, escape(text[done:])])


def _code(text: str, fence: Fence) -> str:
    """The code between two fences, with its colours."""
    parts: list[str] = []
    start = fence.start
    while start < fence.end:
        newline = text.find("\n", start, fence.end)
        end = fence.end if newline < 0 else newline + 1
        done = start
        for low, high, ink in fence.runs(text, start, end):
            low, high = max(low, done), min(high, end)
            if low < high:
                parts += [escape(text[done:low]), f'<span class="{ink.value}">{escape(text[low:high])}</span>']
                done = high
        parts.append(escape(text[done:end]))
        start = end
    return "".join(parts)
