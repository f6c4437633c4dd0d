"""Pieces of text to strips: the one place where the transcript's looks become styles."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

from hermes_tui.render import MEASURE, Ink, Mark, Piece, cells

GUTTER = 2  # cells at the left of every line: a sign and a blank

LOOKS = frozenset(
    {f"transcript--{ink.value}" for ink in Ink}
    | {
        "transcript--past",  # a turn that was taken back
        "transcript--border",  # days, and where compaction cut
        "transcript--mark",  # text that matches
        "transcript--current",  # the match the reader was brought to
        "transcript--find",  # text that a find inside the conversation matches
        "transcript--find-current",  # the place that find went to
        "transcript--cursor",  # the gutter of the message under the cursor
        "transcript--cursor-far",  # the same while another pane has the focus
        "transcript--side",  # the gutter of compacted and rewound messages
        "transcript--side-you",  # the gutter of what a person said
    }
)

CSS = """
TranscriptPane {
    background: $background;
    color: $foreground;
    overflow-x: hidden;
    overflow-y: scroll;
    scrollbar-size-vertical: 1;
    & > .transcript--you { color: $user; text-style: bold; }
    & > .transcript--assistant { color: $assistant; text-style: bold; }
    & > .transcript--other { color: $heading; text-style: bold; }
    & > .transcript--tool { color: $tool; }
    & > .transcript--gist { color: $foreground; }
    & > .transcript--output { color: $soft; }
    & > .transcript--notice, & > .transcript--summary { color: $soft; text-style: italic; }
    & > .transcript--reasoning { color: $soft; text-style: italic; }
    & > .transcript--meta, & > .transcript--fold, & > .transcript--past { color: $soft; }
    & > .transcript--state { color: $state; }
    & > .transcript--more { color: $state; text-style: italic; }
    & > .transcript--heading { color: $heading; text-style: bold; }
    & > .transcript--quote { color: $soft; }
    & > .transcript--code { background: $surface; color: $foreground; }
    & > .transcript--fence { background: $surface; color: $soft; }
    & > .transcript--bullet, & > .transcript--inline { color: $assistant; }
    & > .transcript--strong { text-style: bold; }
    & > .transcript--link { color: $assistant; text-style: underline; }
    & > .transcript--media { color: $state; }
    & > .transcript--border { color: $soft; }
    & > .transcript--mark { background: $mark-background; color: $mark-foreground; text-style: underline; }
    & > .transcript--current {
        background: $current-background; color: $current-foreground; text-style: bold underline;
    }
    & > .transcript--find { background: $find-background; color: $find-foreground; text-style: italic; }
    & > .transcript--find-current {
        background: $found-background; color: $found-foreground; text-style: bold italic;
    }
    & > .transcript--cursor { color: $accent; }
    & > .transcript--cursor-far, & > .transcript--side { color: $soft; }
    & > .transcript--side-you { color: $user; }
}
"""

HITS: Mapping[Mark, str] = {Mark.HIT: "transcript--mark", Mark.CURRENT: "transcript--current"}
"""How matches of the search look."""
FINDS: Mapping[Mark, str] = {Mark.HIT: "transcript--find", Mark.CURRENT: "transcript--find-current"}
"""How matches of a find inside the conversation look."""
_FILLED = frozenset((Ink.CODE, Ink.FENCE))  # looks with a background of their own, drawn to the end of the measure


def paint(
    sign: tuple[str, str],
    pieces: Iterable[Piece],
    look: Callable[[str], Style],
    *,
    width: int,
    ink: Ink = Ink.BODY,
    past: bool = False,
    marks: Mapping[Mark, str] = HITS,
) -> Strip:
    """One line: `sign` (text and look) in the gutter, then the pieces, filled up to `width` cells.

    `look` gives the style of a component class; "" is the plain one. `ink` is that of the whole line. With `past` plain
    text is drawn as what is over.
    """
    segments = [Segment(sign[0].ljust(GUTTER), look(sign[1]))]
    used = GUTTER
    for piece in pieces:
        style = look("transcript--past" if past and piece.ink is Ink.BODY else f"transcript--{piece.ink.value}")
        segments.append(Segment(piece.text, style + look(marks[piece.mark]) if piece.mark else style))
        used += cells(piece.text)
    measure = min(width, GUTTER + MEASURE)
    if ink in _FILLED and used < measure:
        segments.append(Segment(" " * (measure - used), look(f"transcript--{ink.value}")))
        used = measure
    if used < width:
        segments.append(Segment(" " * (width - used), look("")))
    strip = Strip(segments, max(used, width))
    return strip if used <= width else strip.crop(0, width)
