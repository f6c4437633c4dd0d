"""A reader that moves: by messages and windows, from one thing worth stopping at to the next, and to the ends."""

from __future__ import annotations

from collections.abc import Callable, Container

from textual.message import Message as Event

from hermes_tui.model import Anchor
from hermes_tui.tui.finder import Finder
from hermes_tui.tui.outline import Outline
from hermes_tui.tui.reader import Target


class Walker(Finder):
    """The moves, each an action of the table of commands."""

    class Left(Event):
        """The reader leaves this place for one that is far, and may want to come back."""

        def __init__(self, anchor: Anchor) -> None:
            super().__init__()
            self.anchor = anchor

    class Missed(Event):
        """There was nothing to go to; the sentence says what."""

        def __init__(self, sentence: str) -> None:
            super().__init__()
            self.sentence = sentence

    faults: frozenset[int] = frozenset()
    """Messages that tell of something that went wrong."""

    def take_faults(self, faults: frozenset[int]) -> None:
        """These are they; cards tell of them."""
        if faults != self.faults:
            self.faults = self.pairs.faults = faults
            self.pairs.ask_again()
            self.forget_views()
            self.put_back()

    # By messages and windows.

    def action_cursor_down(self) -> None:
        """The next message; one that goes on below the window is scrolled through first."""
        if self.cursor in self.in_window() and self._end(self.cursor) > self.top + self.window:
            self.move(1)
        elif self.cursor + 1 < len(self.heights):
            self.reveal(self.cursor + 1)

    def action_cursor_up(self) -> None:
        """The message before; one that began above the window is scrolled through first."""
        if self.cursor in self.in_window() and self.heights.before(self.cursor) < self.top:
            self.move(-1)
        elif self.cursor > 0:
            self.reveal(self.cursor - 1)

    def action_page_down(self) -> None:
        """A window further; at the end, to the last message."""
        before = self.top
        self.move(max(1, self.window - 2))
        if self.top == before and len(self.heights):
            self.put_cursor(len(self.heights) - 1)

    def action_page_up(self) -> None:
        """A window back; at the top, to the first message."""
        before = self.top
        self.move(-max(1, self.window - 2))
        if self.top == before:
            self.put_cursor(0)

    def _end(self, index: int) -> int:
        return self.heights.before(index) + self.heights[index]

    # Far.

    @property
    def here(self) -> Anchor | None:
        """The place of the cursor."""
        if self.outline is None or not self.outline.rows:
            return None
        row = self.outline.rows[self.cursor]
        return Anchor(row.session_id, row.id, self.outline.transcript.session.profile)

    def leave(self) -> None:
        """Tell of the place that is left."""
        if (here := self.here) is not None:
            self.post_message(self.Left(here))

    def jump(self, index: int) -> None:
        """Go to entry `index`, wherever it is; to the end for one below the last, where a border may be."""
        if index >= len(self.heights):
            self.action_cursor_last()
            return
        if index != self.cursor:
            self.leave()
        self.bring(index, Target.TOP)
        self.refresh()

    def action_cursor_first(self) -> None:
        """The first message."""
        if len(self.heights):
            self.jump(0)

    def action_cursor_last(self) -> None:
        """The last message, its end at the bottom."""
        if len(self.heights):
            if self.cursor != len(self.heights) - 1:
                self.leave()
            self.reveal(len(self.heights) - 1)
            self.settle(self.cursor, self.heights[self.cursor] - 1, self.window - 1)

    def action_goal(self) -> None:
        """What the conversation began with: the first thing a person said."""
        self._jump_to(lambda outline: next((at for at in range(len(outline)) if outline.is_turn(at)), None), "goal")

    def action_last_answer(self) -> None:
        """The last thing the model said."""
        self._jump_to(
            lambda outline: next((at for at in reversed(range(len(outline))) if outline.is_answer(at)), None), "answer"
        )

    def _jump_to(self, find: Callable[[Outline], int | None], what: str) -> None:
        found = find(self.outline) if self.outline is not None else None
        if found is None:
            self.post_message(self.Missed(f"There is no {what} here."))
        else:
            self.jump(found)

    # From one to the next.

    def action_next_turn(self) -> None:
        """The next thing a person said."""
        self._step(1, "user turn", lambda outline, at: outline.is_turn(at))

    def action_previous_turn(self) -> None:
        """The thing a person said before."""
        self._step(-1, "user turn", lambda outline, at: outline.is_turn(at))

    def action_next_call(self) -> None:
        """The next tool call."""
        self._step(1, "tool call", lambda outline, at: outline.is_call(at))

    def action_previous_call(self) -> None:
        """The tool call before."""
        self._step(-1, "tool call", lambda outline, at: outline.is_call(at))

    def action_next_error(self) -> None:
        """The next thing that went wrong."""
        self._step_among(1, "error", self.faulty())

    def action_previous_error(self) -> None:
        """The thing that went wrong before."""
        self._step_among(-1, "error", self.faulty())

    def action_next_border(self) -> None:
        """The next place where compaction cut, which may be below all that is shown."""
        outline, last = self.outline, len(self.heights)
        cuts = outline.cuts if outline is not None else {}
        at_end = self.cursor == last - 1 and self.top + self.window >= self.heights.total
        if last in cuts and not at_end and not any(self.cursor < at < last for at in cuts):
            self.jump(last)
        else:
            self._step_among(1, "compaction border", {*cuts, last - 1} if last in cuts and at_end else cuts)

    def action_previous_border(self) -> None:
        """The place before where compaction cut."""
        self._step_among(-1, "compaction border", self.outline.cuts if self.outline else ())

    def faulty(self) -> frozenset[int]:
        """The entries that tell of an error."""
        outline = self.outline
        found = (outline.index(message_id) for message_id in self.faults) if outline else ()
        return frozenset(index for index in found if index is not None)

    def _step_among(self, direction: int, what: str, entries: Container[int]) -> None:
        self._step(direction, what, lambda _, at: at in entries)

    def _step(self, direction: int, what: str, fits: Callable[[Outline, int], bool]) -> None:
        outline = self.outline
        if outline is None:
            return
        order = range(self.cursor + 1, len(outline)) if direction > 0 else range(self.cursor - 1, -1, -1)
        found = next((at for at in order if fits(outline, at)), None)
        if found is not None:
            self.bring(found, Target.TOP)
            self.refresh()
        elif outline.rows and fits(outline, self.cursor):
            self.post_message(self.Missed(f"This is the {'last' if direction > 0 else 'first'} {what}."))
        else:
            self.post_message(self.Missed(f"There is no {what} {'further down' if direction > 0 else 'above'}."))
