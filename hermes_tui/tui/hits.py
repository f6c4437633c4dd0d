"""The hits of a search, grouped by conversation: a heading for each, then a line for each message that matched."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import groupby

from textual.message import Message

from hermes_tui.model import Anchor, Answer, Hit, Session, State
from hermes_tui.query import Matcher, parse
from hermes_tui.render import cells, clean_with_map, count, one_line, state_label, when
from hermes_tui.tui import labels
from hermes_tui.tui.commands import Where, bindings
from hermes_tui.tui.lines import Lines, Piece, field

SPEAKER = 10
AGE = 10
TITLES = 3
"""Conversations found by title or id that are shown above the messages before the rest is asked for."""

Row = Hit | Session


@dataclass(frozen=True, slots=True)
class Group:
    """Rows under one heading. `session` is None for the conversations found by title or id."""

    session: Session | None
    rows: tuple[Row, ...]
    left_out: int = 0


class HitRows(Lines):
    """The list of hits."""

    BINDINGS = bindings(Where.HITS)

    @dataclass
    class Highlighted(Message):
        """The highlight is on this hit now. `crossed` is the title of the conversation it went over to by n or N."""

        anchor: Anchor
        crossed: str | None = None

    @dataclass
    class Opened(Message):
        """This hit was chosen for reading."""

        anchor: Anchor

    @dataclass
    class EndReached(Message):
        """There is no hit after the last one (`direction` 1) or before the first (-1)."""

        direction: int

    @dataclass
    class PreviewsWanted(Message):
        """Conversations without a title have hits."""

        ids: tuple[str, ...]

    @dataclass
    class CopyWanted(Message):
        """The message of this hit is to be copied."""

        anchor: Anchor

    def __init__(self, *, id: str, clock: Callable[[], float]) -> None:  # noqa: A002
        super().__init__(id=id)
        self.groups: tuple[Group, ...] = ()
        self._rows: tuple[Row, ...] = ()
        self._group_of: list[int] = []
        self._clock = clock
        self._query: str | None = None
        self._cut = False
        self._touched = False
        self._matcher: Matcher | None = None
        self._previews: dict[str, str] = {}

    # What is shown.

    def supply(self, previews: Mapping[str, str]) -> None:
        """First words of sessions without a title."""
        self._previews.update(previews)
        self.refresh()

    def fill(self, answer: Answer | None, *, everything: bool = False) -> None:
        """Show what a search knows so far.

        While the query stays the same, in whichever order, the highlighted hit stays so, on its line. A new query
        starts at its first message, or at a title as long as no message has matched.
        """
        query = None if answer is None else answer.query
        self._cut = answer is not None and answer.truncated
        fresh = query != self._query
        held = self.anchor_at(self.cursor)
        keep: int | None = self.window_line()
        self._query = query
        self.groups = () if answer is None else tuple(group(answer, everything=everything))
        self._rows = tuple(row for part in self.groups for row in part.rows)
        self._group_of = [index for index, part in enumerate(self.groups) for _ in part.rows]
        if fresh:
            self._touched = False
            self._matcher = None if answer is None else Matcher(parse(answer.query))
        self._want_previews()
        cursor = None if fresh or held is None else self._row_of(held)
        if cursor is None or (not self._touched and isinstance(self._rows[cursor], Session)):
            cursor, keep = self._start(), None
        first, total = self._lines()
        self.lay_out(first, height=1, total=total, cursor=cursor, keep=keep)
        if cursor >= 0 and (fresh or self.anchor_at(cursor) != held):
            self.announce(partial(self.Highlighted, place(self._rows[cursor])))

    def _want_previews(self) -> None:
        """Ask for the first words of conversations that have neither a title nor these."""
        sessions = [part.session for part in self.groups if part.session is not None]
        nameless = tuple(
            session.id
            for session in sessions
            if not labels.titled(session) and not session.preview and session.id not in self._previews
        )
        if nameless:
            self._previews.update(dict.fromkeys(nameless, ""))
            self.announce(partial(self.PreviewsWanted, nameless))

    def _called(self, session: Session) -> str:
        return labels.title(session, self._previews.get(session.id, ""))

    def _lines(self) -> tuple[list[int], int]:
        """The line of each row, one line being left above each group for its heading; and how many lines there are."""
        first: list[int] = []
        line = 0
        for part in self.groups:
            line += 1
            first.extend(range(line, line + len(part.rows)))
            line += len(part.rows)
        return first, line

    def _start(self) -> int:
        if not self._rows:
            return -1
        return next((row for row, entry in enumerate(self._rows) if isinstance(entry, Hit)), 0)

    # Places.

    @property
    def anchor_here(self) -> Anchor | None:
        """The highlighted place."""
        return self.anchor_at(self.cursor)

    def anchor_at(self, row: int) -> Anchor | None:
        """The place a row stands for."""
        return place(self._rows[row]) if 0 <= row < len(self._rows) else None

    def messages_in(self, sessions: Iterable[str]) -> tuple[int, ...]:
        """The ids of the messages that matched in these sessions, in the order of the list."""
        wanted = frozenset(sessions)
        return tuple(row.message.id for row in self._rows if isinstance(row, Hit) and row.anchor.session_id in wanted)

    def select(self, anchor: Anchor) -> None:
        """Highlight a hit without telling anyone; nothing happens when the place is no hit."""
        row = self._row_of(anchor)
        if row is not None:
            self._touched = True
            self.go(row, quietly=True)

    def go_on(self, direction: int, sessions: Sequence[str], *, at_hit: bool) -> bool:
        """Highlight the next hit (`direction` 1) or the one before (-1), for somebody who reads the conversation made
        of these `sessions`; whether there was one.

        A reader who is not `at_hit` yet, or went to another conversation, gets the first of its hits, or the last one
        backwards; where it has none, the highlighted hit.
        """
        if (here := self.anchor_here) is None:
            self.post_message(self.EndReached(direction))
            return False
        inside = [row for row in range(self.count) if self._is_hit_of(row, sessions)]
        if here.session_id in sessions and (at_hit or not inside):
            return self._step(direction)
        crossed = not inside
        self._touched = True
        self.go(self.cursor if crossed else inside[0 if direction > 0 else -1], quietly=True)
        self._tell(crossed=crossed)
        return True

    def _is_hit_of(self, row: int, sessions: Sequence[str]) -> bool:
        entry = self._rows[row]
        return isinstance(entry, Hit) and entry.anchor.session_id in sessions

    def _row_of(self, anchor: Anchor) -> int | None:
        return next((row for row, entry in enumerate(self._rows) if place(entry) == anchor), None)

    # What the reader does.

    def moved(self) -> None:
        """Tell that another hit is highlighted."""
        self._touched = True
        self._tell(crossed=False)

    def chosen(self) -> None:
        """Tell that a hit was opened."""
        if (anchor := self.anchor_here) is not None:
            self.post_message(self.Opened(anchor))

    def action_next_hit(self) -> None:
        """The next row, saying so when it is in another conversation."""
        self._step(1)

    def action_previous_hit(self) -> None:
        """The row before, saying so when it is in another conversation."""
        self._step(-1)

    def action_copy(self) -> None:
        """Copy the message that matched."""
        if (anchor := self.anchor_here) is not None:
            self.post_message(self.CopyWanted(anchor))

    def _step(self, direction: int) -> bool:
        row = self.cursor + direction
        if not 0 <= row < self.count:
            self.post_message(self.EndReached(direction))
            return False
        crossed = self._group_of[row] != self._group_of[self.cursor]
        self._touched = True
        self.go(row, quietly=True)
        self._tell(crossed=crossed)
        return True

    def _tell(self, *, crossed: bool) -> None:
        if (anchor := self.anchor_here) is None:
            return
        session = self.groups[self._group_of[self.cursor]].session
        title = self._called(session) if crossed and session is not None else None
        self.post_message(self.Highlighted(anchor, title))

    # How it looks.

    def heading(self, row: int, line: int, width: int) -> Iterable[Piece]:
        """The conversation the hits below are in: title, date, source, and how many."""
        part = self.groups[self._group_of[row]]
        if part.session is None:
            many = len(part.rows) + part.left_out
            text = count(many, "conversation") + " by title or id"
            yield text + (f", the first {len(part.rows)} (a shows all)" if part.left_out else ""), "lines--group"
            return
        session = part.session
        many_hits = f"{count(len(part.rows))}+ hits" if self._cut else count(len(part.rows), "hit")
        about = " · ".join(word for word in (labels.date(session.started_at), session.source) if word)
        room = width - cells(many_hits) - 3
        name = one_line(self._called(session), room)
        yield name, "lines--group"
        about_room = room - cells(name) - 2
        shown = field(about, about_room) if about_room > 12 else " " * max(0, about_room)
        yield "  " + shown if about_room > 0 else "", "lines--soft"
        yield f"  {many_hits} ", "lines--soft"

    def pieces(self, row: int, line: int, width: int) -> Iterable[Piece]:
        """Who said it, the words around the match, how the store holds it, and when."""
        entry = self._rows[row]
        if isinstance(entry, Session):
            age = when(entry.last_active_at or entry.started_at, self._clock())
            yield " ", ""
            yield from self._marked_title(entry, width - AGE - 3)
            yield field(age, AGE + 1, right=True) + " ", "lines--soft"
            return
        message = entry.message
        look = {"user": "lines--user", "assistant": "lines--assistant"}.get(message.role, "lines--tool")
        yield " " + field(labels.speaker(message), SPEAKER), look
        state = state_label(message.state, message.copies)
        tail = AGE + 2 + (cells(state) + 2 if state else 0)
        room = max(10, width - SPEAKER - 1 - tail)
        used = 0
        for text, marked in crop(entry.snippet, entry.spans, room):
            used += cells(text)
            yield text, "lines--mark" if marked else ""
        yield " " * (room - used), ""
        if state:
            yield f"  {state}", "lines--state" if message.state is not State.LIVE else "lines--soft"
        yield field(when(message.timestamp, self._clock()), AGE + 1, right=True) + " ", "lines--soft"

    def _marked_title(self, session: Session, width: int) -> Iterable[Piece]:
        """The title with what was found in it marked; where that is nothing, the id, which it was found by."""
        title = self._called(session)
        spans = [] if self._matcher is None else self._matcher.spans(title)
        text = title if spans else f"{title} · {session.id}"
        used = 0
        for part, marked in crop(text, spans, width):
            used += cells(part)
            yield part, "lines--mark" if marked else "lines--title"
        yield " " * (width - used), ""


def place(row: Row) -> Anchor:
    """The place a row stands for."""
    return row.anchor if isinstance(row, Hit) else Anchor(row.id, profile=row.profile)


def group(answer: Answer, *, everything: bool) -> Iterable[Group]:
    """The rows of an answer under their headings: conversations found by name first, then messages by conversation."""
    if answer.sessions:
        shown = answer.sessions if everything else answer.sessions[:TITLES]
        yield Group(None, shown, len(answer.sessions) - len(shown))
    for _, hits in groupby(_together(answer.hits), key=_conversation):
        rows = tuple(hits)
        yield Group(rows[0].session, rows)


def _together(hits: Sequence[Hit]) -> list[Hit]:
    """The hits of one conversation side by side, conversations in the order in which their first hit comes."""
    place_of: dict[str, int] = {}
    for hit in hits:
        place_of.setdefault(_conversation(hit), len(place_of))
    return sorted(hits, key=lambda hit: place_of[_conversation(hit)])


def _conversation(hit: Hit) -> str:
    return hit.session.conversation or hit.session.id


def crop(snippet: str, spans: Sequence[tuple[int, int]], width: int) -> list[tuple[str, bool]]:
    """The part of a snippet that fits `width` cells, as runs that are marked or not, the first mark well in view.

    What is cut on either side shows as `…`.
    """
    cleaned = clean_with_map(snippet)
    text = cleaned.text.replace("\n", " ")
    marks = [cleaned.span(start, end) for start, end in spans]
    start, end = 0, len(text)
    if cells(text) > width:
        if marks and cells(text[: marks[0][1]]) > width - 1:
            start = min(_back(text, marks[0][0], width // 3), _back(text, len(text), width - 2))
        end = _forth(text, start, width - (1 if start else 0))
    runs: list[tuple[str, bool]] = [("…", False)] if start else []
    position = start
    for left, right in marks:
        left, right = max(left, position), min(right, end)
        if left < right:
            runs += (text[position:left], False), (text[left:right], True)
            position = right
    runs += (text[position:end], False), ("…" if end < len(text) else "", False)
    return [run for run in runs if run[0]]


def _back(text: str, position: int, room: int) -> int:
    """The place `room` cells before `position`, or a little later where a word begins."""
    start = position
    while start > 0 and cells(text[start - 1 : position]) <= room:
        start -= 1
    blank = text.find(" ", start, position)
    return blank + 1 if 0 <= blank < start + 12 else start


def _forth(text: str, start: int, room: int) -> int:
    """The end of what fits `room` cells from `start` on, one cell kept for the sign that something was cut."""
    if cells(text[start:]) <= room:
        return len(text)
    end = start
    while cells(text[start : end + 1]) <= room - 1:
        end += 1
    return end
