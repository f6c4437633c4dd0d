"""Messages and views made up for tests of pages, and what such tests look at."""

from __future__ import annotations

import re

from hermes_tui.model import Kind, Message
from hermes_tui.render import Ink, Mark, Page, Tint


class Words:
    """A marker that looks for words as they stand."""

    def __init__(self, *words: str) -> None:
        self._pattern = re.compile("|".join(map(re.escape, words)))

    def spans(self, text: str) -> list[tuple[int, int]]:
        return [found.span() for found in self._pattern.finditer(text)]


def message(text: str = "", role: str = "assistant", **more: object) -> Message:
    """A message with the id 1 unless `more` says otherwise."""
    kind = Kind.TOOL if role == "tool" else Kind.TURN
    return Message(**({"id": 1, "session_id": "s", "role": role, "text": text, "kind": kind} | more))  # type: ignore[arg-type]


def rows(page: Page) -> list[str]:
    """All rows as they are read."""
    return [page.text(number) for number in range(page.height)]


def marked(page: Page) -> list[str]:
    """The stretches that are marked, row by row."""
    return [p.text for number in range(page.height) for p in page.pieces(number) if p.mark is not Mark.NONE]


def inks(page: Page, text: str) -> set[Ink]:
    """The inks of the pieces that hold `text`."""
    return {p.ink for number in range(page.height) for p in page.pieces(number) if text in p.text}


def tints(page: Page) -> list[tuple[str, Tint]]:
    """The stretches that brought their own look, from the top."""
    return [(p.text, p.tint) for number in range(page.height) for p in page.pieces(number) if p.tint is not None]


def shown(page: Page) -> str:
    """The texts of the message as far as they are on the page, row after row, without what is drawn around them."""
    body = [block for block in page.blocks if block.source is not None]
    return "".join(block.text[low:high] for block in body for low, high, *_ in block.cuts)
