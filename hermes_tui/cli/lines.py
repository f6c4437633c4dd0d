"""What a pipe gets: one line for each thing, fields divided by tabs, dates with their zone; messages as blocks of text.

Every field is clean and holds neither tab nor newline, so that `cut`, `sort` and `while read` see what is meant.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hermes_tui.model import Anchor, Answer, Message, PlanStep, Session, SessionList, StoreReport, Window
from hermes_tui.render.clean import clean
from hermes_tui.render.words import moment


def field(text: str | None) -> str:
    """Text as one field: runs of blanks, tabs and newlines become one blank."""
    return "" if text is None else " ".join(clean(text).split())


def stamp(timestamp: float | None) -> str:
    """Local time with its zone, as 2026-08-01T14:02:09+02:00; "" when unknown."""
    then = moment(timestamp)
    return "" if then is None else then.astimezone().isoformat(timespec="seconds")


def sessions(listed: SessionList) -> Iterator[str]:
    """id (with several stores behind the name of its own), last activity, source, live messages, status, title (or what
    was said first)."""
    for row in listed.rows:
        yield _joined(
            place(row), stamp(row.last_active_at), row.source, str(row.counts.live), row.status.value, _name(row)
        )


def search(answer: Answer, *, explain: bool) -> Iterator[str]:
    """anchor, time, role, state, title, snippet. A session found by its name has its id for an anchor and `session`
    for a role; with `explain`, lines that begin with `plan` come first."""
    if explain:
        yield from (plan(step) for step in answer.plan)
    for row in answer.sessions:
        yield _joined(place(row), stamp(row.last_active_at), "session", "", _name(row), row.preview)
    for hit in answer.hits:
        found = hit.message
        owner = hit.session.title
        yield _joined(str(hit.anchor), stamp(found.timestamp), found.role, found.state.value, owner, hit.snippet)


def plan(step: PlanStep) -> str:
    """`plan`, route, what the index is asked, reason."""
    return _joined("plan", step.route.value, step.match, step.reason)


def place(row: Session) -> str:
    """What has to be typed to be shown this session."""
    return str(Anchor(row.id, profile=row.profile))


def show(window: Window) -> Iterator[str]:
    """For each message a line with anchor, time, role and state, its text as it is, and an empty line."""
    for message in window.messages:
        yield from _message(message, window.session.profile)


def doctor(reports: Sequence[StoreReport]) -> Iterator[str]:
    """A name and a value on each line; an empty line between two stores."""
    for number, report in enumerate(reports):
        if number:
            yield ""
        for name, value in facts(report):
            yield _joined(name, value)


def facts(report: StoreReport) -> Iterator[tuple[str, str]]:
    """What there is to say of a store, by name; a name may come again."""
    offered = report.capabilities
    yield "path", report.path
    if report.profile is not None:
        yield "profile", report.profile
    yield "journal mode", report.journal_mode
    yield "opened", report.opened.value
    yield "sqlite", report.sqlite
    yield "layout", offered.layout.value
    for name, index in (("word index", offered.word), ("trigram index", offered.trigram)):
        whole = "" if index is None or index.complete else ", incomplete"
        yield name, "none" if index is None else f"{index.table}, {index.trust.value}{whole}"
    yield "messages", str(report.messages)
    yield "sessions", str(report.sessions)
    for marker in offered.markers:
        yield "marker", marker
    yield "untouched", "yes" if report.untouched else "no"
    for note in report.notes:
        yield "note", note


def said(message: Message) -> Iterator[str]:
    """What a message says, clean: its text and its calls, or its reasoning where there is neither."""
    if message.text:
        yield clean(message.text)
    for call in message.tool_calls:
        yield clean(f"-> {call.name} {call.arguments}".rstrip())
    if not message.text and not message.tool_calls:
        yield clean(message.reasoning) or "(no text)"


def _message(message: Message, store: str | None) -> Iterator[str]:
    anchor = Anchor(message.session_id, message.id, store)
    yield _joined(str(anchor), stamp(message.timestamp), message.role, message.state.value)
    yield from said(message)
    yield ""


def _name(row: Session) -> str:
    return row.title or row.preview


def _joined(*fields: str | None) -> str:
    return "\t".join(field(text) for text in fields)
