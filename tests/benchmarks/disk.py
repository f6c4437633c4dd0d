"""What the browser and each verb leave on the disk, each in a new home: files, bytes, changed pages of the store.

Our own history and bookmarks are counted apart. Everything else should be 0.
"""

from __future__ import annotations

import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from tests.benchmarks.homes import Home, variables
from tests.benchmarks.measure import Result
from tests.benchmarks.questions import Question
from tests.benchmarks.rivals import ROOT, ours
from tests.benchmarks.stores import Say, Store
from tests.benchmarks.terminal import KEYS_COUNT, Terminal

OWN = ".local/state/hermes-tui/"  # from the home on
PATIENCE = 20.0  # seconds after which it is taken not to end
WORD = b"harvest"
VERBS: dict[str, tuple[str, ...]] = {
    "sessions": ("sessions", "--json"),
    "search": ("search", "--json", WORD.decode()),
    "show": ("show", "{session}"),
    "export": ("export", "{session}"),
    "context": ("context", "{session}"),
    "doctor": ("doctor",),
}
JOURNALS = ("wal", "delete")


def run(store: Store, questions: Sequence[Question], *, runs: int, say: Say) -> Iterator[Result]:
    """The browser and every verb, once: what is left does not depend on chance."""
    for journal in JOURNALS:
        for name in ("browser", *VERBS):
            say(f"disk {store.layout.value} {store.size}: {journal}, {name}")
            with tempfile.TemporaryDirectory() as scratch:
                home = Home.made(Path(scratch) / "home", store.path, journal=journal)
                work: Callable[[Home, Store], None] = _browse if name == "browser" else _verb(VERBS[name])
                work(home, store)
                left = home.left()
            own = [file for file in left.files if file.startswith(OWN)]
            yield Result(
                bench="disk",
                layout=store.layout.value,
                size=store.size,
                name=name,
                variant=journal,
                counts={
                    "files": len(left.files) - len(own),
                    "bytes": left.bytes - sum(left.sizes[file] for file in own),
                    "pages of the store": left.pages,
                    "own files": len(own),
                    "own bytes": sum(left.sizes[file] for file in own),
                },
                note=", ".join(file for file in left.files if file not in own),
            )


def _verb(words: Sequence[str]) -> Callable[[Home, Store], None]:
    def work(home: Home, store: Store) -> None:
        told = [word.format(session=store.session) for word in words]
        subprocess.run(
            ours("--db", str(home.store), *told),
            env=home.environment() | {"PYTHONPATH": str(ROOT)},
            cwd=home.folder,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=True,
        )

    return work


def _browse(home: Home, store: Store) -> None:
    """Open a conversation, search, open a hit, mark it, leave."""
    environment = variables(home.environment() | {"PYTHONPATH": str(ROOT)})
    with Terminal(ours("--db", str(home.store)), environment=environment, folder=home.folder) as terminal:
        terminal.wait(KEYS_COUNT)
        for keys in (b"j", b"\r", b"\x1b", b"/", WORD, b"\r", b"\r", b"m", b"\r"):
            terminal.rest()
            terminal.send(keys)
        terminal.rest()
        terminal.send(b"q")
        end = time.monotonic() + PATIENCE
        while not terminal.ended:
            terminal.read(0.1)
            if time.monotonic() > end:
                raise TimeoutError(f"q did not end it: {terminal.text[-300:]!r}")
