"""The benchmarks still run, and what they count is right. No time is judged here."""

from __future__ import annotations

import json
import random
import sqlite3
import sys
import textwrap
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import pytest

from hermes_tui.library import Library
from hermes_tui.model import Anchor
from hermes_tui.recorder import Layout
from hermes_tui.store import first_page
from tests.benchmarks import (
    chart,
    conversation,
    keystrokes,
    listing,
    making,
    manners,
    search,
    starting,
    statements,
    tables,
    transcript,
)
from tests.benchmarks.__main__ import BENCHES, Bench, chosen, main
from tests.benchmarks.compare import Verdict, changes, report
from tests.benchmarks.measure import Result, Spread, document, load, spread
from tests.benchmarks.needles import needles
from tests.benchmarks.questions import questions
from tests.benchmarks.stores import Store, kept, prepare
from tests.benchmarks.targets import TARGETS, met
from tests.benchmarks.terminal import Terminal


def silent(text: str) -> None:
    """Progress that nobody reads."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("stores")


@pytest.fixture(scope="module")
def store(folder: Path) -> Store:
    return prepare(folder, "XS", Layout.VIEWS, say=silent)


def test_every_needle_is_planted_and_every_question_has_rows_to_find(store: Store) -> None:
    assert all(store.rows.get(needle.name) for needle in needles())
    assert {question.name for question in questions() if not question.right(store)} == {"absent"}
    assert len(store.rows["inside"]) == 36


def test_every_question_finds_exactly_what_was_planted(store: Store) -> None:
    results = list(search.run(store, questions(), runs=1, say=silent, orders=("newest",)))
    assert [result.name for result in results] == [question.name for question in questions()]
    for result in results:
        counts = result.counts
        assert (counts["right"], counts["wrong"]) == (counts["expected"], 0), result.name
        assert 0 < counts["floor right"] <= counts["expected"] or result.name == "absent"
        assert counts["floor right"] == counts["expected"] or result.name not in ("path", "flag", "inside"), result.name
        if result.name not in ("absent", "two chinese"):  # LIKE knows nothing of characters written as JSON escapes
            assert counts.get("plain right", counts["expected"]) == counts["expected"], result.name
        assert counts["statements"] > 0
        assert {"cold first", "cold", "first", "complete", "cpu", "floor", "floor cpu"} <= result.times.keys()


def test_statements_of_the_real_code_are_measured_beside_the_same_sql_in_c(store: Store) -> None:
    results = {result.name: result for result in statements.run(store, (), runs=1, say=silent)}
    assert results.keys() == statements.KINDS.keys()
    for result in results.values():
        assert result.counts["statements"] > 0
        assert result.ratios["cpu / floor"] > 0
    assert results["rows of a window"].counts["rows"] >= statements.PAGE
    assert results["outline of the largest session"].counts["rows"] >= len(store.rows["largest"])
    assert "search for a path" in tables.report(list(results.values()))


def test_the_floor_of_a_statement_works_out_every_cell() -> None:
    with closing(sqlite3.connect(":memory:")) as connection:
        worked: list[str] = []

        def work(cell: str) -> str:
            worked.append(cell)
            return cell

        connection.create_function("worked", 1, work)
        wrapped = statements.in_c("SELECT worked('ab'), NULL, worked('c') ORDER BY 1 LIMIT 5", 3)
        ((total,),) = connection.execute(wrapped)
    assert (sorted(worked), total) == (["ab", "c"], 3)


def test_cancelling_and_streaming_are_measured(store: Store) -> None:
    few = [question for question in questions() if question.name == "reasoning"]
    waits = list(manners.held(store, few, runs=1, say=silent))
    assert [(result.name, result.variant) for result in waits] == [
        ("nothing runs", ""),
        ("reasoning", "newest"),
        ("reasoning", "best"),
    ]
    stopped = list(manners.cancel(store, few, runs=1, say=silent))
    assert {(result.bench, result.name) for result in stopped} <= {("cancel", "reasoning")}
    assert all(result.times["cancel"].takes > 0 for result in stopped)


@pytest.mark.soak
def test_reading_is_measured_beside_an_empty_app(folder: Path) -> None:
    store = conversation.prepare(folder, "XS", Layout.VIEWS, say=silent, messages=200)
    results = {(each.name, each.variant): each for each in transcript.run(store, (), runs=1, say=silent, keys=3)}
    assert list(results) == [
        ("empty app", "start"),
        ("empty app", "key"),
        ("empty app", "resize"),
        ("open", "middle, at start"),
        ("open", "short one, at start"),
        ("open", "short one"),
        ("open", "middle, again"),
        ("open", "middle, first time"),
        ("pagedown", ""),
        ("j", ""),
        ("resize", ""),
        ("append", "from commit"),
        ("append", "from noticing"),
    ]
    assert [results[key, ""].times["wall"].takes for key in ("pagedown", "j", "resize")] == [3, 3, 2]
    for (name, variant), each in results.items():
        assert each.counts["messages"] == 200
        if variant not in ("start", "key"):
            assert {"wall", "cpu", "floor", "floor cpu"} == each.times.keys(), name
            assert {"wall / floor", "cpu / floor"} == each.ratios.keys(), name
    grown = results["append", "from commit"].counts
    assert (grown["rows"], grown["moved"]) == (transcript.GROWS, 0)
    assert results["resize", ""].counts["lost"] == 0
    printed = tables.report(list(results.values()))
    assert "## transcript: views, XS (ms)" in printed
    assert "| pagedown " in printed
    assert "50 rows, 0 moved" in printed


@pytest.mark.soak
def test_the_list_is_measured_beside_an_empty_app(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(first_page, "MANY", 200)
    store = listing.prepare(folder, "XS", Layout.VIEWS, say=silent, sessions=400)
    results = {(each.name, each.variant): each for each in listing.run(store, (), runs=1, say=silent, keys=2)}
    assert list(results) == [
        ("empty app", "start"),
        ("empty app", "key"),
        ("open", "first page"),
        ("open", "whole list"),
        ("j", ""),
        ("pagedown", ""),
        ("G", ""),
        ("g", ""),
        ("s", "another list"),
        ("B", "another list"),
        ("a", "another list"),
        ("left, right", "fold"),
    ]
    assert all(each.counts["sessions"] == 400 for each in results.values())
    assert all("cpu / floor" in each.ratios for each in list(results.values())[2:])
    assert "## listing: views, XS (ms)" in tables.report(list(results.values()))


def test_the_conversation_to_read_has_all_that_slows_a_reader(folder: Path) -> None:
    store = conversation.prepare(folder, "XS", Layout.VIEWS, say=silent, messages=200)
    with Library.open(store.path) as library:
        read = library.transcript(Anchor(store.long, store.middle))
        assert len(read.rows) == 200 + len(read.compactions)
        assert len(read.compactions) == 1
        assert read.rows[100].id == store.middle
        messages = library.messages([row.id for row in read.rows])
    texts = [message.text for message in messages]
    assert any(message.tool_calls for message in messages)
    assert any("```python" in text for text in texts)
    assert any(text.lstrip('{"').startswith("rows") for text in texts), "JSON, as it is or laid out"
    assert any(text.count("\n") + 1 >= conversation.LONG_LINES for text in texts)
    assert any("|---|---|" in text for text in texts)


def test_a_run_is_printed_and_saved(
    store: Store, folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["--size", "XS", "--runs", "1", "--stores", str(folder), "--out", str(tmp_path), "--only", "search", "rare"]
    assert main(words) == 0
    assert "| rare " in capsys.readouterr().out
    (path,) = tmp_path.glob("*.json")
    saved = json.loads(path.read_text(encoding="utf-8"))
    assert {"format", "commit", "at", "machine", "runs", "results"} == saved.keys()
    assert {"system", "processor", "cpus", "load", "python", "sqlite"} == saved["machine"].keys()
    assert {"bench", "layout", "size", "name", "variant", "times", "counts", "ratios"} <= saved["results"][0].keys()
    assert [result.key for result in load(path)] == [
        ("search", "views", "XS", "rare", "newest"),
        ("search", "views", "XS", "rare", "best"),
    ]
    assert main(["compare", str(path), str(path)]) == 0
    assert "## Slower: 0" in capsys.readouterr().out


def test_what_cannot_be_used_is_named_before_anything_is_measured(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    plain, empty, other = tmp_path / "plain", tmp_path / "empty", tmp_path / "other.json"
    plain.write_bytes(b"\xff not JSON")
    other.write_text("{}", encoding="utf-8")
    empty.mkdir()
    for words, named in (
        (["--size", "XS", "--only", "rare", "--stores", str(folder), "--out", str(plain)], plain),
        (["--size", "XS", "--only", "rare", "--stores", str(plain)], plain),
        (["history", str(tmp_path / "nowhere")], tmp_path / "nowhere"),
        (["history", str(empty)], empty),
        (["compare", str(plain), str(plain)], plain),
        (["compare", str(other), str(other)], other),
        (["compare", str(tmp_path / "nowhere")], tmp_path / "nowhere"),
    ):
        assert main(words) == 2
        said = capsys.readouterr()
        assert (said.out, str(named) in said.err, said.err.count("\n")) == ("", True, 1)


def test_a_run_that_is_stopped_keeps_what_it_measured(
    store: Store, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def stopped(*_: object, **__: object) -> Iterator[Result]:
        yield Result("cancel", "views", "XS", "rare", "warm", {"cancel": spread([0.1])}, {}, {})
        raise KeyboardInterrupt

    monkeypatch.setitem(BENCHES, "cancel", Bench(lambda *_, **__: None, stopped))
    assert main(["--only", "cancel", "--stores", str(folder), "--out", str(tmp_path)]) == 130
    assert "Stopped" in capsys.readouterr().err
    (path,) = tmp_path.glob("*.json")
    assert len(load(path)) == 1
    assert path.with_suffix(".md").exists()


def test_a_store_without_a_whole_manifest_is_made_anew(tmp_path: Path) -> None:
    made: list[Path] = []

    def make(path: Path) -> dict[str, object]:
        made.append(path)
        path.write_bytes(b"rows")
        return {"messages": 1}

    path, known = kept(tmp_path, "few", "recipe", make)
    assert kept(tmp_path, "few", "recipe", make) == (path, known)
    assert len(made) == 1
    path.with_suffix(".json").write_text("", encoding="utf-8")
    assert kept(tmp_path, "few", "recipe", make) == (path, known)
    path.unlink()
    assert kept(tmp_path, "few", "recipe", make) == (path, known)
    assert len(made) == 3


def test_a_name_that_is_none_is_refused() -> None:
    assert chosen(["serach"]) == ([], [])
    assert main(["--only", "serach"]) == 2


@pytest.mark.parametrize("layout", list(Layout))
def test_the_same_seed_writes_the_same_rows(layout: Layout, tmp_path: Path) -> None:
    one, other = (making.write(tmp_path / f"{name}.db", layout, 60, lambda done: None) for name in ("one", "other"))
    assert one.messages == 60
    assert one.rows == other.rows


def result(median: float, noise: float = 0.0, *, rows: int = 1) -> Result:
    times = {"complete": Spread(median, median, median, median, noise, 5)}
    return Result("search", "views", "S", "rare", "newest", times=times, counts={"read": rows})


@pytest.mark.parametrize(
    ("old", "new", "verdict"),
    [
        (result(10), result(14), Verdict.SLOWER),
        (result(15), result(10), Verdict.FASTER),
        (result(10), result(12), Verdict.SAME),
        (result(10, noise=0.5), result(14), Verdict.SAME),
        (result(10), result(14, noise=0.5), Verdict.SAME),
        (result(0.1), result(0.2), Verdict.SAME),
    ],
)
def test_what_is_more_than_noise_is_told(old: Result, new: Result, verdict: Verdict) -> None:
    (change,) = changes([old], [new])
    assert change.verdict is verdict


@pytest.mark.parametrize(
    ("name", "ratio", "verdict"),
    [
        ("complete", 2.8, Verdict.SLOWER),
        ("complete", 2.1, Verdict.SAME),
        ("complete", 1.0, Verdict.SAME),
        ("floor", 2.8, Verdict.SAME),
    ],
)
def test_a_busier_machine_is_not_slower_code(name: str, ratio: float, verdict: Verdict) -> None:
    """What has a floor got slower only when it did so beside its floor; floors are not ours."""
    old, new = (
        replace(result(time), times={name: result(time).times["complete"]}, ratios={"complete / floor": part})
        for time, part in ((10, 2.0), (14, ratio))
    )
    (change,) = changes([old], [new])
    assert change.verdict is verdict


def test_runs_of_a_folder_are_compared_and_their_ratios_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def save(name: str, commit: str, at: str, *results: Result, cpus: int = 2) -> None:
        shape = document(results, runs=1) | {"commit": commit, "at": at}
        (tmp_path / name).write_text(json.dumps(shape | {"machine": {"cpus": cpus}}), encoding="utf-8")

    search = replace(result(10), ratios={"complete / floor": 2.0})
    other = replace(search, size="M", ratios={"complete / floor": 3.0})
    save("b.json", "aaaa", "2026-01-01T00:00:00Z", search)
    assert main(["compare", str(tmp_path)]) == 2, "one commit"
    save("a.json", "bbbb", "2026-01-02T00:00:00Z", search, other)
    save("0.json", "bbbb", "2026-01-03T00:00:00Z", replace(result(14), ratios={"complete / floor": 2.9}), cpus=4)
    assert main(["compare", str(tmp_path)]) == 1
    printed = capsys.readouterr().out
    assert "aaaa -> bbbb" in printed
    assert "cpus 2 and 4" in printed
    assert "| search views S rare newest: complete | 10.0   | 14.0   | +40%   | +45%" in printed
    assert main(["compare", str(tmp_path), "--report"]) == 0
    assert main(["compare", str(tmp_path / "b.json"), str(tmp_path / "a.json")]) == 0
    assert main(["compare", str(tmp_path / "b.json")]) == 2, "with what?"
    assert main(["compare", str(tmp_path / "b.json"), str(tmp_path / "none.json")]) == 2
    capsys.readouterr()
    assert main(["history", str(tmp_path), "complete / floor"]) == 0
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in capsys.readouterr().out.splitlines()]
    assert rows[0][2:] == [f"search views {size} rare newest: complete / floor" for size in "SM"]
    assert [[row[0], *row[2:]] for row in rows[2:]] == [["aaaa", "2.00", "-"], ["bbbb", "2.90", "3.00"]]


def test_ratios_are_drawn_beside_their_goals(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The worst of several counts, what is beyond its goal is said in words, and what has no goal is no row."""
    results = [
        replace(result(10), name="path", size="M", ratios={"complete / floor": 3.5, "complete / plain": 0.05}),
        replace(result(10), name="path", size="L", ratios={"complete / floor": 2.0}),
        replace(result(10), bench="writer", name="browser open", variant="wal", ratios={"log / alone": 1.0}),
        replace(result(10), ratios={"first / floor": 90.0}),
    ]
    goals = list(met(results))
    assert [(one.value, one.target.limit, one.count, one.reached) for one in goals] == [
        (3.5, 3.0, 2, False),
        (0.05, 0.1, 1, True),
        (1.0, 1.2, 1, True),
    ]
    saved, picture = tmp_path / "one.json", tmp_path / "one.svg"
    saved.write_text(json.dumps(document(results, runs=1)), encoding="utf-8")
    assert main(["chart", str(saved), str(picture)]) == 0
    assert "BEYOND" in capsys.readouterr().out
    tree = ElementTree.parse(picture)
    said = [each.text or "" for each in tree.iter() if each.tag.endswith(("text", "title", "desc"))]
    assert said[0] == "2 of 3 goals reached"
    assert "3.50 (goal 3, beyond)" in said[1]
    assert next(text for text in said[2:] if "goal " in text) == "3.50 (goal 3, beyond)"
    widths = [float(each.get("width", "0")) for each in tree.iter() if each.tag.endswith("rect")]
    assert widths == [pytest.approx(chart.GOAL * part, abs=0.1) for part in (3.5 / 3, 0.5, 1 / 1.2)]
    saved.write_text(json.dumps(document(results[3:], runs=1)), encoding="utf-8")
    assert main(["chart", str(saved), str(picture)]) == 2


