"""A screen that offers filters: in a list to pick from, and behind the cursor while one is being typed."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from concurrent.futures import Future
from functools import partial

from hermes_tui.model import SessionList
from hermes_tui.query import Field
from hermes_tui.tui.asking import ERRORS, Source
from hermes_tui.tui.choices import FACETED, Choice, added
from hermes_tui.tui.commands import Where
from hermes_tui.tui.completion import FilterSuggester
from hermes_tui.tui.narrowing import NarrowingScreen
from hermes_tui.tui.picker import FilterPicker

Values = Sequence[tuple[str, int]]


class PickingScreen(NarrowingScreen, inherit_bindings=False):
    """What narrows a search, and helps to."""

    def __init__(self, library: Source, *, sessions: Future[SessionList] | None, rest: float | None) -> None:
        super().__init__(library, sessions=sessions, rest=rest)
        self._facets: dict[Field, Values] = {}
        self._one_at_a_time = asyncio.Lock()

    def on_mount(self) -> None:
        """Complete what is typed in the box."""
        self.search.box.suggester = FilterSuggester(self._known)

    async def _known(self, field: Field) -> Values:
        """The values of a field, as they were when they were first asked for; none while the store cannot say."""
        async with self._one_at_a_time:
            if field not in self._facets and self.is_open:
                try:
                    self._facets[field] = await self.desk.facets(field)
                except ERRORS:
                    return ()
            return self._facets.get(field, ())

    def action_pick_filter(self) -> None:
        """Choose a filter from a list."""
        picker = FilterPicker(self.filters, self._facets)
        self.app.push_screen(picker, self._picked)
        self.ask("facets", partial(self._supply, picker))

    async def _supply(self, picker: FilterPicker) -> None:
        for field in FACETED:
            self._facets[field] = await self.desk.facets(field)
            picker.supply(field, self._facets[field])

    def _picked(self, choice: Choice | None) -> None:
        self.workers.cancel_group(self, "facets")
        if choice is None:
            return
        text = self.search.box.value
        if choice.without is not None:
            self.ask_for(choice.without)
        elif choice.unfinished:
            self.search.box.put(f"{text} {choice.text}".lstrip())
            self.go(Where.BOX)
        else:
            self.ask_for(added(text, choice.text, self.mode))
