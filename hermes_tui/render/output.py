"""The looks within what a tool answered or was asked: its own colours, data, diffs."""

from __future__ import annotations

from collections.abc import Sequence

from hermes_tui.render.clean import Cleaned
from hermes_tui.render.data import LONG, data_runs, is_data
from hermes_tui.render.diff import Diffs, diff_ink
from hermes_tui.render.ink import Gap, Ink, Run, Shade
from hermes_tui.render.sgr import Shades


class Output:
    """The inker of text that is no prose. `stored` is where `cleaned` was taken from, at `base`.

    `data` says whether it is data (JSON, `key: value` lines); None: its beginning tells.
    """

    def __init__(self, cleaned: Cleaned, stored: str, base: int, *, data: bool | None = None) -> None:
        self._text = cleaned.text
        self._shades = Shades(cleaned, stored, base)
        self._diffs = Diffs(cleaned.text)
        self._data = is_data(stored) if data is None else data

    def runs(self, start: int, end: int, ink: Ink) -> Sequence[Run]:
        """Lines of diffs as a whole; in data keys, strings and numbers."""
        if self._diffs.covers(start):
            left = self._text.rfind("\n", max(0, start - LONG), start) + 1
            known = left > 0 or start <= LONG
            look = diff_ink(self._text, left) if known else None
            return [] if look is None else [(start, end, look)]
        return data_runs(self._text, start, end) if self._data else ()

    def gaps(self, start: int) -> Sequence[Gap]:
        """Output stands as it is."""
        return ()

    def shades(self, start: int, end: int) -> Sequence[Shade]:
        """The colours it brought along."""
        return self._shades.within(start, end)
