"""`export` and `context`: where they write to, what they refuse, and what they say on the other stream."""

from __future__ import annotations

import json
import os
import signal
import stat
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from hermes_tui.cli import main
from tests.cli.conftest import KETTLE, Run, command, environment

GOLDEN = Path(__file__).with_name("golden")
Told = tuple[int, str, str]


@pytest.fixture(autouse=True)
def _in_utc(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    with monkeypatch.context() as patch:
        patch.setenv("TZ", "UTC")
        time.tzset()
        yield
    time.tzset()


@pytest.fixture
def export(store: Path, capsys: pytest.CaptureFixture[str]) -> Callable[..., Told]:
    """What `export` of the small store ends with, prints and says."""

    def run_it(*arguments: str) -> Told:
        code = main(["--db", str(store), "export", *arguments])
        printed = capsys.readouterr()
        return code, printed.out, printed.err

    return run_it


@pytest.mark.parametrize(
    ("session", "form", "name"),
    [
        ("Heron watch", "json", "export.json"),
        ("Heron watch", "jsonl", "export.jsonl"),
        ("Heron watch", "html", "export.html"),
        (KETTLE, "markdown", "export.md"),
    ],
)
def test_each_form_is_as_its_golden_file_says(export: Callable[..., Told], session: str, form: str, name: str) -> None:
    code, out, _ = export(session, "--to", form)
    assert code == 0
    golden = GOLDEN / name
    if os.environ.get("HERMES_TUI_WRITE_GOLDEN"):
        golden.write_text(out, encoding="utf-8")
    assert out == golden.read_text(encoding="utf-8"), "keys may be added, none renamed or dropped in format 1"


def test_a_file_is_named_by_what_it_is_called_and_never_replaced_unasked(
    export: Callable[..., Told], tmp_path: Path
) -> None:
    path = tmp_path / "talk.json"
    code, out, err = export(KETTLE, "-o", str(path))
    assert (code, out) == (0, "")
    assert err == f"4 messages written to {path}, {path.stat().st_size / 1000:.1f} KB.\n"
    first = path.read_text(encoding="utf-8")
    assert json.loads(first)["session"]["id"] == KETTLE
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    code, out, err = export("Heron watch", "-o", str(path))
    assert (code, out) == (2, "")
    assert err == f"hermes-tui: {path} is there already. Give another -o FILE, or --force to replace it.\n"
    assert path.read_text(encoding="utf-8") == first
    assert export("Heron watch", "-o", str(path), "--force", "--to", "markdown")[0] == 0
    assert path.read_text(encoding="utf-8").startswith("# Heron watch")
    assert [each.name for each in tmp_path.iterdir() if each.is_file()] == ["talk.json"]


def test_what_cannot_be_written_to_is_said_before_any_work(export: Callable[..., Told], store: Path) -> None:
    before = store.read_bytes()
    for target, sentence in ((str(store), "is there already"), (str(store.parent / "no" / "x.md"), "no folder")):
        code, out, err = export(KETTLE, "-o", target)
        assert (code, out) == (2, "")
        assert sentence in err
    code, _, err = export(KETTLE, "-o", str(store), "--force")
    assert (code, store.read_bytes()) == (2, before)
    assert "is a database" in err
    assert [each.name for each in store.parent.iterdir()] == [store.name]


def test_a_window_of_a_message_and_what_the_model_thought(export: Callable[..., Told]) -> None:
    code, out, _ = export(f"{KETTLE}#3", "--window", "1")
    assert code == 0
    assert [line for line in out.splitlines() if line.startswith("## ")] == [
        f"## Assistant · 2026-09-21T14:13:23+00:00 · `{KETTLE}#2`",
        f"## → Tool read · 2026-09-21T14:13:24+00:00 · `{KETTLE}#3`",
        f"## Assistant · 2026-09-21T14:13:25+00:00 · `{KETTLE}#4`",
    ]
    assert "*1 message earlier*" in out
    assert "The file was named." not in out
    code, out, err = export(KETTLE, "--reasoning")
    assert "> The file was named." in out
    assert err == ""


def test_a_session_that_is_not_there_is_a_failed_question(export: Callable[..., Told]) -> None:
    code, out, err = export("nothing of that name")
    assert (code, out) == (1, "")
    assert "nothing of that name" in err


def test_a_closed_pipe_ends_quietly(store: Path, tmp_path: Path) -> None:
    asked = command("--db", str(store), "export", KETTLE)
    with subprocess.Popen(
        asked, env=environment(tmp_path, {}), stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        process.stdout.close()
        assert process.stderr is not None
        assert b"Traceback" not in process.stderr.read()
        assert process.wait(timeout=60) == 0


@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
def test_a_request_to_end_leaves_no_half_file(store: Path, tmp_path: Path) -> None:
    """The end comes in the middle, from the process itself as it writes the third message."""
    script = (
        "import os, signal, sys\n"
        "from hermes_tui.cli import main\n"
        "tell = lambda done, total: done == 3 and os.kill(os.getpid(), signal.SIGTERM)\n"
        "from hermes_tui.cli import exporting\n"
        "exporting._Counting.tell = staticmethod(tell)\n"
        "sys.exit(main(sys.argv[1:]))\n"
    )
    target = tmp_path / "out"
    target.mkdir()
    asked = [*command()[:1], "-c", script, "--db", str(store), "export", KETTLE, "-o", str(target / "talk.md")]
    done = subprocess.run(asked, env=environment(tmp_path, {}), capture_output=True, timeout=60, check=False)
    assert done.returncode == 128 + signal.SIGTERM
    assert list(target.iterdir()) == []


def test_json_is_told_apart_from_what_is_said_about_it(run: Run, store: Path) -> None:
    done = run("--db", str(store), "export", "Spring", "--to", "json")
    answer: Any = json.loads(done.stdout)
    assert (done.returncode, done.stderr) == (0, b"")
    assert len(answer["sessions"]) == 2
    assert sum(message["copies"] for message in answer["messages"]) == sum(
        sum(session["messages"].values()) for session in answer["sessions"]
    )


@pytest.fixture
def context(store: Path, capsys: pytest.CaptureFixture[str]) -> Callable[..., Told]:
    """What `context` on the small store ends with, prints and says."""

    def run_it(*arguments: str) -> Told:
        code = main(["--db", str(store), "context", *arguments])
        printed = capsys.readouterr()
        return code, printed.out, printed.err

    return run_it


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("context.json", ["--search", "kettle", "--json", "--budget", "600"]),
        ("context.md", [f"{KETTLE}#3", "Heron watch", "--window", "1"]),
    ],
)
def test_a_pack_is_as_its_golden_file_says(context: Callable[..., Told], name: str, words: list[str]) -> None:
    code, out, err = context(*words)
    assert (code, err) == (0, "")
    golden = GOLDEN / name
    if os.environ.get("HERMES_TUI_WRITE_GOLDEN"):
        golden.write_text(out, encoding="utf-8")
    assert out == golden.read_text(encoding="utf-8"), "keys may be added, none renamed or dropped in format 1"


def test_a_pack_of_a_search_takes_filters_and_says_what_it_did_not_look_at(context: Callable[..., Told]) -> None:
    code, out, err = context("--search", "the", "garden", "-role:assistant", "--limit", "1")
    assert (code, err) == (0, "")
    assert out.count("\n→ ") == 1
    assert "And the lantern for the garden?" in out
    assert "1 more hit not looked at." in out
    code, out, err = context("--search", "-source:cli", "no such words at all")
    assert (code, out) == (0, "")
    assert err.startswith("0 hits, ")
    code, out, _ = context("--search", "unheard of", "--json")
    assert (code, json.loads(out)["conversations"]) == (0, [])


def test_what_context_does_not_understand_or_find(context: Callable[..., Told]) -> None:
    for words, code, sentence in (
        ([], 2, "Give the places, or what to look for"),
        (["Heron watch", "--budget", "10"], 2, "no room for anything"),
        (["nothing of that name"], 1, "nothing of that name"),
        ([f"{KETTLE}#999"], 1, "999"),
    ):
        answer = context(*words)
        assert (answer[0], answer[1]) == (code, "")
        assert sentence in answer[2]
