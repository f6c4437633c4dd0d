"""What a person at a terminal gets: tables as wide as the screen, messages broken at words, matches in colour."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hermes_tui.cli.lines import facts, place, said
from hermes_tui.model import Anchor, Answer, Filtered, Hit, Kind, Message, Session, SessionList, StoreReport, Window
from hermes_tui.model.record import dataclass
from hermes_tui.render.cells import cells, fit, pad, wrap
from hermes_tui.render.clean import clean, clean_with_map
from hermes_tui.render.words import clock, count, day, one_line, role_label, state_label, store_label, when

LONGEST_ID = 40  # cells; longer ids are the whole line's trouble, not the table's
LONGEST_STORE = 24  # cells
LONGEST = 10_000  # cells of what must be copied whole
HOW = {"rewound": " (--all shows them)", "hidden": " (--all shows them)"}  # what brings hits that are left out
NARROWEST = 12  # cells that are left for a title, however narrow the terminal


@dataclass(frozen=True, slots=True)
class Page:
    """What the terminal offers. `now` is in Unix seconds."""

    width: int
    color: bool
    now: float

    def bold(self, text: str) -> str:
        """`text` in strong letters."""
        return self._set(text, "1")

    def dim(self, text: str) -> str:
        """`text` in faint letters."""
        return self._set(text, "2")

    def mark(self, text: str) -> str:
        """`text` as what was searched for."""
        return self._set(text, "1;33")

    def _set(self, text: str, code: str) -> str:
        return f"\x1b[{code}m{text}\x1b[0m" if self.color and text else text


def sessions(listed: SessionList, page: Page, *, many: bool = False) -> Iterator[str]:
    """One line for each conversation under a head line. Where it comes from is a column with `many` stores, and where a
    gateway wrote what is another profile's."""
    rows = listed.rows
    if not rows:
        return
    stores = [one_line(store_label(row), LONGEST_STORE) for row in rows]
    named = many or any(row.owner not in (None, row.profile) for row in rows)
    title = "STORE" if many else "PROFILE"
    column = max(map(cells, (title, *stores)))
    head = f"{pad(title, column)}  " if named else ""
    ids = [one_line(row.id, LONGEST) for row in rows]
    wide = min(LONGEST_ID, max(map(cells, ids), default=2))
    room = max(NARROWEST, page.width - cells(head) - wide - 2 - 10 - 1 - 9 - 1 - 6 - 2)
    yield page.dim(f"{head}{pad('ID', wide)}  {pad('ACTIVE', 10)} {pad('SOURCE', 9)} {'MSGS':>6}  TITLE")
    for row, session_id, store in zip(rows, ids, stores, strict=True):
        store = f"{pad(store, column)}  " if named else ""
        shown = pad(session_id, wide) if cells(session_id) <= wide else session_id
        active = pad(when(row.last_active_at, page.now), 10)
        source = pad(one_line(row.source, 9), 9)
        yield f"{store}{shown}  {active} {source} {row.counts.live:>6}  {_title(row, room, page)}"


def search(answer: Answer, page: Page, *, explain: bool) -> Iterator[str]:
    """Sessions found by name, then hits under the conversation they are in; each with its anchor to go on from."""
    if explain:
        yield from _plan(answer, page)
    for row in answer.sessions:
        session_id = one_line(place(row), LONGEST)
        yield f"{page.dim(session_id)}  {_title(row, max(NARROWEST, page.width - cells(session_id) - 2), page)}"
    if answer.sessions and answer.hits:
        yield ""
    for number, group in enumerate(_grouped(answer.hits)):
        if number:
            yield ""
        yield _head(group[0].session, page)
        for hit in group:
            yield from _hit(hit, page)


