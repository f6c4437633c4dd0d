"""The part of the table of keys that opens other views of the sessions."""

from __future__ import annotations

from hermes_tui.tui.command import Command, Where

READ = (Where.LIST, Where.HITS, Where.TRANSCRIPT)

SIGHTS: tuple[Command, ...] = (
    Command(
        "t",
        "t",
        "Lineage tree",
        does="The sessions this one came from and led to: splits, branches, resets, sub-agents, and what is missing.",
        action="screen.lineage",
        where=READ,
    ),
    Command(
        "v",
        "v",
        "Details",
        does="The session in full: times, tokens by model, cost, lineage, files it touched, its prompt, every column.",
        action="screen.details",
        where=(Where.LIST,),
        hint="details",
    ),
    Command(
        "T",
        "T",
        "That day",
        does="All that was said on the day of the highlighted place, across sessions, in order.",
        action="screen.timeline",
        where=READ,
    ),
    Command(
        "A",
        "A",
        "Activity",
        does="A chart of sessions, tokens and cost: by day, source and model.",
        action="screen.activity",
        where=READ,
    ),
    Command(
        "M",
        "M",
        "Files",
        does="Which sessions read, wrote or ran a path, the newest first.",
        action="screen.files",
        where=READ,
    ),
)
