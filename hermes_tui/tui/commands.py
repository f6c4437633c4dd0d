"""The one table of what the keys do.

Every key of the browser is a row of `COMMANDS`. The bindings of each pane, the line of hints at the bottom, the command
palette, the help screen and the key table of the README are made from it, so none of them can fall behind.
"""

from __future__ import annotations

from textual.binding import BindingType

from hermes_tui.tui.command import BOXES, Command, Where
from hermes_tui.tui.copy_commands import COPYING
from hermes_tui.tui.handing_commands import HANDING
from hermes_tui.tui.reading_commands import READING
from hermes_tui.tui.search_commands import SEARCHING
from hermes_tui.tui.session_commands import SESSIONS
from hermes_tui.tui.sight_commands import SIGHTS

__all__ = ["COMMANDS", "Command", "Where", "applicable", "bindings", "is_text", "key_table", "of"]

ROWS = (Where.LIST, Where.HITS)
LINES = (Where.LIST, Where.HITS, Where.WAYS, Where.TRANSCRIPT, Where.OUTLINE)

COMMANDS: tuple[Command, ...] = (
    # Moving about inside a pane.
    Command("down,j", "Down, j", "Down", does="One row or line further.", action="cursor_down", where=LINES),
    Command("up,k", "Up, k", "Up", does="One row or line back.", action="cursor_up", where=LINES),
    Command("pagedown", "Page Down", "Page down", does="One screen further.", action="page_down", where=LINES),
    Command("pageup", "Page Up", "Page up", does="One screen back.", action="page_up", where=LINES),
    Command("home,g", "Home, g", "Top", does="The first row or line.", action="cursor_first", where=LINES),
    Command("end,G", "End, G", "End", does="The last row or line.", action="cursor_last", where=LINES),
    Command(
        "enter",
        "Enter",
        "Open",
        does="Read what is highlighted in the transcript.",
        action="open",
        where=(Where.LIST, Where.BOX, Where.HITS, Where.WAYS, Where.OUTLINE),
        hint="open",
    ),
    Command(
        "enter",
        "Enter",
        "Unfold",
        does="Unfold or fold the block under the cursor.",
        action="toggle_fold",
        where=(Where.TRANSCRIPT,),
        hint="unfold",
    ),
    # From pane to pane.
    Command(
        "down",
        "Down",
        "To the hits",
        does="Leave the box for the hits below it; among recalled searches, go forward to the newer ones first.",
        action="leave_down",
        where=(Where.BOX,),
        hint="hits",
    ),
    Command(
        "slash",
        "/",
        "Search",
        does="Go to the search box: search all that was said, in every conversation.",
        action="screen.focus_box",
        where=(Where.ANYWHERE,),
        hint="search",
    ),
    Command("tab", "Tab", "Next pane", does="Go to the next pane.", action="screen.next_pane", where=(Where.ANYWHERE,)),
    Command(
        "shift+tab",
        "Shift+Tab",
        "Previous pane",
        does="Go to the previous pane.",
        action="screen.previous_pane",
        where=(Where.ANYWHERE,),
    ),
    Command(
        "escape",
        "Escape",
        "Back",
        does="Back out one level: from the transcript to the hits, to the list; in the list it ends the search.",
        action="screen.back",
        where=(Where.ANYWHERE,),
        hint="back",
    ),
    # Hits.
    Command(
        "n",
        "n",
        "Next hit",
        does="The next hit in the order of the hits; after the last one of a conversation, the first of the next.",
        action="next_hit",
        where=(Where.HITS, Where.TRANSCRIPT),
        hint="next hit",
    ),
    Command(
        "N",
        "N",
        "Previous hit",
        does="The hit before in the order of the hits, going over to the conversation before.",
        action="previous_hit",
        where=(Where.HITS, Where.TRANSCRIPT),
    ),
    Command(
        "right",
        "Right",
        "Unfold the hits",
        does="Show every hit of the conversation.",
        action="unfold",
        where=(Where.HITS,),
    ),
    Command(
        "left",
        "Left",
        "Fold the hits",
        does="Show the first hits of the conversation only.",
        action="fold",
        where=(Where.HITS,),
    ),
    # Reading.
    Command(
        "u",
        "u",
        "Next user turn",
        does="The next thing a person said.",
        action="next_turn",
        where=(Where.TRANSCRIPT,),
        hint="next turn",
    ),
    Command(
        "U",
        "U",
        "Previous user turn",
        does="The thing a person said before.",
        action="previous_turn",
        where=(Where.TRANSCRIPT,),
    ),
    Command(
        "r",
        "r",
        "Reasoning",
        does="Show or hide what the model thought.",
        action="toggle_reasoning",
        where=(Where.TRANSCRIPT,),
    ),
    Command(
        "x",
        "x",
        "Rewound turns",
        does="Show or hide turns that were taken back, in the transcript and among the hits.",
        action="screen.toggle_rewound",
        where=(Where.ANYWHERE,),
    ),
    Command(
        "y",
        "y",
        "Copy",
        does="Copy what the mouse has selected in the transcript, else the message, and say how it was copied.",
        action="copy",
        where=(Where.HITS, Where.TRANSCRIPT),
        hint="copy",
    ),
    Command(
        "ctrl+c",
        "Ctrl+C",
        "Copy the selection",
        does="Copy what is selected; with nothing selected, say how to quit.",
        action="screen.copy_selection",
        where=(Where.ANYWHERE, Where.BOX),
    ),
    *READING,
    *SEARCHING,
    *SESSIONS,
    *SIGHTS,
    *COPYING,
    *HANDING,
    # What the lists show.
    Command(
        "a",
        "a",
        "Show everything",
        does="Show what is left out by default, or leave it out again: automation and archived conversations in the "
        "list, hits past the first ones in the hits.",
        action="screen.toggle_everything",
        where=ROWS,
        hint="all",
    ),
    Command(
        "s",
        "s",
        "Sort",
        does="The next order. List: last activity, start, length, tokens, cost, title. Hits: newest, best, oldest "
        "first.",
        action="screen.next_sort",
        where=ROWS,
        hint="sort",
    ),
    # The browser itself.
    Command(
        "question_mark",
        "?",
        "Help",
        does="What the keys do in this pane.",
        action="screen.help",
        where=(Where.ANYWHERE,),
        hint="help",
    ),
    Command(
        "ctrl+p",
        "Ctrl+P",
        "Command palette",
        does="Find a command by its name.",
        action="app.command_palette",
        where=(Where.ANYWHERE,),
    ),
    Command(
        "q",
        "q",
        "Quit",
        does="Leave the browser; in a box it is a letter.",
        action="app.quit",
        where=(Where.ANYWHERE,),
        hint="quit",
    ),
    Command(
        "ctrl+q",
        "Ctrl+Q",
        "Quit at once",
        does="Leave the browser, also while typing.",
        action="app.quit",
        where=(Where.ANYWHERE,),
    ),
)


