"""An agent that saves messages, alone and beside readers: how large its log grows, how long its commits take.

The agent is the recorder in a process of its own. Beside it nobody reads, or the browser is open on the store in a
terminal (reading, searching, following what is written), or somebody has left a cursor half read. A browser that is as
busy with another store tells what is only the processor being shared. All take turns, each on a copy of the store, in
write-ahead mode and with a rollback journal.

    python -m tests.benchmarks.wal STORE wal SECONDS     # the agent: one line of JSON when it is done
"""

from __future__ import annotations

import json
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, closing, contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from statistics import median

from hermes_tui.recorder import Recorder, RecorderBusyError, StorageSettings
from tests.benchmarks.homes import Home, variables
from tests.benchmarks.measure import Result, spread
from tests.benchmarks.questions import Question
from tests.benchmarks.rivals import ROOT, ours
from tests.benchmarks.stores import Say, Store
from tests.benchmarks.terminal import KEYS_COUNT, Terminal

ALONE, ELSEWHERE, BROWSER = "nobody reads", "browser on another store", "browser open"
CURSOR = "half-read cursor"
SECONDS = 5.0  # of saving in one take; longer than the log needs to be put back several times
BUSY = 500  # milliseconds of one attempt to save, of which the recorder makes six
RESTS = 0.02  # seconds between two messages: an agent waits for a model far longer
TEXT = "the agent says harvest and a path src/quarry/ledger_sync.py, then prints a table of results " * 100
KEYS = (
    b"j",
    b"j",
    b"\r",
    b"\x1b[6~",
    b"\x1b[6~",
    b"\x1b",
    b"/",
    b"h",
    b"a",
    b"r",
    b"v",
    b"e",
    b"s",
    b"t",
    b"\r",
    b"\x1b",
)
EACH_KEY = 0.12  # seconds: as fast as a person types
JOURNALS = ("wal", "delete")


@dataclass(frozen=True, slots=True)
class Told:
    """What the agent tells: seconds of each commit, the most bytes its log had, how many saves were refused."""

    commits: list[float]
    log: int
    refused: int


Reader = Callable[[Home], AbstractContextManager[Callable[[], None]]]


