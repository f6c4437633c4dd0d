"""What can be copied and handed over at a place, and what runs while the browser stands aside."""

from __future__ import annotations

import io
import json
import os
import shlex
import stat
import sys
from pathlib import Path

import pytest

from hermes_tui.library import Library
from hermes_tui.model import Anchor
from hermes_tui.recorder import Recorder
from hermes_tui.tui import outside
from hermes_tui.tui.app import HermesApp
from hermes_tui.tui.browser import Browser
from hermes_tui.tui.handing import OfferPicker
from hermes_tui.tui.offers import alike
from tests.tui.conftest import Stage, staged

LONG = "pyinstaller --onefile " + " ".join(f"--hidden-import package{n}.module" for n in range(12))
HEREDOC = "cat <<EOF\n\tindented by a tab\nEOF"
ANSWER = f"Two ways:\n\n```bash\n{LONG}\n```\n\nor\n\n```\n{HEREDOC}\n```\n\nDone."


def calls() -> list[dict[str, object]]:
    arguments = json.dumps({"command": "ls -la src/ | head", "timeout": 30})
    late: dict[str, object] = {"id": "c2", "type": "function", "function": {"name": "build", "arguments": "{}"}}
    return [{"id": "c1", "type": "function", "function": {"name": "terminal", "arguments": arguments}}, late]


