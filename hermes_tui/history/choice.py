"""The columns that a reader chose, as the one line of a file."""

from __future__ import annotations

import json
from collections.abc import Sequence

from hermes_tui.history.searches import FORMAT, from_line

LONGEST = 64  # names that are believed, and characters of one


def to_lines(names: Sequence[str]) -> list[bytes]:
    """The file that holds these names."""
    return [json.dumps({"format": FORMAT, "columns": list(names)}, separators=(",", ":")).encode("ascii")]


def from_lines(lines: Sequence[bytes]) -> tuple[str, ...] | None:
    """The names in a file; None where it holds none. Raises ValueError for a file that is damaged."""
    if not lines:
        return None
    entry = from_line(lines[0])
    if entry is None:
        raise ValueError("it is damaged")
    names = entry.get("columns")
    if not isinstance(names, list) or entry.get("format") != FORMAT:
        return None  # another version's, which may mean something else by it
    return tuple(name for name in names[:LONGEST] if isinstance(name, str) and len(name) <= LONGEST)
