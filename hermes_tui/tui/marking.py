"""Over the browser: the list of bookmarks, and the note of one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen
from textual.widgets import Input, Static

from hermes_tui.history import Bookmark, Bookmarks
from hermes_tui.render import one_line, when
from hermes_tui.tui.box import Box
from hermes_tui.tui.picker import PickerScreen

REMOVE = "remove"
"""What a note ends with where the bookmark is to go."""


class BookmarkPicker(PickerScreen[Bookmark]):
    """The bookmarks, the newest first, under the titles of their sessions."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+x", "remove", "Remove", show=False, priority=True),
        Binding("ctrl+w", "write", "Write out", show=False, priority=True),
    ]
    PLACEHOLDER: ClassVar[str] = "Find a bookmark"
    KEYS: ClassVar[str] = "Enter goes there, Ctrl+X removes it, Ctrl+W writes these to a file, Escape closes this."

    def __init__(
        self,
        bookmarks: Bookmarks,
        *,
        remove: Callable[[Bookmark], None],
        write: Callable[[Sequence[Bookmark]], None],
        clock: Callable[[], float],
    ) -> None:
        super().__init__()
        self._bookmarks = bookmarks
        self._remove = remove
        self._write = write
        self._clock = clock
        self._gone: set[tuple[str, ...]] = set()

    def on_mount(self) -> None:
        """Say what is wrong with the file, if anything is."""
        if trouble := self._bookmarks.trouble:
            self.query_one("#picker-keys", Static).update(one_line(trouble, 400))

    def offer(self, typed: str) -> Sequence[Bookmark]:
        """Those that hold every word that was typed."""
        return [each for each in self._bookmarks.all(typed) if each.identity not in self._gone]

    def row(self, item: Bookmark) -> tuple[str, str, str]:
        """Under its session: its note, else what it says; and when it was marked."""
        said = item.text if item.key is not None else "the whole conversation"
        text = f"{item.note}  ({said})" if item.note and item.key is not None else item.note or said
        return item.title or item.session, text, when(item.when, self._clock())

    def action_remove(self) -> None:
        """Take the highlighted one away."""
        here, row = self.here, self.rows.cursor
        if here is not None:
            self._gone.add(here.identity)
            self._remove(here)
            self.show(cursor=row)

    def action_write(self) -> None:
        """Write those that are listed to a file."""
        if self._offered:
            self._write(tuple(self._offered))


class NoteScreen(ModalScreen[str | None]):
    """Asks for the note of a bookmark; ends with it, with REMOVE behind a NUL for one that is to go, or with None."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "close", "Close", show=False),
        Binding("ctrl+x", "remove", "Remove", show=False, priority=True),
    ]

    def __init__(self, about: str, note: str | None) -> None:
        """`note` is what stands there already, None for a new bookmark."""
        super().__init__()
        self._about = about
        self._note = note

    def compose(self) -> ComposeResult:
        """What is marked, and the box for the note."""
        known = self._note is not None
        with Vertical(id="name"):
            yield Static(f"{'Bookmark' if not known else 'Marked'}: {one_line(self._about, 200)}", markup=False)
            yield Box(id="name-box", placeholder="Note, or nothing")
            remove = "Ctrl+X removes it, " if known else ""
            yield Static(f"Enter keeps it, {remove}Escape leaves it. ' lists them.", id="name-keys", markup=False)

    def on_mount(self) -> None:
        """Put what stands there already into the box."""
        box = self.query_one(Box)
        box.value = self._note or ""
        box.cursor_position = len(box.value)

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """End with the note."""
        event.stop()
        self.dismiss(event.value.strip())

    def action_remove(self) -> None:
        """End with the wish to have it gone."""
        if self._note is not None:
            self.dismiss(f"\0{REMOVE}")

    def action_close(self) -> None:
        """End without a change."""
        self.dismiss(None)
