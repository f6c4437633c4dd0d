"""The part of the table of keys that copies and hands over."""

from __future__ import annotations

from hermes_tui.tui.command import Command, Where

COPYING: tuple[Command, ...] = (
    Command(
        "C",
        "C",
        "Copy menu",
        does="Everything that can be copied here: text, code, calls as commands, output, ids, anchors, commands for "
        "Hermes; and pager, editor, resume.",
        action="screen.copy_menu",
        where=(Where.LIST, Where.HITS, Where.TRANSCRIPT),
    ),
    Command(
        "p",
        "p",
        "Plain view",
        does="The message on the ordinary screen, without gutters or colours, for the terminal's own selection.",
        action="screen.plain",
        where=(Where.HITS, Where.TRANSCRIPT),
    ),
)
