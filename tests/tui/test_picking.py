"""Filters that are offered: in a list with counts, and behind the cursor; and the search of one conversation."""

from __future__ import annotations

from itertools import pairwise

import pytest

from hermes_tui.library import Library
from hermes_tui.model import PLAIN, Anchor, Filtered
from hermes_tui.query import Field
from hermes_tui.tui.chips import Chips
from hermes_tui.tui.choices import ACTIVE, added, choices, completed, narrowed, quoted, unfinished
from hermes_tui.tui.picker import FilterPicker
from tests.tui.conftest import Stage, staged

FACETS = {Field.SOURCE: (("cli", 3), ("telegram", 1)), Field.MODEL: (("some model, large", 2),)}


def texts(stage: Stage) -> list[str]:
    screen = stage.app.screen
    assert isinstance(screen, FilterPicker)
    return [choice.text for choice in screen._offered]


async def open_picker(stage: Stage, key: str) -> None:
    await stage.press(key)
    await stage.until(lambda: isinstance(stage.app.screen, FilterPicker))
    await stage.app.workers.wait_for_complete()
    await stage.pilot.pause()


async def test_the_picker_lists_values_with_counts_and_enter_puts_one_into_the_query(library: Library) -> None:
    values = {"source:cli", "source:telegram", "source:cron", "role:tool", "on:yesterday", "is:pinned"}
    async with staged(library) as stage:
        for way, key in (("slash",), "alt+n"), ((), "F"):
            await stage.press(*way)
            await open_picker(stage, key)
            assert values <= set(texts(stage))
            assert any("source:cron" in line and "3 sessions" in line for line in stage.lines())
            await stage.type("telegr")
            assert texts(stage)[0] == "source:telegram"
            await stage.press("enter")
            await stage.until(lambda: stage.app.screen is stage.browser)
            await stage.answered("source:telegram")
            assert stage.browser.search.box.value == "source:telegram"
            await stage.press("ctrl+u", "escape")


async def test_a_dash_in_front_negates(library: Library) -> None:
    async with staged(library) as stage:
        await stage.search("pager")
        await open_picker(stage, "alt+n")
        await stage.type("-telegr")
        await stage.press("enter")
        await stage.answered("pager -source:telegram")
        assert "telegram" not in {anchor.session_id for anchor in stage.hits()}
        assert Anchor("pager", 5) not in stage.hits()
        assert stage.hits()


async def test_filters_that_stand_are_on_top_and_enter_takes_one_out(library: Library) -> None:
    async with staged(library) as stage:
        await stage.search("pager source:telegram")
        await open_picker(stage, "alt+n")
        assert texts(stage)[0] == "source:telegram"
        assert ACTIVE in stage.text()
        await stage.press("enter")
        await stage.answered("pager")


async def test_a_date_to_be_typed_goes_to_the_box(library: Library) -> None:
    async with staged(library) as stage:
        await stage.search("pager")
        await stage.press("down")
        await open_picker(stage, "F")
        await stage.type("on:")
        await stage.press(*["down"] * texts(stage).index("on:"), "enter")
        await stage.until(lambda: stage.focus == "box")
        assert stage.browser.search.box.value == "pager on:"
        await stage.type("2026-08")
        await stage.answered("pager on:2026-08")


async def test_escape_leaves_the_query_alone(library: Library) -> None:
    async with staged(library) as stage:
        await stage.search("pager")
        await open_picker(stage, "alt+n")
        await stage.press("down", "escape")
        await stage.until(lambda: stage.app.screen is stage.browser)
        assert stage.browser.search.box.value == "pager"
        assert stage.focus == "box"


async def test_right_takes_the_value_that_is_offered_behind_the_cursor(library: Library) -> None:
    async with staged(library) as stage:
        await stage.press("slash")
        await stage.type("pager source:te")
        await stage.until(lambda: stage.browser.search.box._suggestion == "pager source:telegram", "the completion")
        await stage.press("right")
        assert stage.browser.search.box.value == "pager source:telegram"
        await stage.answered("pager source:telegram")


async def test_i_keeps_the_search_to_the_conversation_that_is_read(library: Library) -> None:
    async with staged(library) as stage:
        await stage.search("pager")
        everywhere = stage.hits()
        await stage.press("down", "end", "enter")
        await stage.shown("pager#5")
        await stage.press("i")
        await stage.answered("conversation:pager pager")
        assert {anchor.session_id for anchor in stage.hits()} == {"pager"}
        assert stage.focus == "transcript"
        [chip] = stage.browser.query_one(Chips).shown
        assert chip.text == "F1 in Fix the pager"
        await stage.press("i")
        await stage.answered("pager")
        assert stage.hits() == everywhere


