"""The looks a stretch of text can have; whoever paints decides what they are on a screen."""

from __future__ import annotations

from enum import IntEnum, StrEnum
from typing import NamedTuple


class Ink(StrEnum):
    """What a stretch of text is; who paints it decides how that looks. The values are style names."""

    BODY = "body"
    YOU = "you"
    ASSISTANT = "assistant"
    OTHER = "other"  # speaks in another role: system, or one we do not know
    TOOL = "tool"  # the name of a tool
    GIST = "gist"  # what a call is about, in one line
    OUTPUT = "output"  # what a tool answered
    FAILED = "failed"  # that a call went wrong, in words
    NOTICE = "notice"
    SUMMARY = "summary"
    REASONING = "reasoning"
    META = "meta"  # times and counts
    STATE = "state"  # compacted, rewound, x3
    FOLD = "fold"  # the sign of a folded or unfolded block
    MORE = "more"  # what is not shown, and how to see it
    HEADING = "heading"
    QUOTE = "quote"
    CODE = "code"
    FENCE = "fence"
    RULE = "rule"  # a line across, and the one below the head of a table
    BULLET = "bullet"
    SIGN = "sign"  # the marks of Markdown: what they are put around is louder
    INLINE = "inline"  # `code` in a sentence
    STRONG = "strong"
    ITALIC = "italic"
    STRIKE = "strike"
    LINK = "link"
    MEDIA = "media"  # a placeholder for an image or a file
    KEY = "key"  # the name of a value in data
    STRING = "string"
    NUMBER = "number"  # and true, false, null
    KEYWORD = "keyword"
    NAME = "name"  # of a function, a class, a builtin
    COMMENT = "comment"
    ADDED = "added"  # a line of a diff
    REMOVED = "removed"
    HUNK = "hunk"  # where a diff is, and in which file


class Mark(IntEnum):
    """Whether text matches the query, and whether it is the match the reader was brought to."""

    NONE = 0
    HIT = 1
    CURRENT = 2


class Tint(NamedTuple):
    """The look that stored text asked for by itself, as far as it is safe to follow.

    `color` is one of the 256 of a terminal, red, green and blue, or None for the plain one.
    """

    color: int | tuple[int, int, int] | None = None
    bold: bool = False
    underline: bool = False


Run = tuple[int, int, Ink]  # start, end, ink: a stretch in another ink than its row
Shade = tuple[int, int, Tint]
Gap = tuple[int, str]  # an offset, and what is drawn before it that is not in the text
