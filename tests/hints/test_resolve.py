"""Whether a path is there: real files, a session's folder that is here or not, and what is never looked at."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from hermes_tui.hints import Resolved, State, remote_mounts, resolve

posix = pytest.mark.skipif(os.name == "nt", reason="paths of POSIX")
SAID = 1_790_000_000.0  # when the message was written


@pytest.fixture
def work(tmp_path: Path) -> Path:
    """A session's folder with a file as old as the message, one that was written since, and a folder."""
    folder = tmp_path / "work"
    (folder / "src").mkdir(parents=True)
    for name, written in (("src/old.py", SAID - 60), ("src/new.py", SAID + 60)):
        (folder / name).write_text("x", encoding="utf-8")
        os.utime(folder / name, (written, written))
    return folder


def here(path: str, work: Path) -> Resolved:
    return resolve(path, cwd=str(work), home=str(work), since=SAID, remote=())


def watched(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The paths that are looked at from here on."""
    looked: list[str] = []
    stat = os.stat

    def look(path: str) -> os.stat_result:
        looked.append(str(path))
        return stat(path)

    monkeypatch.setattr(os, "stat", look)
    return looked


@posix
def test_a_file_exists_was_changed_since_or_is_gone(work: Path) -> None:
    assert here("src/old.py", work) == Resolved(f"{work}/src/old.py", "src/old.py", State.EXISTS)
    assert here("src/new.py", work).state is State.CHANGED
    assert here("src/gone.py", work).state is State.GONE
    assert here("src/old.py/x", work).state is State.GONE  # a file where a folder would have to be
    assert here(f"{work}/src/old.py", work).relative == "src/old.py"
    assert here("~/src/old.py", work).absolute == f"{work}/src/old.py"
    assert here("$HOME/src/old.py", work).state is State.EXISTS
    assert here(f"file://{work}/src/old.py", work).state is State.EXISTS
    assert here("./src/../src/old.py", work).absolute == f"{work}/src/old.py"


@posix
def test_a_folder_changes_with_everything_in_it_so_it_only_exists(work: Path) -> None:
    os.utime(work / "src", (SAID + 60, SAID + 60))
    assert here("src/", work) == Resolved(f"{work}/src", "src", State.EXISTS, folder=True)


@posix
def test_without_a_time_nothing_was_changed_since(work: Path) -> None:
    assert resolve("src/new.py", cwd=str(work), home=None, since=None, remote=()).state is State.EXISTS


@posix
@pytest.mark.parametrize(
    ("path", "cwd", "why"),
    [
        ("src/a.py", None, "relative, and the session tells no folder"),
        ("src/a.py", "C:\\Users\\bob", "relative to a folder of another machine"),
        ("src/a.py", "/nowhere/at/all", "the session's folder is not on this machine"),
        ("/nowhere/at/all/a.py", "/nowhere/at/all", "the session's folder is not on this machine"),
        ("~bob/a.py", "/", "in somebody's home folder"),
        ("$DIR/a.py", "/", "begins with a variable"),
        ("~/a.py", "/", "no home folder is known"),
        ("C:\\a\\b.txt", "/", "a Windows path"),
        ("\\\\server\\share\\a.txt", "/", "a Windows path"),
        ("%TEMP%\\a.txt", "/", "a Windows path"),
        ("src\\a.cs", "/", "a Windows path"),
        ("//server/share/a", "/", "on another machine"),
        ("/net/server/a", "/", "on another machine"),
        ("a\x00b", "/", "no path of this system"),
    ],
)
def test_what_cannot_be_told_is_unknown_and_says_why(path: str, cwd: str | None, why: str) -> None:
    told = resolve(path, cwd=cwd, home=None, since=SAID, remote=())
    assert told.state is State.UNKNOWN
    assert told.said == f"unknown: {why}"


@posix
def test_a_name_no_file_system_takes_is_unknown(work: Path) -> None:
    assert here("x" * 5000, work).state is State.UNKNOWN
    assert here("\ud800.txt", work).state is State.UNKNOWN


@posix
def test_mounts_of_other_machines_are_read_from_the_list_and_never_looked_at(
    work: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mounts = tmp_path / "mounts"
    mounts.write_text(
        f"/dev/sda1 / ext4 rw 0 0\nnas:/x {work}/src nfs4 rw 0 0\nann@box: /mnt/my\\040box fuse.sshfs rw 0 0\nbad\n",
        encoding="utf-8",
    )
    remote = remote_mounts(mounts)
    assert remote == (f"{work}/src", "/mnt/my box")
    looked = watched(monkeypatch)
    told = resolve("src/old.py", cwd=str(work), home=None, since=SAID, remote=remote)
    assert told == Resolved(f"{work}/src/old.py", "src/old.py", State.UNKNOWN, why="on another machine")
    assert looked == []
    assert resolve("gone.py", cwd=f"{work}/src", home=None, since=SAID, remote=remote).state is State.UNKNOWN
    assert looked == []
    assert remote_mounts(tmp_path / "none") == ()


@posix
def test_it_costs_one_look_and_a_second_only_where_nothing_is(work: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    looked = watched(monkeypatch)
    here("src/old.py", work)
    assert looked == [f"{work}/src/old.py"]
    here("src/gone.py", work)
    assert looked[1:2] == [f"{work}/src/gone.py"]
    assert len(looked) <= 3
