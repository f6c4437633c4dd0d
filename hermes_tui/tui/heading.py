"""The line above the transcript: which conversation is read, how much of it is live, and where the reader is in it."""

from __future__ import annotations

from textual import events
from textual.content import Content
from textual.reactive import var

from hermes_tui.model import Transcript
from hermes_tui.render import cells, count, fit, one_line, store_label
from hermes_tui.tui import labels
from hermes_tui.tui.band import Band
from hermes_tui.tui.lens import Lens, Standing, standing

NAME = 20
"""Cells that the name keeps when what is to be said beside it is long."""
LEAST = 8
"""Cells that it keeps when there is hardly room for what must be said."""


class Heading(Band):
    """Owned by the browser, which sets what it shows."""

    transcript: var[Transcript | None] = var(None, always_update=True, init=False)
    name_shown: var[str] = var("", init=False)
    """The title of the conversation, or its first words."""
    where: var[str] = var("", init=False)
    """`hit 3 of 7 · 12 of 340`: the place of the cursor."""
    lit: var[bool] = var(False, toggle_class="-lit", init=False)
    """Whether the transcript has the focus."""

    lens: var[Lens] = var(Lens.LIVED, init=False)
    """By which lens the transcript is read."""

    _standing: Standing | None = None  # of the transcript: counting takes longer than painting the line

    def watch_lens(self) -> None:
        """Other rows are shown."""
        self._show()

    def watch_transcript(self) -> None:
        """Another conversation, or the same one grown."""
        self._standing = None if self.transcript is None else standing(self.transcript)
        self._show()

    def watch_name_shown(self) -> None:
        """Another conversation."""
        self._show()

    def watch_where(self) -> None:
        """The cursor moved."""
        self._show()

    def on_resize(self, event: events.Resize) -> None:
        """More or less fits."""
        self._show()

    def forget(self) -> None:
        """There is no conversation."""
        self.transcript, self.name_shown, self.where = None, "", ""

    def _show(self) -> None:
        width = self.size.width
        if width <= 0:
            return
        if self.transcript is None or self._standing is None:
            self.put(Content(""))
            return
        title = one_line(self.name_shown, 400)
        states, brief = (described(self.transcript, self._standing, self.lens, brief=each) for each in (False, True))
        session = self.transcript.session
        others = [one_line(session.source, 20), labels.date(session.started_at)]
        if store := store_label(session):
            others.insert(0, one_line(store, 24))
        name, about, where = arranged(title, (states, brief), [each for each in others if each], self.where, width)
        gap = " " * (width - cells(name) - cells(about) - cells(where))
        self.put(Content.assemble((name, "bold"), (about, "$soft"), gap, (where, "$soft")))


def arranged(
    title: str, told: tuple[list[str], list[str]], others: list[str], where: str, width: int
) -> tuple[str, str, str]:
    """The name, what is said of the conversation, and the place, so that they fit `width` cells with two between.

    `told` is what must be said, first in full and then in short; `others` are source and date. What is live and the
    lens are said whatever else gives way: source and date, the end of the name, and then the longer words.
    """
    least = min(NAME, cells(title))
    for states, place in ((told[0], where), (told[1], where), (told[1], where.replace(" of ", "/"))):
        room = max(0, width - cells(place) - 2)
        must = needed(states[:2]) + (4 if len(states) > 2 or others else 0) if len(states) > 1 else 0
        if least + must <= room:
            break
    else:
        least = min(least, max(LEAST, room - must))
    kept = needed(states) + 4 if must else 3
    name = fit(title, max(min(least, room), room - kept))
    return name, joined([*states, *others], room - cells(name)), place


def needed(parts: list[str]) -> int:
    """Cells that these parts take behind the name."""
    return sum(cells(part) + 3 for part in parts) - 1


def described(transcript: Transcript, now: Standing, lens: Lens, *, brief: bool = False) -> list[str]:
    """What is worth knowing besides the title, most important first: how many messages are live, by which lens they are
    read, and how many were taken back; `brief` where little fits."""
    compacted = bool(transcript.compactions)
    told = [
        f"{count(now.live)}{'/' if brief else ' of '}{count(now.lived)} live"
        if compacted
        else count(now.lived, "message")
    ]
    if compacted or lens is not Lens.LIVED:
        told.append(lens.short if brief else lens.value)
    if now.rewound:
        told.append(f"{count(now.rewound)} rewound")
    return told


def joined(parts: list[str], room: int) -> str:
    """As many parts from the first on as fit `room` cells, and `…` for those that do not."""
    about = ""
    for number, part in enumerate(parts, 1):
        longer = f"{about} · {part}" if about else f"  {part}"
        if cells(longer) + (4 if number < len(parts) else 0) > room:
            sign = f"{about} · …" if about else "  …"
            return sign if cells(sign) <= room else ""
        about = longer
    return about


def position(at: int, total: int, hit: int | None, hits: int, *, cut: bool = False) -> str:
    """`hit 3 of 7 · 12 of 340`; all counted from 1. `cut` says that there are more hits than were asked for."""
    many = f"{count(hits)}+" if cut else count(hits)
    word = "hit" if hits == 1 and not cut else "hits"
    found = f"hit {count(hit)} of {many} · " if hit is not None else f"{many} {word} · " if hits else ""
    return f"{found}{count(at)} of {count(total)}"
