"""What can be copied or handed over at a place, as a list to choose from."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from enum import Enum, auto
from pathlib import Path

from hermes_tui.model import Anchor, Message, Session
from hermes_tui.model.record import dataclass
from hermes_tui.render import count, one_line

ELSEWHERE = "for a Hermes that has this session in its own store"
LONGEST = 400
"""Characters of a text that are looked at for its line in the list."""


class Outside(Enum):
    """What is done outside of the browser with a text or a command."""

    PLAIN = auto()
    PAGER = auto()
    EDITOR = auto()
    PAGER_ALL = auto()
    EDITOR_ALL = auto()
    RUN = auto()


@dataclass(frozen=True, slots=True)
class Offer:
    """One thing to choose: `text` is copied, or with `outside` goes there (a command to run, a text to show)."""

    heading: str
    label: str
    text: str
    outside: Outside | None = None
    note: str = ""

    @property
    def about(self) -> str:
        """How much it is, or what to know of it."""
        if self.note:
            return one_line(self.note, 36)
        if self.outside is not None:
            return ""
        lines = self.text.count("\n") + 1
        return count(lines, "line") if lines > 1 else count(len(self.text), "character")


@dataclass(frozen=True, slots=True)
class Where:
    """The store a place is in, for commands: the profile it belongs to, else its folder; the file in any case."""

    db: Path
    profile: str | None
    home: Path | None

    @property
    def known(self) -> bool:
        """Whether Hermes can be told which store is meant."""
        return self.profile is not None or self.home is not None


def of_message(message: Message, row: Mapping[str, object], results: Sequence[Message]) -> list[Offer]:
    """What a message offers; `row` is it as it is stored, `results` the answers to its calls."""
    from hermes_tui.export.shell import calls_of, command
    from hermes_tui.hints import HintKind, find

    offers = [Offer("This message", "text", message.text)] if message.text else []
    blocks = [hint for hint in find(message.text) if hint.kind is HintKind.CODE]
    offers += [Offer("This message", f"code: {_first(block.text)}", block.text) for block in blocks]
    for call in calls_of(row):
        made = command(call)
        offers.append(Offer("This message", f"{call.name} as a command: {_first(made)}", made))
    offers += [
        Offer("This message", f"output of {result.tool_name or 'the call'}", result.text)
        for result in results
        if result.text
    ]
    if message.reasoning:
        offers.append(Offer("This message", "reasoning", message.reasoning))
    return offers


def of_place(anchor: Anchor, session: Session, where: Where) -> list[Offer]:
    """What a place offers: ids, and commands that open it, here and in Hermes. `session` is one row by itself."""
    from hermes_tui.export import handing

    profile, home = where.profile, where.home
    resume = handing.resume(session.id, profile=profile, home=home)
    archive = handing.archive(session, profile=profile, home=home)
    db = None if profile is not None else where.db
    bare = Anchor(anchor.session_id, anchor.message_id)
    offers = [
        Offer("This place", "session id", session.id),
        Offer("This place", "anchor", str(anchor)),
        Offer("This place", "command that opens it here", handing.opening(bare, db=db, profile=profile)),
        Offer("This place", "command that prints it", handing.showing(bare, db=db, profile=profile)),
        Offer("Commands for Hermes", "resume", resume, note=resume if where.known else ELSEWHERE),
        _renaming(session, where),
    ]
    if archive.command is not None:
        offers.append(Offer("Commands for Hermes", "archive", archive.command, note=archive.note))
    return offers


def of_outside(message: Message | None, resume: str | None) -> list[Offer]:
    """What opens outside: the message as it is, the whole conversation, Hermes."""
    offers: list[Offer] = []
    heading = "Outside, and back again"
    if message is not None:
        text = whole(message)
        offers += [
            Offer(heading, "this message, plain, for the terminal's own selection (p)", text, Outside.PLAIN),
            Offer(heading, "this message in the pager", text, Outside.PAGER),
            Offer(heading, "this message in the editor", text, Outside.EDITOR),
            Offer(heading, "the whole conversation in the pager", "", Outside.PAGER_ALL),
            Offer(heading, "the whole conversation in the editor", "", Outside.EDITOR_ALL),
        ]
    if resume is not None:
        offers.append(Offer(heading, "resume in Hermes", resume, Outside.RUN))
    return offers


def whole(message: Message) -> str:
    """All that a message says: its text, its calls, and what was thought where there is nothing else."""
    calls = [f"{call.name}\n{call.arguments}".strip() for call in message.tool_calls]
    return "\n\n".join(part for part in (message.text, *calls) if part) or message.reasoning


def alike(offers: Iterable[Offer], typed: str) -> list[Offer]:
    """Those whose label holds every word that was typed, in their order."""
    words = typed.casefold().split()
    return [offer for offer in offers if all(word in f"{offer.heading} {offer.label}".casefold() for word in words)]


def _renaming(session: Session, where: Where) -> Offer:
    from hermes_tui.export import handing

    title = session.title or "New title"
    made = handing.rename(session.id, title, profile=where.profile, home=where.home)
    return Offer("Commands for Hermes", "rename (put the new title in)", made, note=made)


def _first(text: str) -> str:
    lines = text[:LONGEST].strip().splitlines()
    return one_line(lines[0], 60) if lines else ""
