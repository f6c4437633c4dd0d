"""One keystroke, end to end: from a key to what is on the screen, on a real store."""

from __future__ import annotations

import string

import pytest

from hermes_tui.library import Library
from hermes_tui.model import Anchor
from hermes_tui.tui.order import HitOrder
from hermes_tui.tui.sheet import session_of
from tests.tui.conftest import staged


async def test_the_first_screen_is_the_newest_conversations(library: Library) -> None:
    async with staged(library) as stage:
        text = stage.text()
        places = [
            text.index(title) for title in ("Newest of all", "Recipes", "which pager", "Fix the pager", "Watering")
        ]
        assert places == sorted(places)
        await stage.shown("newest")
        assert "Hello. What shall we do?" in stage.text()


async def test_what_is_hidden_is_counted_and_one_key_shows_it(library: Library) -> None:
    async with staged(library) as stage:
        assert "3 hidden: cron 3 (a shows all)" in stage.text()
        assert "Nightly" not in stage.text()
        await stage.press("a")
        await stage.until(lambda: "Nightly 2" in stage.text())
        assert "hidden:" not in stage.text()
        await stage.press("a")
        await stage.until(lambda: "Nightly" not in stage.text())
        assert "3 hidden: cron 3 (a shows all)" in stage.text()


async def test_moving_the_highlight_shows_that_conversation(library: Library) -> None:
    async with staged(library) as stage:
        await stage.press("down")
        await stage.shown("recipes")
        assert "Take lovage" in stage.text()
        await stage.press("j", "j")
        await stage.shown("pager")
        await stage.press("k")
        await stage.shown("untitled")
        await stage.press("end")
        await stage.shown("garden")
        await stage.press("home")
        await stage.shown("newest")


async def test_no_character_does_anything_else_in_the_box(library: Library) -> None:
    text = "".join(char for char in string.printable if char.isprintable())
    async with staged(library) as stage:
        await stage.press("slash")
        before = (stage.browser.everything, stage.browser.order, stage.browser.rewound)
        stage.burst(*text)
        await stage.until(lambda: len(stage.browser.search.box.value) >= len(text))
        assert stage.browser.search.box.value == text
        assert stage.focus == "box"
        assert stage.app.screen is stage.browser
        assert (stage.browser.everything, stage.browser.order, stage.browser.rewound) == before


async def test_typing_shows_hits_and_the_first_in_its_place(library: Library) -> None:
    async with staged(library) as stage:
        await stage.search("kettle")
        assert stage.hits() == [Anchor("garden", 2), Anchor("garden", 1)]
        await stage.shown("garden#2")
        assert "The copper kettle holds two litres" in stage.text()
        assert stage.focus == "box"


async def test_the_coverage_line_stays_while_a_query_stands(library: Library) -> None:
    async with staged(library) as stage:
        assert "searched" not in stage.text()
        await stage.search("kettle")
        assert "2 hits in 1 conversation · word 2 · all 20 messages searched" in stage.text()
        await stage.press("escape", "escape")
        assert "2 hits in 1 conversation" in stage.text()
        await stage.press("escape")
        await stage.until(lambda: "searched" not in stage.text())


async def test_a_group_has_its_title_date_and_count(library: Library) -> None:
    async with staged(library) as stage:
        await stage.search("pager")
        [heading] = [line for line in stage.lines() if "Fix the pager" in line and line.rstrip().endswith("4 hits")]
        assert "2026" in heading
        assert "telegram" in heading


async def test_enter_reads_the_hit_and_escape_backs_out_level_by_level(library: Library) -> None:
    async with staged(library) as stage:
        await stage.search("kettle")
        await stage.press("down")
        assert stage.focus == "hits"
        await stage.press("down", "enter")
        await stage.shown("garden#1")
        assert stage.focus == "transcript"
        await stage.press("escape")
        assert stage.focus == "hits"
        await stage.press("escape")
        assert stage.focus == "list-rows"
        assert stage.browser.text == "kettle"
        await stage.press("escape")
        await stage.until(lambda: stage.browser.text == "")
        assert stage.browser.search.box.value == ""
        assert stage.focus == "list-rows"


async def test_escape_leaves_the_box(library: Library) -> None:
    async with staged(library) as stage:
        await stage.press("slash", "escape")
        assert stage.focus == "list-rows"
        await stage.search("kettle")
        await stage.press("escape")
        assert stage.focus == "hits"


