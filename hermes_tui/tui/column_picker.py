"""The list of columns to choose from: each is turned on or off where it stands, and the list behind it follows."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import ClassVar

from textual.binding import Binding, BindingType

from hermes_tui.tui.columns import USUAL, Column
from hermes_tui.tui.picker import PickerScreen

USUAL_ONES = "the usual columns"


class ColumnPicker(PickerScreen[Column | None]):
    """Every column but the title, which is always there; the last row, None, brings the usual ones back.

    `chosen` is told of each change. `left` are columns that there is no room for now, `present` those that any row
    has something for.
    """

    BINDINGS: ClassVar[list[BindingType]] = [Binding("space", "choose", "Choose", show=False, priority=True)]
    PLACEHOLDER = "Find a column"
    KEYS = "Enter or Space shows or hides it, Escape closes this."

    def __init__(
        self,
        wanted: Collection[Column],
        *,
        chosen: Callable[[frozenset[Column]], None],
        left: Callable[[], Collection[Column]],
        present: Collection[Column],
    ) -> None:
        super().__init__()
        self._wanted = frozenset(wanted)
        self._chosen = chosen
        self._left = left
        self._present = present

    def offer(self, typed: str) -> Sequence[Column | None]:
        """Columns whose name holds what was typed."""
        names = [column for column in Column if column is not Column.TITLE and typed.casefold() in column.value]
        return [*names, None] if typed.casefold() in USUAL_ONES else names

    def row(self, item: Column | None) -> tuple[str, str, str]:
        """Its name, whether it is shown, and why it is not to be seen though it is."""
        if item is None:
            return "", f"    {USUAL_ONES}", ""
        on = item in self._wanted
        about = "" if not on else "nothing to show" if item not in self._present else ""
        about = about or ("no room" if on and item in self._left() else "")
        return "", f"{'[x]' if on else '[ ]'} {item.value}", about

    def action_choose(self) -> None:
        """Show or hide the highlighted column."""
        row = self.rows.cursor
        if not 0 <= row < len(self._offered):
            return
        item = self._offered[row]
        self._wanted = USUAL if item is None else self._wanted ^ {item}
        self._chosen(self._wanted)
        self.show(cursor=row)
