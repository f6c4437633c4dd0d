"""The part of the table of keys that is about the list of conversations."""

from __future__ import annotations

from hermes_tui.tui.command import Command, Where

SESSIONS: tuple[Command, ...] = (
    Command(
        "B",
        "B",
        "Group the list",
        does="Let conversations of a day, a source, a project or a model stand together, or none.",
        action="screen.next_grouping",
        where=(Where.LIST,),
        hint="group",
    ),
    Command(
        "z",
        "z",
        "Columns",
        does="Choose what the list shows of each conversation; it is remembered.",
        action="screen.choose_columns",
        where=(Where.LIST,),
    ),
    Command(
        "space",
        "Space",
        "Glance",
        does="Show below the list how the highlighted conversation began and its last answer, or not.",
        action="screen.toggle_glance",
        where=(Where.LIST,),
    ),
    Command(
        "right",
        "Right",
        "Unfold the row",
        does="Show the runs of a job, the sub-agents of a conversation, the conversations of a group.",
        action="unfold",
        where=(Where.LIST,),
    ),
    Command(
        "left",
        "Left",
        "Fold the row",
        does="Fold them again; elsewhere fold what the row stands in.",
        action="fold",
        where=(Where.LIST,),
    ),
    Command(
        "P",
        "P",
        "Stores",
        does="Every store there is: profiles, other homes, backups; go over to one, or open several at once.",
        action="screen.stores",
        where=(Where.ANYWHERE,),
    ),
)
