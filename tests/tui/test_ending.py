"""How the browser ends when something in it goes wrong: in a terminal, with one sentence."""

from __future__ import annotations

import os
import select
import subprocess
import sys
from pathlib import Path

import pytest

BROKEN = """
import sys
from hermes_tui.tui.browser import Browser
async def opened(self, library, listing):
    raise RuntimeError("the wheel came off")
Browser.opened = opened
from hermes_tui.cli import main
sys.exit(main(["--db", sys.argv[1]]))
"""


@pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo terminal")
def test_an_error_inside_ends_with_one_sentence_and_no_traceback(house_store: Path) -> None:
    leader, follower = os.openpty()
    environment = {key: value for key, value in os.environ.items() if key != "HERMES_TUI_DEBUG"} | {"TERM": "xterm"}
    with subprocess.Popen(
        [sys.executable, "-c", BROKEN, str(house_store)],
        stdin=follower, stdout=follower, stderr=follower, env=environment,
    ) as process:  # fmt: skip
        os.close(follower)
        said = b""
        while select.select([leader], [], [], 60)[0]:
            try:
                part = os.read(leader, 65536)
            except OSError:
                break
            if not part:
                break
            said += part
        code = process.wait(60)
    os.close(leader)
    text = said.decode(errors="replace")
    assert code == 1, text
    assert "something went wrong, RuntimeError: the wheel came off" in text
    assert "Traceback" not in text
    assert text.index("\x1b[?1049l") < text.index("something went wrong")