@pytest.fixture
def copied(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What was handed to the clipboard."""
    found: list[str] = []
    monkeypatch.setattr(HermesApp, "copy_to_clipboard", lambda self, text: found.append(text))
    return found


async def menu(stage: Stage) -> OfferPicker:
    await stage.press("C")
    await stage.until(lambda: isinstance(stage.app.screen, OfferPicker), "the menu")
    screen = stage.app.screen
    assert isinstance(screen, OfferPicker)
    await stage.pilot.pause()
    return screen


@pytest.mark.parametrize("size", [(80, 24), (120, 36), (200, 50)])
async def test_code_is_copied_byte_for_byte_however_it_was_cut(
    recorder: Recorder, size: tuple[int, int], copied: list[str]
) -> None:
    session = recorder.create_session("cli", session_id="s", title="Build it")
    recorder.append(session, "user", "how")
    message = recorder.append(session, "assistant", ANSWER)
    async with staged(Library.open(recorder.path), size=size, anchor=Anchor("s", message)) as stage:
        await stage.shown(f"s#{message}")
        stage.browser.transcript.focus()
        for typed, wanted in (
            ("code pyinstaller", LONG),
            ("code cat", HEREDOC),
            ("anchor", f"s#{message}"),
            ("session id", "s"),
            ("message text", ANSWER),
        ):
            await menu(stage)
            await stage.type(typed)
            await stage.press("enter")
            await stage.until(lambda: stage.app.screen is stage.browser, "the browser")
            assert copied.pop() == wanted, typed


async def test_a_call_is_a_command_its_output_is_offered_and_hermes_gets_its_words(
    recorder: Recorder, copied: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = recorder.create_session("cli", session_id="s", title="It's [red]mine[/]")
    recorder.append(session, "user", "look")
    call = recorder.append(session, "assistant", None, tool_calls=calls())
    recorder.append(session, "tool", "total 4\napp.py", tool_name="terminal", tool_call_id="c1")
    for number in range(90):
        recorder.append(session, "user", f"not yet {number}")
    recorder.append(session, "tool", "built at last", tool_name="build", tool_call_id="c2")
    async with staged(Library.open(recorder.path), anchor=Anchor("s", call)) as stage:
        await stage.shown(f"s#{call}")
        stage.browser.transcript.focus()
        screen = await menu(stage)
        offers = {offer.label: offer.text for offer in screen.offer("")}
        assert offers["output of terminal"] == "total 4\napp.py"
        assert offers["output of build"] == "built at last"
        (command,) = (text for label, text in offers.items() if label.startswith("terminal as a command"))
        assert command == "ls -la src/ | head"
        assert shlex.split(offers["resume"])[-2:] == ["--resume", "s"]
        assert shlex.split(offers["rename (put the new title in)"])[-2:] == ["s", "It's [red]mine[/]"]
        assert shlex.split(offers["command that opens it here"]) == [
            "hermes-tui",
            "--db",
            str(recorder.path),
            f"s#{call}",
        ]
        await stage.press("escape")
        await stage.until(lambda: stage.app.screen is stage.browser, "the browser")
        assert copied == []
        # Nobody can suspend a program without a terminal; that is told, and nothing else happens.
        await stage.press("p")
        await stage.until(lambda: "cannot put the browser aside" in stage.status(), "the sentence")
        # With one, the pager is given all of the conversation.
        seen = tmp_path / "seen"
        monkeypatch.setenv("PAGER", shlex.quote(str(script(tmp_path, "pager", f'cp "$1" "{seen}"'))))
        monkeypatch.setattr(Browser, "aside", lambda self, work: work())
        await menu(stage)
        await stage.type("conversation pager")
        await stage.press("enter")
        await stage.until(seen.exists, "the pager")
        assert all(words in seen.read_text() for words in ("not yet 0", "not yet 89", "built at last"))


async def test_rows_that_there_is_no_room_for_are_counted(library: Library) -> None:
    async with staged(library, size=(80, 16)) as stage:
        screen = await menu(stage)
        rows, many = screen.rows, len(screen.offer(""))
        below = many - rows.in_view().stop
        assert below > 0
        assert f"{below} more below" in stage.text()
        for _ in range(many):
            await stage.press("down")
        await stage.pilot.pause()
        assert rows.in_view().stop == many
        assert f"{rows.in_view().start} more above" in stage.text()
        assert "more below" not in stage.text()
        await stage.type("session id")
        await stage.pilot.pause()
        assert " more " not in stage.text()


async def test_the_list_offers_what_a_session_has(library: Library, copied: list[str]) -> None:
    async with staged(library) as stage:
        screen = await menu(stage)
        assert {offer.heading for offer in screen.offer("")} <= {
            "This place",
            "Commands for Hermes",
            "Outside, and back again",
        }
        assert [offer.label for offer in alike(screen.offer(""), "SESSION id")] == ["session id"]
        await stage.type("session id")
        await stage.press("enter")
        assert copied == ["newest"]


# Programs outside.


def script(folder: Path, name: str, body: str) -> Path:
    path = folder / name
    path.write_text(f"#!/bin/sh\n{body}\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path


def test_the_pager_is_given_a_private_file_that_is_gone_afterwards(tmp_path: Path) -> None:
    seen, where = tmp_path / "seen", tmp_path / "where"
    pager = script(
        tmp_path, "my pager", f'cat "$2" > "{seen}"; ls -ld "$(dirname "$2")" > "{where}"; echo "$2" >> "{where}"'
    )
    environ = {**os.environ, "PAGER": f"'{pager}' -x"}
    assert outside.page(["one\n", "zwei \udc80\n"], name="message.md", environ=environ) == ""
    assert seen.read_text() == "one\nzwei ?\n"
    mode, path = where.read_text().split("\n")[:2]
    assert mode.startswith("drwx------")
    assert not Path(path).exists()
    assert path.endswith("message.md")


def test_an_editor_that_fails_or_is_not_there_is_told(tmp_path: Path) -> None:
    failing = script(tmp_path, "ed", "exit 3")
    assert "exit code 3" in outside.edit(["x"], name="m.md", environ={"EDITOR": str(failing)})
    missing = outside.edit(["x"], name="m.md", environ={"EDITOR": str(tmp_path / "none")})
    assert "cannot be run" in missing
    assert outside.edit(["x"], name="m.md", environ={"PATH": str(tmp_path / "nothing")}) == (
        "There is no editor: set EDITOR to one."
    )


def test_an_editor_that_takes_lines_gets_one(tmp_path: Path) -> None:
    seen = tmp_path / "seen"
    for name, words in (("vim", "+12 /a b.py"), ("code", "/a b.py")):
        editor = script(tmp_path, name, f'echo "$@" > "{seen}"')
        assert outside.edit_file(Path("/a b.py"), line=12, environ={"EDITOR": shlex.quote(str(editor))}) == ""
        assert seen.read_text().strip() == words


def test_plain_text_has_its_own_line_ends_and_nothing_a_terminal_obeys(monkeypatch: pytest.MonkeyPatch) -> None:
    out = io.StringIO()
    monkeypatch.setattr(sys, "__stdout__", out)
    monkeypatch.setattr(sys, "__stdin__", io.StringIO("\n"))
    line = "a long line " * 40
    assert outside.plain(f"{line}\n\x1b[2J\x1b]0;own\x07end") == ""
    assert f"\n{line}\nend\n" in out.getvalue()
    assert "\x1b" not in out.getvalue()
    assert "Enter goes back" in out.getvalue()
