"""A screen that looks for characters inside the conversation that is open: the find line, and the rows it asks for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

from textual.getters import query_one

from hermes_tui.model import OutlineRow
from hermes_tui.tui.commands import Where
from hermes_tui.tui.find import FindBar
from hermes_tui.tui.literal import Literal, Spot
from hermes_tui.tui.reading import ReadingScreen
from hermes_tui.tui.transcript import TranscriptPane

FIRST = 60
"""Rows looked through at once at first, so that what is near shows without a wait; then `ROWS`."""
ROWS = 240
BYTES = 1_000_000
"""Stored bytes of them, so that a page that is scrolled to meanwhile waits for no more than that."""
ENOUGH = 20_000
"""Places after which no more are looked for."""


class FindingScreen(ReadingScreen, inherit_bindings=False):
    """What `Browser` has of the find line."""

    find_bar = query_one(FindBar)

    _origin: int | None = None  # the message the cursor was on when the reader began to look

    @property
    def finding(self) -> bool:
        """Whether the find line is open."""
        return self.find_bar.display

    def action_find(self) -> None:
        """Open the find line, or go back to it with its text ready to be typed over."""
        bar, pane = self.find_bar, self.transcript
        if pane.outline is None:
            return
        bar.display = True
        self._origin = pane.outline.rows[pane.cursor].id if pane.outline.rows else None
        self.go(Where.FIND)
        bar.box.select_all()

    def close_find(self) -> None:
        """Forget what was looked for; the reader stays where that led."""
        self.workers.cancel_group(self, "find")
        self.find_bar.display = False
        self.find_bar.box.value = ""
        self.transcript.look_for(None)
        self.go(Where.TRANSCRIPT)

    def on_find_bar_typed(self, event: FindBar.Typed) -> None:
        """Look for it, from where the reader was when they opened the line."""
        if self.finding and event.text == self.find_bar.box.value:
            self._look_for(event.text)

    def on_find_bar_stepped(self, event: FindBar.Stepped) -> None:
        """Go on."""
        self._step_find(event.direction)

    def on_find_bar_left(self) -> None:
        """To the text, where n and N go on."""
        self.go(Where.TRANSCRIPT)

    def on_transcript_pane_find_wanted(self, event: TranscriptPane.FindWanted) -> None:
        """Go on."""
        self._step_find(event.direction)

    def shown_anew(self) -> None:
        """Another conversation, or other rows of it: look there."""
        super().shown_anew()
        if self.finding:
            self._origin = None
            self.call_later(self._look_again)

    def watch_lens(self) -> None:
        """Other rows are shown."""
        if self.finding:
            self.call_later(self._look_again)

    def _look_again(self) -> None:
        if self.finding:
            self._look_for(self.find_bar.box.value)

    def _step_find(self, direction: int) -> None:
        finds = self.transcript.finds
        if self.transcript.step_find(direction):
            self._count_finds()
        elif finds is not None and finds.complete:
            self.say("That is not in this conversation.")

    def _look_for(self, text: str) -> None:
        if not text.strip():
            self.workers.cancel_group(self, "find")
            self.transcript.look_for(None)
            self.find_bar.hush()
            return
        self.ask("find", partial(self._find_all, Literal(text)))

    async def _find_all(self, literal: Literal) -> None:
        pane = self.transcript
        before, behind = pane.look_for(literal, origin=self._origin)
        for rows, ahead in ((behind, True), (before, False)):
            for portion in portions(rows):
                spots = await self._spots(portion, literal)
                pane.take_finds(spots, ahead=ahead)
                self._count_finds()
                if pane.finds is not None and len(pane.finds) >= ENOUGH:
                    pane.finds.full = True
                    self._count_finds()
                    return
        pane.end_finds()
        self._count_finds()

    async def look_through(self, rows: Sequence[OutlineRow]) -> None:
        """Look through rows that were written while the line is open."""
        literal = self.transcript.literal
        if literal is not None and self.finding:
            for portion in portions(rows):
                self.transcript.take_finds(await self._spots(portion, literal), ahead=True)
            self._count_finds()

    async def _spots(self, rows: Sequence[OutlineRow], literal: Literal) -> list[Spot]:
        store = None if self._shown is None else self._shown.session.profile
        return await self.desk.spots([row.id for row in rows], literal, profile=store)

    def _count_finds(self) -> None:
        finds = self.transcript.finds
        if finds is not None:
            self.find_bar.say(finds.number, len(finds), complete=finds.complete, full=finds.full)


def portions(rows: Sequence[OutlineRow]) -> Iterator[Sequence[OutlineRow]]:
    """The rows in parts of a size that is read at once."""
    start, size, most = 0, 0, FIRST
    for index, row in enumerate(rows):
        if index > start and (index - start >= most or size + row.size > BYTES):
            yield rows[start:index]
            start, size, most = index, 0, ROWS
        size += row.size
    if start < len(rows):
        yield rows[start:]
