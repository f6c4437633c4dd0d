"""A screen that remembers searches: Up and Down in the box recall them, a list has them all and the saved ones."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial

from hermes_tui.history import History, Saved
from hermes_tui.model import Answer, Mode, SessionList
from hermes_tui.render import one_line
from hermes_tui.tui.asking import Source
from hermes_tui.tui.hits import HitRows
from hermes_tui.tui.past import NameScreen, PastPicker, Search
from hermes_tui.tui.picking import PickingScreen
from hermes_tui.tui.search import SearchBox, SearchPane

STANDING = 3.0
"""Seconds a whole answer has to stand for its query to be remembered though no hit was looked at."""

Question = tuple[str, Mode]


class RecallingScreen(PickingScreen, inherit_bindings=False):
    """What searches, narrows and remembers. Without a `history` nothing is remembered."""

    history: History | None = None

    def __init__(self, library: Source, *, sessions: Future[SessionList] | None, rest: float | None) -> None:
        super().__init__(library, sessions=sessions, rest=rest)
        self._files = ThreadPoolExecutor(1, thread_name_prefix="hermes-history")
        self._recalled: Question | None = None
        """The past search that stands in the box."""
        self._draft: Question = ("", self.mode)
        """What stood there before the first was recalled."""
        self._remembered: Question | None = None
        self._told = ""
        """The trouble with the files that was told."""

    def on_unmount(self) -> None:
        """Let what is being written be written."""
        self._files.shutdown()

    # Remembering.

    def found(self, answer: Answer) -> None:
        """Remember a query whose answer stands for a while."""
        super().found(answer)
        if self.history is not None:
            self.ask("standing", self._standing)

    async def _standing(self) -> None:
        question = (self.text, self.mode)
        await asyncio.sleep(STANDING)
        if question == (self.text, self.mode):
            self.remember()

    def seek_anew(self, wait: float = 0.0) -> None:
        """Another query stands."""
        self.workers.cancel_group(self, "standing")
        super().seek_anew(wait)

    def end_search(self) -> None:
        """None stands."""
        self.workers.cancel_group(self, "standing")
        super().end_search()

    def remember(self) -> None:
        """Put the query that stands in front of the past ones, once."""
        question, answer, history = (self.text, self.mode), self.answer, self.history
        bad = answer is not None and answer.problem is not None
        if history is None or not self.text or question == self._remembered or bad:
            return
        self._remembered = question
        text, mode = question
        self._write(lambda: history.remember(text, case=mode.case, regex=mode.regex, reasoning=mode.reasoning))

    def on_hit_rows_highlighted(self, event: HitRows.Highlighted) -> None:
        """A hit that the reader moved to is worth remembering how it was found."""
        if self.search.hits.touched and self.answer is not None and self.stands(self.answer):
            self.remember()

    def on_hit_rows_opened(self, event: HitRows.Opened) -> None:
        """So is one that is read."""
        self.remember()

    def on_search_box_entered(self, event: SearchBox.Entered) -> None:
        """Enter says that the query is meant; the search itself hears of it after this."""
        self.call_later(self.remember)

    def _write(self, work: Callable[[], None], *, said: str = "") -> None:
        """Do `work` on the files in their thread, whatever becomes of this screen; then say how it went."""
        done = asyncio.wrap_future(self._files.submit(work))

        async def write() -> None:
            try:
                await asyncio.shield(done)
            except ValueError as error:
                self.say(str(error))
                return
            trouble = None if self.history is None else self.history.trouble
            if trouble and trouble != self._told:
                self._told = trouble
                self.say(trouble)
            elif said:
                self.say(said)

        self._work(write, group="history", exclusive=False)

    # Recalling.

    def on_search_pane_typed(self, event: SearchPane.Typed) -> None:
        """Who types has left the past."""
        if self._recalled is not None and self.search.box.value != self._recalled[0]:
            self._recalled = None

    def on_search_box_went_up(self) -> None:
        """The search before the one that stands in the box."""
        questions = self._questions()
        here: Question = (self.search.box.value, self.mode)
        at = questions.index(self._recalled) + 1 if self._recalled in questions else 0
        older = next((question for question in questions[at:] if question != here), None)
        if older is None:
            self.say("There is no search before that." if self.history is not None else "Searches are not remembered.")
            return
        if self._recalled is None:
            self._draft = here
        self._recall(older)

    def on_search_box_left_down(self, event: SearchBox.LeftDown) -> None:
        """Forward through the past, at its end back to what was typed; from there down to the hits."""
        if self._recalled is None:
            return
        event.prevent_default()
        questions = self._questions()
        at = questions.index(self._recalled) if self._recalled in questions else 0
        newer = next((question for question in questions[:at][::-1] if question != self._draft), None)
        if newer is None:
            self._recall(self._draft)
            self._recalled = None
        else:
            self._recall(newer)

    def _questions(self) -> list[Question]:
        return [] if self.history is None else [(past.text, past.mode) for past in self.history.past]

    def _recall(self, question: Question) -> None:
        self._recalled = question
        self.ask_for(question[0], mode=question[1])

    # Actions of the command table.

    def action_past_searches(self) -> None:
        """Choose from past and saved searches."""
        history = self.history
        if history is None:
            self.say("Searches are not remembered.")
            return
        gone: set[str] = set()

        def forget(saved: Saved) -> None:
            gone.add(saved.name)
            self._write(partial(history.forget, saved.name))

        def searches() -> list[Search]:
            return [*(one for one in history.saved if one.name not in gone), *history.past]

        picker = PastPicker(searches, forget=forget, trouble=history.trouble, clock=self.search.clock)
        self.app.push_screen(picker, self._chosen)

    def _chosen(self, search: Search | None) -> None:
        if search is not None:
            self.ask_for(search.text, mode=search.mode)
            self.remember()

    def action_save_search(self) -> None:
        """Save the query that stands under a name."""
        if self.history is None:
            self.say("Searches are not remembered, so none can be saved.")
        elif not self.text:
            self.say("There is no search to save yet.")
        else:
            self.app.push_screen(NameScreen(self.text), partial(self._save, self.text, self.mode))

    def _save(self, text: str, mode: Mode, name: str | None) -> None:
        history = self.history
        if name is not None and history is not None:
            self._write(
                lambda: history.save(name, text, case=mode.case, regex=mode.regex, reasoning=mode.reasoning),
                said=f"Saved as {one_line(name, 60)}. Ctrl+R lists what is saved.",
            )