async def test_enter_in_the_list_reads_and_escape_goes_back_to_it(library: Library) -> None:
    async with staged(library) as stage:
        await stage.press("down", "enter")
        await stage.shown("recipes")
        assert stage.focus == "transcript"
        await stage.press("escape")
        assert stage.focus == "list-rows"


async def test_enter_before_the_answer_opens_what_is_found(library: Library) -> None:
    async with staged(library) as stage:
        await stage.press("slash", *"kettle", "enter")
        await stage.shown("garden#2")
        await stage.until(lambda: stage.focus == "transcript")


async def test_tab_goes_through_the_panes_in_order(library: Library) -> None:
    async with staged(library) as stage:
        seen = []
        for _ in range(3):
            await stage.press("tab")
            seen.append(stage.focus)
        assert seen == ["box", "transcript", "list-rows"]
        await stage.search("kettle")
        seen = []
        for _ in range(4):
            await stage.press("tab")
            seen.append(stage.focus)
        assert seen == ["hits", "transcript", "list-rows", "box"]
        await stage.press("shift+tab")
        assert stage.focus == "list-rows"


async def test_n_goes_on_to_the_next_conversation_and_says_so(library: Library) -> None:
    async with staged(library) as stage:
        await stage.search("rare")
        # Newest first: both messages of Recipes, then one of the pager.
        assert [anchor.session_id for anchor in stage.hits()] == ["recipes", "recipes", "pager"]
        await stage.press("down", "n")
        await stage.until(lambda: str(stage.browser.search.hits.anchor_here) == str(stage.hits()[1]))
        assert stage.status() == ""
        await stage.press("n")
        await stage.shown(str(stage.hits()[2]))
        assert stage.status() == "Next conversation: Fix the pager"
        await stage.press("n")
        assert stage.status() == "That was the last hit."
        await stage.press("N", "N", "N")
        assert stage.status() == "That was the first hit."


async def test_n_in_the_transcript_goes_through_the_hits_in_their_order(library: Library) -> None:
    async with staged(library) as stage:
        await stage.search("rare")
        hits = stage.hits()
        await stage.press("enter")
        await stage.shown(str(hits[0]))
        for number, hit in enumerate(hits[1:], 1):
            await stage.press("n")
            await stage.shown(str(hit))
            assert stage.browser.search.hits.anchor_here == hit
            assert stage.focus == "transcript"
            assert stage.status() == ("Next conversation: Fix the pager" if number == 2 else "")
        await stage.press("n")
        await stage.until(lambda: stage.status() == "That was the last hit.")
        for hit in reversed(hits[:-1]):
            await stage.press("N")
            await stage.shown(str(hit))
        await stage.press("N")
        await stage.until(lambda: stage.status() == "That was the first hit.")


async def test_n_begins_with_the_first_hit_of_a_conversation_opened_from_the_list(library: Library) -> None:
    async with staged(library) as stage:
        await stage.search("rare")
        hits = stage.hits()
        await stage.press("escape", "escape", "down", "enter")
        await stage.shown("recipes")
        await stage.press("n")
        await stage.shown(str(hits[0]))
        await stage.press("n")
        await stage.shown(str(hits[1]))


async def test_n_typed_fast_counts_every_time(library: Library) -> None:
    async with staged(library) as stage:
        await stage.search("rare")
        hits = stage.hits()
        await stage.press("enter")
        await stage.shown(str(hits[0]))
        stage.burst("n", "n")
        await stage.shown(str(hits[2]))
        assert stage.browser.search.hits.anchor_here == hits[2]


async def test_sorting_turns_the_hits_round(library: Library) -> None:
    async with staged(library) as stage:
        await stage.search("kettle")
        newest = stage.hits()
        await stage.press("down", "s", "s")
        await stage.until(lambda: stage.hits() == newest[::-1])
        assert stage.status() == "Hits: oldest first."
        assert stage.browser.search.hits.anchor_here == newest[0]
        await stage.until(lambda: "oldest first (s)" in stage.text())


async def test_sorting_the_list_keeps_the_highlighted_conversation(library: Library) -> None:
    async with staged(library) as stage:
        await stage.press("down")
        await stage.shown("recipes")
        await stage.press(*["s"] * 5)
        await stage.until(lambda: "conversations by title" in stage.text())
        shown = [session_of(row) for row in stage.browser.sessions.rows.laid.rows]
        titles = [row and row.title for row in shown]
        assert titles == ["Fix the pager", "Newest of all", "Recipes", "Watering plan", None]
        assert stage.browser.sessions.rows.session is not None
        assert stage.browser.sessions.rows.session.id == "recipes"


