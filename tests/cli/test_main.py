"""Ways out: exit codes, what goes to which stream, closed pipes, interrupts, and never a traceback."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
from pathlib import Path
from typing import Any

import pytest

from hermes_tui.cli import main, verbs
from hermes_tui.cli.grammar import Options
from tests.cli.conftest import KETTLE, Run, command, environment

posix = pytest.mark.skipif(os.name != "posix", reason="signals and descriptors as POSIX has them")


def ended(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    """Exit code, stdout and stderr of a run in this process."""
    code = main(arguments)
    printed = capsys.readouterr()
    return code, printed.out, printed.err


@pytest.mark.parametrize("verb", [["sessions"], ["search", "kettle"], ["show", KETTLE], ["doctor"]])
def test_an_answer_ends_with_0_and_json_is_all_there_is(
    verb: list[str], store: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, err = ended(capsys, "--db", str(store), *verb, "--json")
    assert (code, err) == (0, "")
    assert json.loads(out)["format"] == 1
    assert out.endswith("}\n")
    assert out.count("\n") == 1


def test_zero_hits_are_an_answer(store: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = ended(capsys, "--db", str(store), "search", "zeppelin")
    assert (code, out) == (0, "")
    assert "0 hits" in err
    assert "all 19 messages searched" in err


@pytest.mark.parametrize("place", ["nowhere", f"{KETTLE}#9999", "2026", "9999", ""])
def test_a_place_that_is_not_there_ends_with_1(place: str, store: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = ended(capsys, "--db", str(store), "show", place)
    assert (code, out) == (1, "")
    assert err.startswith("hermes-tui: ")
    assert err.count("\n") == 1


@pytest.mark.parametrize("words", [["search"], ["show"], ["--limit"], ["a", "b"], ["sessions", "--limit", "0"]])
def test_usage_ends_with_2(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = ended(capsys, *words)
    assert (code, out) == (2, "")
    assert err.startswith("hermes-tui: ")
    assert err.count("\n") == 1


@pytest.mark.parametrize("words", [["sessions"], ["search", "a"], ["show", "a"], ["doctor"], [], ["a#1"]])
def test_a_store_that_is_not_there_ends_with_3(
    words: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    missing = tmp_path / "not here" / "state.db"
    code, out, err = ended(capsys, "--db", str(missing), *words)
    assert (code, out) == (3, "")
    assert str(missing) in err
    assert "hermes-tui demo" in err
    assert err.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


def test_without_where_the_path_that_was_looked_at_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("HERMES_HOME", str(tmp_path / "home"))
    code, _, err = ended(capsys, "sessions")
    assert code == 3
    assert str(tmp_path / "home" / "state.db") in err
    assert not (tmp_path / "home").exists()


def unreadable(folder: Path, kind: str) -> Path:
    """A path that holds no store: one for each way."""
    path = folder / "state.db"
    match kind:
        case "empty":
            path.touch()
        case "text":
            path.write_text("this is no database\n" * 100)
        case "folder":
            path.mkdir()
        case "other":
            connection = sqlite3.connect(path)
            connection.execute("CREATE TABLE notes (text)")
            connection.commit()
            connection.close()
        case "cut":
            path.write_bytes(b"SQLite format 3\x00" + b"\x10\x00")
    return path


@pytest.mark.parametrize("kind", ["empty", "text", "folder", "other", "cut"])
@pytest.mark.parametrize("verb", ["sessions", "doctor"])
def test_what_is_no_store_ends_with_3_and_stays_as_it_is(
    kind: str, verb: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = unreadable(tmp_path, kind)
    code, out, err = ended(capsys, "--db", str(path), verb, "--json")
    assert (code, out) == (3, "")
    assert str(path) in err
    assert err.count("\n") == 1
    assert [child.name for child in tmp_path.iterdir()] == ["state.db"]


def test_each_kind_of_no_store_has_its_own_words(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    said = set()
    for kind in ("empty", "text", "folder", "other", "cut"):
        folder = tmp_path / kind
        folder.mkdir()
        said.add(ended(capsys, "--db", str(unreadable(folder, kind)), "sessions")[2].replace(str(folder), ""))
    assert len(said) == 5


def test_profiles(store: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """--profile reads that profile's store, and answers name it; for an unknown one, those that are there get named."""
    home = store.parent
    work = home / "profiles" / "work"
    work.mkdir(parents=True)
    (work / "state.db").write_bytes(store.read_bytes())
    monkeypatch.setenv("HERMES_HOME", str(home))
    code, out, _ = ended(capsys, "--profile", "work", "sessions", "--json")
    assert code == 0
    assert {row["profile"] for row in json.loads(out)["sessions"]} == {"work"}
    code, out, _ = ended(capsys, "search", "kettle", "--json")
    assert {hit["session"]["profile"] for hit in json.loads(out)["hits"]} == {"default"}
    code, _, err = ended(capsys, "--profile", "play", "sessions")
    assert code == 3
    assert "play" in err
    assert "default, work" in err


