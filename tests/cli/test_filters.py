"""Filters, modes and ways out on the command line: in JSON for programs, in sentences for people."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hermes_tui.cli import main
from tests.cli.conftest import KETTLE

Ask = Callable[..., Any]


def anchors(answer: Any) -> set[str]:
    return {hit["anchor"] for hit in answer["hits"]}


def test_a_search_takes_filters_and_says_which(ask: Ask) -> None:
    answer = ask("search", "kettle", "-source:cron", "role:tool", "--explain")
    assert anchors(answer) == {f"{KETTLE}#3"}
    assert answer["filters"] == [
        {"text": "-source:cron", "without": "kettle role:tool", "hides": 0, "more": False},
        {"text": "role:tool", "without": "kettle -source:cron", "hides": 2, "more": False},
    ]
    assert answer["mode"] == {"case": False, "regex": False, "reasoning": False}
    assert answer["ways_out"] == []


def test_what_filters_hide_is_not_counted_unasked(ask: Ask) -> None:
    (part,) = ask("search", "kettle", "role:tool")["filters"]
    assert part["hides"] is None


@pytest.mark.parametrize(
    ("words", "found"),
    [
        (["Copper", "--case"], 0),  # the title has it, no message does
        (["copper", "--case"], 3),
        (["k.ttle = 'copper'", "--regex"], 2),
        (["^kettle", "role:tool", "--regex"], 1),
        (["file was named"], 0),
        (["file was named", "--reasoning"], 1),
        (["named", "in:reasoning"], 1),
        (["is:rewound"], 1),
    ],
)
def test_modes(words: list[str], found: int, ask: Ask) -> None:
    assert len(ask("search", *words)["hits"]) == found


def test_zero_hits_explain_themselves_and_the_way_out_can_be_run(
    store: Path, ask: Ask, capsys: pytest.CaptureFixture[str]
) -> None:
    way = ask("search", "walrus")["ways_out"][0]
    assert way == {
        "reason": "in turns that were taken back",
        "hits": 1,
        "more": False,
        "query": "walrus",
        "mode": {"case": False, "regex": False, "reasoning": False},
        "all": True,
        "profile": None,
    }
    capsys.readouterr()
    assert main(["--db", str(store), "search", "kettle source:discord"]) == 0
    told = [line for line in capsys.readouterr().err.splitlines() if "without source:discord" in line]
    (command,) = [line.split(": ", 1)[1] for line in told if line.startswith("4 hits without source:discord: ")]
    assert main([*shlex.split(command)[1:], "--json"]) == 0
    assert len(json.loads(capsys.readouterr().out)["hits"]) == 4


def test_a_bad_pattern_is_explained_and_no_answer(store: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--db", str(store), "search", "kettle(", "--regex", "--json"]) == 1
    printed = capsys.readouterr()
    assert printed.out == ""
    assert "no regular expression" in printed.err
    assert "Traceback" not in printed.err


def test_a_value_that_makes_no_sense_is_said(ask: Ask) -> None:
    answer = ask("search", "kettle", "is:banana")
    assert answer["filters"] == []
    assert any("is:banana is no filter" in note for note in answer["coverage"]["notes"])
    assert any("is:banana is no filter" in note for note in ask("sessions", "is:banana")["notes"])


def test_sessions_take_the_same_filters(ask: Ask) -> None:
    everyone = ask("sessions", "--all")
    total = sum(len(row["segments"]) for row in everyone["sessions"])
    for words, source, within in (
        (["source:telegram"], "telegram", "20260922_100000_bbbbbb"),
        (["source:cron"], "cron", "cron_nightly_20260924_030000"),
        (["heron"], "cli", "20260923_120000_dddddd"),
        (["is:archived"], "cli", "20260924_090000_eeeeee"),
        (["tool:read", "model:m/"], "cli", KETTLE),
        (["before:2026-09-22", "-source:cron"], "cli", KETTLE),
    ):
        answer = ask("sessions", *words)
        (row,) = answer["sessions"]
        assert row["source"] == source
        assert within in row["segments"]
        assert len(row["segments"]) + sum(answer["hidden"].values()) == total, words
