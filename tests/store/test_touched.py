"""Who touched a path: exactly what brute force over decoded arguments finds, on every layout and in every state."""

from __future__ import annotations

import json
import random
import sqlite3
import unicodedata
from collections.abc import Callable, Iterator
from contextlib import closing
from functools import cache
from pathlib import Path, PurePosixPath
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hermes_tui.model import Deed, Touch, Touches
from hermes_tui.recorder import Layout, Recorder
from hermes_tui.store.connection import connect, look
from hermes_tui.store.schema import detect
from hermes_tui.store.survey import Survey
from hermes_tui.store.touched import touched
from hermes_tui.store.touches import touches  # what a call touches has tests of its own
from tests.store.handmade import DAY, SHAPES, Store
from tests.store.plans import plans, scans
from tests.stores import STATES, put_in_state

# fmt: off
FOLDERS = ("/srv/app", "/home/李雷/项目", "~/work", "C:\\Users\\Bob\\proj", None, "/srv/app/src")
PATHS = (
    "app.py", "src/app.py", "/srv/app/src/app.py", "./src/../src/app.py", "../README.md", "文档/说明.md",
    "/home/李雷/项目/a.py",
    "Ünïcode/straße.txt", "cafe\u0301.md", "C:\\Users\\Bob\\proj\\x.txt", "x.txt", "~/work/notes.md", "my file.txt",
    "a-b_c.d/e.f",
    "happ.py", "app.pyc", "src", ".", "data/北京.csv", "\\\\host\\share\\q.doc",
)
TYPED = (
    "app.py", "src/app.py", "/srv/app", "/srv/app/src/app.py", "src", "src/", "srv", "README.md", "说明.md", "文档",
    "李雷/项目",
    "项目", "straße.txt", "STRASSE.TXT", "café.md", "proj\\x.txt", "C:\\Users\\bob", "~/work", "notes.md",
    "my file.txt",
    "file.txt",
    "e.f", "a-b_c.d", "北京.csv", "北京", "q.doc", "x.txt", "APP.PY", "./src", "nowhere.zip", "app",
)
# fmt: on