def test_every_goal_is_one_of_a_benchmark_there_is() -> None:
    assert {target.pattern.split()[0] for target in TARGETS} <= set(BENCHES)


def test_only_the_same_things_are_compared_and_counts_are_told() -> None:
    assert not list(changes([result(10)], [replace(result(20), layout="inline")]))
    assert "| search views S rare newest: read | 1   | 7   |" in report([result(10)], [result(10, rows=7)])


def test_a_spread_tells_the_middle_the_ends_and_the_noise() -> None:
    takes = [place / 1000 for place in range(1, 102)]
    random.Random(1).shuffle(takes)
    found = spread(takes)
    assert (found.least, found.median, found.p95, found.worst, found.takes) == (1.0, 51.0, 96.0, 101.0, 101)
    assert found.noise == pytest.approx(50 / 51, abs=0.001)
    assert document([], runs=1)["results"] == []


LINUX = pytest.mark.skipif(sys.platform != "linux", reason="time, CPU and memory are read as Linux tells them")


@LINUX
@pytest.mark.soak
def test_whole_programs_are_started_beside_their_floors(folder: Path) -> None:
    known = starting.programs(starting.prepare(folder, "XS", Layout.VIEWS, say=silent, small=True))
    assert [each.variant for each in known if "1 MB" in each.variant] == [
        "1 MB log",
        "1 MB json",
        "1 MB base64",
        "1 MB markdown",
    ]
    some = [each for each in known if each.variant in ("", "list", starting.MODULES, "--json")]
    results = list(starting.measured(some, runs=1, say=silent, layout="views", size="XS"))
    assert [(each.name, each.variant) for each in results] == [
        ("empty app", ""),
        ("open", "list"),
        ("python", starting.MODULES),
        ("sessions", "--json"),
    ]
    _, browser, _, verb = results
    assert {"wall", "cpu", "floor", "floor cpu"} == browser.times.keys() == verb.times.keys()
    assert {"wall / floor", "cpu / floor"} == verb.ratios.keys()
    assert browser.ratios.keys() == verb.ratios.keys() | {"memory / floor", "peak / floor"}
    assert browser.counts["peak KiB"] > 0.8 * browser.counts["memory KiB"] > 1024
    assert "| open      | list " in tables.report(results)


