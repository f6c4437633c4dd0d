"""The line that says how many hits there are and what was looked at."""

from __future__ import annotations

from dataclasses import replace

from hermes_tui.model import Anchor, Answer, Coverage, Hit, HitMessage, Session, State
from hermes_tui.tui.coverage import OUTDATED, coverage
from hermes_tui.tui.search import broken


def hit(number: int) -> Hit:
    message = HitMessage(number, "user", None, 1_790_000_000.0, State.LIVE)
    return Hit(Anchor("s1", number), "word", ((0, 4),), message, Session("s1", "cli"))


WHOLE = Answer(
    query="word",
    sort="newest",
    hits=tuple(hit(number) for number in range(36)),
    sessions=(),
    coverage=Coverage(messages=86_070, searched=86_070, word=14, trigram=21, scan=1),
    hidden={},
    total=36,
    truncated=False,
    elapsed_ms=280.0,
    complete=True,
)


def line(answer: Answer | None, text: str = "word", *, busy: bool = False, conversations: int = 9) -> str:
    return " · ".join(coverage(answer, text, busy=busy, conversations=conversations))


def test_a_whole_answer_names_hits_routes_reach_and_time() -> None:
    assert line(WHOLE) == (
        "36 hits in 9 conversations · word 14 + trigram 21 + scan 1 · all 86,070 messages searched · 0.28 s"
        " · newest first (s)"
    )


def test_there_is_nothing_to_say_without_a_query() -> None:
    assert coverage(None, "", busy=False) == []


def test_a_search_that_has_not_answered_says_so() -> None:
    assert line(None, busy=True) == "searching for word ..."


def test_a_running_scan_says_how_far_it_is() -> None:
    part = replace(
        WHOLE, complete=False, coverage=Coverage(messages=1000, searched=620, word=1, scanning="tool output 62%")
    )
    assert "scanning tool output 62%" in line(part)
    assert "0.28 s" not in line(part)


def test_no_hits_yet_is_not_no_hits() -> None:
    none = replace(WHOLE, hits=(), total=0, coverage=Coverage(messages=10, searched=5))
    assert line(replace(none, complete=False)).startswith("no hits yet · 5 of 10 messages searched so far")
    assert line(replace(none, coverage=Coverage(messages=10, searched=10))).startswith("no hits · all 10 messages")


def test_an_answer_that_did_not_look_at_everything_never_says_all() -> None:
    part = replace(WHOLE, coverage=Coverage(messages=10, searched=5))
    assert "5 of 10 messages searched" in line(part)
    assert "all" not in line(part)


def test_what_was_written_since_is_told_beside_what_was_searched() -> None:
    assert OUTDATED not in line(WHOLE)
    said = coverage(WHOLE, "word", busy=False, outdated=True)
    assert said.index(OUTDATED) == said.index("all 86,070 messages searched") + 1


def test_what_is_left_out_is_counted_with_its_key() -> None:
    assert line(replace(WHOLE, hidden={"rewound": 3})).endswith("3 more in rewound turns (x)")
    assert line(replace(WHOLE, hidden={"hidden": 2})).endswith("2 more in hidden messages (a)")


def test_a_cut_answer_says_what_of_and_which_key_shows_the_rest() -> None:
    assert line(replace(WHOLE, truncated=True, total=1204)).startswith("the first 36 of 1,204 hits (a shows all)")
    assert line(replace(WHOLE, truncated=True, total=None)).startswith("the first 36 hits (a shows all)")


def test_that_hits_were_cut_is_said_once() -> None:
    covered = replace(WHOLE.coverage, notes=("stopped at the newest 36 hits", "scanned"))
    said = line(replace(WHOLE, truncated=True, total=None, coverage=covered))
    assert "stopped" not in said
    assert said.endswith("scanned")


def test_the_order_of_the_hits_is_said_while_there_are_some() -> None:
    assert "best first (s)" in line(replace(WHOLE, sort="best"))
    assert "first (s)" not in line(replace(WHOLE, hits=(), total=0))


def test_notes_are_shown() -> None:
    noted = replace(WHOLE, coverage=replace(WHOLE.coverage, notes=("Search index damaged, history intact.",)))
    assert line(noted).endswith("Search index damaged, history intact")


def test_hits_of_another_query_are_not_passed_off_as_those_of_this_one() -> None:
    assert line(WHOLE, "words").startswith("these are the hits of word · ")


def test_the_line_breaks_between_parts() -> None:
    assert broken(["one two", "three", "four"], 16) == ["one two · three", "four"]
    assert broken(["a\x1b[2Jb"], 16) == ["ab"]