async def test_titles_and_ids_are_found_and_open_the_conversation(library: Library) -> None:
    async with staged(library) as stage:
        await stage.search("recipes")
        assert Anchor("recipes") in stage.hits()
        await stage.press("down", "enter")
        await stage.shown("recipes")
        assert stage.focus == "transcript"


async def test_nothing_to_search_for_leaves_the_list_as_it_is(library: Library) -> None:
    async with staged(library) as stage:
        await stage.press("slash")
        for text in ('"', '""', "   "):
            await stage.type(text)
            assert stage.browser.search.box.value == text
            assert stage.browser.text == ""
            assert not stage.browser.search.hits.display
            assert "5 conversations" in stage.text()
            await stage.press("ctrl+u")


async def test_a_place_is_opened_at_once(library: Library) -> None:
    async with staged(library, anchor=Anchor("garden", 3)) as stage:
        await stage.shown("garden#3")
        assert stage.focus == "transcript"
        assert "write it to plans/water.md please" in stage.text()


async def test_a_pasted_place_goes_straight_there(library: Library) -> None:
    async with staged(library) as stage:
        await stage.search("garden#3")
        await stage.shown("garden#3")


async def test_a_query_without_hits_says_what_was_searched(library: Library) -> None:
    async with staged(library) as stage:
        await stage.search("zeppelin")
        assert "no hits" in stage.text()
        assert "all 20 messages searched" in stage.text()
        await stage.press("down")
        assert stage.focus == "box"


@pytest.mark.parametrize("keys", [["q"], ["ctrl+q"], ["slash", "ctrl+q"], ["question_mark", "ctrl+q"]])
async def test_the_way_out(library: Library, keys: list[str]) -> None:
    async with staged(library) as stage:
        await stage.press(*keys)
        await stage.until(lambda: stage.app._exit)


async def test_ctrl_c_without_a_selection_says_how_to_quit(library: Library) -> None:
    async with staged(library) as stage:
        for keys in (["ctrl+c"], ["slash", "ctrl+c"]):
            await stage.press(*keys)
            assert stage.status() == "Nothing is selected to copy. Ctrl+Q quits."
        assert not stage.app._exit


async def test_keys_typed_in_one_go_after_slash_are_text(library: Library) -> None:
    async with staged(library) as stage:
        for word in ("query", "undo", "xas?/n"):
            stage.burst("slash", *word)
            await stage.until(lambda word=word: stage.browser.search.box.value == word)  # type: ignore[misc]
            assert stage.focus == "box"
            assert stage.app.screen is stage.browser
            assert not stage.app._exit
            await stage.press("ctrl+u", "escape")
            assert stage.focus == "list-rows"


async def test_a_burst_goes_from_pane_to_pane(library: Library) -> None:
    async with staged(library) as stage:
        await stage.search("rare")
        hits = stage.hits()
        stage.burst("escape", "n", "tab", "escape", "escape", "slash", "s")
        await stage.until(lambda: stage.browser.search.box.value == "rares")
        assert stage.focus == "box"
        assert stage.browser.hit_order is HitOrder.NEWEST
        await stage.until(lambda: stage.browser.reading == str(hits[1]))


async def test_enter_is_about_the_text_in_the_box_now(library: Library) -> None:
    async with staged(library) as stage:
        await stage.search("rare")
        stage.burst("escape", "escape", "escape", "slash", *"kettle", "enter")
        await stage.until(lambda: stage.focus == "transcript")
        await stage.shown("garden#2")
        assert stage.browser.search.box.value == "kettle"
        assert stage.browser.text == "kettle"
        await stage.press("escape", "slash")
        stage.burst(*["backspace"] * 6, *"soup", "enter")
        await stage.until(lambda: stage.focus == "transcript")
        await stage.until(lambda: stage.browser.reading.startswith("recipes#"))
        assert stage.browser.search.box.value == "soup"


async def test_enter_on_a_text_without_hits_opens_nothing_old(library: Library) -> None:
    async with staged(library) as stage:
        await stage.search("rare")
        stage.burst(*["backspace"] * 4, *"zzzz", "enter")
        await stage.answered("zzzz")
        assert stage.focus == "box"
