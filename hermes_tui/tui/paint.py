"""Pieces of text to strips: the one place where the transcript's looks become styles."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache

from rich.color import Color
from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

from hermes_tui.render import MEASURE, Ink, Mark, Piece, Tint, cells

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
        "transcript--selection",  # what the mouse has selected
        "transcript--tag",  # a label of hint mode
        "transcript--tag-typed",  # what was typed of it, and how a path stands
        "transcript--below",  # what is new below the window
        "transcript--cursor",  # the gutter of the message under the cursor
        "transcript--cursor-far",  # the same while another pane has the focus
        "transcript--side",  # the gutter of compacted and rewound messages
        "transcript--side-you",  # the gutter of what a person said
        "transcript--cyan",  # the one colour of terminals that no ink has
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
    & > .transcript--failed { color: $failed; text-style: bold; }
    & > .transcript--heading { color: $heading; text-style: bold; }
    & > .transcript--quote { color: $soft; }
    & > .transcript--code { background: $surface; color: $foreground; }
    & > .transcript--fence { background: $surface; color: $soft; }
    & > .transcript--bullet, & > .transcript--inline { color: $assistant; }
    & > .transcript--sign, & > .transcript--rule { color: $soft; }
    & > .transcript--strong { text-style: bold; }
    & > .transcript--italic { text-style: italic; }
    & > .transcript--strike { color: $soft; text-style: strike; }
    & > .transcript--link { color: $assistant; text-style: underline; }
    & > .transcript--media { color: $state; }
    & > .transcript--key, & > .transcript--name { color: $assistant; }
    & > .transcript--string, & > .transcript--added { color: $user; }
    & > .transcript--number, & > .transcript--hunk { color: $state; }
    & > .transcript--keyword { color: $tool; }
    & > .transcript--comment { color: $soft; text-style: italic; }
    & > .transcript--removed { color: $failed; }
    & > .transcript--cyan { color: $cyan; }
    & > .transcript--border { color: $soft; }
    & > .transcript--mark { background: $mark-background; color: $mark-foreground; text-style: underline; }
    & > .transcript--current {
        background: $current-background; color: $current-foreground; text-style: bold underline;
    }
    & > .transcript--find { background: $find-background; color: $find-foreground; text-style: italic; }
    & > .transcript--find-current {
        background: $found-background; color: $found-foreground; text-style: bold italic;
    }
    & > .transcript--selection { text-style: reverse; }
    & > .transcript--tag { background: $accent; color: $background; text-style: bold; }
    & > .transcript--tag-typed { background: $panel; color: $accent; text-style: bold; }
    & > .transcript--below { background: $accent; color: $background; text-style: bold; }
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

# The sixteen colours of a terminal by the looks that come nearest: they are readable on the background of the theme.
_SIXTEEN = ("meta", "removed", "added", "number", "key", "keyword", "cyan", "body")
_CUBE = (0, 95, 135, 175, 215, 255)
_LEAST_CONTRAST = 3.5
_STEPS = 4  # in which a colour that is hard to read is moved towards the plain one


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
        if piece.tint is not None:
            style += _tinted(piece.tint, look)
        if ink in _FILLED and piece.ink not in _FILLED and piece.ink is not Ink.META:
            style += Style(bgcolor=look(f"transcript--{ink.value}").bgcolor)
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


def _tinted(tint: Tint, look: Callable[[str], Style]) -> Style:
    """The colour that stored text asked for, as this theme shows it."""
    plain = look("")
    match tint.color:
        case None:
            color = None
        case int(number) if number < 16:
            color = look(f"transcript--{_SIXTEEN[number % 8]}").color
        case int(number):
            color = _readable(_rgb(number), plain)
        case rgb:
            color = _readable(rgb, plain)
    return Style(color=color, bold=tint.bold or None, underline=tint.underline or None)


def _rgb(number: int) -> tuple[int, int, int]:
    """Red, green and blue of one of the 240 colours after the sixteen."""
    if number >= 232:
        return (8 + 10 * (number - 232),) * 3
    number -= 16
    return _CUBE[number // 36], _CUBE[number // 6 % 6], _CUBE[number % 6]


@lru_cache(maxsize=1024)
def _readable(rgb: tuple[int, int, int], plain: Style) -> Color:
    """A colour, or the nearest one towards the plain one that can be read on its background."""
    if plain.color is None or plain.bgcolor is None:
        return Color.from_rgb(*rgb)
    back, front = plain.bgcolor.get_truecolor(), plain.color.get_truecolor()
    for step in range(_STEPS):
        mixed = tuple(mine + (its - mine) * step // _STEPS for mine, its in zip(rgb, front, strict=True))
        light, dark = sorted((_light(mixed), _light(back)), reverse=True)
        if (light + 0.05) / (dark + 0.05) >= _LEAST_CONTRAST:
            return Color.from_rgb(*mixed)
    return plain.color


def _light(rgb: tuple[int, ...]) -> float:
    """The relative luminance of a colour, 0 to 1."""
    red, green, blue = (part / 255 / 12.92 if part < 11 else ((part / 255 + 0.055) / 1.055) ** 2.4 for part in rgb)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
