"""The one table of keys: complete, without clashes, and what the README shows."""

from __future__ import annotations

import re

import pytest
from textual import events
from textual._xterm_parser import XTermParser

from hermes_tui.tui.commands import COMMANDS, Where, applicable, bindings, is_text, key_table, of
from hermes_tui.tui.status import hints

PANES = [Where.LIST, Where.BOX, Where.HITS, Where.TRANSCRIPT]
FIXED = {  # the keys of the design that people will have in their fingers, and where they have to work
    "slash": [Where.ANYWHERE],
    "down": PANES,
    "up": [Where.LIST, Where.HITS, Where.TRANSCRIPT],
    "j": [Where.LIST, Where.HITS, Where.TRANSCRIPT],
    "k": [Where.LIST, Where.HITS, Where.TRANSCRIPT],
    "g": [Where.LIST, Where.HITS, Where.TRANSCRIPT],
    "G": [Where.LIST, Where.HITS, Where.TRANSCRIPT],
    "enter": PANES,
    "escape": [Where.ANYWHERE],
    "tab": [Where.ANYWHERE],
    "shift+tab": [Where.ANYWHERE],
    "n": [Where.HITS, Where.TRANSCRIPT],
    "N": [Where.HITS, Where.TRANSCRIPT],
    "u": [Where.TRANSCRIPT],
    "U": [Where.TRANSCRIPT],
    "ctrl+f": [Where.TRANSCRIPT],
    "c": [Where.TRANSCRIPT],
    "x": [Where.ANYWHERE],
    "r": [Where.TRANSCRIPT],
    "o": [Where.TRANSCRIPT],
    "y": [Where.HITS, Where.TRANSCRIPT],
    "a": [Where.LIST, Where.HITS],
    "s": [Where.LIST, Where.HITS],
    "question_mark": [Where.ANYWHERE],
    "ctrl+p": [Where.ANYWHERE],
    "ctrl+c": [Where.ANYWHERE],
    "q": [Where.ANYWHERE],
    "ctrl+q": [Where.ANYWHERE],
}


@pytest.mark.parametrize("key", FIXED)
def test_every_fixed_key_is_bound_where_the_design_says(key: str) -> None:
    bound = {place for command in COMMANDS if key in command.keys.split(",") for place in command.where}
    assert bound >= set(FIXED[key])


@pytest.mark.parametrize("place", [*PANES, Where.ANYWHERE])
def test_no_key_means_two_things_in_one_place(place: Where) -> None:
    keys = [key for command in of(place) for key in command.keys.split(",")]
    assert len(keys) == len(set(keys))


def test_no_character_is_a_command_of_the_search_box() -> None:
    assert [command.title for command in applicable(Where.BOX) if is_text(command)] == []


def test_texts_hold_no_markup() -> None:
    # Textual reads palette help and tooltips as markup; there is nothing in them to read.
    assert [command for command in COMMANDS if "[" in command.title + command.does] == []


def test_a_pane_binds_its_commands() -> None:
    assert len(bindings(Where.HITS)) == len(of(Where.HITS))


def test_the_markdown_table_has_a_row_for_each_command() -> None:
    rows = key_table().splitlines()
    assert len(rows) == len(COMMANDS) + 2
    assert all(row.count("|") == 4 for row in rows)
    assert "| `q` |" in key_table()


@pytest.mark.parametrize("width", [20, 40, 60, 80, 200])
@pytest.mark.parametrize("place", [Where.LIST, Where.HITS, Where.TRANSCRIPT])
def test_hints_fit_and_keep_help_and_the_way_out(place: Where, width: int) -> None:
    shown = hints(place, width)
    assert sum(len(key) + len(word) + 3 for key, word in shown) - 2 <= width
    assert {"help", "quit"} <= {word for _, word in shown}


@pytest.mark.parametrize("place", [Where.HITS, Where.TRANSCRIPT])
def test_where_one_pane_is_shown_the_way_back_is_named(place: Where) -> None:
    assert ("Escape", "back") in hints(place, 78)
    assert ("Escape", "back") in hints(place, 40)


def arrives(sent: str) -> list[str]:
    """The keys that Textual makes of what a terminal sends."""
    parser = XTermParser()
    return [event.key for event in (*parser.feed(sent), *parser.feed("")) if isinstance(event, events.Key)]


def test_alt_and_a_letter_arrive_as_terminals_send_them() -> None:
    shown = {key.strip() for command in COMMANDS for key in command.shown.split(",")}
    letters = [key[-1].lower() for key in shown if re.fullmatch(r"Alt\+.", key)]
    assert len(letters) >= 5
    assert [arrives(f"\x1b{letter}") for letter in letters] == [[f"alt+{letter}"] for letter in letters]


def test_the_function_keys_arrive_as_terminals_send_them() -> None:
    [keys] = [command.keys.split(",") for command in COMMANDS if command.shown == "F1 to F9"]
    sent = ["\x1bOP", "\x1bOQ", "\x1bOR", "\x1bOS", *(f"\x1b[{number}~" for number in (15, 17, 18, 19, 20))]
    arrived = [key for one in sent for key in arrives(one)]
    assert arrived == [f"f{digit}" for digit in range(1, 10)]
    assert set(arrived) <= set(keys)
