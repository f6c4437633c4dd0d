"""Model to text that a terminal can show: pure, shared by the panes and the command line.

Stored text is hostile until it has been through `clean`, and it is never markup: everything here is plain strings with
an `Ink` that says what they are.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from hermes_tui.model.later import later
from hermes_tui.render.cells import cells, fit, pad, wrap
from hermes_tui.render.clean import Cleaned, clean, clean_for_document, clean_with_map
from hermes_tui.render.outcome import Outcome, outcome, outcomes
from hermes_tui.render.words import (
    clock,
    count,
    day,
    moment,
    one_line,
    role_label,
    size,
    state_label,
    store_label,
    when,
)

if TYPE_CHECKING:  # what lays messages out: a list does without
    from hermes_tui.render.ink import Ink, Mark, Tint
    from hermes_tui.render.inline import ADDRESS
    from hermes_tui.render.layout import MEASURE, Marks, View, lay_out
    from hermes_tui.render.page import Field, Marker, Page, Piece, Place, Source
    from hermes_tui.render.raw import lay_out_row

__all__ = [
    "ADDRESS",
    "MEASURE",
    "Cleaned",
    "Field",
    "Ink",
    "Mark",
    "Marker",
    "Marks",
    "Outcome",
    "Page",
    "Piece",
    "Place",
    "Source",
    "Tint",
    "View",
    "cells",
    "clean",
    "clean_for_document",
    "clean_with_map",
    "clock",
    "count",
    "day",
    "fit",
    "lay_out",
    "lay_out_row",
    "moment",
    "one_line",
    "outcome",
    "outcomes",
    "pad",
    "role_label",
    "size",
    "state_label",
    "store_label",
    "when",
    "wrap",
]

__getattr__ = later(
    __name__,
    {
        "ink": ("Ink", "Mark", "Tint"),
        "inline": ("ADDRESS",),
        "layout": ("MEASURE", "Marks", "View", "lay_out"),
        "page": ("Field", "Marker", "Page", "Piece", "Place", "Source"),
        "raw": ("lay_out_row",),
    },
)
