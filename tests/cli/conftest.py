"""A small store whose every value is known, and ways to run the program on it."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hermes_tui.cli import main
from hermes_tui.recorder import Recorder

DAY = 86_400.0
NOON = 1_790_000_000.0  # 21 September 2026, 14:13:20 UTC

SUMMARY = "[CONTEXT COMPACTION — REFERENCE ONLY] Earlier turns were compacted into the summary below."

KETTLE = "20260921_141300_aaaaaa"

Run = Callable[..., subprocess.CompletedProcess[bytes]]


class Clock:
    """A clock that goes on one second each time it is asked."""

    def __init__(self) -> None:
        self.now = NOON

    def __call__(self) -> float:
        self.now += 1.0
        return self.now


def write_store(path: Path) -> None:
    """Six sessions: a talk with tools, a chain of two, a compacted one with a kept tail and a rewound turn, a cron run,
    one that is archived, one that is empty."""
    clock = Clock()
    with Recorder(path, clock=clock, randomness=random.Random(1)) as recorder:
        kettle = recorder.create_session("cli", session_id=KETTLE, title="Copper kettle", model="m/one")
        recorder.append(kettle, "user", "Where is the copper kettle config? Look in src/app/main.py")
        call = {
            "id": "call_1",
            "type": "function",
            "function": {"name": "read", "arguments": '{"path": "src/app/main.py"}'},
        }
        recorder.append(kettle, "assistant", tool_calls=[call], reasoning="The file was named.")
        recorder.append(kettle, "tool", "kettle = 'copper'", tool_name="read", tool_call_id="call_1")
        recorder.append(kettle, "assistant", "It says kettle = 'copper' in line 1.", finish_reason="stop")
        recorder.end_session(kettle, "cli_close")

        clock.now += DAY
        spring = recorder.create_session("telegram", session_id="20260922_100000_bbbbbb", title="Spring", model="m/two")
        recorder.append(spring, "user", "Let us plan the spring garden, 花 first")
        recorder.append(spring, "assistant", "Tulips, then peas.", finish_reason="stop")
        autumn = recorder.split(spring, f"{SUMMARY} Tulips and peas were planned.")
        recorder.append(autumn, "user", "And the lantern for the garden?")
        recorder.append(autumn, "assistant", "Hang the lantern by the gate.", finish_reason="stop")

        clock.now += DAY
        heron = recorder.create_session("cli", session_id="20260923_120000_dddddd", title="Heron watch")
        recorder.append(heron, "user", "old plan: count the herons")
        recorder.append(heron, "assistant", "Three herons at the weir.", finish_reason="stop")
        tail = recorder.append(heron, "user", "kept tail: one more heron")
        recorder.compact(heron, f"{SUMMARY} Herons were counted.", keep_last=1)
        assert tail > 0
        recorder.append(heron, "assistant", "Four then.", finish_reason="stop")
        undone = recorder.append(heron, "user", "secret undo walrus")
        recorder.rewind(heron, undone)

        clock.now += DAY
        cron = recorder.create_session("cron", session_id="cron_nightly_20260924_030000")
        recorder.append(cron, "user", "nightly: polish the kettle")
        recorder.append(cron, "assistant", "Polished.", finish_reason="stop")
        away = recorder.create_session("cli", session_id="20260924_090000_eeeeee", title="Put away")
        recorder.append(away, "user", "an archived question")
        recorder.archive(away)
        recorder.create_session("discord", session_id="20260924_100000_ffffff")


@pytest.fixture(scope="session")
def written_store(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """The bytes of the small store."""
    path = tmp_path_factory.mktemp("written") / "state.db"
    write_store(path)
    return path.read_bytes()


@pytest.fixture
def store(written_store: bytes, tmp_path: Path) -> Path:
    """The small store in a folder of its own."""
    path = tmp_path / "home" / "state.db"
    path.parent.mkdir()
    path.write_bytes(written_store)
    return path


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """Run the program in a process of its own, without the reader's Hermes, in UTC."""

    def run_it(*arguments: str, env: dict[str, str] | None = None) -> subprocess.CompletedProcess[bytes]:
        return subprocess.run(
            command(*arguments),
            env=environment(tmp_path, env or {}),
            stdin=subprocess.DEVNULL,
            timeout=60,
            check=False,
            capture_output=True,
        )

    return run_it


def command(*arguments: str) -> list[str]:
    """The command line that runs the program."""
    return [sys.executable, "-m", "hermes_tui", *arguments]


def environment(home: Path, extra: dict[str, str]) -> dict[str, str]:
    """An environment that knows nothing of the person who runs the tests."""
    kept = {name: os.environ[name] for name in ("PATH", "SYSTEMROOT", "COVERAGE_PROCESS_START") if name in os.environ}
    return {**kept, "HOME": str(home), "TZ": "UTC", "PYTHONPATH": os.getcwd(), **extra}


@pytest.fixture
def ask(store: Path, capsys: pytest.CaptureFixture[str]) -> Callable[..., Any]:
    """The JSON a verb prints for the small store; it must be answered."""

    def ask_it(*arguments: str) -> Any:
        code = main(["--db", str(store), *arguments, "--json"])
        printed = capsys.readouterr()
        assert (code, printed.err) == (0, "")
        return json.loads(printed.out)

    return ask_it
