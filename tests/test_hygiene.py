"""Rules of the house that no linter knows: what a headless room drags in, how long code gets, what has a docstring."""

from __future__ import annotations

import ast
import importlib.util
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
SOURCE = ROOT / "hermes_tui"
MODULES = sorted(SOURCE.rglob("*.py"))
LONGEST_MODULE = 400  # lines
LONGEST_FUNCTION = 60  # lines; 40 is the aim
NO_ROOMS = {"utils", "helpers", "common", "types", "constants", "base", "misc"}
WORDS_FOR_LATER = re.compile(r"\b(TODO|FIXME|XXX)\b|pragma: no cover")


def module_name(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


HEADLESS = [name for path in MODULES if not (name := module_name(path)).startswith("hermes_tui.tui")]


def imported_by(*statements: str) -> set[str]:
    """The modules a new interpreter has loaded after these statements."""
    script = "; ".join([*statements, "import sys", "print('\\n'.join(sys.modules))"])
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, cwd=ROOT, timeout=60, check=True
    )
    return set(done.stdout.split())


def test_no_headless_module_drags_in_textual() -> None:
    """One interpreter for all of them; if it has Textual, one for each to say which it is."""
    if any(name.split(".")[0] == "textual" for name in imported_by(*(f"import {name}" for name in HEADLESS))):
        guilty = [name for name in HEADLESS if "textual" in imported_by(f"import {name}")]
        pytest.fail(f"{', '.join(guilty)} import Textual")


ANSWERS = "from hermes_tui.cli import main; code = main(['--db', {store!r}, {words}]); assert code == 0, code"


@pytest.mark.parametrize("words", ["'sessions'", "'search', 'a'", "'show', '#1'", "'doctor'"])
def test_no_verb_pays_for_the_screen_nor_json_for_rich(words: str, sample_home: Path) -> None:
    store = str(sample_home / "state.db")
    for extra, unwanted in (("", {"textual"}), (", '--json'", {"textual", "rich", "hermes_tui.render"})):
        loaded = imported_by(ANSWERS.format(store=store, words=words + extra))
        assert not loaded & {*unwanted, "hermes_tui.tui", "hermes_tui.recorder", "hermes_tui.sample"}


def test_the_version_is_known_without_importing_anything() -> None:
    loaded = imported_by("import hermes_tui")
    assert [name for name in loaded if name.startswith("hermes_tui")] == ["hermes_tui"]


@pytest.mark.parametrize("path", MODULES, ids=module_name)
def test_a_module_can_be_read_in_one_sitting(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert len(text.splitlines()) <= LONGEST_MODULE
    assert not WORDS_FOR_LATER.search(text)
    assert not NO_ROOMS & {part.removesuffix(".py") for part in path.relative_to(SOURCE).parts}
    tree = ast.parse(text)
    if any(isinstance(node, ast.Import | ast.ImportFrom | ast.FunctionDef | ast.ClassDef) for node in tree.body):
        assert "from __future__ import annotations" in text
    long = [
        f"{node.name}: {length}"
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and (length := (node.end_lineno or 0) - node.lineno + 1) > LONGEST_FUNCTION
    ]
    assert not long


def undocumented(node: ast.Module | ast.ClassDef, name: str) -> Iterator[str]:
    """The public things in `node` that have no docstring, itself included."""
    if ast.get_docstring(node) is None:
        yield name
    for child in node.body:
        if isinstance(child, ast.ClassDef) and not child.name.startswith("_"):
            yield from undocumented(child, f"{name}.{child.name}")
        elif isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef) and not child.name.startswith("_"):
            overload = any(isinstance(mark, ast.Name) and mark.id == "overload" for mark in child.decorator_list)
            if ast.get_docstring(child) is None and not overload:
                yield f"{name}.{child.name}"


@pytest.mark.parametrize("path", MODULES, ids=module_name)
def test_everything_public_says_what_it_is(path: Path) -> None:
    assert list(undocumented(ast.parse(path.read_text(encoding="utf-8")), module_name(path))) == []


@pytest.mark.parametrize("path", sorted((ROOT / "tests").rglob("*.py")), ids=lambda path: path.name)
def test_tests_neither_sleep_nor_read_a_clock_to_judge(path: Path) -> None:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    sleeps = [call for call in calls if ast.unparse(call.func) in {"time.sleep", "sleep", "asyncio.sleep"}]
    # `await asyncio.sleep(0)` lets the others have a turn: it waits for no time to pass.
    assert [ast.unparse(call) for call in sleeps if ast.unparse(call) != "asyncio.sleep(0)"] == []


def test_import_contracts_are_kept() -> None:
    """The contracts of pyproject.toml: rooms, the two sides, Textual and sqlite3 each in their own room."""
    command = shutil.which("lint-imports", path=os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]))
    assert command, "import-linter is part of the test extra"
    done = subprocess.run([command, "--no-cache"], cwd=ROOT, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_package_under_test_is_this_checkout() -> None:
    spec = importlib.util.find_spec("hermes_tui")
    assert spec is not None
    assert spec.origin is not None
    assert Path(spec.origin).resolve() == SOURCE / "__init__.py"
