"""A store with everything a place can point into, and the library over it."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from hermes_tui.library import Library
from hermes_tui.recorder import Recorder

NOON = 1_790_000_000.0
SUMMARY = "[CONTEXT COMPACTION — REFERENCE ONLY] Earlier turns were compacted into the summary below."


@dataclass(frozen=True)
class Town:
    """What is in the store. Messages are by their place in the conversation."""

    path: Path
    long: str  # forty turns and nothing else
    root: str  # a chain: root -> middle -> tip
    middle: str
    tip: str
    chain: tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]]  # messages of each, as written
    folded: str  # compacted in place, with a kept tail
    kept: int  # the row of the tail that is live now
    copied: int  # the row it was first written as
    rewound: int
    numbers: str  # a session whose id is a number


def write_town(path: Path) -> Town:
    """Write the store."""
    ticks = iter(range(10**9))
    with Recorder(path, clock=lambda: NOON + next(ticks), randomness=random.Random(5)) as recorder:
        long = recorder.create_session("cli", session_id="20260101_000000_aaaa01", title="Long talk")
        for number in range(20):
            recorder.append_many(
                long,
                [
                    {"role": "user", "content": f"question {number}"},
                    {"role": "assistant", "content": f"answer {number}"},
                ],
            )
        root = recorder.create_session("cli", session_id="20260101_000000_aaaa02", title="Harbour")
        first = (recorder.append(root, "user", "chart the harbour"), recorder.append(root, "assistant", "charted"))
        middle = recorder.split(root, f"{SUMMARY} charted")
        second = (recorder.append(middle, "user", "and the pier"), recorder.append(middle, "assistant", "pier too"))
        tip = recorder.split(middle, f"{SUMMARY} charted, pier too")
        third = (recorder.append(tip, "user", "now the buoy"), recorder.append(tip, "assistant", "buoy done"))
        folded = recorder.create_session("cli", session_id="20260202_000000_bbbb01", title="Lighthouse")
        recorder.append(folded, "user", "light the lamp")
        recorder.append(folded, "assistant", "it burns")
        copied = recorder.append(folded, "user", "kept: how far is it seen?")
        recorder.compact(folded, f"{SUMMARY} lamp lit", keep_last=1)
        (kept,) = [row["id"] for row in recorder.live_messages(folded) if row["content"] == "kept: how far is it seen?"]
        recorder.append(folded, "assistant", "nine miles")
        rewound = recorder.append(folded, "user", "take this back")
        recorder.rewind(folded, rewound)
        numbers = recorder.create_session("cli", session_id="77777", title="3")
        recorder.append(numbers, "user", "a session that is called by numbers")
        recorder.create_session("cli", session_id="20260303_000000_cccc01", title="Twin")
        recorder.create_session("cli", session_id="20260303_000000_cccc02", title="tWIN")
        recorder.create_session("cli", session_id="cccc#4", title="Build #12")
    return Town(path, long, root, middle, tip, (first, second, third), folded, kept, copied, rewound, numbers)


@pytest.fixture(scope="session")
def written_town(tmp_path_factory: pytest.TempPathFactory) -> Town:
    """The store, for reading only."""
    return write_town(tmp_path_factory.mktemp("town") / "state.db")


@pytest.fixture
def town(written_town: Town) -> Town:
    """The store, for reading only."""
    return written_town


@pytest.fixture
def library(town: Town) -> Iterator[Library]:
    """The library over that store."""
    with Library.open(town.path) as library:
        yield library
