"""Commands that are handed over: what a shell makes of them, and what Hermes would."""

from __future__ import annotations

import argparse
import json
import os
import shlex
import subprocess
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermes_tui.cli import grammar
from hermes_tui.export.handing import Handed, archive, opening, rename, resume, showing
from hermes_tui.export.shell import RawCall, calls_of, command
from hermes_tui.model import Anchor, Session

posix = pytest.mark.skipif(os.name == "nt", reason="a POSIX shell")


def hermes(text: str) -> argparse.Namespace:
    """What Hermes takes a command for: its profile is looked for first, then argparse has its nested verbs."""
    words = shlex.split(text)[1:]
    profile = None
    if words[:1] == ["-p"]:
        profile, words = words[1], words[2:]
    parser = argparse.ArgumentParser()
    parser.add_argument("--resume", "-r")
    sessions = parser.add_subparsers(dest="verb").add_parser("sessions").add_subparsers(dest="action")
    rename = sessions.add_parser("rename")
    rename.add_argument("session_id")
    rename.add_argument("title", nargs="+")
    archive = sessions.add_parser("archive")
    for name in ("--after", "--before", "--source"):
        archive.add_argument(name)
    return argparse.Namespace(**vars(parser.parse_args(words)), profile=profile)


NAMES = st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1, max_size=20)


@given(NAMES, NAMES, st.sampled_from([None, "work"]))
def test_ids_titles_and_profiles_reach_hermes_as_they_are(session: str, title: str, profile: str | None) -> None:
    resumed = hermes(resume(session, profile=profile))
    assert (resumed.resume, resumed.profile) == (session, profile)
    renamed = hermes(rename(session, title, profile=profile))
    assert (renamed.session_id, " ".join(renamed.title), renamed.profile) == (session, title, profile)


def test_the_plain_forms_are_those_of_the_manual() -> None:
    assert resume("20260921_ab") == "hermes --resume 20260921_ab"
    assert resume("20260921_ab", profile="work") == "hermes -p work --resume 20260921_ab"
    assert resume("x", home=Path("/a b")) == "HERMES_HOME='/a b' hermes --resume x"
    assert rename("x", "A new title") == "hermes sessions rename x 'A new title'"


@given(st.floats(1.5e9, 2.5e9))
def test_an_archive_command_names_the_moment_the_session_began_and_no_other(began: float) -> None:
    session = Session("s", "cli", started_at=began, ended_at=began + 5)
    handed = archive(session, profile="work")
    assert handed.command is not None
    asked = hermes(handed.command)
    after, before = (datetime.fromisoformat(text).timestamp() for text in (asked.after, asked.before))
    assert after <= began < before  # as Hermes compares: from the first on, and before the second
    assert before - after < 1e-5
    assert (asked.source, asked.profile) == ("cli", "work")


def test_what_cannot_be_archived_by_a_command_is_said() -> None:
    cases = {
        "has not": Session("s", "cli", started_at=1.0),
        "archived already": Session("s", "cli", started_at=1.0, ended_at=2.0, archived=True),
        "nobody knows": Session("s", "cli", ended_at=2.0),
    }
    for words, session in cases.items():
        handed = archive(session)
        assert handed.command is None
        assert words in handed.note
    pinned = archive(Session("s", "cli", started_at=1.0, ended_at=2.0, pinned=True))
    assert pinned.command is not None
    assert "unpinned" in pinned.note
    assert isinstance(pinned, Handed)


@given(NAMES.filter(str.strip), st.integers(1, 2**62))
def test_a_place_is_opened_by_what_is_handed_over(session: str, message: int) -> None:
    anchor = Anchor(session, message)
    for made, verb in ((opening(anchor), None), (showing(anchor, profile="work"), "show")):
        options = grammar.parse(shlex.split(made)[1:])
        assert (options.anchor, options.verb) == (str(anchor), verb)


# -- a tool call -------------------------------------------------------------------------------------------------------


def run(text: str, folder: Path) -> str:
    env = {"PATH": os.environ["PATH"], "HOME": str(folder)}
    done = subprocess.run(["sh", "-c", text], cwd=folder, env=env, capture_output=True, check=True, timeout=60)
    return done.stdout.decode()