@LINUX
@pytest.mark.soak
def test_keys_are_typed_in_terminals_beside_their_floors(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(keystrokes, "STILL", 0.05)
    monkeypatch.setattr(keystrokes, "AT_REST", 0.15)
    there = keystrokes.prepare(folder, "XS", Layout.VIEWS, say=silent, small=True)
    found = {
        (each.name, each.variant): each
        for each in keystrokes.run(replace(there, usual={}), (), runs=1, say=silent, keys=1)
    }
    places = ("empty app", "list", "transcript")
    manners = ("by itself", "and what follows", "held down")
    assert found.keys() == {
        ("answer", "last key to hits, few rows"),
        ("echo", "while nothing is found, few rows"),
        *((key, f"{place}, {manner}") for key in keystrokes.MOVES for place in places for manner in manners),
    }
    alone, whole = (found["page key", f"list, {manner}"] for manner in manners[:2])
    assert 0 < alone.counts["bytes"] <= whole.counts["bytes"]
    assert {"wall / floor", "p95 / floor", "cpu / floor"} == alone.ratios.keys()
    assert (
        found["echo", "while nothing is found, few rows"].times["wall"].takes
        == len(keystrokes.NOWHERE) - keystrokes.PLAIN
    )
    assert "| cursor key | list, held down " in tables.report(list(found.values()))


@LINUX
def test_a_program_in_a_terminal_is_read_typed_to_and_measured() -> None:
    program = """
        import os, sys, threading, tty
        size = os.get_terminal_size()
        tty.setraw(0)
        busy = threading.Thread(target=lambda: sum(range(3_000_000)))
        busy.start(); busy.join()
        print(f"\\x1b[1mrea\\x1b[0mdy {size.columns}x{size.lines}", end="", flush=True)
        while (key := os.read(0, 1)) != b"q":
            print(f"\\x1b[2;1H<{key.decode()}>", end="", flush=True)
    """
    command = [sys.executable, "-c", textwrap.dedent(program)]
    with Terminal(command, columns=91, rows=17) as terminal:
        assert 0 < terminal.wait("ready 91x17") < 60
        assert terminal.cpu() > 0.01  # that of the thread, which has ended
        assert terminal.peak() > 0.8 * terminal.resident() > 1 << 20  # two looks, each a little behind
        echo = terminal.press(b"j")
        assert (terminal.text, echo.painted) == ("<j>", len("\x1b[2;1H<j>"))
        assert 0 < echo.first <= echo.last
        assert terminal.until(b"kl", lambda painted: "<k><l>" in painted) > 0
        terminal.send(b"q")
        with pytest.raises(TimeoutError):
            terminal.wait("never")
        assert terminal.ended
