"""Several stores on the command line: `--db` again and again, `--all-profiles`, and anchors that name their store."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hermes_tui.cli import main, tables
from hermes_tui.library import Stores, places_of
from hermes_tui.recorder import Recorder
from tests.cli.conftest import KETTLE, NOON
from tests.cli.test_shapes import GOLDEN, steady

WORK = "20260925_100000_cccccc"


@pytest.fixture
def home(tmp_path: Path, written_store: bytes, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A Hermes home: the small store, that of a profile with a session of the same id, one that is no store, and a
    snapshot of before one session was deleted."""
    home = tmp_path / "hermes"
    for folder in ("profiles/workshop", "profiles/broken", "state-snapshots/before"):
        (home / folder).mkdir(parents=True)
    for store in ("state.db", "state-snapshots/before/state.db"):
        (home / store).write_bytes(written_store)
    (home / "profiles/broken/state.db").write_text("no database")
    times = iter(range(10**6))
    with Recorder(home / "profiles/workshop/state.db", clock=lambda: NOON + 300_000.0 + next(times)) as recorder:
        for session_id, title, words in (
            (WORK, "Kettle at workshop", "kettle again"),
            (KETTLE, "Copy", "copied kettle"),
        ):
            recorder.create_session("cli", session_id=session_id, title=title)
            recorder.append(session_id, "user", words)
    with Recorder(home / "state-snapshots/before/state.db", clock=lambda: NOON + next(times)) as recorder:
        recorder.append(recorder.create_session("cli", session_id="lost", title="Lost"), "user", "lost words")
    monkeypatch.setenv("HERMES_HOME", str(home))
    monkeypatch.setenv("HOME", str(tmp_path))
    return home


Asked = Callable[..., tuple[int, Any, str]]


@pytest.fixture
def asked(home: Path, capsys: pytest.CaptureFixture[str]) -> Asked:
    """Exit code, JSON and stderr of a verb over all profiles."""

    def ask_it(*arguments: str, where: tuple[str, ...] = ("--all-profiles",)) -> tuple[int, Any, str]:
        code = main([*where, *arguments, "--json"])
        printed = capsys.readouterr()
        return code, json.loads(printed.out) if printed.out else None, printed.err

    return ask_it


def test_all_profiles_are_listed_as_the_golden_file_says(asked: Asked, home: Path) -> None:
    code, answer, told = asked("sessions", "--limit", "3")
    assert code == 0
    assert told.startswith("broken is left out: ")
    assert [Path(each.pop("path")).parent.name for each in answer["unread"]] == ["broken"]
    assert "not a SQLite file" in answer["unread"][0].pop("why")
    golden = GOLDEN / "stores_sessions.json"
    text = json.dumps(steady(answer), ensure_ascii=False, indent=2) + "\n"
    if os.environ.get("HERMES_TUI_WRITE_GOLDEN"):
        golden.write_text(text, encoding="utf-8")
    assert text == golden.read_text(encoding="utf-8")


def test_hits_of_all_carry_anchors_that_show_understands(asked: Asked) -> None:
    code, answer, _ = asked("search", "kettle", "--sort", "newest")
    assert code == 0
    stores = {hit["session"]["store"] for hit in answer["hits"]}
    assert stores == {"default", "workshop"}
    for hit in answer["hits"]:
        assert hit["anchor"] == f"{hit['session']['store']}/{hit['session']['id']}#{hit['message']['id']}"
        _, shown, _ = asked("show", hit["anchor"], "--window", "1")
        assert (shown["anchor"], shown["session"]["profile"]) == (hit["anchor"], hit["session"]["store"])
        assert any(message["is_anchor"] for message in shown["messages"])
    assert {row["store"] for row in asked("search", "copper kettle")[1]["sessions"]} == {"default"}


def test_a_session_of_two_stores_needs_the_name_of_one(asked: Asked) -> None:
    assert asked("show", WORK)[1]["session"]["profile"] == "workshop"
    code, answer, told = asked("show", KETTLE)
    assert (code, answer) == (1, None)
    assert f"default/{KETTLE}" in told
    assert f"workshop/{KETTLE}" in told
    assert asked("show", f"workshop/{KETTLE}")[1]["messages"][0]["text"] == "copied kettle"


def test_the_same_question_to_each_store_adds_up(asked: Asked) -> None:
    both = asked("sessions", "source:cli", "--all")[1]
    each = [asked("sessions", "source:cli", "--all", where=("--profile", name))[1] for name in ("default", "workshop")]
    assert sorted((row["store"], row["id"]) for row in both["sessions"]) == sorted(
        (row["store"], row["id"]) for answer in each for row in answer["sessions"]
    )
    assert both["hidden"] == {"filters": sum(answer["hidden"].get("filters", 0) for answer in each)}


