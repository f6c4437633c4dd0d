"""A real release writes while we read: we see all it says it wrote, it never waits for us, nothing of ours stays.

Every promise is tried on both journal modes. In write-ahead mode the writer has no patience at all (a lock is an error
at once), so a single retry of its own would show that we were in the way. In rollback mode a commit has to wait for
whoever reads in that moment; there the release keeps its own patience, and what must not happen is that a read of ours
outlasts it.
"""

from __future__ import annotations

import json
import os
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from queue import Empty, SimpleQueue
from threading import Thread
from typing import Any

import pytest

from hermes_tui.library import Library
from hermes_tui.model import Anchor, Opened
from tests.interop.conftest import FORK, MIDDLE, OLDEST, UPSTREAM, Release, Releases

pytestmark = pytest.mark.interop

SCRIPT = Path(__file__).with_name("hermes_writer.py")
APPENDS = 400  # by which the writer is measured while nobody reads
LOOKS = 24  # of ours, while it writes without a pause
WRITERS = [
    pytest.param(OLDEST, "own", "wal", id="oldest-wal"),
    pytest.param(UPSTREAM, "own", "wal", id="upstream-wal"),
    pytest.param(MIDDLE, "wal", "wal", id="middle-wal"),
    pytest.param(FORK, "wal", "wal", id="fork-wal"),
    pytest.param(FORK, "own", None, id="fork-own"),  # rollback journal where SQLite has the fault, else wal
]


@dataclass(frozen=True, slots=True)
class Wrote:
    """One message the writer says it has committed."""

    id: int
    session: str
    needles: tuple[str, ...]
    at: float
    seconds: float
    retries: int


