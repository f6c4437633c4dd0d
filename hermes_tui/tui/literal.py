"""What is looked for inside one conversation: characters as they stand, in whichever case. Pure: no screen.

Unlike a search of the store, which looks for words, a find takes what was typed as it is, also in the middle of a word;
a blank stands for any run of blanks and line ends.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import islice

from hermes_tui.model import Message
from hermes_tui.model.record import dataclass
from hermes_tui.query.fold import fold, folded_needle
from hermes_tui.render import Field, Place, Source

MOST = 5_000
"""Places marked in one text: a megabyte of one letter is found all the same, and costs what this many cost."""


class Literal:
    """A find as a marker of texts; `text` is not blank."""

    def __init__(self, text: str) -> None:
        self.text = text
        parts = folded_needle(text, case=True, accents=False).split(" ")
        self._pattern = re.compile(r"\s+".join(re.escape(part) for part in parts if part) or r"\s+")

    def spans(self, text: str) -> list[tuple[int, int]]:
        """Where it stands in `text`: half-open ranges of code points, in order, the first `MOST`."""
        folded = fold(text, case=True, accents=False)
        return [folded.back(*found.span()) for found in islice(self._pattern.finditer(folded.text), MOST)]

    def places(self, message: Message) -> list[Place]:
        """Every place of `message` it stands at, from top to bottom as the message is shown."""
        return [Place(source, start) for source, text in texts(message) if text for start, _ in self.spans(text)]


def texts(message: Message) -> list[tuple[Source, str]]:
    """The texts of a message, from top to bottom as it is shown."""
    calls = [
        text
        for number, call in enumerate(message.tool_calls)
        for text in (
            (Source(Field.CALL, number), call.name),
            (Source(Field.ARGUMENTS, number), call.arguments),
        )
    ]
    return [
        (Source(Field.REASONING), message.reasoning),
        (Source(Field.TOOL_NAME), message.tool_name or ""),
        (Source(Field.TEXT), message.text),
        *calls,
    ]


def text_of(message: Message, source: Source) -> str:
    """One text of a message."""
    return next((text for each, text in texts(message) if each == source), "")


@dataclass(frozen=True, slots=True)
class Spot:
    """A place in a message that a find came to."""

    message_id: int
    place: Place


class Finds:
    """The spots found so far, in reading order from where the reader began to look, round the end to the beginning."""

    def __init__(self) -> None:
        self._ahead: list[Spot] = []
        self._behind: list[Spot] = []
        self._at: int | None = None
        self.messages: set[int] = set()
        self.complete = False
        self.full = False
        """Whether there were so many that the rest was left."""

    def add(self, spots: Sequence[Spot], *, ahead: bool) -> None:
        """More were found; `ahead` says that they lie behind the beginning of the search and not before it."""
        if ahead and self._at is not None and self._at >= len(self._ahead):
            self._at += len(spots)
        (self._ahead if ahead else self._behind).extend(spots)
        self.messages.update(spot.message_id for spot in spots)

    def __len__(self) -> int:
        return len(self._ahead) + len(self._behind)

    @property
    def current(self) -> Spot | None:
        """The spot the reader is at."""
        return None if self._at is None else self._spot(self._at)

    @property
    def number(self) -> int | None:
        """Which of all spots of the conversation, from its beginning, the reader is at; counted from 1."""
        if self._at is None:
            return None
        ahead = self._at < len(self._ahead)
        return self._at + 1 + (len(self._behind) if ahead else -len(self._ahead))

    def step(self, direction: int) -> Spot | None:
        """Go to the next spot (1) or the one before (-1), round the ends; the first step goes to the first spot."""
        if not len(self):
            return None
        if self._at is None:
            self._at = 0 if direction > 0 else len(self) - 1
        else:
            self._at = (self._at + direction) % len(self)
        return self._spot(self._at)

    def _spot(self, at: int) -> Spot:
        return self._ahead[at] if at < len(self._ahead) else self._behind[at - len(self._ahead)]
