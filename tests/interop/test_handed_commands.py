"""The commands that are handed over do in a real release what they say, and nothing else."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

from hermes_tui.export.handing import archive, rename
from hermes_tui.library import Library
from hermes_tui.recorder import Recorder
from tests.interop.conftest import FORK, UPSTREAM, Releases

pytestmark = pytest.mark.interop

COMMAND = Path(__file__).with_name("hermes_command.py")
TITLE = '-p it\'s "new", 花'


@pytest.mark.parametrize("name", [UPSTREAM, FORK])
def test_rename_and_archive_reach_the_one_session_they_name(name: str, releases: Releases, tmp_path: Path) -> None:
    release = releases.get(name, tmp_path / "home")
    release.home.mkdir()
    store = release.home / "state.db"
    clock = iter(1_790_000_000.123456 + number / 1_000 for number in range(10_000))  # all within a few seconds
    with Recorder(store, clock=lambda: next(clock)) as recorder:
        ids = [recorder.create_session("cli") for _ in range(4)]
        for session in ids:
            recorder.append(session, "user", f"this is {session}")
            recorder.end_session(session, "cli_close")
    with Library.open(store) as library:
        wanted = library.session(ids[1])
    handed = archive(wanted)
    assert handed.command is not None
    release.run(COMMAND, *shlex.split(rename(ids[2], TITLE))[1:])
    told = release.run(COMMAND, *shlex.split(handed.command)[1:], given="y\n")
    assert "Archived 1 session" in told
    with Library.open(store) as library:
        found = [library.session(session) for session in ids]
    assert [session.archived for session in found] == [False, True, False, False]
    assert [session.title for session in found] == [None, None, TITLE, None]