class Writer:
    """The release's process: told what to do by lines, answering by lines that a thread collects."""

    def __init__(self, release: Release, store: Path, journal: str) -> None:
        self.process = release.start(SCRIPT, str(store), journal)
        self._lines: SimpleQueue[dict[str, Any]] = SimpleQueue()
        self._complaints: list[str] = []
        self._threads = [Thread(target=self._collect), Thread(target=self._hear)]
        for thread in self._threads:
            thread.start()
        self.mode: str = self._next()["journal_mode"]

    def _collect(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self._lines.put(json.loads(line))

    def _hear(self) -> None:
        assert self.process.stderr is not None
        self._complaints.extend(self.process.stderr)

    def _next(self) -> dict[str, Any]:
        while True:
            try:
                return self._lines.get(timeout=1)
            except Empty:
                assert self.process.poll() is None, f"the writer is gone:\n{self.complaints}"

    @property
    def complaints(self) -> str:
        """Everything it has said on stderr."""
        return "".join(self._complaints)

    def tell(self, command: str) -> None:
        """Give it a command."""
        assert self.process.stdin is not None
        self.process.stdin.write(command + "\n")
        self.process.stdin.flush()

    def answers(self) -> Iterator[Wrote]:
        """What it says it wrote, as it says so, until the command is done."""
        while "id" in (line := self._next()):
            needles = tuple(line["needles"])
            yield Wrote(line["id"], line["session"], needles, line["at"], line["seconds"], line["retries"])

    def so_far(self) -> list[Wrote]:
        """What it has said it wrote since last asked, at least one message, without waiting for more."""
        said = [next(self.answers())]
        while not self._lines.empty():
            said.append(next(self.answers()))
        return said

    def append(self, count: int) -> list[Wrote]:
        """Let it write while nobody reads."""
        self.tell(f"append {count}")
        return list(self.answers())

    def hasty(self) -> None:
        """From here on it gives up at once when it meets a lock, and tries again."""
        self.tell("hasty")
        assert list(self.answers()) == []

    def close(self) -> None:
        """Close the store as the release does at its end."""
        self.tell("close")
        self._end()
        assert self.process.returncode == 0, self.complaints

    def kill(self) -> None:
        """End it in the middle of whatever it does."""
        self.process.kill()
        self._end()

    def _end(self) -> None:
        assert self.process.stdin is not None
        try:
            self.process.stdin.close()
        except BrokenPipeError:
            assert self.process.poll() is not None
        self.process.wait(timeout=60)
        for thread in self._threads:
            thread.join(timeout=60)


Start = Callable[[str, str], Writer]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The folder of the store, with nothing else in it."""
    folder = tmp_path / "folder"
    folder.mkdir()
    return folder


@pytest.fixture
def start(releases: Releases, folder: Path, tmp_path: Path) -> Iterator[Start]:
    """Start a writer on the store of this test; whatever still runs at the end is killed."""
    writers: list[Writer] = []

    def start_writer(name: str, journal: str) -> Writer:
        writers.append(Writer(releases.get(name, tmp_path / "home"), folder / "state.db", journal))
        return writers[-1]

    yield start_writer
    for writer in writers:
        if writer.process.poll() is None:
            writer.kill()


def names(folder: Path) -> list[str]:
    """What is in a folder."""
    return sorted(path.name for path in folder.iterdir())


def transcript_ids(library: Library) -> Counter[int]:
    """Every message of every session in the list, and how often it is shown."""
    listed = library.sessions(everything=True)
    return Counter(row.id for session in listed.rows for row in library.transcript(Anchor(session_id=session.id)).rows)


def assert_found(library: Library, wrote: Wrote, needle: str) -> None:
    """A text that only one message holds finds that message, in its session, and says that all was looked at."""
    answer = library.search(needle)
    anchors = [hit.anchor for hit in answer.hits]
    assert anchors == [Anchor(session_id=wrote.session, message_id=wrote.id)], (needle, answer)
    assert answer.complete
    assert answer.coverage.searched == answer.coverage.messages


@pytest.mark.parametrize(("name", "journal", "mode"), WRITERS)
def test_all_that_was_written_is_listed_shown_and_found(
    start: Start, folder: Path, name: str, journal: str, mode: str | None
) -> None:
    """After a clean close: each message once in its transcript, each of its texts finds it and nothing else."""
    writer = start(name, journal)
    assert mode is None or writer.mode == mode
    wrote = writer.append(48)
    writer.close()
    before = names(folder)
    content = (folder / "state.db").read_bytes()

    library = Library.open(folder / "state.db")
    try:
        assert transcript_ids(library) == Counter(each.id for each in wrote)
        for each in wrote:
            for needle in each.needles:
                assert_found(library, each, needle)
    finally:
        library.close()
    assert names(folder) == before
    assert (folder / "state.db").read_bytes() == content


@pytest.mark.parametrize(("name", "journal", "mode"), WRITERS)
def test_a_live_writer_is_seen_at_once_and_never_waits(
    start: Start, folder: Path, name: str, journal: str, mode: str | None
) -> None:
    """List, read and search without a pause while the release appends: every acknowledged message is there."""
    writer = start(name, journal)
    assert mode is None or writer.mode == mode
    if writer.mode == "wal":
        writer.hasty()
    alone = writer.append(APPENDS)
    before = names(folder)

    library = Library.open(folder / "state.db")
    beside: list[Wrote] = []
    try:
        writer.tell("go")
        for _ in range(LOOKS):
            library.changed()
            looked = time.time()
            said = writer.so_far()
            while said[-1].at <= looked:
                said += writer.so_far()
            beside += said
            assert library.changed(), "a commit of another process went unnoticed"
            assert_found(library, said[-1], said[-1].needles[-1])
            shown = library.transcript(Anchor(session_id=said[-1].session))
            assert {row.id for row in shown.rows} >= {each.id for each in beside if each.session == said[-1].session}
        writer.tell("append 0")
        beside += writer.answers()
        beside += writer.answers()
        assert transcript_ids(library) == Counter(each.id for each in alone + beside)
    finally:
        library.close()
    assert names(folder) == before, "something of ours stays beside a live store"

    assert len(beside) > LOOKS
    assert [each for each in alone if each.retries] == [], "the measure itself is off: it met locks while alone"
    assert [each for each in beside if each.retries] == [], "the release met a lock of ours"
    assert "locked" not in writer.complaints
    worst, worst_alone = (max(each.seconds for each in appends) for appends in (beside, alone))
    assert worst <= 3 * worst_alone + 2, "one append took far longer beside our reader than alone"
    writer.close()


@pytest.mark.parametrize(("name", "journal", "mode"), WRITERS)
def test_a_quiet_store_wakes_under_an_open_browser(
    start: Start, folder: Path, name: str, journal: str, mode: str | None
) -> None:
    """Opened while nobody writes; then the agent starts, writes, and ends: each message is seen, none misread."""
    first = start(name, journal)
    wrote = first.append(24)
    first.close()
    quiet = names(folder)

    library = Library.open(folder / "state.db")
    try:
        assert transcript_ids(library) == Counter(each.id for each in wrote)
        assert names(folder) == quiet, "reading a quiet store must not leave files beside it"
        writer = start(name, journal)
        writer.tell("append 60")
        for each in writer.answers():
            wrote.append(each)
            assert_found(library, each, each.needles[0])
        assert transcript_ids(library) == Counter(each.id for each in wrote)
        writer.close()
        assert transcript_ids(library) == Counter(each.id for each in wrote)
        assert_found(library, wrote[0], wrote[0].needles[0])
    finally:
        library.close()

    again = start(name, journal)
    again.close()
    assert names(folder) == quiet, "after the next clean end of the agent the folder is as it was"


@pytest.mark.parametrize(("name", "journal", "mode"), WRITERS)
def test_a_killed_writer_loses_nothing_it_had_committed(
    start: Start, folder: Path, name: str, journal: str, mode: str | None
) -> None:
    """Killed in the middle of its work: every message it had acknowledged is read from what it left behind."""
    writer = start(name, journal)
    writer.tell("append 4000")
    acknowledged = []
    for each in writer.answers():
        acknowledged.append(each)
        if len(acknowledged) == 90:
            break
    writer.kill()
    before = {path.name: path.read_bytes() for path in folder.iterdir() if not path.name.endswith("-shm")}

    library = Library.open(folder / "state.db")
    try:
        assert set(transcript_ids(library)) >= {each.id for each in acknowledged}
        for each in acknowledged[-8:]:
            assert_found(library, each, each.needles[0])
        if mode == "wal":
            assert library.report().opened is not Opened.IMMUTABLE, "an immutable reader would not see the log"
    finally:
        library.close()
    after = {path.name: path.read_bytes() for path in folder.iterdir() if not path.name.endswith("-shm")}
    assert after == before


def test_the_harness_runs_what_it_says(releases: Releases, tmp_path: Path) -> None:
    """The release under test is the unpacked wheel, not a Hermes that happens to be installed here."""
    probe = tmp_path / "probe.py"
    probe.write_text("import hermes_state; print(hermes_state.__file__)")
    release = releases.get(UPSTREAM, tmp_path / "home")
    assert release.run(probe).strip().startswith(release.path.partition(os.pathsep)[0])
    probe.write_text("raise SystemExit(3)")
    with pytest.raises(AssertionError, match="ended with 3"):
        release.run(probe)
