"""What a line of a list is made of. Pure, so that lines can be put together before there is a screen."""

from __future__ import annotations

from hermes_tui.render import cells, one_line

Piece = tuple[str, str]
"""A run of text and the component class that says how it looks ("" is the plain look)."""


def field(text: str, width: int, *, right: bool = False) -> str:
    """`text` made safe, on one line, in exactly `width` cells: cut with a sign or filled up with blanks."""
    text = one_line(text, width) if width > 0 else ""
    blanks = " " * (width - cells(text))
    return blanks + text if right else text + blanks