@dataclass(slots=True)
class Takes:
    """What the agent told beside one reader, take by take."""

    told: list[Told] = field(default_factory=list)

    @property
    def commits(self) -> list[float]:
        """The seconds of all commits."""
        return [seconds for one in self.told for seconds in one.commits]

    @property
    def tails(self) -> list[float]:
        """Of each take the commit that 99 of a hundred are no slower than, in seconds."""
        ordered = [sorted(one.commits) for one in self.told if one.commits]
        return [some[min(len(some) - 1, len(some) * 99 // 100)] for some in ordered]

    @property
    def log(self) -> int:
        """The most bytes the log had in a take, of several takes the one in the middle."""
        return int(median(one.log for one in self.told))


def run(
    store: Store, questions: Sequence[Question], *, runs: int, say: Say, seconds: float = SECONDS
) -> Iterator[Result]:
    """Every reader in turns, `runs` times, in either journal mode."""
    readers: dict[str, Reader] = {ALONE: _nobody, ELSEWHERE: _elsewhere, BROWSER: _browser, CURSOR: _cursor}
    for journal in JOURNALS:
        takes = {name: Takes() for name in readers}
        for _ in range(runs):
            for name, reader in readers.items():
                say(f"writer {store.layout.value} {store.size}: {journal}, {name}")
                takes[name].told.append(_beside(store.path, journal, reader, seconds))
        for name, some in takes.items():
            floors = {"alone": takes[ALONE]} if name != ALONE else {}
            if name == BROWSER:
                floors["elsewhere"] = takes[ELSEWHERE]
            yield _result(store, name, journal, some, floors)


def _result(store: Store, name: str, journal: str, takes: Takes, floors: Mapping[str, Takes]) -> Result:
    """The noise of `commit p99` tells whether its ratios to the floors say anything."""
    times = {"commit": spread(takes.commits), "commit p99": spread(takes.tails)} if takes.commits else {}
    ratios: dict[str, float] = {}
    for floor, other in floors.items():
        pairs: dict[str, tuple[float, float]] = {"log": (takes.log, other.log)}
        if times and other.commits:
            pairs["commit"] = (times["commit"].median, spread(other.commits).median)
            pairs["commit p99"] = (times["commit p99"].median, spread(other.tails).median)
        ratios |= {f"{what} / {floor}": round(one / two, 2) for what, (one, two) in pairs.items() if two}
    return Result(
        bench="writer",
        layout=store.layout.value,
        size=store.size,
        name=name,
        variant=journal,
        times=times,
        counts={
            "log bytes": takes.log,
            "saved": len(takes.commits),
            "refused": sum(one.refused for one in takes.told),
        },
        ratios=ratios,
    )


def _beside(store: Path, journal: str, reader: Reader, seconds: float) -> Told:
    """What the agent tells of saving for so long beside a reader."""
    with tempfile.TemporaryDirectory() as scratch:
        home = Home.made(Path(scratch) / "home", store, journal=journal)
        with reader(home) as look:
            agent = subprocess.Popen(
                [sys.executable, "-m", "tests.benchmarks.wal", str(home.store), journal, str(seconds)],
                cwd=ROOT,
                stdout=subprocess.PIPE,
                text=True,
            )
            while agent.poll() is None:
                look()
            printed, _ = agent.communicate()
        return Told(**json.loads(printed))


def pause(seconds: float) -> None:
    """Do nothing for so long."""
    threading.Event().wait(seconds)


# -- readers ----------------------------------------------------------------------------------------------------------


@contextmanager
def _nobody(home: Home) -> Iterator[Callable[[], None]]:
    yield lambda: pause(EACH_KEY)


@contextmanager
def _browser(home: Home) -> Iterator[Callable[[], None]]:
    """Keys of somebody who reads and searches, over and over; the browser follows the store by itself."""
    environment = variables(home.environment() | {"PYTHONPATH": str(ROOT)})
    with Terminal(ours("--db", str(home.store)), environment=environment, folder=home.folder) as terminal:
        terminal.wait(KEYS_COUNT)
        terminal.rest()
        keys = iter(KEYS * 10_000)

        def look() -> None:
            terminal.send(next(keys))
            terminal.read(EACH_KEY)
            terminal.forget()

        yield look


@contextmanager
def _elsewhere(home: Home) -> Iterator[Callable[[], None]]:
    """The same on a copy of the store that nobody writes to."""
    with tempfile.TemporaryDirectory() as scratch, _browser(Home.made(Path(scratch) / "home", home.store)) as look:
        yield look


@contextmanager
def _cursor(home: Home) -> Iterator[Callable[[], None]]:
    """A statement of which one row was read: what a reader must never leave behind."""
    with ExitStack() as stack:
        connection = stack.enter_context(closing(sqlite3.connect(f"{home.store.as_uri()}?mode=ro", uri=True)))
        cursor = connection.execute("SELECT id, content FROM messages ORDER BY id")
        cursor.fetchone()
        yield lambda: pause(EACH_KEY)
        cursor.close()


# -- the agent --------------------------------------------------------------------------------------------------------


def save(path: Path, journal: str, seconds: float) -> Told:
    """Save messages for so long."""
    settings = StorageSettings(journal_mode=journal, busy_timeout=BUSY)
    log = path.with_name(f"{path.name}-wal")
    commits: list[float] = []
    largest = refused = 0
    end = time.monotonic() + seconds
    try:
        with Recorder(path, settings=settings) as recorder:
            session = recorder.create_session("cli", title="Saved beside readers")
            while time.monotonic() < end:
                began = time.perf_counter()
                try:
                    recorder.append_many(session, [{"role": "assistant", "content": TEXT}])
                    commits.append(time.perf_counter() - began)
                except RecorderBusyError:
                    refused += 1
                largest = max(largest, log.stat().st_size if log.exists() else 0)
                pause(RESTS)
    except RecorderBusyError:  # not even the conversation could be begun
        refused += 1
    return Told(commits, largest, refused)


if __name__ == "__main__":
    print(json.dumps(asdict(save(Path(sys.argv[1]), sys.argv[2], float(sys.argv[3])))))
