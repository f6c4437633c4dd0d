"""What can be copied out of a text (paths, URLs, commands, code, ids, hashes, addresses), and if a path exists."""

from __future__ import annotations

from hermes_tui.hints.fences import Fence, fences
from hermes_tui.hints.find import find
from hermes_tui.hints.hint import Hint, HintKind
from hermes_tui.hints.labels import labels
from hermes_tui.hints.resolve import Resolved, State, remote_mounts, resolve

__all__ = ["Fence", "Hint", "HintKind", "Resolved", "State", "fences", "find", "labels", "remote_mounts", "resolve"]