def show(window: Window, page: Page) -> Iterator[str]:
    """The session's title, then each message under a line that says who spoke, when and where."""
    yield _head(window.session, page)
    marked = None if window.anchor is None else window.anchor.message_id
    yield from _bookend("began with", window.bookends_start[:1], window, page)
    today = ""
    for message in window.messages:
        if (date := day(message.timestamp)) != today and date:
            today = date
            yield ""
            yield page.dim(fit(date, page.width))
        yield ""
        yield from _message(message, page, is_anchor=message.id == marked)
    yield from _bookend("ended with", window.bookends_end[-1:], window, page)


def _bookend(name: str, ends: Sequence[Message], window: Window, page: Page) -> Iterator[str]:
    """One line for the first or last turn of the conversation, where the window does not reach it."""
    shown = {message.id for message in window.messages}
    for message in ends:
        if message.id not in shown:
            lead = f"{name} #{message.id}: "
            yield ""
            yield page.dim(lead) + one_line(message.text, max(NARROWEST, page.width - cells(lead)))


def doctor(reports: Sequence[StoreReport], page: Page) -> Iterator[str]:
    """Names and values in two columns; an empty line between two stores."""
    for number, report in enumerate(reports):
        if number:
            yield ""
        yield from _report(report, page)


def _report(report: StoreReport, page: Page) -> Iterator[str]:
    for name, value in facts(report):
        rows = _broken(clean(value), page.width - 16)
        yield f"{page.dim(pad(name, 14))}  {rows[0]}"
        yield from (" " * 16 + row for row in rows[1:])


def _plan(answer: Answer, page: Page) -> Iterator[str]:
    for step in answer.plan:
        asked = "" if step.match is None else f"  {one_line(step.match, max(NARROWEST, page.width - 12))}"
        yield f"{page.bold(pad(step.route.value, 8))}{one_line(step.reason, page.width - 8)}"
        if asked:
            yield page.dim(f"        {asked.strip()}")
    yield ""


def _grouped(hits: Sequence[Hit]) -> list[list[Hit]]:
    """Hits by conversation, in the order of each one's first."""
    groups: dict[tuple[str | None, str], list[Hit]] = {}
    for hit in hits:
        conversation = hit.session.conversation or hit.session.id
        groups.setdefault((hit.session.profile, conversation), []).append(hit)
    return list(groups.values())


def _head(row: Session, page: Page) -> str:
    about = _joined(
        one_line(store_label(row), LONGEST_STORE), one_line(row.source, 20), when(row.last_active_at, page.now)
    )
    tail = fit(f"  {about}", max(0, page.width - NARROWEST))
    return f"{_title(row, page.width - cells(tail), page)}{page.dim(tail)}"


def _joined(*parts: str) -> str:
    return " · ".join(part for part in parts if part)


def _title(row: Session, room: int, page: Page) -> str:
    if row.title and row.title.strip():
        return page.bold(one_line(row.title, room))
    return one_line(row.preview or "(no title)", room)


def _hit(hit: Hit, page: Page) -> Iterator[str]:
    found = hit.message
    who = found.tool_name or role_label(found.role, found.kind)
    about = _joined(one_line(who, 30), when(found.timestamp, page.now), state_label(found.state, found.copies))
    yield page.dim(f"  {one_line(str(hit.anchor), LONGEST)}  {about}")
    cleaned = clean_with_map(hit.snippet)
    text = cleaned.text.replace("\n", " ")
    spans = [cleaned.span(start, end) for start, end in hit.spans]
    for start, end in wrap(text, 0, len(text), max(NARROWEST, page.width - 4)):
        yield "    " + _marked(text, start, end, spans, page)


def _marked(text: str, start: int, end: int, spans: Sequence[tuple[int, int]], page: Page) -> str:
    """`text[start:end]` with the parts of it that `spans` name in colour."""
    pieces = []
    position = start
    for low, high in spans:
        low, high = max(low, position), min(high, end)
        if low < high:
            pieces += [text[position:low], page.mark(text[low:high])]
            position = high
    return "".join([*pieces, text[position:end]])


