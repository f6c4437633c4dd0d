"""The history of one run of the program: in memory, and in three files as far as a disk allows."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from hermes_tui.history import choice
from hermes_tui.history.bookmarks import Bookmarks
from hermes_tui.history.files import LOCK_NAME, append, locked, make_folder, read, write
from hermes_tui.history.folder import hermes_home_around, real, state_folder
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
        self._troubles: dict[str, str] = {}
        self._memory = threading.Lock()
        self._files = threading.Lock()
        self._environ: Mapping[str, str] | None = None
        self._bookmarks: Bookmarks | None = None

    @classmethod
    def open(cls, folder: Path | None = None, *, environ: Mapping[str, str] | None = None) -> History:
        """The history in `folder`, None for the platform's state folder; reads, and creates nothing yet.

        `environ` says where Hermes has its homes, None for this process's own environment. In one of those nothing is
        written or read: `trouble` says so, and the session remembers in memory.
        """
        try:
            place = real(folder if folder is not None else state_folder())
            # A link in the place of a file leads elsewhere as well as one in the place of the folder.
            places = [place, *(real(place / name) for name in (PAST_NAME, SAVED_NAME, COLUMNS_NAME, LOCK_NAME))]
            home = hermes_home_around(places, os.environ if environ is None else environ)
        except (OSError, ValueError, RuntimeError) as error:
            return cls._without_files(f"There is no folder for the search history: {_why(error)}.")
        if home is not None:
            return cls._without_files(f"The search history would lie in Hermes' own folder {_shown(home)}.")
        history = cls(place)
        history._environ = environ
        history._load()
        return history

    @classmethod
    def off(cls) -> History:
        """A history that remembers nothing and touches no file."""
        return cls(None, off=True)

    @classmethod
    def _without_files(cls, reason: str) -> History:
        history = cls(None)
        history._troubles["folder"] = f"{reason} {_SESSION_ONLY}"
        return history

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
                if self._off:
                    self._bookmarks = Bookmarks.off()
                elif self._folder is None:
                    self._bookmarks = Bookmarks(None)
                else:
                    self._bookmarks = Bookmarks.open(self._folder, environ=self._environ)
            return self._bookmarks

    @property
    def trouble(self) -> str | None:
        """Sentences for people about what cannot be read, written or understood; None when all is well."""
        with self._memory:
            return " ".join(self._troubles.values()) or None

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
                self._troubles["long"] = (
                    f"A search of more than {LONGEST:,} characters is remembered for this session only."
                )
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
                self._troubles["off"] = "History is off: no search is saved or forgotten."
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

    @contextmanager
    def _telling(self, kind: str, name: str, what: str) -> Iterator[None]:
        """Turn what a disk does into a sentence, and take it back once the same thing goes well."""
        try:
            yield
        except (OSError, ValueError) as error:
            with self._memory:
                lost = "It holds for this session only." if kind == "columns" else _SESSION_ONLY
                self._troubles[kind] = f"{_NAMES[kind]} {what}: {_shown(self._path(name))}: {_why(error)}. {lost}"
        else:
            with self._memory:
                self._troubles.pop(kind, None)

    def _count_damage(
        self, name: str, lines: list[bytes], understand: Callable[[Mapping[str, object] | None], object]
    ) -> None:
        entries = [from_line(line) for line in lines]
        damaged = sum(1 for entry in entries if understand(entry) is None and not foreign(entry))
        if damaged:
            what = "1 line was" if damaged == 1 else f"{damaged:,} lines were"
            with self._memory:
                self._troubles[f"damage {name}"] = f"{what} skipped as damaged: {_shown(self._path(name))}."


def _why(error: Exception) -> str:
    text = getattr(error, "strerror", None) or str(error) or type(error).__name__
    return text.rstrip(".")


def _shown(path: Path) -> str:
    return str(path).encode("utf-8", "backslashreplace").decode("utf-8")
