"""What a person at a terminal gets."""

from __future__ import annotations

from pathlib import Path

from hermes_tui.cli import tables
from hermes_tui.library import Library
from hermes_tui.model import Anchor
from tests.cli.conftest import KETTLE

PAGE = tables.Page(width=80, color=False, now=1_790_000_000.0)


def test_a_window_says_how_its_conversation_began_and_ended(store: Path) -> None:
    with Library.open(store) as library:
        inside = list(tables.show(library.window(Anchor(KETTLE, 3), size=1), PAGE))
        whole = list(tables.show(library.window(Anchor(KETTLE, 3), size=9), PAGE))
    assert [line for line in inside if line.startswith("began with #1: Where is the copper kettle config?")]
    assert not [line for line in inside if line.startswith("ended with")]  # the window reaches the end
    assert not [line for line in whole if line.startswith(("began with", "ended with"))]
    assert all(len(line) <= 80 for line in inside)
