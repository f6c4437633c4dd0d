"""A file is written whole or not at all, for its owner's eyes, and never over another without being asked."""

from __future__ import annotations

import errno
import os
import stat
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from hermes_tui.export import files

posix = pytest.mark.skipif(os.name == "nt", reason="modes, links and pipes of POSIX")


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


@posix
def test_a_file_is_written_whole_and_private(tmp_path: Path) -> None:
    path = tmp_path / "talk.md"
    before = os.umask(0)
    try:
        assert files.write(path, ["# é\n", "two\r\n", "\ud800"]) == len("# é\ntwo\r\n?".encode())
    finally:
        os.umask(before)
    assert path.read_bytes() == "# é\ntwo\r\n?".encode()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert names(tmp_path) == ["talk.md"]


def test_what_is_there_is_replaced_only_when_asked(tmp_path: Path) -> None:
    path = tmp_path / "talk.md"
    path.write_text("precious")
    with pytest.raises(files.Taken, match=r"talk\.md is there already"):
        files.write(path, ["new"])
    assert path.read_text() == "precious"
    files.write(path, ["new"], force=True)
    assert path.read_text() == "new"
    assert names(tmp_path) == ["talk.md"]


@pytest.mark.parametrize("links", [True, False])
def test_a_name_taken_meanwhile_is_not_taken_over(tmp_path: Path, links: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "talk.md"
    if not links:
        monkeypatch.setattr(os, "link", refuse)

    def pieces() -> Iterator[str]:
        yield "mine"
        path.write_text("somebody else's")

    with pytest.raises(files.Taken):
        files.write(path, pieces())
    assert path.read_text() == "somebody else's"
    assert names(tmp_path) == ["talk.md"]


def refuse(*_: object, **__: object) -> None:
    raise OSError(errno.EPERM, "no hard links here")


def test_a_file_system_without_hard_links_will_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "link", refuse)
    files.write(tmp_path / "talk.md", ["whole"])
    assert (tmp_path / "talk.md").read_text() == "whole"
    assert names(tmp_path) == ["talk.md"]


@pytest.mark.parametrize("trouble", [RuntimeError("no"), KeyboardInterrupt(), SystemExit(143)])
@pytest.mark.parametrize("there", [True, False])
def test_what_goes_wrong_leaves_nothing_behind_and_what_was_there(
    tmp_path: Path, trouble: BaseException, there: bool
) -> None:
    path = tmp_path / "talk.md"
    if there:
        path.write_text("precious")

    def pieces() -> Iterator[str]:
        yield "half of it" * 100_000
        raise trouble

    with pytest.raises(type(trouble)):
        files.write(path, pieces(), force=True)
    assert names(tmp_path) == (["talk.md"] if there else [])
    assert not there or path.read_text() == "precious"


def test_a_full_disk_is_a_sentence(tmp_path: Path) -> None:
    def pieces() -> Iterator[str]:
        yield "half"
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with pytest.raises(files.WriteError, match=r"talk\.md cannot be written: No space left on device"):
        files.write(tmp_path / "talk.md", pieces())
    assert names(tmp_path) == []


@posix
def test_what_is_no_place_for_a_document_is_refused_before_any_work(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "pipe")
    store = tmp_path / "state.db"
    store.write_bytes(b"SQLite format 3\0" + b"x" * 100)
    (tmp_path / "link.md").symlink_to(store)
    refused = {
        "folder": "is a folder",
        "pipe": "no ordinary file",
        "state.db": "is a database",
        "link.md": "is a database",
        "state.db-wal": "belongs to a store",
        "nowhere/talk.md": "no folder",
        "a\0b": "cannot be written",
    }
    for name, sentence in refused.items():
        with pytest.raises(files.WriteError, match=sentence):
            files.check(tmp_path / name, force=True)
    with pytest.raises(files.WriteError, match="no ordinary file"):
        files.write(Path(os.devnull), ["x"], force=True)
    assert store.read_bytes().startswith(b"SQLite format 3\0")


@posix
def test_a_link_leads_to_the_file_that_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    target, link = tmp_path / "real" / "talk.md", tmp_path / "latest.md"
    target.write_text("old")
    link.symlink_to(target)
    with pytest.raises(files.Taken):
        files.write(link, ["new"])
    files.write(link, ["new"], force=True)
    assert link.is_symlink()
    assert target.read_text() == "new"
    assert names(tmp_path / "real") == ["talk.md"]


@pytest.mark.parametrize(
    ("title", "session", "name"),
    [
        ("MQTT reconnect loop", "2026_ab", "mqtt-reconnect-loop-2026_ab.md"),
        ("../../etc/passwd", "x", "etc-passwd-x.md"),
        ("お茶の在庫", "x", "お茶の在庫-x.md"),
        (None, "../x/y", "x-y.md"),
        ("-rf", ".hidden", "rf-hidden.md"),
        ("a" * 300, "x", "a" * 80 + "-x.md"),
        ("\x1b[31m\ud800?", "", "31m.md"),
    ],
)
def test_a_name_from_a_title_is_one_plain_file_name(title: str | None, session: str, name: str) -> None:
    if sys.platform == "win32" and not name.isascii():
        pytest.skip("names of other scripts depend on the code page")
    made = files.name_for(title, session, ".md")
    assert made == name
    assert Path(made).name == made
