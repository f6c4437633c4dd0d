"""Throw-away home folders: each program gets its own copy of a store, and what it leaves behind is counted."""

from __future__ import annotations

import os
import shutil
import sqlite3
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

PAGE = 4096
TAKEN_AWAY = ("PYTHONPATH", "PYTHONHOME", "PYTHONDONTWRITEBYTECODE", "VIRTUAL_ENV")
GUIDES = ("HERMES_", "XDG_")  # how the names of variables begin that lead elsewhere than to this home


@dataclass(frozen=True, slots=True)
class Left:
    """What was not there before: files (named from the home on) and their bytes, changed pages of the store."""

    sizes: dict[str, int]
    pages: int

    @property
    def files(self) -> tuple[str, ...]:
        """Their names."""
        return tuple(self.sizes)

    @property
    def bytes(self) -> int:
        """How much they hold."""
        return sum(self.sizes.values())


@dataclass(frozen=True, slots=True)
class Home:
    """A home folder with a store where Hermes keeps it, and a folder for temporary files."""

    folder: Path
    _kept: Path = field(repr=False)
    """The store as it was."""

    @classmethod
    def made(cls, folder: Path, store: Path, *, journal: str = "wal") -> Home:
        """A new home with a copy of `store` in that journal mode; what stood there before is thrown away."""
        shutil.rmtree(folder, ignore_errors=True)
        home = cls(folder, folder.with_name(f"{folder.name}.before.db"))
        home.store.parent.mkdir(parents=True)
        home.temporary.mkdir()
        home._kept.unlink(missing_ok=True)
        with closing(sqlite3.connect(store)) as before, closing(sqlite3.connect(home.store)) as copy:
            before.backup(copy)
            copy.execute(f"PRAGMA journal_mode = {journal}").fetchall()
        shutil.copyfile(home.store, home._kept)
        return home

    @property
    def store(self) -> Path:
        """The store."""
        return self.folder / ".hermes" / "state.db"

    @property
    def temporary(self) -> Path:
        """Where programs put what they need for a moment."""
        return self.folder / "tmp"

    def environment(self, *first_on_the_path: Path) -> dict[str, str]:
        """The variables of this process with everything that leads to its own home led here."""
        kept = {
            name: value for name, value in os.environ.items() if name not in TAKEN_AWAY and not name.startswith(GUIDES)
        }
        path = os.pathsep.join([*map(str, first_on_the_path), os.environ.get("PATH", os.defpath)])
        home = {"HOME": str(self.folder), "HERMES_HOME": str(self.store.parent), "TMPDIR": str(self.temporary)}
        return kept | home | {"PATH": path}

    def left(self) -> Left:
        """What has come since it was made."""
        there = {
            str(path.relative_to(self.folder)): path.stat().st_size
            for path in sorted(self.folder.rglob("*"))
            if path.is_file() and path != self.store
        }
        return Left(there, _differing(self._kept, self.store))


def variables(environment: Mapping[str, str]) -> dict[str, str]:
    """For programs that are laid over this process' variables: those given, and the others of this process emptied."""
    return {**{name: "" for name in os.environ if name not in environment}, **environment}


def _differing(one: Path, other: Path) -> int:
    """How many pages of two files differ, those that only one of them has included."""
    before, after = one.read_bytes(), other.read_bytes()
    places = range(0, max(len(before), len(after)), PAGE)
    return sum(before[place : place + PAGE] != after[place : place + PAGE] for place in places)