def test_an_error_nobody_foresaw_is_one_sentence(
    store: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def break_down(options: Options, *, brief: bool) -> None:
        raise RuntimeError("a gear is loose")

    monkeypatch.setattr(verbs, "ask", break_down)
    code, out, err = ended(capsys, "--db", str(store), "sessions")
    assert (code, out) == (1, "")
    assert "a gear is loose" in err
    assert "Traceback" not in err
    assert err.count("\n") == 1
    monkeypatch.setenv("HERMES_TUI_DEBUG", "1")
    with pytest.raises(RuntimeError):
        main(["--db", str(store), "sessions"])


@pytest.mark.parametrize("words", [[], ["--db", "STORE"], ["--db", "STORE", KETTLE], ["demo"]])
def test_the_browser_wants_a_terminal_and_names_the_verbs(
    words: list[str], store: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("HERMES_HOME", str(store.parent))
    code, out, err = ended(capsys, *(word.replace("STORE", str(store)) for word in words))
    assert (code, out) == (2, "")
    assert "terminal" in err
    assert "search" in err


def test_python_m_is_the_same_program(run: Run, store: Path) -> None:
    done = run("--db", str(store), "sessions", "--json")
    assert (done.returncode, done.stderr) == (0, b"")
    assert len(json.loads(done.stdout)["sessions"]) == 4
    assert run("--version").stdout.startswith(b"hermes-tui ")


def long_store(path: Path) -> None:
    """Enough text to fill any pipe."""
    connection = sqlite3.connect(path)
    rows = [(KETTLE, "user", f"kettle {number} " + "steam " * 200, 1790000000.0 + number) for number in range(400)]
    sql = "INSERT INTO messages (session_id, role, content, timestamp) VALUES (?, ?, ?, ?)"
    connection.executemany(sql, rows)
    connection.commit()
    connection.close()


@posix
@pytest.mark.parametrize("form", ["--json", None])
def test_a_closed_pipe_ends_quietly(form: str | None, store: Path, tmp_path: Path) -> None:
    long_store(store)
    words = command("--db", str(store), "show", KETTLE, "--window", "400", *([form] if form else []))
    with subprocess.Popen(
        words, env=environment(tmp_path, {}), stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL
    ) as child:
        assert child.stdout is not None
        assert child.stderr is not None
        assert child.stdout.read(10)
        child.stdout.close()
        complaints = child.stderr.read().decode()
        assert child.wait(timeout=60) == 0
    assert "Traceback" not in complaints
    assert "Broken" not in complaints
    assert "Exception" not in complaints


@posix
def test_a_pipe_that_was_closed_before_a_short_answer(store: Path, tmp_path: Path) -> None:
    """All fits the buffer, so that only the last flush meets the closed pipe."""
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run(
        command("--db", str(store), "sessions", "--json"),
        env=environment(tmp_path, {}),
        stdout=writing,
        stderr=subprocess.PIPE,
        check=False,
        timeout=60,
    )
    os.close(writing)
    assert (done.returncode, done.stderr) == (0, b"")


@posix
@pytest.mark.parametrize("closing", [">&-", ">&- 2>&-", "2>&- >/dev/null"])
def test_streams_that_are_not_there_do_no_harm(closing: str, store: Path, tmp_path: Path) -> None:
    words = " ".join(f"'{word}'" for word in command("--db", str(store), "sessions"))
    done = subprocess.run(
        ["sh", "-c", f"{words} {closing}"], env=environment(tmp_path, {}), capture_output=True, check=False, timeout=60
    )
    assert done.returncode == 0
    assert b"Traceback" not in done.stderr


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs a device that is always full")
def test_a_full_disk_is_said(store: Path, tmp_path: Path) -> None:
    with open("/dev/full", "wb") as full:
        done = subprocess.run(
            command("--db", str(store), "sessions", "--json"),
            env=environment(tmp_path, {}),
            stdout=full,
            stderr=subprocess.PIPE,
            check=False,
            timeout=60,
        )
    assert done.returncode == 1
    assert b"Traceback" not in done.stderr
    assert done.stderr.count(b"\n") == 1


def test_an_interrupt_ends_with_130(
    store: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupted(*_: Any, **__: Any) -> None:
        signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr(verbs, "ask", interrupted)
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background jobs ignore it
    try:
        assert ended(capsys, "--db", str(store), "sessions") == (130, "", "")
    finally:
        signal.signal(signal.SIGINT, before)