def made(name: str, **arguments: Any) -> str:
    call = {"id": "c", "type": "function", "function": {"name": name, "arguments": json.dumps(arguments)}}
    (raw,) = calls_of({"tool_calls": json.dumps([call])})
    return command(raw)


ODD = 'it\'s $HOME `x` \\ "q"\n\tEOF\nEOF\nEOF_\n花 end'


@posix
@pytest.mark.parametrize("content", [ODD, ODD + "\n", "", "\n", "-n"])
@pytest.mark.parametrize("path", ["new/dir/it's.txt", "~/deep er/f.txt", "-f.txt"])
def test_a_file_written_by_hand_is_the_file_the_tool_wrote(tmp_path: Path, content: str, path: str) -> None:
    run(made("write_file", path=path, content=content), tmp_path)
    assert (tmp_path / path.removeprefix("~/")).read_bytes() == content.encode()
    assert run(made("read_file", path=path), tmp_path) == content


@posix
def test_reading_a_part_patching_and_running_code_do_what_the_tool_does(tmp_path: Path) -> None:
    (tmp_path / "f.txt").write_bytes(b"one\r\ntwo it's\nthree\n")
    assert run(made("read_file", path="f.txt", offset=2, limit=1), tmp_path) == "two it's\n"
    assert run(made("read_file", path="f.txt", offset=2), tmp_path) == "two it's\nthree\n"
    run(made("patch", mode="replace", path="f.txt", old_string="two it's\n", new_string="2 '\\n\n"), tmp_path)
    assert (tmp_path / "f.txt").read_bytes() == b"one\r\n2 '\\n\nthree\n"
    with pytest.raises(subprocess.CalledProcessError):
        run(made("patch", path="f.txt", old_string="e", new_string="E"), tmp_path)
    run(made("patch", path="f.txt", old_string="e", new_string="E", replace_all=True), tmp_path)
    assert (tmp_path / "f.txt").read_bytes() == b"onE\r\n2 '\\n\nthrEE\n"
    assert run(made("execute_code", code="print('''it's\nEOF''')"), tmp_path) == "it's\nEOF\n"
    (tmp_path / "sub dir").mkdir()
    assert run(made("terminal", command="pwd | sed 's/.*\\///'", workdir="sub dir"), tmp_path) == "sub dir\n"


def test_a_shell_command_is_the_command_itself() -> None:
    assert made("terminal", command=ODD, timeout=5) == ODD
    assert made("terminal", command="ls\npwd", workdir="~/a b") == "cd ~/'a b'\nls\npwd"
    assert made("bash", command="ls -la") == "ls -la"
    assert made("exec", cmd=["grep", "a b", "x"]) == "grep 'a b' x"
    assert made("search_files", pattern="a|b", path="src", file_glob="*.py", context=2) == (
        "rg -n -g '*.py' -C 2 -e 'a|b' -- src"
    )
    assert made("search_files", pattern="*.py", target="files") == "rg --files -g '*.py' -- ."


@pytest.mark.parametrize(
    ("stored", "calls"),
    [
        (None, []),
        ("no json", []),
        (b'[{"name": "t", "args": {"a": 1}}]', [RawCall("t", {"a": 1})]),
        (json.dumps(json.dumps([{"name": "t", "input": {"a": 1}}])), [RawCall("t", {"a": 1})]),
        (json.dumps([{"function": {"name": "t", "arguments": "not json"}}, 7]), [RawCall("t", "not json")]),
        (json.dumps({"function": {"name": "t"}}), [RawCall("t", {})]),
    ],
)
def test_calls_are_read_in_every_form_they_are_stored_in(stored: object, calls: list[RawCall]) -> None:
    assert list(calls_of({"tool_calls": stored})) == calls


def test_what_no_command_does_is_the_call_as_json() -> None:
    for name, arguments in (
        ("browser_click", {"ref": "花"}),
        ("terminal", {"command": 7}),
        ("write_file", {"path": "x"}),
    ):
        assert json.loads(made(name, **arguments)) == {"name": name, "arguments": arguments}
    assert json.loads(command(RawCall("t", "not json"))) == {"name": "t", "arguments": "not json"}
