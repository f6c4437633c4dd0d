"""The part of the table of keys that is about searching."""

from __future__ import annotations

from hermes_tui.tui.command import DIGIT, Command, Where

# Most terminals send Alt and a key as Escape and the key. Textual takes some of these for something else: Alt+F and
# Alt+B for moves of the cursor, Alt and a digit for a symbol such as ¡. What is shown here always arrives.
SEARCHING: tuple[Command, ...] = (
    Command(
        "up",
        "Up",
        "Search before",
        does="Recall an older search with its switches; Down leads back to what was typed.",
        action="older",
        where=(Where.BOX,),
        hint="past",
    ),
    Command(
        "ctrl+r",
        "Ctrl+R",
        "Past and saved searches",
        does="Choose from the searches made before and those saved under a name.",
        action="screen.past_searches",
        where=(Where.ANYWHERE,),
    ),
    Command(
        "ctrl+s",
        "Ctrl+S",
        "Save this search",
        does="Save the search that stands, with its switches, under a name.",
        action="screen.save_search",
        where=(Where.ANYWHERE,),
    ),
    Command(
        "alt+c",
        "Alt+C",
        "Capitals",
        does="Tell capitals from small letters, or not.",
        action="screen.toggle_case",
        where=(Where.ANYWHERE,),
    ),
    Command(
        "alt+r",
        "Alt+R",
        "Regular expression",
        does="Take what is typed, but for its filters, as a regular expression, or as words.",
        action="screen.toggle_regex",
        where=(Where.ANYWHERE,),
    ),
    Command(
        "alt+t",
        "Alt+T",
        "Search reasoning",
        does="Look into what the model thought as well, or not.",
        action="screen.toggle_reasoning_search",
        where=(Where.ANYWHERE,),
    ),
    Command(
        "r",
        "r",
        "Search reasoning too",
        does="Look into what the model thought as well, or not.",
        action="screen.toggle_reasoning_search",
        where=(Where.LIST, Where.HITS, Where.WAYS),
    ),
    Command(
        ",".join(f"{key}{digit}" for key in ("f", "alt+") for digit in range(1, 10)),
        "F1 to F9",
        "Remove a filter",
        does="Remove the filter of this number; where nothing was found, take the way out of this number.",
        action=f"screen.pick_number({DIGIT})",
        where=(Where.ANYWHERE,),
    ),
    Command(
        ",".join(str(digit) for digit in range(1, 10)),
        "1 to 9",
        "Take a way out",
        does="Ask the question of this number, which has hits.",
        action=f"pick({DIGIT})",
        where=(Where.WAYS,),
    ),
    Command(
        "F",
        "F",
        "Pick a filter",
        does="Choose from all there is to filter by, with counts.",
        action="screen.pick_filter",
        where=(Where.ANYWHERE,),
    ),
    Command(
        "alt+n",
        "Alt+N",
        "Pick a filter while typing",
        does="The same in the box, where F is a letter.",
        action="screen.pick_filter",
        where=(Where.BOX,),
        hint="filters",
    ),
    Command(
        "right",
        "Right",
        "Complete",
        does="Take what is offered behind the cursor, or go one character on.",
        action="cursor_right",
        where=(Where.BOX,),
    ),
    Command(
        "i",
        "i",
        "Search this conversation",
        does="Keep to the conversation that is being read, or search all of them again.",
        action="screen.toggle_within",
        where=(Where.HITS, Where.TRANSCRIPT),
    ),
    Command(
        "alt+i",
        "Alt+I",
        "Search this conversation, from anywhere",
        does="The same from anywhere, also while typing.",
        action="screen.toggle_within",
        where=(Where.ANYWHERE,),
    ),
)
