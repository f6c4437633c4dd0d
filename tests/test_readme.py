"""README says what is so: its commands run, its table is the table of keys, its links and pictures are there."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from hermes_tui.cli import grammar
from hermes_tui.library import Library
from hermes_tui.model import State
from hermes_tui.recorder import StorageSettings
from hermes_tui.tui.commands import key_table
from screenshots.take import SCENES

ROOT = Path(__file__).resolve().parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
FENCE = re.compile(r"^```(?P<language>\w*)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)
BLOCKS = [(match["language"], match["text"]) for match in FENCE.finditer(README)]
PROSE = FENCE.sub("", README)
LINKS = re.findall(r"\]\(([^)\s]+)\)", PROSE)
PICTURES = sorted({link for link in LINKS if link.endswith(".svg")})
EXAMPLES = [
    line for language, text in BLOCKS if language == "sh" for line in text.splitlines() if line.startswith("hermes-tui")
]
BROWSER = (None, "demo")  # verbs that open the browser
BEFORE_KEYS, AFTER_KEYS = "<!-- keys: made from hermes_tui/tui/commands.py -->\n", "<!-- end of keys -->"


def arguments_of(example: str) -> list[str]:
    """What stands behind the program's name, without the comment at the end of the line."""
    return shlex.split(example, comments=True)[1:]


def test_the_first_two_blocks_start_the_demo_and_the_tests() -> None:
    assert [text for _, text in BLOCKS[:2]] == [
        "python3 -m pip install . && hermes-tui demo\n",
        "python3 -m pip install -e '.[test]' && python3 -m pytest\n",
    ]


def test_the_key_table_is_made_from_the_commands() -> None:
    table = README.partition(BEFORE_KEYS)[2].partition(AFTER_KEYS)[0]
    assert table == key_table(), "README: put there what `hermes_tui.tui.commands.key_table()` returns"


def test_every_verb_has_an_example() -> None:
    verbs = set(re.findall(r"^hermes-tui (?:\[WHERE\] )?([a-z]+)", grammar.USAGE, re.MULTILINE))
    assert "search" in verbs
    assert {grammar.parse(arguments_of(example)).verb for example in EXAMPLES} >= {None, *verbs} - {"demo"}


@pytest.mark.parametrize("example", EXAMPLES)
def test_an_example_answers(example: str, sample_home: Path) -> None:
    """With the demo store in place of the reader's own, each example finds something."""
    arguments = arguments_of(example)
    if grammar.parse(arguments).verb in BROWSER:
        return  # it is understood; what the browser shows is for other tests
    done = subprocess.run(
        [sys.executable, "-m", "hermes_tui", *arguments],
        cwd=ROOT,
        env={**os.environ, "HERMES_HOME": str(sample_home)},
        capture_output=True,
        encoding="utf-8",
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    if "--json" in arguments:
        answer = json.loads(done.stdout)
        assert answer["format"] == 1
        assert [value for value in answer.values() if isinstance(value, list) and value], "an answer with nothing in it"
    else:
        assert len(done.stdout.splitlines()) > 1, "an answer with nothing in it"


def test_the_recorder_example_writes_a_store_we_can_read(tmp_path: Path) -> None:
    (code,) = [text for language, text in BLOCKS if language == "python"]
    subprocess.run([sys.executable, "-c", code], cwd=tmp_path, env={**os.environ, "PYTHONPATH": str(ROOT)}, check=True)
    with Library.open(tmp_path / "state.db") as library:
        (session,) = library.sessions().rows
        window = library.window(library.resolve("First steps"))
        assert (session.title, session.end_reason) == ("First steps", "cli_close")
        assert [message.role for message in window.messages] == ["user", "assistant", "tool", "assistant"]
        assert {message.state for message in window.messages} == {State.LIVE}
        assert [hit.message.id for hit in library.search("notes.md").hits] == [window.messages[2].id]


def test_the_settings_example_holds_every_setting_with_its_default(tmp_path: Path) -> None:
    (table,) = [text for language, text in BLOCKS if language == "toml"]
    (tmp_path / "settings.toml").write_text(table, encoding="utf-8")
    settings = StorageSettings.load(tmp_path / "settings.toml")
    assert settings == StorageSettings(db_path=settings.db_path)
    assert settings.db_path is not None


def test_every_link_into_the_repository_leads_somewhere() -> None:
    inside = [link.partition("#")[0] for link in LINKS if "://" not in link]
    assert [link for link in inside if not (ROOT / link).exists()] == []


def test_the_pictures_are_those_the_script_takes() -> None:
    """But for the chart, which `python -m tests.benchmarks chart` draws."""
    assert sorted([*(f"screenshots/{scene.name}.svg" for scene in SCENES), "screenshots/speed.svg"]) == PICTURES


@pytest.mark.parametrize("picture", PICTURES)
def test_a_picture_fetches_nothing(picture: str) -> None:
    """GitHub would block it, and a reader of the file should not be told on: nothing but names of its own parts."""
    text = (ROOT / picture).read_text(encoding="utf-8")
    assert set(re.findall(r"https?://[^\s\"'<>)]+", text)) <= {
        "http://www.w3.org/2000/svg",
        "https://www.textualize.io",
    }
    assert "@font-face" not in text
    assert all(target.startswith("#") for target in re.findall(r"url\(([^)]*)\)", text))
