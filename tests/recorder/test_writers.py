"""Several writers of one file: processes, threads, one that is killed, one that will not let go."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
import threading
from collections import Counter
from contextlib import closing
from pathlib import Path

import pytest

from hermes_tui.recorder import Layout, Recorder, RecorderBusyError, StorageSettings
from tests.recorder.conftest import OpenStore, Store, look

APPENDING = """
import sys
from hermes_tui.recorder import Layout, Recorder

path, layout, name, count = sys.argv[1:]
sys.stdin.readline()  # all begin together, the file is not there yet
with Recorder(path, layout=Layout(layout)) as recorder:
    session = recorder.create_session("cli", session_id=name)
    for number in range(int(count)):
        recorder.append(session, "user", f"{name} {number} sharedword")
"""

ACKNOWLEDGING = """
import sys
from hermes_tui.recorder import Recorder

with Recorder(sys.argv[1]) as recorder:
    session = recorder.create_session("cli", session_id="doomed")
    number = 0
    while True:
        print(recorder.append(session, "user", f"message {number}"), flush=True)
        number += 1
"""


def run(program: str, *arguments: str) -> subprocess.Popen[str]:
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    return subprocess.Popen(
        [sys.executable, "-c", program, *arguments],
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


@pytest.mark.parametrize("layout", list(Layout), ids=str)
def test_four_processes_lose_nothing(tmp_path: Path, layout: Layout) -> None:
    path = tmp_path / "state.db"
    writers = [run(APPENDING, str(path), layout, f"writer{number}", "60") for number in range(4)]
    for writer in writers:
        assert writer.stdin is not None
        writer.stdin.write("go\n")
        writer.stdin.flush()
    for writer in writers:
        _, complaints = writer.communicate(timeout=120)
        assert writer.returncode == 0, complaints

    contents = Counter(content for (content,) in look(path, "SELECT content FROM messages"))
    assert contents == Counter(f"writer{writer} {number} sharedword" for writer in range(4) for number in range(60))
    assert look(path, "SELECT message_count FROM sessions") == [(60,)] * 4
    with Recorder(path) as recorder:
        store = Store(recorder)
        assert len(store.found("messages_fts", "sharedword")) == 240
        store.assert_indexes_agree()


@pytest.mark.skipif(sys.platform == "win32", reason="no SIGKILL there")
@pytest.mark.parametrize("kill_after", [1, 25])
def test_a_killed_process_loses_no_message_it_acknowledged(tmp_path: Path, kill_after: int) -> None:
    path = tmp_path / "state.db"
    with run(ACKNOWLEDGING, str(path)) as writer:
        assert writer.stdout is not None
        acknowledged = [int(writer.stdout.readline()) for _ in range(kill_after)]
        writer.send_signal(signal.SIGKILL)
        acknowledged += [int(line) for line in writer.stdout if line.endswith("\n")]
    assert writer.returncode == -signal.SIGKILL

    with Recorder(path) as recorder:
        kept = [message["id"] for message in recorder.live_messages("doomed")]
        assert kept[: len(acknowledged)] == acknowledged
        assert len(kept) - len(acknowledged) <= 1  # one may be in the file and not yet acknowledged
        assert recorder.session("doomed")["message_count"] == len(kept)
        assert recorder.append("doomed", "user", "and on") > kept[-1]
        Store(recorder).assert_indexes_agree()


def test_threads_share_a_recorder(store: Store) -> None:
    session = store.recorder.create_session("cli")
    failures: list[BaseException] = []

    def write(name: int) -> None:
        try:
            for number in range(40):
                store.recorder.append(session, "user", f"{name} {number}")
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=write, args=(name,)) for name in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert set(store.column("SELECT content FROM messages")) == {f"{n} {i}" for n in range(4) for i in range(40)}
    assert store.recorder.session(session)["message_count"] == 160


def test_a_busy_file_is_waited_for(open_store: OpenStore) -> None:
    store = open_store(settings=StorageSettings(busy_timeout=50))
    session = store.recorder.create_session("cli")
    with closing(sqlite3.connect(store.path, isolation_level=None, check_same_thread=False)) as other:
        other.execute("BEGIN IMMEDIATE")
        release = threading.Timer(0.15, other.execute, ["COMMIT"])  # longer than one attempt, shorter than all
        release.start()
        store.recorder.append(session, "user", "patience")
        release.join()
    assert store.column("SELECT content FROM messages") == ["patience"]


@pytest.mark.parametrize("journal_mode", ["wal", "delete"])
def test_a_file_that_stays_busy_is_reported_and_nothing_is_half_written(
    open_store: OpenStore, journal_mode: str
) -> None:
    store = open_store(settings=StorageSettings(busy_timeout=5, journal_mode=journal_mode))
    session = store.recorder.create_session("cli")
    with closing(sqlite3.connect(store.path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(RecorderBusyError, match=r"state\.db stayed locked .* nothing was written.*busy_timeout"):
            store.recorder.append(session, "user", "too late")
        other.execute("ROLLBACK")
    assert store.rows("SELECT * FROM messages") == []
    assert store.recorder.session(session)["message_count"] == 0
    assert store.recorder.append(session, "user", "now") == 1


def test_a_reader_that_holds_on_stops_a_rollback_journal_only_while_it_reads(open_store: OpenStore) -> None:
    store = open_store(settings=StorageSettings(busy_timeout=5, journal_mode="delete"))
    session = store.recorder.create_session("cli")
    with closing(sqlite3.connect(store.path, isolation_level=None)) as reader:
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM messages").fetchall()
        with pytest.raises(RecorderBusyError):
            store.recorder.append(session, "user", "not yet")
        reader.execute("COMMIT")
        store.recorder.append(session, "user", "now")
    assert store.column("SELECT content FROM messages") == ["now"]