def test_copies_are_named_by_their_paths(asked: Asked, home: Path) -> None:
    copy = home / "copy.db"
    copy.write_bytes((home / "profiles/workshop/state.db").read_bytes())
    where = ("--db", str(copy), "--db", str(home / "state.db"))
    rows = asked("sessions", where=where)[1]["sessions"]
    assert {row["profile"] for row in rows} == {"copy", "hermes"}
    assert asked("show", f"copy/{WORK}", where=where)[1]["session"]["title"] == "Kettle at workshop"
    assert asked("sessions", where=("--db", str(copy), "--db", str(copy)))[1]["sessions"][0]["profile"] is None


def test_only_when_no_store_can_be_read_the_exit_code_is_3(asked: Asked, home: Path) -> None:
    broken, nowhere = str(home / "profiles/broken/state.db"), str(home / "nowhere.db")
    code, answer, told = asked("sessions", where=("--db", broken, "--db", str(home / "state.db"), "--db", nowhere))
    assert (code, len(answer["sessions"])) == (0, 4)
    assert [each["profile"] for each in answer["unread"]] == ["broken", "nowhere"]
    assert told.count("is left out") == 2
    code, answer, told = asked("sessions", where=("--db", broken, "--db", nowhere))
    assert (code, answer) == (3, None)
    assert "None of 2 stores can be read" in told
    assert asked("doctor", where=("--db", broken, "--db", nowhere))[0] == 3


def test_doctor_tells_of_all_stores_and_of_what_lies_elsewhere(asked: Asked) -> None:
    _, answer, _ = asked("doctor")
    assert [store["profile"] for store in answer["stores"]] == ["default", "workshop"]
    assert all(store["untouched"] for store in answer["stores"])
    assert [each["profile"] for each in answer["unread"]] == ["broken"]
    (snapshot,) = answer["elsewhere"]
    assert (snapshot["kind"], snapshot["profile"]) == ("backup", "state-snapshots-before")
    assert (snapshot["sessions"], snapshot["only_here"]) == (8, 1)
    elsewhere = asked("doctor", where=())[1]["elsewhere"]
    assert [(each["kind"], each["profile"], each["sessions"]) for each in elsewhere] == [
        ("profile", "broken", None), ("profile", "workshop", 2), ("backup", "state-snapshots-before", 8),
    ]  # fmt: skip
    assert "SQLite" in elsewhere[0]["why"]


def test_a_way_out_into_a_store_that_is_not_open(asked: Asked) -> None:
    ways = asked("search", "copied", where=("--profile", "default"))[1]["ways_out"]
    assert ("in profile workshop", 1) in [(way["reason"], way["hits"]) for way in ways]
    assert asked("search", "copied")[1]["hits"][0]["anchor"].startswith("workshop/")


def test_tables_and_lines_name_the_store(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with Stores.open(places_of(everything=True)) as stores:
        page = tables.Page(width=100, color=False, now=NOON + 400_000.0)
        head, *rows = tables.sessions(stores.sessions(), page, many=True)
        assert head.split()[:3] == ["STORE", "ID", "ACTIVE"]
        assert [row.split()[:2] for row in rows[:2]] == [["workshop", KETTLE], ["workshop", WORK]]
        assert all(len(row) <= 100 for row in rows)
        found = list(tables.search(stores.search("copied"), page, explain=False))
        assert any(line.strip().startswith(f"workshop/{KETTLE}#2") for line in found)
        plain, *_ = tables.sessions(stores.of("workshop").sessions(), page)
        assert plain.split()[0] == "ID"
    assert main(["--all-profiles", "sessions"]) == 0
    printed = capsys.readouterr()
    assert [line.split("\t")[0] for line in printed.out.splitlines()][:2] == [f"workshop/{KETTLE}", f"workshop/{WORK}"]
    assert "broken is left out: " in printed.err
    assert main(["--all-profiles", "show", f"workshop/{KETTLE}"]) == 0
    assert capsys.readouterr().out.startswith(f"workshop/{KETTLE}#2\t")


def test_a_gateway_s_session_names_its_profile_and_its_store(
    home: Path, asked: Asked, capsys: pytest.CaptureFixture[str]
) -> None:
    with Recorder(home / "state.db", clock=lambda: NOON + 900_000.0) as recorder:
        recorder.create_session("telegram", session_id="gate", title="Gate", profile_name="workshop")
        recorder.append("gate", "user", "through the gateway")
    for where in ((), ("--all-profiles",)):
        (row,) = asked("sessions", "title:Gate", where=where)[1]["sessions"]
        assert (row["profile"], row["store"]) == ("workshop", "default")
        (hit,) = asked("search", "gateway", "profile:workshop", where=where)[1]["hits"]
        assert (hit["session"]["profile"], hit["session"]["store"]) == ("workshop", "default")
        assert asked("show", "workshop/gate", where=where)[1]["session"]["id"] == "gate"
    with Stores.open(places_of(profile="default")) as stores:
        head, first, *_ = tables.sessions(stores.sessions(), tables.Page(width=100, color=False, now=NOON + 1e6))
        assert (head.split()[0], first.split()[0]) == ("PROFILE", "workshop")
