"""Pane 1: every conversation of the store, and a line that says what is not shown and which key shows it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial

from textual import events
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.getters import query_one
from textual.message import Message
from textual.reactive import var

from hermes_tui import model
from hermes_tui.model import Anchor, Session
from hermes_tui.render import cells, count, fit, one_line, when
from hermes_tui.tui import labels
from hermes_tui.tui.band import Band
from hermes_tui.tui.commands import Where, bindings
from hermes_tui.tui.elsewhere import Elsewhere
from hermes_tui.tui.lines import Lines, Piece, field
from hermes_tui.tui.order import ListOrder

COLUMNS_FROM = 70
"""Cells from which a row is one line with columns; in less room it takes two, so that the title keeps the width."""
AGE = 10
SOURCE = 10
COUNT = 7


class SessionRows(Lines):
    """The rows themselves."""

    BINDINGS = bindings(Where.LIST)

    def __init__(self, *, id: str, clock: Callable[[], float], start: Anchor | None) -> None:  # noqa: A002
        super().__init__(id=id)
        self.rows: tuple[Session, ...] = ()
        self._start = start
        self._clock = clock
        self._details: dict[str, Session] = {}
        self._asked: set[str] = set()

    # What is shown.

    def fill(self, rows: tuple[Session, ...]) -> None:
        """Show these rows. The highlighted conversation stays highlighted, and on the line of the screen where it is
        unless the list is at its top.

        At first it is the newest, which is told, or the one the browser was started for.
        """
        held = self.session
        keep = self.window_line() if self.scroll_offset.y else None  # at the top, what is new comes into view
        wanted = held.id if held is not None else self._start.session_id if self._start is not None else ""
        cursor = find(rows, wanted)
        if cursor is None:
            cursor = min(max(self.cursor, 0), len(rows) - 1)
        self.rows = rows
        self._asked.clear()
        self._lay_out(cursor if rows else -1, keep)
        now, start, self._start = self.session, self._start, None
        same = now is not None and held is not None and (now.id == held.id or held.id in now.segments)
        if now is not None and start is None and not same:
            self.announce(partial(SessionList.Highlighted, place(now)))

    def forget(self) -> None:
        """What was known is of stores that are not open any more."""
        self._details.clear()

    def supply(self, rows: Iterable[Session]) -> None:
        """Rows with counts, status and first words, which a long list comes without."""
        self._details.update((session.id, session) for session in rows)
        self.refresh()

    @property
    def session(self) -> Session | None:
        """The highlighted row."""
        return self.rows[self.cursor] if 0 <= self.cursor < len(self.rows) else None

    def _lay_out(self, cursor: int, keep: int | None) -> None:
        height = 1 if self.room >= COLUMNS_FROM else 2
        total = len(self.rows) * height
        self.lay_out(range(0, total, height), height=height, total=total, cursor=cursor, keep=keep)
        self.call_after_refresh(self._want_details)

    def resized(self) -> None:
        """One line or two, by the room there is now."""
        self._lay_out(self.cursor, self.window_line())

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        """Other rows come into view: ask for what they lack."""
        super().watch_scroll_y(old_value, new_value)
        self._want_details()

    def _want_details(self) -> None:
        wanted = tuple(
            session
            for session in (self.rows[row] for row in self.in_view())
            if not session.counts.total and session.id not in self._asked
        )
        if wanted:
            self._asked.update(session.id for session in wanted)
            self.post_message(SessionList.DetailsWanted(wanted))

    # What the reader does.

    def moved(self) -> None:
        """Tell that another conversation is highlighted."""
        if self.session is not None:
            self.post_message(SessionList.Highlighted(place(self.session)))

    def chosen(self) -> None:
        """Tell that a conversation was opened."""
        if self.session is not None:
            self.post_message(SessionList.Opened(place(self.session)))

    # How a row looks.

    def pieces(self, row: int, line: int, width: int) -> Iterable[Piece]:
        """Title and age, with what is known of the conversation beside or below them."""
        session = self.rows[row]
        if not session.counts.total:
            session = self._details.get(session.id, session)
        name = labels.title(session)
        look = "lines--title" if labels.titled(session) else ""
        age = when(session.last_active_at or session.started_at, self._clock())
        if self._height == 1:
            flags = "  ".join(labels.marks(session))
            trouble = labels.trouble(session)
            room = width - SOURCE - COUNT - AGE - 5 - sum(cells(words) + 2 for words in (flags, trouble) if words)
            yield field(name, max(8, room)), look
            if flags:
                yield f"  {flags}", "lines--soft"
            if trouble:
                yield f"  {trouble}", "lines--state"
            yield "  " + field(session.source, SOURCE), "lines--soft"
            yield field(count(labels.messages(session)), COUNT, right=True), "lines--soft"
            yield "  " + field(age, AGE, right=True) + " ", "lines--soft"
        elif line == 0:
            room = width - cells(age) - 3
            yield field(name, room), look
            yield f"  {age} ", "lines--soft"
        else:
            yield from self._about(session)

    def _about(self, session: Session) -> Iterable[Piece]:
        size = count(labels.messages(session), "message")
        yield one_line(session.source, 2 * SOURCE), "lines--soft"
        yield f" · {size}", "lines--soft"
        for mark in labels.marks(session):
            yield f" · {mark}", "lines--soft"
        if trouble := labels.trouble(session):
            yield " · ", "lines--soft"
            yield trouble, "lines--state"


class SessionList(Vertical):
    """The pane: a heading and the rows."""

    listing: var[model.SessionList | None] = var(None, always_update=True, init=False)
    """What is listed; None until the store has answered."""
    order: var[ListOrder] = var(ListOrder.ACTIVITY, init=False)
    everything: var[bool] = var(False, init=False)

    rows = query_one(SessionRows)

    @dataclass
    class Highlighted(Message):
        """The highlight is on this conversation now."""

        anchor: Anchor

    @dataclass
    class Opened(Message):
        """This conversation was chosen for reading."""

        anchor: Anchor

    @dataclass
    class DetailsWanted(Message):
        """Rows came into view that lack counts, status and first words: hand them over with `supply`."""

        rows: tuple[Session, ...]

    def __init__(self, *, id: str, clock: Callable[[], float], start: Anchor | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._clock = clock
        self._start = start

    def compose(self) -> ComposeResult:
        """A heading above the rows."""
        yield Band(id="list-heading")
        yield Elsewhere(id="elsewhere")
        yield SessionRows(id="list-rows", clock=self._clock, start=self._start)

    def supply(self, rows: Iterable[Session]) -> None:
        """Rows with counts, status and first words."""
        self.rows.supply(rows)

    def watch_listing(self, listing: model.SessionList | None) -> None:
        """Show what the store has answered."""
        self._show_heading()
        if listing is not None:
            self.rows.fill(listing.rows)

    def watch_order(self) -> None:
        """Name the order in the heading."""
        self._show_heading()

    def watch_everything(self) -> None:
        """Name in the heading what is left out."""
        self._show_heading()

    def on_resize(self, event: events.Resize) -> None:
        """The heading says more where there is more room."""
        self._show_heading()

    def _show_heading(self) -> None:
        first, *rest = heading(self.listing, self.order, self.everything, max(20, self.size.width - 2))
        text = Content.assemble((first, "$heading bold"), *(("\n" + line, "$soft") for line in rest))
        self.query_one("#list-heading", Band).put(text, lines=1 + len(rest))


def heading(listing: model.SessionList | None, order: ListOrder, everything: bool, width: int) -> list[str]:
    """The lines above the rows: how many there are, in which order, and what is left out with the key that shows it."""
    if listing is None:
        return ["Reading the store ..."]
    shown = count(len(listing.rows), "conversation")
    if listing.truncated:
        shown = f"{count(len(listing.rows))} of {count(listing.total, 'conversation')}, reading on ..."
    if order is not ListOrder.ACTIVITY:
        shown += f" by {order.value}"
    left = labels.left_out(listing.hidden, "a", "hides again" if everything else "shows all")
    if everything and not left:
        left = ["nothing hidden (a hides again)"]
    if not left:
        return [fit(shown, width)]
    if cells(whole := f"{shown} · {left[0]}") <= width:
        return [whole]
    return [fit(shown, width), next((line for line in left if cells(line) <= width), fit(left[-1], width))]


def place(session: Session) -> Anchor:
    """The place that a row stands for: the conversation, wherever one begins to read it."""
    return Anchor(session.id, profile=session.profile)


def find(rows: tuple[Session, ...], session_id: str) -> int | None:
    """The row that shows a session: its own, or that of the conversation it is a segment of."""
    inside: int | None = None
    for index, session in enumerate(rows):
        if session.id == session_id:
            return index
        if inside is None and session_id in session.segments:
            inside = index
    return inside
