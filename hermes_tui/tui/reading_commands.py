"""The part of the table of keys that is about reading a conversation."""

from __future__ import annotations

from hermes_tui.tui.command import Command, Where

READING: tuple[Command, ...] = (
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
