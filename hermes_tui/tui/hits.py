"""The hits of a search, grouped by conversation: a heading for each, then a line for each message that matched.

A conversation with many hits is folded to the first of them while the list is longer than its window.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial

from textual import events
from textual.message import Message

from hermes_tui.model import Anchor, Answer, Hit, Mode, Session, SessionKey, State
from hermes_tui.model.record import dataclass
from hermes_tui.query import MARKING, Matcher, parse
from hermes_tui.render import cells, count, one_line, state_label, store_label, when
from hermes_tui.tui import groups, labels
from hermes_tui.tui.commands import Where, bindings
from hermes_tui.tui.crop import crop, whole
from hermes_tui.tui.groups import Folded, Group, Row, Shown, place
from hermes_tui.tui.lines import Lines, Piece, field

SPEAKER = 10
AGE = 10


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

        keys: tuple[SessionKey, ...]

    @dataclass
    class CopyWanted(Message):
        """The message of this hit is to be copied."""

        anchor: Anchor

    def __init__(self, *, id: str, clock: Callable[[], float]) -> None:  # noqa: A002
        super().__init__(id=id)
        self.groups: tuple[Group, ...] = ()
        self.touched = False
        """Whether the reader has moved the highlight since the query was asked for."""
        self._all: tuple[Row, ...] = ()
        """Every row, folded away or not, in the order of the list."""
        self._at: dict[Anchor, int] = {}
        self._rows: tuple[Shown, ...] = ()
        self._group_of: list[int] = []
        self._folds: dict[SessionKey, bool] = {}
        """Conversations that the reader folded (True) or unfolded."""
        self._whole = True
        """Whether no other conversation is folded, for there is nothing to gain by it."""
        self._clock = clock
        self._query: tuple[str, Mode] | None = None
        self._cut = False
        self._matcher: Matcher | None = None
        self._previews: dict[SessionKey, str] = {}

    # What is shown.

    def supply(self, previews: Mapping[SessionKey, str]) -> None:
        """First words of sessions without a title."""
        self._previews.update(previews)
        self.refresh()

    def begin_again(self) -> None:
        """Take the next answer as one to a new query."""
        self._query = None

    def fill(self, answer: Answer | None, *, everything: bool = False) -> None:
        """Show what a search knows so far.

        While the query stays the same, in whichever order, the highlighted hit stays so, on its line. A new query
        starts at its first message, or at a title as long as no message has matched.
        """
        query = None if answer is None else (answer.query, answer.mode)
        self._cut = answer is not None and answer.truncated
        fresh = query != self._query
        held = None if fresh else self._here
        keep: int | None = self.window_line()
        self._query = query
        self.groups = () if answer is None else tuple(groups.group(answer, everything=everything))
        self._all = tuple(row for part in self.groups for row in part.rows)
        self._at = {place(row): at for at, row in enumerate(self._all)}
        if fresh:
            self.touched = False
            self._folds.clear()
            self._matcher = None if answer is None else Matcher(parse(answer.query, mode=answer.mode), patience=MARKING)
        self._want_previews()
        if held is not None and (place(held) not in self._at or (isinstance(held, Session) and not self.touched)):
            held = None
        self._put(held, keep=None if held is None else keep)
        here = self.anchor_here
        if here is not None and (held is None or here != place(held)):
            self.announce(partial(self.Highlighted, here))

    def _put(self, held: Shown | None, *, keep: int | None) -> None:
        """Lay out what is not folded, the highlight on `held` (on the first message for None), on line `keep`."""
        self._whole = groups.fit(self.groups, self.size.height)
        pinned = held.anchor if isinstance(held, Hit) else None
        shown = [part.rows if not self._is_folded(part) else groups.folded(part, held=pinned) for part in self.groups]
        self._rows = tuple(row for rows in shown for row in rows)
        self._group_of = [index for index, rows in enumerate(shown) for _ in rows]
        cursor = None if held is None else self._row_like(held)
        if cursor is None:
            cursor, keep = self._start(), None
        first: list[int] = []
        line = 0
        for rows in shown:  # a line is left above each group for its heading
            line += 1
            first.extend(range(line, line + len(rows)))
            line += len(rows)
        self.lay_out(first, height=1, total=line, cursor=cursor, keep=keep)

    def _is_folded(self, part: Group) -> bool:
        return part.session is not None and self._folds.get(part.key, not self._whole)

    def _row_like(self, held: Shown) -> int | None:
        """The row that is `held`, or stands for it."""
        if isinstance(held, Folded):
            alike = (at for at, row in enumerate(self._rows) if _stands_for(row, held.conversation))
            if (at := next(alike, None)) is not None:
                return at
        return self._row_of(place(held))

    def on_resize(self, event: events.Resize) -> None:
        """Fold what does not fit any more, or show all that fits now."""
        if groups.fit(self.groups, self.size.height) != self._whole:
            self._put(self._here, keep=self.window_line())

    def _want_previews(self) -> None:
        """Ask for the first words of conversations that have neither a title nor these."""
        sessions = [part.session for part in self.groups if part.session is not None]
        nameless = tuple(
            session.key
            for session in sessions
            if not labels.titled(session) and not session.preview and session.key not in self._previews
        )
        if nameless:
            self._previews.update(dict.fromkeys(nameless, ""))
            self.announce(partial(self.PreviewsWanted, nameless))

    def _called(self, session: Session) -> str:
        return labels.title(session, self._previews.get(session.key, ""))

    def _start(self) -> int:
        if not self._rows:
            return -1
        return next((row for row, entry in enumerate(self._rows) if isinstance(entry, Hit)), 0)

    # Places.

    @property
    def _here(self) -> Shown | None:
        return self._rows[self.cursor] if 0 <= self.cursor < len(self._rows) else None

    @property
    def anchor_here(self) -> Anchor | None:
        """The highlighted place."""
        return self.anchor_at(self.cursor)

    @property
    def leads(self) -> bool:
        """Whether the highlight is on a message, or where the reader moved it."""
        return isinstance(self._here, Hit | Folded) or (self.touched and self._here is not None)

    def anchor_at(self, row: int) -> Anchor | None:
        """The place a row stands for."""
        return place(self._rows[row]) if 0 <= row < len(self._rows) else None

    def hit_at(self, row: int) -> Hit | None:
        """The hit of a row that is one."""
        return entry if isinstance(entry := self._rows[row], Hit) else None

    @property
    def conversation_here(self) -> tuple[str, str] | None:
        """The id and the title of the conversation of what is highlighted."""
        here = self._here
        if here is None:
            return None
        first = here.hits[0] if isinstance(here, Folded) else here
        session = first.session if isinstance(first, Hit) else first
        return session.conversation or session.id, self._called(session)

    @property
    def places(self) -> tuple[Anchor, ...]:
        """Every place that was found, folded away or not, in the order of the list."""
        return tuple(self._at)

    def messages_in(self, sessions: Iterable[SessionKey]) -> tuple[int, ...]:
        """The ids of the messages that matched in these sessions of one store, in the order of the list."""
        wanted = frozenset(sessions)
        return tuple(row.message.id for row in self._all if isinstance(row, Hit) and row.anchor.key in wanted)

    def select(self, anchor: Anchor) -> None:
        """Highlight a hit without telling anyone, unfolding its conversation; nothing when the place is no hit."""
        if anchor in self._at:
            self._reach(self._at[anchor])

    def go_on(self, direction: int, sessions: Sequence[SessionKey], *, at_hit: bool) -> bool:
        """Highlight the next hit (`direction` 1) or the one before (-1), for somebody who reads the conversation made
        of these `sessions`; whether there was one.

        A reader who is not `at_hit` yet, or went to another conversation, gets the first of its hits, or the last one
        backwards; where it has none, the highlighted hit.
        """
        if (here := self.anchor_here) is None:
            self.post_message(self.EndReached(direction))
            return False
        inside = [at for at, row in enumerate(self._all) if isinstance(row, Hit) and row.anchor.key in sessions]
        if here.key in sessions and (at_hit or not inside):
            return self._step(direction)
        self._reach(inside[0 if direction > 0 else -1] if inside else self._at[here])
        self._tell(crossed=not inside)
        return True

    def _reach(self, at: int) -> None:
        """Highlight the row of `_all` at this place, unfolding what hides it."""
        self.touched = True
        wanted = self._all[at]
        row = self._row_of(place(wanted))
        if row is None or isinstance(self._rows[row], Folded):
            part = next(part for part in self.groups if wanted in part.rows)
            self._folds[part.key] = False
            self._put(wanted, keep=self.window_line())
        else:
            self.go(row, quietly=True)

    def _row_of(self, anchor: Anchor) -> int | None:
        return next((row for row, entry in enumerate(self._rows) if place(entry) == anchor), None)

    # What the reader does.

    def moved(self) -> None:
        """Tell that another hit is highlighted."""
        self.touched = True
        self._tell(crossed=False)

    def chosen(self) -> None:
        """Tell that a hit was opened, or unfold."""
        match self._here:
            case Folded():
                self.action_unfold()
            case None:
                pass
            case row:
                self.post_message(self.Opened(place(row)))

    def action_next_hit(self) -> None:
        """The next hit, saying so when it is in another conversation."""
        self._step(1)

    def action_previous_hit(self) -> None:
        """The hit before, saying so when it is in another conversation."""
        self._step(-1)

    def action_unfold(self) -> None:
        """Show all hits of the conversation."""
        self._fold(folded=False)

    def action_fold(self) -> None:
        """Show the first hits of the conversation only."""
        self._fold(folded=True)

    def action_copy(self) -> None:
        """Copy the message that matched."""
        if isinstance(here := self._here, Hit):
            self.post_message(self.CopyWanted(here.anchor))

    def _fold(self, *, folded: bool) -> None:
        here = self._here
        if here is None:
            return
        part = self.groups[self._group_of[self.cursor]]
        if self._is_folded(part) == folded or part.session is None:
            return
        self.touched = True
        self._folds[part.key] = folded
        away = groups.folded(part, held=None)[-1]
        if folded and isinstance(away, Folded) and here in away.hits:
            here = away
        elif isinstance(here, Folded):
            here = here.hits[0]
        self._put(here, keep=self.window_line())
        self._tell(crossed=False)

    def _step(self, direction: int) -> bool:
        here = self._here
        at = -1 if here is None else self._at[place(here)] + direction
        if isinstance(here, Folded) and direction > 0:
            at -= 1  # the first of the hits that the row stands for
        if not 0 <= at < len(self._all):
            self.post_message(self.EndReached(direction))
            return False
        before = self._group_of[self.cursor]
        self._reach(at)
        self._tell(crossed=self._group_of[self.cursor] != before)
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
        room = width - cells(many_hits) - 3
        name = one_line(self._called(session), room)
        yield name, "lines--group"
        about_room = room - cells(name)
        about = (one_line(store_label(session), 40), labels.date(session.started_at), one_line(session.source, 40))
        yield whole(about_room, *about), "lines--soft"
        yield f"  {many_hits} ", "lines--soft"

    def pieces(self, row: int, line: int, width: int) -> Iterable[Piece]:
        """Who said it, the words around the match, how the store holds it, and when."""
        entry = self._rows[row]
        if isinstance(entry, Folded):
            many = f"{count(len(entry.hits))}+" if self._cut else count(len(entry.hits))
            yield " " * (SPEAKER + 1), ""
            yield f"… {many} more hits in this conversation (Enter)", "lines--soft"
            return
        if isinstance(entry, Session):
            age = when(entry.last_active_at or entry.started_at, self._clock())
            store = one_line(store_label(entry), width // 3)
            store = f"  {store}" if store else ""
            yield " ", ""
            yield from self._marked_title(entry, width - AGE - 3 - cells(store))
            yield store, "lines--soft"
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


def _stands_for(row: Shown, conversation: SessionKey) -> bool:
    return isinstance(row, Folded) and row.conversation == conversation
