"""The copy ladder, with clipboard tools that are scripts on PATH: which ran, what it got, what is said of it."""

from __future__ import annotations

import base64
import os
import re
import select
import shutil
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from hermes_tui.tui import clipboard

pytestmark = pytest.mark.skipif(os.name == "nt", reason="the tools of this test are shell scripts")
TEXT = "src/app/main.py:12\n\tsecond line, naïve 北京"


class Machine:
    """A PATH with only the tools a test puts there, and a terminal that records what it is sent."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.sent: list[str] = []
        self.environ = {"PATH": str(folder), "HOME": str(folder)}

    def tool(self, name: str, script: str) -> None:
        path = self.folder / name
        path.write_text(f"#!/bin/sh\nPATH=/usr/bin:/bin\ncd '{self.folder}'\n{script}\n", encoding="utf-8")
        path.chmod(path.stat().st_mode | stat.S_IXUSR)

    def got(self, name: str) -> str:
        return (self.folder / name).read_text(encoding="utf-8")

    def emit(self, sequence: str) -> bool:
        self.sent.append(sequence)
        return True

    async def copy(self, text: str = TEXT, *, timeout: float = 20.0) -> str:
        return await clipboard.copy(text, emit=self.emit, environ=self.environ, timeout=timeout)


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


XCLIP = 'case "$*" in *-o*) cat board;; *) cat > board; echo noise;; esac; echo noise >&2'


async def test_in_tmux_its_buffer_is_used(machine: Machine) -> None:
    machine.environ["TMUX"] = "/tmp/tmux-0/default,1,0"
    machine.tool("tmux", 'echo "$@" > args; cat > buffer')
    said = await machine.copy()
    assert machine.got("buffer") == TEXT
    assert machine.got("args") == "load-buffer -w -\n"
    assert said.startswith("Copied 41 characters to the tmux buffer")
    assert machine.sent == []


async def test_an_old_tmux_gets_its_buffer_and_no_more_is_claimed(machine: Machine) -> None:
    machine.environ["TMUX"] = "x"
    machine.tool("tmux", 'case "$*" in *-w*) exit 1;; *) cat > buffer;; esac')
    assert "as far as this tmux goes" in await machine.copy()
    assert machine.got("buffer") == TEXT


@pytest.mark.skipif(sys.platform != "linux", reason="tools of X11")
@pytest.mark.parametrize("name", ["xclip", "xsel"])
async def test_a_native_tool_that_can_be_read_back_is_named(machine: Machine, name: str) -> None:
    machine.environ["DISPLAY"] = ":9"
    machine.tool(name, XCLIP)
    assert await machine.copy("plain") == f"Copied 5 characters with {name}."
    assert machine.got("board") == "plain"
    assert machine.sent == []


@pytest.mark.skipif(sys.platform != "linux", reason="tools of Wayland")
async def test_wayland(machine: Machine) -> None:
    machine.environ["WAYLAND_DISPLAY"] = "wayland-9"
    machine.tool("wl-copy", "cat > board")
    machine.tool("wl-paste", "cat board")
    assert await machine.copy() == "Copied 41 characters with wl-copy."
    assert machine.got("board") == TEXT


@pytest.mark.skipif(sys.platform != "linux", reason="tools of X11")
async def test_a_tool_that_prints_keeps_off_the_screen(machine: Machine, capfd: pytest.CaptureFixture[str]) -> None:
    machine.environ["DISPLAY"] = ":9"
    machine.tool("xclip", XCLIP)
    await machine.copy("plain")
    assert capfd.readouterr() == ("", "")


@pytest.mark.skipif(sys.platform != "linux", reason="tools of X11")
@pytest.mark.parametrize(
    "script", ["exit 1", "cat > /dev/null", 'case "$*" in *-o*) echo other;; esac'], ids=["fails", "drops", "other"]
)
async def test_a_tool_that_cannot_be_read_back_is_not_believed(machine: Machine, script: str) -> None:
    machine.environ["DISPLAY"] = ":9"
    machine.tool("xclip", script)
    said = await machine.copy()
    assert "Copied" not in said
    assert said.startswith("Sent to the terminal: 41 characters.")
    assert len(machine.sent) == 1


def has_ended(pid: int) -> bool:
    """Whether a process is gone, or goes within half a minute: a kill takes a moment to arrive."""
    try:
        process = os.pidfd_open(pid)
    except ProcessLookupError:
        return True
    try:
        return bool(select.select([process], [], [], 30)[0])
    finally:
        os.close(process)


@pytest.mark.skipif(sys.platform != "linux", reason="tools of X11")
async def test_a_tool_that_hangs_is_stopped(machine: Machine) -> None:
    machine.environ["DISPLAY"] = ":9"
    machine.tool("xclip", "echo $$ > pid; exec sleep 600")
    # Long enough for the script to have begun, so that there is something to stop.
    said = await machine.copy(timeout=3.0)
    assert said.startswith("Sent to the terminal")
    assert has_ended(int(machine.got("pid")))


async def test_over_ssh_the_terminal_is_asked_and_nothing_is_claimed(machine: Machine) -> None:
    machine.environ |= {"SSH_TTY": "/dev/pts/3", "DISPLAY": ":9"}
    machine.tool("xclip", XCLIP)
    said = await machine.copy()
    assert not (machine.folder / "board").exists()
    assert said.startswith("Sent to the terminal")
    [sequence] = machine.sent
    coded = re.fullmatch("\x1b]52;c;([A-Za-z0-9+/=]+)\x07", sequence)
    assert coded is not None
    assert base64.b64decode(coded[1]).decode() == TEXT


async def test_tmux_without_its_tool_gets_a_wrapped_sequence(machine: Machine) -> None:
    machine.environ |= {"TMUX": "x", "SSH_TTY": "/dev/pts/3"}
    said = await machine.copy()
    assert said.startswith("Sent to the terminal")
    assert machine.sent[0].startswith("\x1bPtmux;\x1b\x1b]52;c;")
    assert machine.sent[0].endswith("\x1b\\")


@pytest.mark.skipif(sys.platform != "linux", reason="tools of X11")
async def test_a_tmux_that_fails_leaves_the_clipboard_of_the_machine(machine: Machine) -> None:
    machine.environ |= {"TMUX": "gone", "DISPLAY": ":9"}
    machine.tool("tmux", "echo no server running; exit 1")
    machine.tool("xclip", XCLIP)
    assert await machine.copy("plain") == "Copied 5 characters with xclip."
    assert machine.got("board") == "plain"


@pytest.mark.skipif(sys.platform != "linux", reason="how the Linux side of Windows is told")
@pytest.mark.parametrize("back", ["base64 -w0 board8", "echo failed >&2", "printf bmVpbg=="])
async def test_windows_around_linux(machine: Machine, back: str) -> None:
    """`clip.exe` takes it, and is believed when PowerShell reads the same back, with the line ends of Windows."""
    (machine.folder / "sitecustomize.py").write_text(
        "import builtins, io\n"
        "real = builtins.open\n"
        "def fake(name, *rest, **more):\n"
        "    told = io.StringIO('Linux version 5.15.1-microsoft-standard-WSL2')\n"
        "    return told if name == '/proc/version' else real(name, *rest, **more)\n"
        "builtins.open = fake\n",
        encoding="utf-8",
    )
    machine.environ["PYTHONPATH"] = str(machine.folder)
    machine.tool("clip.exe", r"""iconv -f UTF-16LE -t UTF-8 | sed 's/$/\r/' | head -c -1 > board8""")
    machine.tool("powershell.exe", back)
    said = await machine.copy()
    assert machine.got("board8").replace("\r", "") == TEXT
    if "board8" in back:
        assert (said, machine.sent) == ("Copied 41 characters with clip.exe.", [])
    else:
        assert said.startswith("Sent to the terminal")


async def test_a_machine_without_any_screen_asks_the_terminal(machine: Machine) -> None:
    machine.tool("xclip", XCLIP)
    if sys.platform == "linux":
        assert (await machine.copy()).startswith("Sent to the terminal")
        assert not (machine.folder / "board").exists()


@pytest.mark.skipif(not (shutil.which("Xvfb") and shutil.which("xclip")), reason="needs Xvfb and xclip")
async def test_a_real_display_holds_what_was_copied_byte_for_byte(machine: Machine) -> None:
    read, write = os.pipe()
    server = subprocess.Popen(
        ["Xvfb", "-displayfd", str(write), "-nolisten", "tcp"],
        pass_fds=(write,),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    os.close(write)
    try:
        with os.fdopen(read) as told:
            display = f":{told.readline().strip()}"
        machine.environ |= {"DISPLAY": display, "PATH": os.environ["PATH"]}
        for text in (TEXT, "nul\x00inside\r\n", "x" * 300_000):
            assert (await machine.copy(text)).endswith("with xclip.")
            command = ["xclip", "-selection", "clipboard", "-o"]
            board = subprocess.run(command, env=machine.environ, capture_output=True, timeout=60, check=True).stdout
            assert board.decode() == text
    finally:
        server.terminate()
        server.wait()


async def test_screen_gets_it_in_pieces_it_takes(machine: Machine) -> None:
    machine.environ |= {"STY": "1.pts", "SSH_TTY": "x"}
    await machine.copy("x" * 5000)
    parts = machine.sent[0].split("\x1b\\")[:-1]
    assert all(part.startswith("\x1bP") and len(part) < 768 for part in parts)
    inner = "".join(part.removeprefix("\x1bP") for part in parts)
    assert base64.b64decode(inner.removeprefix("\x1b]52;c;").removesuffix("\x07")).decode() == "x" * 5000


async def test_what_is_too_large_for_the_terminal_goes_to_a_private_file(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    machine.environ["SSH_TTY"] = "x"
    monkeypatch.setattr("tempfile.tempdir", str(machine.folder))
    text = "long " * 50_000
    said = await machine.copy(text)
    path = Path(next(word for word in re.split(r"[ ,]", said) if word.startswith(str(machine.folder))))
    assert path.read_text(encoding="utf-8") == text
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert machine.sent == []
    assert "opied" not in said


async def test_no_terminal_and_no_room_for_a_file_is_said(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    machine.environ["SSH_TTY"] = "x"
    monkeypatch.setattr("tempfile.tempdir", str(machine.folder / "missing"))
    said = await clipboard.copy("x", emit=lambda sequence: False, environ=machine.environ)
    assert said.startswith("Not copied:")


@pytest.mark.parametrize("text", ["a\ud800b", "\udfff", "nul\x00inside"])
async def test_halves_of_characters_and_nul_never_fail(machine: Machine, text: str) -> None:
    machine.environ["SSH_TTY"] = "x"
    await machine.copy(text)
    [sequence] = machine.sent
    sent = base64.b64decode(sequence.removeprefix("\x1b]52;c;").removesuffix("\x07")).decode("utf-8")
    assert sent == re.sub("[\ud800-\udfff]", "\ufffd", text)


async def test_nothing_is_not_copied(machine: Machine) -> None:
    assert await machine.copy("") == "There is nothing to copy."
    assert machine.sent == []
