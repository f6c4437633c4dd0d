"""An evidence pack keeps to its budget, holds what was asked for before all else, and counts what has no room."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hermes_tui.export.budget import cut, tokens, weigh
from hermes_tui.export.documents import Form, pieces
from hermes_tui.export.evidence import SMALLEST, pack
from hermes_tui.export.material import conversation, places
from hermes_tui.export.packing import Pack, shape
from hermes_tui.export.reading import Reading
from hermes_tui.library import Library, Stores
from hermes_tui.model import Anchor
from hermes_tui.recorder import Recorder
from tests.export.conftest import SECRET, SUMMARY

GOAL, ANSWER = "please mend the weather vane", "The vane turns again."


@pytest.fixture(scope="module")
def talk_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A conversation of two sessions with long outputs and a needle deep inside one of them, and a short one."""
    path = tmp_path_factory.mktemp("talk") / "state.db"
    clock = iter(range(1_790_000_000, 1_800_000_000, 60))
    with Recorder(path, clock=lambda: float(next(clock))) as recorder:
        first = recorder.create_session(
            "cli", session_id="talk_1", title="Weather vane", model="m/one", cwd="/srv/vane"
        )
        recorder.append(first, "user", GOAL)
        for number in range(10):
            call = {
                "id": f"c{number}",
                "type": "function",
                "function": {"name": "terminal", "arguments": '{"command": "ls"}'},
            }
            recorder.append(first, "assistant", f"step {number}", tool_calls=[call])
            output = f"line of output {number}\n" * 200
            output = output[:2000] + "the brass NEEDLE is here\n" + output[2000:] if number == 5 else output
            recorder.append(first, "tool", output, tool_name="terminal", tool_call_id=f"c{number}")
        tip = recorder.split(first, f"{SUMMARY} The vane was looked at.")
        recorder.append(tip, "user", f"use {SECRET} and the NEEDLE")
        undone = recorder.append(tip, "user", "taken back NEEDLE")
        recorder.rewind(tip, undone)
        recorder.append(tip, "assistant", ANSWER, finish_reason="stop")
        other = recorder.create_session("telegram", session_id="short", title="Short")
        recorder.append(other, "user", "a NEEDLE and thread")
        recorder.append(other, "assistant", "Thread is in the box.", finish_reason="stop")
    return path


@pytest.fixture
def talk(talk_file: Path) -> Iterator[Stores]:
    with Library.open(talk_file) as library:
        yield Stores.only(library)


def found(stores: Stores, text: str) -> list[Anchor]:
    return [hit.anchor for hit in stores.search(text, sort="oldest").hits]


def marked(made: Pack) -> list[str]:
    return [str(each.anchor) for part in made.parts for each in part.excerpts if each.label.startswith("→")]


def test_a_pack_holds_the_hit_its_window_the_goal_and_the_last_answer(talk: Stores) -> None:
    made = pack(talk, [found(talk, "brass needle")[0]], query="brass needle", budget=2_000)
    text = made.markdown()
    (part,) = made.parts
    assert "brass NEEDLE is here" in text
    assert "Goal: You · 2026" in text
    assert f"> {GOAL}" in text
    assert "Last answer: Assistant" in text
    assert f"> {ANSWER}" in text
    assert "> step 5" in text
    assert "taken back" not in text
    assert "session talk_1 · cli · m/one · 2026" in text
    assert [each.place for each in part.excerpts] == sorted(each.place for each in part.excerpts)
    assert marked(made) == [str(found(talk, "brass needle")[0])]
    between = [
        int(many.replace(",", ""))
        for many in re.findall(r"^\*([\d,]+) messages? (?:in between|before|after)\*$", text, re.M)
    ]
    assert sum(between) + len(part.excerpts) == part.rows


def test_places_of_one_conversation_are_together_the_first_asked_for_first(talk: Stores) -> None:
    anchors = found(talk, "needle")
    made = pack(talk, [anchors[-1], *anchors[:-1]], query="needle", budget=4_000)
    assert [part.session.title for part in made.parts] == ["Short", "Weather vane"]
    assert sorted(marked(made)) == sorted(map(str, anchors))
    assert made.hits == 0


def test_a_session_by_itself_is_its_beginning_and_its_end(talk: Stores) -> None:
    text = pack(talk, [Anchor("talk_1")], budget=1_500).markdown()
    assert f"> {GOAL}" in text
    assert f"> {ANSWER}" in text
    assert "step 0" in text


@pytest.mark.parametrize("budget", [1, SMALLEST, 350, 500, 900, 1_300, 2_500, 4_000, 20_000])
def test_the_text_keeps_to_its_budget_and_what_has_no_room_is_counted(talk: Stores, budget: int) -> None:
    anchors = found(talk, "needle OR output OR step")
    random.Random(budget).shuffle(anchors)
    made = pack(talk, anchors, query="needle OR output OR step", budget=budget)
    text = made.markdown()
    assert tokens(text) <= max(budget, SMALLEST)
    assert len(marked(made)) + made.hits == len(anchors)
    assert marked(made), "the first place has room in any budget"
    assert (f"No room within {max(budget, SMALLEST):,} tokens" in text) == bool(
        made.hits or made.messages or made.characters
    )
    cut_off = sum(each.left_out for part in made.parts for each in part.excerpts)
    assert made.characters == cut_off


