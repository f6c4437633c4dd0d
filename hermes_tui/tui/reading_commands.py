"""The part of the table of keys that is about reading a conversation."""

from __future__ import annotations

from hermes_tui.tui.command import Command, Where

READING: tuple[Command, ...] = (
    Command(
        "ctrl+f",
        "Ctrl+F",
        "Find",
        does="Find characters in this conversation, as they stand; n and N go on, Escape ends it.",
        action="screen.find",
        where=(Where.TRANSCRIPT, Where.FIND),
        hint="find",
    ),
    Command(
        "enter",
        "Enter",
        "Next find",
        does="The next place, round the end.",
        action="next_find",
        where=(Where.FIND,),
        hint="next",
    ),
    Command(
        "shift+enter,up",
        "Shift+Enter, Up",
        "Previous find",
        does="The place before, round the beginning.",
        action="previous_find",
        where=(Where.FIND,),
        hint="previous",
    ),
    Command(
        "down",
        "Down",
        "To the text",
        does="Leave the find line for the text, where n and N go on.",
        action="leave_find",
        where=(Where.FIND,),
        hint="text",
    ),
    Command(
        "c",
        "c",
        "Compaction lens",
        does="The next way to read a compacted conversation: as lived, as the model saw it, only what was compacted "
        "away.",
        action="screen.next_lens",
        where=(Where.TRANSCRIPT,),
    ),
)
