"""Pieces of text as strips: every colour can be read, and backgrounds are whole."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from rich.color import Color
from rich.style import Style

from hermes_tui.model import Message
from hermes_tui.render import Ink, Mark, Piece, Tint, View, lay_out
from hermes_tui.tui.paint import GUTTER, LOOKS, paint

THEMES = {"dark": ("#dde1e8", "#15171c"), "light": ("#22252b", "#fbfaf7")}
SURFACE = Color.parse("#445566")


def looks(theme: str) -> Callable[[str], Style]:
    front, back = THEMES[theme]
    plain = Style(color=front, bgcolor=back)

    def look(name: str) -> Style:
        assert not name or name in LOOKS
        match name:
            case "transcript--code" | "transcript--fence":
                return plain + Style(bgcolor=SURFACE)
            case "transcript--mark":
                return Style(bgcolor="#ff0000", underline=True)
            case _:
                return plain

    return look


def luminance(color: Color) -> float:
    def part(value: int) -> float:
        share = value / 255
        return share / 12.92 if share <= 0.04045 else ((share + 0.055) / 1.055) ** 2.4

    red, green, blue = map(part, color.get_truecolor())
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


@pytest.mark.parametrize("theme", THEMES)
def test_every_colour_that_text_brings_can_be_read(theme: str) -> None:
    corners = [(red, green, blue) for red in (0, 128, 255) for green in (0, 128, 255) for blue in (0, 128, 255)]
    for color in [*range(256), *corners]:
        piece = Piece("text", Ink.OUTPUT, Mark.NONE, Tint(color))
        style = list(paint((" ", ""), [piece], looks(theme), width=20))[1].style
        assert style is not None
        assert style.color is not None
        assert style.bgcolor == Color.parse(THEMES[theme][1]), "a background is never brought along"
        light, dark = sorted((luminance(style.color), luminance(style.bgcolor)), reverse=True)
        assert (light + 0.05) / (dark + 0.05) >= 3, color


def test_a_match_is_seen_whatever_colour_the_text_has() -> None:
    piece = Piece("text", Ink.OUTPUT, Mark.HIT, Tint(1, bold=True))
    style = list(paint((" ", ""), [piece], looks("dark"), width=20))[1].style
    assert style is not None
    assert style.bgcolor == Color.parse("#ff0000")
    assert style.underline


def test_code_has_its_background_on_every_row_from_its_beginning_to_the_measure() -> None:
    text = '```python\n    value = call(alpha, "beta", 12)  # ' + "why " * 40 + "\nend\n```"
    page = lay_out(Message(1, "s", "assistant", text), View(50))
    rows = range(2, page.height)
    assert len(rows) > 6
    for number in rows:
        strip = paint((" ", ""), page.pieces(number), looks("dark"), width=52, ink=page.ink(number))
        assert strip.cell_length == 52
        inside = strip.crop(GUTTER, 52)
        assert {segment.style and segment.style.bgcolor for segment in inside} == {SURFACE}, number