def _message(message: Message, page: Page, *, is_anchor: bool) -> Iterator[str]:
    who = role_label(message.role, message.kind)
    if message.kind is Kind.TOOL and message.tool_name:
        who = f"{who} {one_line(message.tool_name, 30)}"
    who = fit(f"{'> ' if is_anchor else ''}{who}", page.width)
    about = _joined(f"#{message.id}", clock(message.timestamp), state_label(message.state, message.copies))
    yield f"{page.bold(who)}{page.dim(fit(f'  {about}', page.width - cells(who)))}"
    for number, part in enumerate(said(message)):
        for line in _broken(part, page.width - 2):
            yield f"  {page.dim(line) if number or not message.text else line}"


def _broken(text: str, width: int) -> list[str]:
    """Clean text in rows of at most `width` cells."""
    rows: list[str] = []
    for line in text.split("\n"):
        rows += [line[start:end] for start, end in wrap(line, 0, len(line), max(NARROWEST, width))]
    return rows or [""]


def remark(answer: Answer) -> str | None:
    """What the answer covers: hits, routes, rows looked at, time, and what was left out; None without a question."""
    if not answer.plan:
        return None
    covered = answer.coverage
    conversations = len(_grouped(answer.hits))
    routes = [("word", covered.word), ("trigram", covered.trigram), ("scan", covered.scan)]
    found = f"{count(len(answer.hits), 'hit')} in {count(conversations, 'conversation')}" if answer.hits else "0 hits"
    if answer.truncated and answer.total is not None:
        within = count(conversations, "conversation")
        found = f"the first {count(len(answer.hits))} of {count(answer.total, 'hit')}, in {within}"
    elif answer.truncated:
        found = f"the first {found}"
    looked = f"{count(covered.searched)} of {count(covered.messages, 'message')} searched"
    parts = [
        found,
        " + ".join(f"{route} {count(many)}" for route, many in routes if many),
        f"all {count(covered.messages, 'message')} searched" if covered.searched >= covered.messages else looked,
        f"{answer.elapsed_ms / 1000:.2f} s",
        *(f"{count(many)} more {reason}{HOW.get(reason, '')}" for reason, many in answer.hidden.items()),
        *(_hides(part) for part in answer.filters if part.hides),
        *covered.notes,
    ]
    return " | ".join(part for part in parts if part)


def _hides(part: Filtered) -> str:
    return f"{count(part.hides or 0)}{'+' if part.more else ''} more without {one_line(part.text, 60)}"


def left_out(listed: SessionList) -> str | None:
    """What a list does not show, and how to see it; None when it shows all."""
    parts = []
    if listed.truncated:
        parts.append(f"{count(len(listed.rows))} of {count(listed.total, 'conversation')} shown (--limit N for more)")
    if filtered := listed.hidden.get("filters", 0):
        parts.append(f"{count(filtered, 'session')} left out by the filters")
    hidden = {reason: many for reason, many in listed.hidden.items() if reason != "filters"}
    if hidden:
        reasons = ", ".join(f"{fit(reason, 20)} {count(many)}" for reason, many in hidden.items())
        parts.append(f"{count(sum(hidden.values()), 'session')} hidden: {reasons} (--all shows them)")
    return "; ".join([*parts, *listed.notes]) or None


def beyond(window: Window, *, show: str = "hermes-tui show") -> str | None:
    """How to go on from a window, and what the conversation has besides; None when all of it is there.

    `show` is the command up to the anchor, as it has to be typed for this store.
    """
    parts = []
    if window.before:
        parts.append(f"{count(window.before, 'message')} before: {show} {_anchor(window.messages[0], window)}")
    if window.after:
        parts.append(f"{count(window.after, 'message')} after: {show} {_anchor(window.messages[-1], window)}")
    if window.hidden:
        reasons = ", ".join(f"{reason} {count(many)}" for reason, many in window.hidden.items())
        parts.append(f"not shown: {reasons} (--all)")
    return "; ".join(parts) or None


def _anchor(message: Message, window: Window) -> Anchor:
    return Anchor(message.session_id, message.id, window.session.profile)
