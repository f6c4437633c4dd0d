"""The lineage of a session as a tree: splits, branches, resets, sub-agents, and what is missing."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Sequence
from typing import ClassVar

from textual.binding import Binding, BindingType

from hermes_tui.model import Anchor, SessionKind, TreeRow
from hermes_tui.model.record import dataclass
from hermes_tui.render import cells, count, one_line, when
from hermes_tui.tui import labels
from hermes_tui.tui.lines import Piece, field
from hermes_tui.tui.sight import SightScreen

EDGES = {SessionKind.ROOT: "", SessionKind.CONTINUATION: "split", **labels.EDGES}
"""What the edge to the row above is called."""
AGE = 10
SOURCE = 10
LEVELS = 12
"""Levels that are drawn; deeper ones say how deep they are, so that the title keeps its room."""


@dataclass(frozen=True, slots=True)
class Twig:
    """One session of the tree."""

    row: TreeRow
    preview: str
    now: float
    heading: str = ""

    @property
    def anchor(self) -> Anchor | None:
        """The session, if it is there."""
        session = self.row.session
        return None if session is None else Anchor(session.id, profile=session.profile)

    def pieces(self, width: int) -> Iterable[Piece]:
        """The lines of the tree, the edge, the title, and where and when."""
        row = self.row
        lines, edge = drawn(row), "loop" if row.loop else EDGES[row.edge]
        yield lines, "lines--soft"
        if edge:
            yield f"{edge}: ", "lines--state" if row.loop or row.edge is SessionKind.ORPHAN else "lines--tool"
        left = width - cells(lines) - (cells(edge) + 2 if edge else 0)
        if row.session is None:
            yield one_line(f"{row.id} is not in the store", max(8, left)), "lines--state"
            return
        marks = [word for word, holds in (("here", row.current), ("tip", row.tip), ("!", row.wrong)) if holds]
        flags = "  ".join(marks)
        about = left >= 24 + SOURCE + AGE + 4
        room = left - (SOURCE + AGE + 4 if about else 0) - (cells(flags) + 2 if flags else 0)
        name = labels.title(row.session, self.preview)
        yield field(name, max(8, room)), "lines--title" if labels.titled(row.session) else ""
        if flags:
            yield f"  {flags}", "lines--user" if row.current else "lines--state"
        if about:
            yield "  " + field(row.session.source, SOURCE), "lines--soft"
            age = when(row.session.last_active_at or row.session.started_at, self.now)
            yield field(age, AGE, right=True) + " ", "lines--soft"


def drawn(row: TreeRow) -> str:
    """`│  ├─ `: the lines of the tree in front of a row."""
    if not row.depth:
        return ""
    rails = row.rails[-LEVELS:]
    deep = f"{row.depth}… " if row.depth > LEVELS else ""
    return deep + "".join("│  " if goes_on else "   " for goes_on in rails) + ("└─ " if row.last else "├─ ")


class TreeScreen(SightScreen):
    """The tree, the highlight on the session it was asked for."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("t", "close", "Close", show=False)]
    KEYS = "Enter reads it, Escape closes this.  here: where you came from · tip: where its conversation is now"

    def __init__(
        self,
        read: Callable[[], Awaitable[tuple[Sequence[TreeRow], dict[str, str]]]],
        *,
        clock: Callable[[], float],
    ) -> None:
        """`read` brings the rows, and first words of sessions by id."""
        super().__init__()
        self._read = read
        self._clock = clock

    async def load(self) -> None:
        """The whole lineage."""
        rows, previews = await self._read()
        now = self._clock()
        twigs = [Twig(row, previews.get(row.id, ""), now) for row in rows]
        cursor = next((number for number, row in enumerate(rows) if row.current), 0)
        self.show(titled(rows), twigs, cursor=cursor)


def titled(rows: Sequence[TreeRow]) -> str:
    """`Lineage of 5 sessions: 2 splits, 1 sub-agent`, and what is wrong with the row in it."""
    there = [row for row in rows if row.session is not None]
    said = [f"Lineage of {count(len(there), 'session')}"]
    kinds = [
        count(many, noun, plural)
        for kind, noun, plural in (
            (SessionKind.CONTINUATION, "split", "splits"),
            (SessionKind.BRANCH, "branch", "branches"),
            (SessionKind.RESET, "reset", "resets"),
            (SessionKind.DELEGATE, "sub-agent", "sub-agents"),
            (SessionKind.ORPHAN, "parent missing", "parents missing"),
        )
        if (many := sum(row.edge is kind for row in there))
    ]
    if kinds:
        said.append(": " + ", ".join(kinds))
    if any(row.loop for row in rows):
        said.append(" · its parents go round in a loop, cut here once")
    wrong = next((row.wrong for row in rows if row.current and row.wrong), None)
    wrong = wrong or next((row.wrong for row in rows if row.wrong), None)
    return "".join(said) + (f" · ! {wrong}" if wrong else "")
