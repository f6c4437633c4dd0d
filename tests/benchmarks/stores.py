"""Where benchmark stores are kept: each is made once, beside a manifest that names the rows of every needle.

The recipe is the source of the modules that write a store: when they change, stores are made anew.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hermes_tui.recorder import Layout
from tests.benchmarks import making, needles, words

SIZES = {"XS": 2_000, "S": 20_000, "M": 200_000, "L": 1_000_000}  # messages; XS only shows that everything runs

LARGEST = "largest"  # among the needles: all messages of the largest session
TELL_EVERY = 2.0  # seconds between two words of progress

Say = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Store:
    """A store on disk. `rows` are the message ids that hold each needle."""

    path: Path
    size: str
    layout: Layout
    rows: dict[str, frozenset[int]]
    session: str  # the id of the largest session
    messages: int


def default_folder() -> Path:
    """Where stores are kept between runs."""
    return Path(tempfile.gettempdir()) / "hermes-tui-benchmarks"


def to_stderr(text: str) -> None:
    """Progress: one line that replaces the one before on a terminal."""
    ending = "\r" if sys.stderr.isatty() else "\n"
    print(f"{text:<79}"[:110], end=ending, file=sys.stderr, flush=True)


def prepare(folder: Path, size: str, layout: Layout, *, say: Say = to_stderr) -> Store:
    """The store of this size and layout, made now if it is not in `folder` yet."""
    sources = [Path(str(module.__file__)) for module in (making, needles, words)]
    stem = f"{size}-{layout.value}"
    path, known = kept(folder, stem, recipe(*sources), lambda path: _make(path, size, layout, say))
    return Store(
        path=path,
        size=size,
        layout=layout,
        rows={name: frozenset(ids) for name, ids in known["rows"].items()},
        session=known["session"],
        messages=known["messages"],
    )


def kept(
    folder: Path, stem: str, made_by: str, make: Callable[[Path], Mapping[str, object]]
) -> tuple[Path, dict[str, Any]]:
    """The store called `stem` and its manifest, as the recipe `made_by` makes it: now, with `make`, if it is not there.

    Stores of that name by another recipe are thrown away.
    """
    path, manifest = folder / f"{stem}-{made_by}.db", folder / f"{stem}-{made_by}.json"
    if (known := _manifest(manifest)) is None or not path.exists():
        folder.mkdir(parents=True, exist_ok=True)
        for stale in folder.glob(f"{stem}-*"):
            stale.unlink()
        draft = folder / f"{stem}-{made_by}.part"  # only what is whole bears a manifest
        draft.write_text(json.dumps(make(path)), encoding="utf-8")
        draft.replace(manifest)
        known = _manifest(manifest)
    return path, known or {}


def _manifest(path: Path) -> dict[str, Any] | None:
    """What was noted when the store was made; None where that is missing or was cut short."""
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return found if isinstance(found, dict) else None


def recipe(*sources: Path) -> str:
    """A name for what these files of source write."""
    return hashlib.sha256(b"".join(source.read_bytes() for source in sources)).hexdigest()[:12]


def _make(path: Path, size: str, layout: Layout, say: Say) -> dict[str, object]:
    total = SIZES[size]
    began = told = time.monotonic()

    def tell(done: int) -> None:
        nonlocal told
        if time.monotonic() - told >= TELL_EVERY:
            told = time.monotonic()
            say(f"making {path.name}: {done:,} of {total:,} messages")

    made = making.write(path, layout, total, tell)
    say(f"made {path.name} in {time.monotonic() - began:.0f} s")
    with closing(sqlite3.connect(path)) as connection:
        (messages,) = connection.execute("SELECT count(*) FROM messages").fetchone()
        largest = connection.execute("SELECT id FROM messages WHERE session_id = ? ORDER BY id", (made.largest,))
        rows = {**made.rows, LARGEST: [message for (message,) in largest]}
    return {"rows": rows, "session": made.largest, "messages": messages}
