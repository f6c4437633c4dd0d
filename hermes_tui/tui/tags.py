"""What on the rows of a screen can be copied, and where a label for it has to stand. Pure: no screen.

What is copied is found in the stored text, so that it is whole however the row was wrapped or cut; only its place comes
from the row.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

from hermes_tui.hints import Hint, State, find
from hermes_tui.model import Message
from hermes_tui.model.record import dataclass
from hermes_tui.render import Field, Page, Place, Source, cells, clean
from hermes_tui.render.page import Block
from hermes_tui.tui.literal import text_of, texts

GIST = 4096
"""Characters of a text that the one line about it may show something of."""
LEAST = 4
"""Characters of a thing that was cut that tell which it is."""
SIGNS = {State.EXISTS: "✓", State.CHANGED: "±", State.GONE: "×"}
"""How a path stands, behind its label; nothing where that is not known."""


@dataclass(frozen=True, slots=True)
class Seen:
    """A hint of a message, shown from cell `x` of row `row` on; what a row is depends on who looks."""

    hint: Hint
    message: Message
    row: int
    x: int


@dataclass(frozen=True, slots=True)
class Tag:
    """A label where it is painted: from cell `x` on, with the sign of a path's state behind it."""

    x: int
    label: str
    sign: str = ""


def on_page(message: Message, page: Page, rows: range) -> Iterator[Seen]:
    """What can be copied of these rows of a message's page, from top to bottom."""
    for number, block in enumerate(page.blocks):
        first = page.firsts[number]
        shown = range(max(first, rows.start), min(first + len(block.cuts), rows.stop))
        if not shown:
            continue
        if block.source is not None:
            yield from _in_text(message, page, block, shown, first)
        elif block.about is not None:
            hints = _gist_hints(message, block.about)
            yield from (Seen(hint, message, shown.start, x) for hint, x in in_line(hints, page.text(shown.start)))


def in_line(hints: Sequence[Hint], shown: str) -> Iterator[tuple[Hint, int]]:
    """Which of the hints of a text are on a line that shows some of it in one row, and from which cell on.

    One that the line cuts, with the sign … at its end or beginning, is known by what is left of it.
    """
    at = 0
    for hint in hints:
        place = -1
        for said in (hint.text[:GIST], hint.text.partition("\n")[0][:GIST]):  # of several lines it may show the first
            words = " ".join(clean(said).split())
            if words and place < 0:
                place = shown.find(words, at)
                place = _cut(words, shown, at) if place < 0 else place
        if place >= 0:
            at = place
            yield hint, cells(shown[:place])


def of_hit(message: Message, excerpt: str) -> list[Hint]:
    """The hints of a message near the words of it that a list of hits shows."""
    words = excerpt.strip("…").split()
    said = [_spaced(part) for part in (words, [max(words, key=len)])] if words else []  # it may be of several texts
    hints: list[Hint] = []
    for source, text in texts(message):
        found = next(filter(None, (each.search(text) for each in said)), None)
        if found is not None:
            near = max(0, found.start() - len(excerpt)), found.end() + len(excerpt)
            hints += find(text, within=near, call=source.field is Field.ARGUMENTS)
    return hints


def spread(tags: Sequence[Tag], width: int) -> list[Tag]:
    """The labels of one row, moved so that none stands on another and all within `width` cells, as far as they can."""
    placed: list[Tag] = []
    end = 0
    for tag in sorted(tags, key=lambda tag: tag.x):
        x = max(end, tag.x)
        placed.append(Tag(x, tag.label, tag.sign))
        end = x + cells(tag.label + tag.sign)
    limit = width
    for number in range(len(placed) - 1, -1, -1):
        tag = placed[number]
        x = max(0, min(tag.x, limit - cells(tag.label + tag.sign)))
        placed[number] = Tag(x, tag.label, tag.sign)
        limit = x
    return placed


def overlay(strip: Strip, tags: Sequence[Tag], typed: str, *, look: Style, done: Style) -> Strip:
    """A painted row with labels over it: in `look`, what was typed of them in `done`. Those that begin otherwise than
    `typed` are away."""
    width = strip.cell_length
    parts: list[Strip] = []
    at = 0
    for tag in spread([tag for tag in tags if tag.label.startswith(typed)], width):
        parts.append(strip.crop(at, tag.x))
        label = [Segment(typed, done), Segment(tag.label[len(typed) :], look), Segment(tag.sign, done)]
        parts.append(Strip([segment for segment in label if segment.text]))
        at = tag.x + cells(tag.label + tag.sign)
    return Strip.join([*parts, strip.crop(at, width)]) if parts else strip


def _in_text(message: Message, page: Page, block: Block, shown: range, first: int) -> Iterator[Seen]:
    """What the visible rows `shown` of a text hold; what began above them has its label at their beginning."""
    source, cleaned = block.source, block.cleaned
    if source is None or cleaned is None:
        return
    low = block.base + cleaned.source(block.cuts[shown.start - first][0])
    high = block.base + cleaned.source(block.cuts[shown.stop - 1 - first][1])
    call = source.field is Field.ARGUMENTS
    for hint in find(text_of(message, source), within=(low, max(low + 1, high)), call=call):
        place = Place(source, max(low, hint.shown))
        row = min(max(page.locate(place), shown.start), shown.stop - 1)
        yield Seen(hint, message, row, page.cell(row, place))


def _spaced(words: Sequence[str]) -> re.Pattern[str]:
    """These words with any white space between them."""
    return re.compile(r"\s+".join(map(re.escape, words)))


def _gist_hints(message: Message, about: Source) -> list[Hint]:
    text = text_of(message, about)[: 2 * GIST]
    found = find(text, within=(0, GIST), call=about.field is Field.ARGUMENTS)
    return [hint for hint in found if hint.end < len(text) or len(text) < 2 * GIST]


def _cut(words: str, shown: str, at: int) -> int:
    """Where in `shown` what is left of `words` stands: its beginning before a …, or its end behind one; else -1."""
    sign = shown.find("…", at)
    while sign >= 0:
        for length in range(min(len(words), sign - at), LEAST - 1, -1):
            if shown.endswith(words[:length], at, sign):
                return sign - length
        for length in range(min(len(words) - 1, len(shown)), LEAST - 1, -1):
            if shown.startswith(words[-length:], sign + 1):
                return sign + 1
        sign = shown.find("…", sign + 1)
    return -1
