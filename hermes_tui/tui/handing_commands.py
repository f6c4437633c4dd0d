"""The part of the table of keys that takes things out of the browser, and marks what is to be found again."""

from __future__ import annotations

from hermes_tui.tui.command import Command, Where

PLACES = (Where.LIST, Where.HITS, Where.TRANSCRIPT)

HANDING: tuple[Command, ...] = (
    Command(
        "Y",
        "Y",
        "Copy the evidence",
        does="Copy what the place is about, for a model or a colleague: goal, messages around it, last answer, with "
        "anchors and dates; secrets are masked.",
        action="screen.evidence",
        where=PLACES,
    ),
    Command(
        "W",
        "W",
        "Write out",
        does="Write the conversation, the messages around here, the selection or the hits to a file: Markdown, JSON or "
        "HTML.",
        action="screen.write_out",
        where=PLACES,
    ),
    Command(
        "m",
        "m",
        "Bookmark",
        does="Mark this message, in the list this conversation, with a note; it is found again wherever it moves.",
        action="screen.bookmark",
        where=PLACES,
    ),
    Command(
        "apostrophe",
        "'",
        "Bookmarks",
        does="The bookmarks: search them, go there, remove them, write them to a file.",
        action="screen.bookmarks",
        where=PLACES,
    ),
)
