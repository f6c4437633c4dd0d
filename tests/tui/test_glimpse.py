"""The first page before Textual is there: the same picture, and the terminal is nobody else's afterwards."""

from __future__ import annotations

import subprocess
import sys
import textwrap
from pathlib import Path

import pytest
from textual.geometry import Size

from hermes_tui.library import Library
from hermes_tui.recorder import Recorder
from hermes_tui.tui.glimpse import NARROW, picture
from tests.benchmarks.terminal import Terminal
from tests.tui.conftest import NOW, Stage, staged

SIZES = [(80, 24), (120, 36), (200, 50), (300, 60)]
TERMINAL = pytest.mark.skipif(sys.platform != "linux", reason="a terminal as Linux has it")


@pytest.fixture
def crowd(tmp_path: Path) -> Path:
    """Sixty conversations of every sort that a first page may hold."""
    path = tmp_path / "state.db"
    now = [NOW - 90_000.0]
    with Recorder(path, clock=lambda: now[0]) as recorder:
        for number in range(60):
            now[0] += 1000.0
            title = ("A plan", "日本語のとても長い題名がここにあります", "Tab\there", None)[number % 4]
            source = ("cli", "telegram", "cron", "discord")[number % 7 % 4]
            session = recorder.create_session(source, title=title and f"{title} {number}", model="large", cwd="/srv/w")
            recorder.append_many(session, [{"role": "user", "content": f"see to {number}", "timestamp": now[0]}])
            if number % 5 == 0:
                recorder.compact(session, "So far, so good.", keep_last=0)
    return path


def _drawn(stage: Stage, width: int) -> list[list[tuple[str, str, str]]]:
    """Each cell of the left of the screen with its colours."""
    return [
        [
            (char, _hex(segment.style and segment.style.color), _hex(segment.style and segment.style.bgcolor))
            for segment in strip.crop(0, width)
            for char in segment.text
        ]
        for strip in stage.app.screen._compositor.render_strips()
    ]


def _hex(colour: object) -> str:
    found = getattr(colour, "get_truecolor", None)
    return "" if found is None else found().hex


def _alike(one: str, other: str) -> bool:
    """Textual rounds where it reckons with a colour."""
    if not other:
        return True  # a blank without a style of its own
    parts = [[int(colour[at : at + 2], 16) for at in (1, 3, 5)] for colour in (one, other)]
    return all(abs(mine - theirs) <= 1 for mine, theirs in zip(*parts, strict=True))


@pytest.mark.parametrize(("columns", "lines"), SIZES)
async def test_nothing_moves_and_no_colour_changes_when_textual_takes_over(
    crowd: Path, columns: int, lines: int
) -> None:
    with Library.open(crowd) as library:
        ahead = picture(library.opening(), columns=columns, lines=lines, now=NOW)
        async with staged(library, size=(columns, lines)) as stage:
            await stage.settled()
            region = stage.browser.sessions.rows.region
            width = region.right - 1  # the scrollbar is Textual's
            assert region.size != Size(0, 0)
            shown = _drawn(stage, width)
    flat = [[(char, front, back) for text, front, back in row for char in text] for row in ahead]
    assert len(flat) == lines
    for number in range(region.bottom):
        ours, theirs = flat[number], shown[number]
        assert "".join(cell[0] for cell in ours).startswith("".join(cell[0] for cell in theirs)), number
        for mine, real in zip(ours, theirs, strict=False):
            assert mine[0] == real[0]
            assert _alike(mine[2], real[2]), (number, mine, real)
            assert _alike(mine[1], real[1]) or mine[0] == " ", (number, mine, real)
    if columns > NARROW:
        edge = "".join(cell[0] for cell in flat[5])
        assert edge.rstrip().endswith("▕")


def test_textual_is_not_imported_for_it() -> None:
    code = "import sys, hermes_tui.cli.browser, hermes_tui.tui.glimpse; print(*sys.modules)"
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert not {"textual", "rich.console", "pygments", "asyncio", "markdown_it"} & set(told)


@TERMINAL
def test_rows_come_first_keys_wait_and_the_screen_is_entered_once(crowd: Path, tmp_path: Path) -> None:
    home = {"HOME": str(tmp_path), "XDG_STATE_HOME": str(tmp_path), "XDG_DATA_HOME": str(tmp_path)}
    with Terminal([sys.executable, "-m", "hermes_tui", "--db", str(crowd)], environment=home) as terminal:
        terminal.wait("see to 59")
        assert b"\x1b[?1000h" not in terminal.painted  # Textual asks for the mouse before it paints
        terminal.send(b"jj?")
        terminal.wait("Copy menu")
        assert "Reading the store" not in terminal.text
        assert terminal.painted.count(b"\x1b[?1049h") == 1
        assert terminal.painted.count(b"\x1b[2J") == 0
        terminal.until(b"\x1b", "A plan 56")
        terminal.rest(still=0.3)
        terminal.until(b"\r", "see to 56")  # the keys typed first went two rows down
        terminal.send(b"q")
        terminal.wait(lambda _: terminal.ended)
        assert terminal.painted.count(b"\x1b[?1049l") == 1


@TERMINAL
def test_the_terminal_is_given_back_when_the_start_fails(crowd: Path) -> None:
    program = f"""
        import sys, termios
        from pathlib import Path
        from hermes_tui.library import Library
        from hermes_tui.tui.glimpse import Glimpse
        before = termios.tcgetattr(0)
        try:
            with Library.open(Path({str(crowd)!r})) as library, Glimpse() as glimpse:
                glimpse.show(library.opening(), now={NOW})
                assert termios.tcgetattr(0) != before
                raise SystemError
        except SystemError:
            print("same" if termios.tcgetattr(0) == before else "different", flush=True)
    """
    with Terminal([sys.executable, "-c", textwrap.dedent(program)]) as terminal:
        terminal.wait("same", patience=20)
        assert terminal.painted.index(b"\x1b[?1049h") < terminal.painted.index(b"\x1b[?1049l")
