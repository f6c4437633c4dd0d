"""Where Tab and Escape lead, apart from any screen. Ways out stand where the hits would."""

from __future__ import annotations

from hermes_tui.tui.commands import Where

PANES = (Where.LIST, Where.BOX, Where.HITS, Where.TRANSCRIPT)
"""In the order of Tab."""


def beside(where: Where, step: int, *, has_hits: bool) -> Where:
    """The pane `step` further in the order of Tab; hits only count while there are some."""
    if where in (Where.FIND, Where.GOTO, Where.OUTLINE, Where.HINTS):
        return Where.TRANSCRIPT
    panes = [pane for pane in PANES if has_hits or pane is not Where.HITS]
    where = Where.HITS if where is Where.WAYS else where
    here = panes.index(where) if where in panes else 0
    return panes[(here + step) % len(panes)]


def above(where: Where, *, came_from: Where, has_hits: bool) -> Where | None:
    """The pane that Escape leads to: one level up. None from the list, which is the top.

    From the transcript it is the one the reader came from; from the box the hits, since that is where typing led.
    """
    match where:
        case Where.TRANSCRIPT:
            return Where.HITS if has_hits and came_from is not Where.LIST else Where.LIST
        case Where.FIND | Where.GOTO | Where.OUTLINE | Where.HINTS:
            return Where.TRANSCRIPT
        case Where.BOX:
            return Where.HITS if has_hits else Where.LIST
        case Where.HITS | Where.WAYS:
            return Where.LIST
        case Where.LIST | Where.ANYWHERE:
            return None
