"""The stores there are: what each holds or why it cannot be read, to switch to one, or to open several at once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.getters import query_one
from textual.screen import ModalScreen
from textual.widgets import Static

from hermes_tui.model import FoundStore, Origin, StorePlace
from hermes_tui.render import cells, count, one_line, size, when
from hermes_tui.tui.lines import MOVES, Lines, Piece, field, under

HEADINGS = {
    Origin.PROFILE: "Profiles",
    Origin.FILE: "Files",
    Origin.HOME: "Other homes",
    Origin.BACKUP: "Backups (opened only from here)",
}
KEYS = "Enter switches to it, Space marks several and Enter opens them, a opens all profiles, Escape closes this."
LOOKING = "Looking for stores ..."
PATH = 40
"""Cells that a path keeps beside what is wrong with its store."""


class StoreRows(Lines):
    """Two lines for each store: what it is and holds, and where it lies or what is wrong with it."""

    BINDINGS = MOVES

    def __init__(self, *, id: str, clock: Callable[[], float], opened: frozenset[Path]) -> None:  # noqa: A002
        super().__init__(id=id)
        self.found: Sequence[FoundStore] = ()
        self.marked: set[StorePlace] = set()
        self._clock = clock
        self._opened = opened

    def fill(self, found: Sequence[FoundStore]) -> None:
        """Show these; the highlight stays on its store, at first on the one that is open."""
        held = self.here
        self.found = found
        places = [store.place for store in found]
        opened = (at for at, store in enumerate(found) if self.is_open(store))
        cursor = places.index(held.place) if held is not None and held.place in places else next(opened, 0)
        first, total = under((store.origin for store in found), height=2)
        self.lay_out(first, height=2, total=total, cursor=min(cursor, len(found) - 1), keep=None)

    def is_open(self, store: FoundStore) -> bool:
        """Whether it is being read."""
        return store.place.path.resolve() in self._opened

    @property
    def here(self) -> FoundStore | None:
        """The highlighted store."""
        return self.found[self.cursor] if 0 <= self.cursor < len(self.found) else None

    def heading(self, row: int, line: int, width: int) -> Iterable[Piece]:
        """What kind the stores below are."""
        if line == -1:
            yield HEADINGS[self.found[row].origin], "lines--group"

    def pieces(self, row: int, line: int, width: int) -> Iterable[Piece]:
        """Name, marks, sessions, last activity and size; below it the path, or what is wrong."""
        store = self.found[row]
        if line:
            yield "    ", ""
            path = str(store.place.path)
            if store.why is not None:
                room = width - 8 - min(cells(path), PATH)
                said = one_line(reason(store), max(8, room))
                yield f"{said} · ", "lines--state"
                width -= cells(said) + 3
            yield one_line(path, max(8, width - 5)), "lines--soft"
            return
        signs = [word for word, is_so in (("open", self.is_open(store)), ("Hermes uses it", store.sticky)) if is_so]
        if store.missing:
            signs.append(f"{count(store.missing, 'session')} only here")
        flags = f"  {', '.join(signs)}" if signs else ""
        sessions = "unread" if store.sessions is None else count(store.sessions, "session")
        about = f"{sessions}  {field(when(store.last_active_at, self._clock()), 10, right=True)}"
        about += f"  {field(size(store.size) if store.size is not None else '', 7, right=True)} "
        name = one_line(store.place.name or store.place.path.name, max(8, width - cells(flags) - cells(about) - 5))
        yield "[x] " if store.place in self.marked else "[ ] ", "lines--group"
        yield name, "lines--title"
        yield flags, "lines--state"
        yield " " * max(1, width - 4 - cells(name) - cells(flags) - cells(about)), ""
        yield about, "lines--soft"

    def chosen(self) -> None:
        """The screen knows what to do."""
        if isinstance(screen := self.screen, StoresScreen):
            screen.choose()


def reason(store: FoundStore) -> str:
    """Why a store cannot be read, without its path, which stands beside it."""
    return (store.why or "").replace(str(store.place.path), "").strip()


class StoresScreen(ModalScreen[tuple[FoundStore, ...] | None]):
    """Ends with the stores to open, or with nothing."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,P", "close", "Close", show=False),
        Binding("space", "mark", "Mark", show=False, priority=True),
        Binding("a", "all", "All", show=False),
    ]

    rows = query_one(StoreRows)

    def __init__(self, found: Sequence[FoundStore], *, opened: frozenset[Path], clock: Callable[[], float]) -> None:
        """`opened` are the real paths of what is being read."""
        super().__init__()
        self._found = found
        self._opened = opened
        self._clock = clock

    def compose(self) -> ComposeResult:
        """Title, rows, keys."""
        with Vertical(id="sight"):
            yield Static(LOOKING, id="sight-title", markup=False)
            yield StoreRows(id="sight-rows", clock=self._clock, opened=self._opened)
            yield Static(KEYS, id="sight-keys", markup=False)

    def on_mount(self) -> None:
        """Show what is known from before."""
        self.rows.focus()
        if self._found:
            self.rows.fill(self._found)

    def supply(self, found: Sequence[FoundStore], *, complete: bool) -> None:
        """These were found so far."""
        if self.is_mounted:
            self.rows.fill(found)
            self._say(f"{count(len(found), 'store')}{'' if complete else ', looking on ...'}")

    def choose(self) -> None:
        """End with what is marked, else with what is highlighted; say why not where it cannot be read."""
        marked = tuple(store for store in self.rows.found if store.place in self.rows.marked)
        here = self.rows.here
        if marked:
            self.dismiss(marked)
        elif here is not None and here.sessions is None and here.why is not None:
            self._say(here.why)
        elif here is not None:
            self.dismiss((here,))

    def action_mark(self) -> None:
        """Mark the highlighted store to be opened with others, or not."""
        here, marked = self.rows.here, self.rows.marked
        if here is None:
            return
        if here.sessions is None and here.why is not None:
            self._say(here.why)
            return
        (marked.discard if here.place in marked else marked.add)(here.place)
        self._say(f"{count(len(marked), 'store')} marked")
        self.rows.refresh()

    def action_all(self) -> None:
        """End with all profiles."""
        everyone = tuple(store for store in self.rows.found if store.origin is Origin.PROFILE)
        if everyone:
            self.dismiss(everyone)
        else:
            self._say("There is no profile here.")

    def action_close(self) -> None:
        """End with nothing."""
        self.dismiss(None)

    def _say(self, text: str) -> None:
        self.query_one("#sight-title", Static).update(one_line(text, 400))
