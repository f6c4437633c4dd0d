"""Texts in a Markdown document, none of which leaves a fence or an element of HTML open behind it."""

from __future__ import annotations

import re

from hermes_tui.hints import Fence, fences

# Elements that go on to the end of a document when nothing closes them, at the beginning of a line.
_OPENING = re.compile(
    r"^([ ]{0,3})<(?=(?:/?(?:script|pre|style|textarea|details|summary)\b|!--|\?|!))", re.MULTILINE | re.IGNORECASE
)
_TICKS, _TILDES = re.compile("`{3,}"), re.compile("~{3,}")
_NEXT_NUMBER = re.compile(r" *(?!1[.)])\d")


def closed(text: str) -> str:
    """Markdown that ends where it ends: an open fence is closed, and no element of HTML swallows what follows.

    Where sloppy indents make it uncertain whether a fence is open, what closes one stands in a comment, which hides it
    where none is.
    """
    pieces: list[str] = []
    done = 0
    ending, uncertain = "", False
    for block in fences(text):
        pieces += [_OPENING.sub(r"\1\\<", text[done : block.start]), text[block.start : block.stop]]
        done = block.stop
        uncertain = uncertain or not _certain(text, block)
        ending = "" if _closing(text, block) else _sign(text, block)
    if uncertain:
        ending = f"\n<!--\n{fence_for(text)}\n-->\n"
        ending += f"\n<!--\n{_longer(_TILDES, text) * '~'}\n-->\n" if "~~~" in text else ""
    between = "\n" if ending and not text.endswith("\n") else ""
    return "".join([*pieces, _OPENING.sub(r"\1\\<", text[done:]), between, ending])


def fence_for(text: str) -> str:
    """A fence that nothing in `text` closes."""
    return "`" * _longer(_TICKS, text)


def _longer(signs: re.Pattern[str], text: str) -> int:
    return max((len(found[0]) + 1 for found in signs.finditer(text)), default=3)


def _sign(text: str, block: Fence) -> str:
    """What closes a block that goes on to the end of the text; "" for one that ends with the list or quote it is in."""
    opening = text[block.shown : block.begin]
    return "" if block.shown > block.start else opening[0] * (len(opening) - len(opening.lstrip(opening[0])))


def _closing(text: str, block: Fence) -> str:
    """The line that closes a block; "" where none does."""
    return text[block.end : block.stop].strip("\r\n")


def _certain(text: str, block: Fence) -> bool:
    """Whether every reader of Markdown takes the block for the same lines."""
    lead, closing = text[block.start : block.shown], _closing(text, block)
    indent = len(closing) - len(closing.lstrip(" "))
    if not lead:
        return indent < 4
    if ">" in lead:
        return True  # what is quoted ends with the quote
    before = text[text.rfind("\n", 0, max(0, block.start - 1)) + 1 : block.start]
    if before.strip() and _NEXT_NUMBER.match(lead):
        return False  # right behind text no list begins with such a number
    within = (text[text.rfind("\n", 0, end) + 1 : end] for _, end in block.lines)
    deep = " " * len(lead)
    return bool(closing) and indent == len(lead) and all(not line.strip() or line.startswith(deep) for line in within)
