"""A document as JSON of format 1: one value, a message a line; or as lines of JSON, the session first."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from hermes_tui.export import shapes
from hermes_tui.export.material import Chapter
from hermes_tui.export.reading import Reading
from hermes_tui.export.shapes import FORMAT, Shape, dump


def value(reading: Reading) -> Iterator[str]:
    """One JSON value. A whole conversation has its `session` and `messages` at the top; anything else has a list of
    `conversations` of that form, with how many messages come before, between and after.

    Its last key, `masked`, counts the secrets that were taken out, by kind.
    """
    if reading.material.whole:
        (chapter,) = reading.material.chapters
        yield _opened({"format": FORMAT, **_head(reading, chapter)})
        yield from _messages(reading, chapter)
    else:
        yield f'{{"format": {FORMAT}, "conversations": ['
        for number, chapter in enumerate(reading.material.chapters):
            yield ",\n" if number else "\n"
            yield _opened(_head(reading, chapter))
            yield from _messages(reading, chapter)
            yield f', "before": {chapter.before}, "after": {chapter.after}}}'
        yield "\n]"
    yield f', "masked": {dump(dict(reading.masker.found))}}}\n'


def lines(reading: Reading) -> Iterator[str]:
    """A line for each conversation with its `session`, then one for each of its messages as `show` gives it."""
    for chapter in reading.material.chapters:
        yield dump({"format": FORMAT, **_head(reading, chapter)}) + "\n"
        for message in reading.messages(chapter):
            yield dump(_message(reading, chapter, message)) + "\n"


def _head(reading: Reading, chapter: Chapter) -> Shape:
    profile = chapter.session.profile
    return {
        "session": shapes.session(reading.masker.session(chapter.session), profile=profile),
        "sessions": [shapes.session(reading.masker.session(row), profile=profile) for row in chapter.segments],
        "compactions": [
            {"at": cut.at, "before": cut.before, "kept": cut.kept, "continued": cut.continued}
            for cut in chapter.compactions
        ],
    }


def _opened(head: Shape) -> str:
    """`head` without its last brace, up to where its messages begin."""
    return dump(head)[:-1] + ', "messages": ['


def _messages(reading: Reading, chapter: Chapter) -> Iterator[str]:
    between = "\n"
    for message in reading.messages(chapter):
        yield between + dump(_message(reading, chapter, message))
        between = ",\n"
    yield "\n]"


def _message(reading: Reading, chapter: Chapter, message: Any) -> Shape:
    shape = shapes.message(message, is_anchor=message.id in chapter.marked)
    if skipped := chapter.skipped.get(message.id, 0):
        shape["skipped"] = skipped  # messages of the conversation left out before this one
    if pictures := reading.images(chapter, message):
        shape["images"] = [{"media_type": image.media_type, "data": image.data} for image in pictures]
    return shape
