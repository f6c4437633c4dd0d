"""Other programs that open the same store: where they are, how they are started, how their answers are read.

HERMES_TUI_BENCH_HERMES names the Python of an environment that holds a release of Hermes Agent; the others are looked
for beside it and on PATH. peers.txt lists what such an environment can be made of:

    python3 -m venv FOLDER && FOLDER/bin/pip install -r tests/benchmarks/peers.txt
    HERMES_TUI_BENCH_HERMES=FOLDER/bin/python python -m tests.benchmarks --only peers
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from tests.benchmarks.asked import Asked

VARIABLE = "HERMES_TUI_BENCH_HERMES"
LIMIT = 200  # hits asked for
ROOT = Path(__file__).resolve().parents[2]
OURS = "hermes-tui"
Place = tuple[str, int]  # session and whole second of a message
_INSERTED = re.compile(r"^INSERT INTO messages VALUES\((\d+),", re.MULTILINE)
_VERSIONS = """
import importlib.metadata, json, sys
names = {one.metadata["Name"]: one.version for one in importlib.metadata.distributions()}
print(json.dumps({name: names[name] for name in names if name.startswith("hermes-agent") or name in sys.argv}))
"""


@dataclass(frozen=True, slots=True)
class Found:
    """What an answer names: ids of messages, or where they stand, or only conversations."""

    ids: frozenset[int] = frozenset()
    places: frozenset[Place] = frozenset()
    sessions: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Screen:
    """A program in a terminal. `rows` of the store make its first picture; `shows` is waited for instead of rows."""

    name: str
    command: Callable[[Path], list[str]]  # of the store
    needs: tuple[str, ...]  # commands that must be there
    rows: int = 3
    shows: str = ""
    note: str = ""


@dataclass(frozen=True, slots=True)
class Searcher:
    """A command that searches, and how what it prints is read."""

    name: str
    command: Callable[[Path, Asked], list[str]]
    read: Callable[[str], Found]
    needs: tuple[str, ...] = ()
    note: str = ""


@dataclass(frozen=True, slots=True)
class Neighbourhood:
    """Where the others are."""

    python: Path | None  # that can import Hermes
    versions: dict[str, str]

    @classmethod
    def found(cls) -> Neighbourhood:
        """As the environment says; without Hermes where it says nothing, or names no such Python."""
        named = os.environ.get(VARIABLE)
        if not named:
            return cls(None, {})
        names = ("anysession", "converseek", "search-clanker-history", "hermesd")
        try:
            told = subprocess.run([named, "-c", _VERSIONS, *names], capture_output=True, text=True, check=True).stdout
        except (OSError, subprocess.CalledProcessError):
            return cls(None, {})
        return cls(Path(os.path.abspath(named)), json.loads(told))

    @property
    def folder(self) -> tuple[Path, ...]:
        """Where its commands are."""
        return (self.python.parent,) if self.python else ()

    def which(self, command: str) -> str | None:
        """The path of a command beside that Python or on PATH."""
        path = os.pathsep.join([*map(str, self.folder), os.environ.get("PATH", os.defpath)])
        return shutil.which(command, path=path)

    def missing(self, needs: Iterable[str]) -> str:
        """What to do about commands that are not there; empty when all are."""
        gone = [command for command in needs if self.which(command) is None]
        return f"not there: {', '.join(gone)}; see tests/benchmarks/rivals.py" if gone else ""

    def version(self, name: str) -> str:
        """`hermes-agent 0.19.0` for "hermes-agent", where it is known."""
        return ", ".join(f"{one} {self.versions[one]}" for one in self.versions if one.startswith(name))


def ours(*words: str) -> list[str]:
    """The command that starts hermes-tui."""
    return [sys.executable, "-m", "hermes_tui", *words]


SCREENS = (
    Screen(OURS, lambda store: ours("--db", str(store)), ()),
    Screen("hermes sessions browse", lambda store: ["hermes", "sessions", "browse"], ("hermes",)),
    Screen("anysession", lambda store: ["anysession"], ("anysession", "fzf"), note="shows its list in fzf"),
    Screen("agf", lambda store: ["agf"], ("agf",), note="compiled; no index of packages has it"),
    Screen(
        "hermesd", lambda store: ["hermesd"], ("hermesd",), shows=" total", note="a monitor: until it counts sessions"
    ),
)
"""Programs whose first rows are waited for."""


def _ours(printed: str) -> Found:
    return Found(ids=frozenset(hit["message"]["id"] for hit in json.loads(printed)["hits"]))


def _clanker(printed: str) -> Found:
    rows = [json.loads(line) for line in printed.splitlines() if line.startswith("{")]
    return Found(
        places=frozenset((row["session"], int(datetime.fromisoformat(row["time"]).timestamp())) for row in rows)
    )


def _converseek(printed: str) -> Found:
    return Found(sessions=frozenset(re.findall(r"^ *ref: hermes:(\S+)", printed, re.MULTILINE)))


def _dump(printed: str) -> Found:
    return Found(ids=frozenset(map(int, _INSERTED.findall(printed))))


def _dumping(store: Path, asked: Asked) -> list[str]:
    greps = "".join(f' | grep -iF -- "${{{place}}}"' for place in range(1, len(asked.parts) + 1))
    return ["sh", "-c", f'sqlite3 -readonly "$0" ".dump messages"{greps}', str(store), *asked.parts]


def _pattern(asked: Asked) -> str:
    """All parts in any order, as a regular expression."""
    one, *more = map(re.escape, asked.parts)
    return one if not more else "\\A" + "".join(f"(?=[\\s\\S]*{part})" for part in (one, *more))


SEARCHERS = (
    Searcher(
        OURS,
        lambda store, asked: ours("--db", str(store), "search", "--json", "--limit", str(LIMIT), "--", asked.text),
        _ours,
    ),
    Searcher(
        "search-clanker-history",
        lambda store, asked: [
            *("search-clanker-history", "--agent", "hermes", "--json", "--tools", "-n", str(LIMIT)),
            *("--", _pattern(asked)),
        ],
        _clanker,
        ("search-clanker-history",),
    ),
    Searcher(
        "converseek",
        lambda store, asked: ["converseek", "search", "-t", "hermes", "-n", str(LIMIT), "--", asked.text.strip('"')],
        _converseek,
        ("converseek",),
        note="finds conversations, not messages",
    ),
    Searcher("sqlite3 .dump | grep", _dumping, _dump, ("sqlite3", "grep"), note="text as it is stored"),
)
"""Commands that search."""
