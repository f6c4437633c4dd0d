"""The part of the table of keys that is about the list of conversations."""

from __future__ import annotations

from hermes_tui.tui.command import Command, Where

SESSIONS: tuple[Command, ...] = (
    Command(
        "P",
        "P",
        "Stores",
        does="Every store there is: profiles, other homes, backups; go over to one, or open several at once.",
        action="screen.stores",
        where=(Where.ANYWHERE,),
    ),
)
