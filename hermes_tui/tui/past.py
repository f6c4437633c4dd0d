"""The list of past and saved searches, and the name a search is saved under."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.fuzzy import Matcher
from textual.screen import ModalScreen
from textual.widgets import Input, Static

from hermes_tui.history import Past, Saved
from hermes_tui.model import Case, Mode
from hermes_tui.render import one_line, when
from hermes_tui.tui.box import Box
from hermes_tui.tui.picker import PickerScreen

Search = Past | Saved


def switches(mode: Mode) -> str:
    """`case, regex`: the switches that are on, in words."""
    on = ((mode.case is Case.EXACT, "case"), (mode.regex, "regex"), (mode.reasoning, "reasoning"))
    return ", ".join(word for is_on, word in on if is_on)


def alike(searches: Sequence[Search], typed: str) -> list[Search]:
    """The searches whose name or text holds what was typed, else those that hold its letters; in their order."""
    if not typed.strip():
        return list(searches)
    word = typed.strip().casefold()
    matcher = Matcher(word)
    holding = [search for search in searches if word in said(search).casefold()]
    return holding or [search for search in searches if matcher.match(said(search)) > 0]


def said(search: Search) -> str:
    """What a search is called and looks for."""
    return f"{search.name}: {search.text}" if isinstance(search, Saved) else search.text


class PastPicker(PickerScreen[Search]):
    """Saved searches, then past ones, the newest first."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("delete", "forget", "Forget", show=False, priority=True)]
    PLACEHOLDER = "Find a search"
    KEYS = "Enter runs it, Delete forgets a saved one, Escape closes this."

    def __init__(
        self,
        searches: Callable[[], Sequence[Search]],
        *,
        forget: Callable[[Saved], None],
        trouble: str | None,
        clock: Callable[[], float],
    ) -> None:
        super().__init__()
        self._clock = clock
        self._searches = searches
        self._forget = forget
        self._trouble = trouble

    def on_mount(self) -> None:
        """Say what is wrong with the files, if anything is."""
        if self._trouble:
            self.query_one("#picker-keys", Static).update(one_line(self._trouble, 400))

    def offer(self, typed: str) -> Sequence[Search]:
        """What is like `typed`."""
        return alike(self._searches(), typed)

    def row(self, item: Search) -> tuple[str, str, str]:
        """Under Saved or Past: its text, and when it was asked with which switches."""
        heading = "Saved" if isinstance(item, Saved) else "Past"
        about = " · ".join(part for part in (switches(item.mode), when(item.when, self._clock())) if part)
        return heading, said(item), about

    def action_forget(self) -> None:
        """Throw the highlighted saved search away."""
        here, row = self.here, self.rows.cursor
        if isinstance(here, Saved):
            self._forget(here)
            self.show(cursor=row)


class NameScreen(ModalScreen[str | None]):
    """Asks what a search is to be called."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "close", "Close", show=False)]

    def __init__(self, text: str) -> None:
        super().__init__()
        self._text = text

    def compose(self) -> ComposeResult:
        """What is saved, and the box for its name."""
        with Vertical(id="name"):
            yield Static(f"Save this search: {one_line(self._text, 400)}", markup=False)
            yield Box(id="name-box", placeholder="Name")
            yield Static("Enter saves it, Escape does not. Ctrl+R lists what is saved.", id="name-keys", markup=False)

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """End with the name, once there is one."""
        event.stop()
        if event.value.strip():
            self.dismiss(event.value.strip())

    def action_close(self) -> None:
        """End without."""
        self.dismiss(None)