async def test_i_without_a_query_goes_to_the_box_to_type_one(library: Library) -> None:
    async with staged(library) as stage:
        await stage.press("down", "down", "enter")
        await stage.shown("untitled")
        await stage.press("i")
        assert stage.focus == "box"
        await stage.type("less")
        await stage.answered("conversation:untitled less")
        assert [anchor.session_id for anchor in stage.hits()] == ["untitled"]


async def test_alt_i_works_while_typing(library: Library) -> None:
    async with staged(library) as stage:
        await stage.search("rare")
        await stage.shown(str(stage.hits()[0]))
        await stage.press("alt+i")
        await stage.answered("conversation:recipes rare")
        assert {anchor.session_id for anchor in stage.hits()} == {"recipes"}
        assert stage.focus == "box"


def test_what_stands_comes_first_then_values_by_field_with_counts() -> None:
    rows = choices([Filtered("-is:child", "word")], FACETS)
    assert [(row.text, row.about) for row in rows[:4]] == [
        ("-is:child", ""),
        ("source:cli", "3 sessions"),
        ("source:telegram", "1 session"),
        ('model:"some model, large"', "2 sessions"),
    ]
    assert rows[0].without == "word"


def test_typing_keeps_headings_together_the_likest_first() -> None:
    rows = narrowed(choices([], FACETS), "source:tel")
    assert rows[0].text == "source:telegram"
    headings = [row.heading for row in rows]
    assert len([1 for left, right in pairwise(headings) if left != right]) < len(set(headings))


@pytest.mark.parametrize(
    ("typed", "result"),
    [
        ("te", ["source:telegram", "cwd:/srv/teashop", "in:text", "model:latest", "on:yesterday"]),
        ("TEXT", ["in:text"]),
        ("srv", ["cwd:/srv/teashop", "cwd:/home/srvold"]),
        ("model", ["model:latest"]),
        ("since", ["after:7d", "after:30d", "after:1y"]),
        ("tlgrm", ["source:telegram"]),
        ("-tele", ["-source:telegram"]),
        ("zzz", []),
    ],
)
def test_what_begins_so_comes_before_what_holds_it(typed: str, result: list[str]) -> None:
    facets = {
        Field.CWD: (("/home/srvold", 5), ("/srv/teashop", 3)),
        Field.SOURCE: (("cli", 3), ("telegram", 1)),
        Field.MODEL: (("latest", 2),),
    }
    rows = [row for row in choices([], facets) if row.text.rstrip(":") != "title"]
    found = [row.text for row in narrowed(rows, typed)]
    assert sorted(found) == sorted(result)
    assert found[:1] == result[:1]


@pytest.mark.parametrize(
    ("text", "wanted", "result"),
    [
        ("", "source:cli", "source:cli"),
        ("word", "source:cli", "word source:cli"),
        ("word source:cli", "source:cli", "word source:cli"),
        ("source:cli word", "source:cron", "source:cli,cron word"),
        ("-source:cli word", "source:cron", "-source:cli word source:cron"),
        ("word source:cli", "-source:cron", "word source:cli -source:cron"),
        ("is:pinned", "is:branch", "is:pinned is:branch"),
        ("on:today", "on:yesterday", "on:today on:yesterday"),
    ],
)
def test_a_filter_is_put_into_the_query(text: str, wanted: str, result: str) -> None:
    assert added(text, wanted, PLAIN) == result


def test_a_value_is_quoted_where_it_has_to_be() -> None:
    assert [quoted(value) for value in ("cli", "a b", "a,b", 'a"b')] == ["cli", '"a b"', '"a,b"', "ab"]


@pytest.mark.parametrize(
    ("text", "begun"),
    [
        ("source:", (Field.SOURCE, "")),
        ("word -tool:rea", (Field.TOOL, "rea")),
        ("source:cli,te", (Field.SOURCE, "te")),
        ("source:cli ", None),
        ("resource:te", None),
        ("title:x", None),
        ("word", None),
    ],
)
def test_what_is_being_typed_is_a_filter_or_not(text: str, begun: tuple[Field, str] | None) -> None:
    assert unfinished(text) == begun


def test_the_first_value_that_begins_so_completes_it() -> None:
    assert completed("a source:T", ["cli", "telegram", "teams"]) == "a source:Telegram"
    assert completed("a source:telegram", ["telegram"]) is None
    assert completed("a source:t", ["two words"]) is None
    assert completed("a b", ["b"]) is None
