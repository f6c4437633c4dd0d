"""What an installed hermes-tui must do on a machine where there is nothing else: `python3 smoke.py EMPTY_FOLDER`.

Runs the installed command, never an import, over the sample store it writes itself. Standard library only.
"""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path
from typing import Any

PROGRAM = str(Path(sys.executable).with_name("hermes-tui"))
NEEDLE = "pyinstaller --onefile"


def run(*arguments: str, code: int = 0) -> subprocess.CompletedProcess[str]:
    """The command, run to its end with no terminal; it must end with `code`."""
    print("$ hermes-tui", *arguments, flush=True)
    done = subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=120)
    assert done.returncode == code, f"exit code {done.returncode}, not {code}\n{done.stdout}\n{done.stderr}"
    assert "Traceback" not in done.stderr, done.stderr
    return done


def ask(*arguments: str) -> dict[str, Any]:
    """What a verb answers as JSON."""
    answer: dict[str, Any] = json.loads(run(*arguments, "--json").stdout)
    assert answer["format"] == 1, answer
    return answer


def state(folder: Path) -> dict[str, str]:
    """Every file of a folder and what is in it."""
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in folder.iterdir()}


def main() -> None:
    """Each promise in turn; the first one that is broken ends it."""
    folder = Path(sys.argv[1])
    folder.mkdir()
    store = folder / "state.db"

    assert run("--version").stdout.strip() == f"hermes-tui {version('hermes-tui')}"
    nothing = run("--db", str(store), "sessions", code=3)
    assert str(store) in nothing.stderr, "the sentence names the path that was looked at"
    assert nothing.stdout == ""
    assert not store.exists(), "looking for a store must not make one"

    run("demo", "--keep", str(store))
    before = state(folder)
    where = ("--db", str(store))

    listed = ask(*where, "sessions")
    assert len(listed["sessions"]) > 20, len(listed["sessions"])
    found = ask(*where, "search", NEEDLE)
    assert found["hits"], found
    assert found["coverage"]["searched"] == found["coverage"]["messages"] > 1000, found["coverage"]
    anchor = found["hits"][0]["anchor"]
    shown = ask(*where, "show", anchor)
    assert [f"{each['session_id']}#{each['id']}" for each in shown["messages"] if each["is_anchor"]] == [anchor]
    checked = ask(*where, "doctor")
    assert [each["untouched"] for each in checked["stores"]] == [True]
    for verb in (["sessions"], ["search", NEEDLE], ["show", anchor], ["doctor"]):
        assert run(*where, *verb).stdout.strip(), verb

    assert state(folder) == before, "the store or its folder is not what it was"
    print("all of it as promised")


if __name__ == "__main__":
    main()
