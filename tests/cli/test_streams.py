"""What reaches a terminal, a pipe and a narrow locale: tables, lines, colours, and no control code of the data."""

from __future__ import annotations

import json
import os
import re
import sqlite3
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from hermes_tui.cli import main
from hermes_tui.cli.output import Output
from tests.cli.conftest import KETTLE, Run, command, environment

COLOR = re.compile(rb"\x1b\[[0-9;]*m")
VERBS = [["sessions"], ["search", "kettle"], ["show", KETTLE], ["doctor"]]
HOSTILE_ID = "odd\x1b[2Jid"
HOSTILE = "A\x1b[2J\x1b]0;own\x07B\x9b31mC\rD\x08\x7fE\x85F\u202eG\u2028H"


def pipe(capsys: pytest.CaptureFixture[str], store: Path, *words: str) -> list[str]:
    """The lines a pipe gets."""
    assert main(["--db", str(store), *words]) == 0
    return capsys.readouterr().out.splitlines()


def test_sessions_are_lines_of_six_fields(store: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = [line.split("\t") for line in pipe(capsys, store, "sessions")]
    assert {len(row) for row in rows} == {6}
    (kettle,) = [row for row in rows if row[0] == KETTLE]
    assert kettle[2:] == ["cli", "4", "complete", "Copper kettle"]
    assert kettle[1].startswith("2026-09-21T")


def test_hits_are_lines_of_six_fields(store: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = [line.split("\t") for line in pipe(capsys, store, "search", "copper", "--sort", "oldest")]
    assert {len(row) for row in rows} == {6}
    assert [row[0] for row in rows] == [KETTLE, f"{KETTLE}#1", f"{KETTLE}#3", f"{KETTLE}#4"]
    assert rows[0][2] == "session"
    assert rows[2][2:] == ["tool", "live", "Copper kettle", "kettle = 'copper'"]


def test_explain_tells_the_plan_first(store: Path, capsys: pytest.CaptureFixture[str]) -> None:
    plain = pipe(capsys, store, "search", "copper")
    lines = pipe(capsys, store, "search", "copper", "--explain")
    plan = [line.split("\t") for line in lines if line.startswith("plan\t")]
    assert plan
    assert all(row[1] in ("word", "trigram", "scan") and row[3] for row in plan)
    assert lines[len(plan) :] == plain


def test_show_gives_a_head_and_the_text_of_each_message(store: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = pipe(capsys, store, "show", f"{KETTLE}#2", "--window", "1")
    heads = [line.split("\t") for line in lines if line.startswith(KETTLE)]
    assert [(head[0], head[2], head[3]) for head in heads] == [
        (f"{KETTLE}#1", "user", "live"),
        (f"{KETTLE}#2", "assistant", "live"),
        (f"{KETTLE}#3", "tool", "live"),
    ]
    assert "Where is the copper kettle config? Look in src/app/main.py" in lines
    assert any(line.startswith("-> read") and "src/app/main.py" in line for line in lines)


def test_what_a_list_or_a_window_leaves_out_is_said(store: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["--db", str(store), "sessions", "--limit", "1"])
    said = capsys.readouterr().err
    assert "1 of 4 conversations" in said
    assert "cron 1" in said
    assert "archived 1" in said
    assert "--all" in said
    main(["--db", str(store), "show", f"{KETTLE}#1", "--window", "1"])
    go_on = f"hermes-tui --db {store} show --window 1 {KETTLE}#2"
    assert f"2 messages after: {go_on}" in capsys.readouterr().err, "a command that can be pasted as it is"
    main(["--db", str(store), "show", "Heron watch"])
    assert "rewound" in capsys.readouterr().err
    main(["--db", str(store), "search", "walrus"])
    assert "1 more rewound" in capsys.readouterr().err


def test_rewound_messages_are_there_on_demand(store: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert pipe(capsys, store, "search", "walrus") == []
    (hit,) = pipe(capsys, store, "search", "walrus", "--all")
    assert "\trewound\t" in hit
    assert not any("walrus" in line for line in pipe(capsys, store, "show", "Heron watch"))
    assert any("walrus" in line for line in pipe(capsys, store, "show", "Heron watch", "--all"))
    anchor = hit.split("\t")[0]
    assert any("walrus" in line for line in pipe(capsys, store, "show", anchor)), "asked for by name it is shown"


def test_markdown_is_markdown_everywhere(store: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = "\n".join(pipe(capsys, store, "show", KETTLE, "--markdown"))
    assert text.startswith("# Copper kettle\n")
    assert re.findall(r"^## (\w+) .*`(.*)`$", text, re.MULTILINE) == [
        ("You", f"{KETTLE}#1"),
        ("Assistant", f"{KETTLE}#2"),
        ("Tool", f"{KETTLE}#3"),
        ("Assistant", f"{KETTLE}#4"),
    ]
    assert "```\nkettle = 'copper'\n```" in text


def test_no_text_closes_the_fence_it_stands_in(store: Path, capsys: pytest.CaptureFixture[str]) -> None:
    change(store, "UPDATE messages SET content = ? WHERE id = 3", "before\n```\n````\nafter")
    text = "\n".join(pipe(capsys, store, "show", f"{KETTLE}#3", "--window", "1", "--markdown"))
    assert "`````\nbefore\n```\n````\nafter\n`````" in text


def change(store: Path, sql: str, *parameters: object) -> None:
    """Change the store as nobody should, to see what is made of it."""
    connection = sqlite3.connect(store)
    connection.execute(sql, parameters)
    connection.commit()
    connection.close()


@pytest.fixture
def hostile(store: Path) -> Path:
    """The small store with control codes, markup, bad bytes and a NUL wherever text can be."""
    change(store, "INSERT INTO sessions (id, source, title, model, cwd, started_at) VALUES (?, ?, ?, ?, ?, 1790400000)",
           HOSTILE_ID, f"cli{HOSTILE}", f"[bold]{HOSTILE}[/x]\tline1\nline2", HOSTILE, HOSTILE)  # fmt: skip
    columns = "session_id, role, content, tool_name, tool_calls, timestamp"
    add = f"INSERT INTO messages ({columns}) VALUES (?, ?, {{}}, ?, ?, 1790400001)"
    calls = json.dumps([{"id": HOSTILE, "function": {"name": HOSTILE, "arguments": json.dumps({"x": HOSTILE})}}])
    change(store, add.format("?"), HOSTILE_ID, "assistant", f"needle {HOSTILE} [@click=app.quit]press[/]", None, calls)
    change(store, add.format("?"), HOSTILE_ID, "tool", f"needle\x00behind {HOSTILE}", HOSTILE, None)
    bad = "CAST(x'6e6565646c6520eda08020ff20c3' AS TEXT)"  # "needle ", a lone surrogate, a wild byte, half a letter
    change(store, add.format(bad), HOSTILE_ID, "user", None, None)
    return store


HOSTILE_VERBS = [
    ["sessions"],
    ["search", "needle"],
    ["search", "needle", "--explain"],
    ["show", HOSTILE_ID],
    ["show", HOSTILE_ID, "--markdown"],
]


def assert_harmless(printed: bytes) -> None:
    """No control code but newlines and tabs, no direction override, and valid UTF-8."""
    text = printed.decode("utf-8")
    assert not [char for char in text if (ord(char) < 32 and char not in "\n\t") or 127 <= ord(char) < 160]
    assert not set(text) & set("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u2028\u2029")


@pytest.mark.parametrize("words", HOSTILE_VERBS)
@pytest.mark.parametrize("form", [[], ["--json"]])
def test_hostile_text_reaches_a_pipe_harmless(words: list[str], form: list[str], hostile: Path, run: Run) -> None:
    if "--markdown" in words and form:
        return  # one form at a time
    done = run("--db", str(hostile), *words, *form)
    assert done.returncode == 0, done.stderr
    assert_harmless(done.stdout)
    assert_harmless(done.stderr)
    assert b"odd" in done.stdout


def test_every_letter_of_hostile_text_is_still_there(hostile: Path, capsys: pytest.CaptureFixture[str]) -> None:
    shown = "\n".join(pipe(capsys, hostile, "show", HOSTILE_ID))
    for letter in "ABCDEFGH":
        assert letter in shown
    assert "[@click=app.quit]press[/]" in shown
    assert "behind" in shown
    (listed,) = [line for line in pipe(capsys, hostile, "sessions") if line.startswith("odd")]
    assert "[bold]" in listed
    assert "[/x] line1 line2" in listed
    assert listed.count("\t") == 5


def test_json_carries_the_text_as_decoded(hostile: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--db", str(hostile), "show", HOSTILE_ID, "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["session"]["id"] == HOSTILE_ID
    texts = [message["text"] for message in answer["messages"]]
    assert texts[0] == f"needle {HOSTILE} [@click=app.quit]press[/]"
    assert texts[1].startswith("needle\x00behind")
    assert re.fullmatch("needle \ufffd+ \ufffd \ufffd", texts[2])
    assert answer["messages"][0]["tool_calls"][0]["name"] == HOSTILE


def test_a_refusal_does_not_carry_control_codes_either(store: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for words in (["show", HOSTILE], ["show", "a", HOSTILE], ["--db", f"/no/{HOSTILE}", "sessions"]):
        assert main(["--db", str(store), *words] if "--db" not in words else words) in (1, 2, 3)
        said = capsys.readouterr().err
        assert_harmless(said.encode("utf-8"))
        assert said.count("\n") == 1


@pytest.mark.parametrize("locale", [{"LC_ALL": "C"}, {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
                                    {"PYTHONIOENCODING": "ascii"}, {"PYTHONIOENCODING": "latin-1:strict"}])  # fmt: skip
@pytest.mark.parametrize("form", [[], ["--json"]])
def test_any_locale_prints_utf8(locale: dict[str, str], form: list[str], store: Path, run: Run) -> None:
    done = run("--db", str(store), "search", "花", *form, env=locale)
    assert done.returncode == 0, done.stderr
    assert "花 first".encode() in done.stdout


def test_text_with_bytes_that_are_no_text_is_legal(store: Path, run: Run) -> None:
    """An argument that is not UTF-8 reaches Python as lone surrogates."""
    done = run("--db", str(store), "search", os.fsdecode(b"kettle \xff\xfe"), "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["hits"] == []


Terminal = Callable[..., bytes]


@pytest.fixture
def terminal(tmp_path: Path) -> Terminal:
    """Run the program on a terminal of its own; what it painted."""
    pty = pytest.importorskip("pty", reason="needs pseudo terminals")

    def run_it(*words: str, columns: int = 100, env: dict[str, str] | None = None) -> bytes:
        owner, child = pty.openpty()
        extra = {"TERM": "xterm-256color", "COLUMNS": str(columns), **(env or {})}
        with subprocess.Popen(
            command(*words), env=environment(tmp_path, extra), stdin=child, stdout=child, stderr=subprocess.PIPE
        ) as process:
            os.close(child)
            painted = b""
            while chunk := _read(owner):
                painted += chunk
            assert process.stderr is not None
            complaints = process.stderr.read()
            assert process.wait(timeout=60) == 0, complaints
        os.close(owner)
        return painted.replace(b"\r\n", b"\n")

    return run_it


def _read(owner: int) -> bytes:
    try:
        return os.read(owner, 65536)
    except OSError:  # how Linux says that the last one has closed the other side
        return b""


@pytest.mark.parametrize("words", VERBS)
def test_a_terminal_gets_colours_and_what_a_pipe_gets_not(
    words: list[str], store: Path, terminal: Terminal, run: Run
) -> None:
    painted = terminal("--db", str(store), *words)
    assert COLOR.search(painted)
    assert not COLOR.search(run("--db", str(store), *words).stdout)
    assert_harmless(COLOR.sub(b"", painted))


@pytest.mark.parametrize(
    ("words", "env"),
    [(["--no-color"], {}), ([], {"NO_COLOR": "1"}), ([], {"TERM": "dumb"})],
)
def test_colours_can_be_refused(words: list[str], env: dict[str, str], store: Path, terminal: Terminal) -> None:
    painted = terminal("--db", str(store), *words, "search", "kettle", env=env)
    assert b"\x1b" not in painted
    assert b"kettle" in painted


def test_an_empty_no_color_means_nothing(store: Path, terminal: Terminal) -> None:
    assert COLOR.search(terminal("--db", str(store), "sessions", env={"NO_COLOR": ""}))


@pytest.mark.parametrize("columns", [20, 40, 80, 200])
@pytest.mark.parametrize("words", [["search", "kettle"], ["show", KETTLE]])
def test_columns_are_honoured(columns: int, words: list[str], store: Path, terminal: Terminal) -> None:
    """No line of prose is longer than the screen; only what must be copied whole (ids, anchors) may be."""
    lines = COLOR.sub(b"", terminal("--db", str(store), *words, columns=columns)).decode().splitlines()
    assert not [line for line in lines if len(line) > columns and KETTLE not in line and "cron_nightly" not in line]


def test_matches_are_marked_where_they_are(store: Path, terminal: Terminal) -> None:
    painted = terminal("--db", str(store), "search", "copper").decode()
    marked = re.findall(r"\x1b\[1;33m(.*?)\x1b\[0m", painted)
    assert marked
    assert {match.casefold() for match in marked} == {"copper"}


@pytest.mark.parametrize("words", HOSTILE_VERBS)
def test_hostile_text_reaches_a_terminal_harmless(words: list[str], hostile: Path, terminal: Terminal) -> None:
    assert_harmless(COLOR.sub(b"", terminal("--db", str(hostile), *words)))


def test_json_on_a_terminal_is_the_same_value(store: Path, terminal: Terminal, run: Run) -> None:
    painted = terminal("--db", str(store), "sessions", "--json")
    assert json.loads(painted) == json.loads(run("--db", str(store), "sessions", "--json").stdout)
    assert b"\x1b" not in painted


def test_width_never_falls_below_what_can_be_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "3")
    assert Output().width == 20
    monkeypatch.setenv("COLUMNS", "nonsense")
    assert Output().width >= 20
