"""A document while it is being written: messages come one by one, without their secrets, and are counted."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType

from hermes_tui.export.masks import Masker
from hermes_tui.export.material import Chapter, Material, read
from hermes_tui.library import Ticket
from hermes_tui.model import Image, Message, Session
from hermes_tui.render.words import count

Progress = Callable[[int, int], None]  # messages done, messages in all
NO_WAY: Mapping[str, str] = MappingProxyType({})


class Reading:
    """Reads `material`. With `images` pictures are handed out, with `reasoning` documents for people
    hold what the model thought."""

    def __init__(
        self,
        material: Material,
        *,
        keep_secrets: bool = False,
        images: bool = False,
        reasoning: bool = False,
        progress: Progress | None = None,
        ticket: Ticket | None = None,
    ) -> None:
        self.material = material
        self.masker = Masker(keep=keep_secrets)
        self.reasoning = reasoning
        self.left_out: dict[str, int] = {}  # what a form of document has no place for, and how often
        self._images = images
        self._progress = progress
        self._ticket = ticket
        self._done = 0

    def messages(self, chapter: Chapter) -> Iterator[Message]:
        """The messages of a chapter, without secrets. Raises StoreError and Cancelled."""
        gone = len(chapter.rows)
        for message in read(chapter.library, chapter.rows, ticket=self._ticket):
            if self._ticket is not None:
                self._ticket.check()
            yield self.masker.message(message)
            gone -= 1
            self._done += 1
            if self._progress is not None:
                self._progress(self._done, self.material.total)
        if gone:
            self.leave("gone", gone)

    def head(self, session: Session) -> Session:
        """A session for a title, without secrets; its first words are a message already, and are not counted twice."""
        return self.masker.session(session._replace(preview=""))

    def images(self, chapter: Chapter, message: Message) -> tuple[Image, ...]:
        """The pictures a message holds, where they are asked for; those not asked for are counted."""
        if "[image/" not in message.text:
            return ()
        found = chapter.library.images(message.id, ticket=self._ticket)  # the words may be somebody's own
        if self._images:
            return found
        if found:
            self.leave("images", len(found))
        return ()

    def leave(self, what: str, many: int = 1) -> None:
        """Count what is left out of the document."""
        self.left_out[what] = self.left_out.get(what, 0) + many

    def remarks(self, how: Mapping[str, str] = NO_WAY) -> list[str]:
        """Sentences about what was masked and left out; `how` names the way to have it: "secrets", "images",
        "reasoning"."""
        found = []
        if self.masker.keep:
            found.append("Secrets are kept as they stand.")
        elif masked := self.masker.words():
            found.append(f"{masked}{_way(how.get('secrets'), ' keeps them')}.")
        words = {
            "images": ("image", "images", "left out"),
            "reasoning": ("passage of reasoning", "passages of reasoning", "left out"),
            "gone": ("message", "messages", "gone from the store while it was read"),
        }
        for what, many in self.left_out.items():
            one, several, gone = words[what]
            found.append(f"{count(many, one, several)} {gone}{_way(how.get(what))}.")
        return found


def _way(name: str | None, does: str = "") -> str:
    return "" if name is None else f" ({name}{does})"
