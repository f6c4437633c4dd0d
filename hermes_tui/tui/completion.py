"""Completion of filters while they are typed: what stands behind the cursor is taken with Right."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence

from textual.suggester import Suggester

from hermes_tui.query import Field
from hermes_tui.tui.choices import FIXED, completed, unfinished


class FilterSuggester(Suggester):
    """Completes `source:te` to a source that the store holds. `values` are asked for, once a field is being typed."""

    def __init__(self, values: Callable[[Field], Awaitable[Sequence[tuple[str, int]]]]) -> None:
        super().__init__(use_cache=False, case_sensitive=True)
        self._values = values

    async def get_suggestion(self, value: str) -> str | None:
        """The query with the value at its end completed."""
        begun = unfinished(value)
        if begun is None:
            return None
        field, _ = begun
        known = FIXED[field] if field in FIXED else [word for word, _ in await self._values(field)]
        return completed(value, known)
