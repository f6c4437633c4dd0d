"""How hits are grouped, and how a snippet is cut to a line."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermes_tui.model import Anchor, Answer, Coverage, Hit, HitMessage, Session, State
from hermes_tui.render import cells
from hermes_tui.tui.crop import crop
from hermes_tui.tui.groups import TITLES, group


def hit(number: int, session: Session) -> Hit:
    message = HitMessage(number, "user", None, 1_790_000_000.0 + number, State.LIVE)
    return Hit(Anchor(session.id, number), "word", ((0, 4),), message, session)


def answer(*hits: Hit, sessions: tuple[Session, ...] = ()) -> Answer:
    return Answer("word", "newest", hits, sessions, Coverage(), {}, len(hits), False, 1.0, True)


ROOT = Session("s1", "cli", title="Spring", conversation="s2")
TIP = Session("s2", "cli", title="Autumn", conversation="s2")
OTHER = Session("s9", "telegram", title="Other", conversation="s9")


def test_hits_of_a_conversation_stand_together_where_its_first_hit_is() -> None:
    groups = list(group(answer(hit(9, TIP), hit(5, OTHER), hit(3, ROOT)), everything=False))
    assert [[row.anchor.message_id for row in part.rows if isinstance(row, Hit)] for part in groups] == [[9, 3], [5]]


def test_a_heading_is_about_the_session_that_holds_the_hit() -> None:
    [only] = group(answer(hit(9, TIP)), everything=False)
    assert only.session is TIP


def test_conversations_found_by_name_come_first_and_the_rest_is_counted() -> None:
    named = tuple(Session(f"n{number}", "cli", title="word") for number in range(TITLES + 4))
    first, _ = group(answer(hit(9, TIP), sessions=named), everything=False)
    assert (len(first.rows), first.left_out) == (TITLES, 4)
    first, _ = group(answer(hit(9, TIP), sessions=named), everything=True)
    assert (len(first.rows), first.left_out) == (TITLES + 4, 0)


def text(runs: list[tuple[str, bool]]) -> str:
    return "".join(run for run, _ in runs)


def marked(runs: list[tuple[str, bool]]) -> list[str]:
    return [run for run, mark in runs if mark]


def test_a_snippet_that_fits_is_shown_whole() -> None:
    runs = crop("fix the pager now", [(8, 13)], 40)
    assert (text(runs), marked(runs)) == ("fix the pager now", ["pager"])


def test_a_match_far_in_is_brought_into_view() -> None:
    long = "x" * 30 + " " + "and so on " * 10 + "needle " + "more " * 20
    start = long.index("needle")
    runs = crop(long, [(start, start + 6)], 40)
    assert marked(runs) == ["needle"]
    assert text(runs).startswith("…")
    assert text(runs).endswith("…")


@pytest.mark.parametrize("markup", ["[/b]", "[@click=app.quit]press[/]", "list[int]", "[red]"])
def test_brackets_are_text(markup: str) -> None:
    runs = crop(f"use {markup} here", [(4, 4 + len(markup))], 60)
    assert marked(runs) == [markup]


def test_control_codes_go_and_the_match_stays_marked() -> None:
    runs = crop("A\x1b[2JB\x07C needle\x9b31m D", [(9, 15)], 60)
    assert (text(runs), marked(runs)) == ("ABC needle D", ["needle"])


@given(
    st.text(max_size=200),
    st.lists(st.tuples(st.integers(0, 200), st.integers(1, 20)), max_size=4),
    st.integers(4, 90),
)
def test_a_cut_snippet_fits_and_loses_nothing_without_a_sign(
    snippet: str, places: list[tuple[int, int]], width: int
) -> None:
    spans: list[tuple[int, int]] = []
    for start, length in sorted(places):
        if start + length <= len(snippet) and (not spans or start >= spans[-1][1]):
            spans.append((start, start + length))
    runs = crop(snippet, spans, width)
    shown = text(runs)
    assert cells(shown) <= width
    whole = text(crop(snippet, [], 10_000))
    assert shown.removeprefix("…").removesuffix("…") in whole or shown in whole
    if cells(whole) > width:
        assert "…" in (shown[:1], shown[-1:])
