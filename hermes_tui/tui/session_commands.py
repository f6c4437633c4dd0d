"""The part of the table of keys that is about the list of conversations."""

from __future__ import annotations

from hermes_tui.tui.command import Command

SESSIONS: tuple[Command, ...] = ()
