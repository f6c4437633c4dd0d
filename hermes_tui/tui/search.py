"""Pane 2: the search box, the hits below it, and the line that says what was searched."""

from __future__ import annotations

from collections.abc import Callable

from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.getters import query_one
from textual.message import Message
from textual.reactive import var
from textual.widgets import Input, Static

from hermes_tui.model import PLAIN, Answer, Filtered, Mode, WayOut
from hermes_tui.model.record import dataclass
from hermes_tui.render import cells, clean
from hermes_tui.tui.band import Band
from hermes_tui.tui.box import Box
from hermes_tui.tui.chips import Chips, chips
from hermes_tui.tui.commands import Where, bindings
from hermes_tui.tui.coverage import coverage
from hermes_tui.tui.hits import HitRows
from hermes_tui.tui.ways import WayRows


class SearchBox(Box):
    """Where the query is typed. Every printable key is text."""

    BINDINGS = bindings(Where.BOX)

    @dataclass
    class LeftDown(Message):
        """The reader goes down, to the hits."""

    @dataclass
    class WentUp(Message):
        """The reader wants the search before."""

    @dataclass
    class Entered(Message):
        """The reader wants to read the first or highlighted hit of the `text` that stands in the box."""

        text: str

    def __init__(self, *, id: str) -> None:  # noqa: A002
        super().__init__(id=id, placeholder="Search all that was said")

    def put(self, text: str) -> None:
        """Let `text` stand in the box, the cursor behind it."""
        if text != self.value:
            self.value = text
        self.cursor_position = len(text)

    def action_leave_down(self) -> None:
        """Go to the hits."""
        self.post_message(self.LeftDown())

    def action_older(self) -> None:
        """Recall the search before."""
        self.post_message(self.WentUp())

    def action_open(self) -> None:
        """Read the highlighted hit."""
        self.post_message(self.Entered(self.value))


class SearchPane(Vertical):
    """The pane: box, hits, coverage."""

    answer: var[Answer | None] = var(None, always_update=True, init=False)
    """What the search knows so far; the last good one stays while the next is looked for."""
    text: var[str] = var("", init=False)
    """The query that stands; "" when none does."""
    busy: var[bool] = var(False, init=False)
    outdated: var[bool] = var(False, init=False)
    """Whether the store was written to since the answer, and the search waits with asking again."""
    everything: var[bool] = var(False, init=False)
    mode: var[Mode] = var(PLAIN, init=False)
    filters: var[tuple[Filtered, ...]] = var((), init=False)
    """The filters of the query that stands."""
    counting: var[bool] = var(False, init=False)
    """Whether somebody is counting what the filters hide."""
    ways: var[tuple[WayOut, ...]] = var((), init=False)
    """What there is besides an answer without hits."""

    box = query_one(SearchBox)
    hits = query_one(HitRows)
    way_rows = query_one(WayRows)

    @dataclass
    class Typed(Message):
        """The text in the box is another one now."""

        text: str

    def __init__(self, *, id: str, clock: Callable[[], float]) -> None:  # noqa: A002
        super().__init__(id=id)
        self.clock = clock
        self.titles: dict[str, str] = {}
        """What conversations that the search keeps to are called."""

    @property
    def rows(self) -> HitRows | WayRows:
        """The list that is shown: hits, or where there are none the ways out."""
        return self.way_rows if self.ways else self.hits

    def compose(self) -> ComposeResult:
        """Box, chips, hits or ways out, coverage, from top to bottom."""
        with Horizontal(id="box-row"):
            yield Static("/", id="box-sign", markup=False)
            yield SearchBox(id="box")
        yield Chips(id="chips")
        yield HitRows(id="hits", clock=self.clock)
        yield WayRows(id="ways")
        yield Band(id="coverage")

    def on_mount(self) -> None:
        """Nothing was searched yet."""
        self._show_coverage()
        self.show_chips()

    def on_input_changed(self, event: Input.Changed) -> None:
        """Pass on what was typed."""
        event.stop()
        self.post_message(self.Typed(event.value))

    def watch_answer(self, answer: Answer | None) -> None:
        """Show the hits; what is highlighted stays so while more arrive."""
        self.hits.fill(answer, everything=self.everything)
        self._show_coverage()

    def watch_text(self) -> None:
        """Show or hide the hits with the query."""
        self._show_coverage()

    def watch_mode(self) -> None:
        """Another answer is looked for, and another chip stands."""
        self._show_coverage()
        self.show_chips()

    def watch_filters(self) -> None:
        """Other chips."""
        self.show_chips()

    def watch_counting(self) -> None:
        """Counts are on their way, or there are none."""
        self.show_chips()

    def watch_ways(self) -> None:
        """Show the ways out in place of the hits, or the hits again; the focus stays in the list."""
        inside = self.hits.has_focus or self.way_rows.has_focus
        self.way_rows.fill(self.ways)
        self._show_coverage()
        self.show_chips()
        if inside:
            self.rows.focus()

    def watch_busy(self) -> None:
        """Say that it is still being looked for."""
        self._show_coverage()

    def watch_outdated(self) -> None:
        """Say that there may be more by now, or no longer."""
        self._show_coverage()

    def watch_everything(self) -> None:
        """Show the rest of the titles, or the first ones."""
        self.hits.fill(self.answer, everything=self.everything)

    def on_resize(self) -> None:
        """The coverage line breaks elsewhere."""
        self._show_coverage()

    def _show_coverage(self) -> None:
        line = self.query_one("#coverage", Band)
        line.display = bool(self.text)
        self.hits.display = bool(self.text) and not self.ways
        self.way_rows.display = bool(self.text) and bool(self.ways)
        self.set_class(bool(self.text), "-searching")
        conversations = sum(group.session is not None for group in self.hits.groups)
        parts = coverage(
            self.answer,
            self.text,
            busy=self.busy,
            mode=self.mode,
            conversations=conversations,
            outdated=self.outdated,
        )
        lines = broken(parts, max(20, self.size.width - 2))
        line.put(Content("\n".join(lines)), lines=len(lines))

    def show_chips(self) -> None:
        """Show which switches are on and which filters stand. While there are ways out the numbers are theirs."""
        shown = chips(self.mode, self.filters, numbered=not self.ways, counting=self.counting, titles=self.titles)
        self.query_one(Chips).shown = tuple(shown)


def broken(parts: list[str], width: int) -> list[str]:
    """Parts joined into lines of at most `width` cells, broken between parts where that is possible."""
    lines: list[str] = []
    for part in parts:
        part = clean(part, keep_newlines=False)
        if lines and cells(lines[-1]) + 3 + cells(part) <= width:
            lines[-1] += f" · {part}"
        else:
            lines.append(part)
    return lines