def write_calls(path: Path, layout: Layout) -> None:
    """Calls as agents write them: paths in arguments, in commands and in patches, escaped and not, once and twice."""
    chance = random.Random(11)
    clock = iter(range(1_780_000_000, 1_790_000_000, 11))
    with Recorder(path, layout=layout, clock=lambda: float(next(clock))) as recorder:
        homes = [recorder.create_session("cli", cwd=folder) for folder in FOLDERS]
        homes += [recorder.create_session("cron", cwd="/srv/app"), recorder.delegate(homes[0])]
        for number in range(240):
            name, arguments = _call(chance)
            text = json.dumps(arguments, ensure_ascii=chance.random() < 0.6)
            call = {"id": f"call_{number}", "type": "function", "function": {"name": name, "arguments": text}}
            calls: Any = [call] if number % 3 else [call, {**call, "id": f"other_{number}"}]
            said = chance.choice([None, "looking at app.py now"])
            recorder.append(chance.choice(homes), "assistant", said, tool_calls=calls)
            recorder.append(chance.choice(homes), "tool", json.dumps({"path": "src/app.py"}), tool_name=name)
        recorder.compact(homes[0], "what was done to app.py", keep_last=4)
        recorder.branch(homes[1])
    with closing(sqlite3.connect(path)) as connection, connection:
        raw = "UPDATE messages SET tool_calls = ? WHERE id = ?"
        for number, (key, calls) in enumerate(
            connection.execute("SELECT id, tool_calls FROM messages WHERE tool_calls IS NOT NULL").fetchall()
        ):
            if number % 5 == 0:
                connection.execute(raw, (json.dumps(json.loads(calls), ensure_ascii=False), key))
            elif number % 17 == 0:
                connection.execute(raw, (json.dumps(calls), key))
            elif number % 41 == 0:
                connection.execute(raw, (calls[: len(calls) // 2], key))
        connection.execute("UPDATE messages SET timestamp = 'never' WHERE id % 29 = 0")


def _call(chance: random.Random) -> tuple[str, dict[str, Any]]:
    path, other = chance.choice(PATHS), chance.choice(PATHS)
    match chance.randrange(6):
        case 0:
            return "read_file", {"path": path}
        case 1:
            return "write_file", {"content": f"of {other}", "path": path}
        case 2:
            return "terminal", {
                "command": f"cat '{path}' \"{other}\"\ncp {other} /tmp/",
                "workdir": chance.choice(["", "src"]),
            }
        case 3:
            return "patch", {"mode": "patch", "patch": f"*** Begin Patch\n*** Update File: {path}\n+{other}\n"}
        case 4:
            return "search_files", {"pattern": other, "path": path}
        case _:
            return "read_many", {"paths": [path, other]}


@cache
def by_hand(path: Path) -> list[tuple[int, str, str, Deed, str]]:
    """Every touch by code of its own: message, session, path, deed, and the whole path with `/` between names."""
    with closing(sqlite3.connect(path)) as connection:
        folders = dict(connection.execute("SELECT id, cwd FROM sessions").fetchall())
        stored = connection.execute("SELECT id, session_id, timestamp, tool_calls FROM messages ORDER BY id").fetchall()
    found, seen = [], set()
    for key, session, time, cell in stored:
        try:
            calls = json.loads(cell or "[]")
            calls = json.loads(calls) if isinstance(calls, str) else calls
        except ValueError:
            continue
        for call in calls:
            inner = call["function"]
            for name, deed, within in touches(inner["name"], inner["arguments"]):
                same = (time, call["id"], name, deed) if isinstance(time, float) else (key, call["id"], name, deed)
                if same not in seen:
                    seen.add(same)
                    found.append((key, session, name, deed, _whole(name, within, folders.get(session))))
    return found


def _whole(path: str, *folders: str | None) -> str:
    whole = path.replace("\\", "/")
    for folder in folders:
        if folder and not (whole.startswith(("/", "~")) or whole[1:2] == ":"):
            whole = f"{folder}/{whole}".replace("\\", "/")
    names: list[str] = []
    for name in PurePosixPath(whole).parts:
        names = names[:-1] if name == ".." and names and names[-1] != ".." else [*names, name]
    return "/".join(names).replace("//", "/")


def _same(text: str) -> str:
    return unicodedata.normalize("NFC", text).replace("ß", "ss").lower()


def expected(path: Path, typed: str) -> list[tuple[int, str, Deed]]:
    return _expected(path, typed, "/") or _expected(path, typed, "")


def _expected(path: Path, typed: str, edge: str) -> list[tuple[int, str, Deed]]:
    """Calls that name it between two edges of names, or, with no `edge`, anywhere."""
    wanted = _same(typed.replace("\\", "/").rstrip("/"))
    wanted = wanted.removeprefix("./")
    touched_here = []
    for key, _, name, deed, whole in by_hand(path):
        hay = f"/{_same(whole).strip('/')}/"
        if f"{edge}{wanted.strip('/')}{edge}" in hay and (not wanted.startswith("/") or hay.startswith(f"{wanted}/")):
            touched_here.append((key, name, deed))
    return sorted(touched_here)


def answer(path: Path, typed: str, **how: Any) -> Touches:
    with connect(look(path)) as connection:
        return touched(connection, detect(connection), typed, **how)


def told(rows: tuple[Touch, ...]) -> list[tuple[int, str, Deed]]:
    return sorted((row.anchor.message_id or 0, row.path, row.deed) for row in rows)


@pytest.fixture(scope="module", params=Layout, ids=lambda layout: layout.value)
def written(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("touched") / "state.db"
    write_calls(path, request.param)
    return path


@pytest.fixture(scope="module")
def asking(written: Path) -> Iterator[Callable[[str], Touches]]:
    """Questions to one open store."""
    survey = Survey()
    with connect(look(written)) as connection:
        capabilities = detect(connection)
        yield lambda typed: touched(connection, capabilities, typed, limit=10_000, survey=survey)


def test_every_call_that_touched_a_path_is_found(
    written: Path, asking: Callable[[str], Touches], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", "/nobody/here")
    for typed in TYPED:
        found = asking(typed)
        assert told(found.rows) == expected(written, typed), typed
        assert found.total == len(found.rows)
        assert not found.truncated
        assert bool(found.rows) is (typed != "nowhere.zip")
        assert found.partly is (typed == "北京"), "names are compared as a whole where one is named so"


@pytest.mark.parametrize("limit", [1, 7, 30, 31, 1000])
def test_a_limit_keeps_what_was_written_last(tmp_path: Path, limit: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whether a call is found by its own words or by the folder of its session, and whatever a first look brings."""
    monkeypatch.setattr("hermes_tui.store.touched.FIRST", 3)
    monkeypatch.setattr("hermes_tui.store.touched.CHUNK", 2)
    store = Store(tmp_path / "state.db")
    store.session("in", cwd="/srv/porch")
    store.session("out", cwd="/home")
    for number in range(90):
        path = ["a.txt", "/srv/porch/b.txt", "/tmp/porch.txt"][number % 3]
        calls = [{"id": f"c{number}", "name": "read_file", "arguments": {"path": path, "note": "porch"}}]
        store.message("in" if number % 2 else "out", role="assistant", tool_calls=json.dumps(calls))
    connection, capabilities = store.open()
    with connection:
        whole = touched(connection, capabilities, "/srv/porch", limit=10_000)
        cut = touched(connection, capabilities, "/srv/porch", limit=limit)
    expected = [n + 1 for n in range(90) if n % 3 == 1 or (n % 3 == 0 and n % 2)][::-1]
    assert [row.anchor.message_id for row in whole.rows] == expected
    assert cut.rows == whole.rows[:limit]
    assert cut.truncated is (limit < len(expected))


@pytest.mark.parametrize("state", STATES)
def test_whatever_the_indexes_are_worth(tmp_path: Path, written: Path, state: str) -> None:
    path = tmp_path / "state.db"
    with closing(sqlite3.connect(written)) as source, closing(sqlite3.connect(path)) as copy:
        source.backup(copy)
    put_in_state(path, state)
    for typed in ("说明.md", "/srv/app/src", "my file.txt"):
        assert told(answer(path, typed, limit=10_000).rows) == expected(path, typed)


@pytest.mark.parametrize("shape", SHAPES)
def test_an_answer_is_cut_and_says_so_the_last_written_first(tmp_path: Path, shape: str) -> None:
    store = Store(tmp_path / "state.db", **SHAPES[shape])
    store.session("S", title="Porch", cwd="/srv/porch")
    store.session("T")
    read = [{"id": "c1", "function": {"name": "read_file", "arguments": '{"path": "a.txt"}'}}]
    first = store.message("S", role="assistant", tool_calls=json.dumps(read), timestamp=DAY + 10)
    write = [{"id": "c2", "function": {"name": "write_file", "arguments": '{"path": "/srv/porch/a.txt"}'}}]
    last = store.message("T", role="assistant", tool_calls=json.dumps(write), timestamp=DAY + 20, active=0)
    copy = store.message("T", role="assistant", tool_calls=json.dumps(write), timestamp=DAY + 20)
    odd = store.message("T", role="assistant", tool_calls=json.dumps(read), timestamp="never")
    store.message("T", "a.txt", role="tool", timestamp=DAY + 30)
    connection, capabilities = store.open()
    with connection:
        found = touched(connection, capabilities, "a.txt")
        assert [row.anchor.message_id for row in found.rows] == [odd, last, first], "the copy is no call of its own"
        assert copy not in [row.anchor.message_id for row in found.rows]
        assert [row.deed for row in found.rows] == [Deed.READ, Deed.WROTE, Deed.READ]
        _, newest, porch = found.rows
        assert (newest.session and newest.session.id, newest.anchor.session_id) == ("T", "T")
        assert porch.session is not None
        assert porch.session.title == "Porch"
        assert porch.full == ("a.txt" if shape == "oldest" else "/srv/porch/a.txt")
        assert (porch.path, porch.tool, porch.timestamp) == ("a.txt", "read_file", DAY + 10)
        cut = touched(connection, capabilities, "a.txt", limit=1)
        assert (cut.rows, cut.truncated) == (found.rows[:1], True)
        whole = touched(connection, capabilities, "/srv/porch/a.txt")
        assert whole.total == (1 if shape == "oldest" else 2), (
            "without the session's folder nobody knows where a.txt is"
        )
        for nothing in ("", " ", ".", "/", ".."):
            assert touched(connection, capabilities, nothing).total == 0


def test_home_is_that_of_whoever_asks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/home/ada")
    store = Store(tmp_path / "state.db")
    store.session("S")
    for path in ("~/notes.md", "/home/ada/notes.md", "/home/bob/notes.md"):
        calls = [{"name": "read_file", "arguments": {"path": path}}]
        store.message("S", role="assistant", tool_calls=json.dumps(calls))
    connection, capabilities = store.open()
    with connection:
        for typed in ("~/notes.md", "/home/ada/notes.md"):
            paths = [row.path for row in touched(connection, capabilities, typed).rows]
            assert paths == ["/home/ada/notes.md", "~/notes.md"]
        assert touched(connection, capabilities, "notes.md").total == 3


@pytest.mark.parametrize("layout", Layout)
def test_an_index_serves(tmp_path: Path, layout: Layout, monkeypatch: pytest.MonkeyPatch) -> None:
    """A name that the indexes can speak for is asked of them, not of every row."""
    path = tmp_path / "state.db"
    write_calls(path, layout)
    with connect(look(path)) as connection:
        capabilities = detect(connection)
        steps = plans(connection, lambda: touched(connection, capabilities, "/srv/app/README.md"), monkeypatch)
    assert any("VIRTUAL TABLE INDEX" in step for step in steps)
    assert scans(steps, "messages", "m") == []


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.sampled_from(PATHS), st.sampled_from(FOLDERS), st.data())
def test_any_names_in_a_row_out_of_a_path(
    written: Path, asking: Callable[[str], Touches], path: str, folder: str | None, data: st.DataObject
) -> None:
    names = [name for name in _whole(path, folder).split("/") if name]
    if not names or ".." in names:
        return
    first = data.draw(st.integers(0, len(names) - 1))
    last = data.draw(st.integers(first + 1, len(names)))
    typed = "/".join(names[first:last])
    if typed.startswith("~"):
        return
    assert told(asking(typed).rows) == expected(written, typed)
