"""The history of one run of the program: in memory, and in three files as far as a disk allows."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path

from hermes_tui.history import choice
from hermes_tui.history.bookmarks import Bookmarks
from hermes_tui.history.files import append, locked, make_folder, read, write
from hermes_tui.history.folder import NoFolderError, folder_for
from hermes_tui.history.searches import (
    KEPT,
    Past,
    Saved,
    as_past,
    as_saved,
    foreign,
    from_line,
    newest_first,
    saved_in,
    to_line,
    trimmed,
    with_changes,
)
from hermes_tui.history.troubles import Troubles
from hermes_tui.model import Case

SLACK = 100  # lines more before the file is trimmed to KEPT
LONGEST = 10_000  # characters of a text that is written to a file
LONGEST_NAME = 200
PAST_NAME, SAVED_NAME, COLUMNS_NAME = "history.jsonl", "searches.jsonl", "columns.json"

_SESSION_ONLY = "Searches are remembered for this session only."
_NAMES = {"past": "The search history", "saved": "Saved searches", "columns": "The choice of columns"}


class History:
    """Past and saved searches, and the columns chosen for the list. Every method may be called from any thread; none
    raises for what a disk does."""

    def __init__(self, folder: Path | None, *, off: bool = False) -> None:
        """`folder` None keeps everything in memory; `off` keeps nothing at all. Use `open` and `off`."""
        self._folder = folder
        self._off = off
        self._past: tuple[Past, ...] = ()
        self._saved: dict[str, Saved] = {}
        self._columns: tuple[str, ...] | None = None
        self._unwritten: list[bytes] = []  # lines of past searches
        self._unsaved: dict[str, Saved | None] = {}  # changes of saved searches; None forgets
        self._lines = 0  # in the file of the past
        self._troubles = Troubles()
        self._memory = threading.Lock()
        self._files = threading.Lock()
        self._open_bookmarks = Bookmarks.off
        self._bookmarks: Bookmarks | None = None

    @classmethod
    def open(cls, folder: Path | None = None, *, environ: Mapping[str, str] | None = None) -> History:
        """The history in `folder`, None for the platform's state folder; reads, and creates nothing yet.

        `environ` says where Hermes has its homes, None for this process's own environment. In one of those nothing is
        written or read: `trouble` says so, and the session remembers in memory.
        """
        try:
            place = folder_for("the search history", [PAST_NAME, SAVED_NAME, COLUMNS_NAME], folder, environ=environ)
        except NoFolderError as error:
            history = cls(None)
            history._troubles.tell("folder", f"{error} {_SESSION_ONLY}")
        else:
            history = cls(place)
            history._load()
        history._open_bookmarks = lambda: Bookmarks.open(folder, environ=environ)
        return history

    @classmethod
    def off(cls) -> History:
        """A history that remembers nothing and touches no file."""
        return cls(None, off=True)

    @property
    def past(self) -> tuple[Past, ...]:
        """At most KEPT searches, newest first, each text with its switches once."""
        return self._past

    @property
    def saved(self) -> tuple[Saved, ...]:
        """The saved searches by name."""
        with self._memory:
            return tuple(sorted(self._saved.values(), key=lambda saved: (saved.name.casefold(), saved.name)))

    @property
    def bookmarks(self) -> Bookmarks:
        """The bookmarks beside the searches, read when they are first asked for; as much in memory or off as these."""
        with self._files:
            if self._bookmarks is None:
                self._bookmarks = self._open_bookmarks()
            return self._bookmarks

    @property
    def trouble(self) -> str | None:
        """Sentences for people about what cannot be read, written or understood; None when all is well."""
        return self._troubles.text

    @property
    def columns(self) -> tuple[str, ...] | None:
        """The columns that were chosen for the list; None for the usual ones."""
        return self._columns

    def choose_columns(self, names: Sequence[str] | None) -> None:
        """Show these columns from now on; None for the usual ones again."""
        if self._off:
            return
        self._columns = None if names is None else tuple(names)
        if self._folder is not None:
            with self._files, self._telling("columns", COLUMNS_NAME, "cannot be written"):
                self._write_columns()

    def remember(self, text: str, *, case: Case = Case.FOLD, regex: bool = False, reasoning: bool = False) -> None:
        """Put a search in front of the past ones. Blank text is none."""
        if self._off or not text.strip():
            return
        past = Past(text, case, regex, reasoning, when=time.time())
        with self._memory:
            self._past = newest_first([past, *self._past])
            if self._folder is None:
                return
            if len(text) > LONGEST:
                long = f"A search of more than {LONGEST:,} characters is remembered for this session only."
                self._troubles.tell("long", long)
                return
            self._unwritten = [*self._unwritten, to_line(past)][-KEPT:]
        with self._files, self._telling("past", PAST_NAME, "cannot be written"):
            self._append()

    def save(
        self, name: str, text: str, *, case: Case = Case.FOLD, regex: bool = False, reasoning: bool = False
    ) -> None:
        """Save a search under a name, in place of one that has it. Raises ValueError with a sentence when the name is
        blank or longer than LONGEST_NAME, or the text blank or longer than LONGEST."""
        name = name.strip()
        if not name or not text.strip():
            raise ValueError("A saved search needs a name and a text.")
        if len(name) > LONGEST_NAME or len(text) > LONGEST:
            raise ValueError(
                f"A saved search has at most {LONGEST:,} characters, and {LONGEST_NAME} characters in its name."
            )
        self._change(name, Saved(name, text, case, regex, reasoning, when=time.time()))

    def forget(self, name: str) -> None:
        """Throw the search saved under `name` away; nothing happens when there is none."""
        self._change(name.strip(), None)

    def _change(self, name: str, saved: Saved | None) -> None:
        with self._memory:
            if self._off:
                self._troubles.tell("off", "History is off: no search is saved or forgotten.")
                return
            self._unsaved[name] = saved
            self._overlay(self._saved)
        if self._folder is not None:
            with self._files, self._telling("saved", SAVED_NAME, "cannot be written"):
                self._replace_saved()

    # -- files: each of these runs under `_files` ------------------------------------------------------------------

    def _load(self) -> None:
        with self._files, self._telling("past", PAST_NAME, "cannot be read"):
            lines = read(self._path(PAST_NAME))
            self._lines = len(lines)
            self._past = newest_first(past for line in reversed(lines) if (past := as_past(from_line(line))))
            self._count_damage(PAST_NAME, lines, as_past)
        with self._files, self._telling("saved", SAVED_NAME, "cannot be read"):
            lines = read(self._path(SAVED_NAME), whole=True)
            self._saved = saved_in(lines)
            self._count_damage(SAVED_NAME, lines, as_saved)
        with self._files, self._telling("columns", COLUMNS_NAME, "cannot be read"):
            self._columns = choice.from_lines(read(self._path(COLUMNS_NAME), whole=True))

    def _append(self) -> None:
        """Write the lines not written yet at the end of the past, in one piece; trim it when it has grown."""
        with self._memory:
            lines = self._unwritten
        if not lines:
            return  # another thread has written them with its own
        path = self._path(PAST_NAME)
        make_folder(path.parent)
        with locked(path.parent) as alone:
            append(path, lines, alone=alone)
            with self._memory:
                written = set(lines)
                self._unwritten = [line for line in self._unwritten if line not in written]
            self._lines += len(lines)
            if alone and self._lines > KEPT + SLACK:
                kept = trimmed(read(path))
                write(path, kept)
                self._lines = len(kept)

    def _replace_saved(self) -> None:
        """Read the saved searches anew, change what is to be changed, and put them back at once."""
        path = self._path(SAVED_NAME)
        make_folder(path.parent)
        with locked(path.parent):
            with self._memory:
                changes = dict(self._unsaved)
            before = read(path, whole=True)
            lines = with_changes(before, changes)
            if lines != before:
                write(path, lines)
        with self._memory:
            for name, saved in changes.items():
                if self._unsaved.get(name) is saved:
                    self._unsaved.pop(name, None)
            self._overlay(saved_in(lines))

    def _write_columns(self) -> None:
        """Put the choice that stands into its file; no choice is no file."""
        path, names = self._path(COLUMNS_NAME), self._columns
        make_folder(path.parent)
        with locked(path.parent):
            if names is None:
                path.unlink(missing_ok=True)
            else:
                write(path, choice.to_lines(names))

    def _overlay(self, saved: Mapping[str, Saved]) -> None:
        """What is saved: `saved`, as a file has it, and the changes that are in no file yet. Runs under `_memory`."""
        merged: dict[str, Saved | None] = {**saved, **self._unsaved}
        self._saved = {name: search for name, search in merged.items() if search is not None}

    def _path(self, name: str) -> Path:
        assert self._folder is not None
        return self._folder / name

    def _telling(self, kind: str, name: str, what: str) -> AbstractContextManager[None]:
        lost = "It holds for this session only." if kind == "columns" else _SESSION_ONLY
        return self._troubles.of(kind, f"{_NAMES[kind]} {what}", self._path(name), lost)

    def _count_damage(
        self, name: str, lines: list[bytes], understand: Callable[[Mapping[str, object] | None], object]
    ) -> None:
        entries = [from_line(line) for line in lines]
        self._troubles.damaged(
            self._path(name), sum(understand(entry) is None and not foreign(entry) for entry in entries)
        )
