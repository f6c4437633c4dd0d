"""The first page, on screen before Textual is imported: that takes several times as long as reading and drawing it.

What is drawn is what Textual draws first, row by row and colour by colour, so that nothing moves when it takes over.
Keys typed meanwhile wait in the terminal. Textual itself is not imported here, which is the point.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Collection, Iterable, Iterator
from types import TracebackType
from typing import TYPE_CHECKING, Any, TextIO

from hermes_tui.model import Session, SessionList
from hermes_tui.render import cells, fit
from hermes_tui.tui import labels
from hermes_tui.tui.colours import ACCENT, BACKGROUND, FOREGROUND, SURFACE, VARIABLES
from hermes_tui.tui.columns import USUAL, Column
from hermes_tui.tui.columns import fit as fitted
from hermes_tui.tui.list_heading import column_names, heading
from hermes_tui.tui.piece import Piece
from hermes_tui.tui.row_paint import RowPaint
from hermes_tui.tui.sheet import Sheet, View, lay, make_sheet

if TYPE_CHECKING:
    from textual.driver import Driver

ALTERNATE, BACK = "\x1b[?1049h", "\x1b[?1049l"
HIDDEN, SHOWN = "\x1b[?25l", "\x1b[?25h"
PLAIN = "\x1b[0m"
AT_ONCE, NOW = "\x1b[?2026h", "\x1b[?2026l"
NARROW, SHARE, LEAST, MOST = 80, 38, 36, 84  # as hermes.tcss and Browser have them
TALL, BAND = 30, 4  # lines from which the pane has its band, and those of the band
COLUMNS_FROM = 70
Row = list[tuple[str, str, str]]
"""Runs of text, each with its colour and the one behind it."""


def picture(
    listing: SessionList,
    *,
    columns: int,
    lines: int,
    now: float,
    chosen: Collection[str] | None = None,
    dark: bool = True,
) -> list[Row]:
    """The lines of a terminal of this size with the first page of a list; `chosen` are the columns it shows."""
    front, back, surface, named = FOREGROUND[dark], BACKGROUND[dark], SURFACE[dark], VARIABLES[dark]
    narrow = columns <= NARROW
    width = columns if narrow else min(MOST, max(LEAST, columns * SHARE // 100))
    inside = width if narrow else width - 1
    height = lines - 1  # above the status line
    band = BAND if height >= TALL else 0
    sheet = make_sheet(listing, View(), sizes={}, jobs=(), now=now)
    first, *more = heading(sheet, max(20, inside - 2))
    rows: list[Row] = [[(f" {first}", named["heading"], back)], *([(f" {text}", named["soft"], back)] for text in more)]
    looks = {**named, "": front, "title": front, "group": named["heading"], "bar": ACCENT[dark]}
    wanted = USUAL if chosen is None else frozenset(column for column in Column if column.value in chosen)
    paint = RowPaint(lambda: now)
    paint.wanted, paint.urged = wanted & sheet.present, sheet.view.order.column
    if inside - 1 >= COLUMNS_FROM:
        paint.fit = fitted(inside - 2, paint.wanted, urged=paint.urged)
        rows.append([(f" {column_names(paint.fit)}", named["soft"], back)])
    for lit, pieces in _rows(sheet, paint, inside - 1, height - band - len(rows)):
        behind = named["cursor"] if lit else back
        found = [(text, looks[name.removeprefix("lines--")], behind) for text, name in pieces]
        rows.append(_filled(found, inside - 1, front, behind))
    rows = [_filled(row, inside, front, back) for row in rows[: height - band]]
    rows += [_filled([], inside, front, back) for _ in range(height - band - len(rows))]
    rows += [_filled([], inside, front, surface) for _ in range(band)]
    if not narrow:
        beside = [(" " * (columns - width), front, back if number else surface) for number in range(height)]
        rows = [[*row, ("▕", named["line"], back), right] for row, right in zip(rows, beside, strict=True)]
    return [*rows, _filled([], columns, front, surface)]


def _rows(sheet: Sheet, paint: RowPaint, width: int, space: int) -> Iterator[tuple[bool, list[Piece]]]:
    """The pieces of each line of the list, and whether it is one of the highlighted row, which is the first."""
    height = 2 if paint.fit is None else 1
    for number, row in enumerate(lay(sheet, folded=frozenset(), opened=frozenset()).rows[: space // height + 1]):
        if not isinstance(row, Session):
            return
        marks = labels.marks(row, kids=len(sheet.kids.get(row.key, ())), unfolded=False)
        bar = (" ", "") if number else ("▌", "lines--bar")
        for line in range(height):
            yield not number, [bar, *paint.conversation(row, marks, line, width - 1, depth=0)]


def _filled(row: Row, width: int, colour: str, back: str) -> Row:
    """Exactly `width` cells."""
    found: Row = []
    left = width
    for text, look, behind in row:
        shown = fit(text, left)
        found.append((shown, look, behind))
        left -= cells(shown)
    return [*found, (" " * left, colour, row[-1][2] if row else back)]


def painted(rows: Iterable[Row], *, coloured: bool) -> str:
    """What to write to a terminal."""
    parts, look = [AT_ONCE], ""
    for number, row in enumerate(rows, 1):
        parts.append(f"\x1b[{number};1H")
        for run in row:
            if coloured and (wanted := _look(run)) != look:
                parts.append(look := wanted)
            parts.append(run[0])
    return "".join((*parts, PLAIN, NOW))


def _look(run: tuple[str, str, str]) -> str:
    front, back = (";".join(str(int(colour[at : at + 2], 16)) for at in (1, 3, 5)) for colour in run[1:])
    return f"\x1b[38;2;{front};48;2;{back}m"


class Glimpse:
    """The terminal while it shows the first page: its own again at the end of the `with` block, whatever happens."""

    def __init__(self) -> None:
        self._screen: TextIO | None = None
        self._modes: tuple[int, list[Any]] | None = None

    def __enter__(self) -> Glimpse:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._screen is not None:
            self._screen.write(PLAIN + SHOWN + BACK)
            self._screen.flush()
        self._restore()

    def show(self, listing: SessionList, *, now: float, chosen: Collection[str] | None = None) -> None:
        """Draw it, if this terminal is one that can be drawn on in this way; `chosen` are names of columns."""
        screen, keys = sys.__stderr__, sys.__stdin__
        if screen is None or keys is None or sys.platform == "win32" or os.environ.get("TEXTUAL_THEME"):
            return
        try:
            size = os.get_terminal_size(screen.fileno())
            self._modes = _quiet(keys.fileno())
        except OSError:
            return
        coloured = os.environ.get("COLORTERM", "").lower() in ("truecolor", "24bit") and not os.environ.get("NO_COLOR")
        rows = picture(listing, columns=size.columns, lines=size.lines, now=now, chosen=chosen)
        self._screen = screen
        screen.write(ALTERNATE + HIDDEN + painted(rows, coloured=coloured))
        screen.flush()

    @property
    def shown(self) -> bool:
        """Whether the first page is on screen, and no other picture yet."""
        return self._screen is not None

    def driver(self, kind: type[Driver]) -> type[Driver]:
        """The driver for Textual to take the screen over with, as it is: entering it again would clear it."""
        glimpse = self

        class Successor(kind):  # type: ignore[misc, valid-type]
            def start_application_mode(self) -> None:
                glimpse._restore()  # Textual makes the terminal quiet itself, and gives it back as it was before
                super().start_application_mode()

            def write(self, data: str) -> None:
                if data == ALTERNATE and glimpse._screen is not None:
                    glimpse._screen = None
                    return
                super().write(data)

        return Successor

    def _restore(self) -> None:
        if self._modes is not None and sys.platform != "win32":
            import termios

            descriptor, modes = self._modes
            termios.tcsetattr(descriptor, termios.TCSANOW, modes)
            self._modes = None


def _quiet(descriptor: int) -> tuple[int, list[Any]]:
    """Let the terminal keep keys as they are typed, unseen; which it is, and how it was before. Raises OSError where it
    is none."""
    import termios

    try:
        before = termios.tcgetattr(descriptor)
        modes = termios.tcgetattr(descriptor)
        modes[0] &= ~(termios.IXON | termios.IXOFF | termios.ICRNL | termios.INLCR | termios.IGNCR)
        modes[3] &= ~(termios.ECHO | termios.ICANON | termios.IEXTEN)
        termios.tcsetattr(descriptor, termios.TCSANOW, modes)
    except termios.error as error:
        raise OSError(str(error)) from None
    return descriptor, before
