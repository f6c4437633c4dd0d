"""The looks a stretch of text can have; whoever paints decides what they are on a screen."""

from __future__ import annotations

from enum import IntEnum, StrEnum


class Ink(StrEnum):
    """What a stretch of text is; who paints it decides how that looks. The values are style names."""

    BODY = "body"
    YOU = "you"
    ASSISTANT = "assistant"
    OTHER = "other"  # speaks in another role: system, or one we do not know
    TOOL = "tool"  # the name of a tool
    GIST = "gist"  # what a call is about, in one line
    OUTPUT = "output"  # what a tool answered
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
    BULLET = "bullet"
    INLINE = "inline"  # `code` in a sentence
    STRONG = "strong"
    LINK = "link"
    MEDIA = "media"  # a placeholder for an image or a file


class Mark(IntEnum):
    """Whether text matches the query, and whether it is the match the reader was brought to."""

    NONE = 0
    HIT = 1
    CURRENT = 2