def test_what_is_asked_for_is_there_when_little_else_is(talk: Stores) -> None:
    anchor = found(talk, "brass needle")[0]
    made = pack(talk, [anchor], query="brass needle", budget=SMALLEST)
    (excerpt,) = [each for part in made.parts for each in part.excerpts if each.label.startswith("→")]
    assert "brass NEEDLE" in excerpt.text
    assert excerpt.left_out > 3_000
    assert "characters left out" in excerpt.text


def test_secrets_are_masked_unless_they_are_asked_for(talk: Stores) -> None:
    anchor = found(talk, SECRET)[0]
    made = pack(talk, [anchor])
    assert SECRET not in made.markdown()
    assert made.masked == {"GitHub token": 1}
    assert SECRET in pack(talk, [anchor], keep_secrets=True).markdown()


def test_json_has_the_same_and_says_what_it_is_of(talk: Stores) -> None:
    made = pack(talk, found(talk, "needle"), query="needle", budget=700)
    answer = shape(made, query="needle", profile=None)
    assert answer["tokens"] == tokens(answer["markdown"]) <= answer["budget"] == 700
    assert answer["left_out"] == {"hits": made.hits, "messages": made.messages, "characters": made.characters}
    anchors = [
        message["anchor"] for part in answer["conversations"] for message in part["messages"] if message["is_anchor"]
    ]
    assert anchors == marked(made)
    messages = [message for part in answer["conversations"] for message in part["messages"]]
    assert GOAL in {message["text"] for message in messages if message["is_goal"]}


def test_hostile_texts_stay_within_their_quotes(stores: Stores, root: Anchor) -> None:
    text = pack(stores, [root], budget=8_000).markdown()
    body = text.partition("\n## ")[2]
    label = r"(→ )?(Goal: |Last answer: )?(You|Assistant|Tool|Summary).*"
    told = r"\*[\d,]+ messages? (in between|before|after)\*|---|No room.*|1 secret.*|session .*"
    ours = re.compile(rf"(> .*|>|{label}|{told}|)")
    assert [line for line in body.split("\n")[1:] if not ours.fullmatch(line)] == []
    assert "\x1b" not in text


# -- cutting ----------------------------------------------------------------------------------------------------------

TEXTS = st.text(st.sampled_from("ab c\n.9花🎉"), max_size=400)


@settings(max_examples=150, deadline=None)
@given(TEXTS, st.floats(0, 120), st.integers(0, 400), st.integers(1, 9))
def test_an_excerpt_has_room_and_says_how_much_is_missing(text: str, room: float, at: int, long: int) -> None:
    spans = [(at, at + long)] if at + long <= len(text) else []
    made = cut(text, room, spans)
    if made.text:
        assert weigh(made.text) <= room
    assert 0 <= made.left_out <= len(text)
    counted = [int(many.replace(",", "")) for many in re.findall(r"\[… ([\d,]+) characters left out …\]", made.text)]
    if made.text and text:
        assert sum(counted) == made.left_out
    if weigh(text) <= room:
        assert made == (text, 0)


def test_an_excerpt_is_taken_around_the_densest_match() -> None:
    text = "x " * 500 + "needle " + "y " * 500 + "needle needle needle" + " z" * 500
    start = text.index("needle needle")
    spans = [(found.start(), found.end()) for found in re.finditer("needle", text)]
    made = cut(text, 60, spans)
    assert text[start : start + 20] in made.text
    assert made.text.count("characters left out") == 2


def test_estimates_add_up() -> None:
    assert weigh("") == 0
    assert weigh("abcd") == 1
    assert weigh("12") == 1
    assert weigh("花") == 1
    assert weigh("abc, 花\n") == weigh("abc,") + weigh(" 花\n")


# -- several stores ---------------------------------------------------------------------------------------------------


def test_places_of_several_stores_name_theirs(talk_file: Path, hostile_file: Path) -> None:
    with Library.open(talk_file, profile="home") as home, Library.open(hostile_file, profile="work") as work:
        both = Stores({"home": home, "work": work})
        anchors = [Anchor("short", profile="home"), Anchor("20260922_other", profile="work")]
        made = pack(both, anchors, budget=3_000)
        text = made.markdown()
        assert [part.session.profile for part in made.parts] == ["home", "work"]
        assert "`home/short#" in text
        assert "`work/20260922_other#" in text
        assert [each["session"]["store"] for each in shape(made, query="", profile=None)["conversations"]] == [
            "home",
            "work",
        ]
        document = "".join(pieces(Reading(conversation(both, anchors[1])), Form.MARKDOWN))
        assert document.count("`work/20260922_other#") == 30
        page = "".join(pieces(Reading(places(both, anchors, size=20)), Form.HTML))
        ids = re.findall(r'<article id="([^"]+)"', page)
        assert len(ids) == len(set(ids)) == 32
        assert set(re.findall(r'href="#([^"]+)"', page)) == set(ids)
