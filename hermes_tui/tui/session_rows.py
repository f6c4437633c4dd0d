"""The rows of the session list: conversations, jobs and folded groups, and what the reader does with them."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Collection, Iterable, Sequence
from functools import partial

from textual.message import Message

from hermes_tui.model import Anchor, Session, SessionKey, SessionKind
from hermes_tui.model.record import dataclass
from hermes_tui.render import count, one_line
from hermes_tui.tui import labels, row_paint
from hermes_tui.tui.columns import USUAL, Column, Fit, fit
from hermes_tui.tui.commands import Where, bindings
from hermes_tui.tui.lines import Lines, Piece
from hermes_tui.tui.row_paint import RowPaint
from hermes_tui.tui.sheet import Folded, Laid, Row, Runs, Sheet, Under, lay, row_key, session_of

COLUMNS_FROM = 70
"""Cells from which a row is one line with columns; in less room it takes two, so that the title keeps the width."""
NEAR = 300
"""Rows around the place before in which a conversation is looked for first."""


class SessionRows(Lines):
    """The rows themselves."""

    BINDINGS = bindings(Where.LIST)

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

    @dataclass
    class Passed(Message):
        """The highlight is on a row that stands for no conversation."""

    @dataclass
    class FitChanged(Message):
        """Other columns are shown, or rows have another height."""

    def __init__(self, *, id: str, clock: Callable[[], float], start: Anchor | None) -> None:  # noqa: A002
        super().__init__(id=id)
        self.sheet: Sheet | None = None
        self.laid = Laid()
        self._paint = RowPaint(clock)
        self._start = start
        self.wanted: Collection[Column] = USUAL
        """The columns to show, as far as there is room."""
        self._folded: set[str] = set()
        self._opened: set[SessionKey] = set()
        self._place: SessionKey | None = None
        """The row that the reader went to last, which is gone back to when it comes into the list again."""
        self._details: dict[SessionKey, Session] = {}
        self._asked: set[SessionKey] = set()

    # What is shown.

    def fill(self, sheet: Sheet) -> None:
        """Show these rows. The highlighted conversation stays highlighted, and on the line of the screen where it is
        unless the list is at its top.

        At first it is the newest, which is told, or the one the browser was started for.
        """
        held = self.row
        keep = self.window_line() if self.scroll_offset.y else None  # at the top, what is new comes into view
        if self.sheet is not None and sheet.view.grouping is not self.sheet.view.grouping:
            self._folded.clear()
        self.sheet = sheet
        self._asked.clear()
        self.laid = lay(sheet, folded=self._folded, opened=self._opened)
        wanted = [self._place, None if held is None else row_key(held)]
        if (start := self._start) is not None:
            wanted = [(start.profile, start.session_id), (None, start.session_id)]
        found = (self.find(key) for key in wanted if key is not None)
        cursor = next((row for row in found if row is not None), min(max(self.cursor, 0), len(self.laid.rows) - 1))
        self._lay_out(cursor if self.laid.rows else -1, keep)
        self._place = self._place or (None if self.row is None else row_key(self.row))
        self._start, now, before = None, self.session, session_of(held)
        if now is not None and start is None and (before is None or not _holds(now, before.key)):
            self.announce(partial(self.Highlighted, place(now)))

    def show_columns(self, wanted: Collection[Column]) -> None:
        """Show these columns, as far as there is room."""
        self.wanted = wanted
        self._lay_out(self.cursor, self.window_line())

    def forget(self, start: Anchor | None) -> None:
        """What is shown and known is of stores that are not open any more; of others, begin at `start`."""
        self.sheet, self._place, self._start = None, None, start
        self._details.clear()
        self._opened.clear()
        self._folded.clear()
        self.laid = Laid()
        self._lay_out(-1, None)

    def supply(self, rows: Iterable[Session]) -> None:
        """Rows with counts, status and first words, which a long list comes without."""
        self._details.update((session.key, session) for session in rows)
        self.refresh()

    @property
    def fit(self) -> Fit | None:
        """The columns, while a row is one line."""
        return self._paint.fit

    @property
    def row(self) -> Row | None:
        """The highlighted row."""
        return self.laid.rows[self.cursor] if 0 <= self.cursor < len(self.laid.rows) else None

    @property
    def session(self) -> Session | None:
        """The conversation of the highlighted row: of a job its newest run, of a folded group none."""
        return session_of(self.row)

    def find(self, key: SessionKey) -> int | None:
        """The row that shows a session: its own, or that of the conversation it is a segment of; else what it is
        folded under."""
        rows = self.laid.rows
        for index in range(max(0, self.cursor - NEAR), min(len(rows), self.cursor + NEAR)):
            if row_key(rows[index]) == key:
                return index
        wanted = key[1]
        likely = [at for at, row in enumerate(rows) if row.__class__ is not Session or _named(row, wanted)]
        same = next((at for at in likely if row_key(rows[at]) == key), None)
        inside = next((at for at in likely if _holds(rows[at], key)), None) if same is None else same
        return self._fold_of(key) if inside is None else inside

    def _fold_of(self, key: SessionKey) -> int | None:
        """The folded group that a conversation is in."""
        if self.sheet is None or not self._folded:
            return None
        held = (group.name for group in self.sheet.groups if group.name in self._folded)
        names = {name for name in held if any(_holds(row, key) for row in self._rows_of(name))}
        return next(
            (at for at, row in enumerate(self.laid.rows) if isinstance(row, Folded) and row.name in names), None
        )

    def _rows_of(self, name: str) -> Iterable[Row]:
        return () if self.sheet is None else next(group.rows for group in self.sheet.groups if group.name == name)

    def _lay_out(self, cursor: int, keep: int | None) -> None:
        height, laid, sheet = 2, self.laid, self.sheet
        fits: Fit | None = None
        if sheet is not None:
            self._paint.wanted, self._paint.urged = frozenset(self.wanted) & sheet.present, sheet.view.order.column
            if self.room >= COLUMNS_FROM:
                height, fits = 1, fit(self.room - 1, self._paint.wanted, urged=self._paint.urged)
        changed, self._paint.fit = fits != self._paint.fit, fits
        self.lay_out(laid.firsts(height), height=height, total=laid.total(height), cursor=cursor, keep=keep)
        if changed:
            self.announce(self.FitChanged)
        self.call_after_refresh(self._want_details)

    def resized(self) -> None:
        """One line or two, by the room there is now."""
        self._lay_out(self.cursor, self.window_line())

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        """Other rows come into view: ask for what they lack."""
        super().watch_scroll_y(old_value, new_value)
        self._want_details()

    def _want_details(self) -> None:
        shown = (session_of(self.laid.rows[row]) for row in self.in_view())
        wanted = tuple(
            session
            for session in shown
            if session is not None and not labels.known(session) and session.key not in self._asked
        )
        if wanted:
            self._asked.update(session.key for session in wanted)
            self.post_message(self.DetailsWanted(wanted))

    # What the reader does.

    def moved(self) -> None:
        """Tell that another conversation is highlighted."""
        row = self.row
        self._place = None if row is None else row_key(row)
        self.post_message(self.Passed() if self.session is None else self.Highlighted(place(self.session)))

    def chosen(self) -> None:
        """Tell that a conversation was opened; a job or a group is unfolded, or folded again."""
        match self.row:
            case Folded() | Runs() as row:
                self._turn(row, row_key(row) not in self._opened)
            case _ if self.session is not None:
                self.post_message(self.Opened(place(self.session)))

    def action_unfold(self) -> None:
        """Show what is under the row."""
        if self.row is not None:
            self._turn(self.row, True)

    def action_fold(self) -> None:
        """Fold what is under the row; else what it stands in: the row above it, or its group."""
        row = self.row
        if row is None or isinstance(row, Folded):
            return
        if row_key(row) in self._opened:
            self._turn(row, False)
        elif isinstance(row, Under):
            above = next(at for at in range(self.cursor, -1, -1) if _depth(self.laid.rows[at]) < row.depth)
            self._turn(self.laid.rows[above], False)
        elif self.laid.headed:
            name = self.laid.names[_last_at_most(self.laid.headed, self.cursor)][0]
            self._folded.add(name)
            self._lay_again(row_key(Folded(name, 0)))

    def _turn(self, row: Row, unfold: bool) -> None:
        if isinstance(row, Folded):
            self._folded.discard(row.name)
            first = next(iter(self._rows_of(row.name)))
            self._lay_again(row_key(first))
            return
        key = row_key(row)
        if unfold and (isinstance(row, Runs) or self._kids(row)):
            self._opened.add(key)
        else:
            self._opened.discard(key)
        self._lay_again(key)

    def _lay_again(self, key: SessionKey) -> None:
        """Put the rows together anew, the highlight on `key`, on the line where the highlight is."""
        if self.sheet is None:
            return
        keep, before = self.window_line(), self.session
        self.laid = lay(self.sheet, folded=self._folded, opened=self._opened)
        self._lay_out(self.find(key) or 0, keep)
        self._place = key
        if self.session is not before:
            self.post_message(self.Passed() if self.session is None else self.Highlighted(place(self.session)))

    def _kids(self, row: Row) -> int:
        session = session_of(row)
        if self.sheet is None or session is None or isinstance(row, Runs):
            return 0
        return len(self.sheet.kids.get(session.key, ()))

    # How a row looks.

    def heading(self, row: int, line: int, width: int) -> Iterable[Piece]:
        """What the rows below have in common, and how many they are."""
        name, size = self.laid.names[_last_at_most(self.laid.headed, row)]
        yield one_line(name, max(8, width - 12)), "lines--group"
        yield f" · {count(size)}", "lines--soft"

    def pieces(self, row: int, line: int, width: int) -> Iterable[Piece]:
        """Title and age, with what is known of the conversation beside or below them."""
        found = self.laid.rows[row]
        opened = row_key(found) in self._opened
        match found:
            case Folded():
                return row_paint.group(found, line, width)
            case Runs():
                return self._paint.job(found, line, width, opened=opened)
            case Under():
                session, depth = found.session, found.depth
            case _:
                session, depth = found, 0
        if not labels.known(session):
            session = self._details.get(session.key, session)
        marks = labels.marks(session, kids=self._kids(found), unfolded=opened)
        edge = labels.EDGES.get(session.kind, "")
        if depth and session.kind is not SessionKind.ORPHAN and edge in marks:
            marks.remove(edge)  # told by where it stands
        return self._paint.conversation(session, marks, line, width, depth=depth)


def place(session: Session) -> Anchor:
    """The place that a row stands for: the conversation, wherever one begins to read it."""
    return Anchor(session.id, profile=session.profile)


def _named(row: Session, session_id: str) -> bool:
    return row.id == session_id or session_id in row.segments


def _holds(row: Row, key: SessionKey) -> bool:
    profile, session_id = key
    match row:
        case Session():
            return row.profile == profile and _named(row, session_id)
        case Under():
            return row.session.profile == profile and session_id in row.session.segments
        case Runs():
            return any(run.profile == profile and session_id in run.segments for run in row.sessions)
        case Folded():
            return False


def _depth(row: Row) -> int:
    return row.depth if isinstance(row, Under) else 0


def _last_at_most(headed: Sequence[int], row: int) -> int:
    return bisect_right(headed, row) - 1
