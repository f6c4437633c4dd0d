"""The menu of one thing that was found on the screen: other ways to copy it, and what else can be done with it."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum

from textual import events
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.getters import query_one
from textual.screen import ModalScreen
from textual.widgets import Static

from hermes_tui.hints import Hint, HintKind, Resolved, State
from hermes_tui.model.record import dataclass
from hermes_tui.render import clean, one_line
from hermes_tui.tui.picker import PickRows

TARGET = 32
"""Cells for what a row of the menu works with."""


class Deed(StrEnum):
    """What can be done; the value is the key for it."""

    COPY = "y"
    RELATIVE = "r"
    ABSOLUTE = "a"
    SPOT = "l"
    EDIT = "e"
    TOUCHED = "t"
    OPEN = "o"
    GO = "g"
    SEARCH = "s"


@dataclass(frozen=True, slots=True)
class Offer:
    """One row of the menu: the deed, its name, and what it is done with."""

    deed: Deed
    name: str
    text: str


def offers(hint: Hint, stands: Resolved | None) -> tuple[Offer, ...]:
    """What can be done with `hint`, a path as it `stands` (None: it is none)."""
    found = [Offer(Deed.COPY, "Copy as it is written", hint.text)]
    if hint.path:
        found += _of_path(hint, stands)
    if hint.kind is HintKind.URL:
        found.append(Offer(Deed.OPEN, "Open outside, after a question", hint.text))
    if hint.kind is HintKind.ID:
        found.append(Offer(Deed.GO, "Go there", hint.text))
    if hint.kind in (HintKind.ID, HintKind.HASH, HintKind.EMAIL, HintKind.INLINE) and "\n" not in hint.text:
        found.append(Offer(Deed.SEARCH, "Search all conversations for it", hint.text))
    return tuple(found)


def _of_path(hint: Hint, stands: Resolved | None) -> list[Offer]:
    found: list[Offer] = []
    if stands is not None and stands.relative is not None:
        found.append(Offer(Deed.RELATIVE, "Copy relative to the session's folder", stands.relative))
    if stands is not None and stands.absolute is not None:
        found.append(Offer(Deed.ABSOLUTE, "Copy from the root", stands.absolute))
    if hint.line is not None:
        found.append(Offer(Deed.SPOT, "Copy as path:line", f"{hint.path}:{hint.line}"))
    if stands is not None and stands.absolute is not None and stands.state in (State.EXISTS, State.CHANGED):
        found.append(Offer(Deed.EDIT, "Open in the editor", stands.absolute))
    found.append(Offer(Deed.TOUCHED, "Sessions that touched it", hint.path))
    return found


class HintMenu(ModalScreen[Offer | None]):
    """Ends with what was chosen, by its key or by Enter; Escape with nothing."""

    rows = query_one(PickRows)

    def __init__(self, hint: Hint, stands: Resolved | None, *, ahead: str = "") -> None:
        """`ahead` is what was typed for it before it was there."""
        super().__init__()
        self._ahead = ahead
        self._hint = hint
        self._stands = stands
        self._offers: Sequence[Offer] = offers(hint, stands)

    def compose(self) -> ComposeResult:
        """What it is and how it stands, then the ways."""
        about = self._hint.kind.value.capitalize() + (f", {self._stands.said}" if self._stands is not None else "")
        with Vertical(id="hint-menu"):
            yield Static(one_line(clean(self._hint.text), 300), id="hint-menu-text", markup=False)
            yield Static(about, id="hint-menu-about", markup=False)
            yield PickRows(id="hint-menu-rows")
            yield Static("A key or Enter does it, Escape closes this.", id="hint-menu-keys", markup=False)

    def on_mount(self) -> None:
        """Show them."""
        self.rows.styles.height = len(self._offers)
        self.rows.fill(
            [("", f"{offer.deed.value} {offer.name}", one_line(offer.text, TARGET)) for offer in self._offers]
        )
        self.take(self._ahead)

    def take(self, keys: str) -> None:
        """Do what the first of these keys that is one of a row is for."""
        chosen = next((offer for key in keys for offer in self._offers if offer.deed.value == key), None)
        if chosen is not None:
            self.dismiss(chosen)

    def on_key(self, event: events.Key) -> None:
        """One of the keys of the rows, or a move."""
        event.stop()
        self.take(event.character or "")
        match event.key:
            case "escape" | "q":
                self.dismiss(None)
            case "enter":
                self.dismiss(self._offers[max(0, self.rows.cursor)])
            case "down" | "j" | "tab":
                self.rows.go(self.rows.cursor + 1)
            case "up" | "k" | "shift+tab":
                self.rows.go(self.rows.cursor - 1)
