"""JSON, format 1: golden files hold every key, their order, and the values for a store that is known."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hermes_tui.cli import shapes
from hermes_tui.cli.verbs import Reply
from hermes_tui.library import Library
from hermes_tui.model import Message, Session, SessionList
from tests.cli.conftest import KETTLE

GOLDEN = Path(__file__).with_name("golden")
QUESTIONS = {
    "sessions": ["sessions"],
    "sessions_all": ["sessions", "--all", "--limit", "2"],
    "search": ["search", "kettle", "--sort", "newest"],
    "search_hidden": ["search", "walrus"],
    "show": ["show", f"{KETTLE}#2", "--window", "1"],
    "show_session": ["show", "Heron watch"],
    "doctor": ["doctor"],
}


def steady(value: Any) -> Any:
    """The value without what differs from run to run, and without the planner's own words, which others test."""
    value["elapsed_ms"] = 0.5 if "elapsed_ms" in value else None
    if value["elapsed_ms"] is None:
        del value["elapsed_ms"]
    if "plan" in value:
        assert value["plan"], "an answer without a plan"
        first = value["plan"][0]
        value["plan"] = [{**first, "match": "MATCH" if first["match"] else None, "reason": "REASON"}]
    for store in value.get("stores", []):
        assert Path(store["path"]).name == "state.db"
        store.update(path="state.db", sqlite="3")
    return value


@pytest.mark.parametrize("name", QUESTIONS)
def test_each_verb_answers_as_its_golden_file_says(name: str, ask: Callable[..., Any]) -> None:
    answer = json.dumps(steady(ask(*QUESTIONS[name])), ensure_ascii=False, indent=2) + "\n"
    golden = GOLDEN / f"{name}.json"
    if os.environ.get("HERMES_TUI_WRITE_GOLDEN"):
        golden.write_text(answer, encoding="utf-8")
    assert answer == golden.read_text(encoding="utf-8"), "keys may be added, none renamed or dropped in format 1"


def test_every_session_is_listed_in_a_chain_or_counted_as_hidden(ask: Callable[..., Any]) -> None:
    default, everything = ask("sessions"), ask("sessions", "--all")
    everyone = [session_id for row in everything["sessions"] for session_id in row["segments"]]
    assert len(everyone) == len(set(everyone)) == 7
    assert everything["hidden"] == {}
    shown = [session_id for row in default["sessions"] for session_id in row["segments"]]
    assert len(shown) + sum(default["hidden"].values()) == 7
    assert default["hidden"] == {"cron": 1, "archived": 1}


def test_spans_are_code_points_of_the_snippet(ask: Callable[..., Any]) -> None:
    hits = ask("search", "花")["hits"]
    assert [hit["snippet"][start:end] for hit in hits for start, end in hit["spans"]] == ["花"]


def test_every_anchor_that_is_printed_is_understood(ask: Callable[..., Any]) -> None:
    hits = ask("search", "heron")["hits"]
    assert hits
    for hit in hits:
        shown = ask("show", hit["anchor"], "--window", "1")
        marked = [message for message in shown["messages"] if message["is_anchor"]]
        assert [message["id"] for message in marked] == [hit["message"]["id"]]
        assert "heron" in marked[0]["text"].casefold()


def test_before_and_after_say_how_to_go_on(ask: Callable[..., Any]) -> None:
    """Scrolling by the first and last message of each window reaches every message of the conversation once."""
    whole = [message["id"] for message in ask("show", KETTLE, "--window", "50")["messages"]]
    first = ask("show", f"{KETTLE}#{whole[0]}", "--window", "1")
    seen = [message["id"] for message in first["messages"]]
    while first["after"]:
        first = ask("show", f"{KETTLE}#{seen[-1]}", "--window", "1")
        seen += [message["id"] for message in first["messages"] if message["id"] not in seen]
    assert seen == whole
    assert first["before"] == len(whole) - len(first["messages"])


def dumped(text: str) -> str:
    return shapes.dump({"text": text})


@pytest.mark.parametrize(
    "text",
    ["\x1b[2J\x1b]0;own\x07", "\x9b31m", "\x00\x7f\x85", "a\u2028b\u2029c", "\u202eabc\u2066", "[bold]x[/]", "\r\n\t"],
)
def test_text_is_as_decoded_and_carries_no_control_code(text: str) -> None:
    printed = dumped(text)
    assert json.loads(printed)["text"] == text
    assert not any(ord(char) < 32 or 127 <= ord(char) < 160 for char in printed)
    assert not set(printed) & set("\u2028\u2029\u202e\u2066")


@pytest.mark.parametrize("text", ["\ud800", "a\udcffb", "\udc00\ud800"])
def test_lone_surrogates_become_the_replacement_character(text: str) -> None:
    printed = dumped(text)
    printed.encode("utf-8")
    assert json.loads(printed)["text"] == "".join("\ufffd" if "\ud800" <= char <= "\udfff" else char for char in text)


def test_other_scripts_are_not_escaped() -> None:
    assert "北京 🎉 é" in dumped("北京 🎉 é")


@pytest.mark.parametrize("odd", [math.nan, math.inf, -math.inf])
def test_no_number_that_json_has_not(odd: float) -> None:
    row = Session(id="s", source="cli", started_at=odd, last_active_at=odd, ended_at=odd, cost_usd=odd)
    printed = shapes.dump(shapes.reply(SessionList(rows=(row,), hidden={}), profile=None))
    answer = json.loads(printed, parse_constant=lambda name: pytest.fail(f"{name} in JSON"))
    assert answer["sessions"][0]["started_at"] is None
    message = shapes.message(Message(id=1, session_id="s", role="user", text="", timestamp=odd), is_anchor=False)
    assert message["timestamp"] is None


def test_a_session_is_named_after_its_own_profile_then_the_stores() -> None:
    row = Session(id="s", source="cli")
    assert shapes.session(row, profile="work")["profile"] == "work"
    assert shapes.session(row._replace(profile="own"), profile="work")["profile"] == "own"
    assert shapes.session(row, profile=None)["profile"] is None


def test_the_profile_of_the_store_reaches_the_answer(store: Path) -> None:
    with Library.open(store, profile="work") as library:
        reply = Reply(library.sessions(), profile=library.profile)
    assert {row["profile"] for row in shapes.reply(reply.value, profile=reply.profile)["sessions"]} == {"work"}