def of(where: Where) -> tuple[Command, ...]:
    """The commands bound in one place, in the order of the table."""
    return tuple(command for command in COMMANDS if where in command.where)


def bindings(*where: Where) -> list[BindingType]:
    """Textual bindings of one place: what a pane puts in its `BINDINGS`."""
    return [binding for place in where for command in of(place) for binding in command.bindings(place)]


def applicable(where: Where) -> list[Command]:
    """Every command that does something while `where` holds the focus: its own first, then those of everywhere."""
    general = of(Where.ANYWHERE)
    if where in BOXES:
        general = tuple(command for command in general if not is_text(command))
    return list(dict.fromkeys((*of(where), *general)))


def is_text(command: Command) -> bool:
    """Whether the command's key is a character, so that a box takes it as text."""
    return len(command.shown) == 1


def key_table() -> str:
    """The table as Markdown, for the README: one row per command, keys in code marks."""
    rows = ["| key | does | where |", "|---|---|---|"]
    for command in COMMANDS:
        keys = ", ".join(f"`{key}`" for key in command.shown.split(", "))
        rows.append(f"| {keys} | {command.title}. {command.does} | {_places(command)} |")
    return "\n".join(rows) + "\n"


def _places(command: Command) -> str:
    if Where.ANYWHERE in command.where:
        return "everywhere but in a box" if is_text(command) else Where.ANYWHERE.value
    return ", ".join(place.value for place in command.where)
