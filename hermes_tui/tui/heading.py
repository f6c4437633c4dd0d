"""The line above the transcript: which conversation is read, how much of it is live, and where the reader is in it."""

from __future__ import annotations

from textual import events
from textual.content import Content
from textual.reactive import var

from hermes_tui.model import Transcript
from hermes_tui.render import cells, count, fit, one_line
from hermes_tui.tui import labels
from hermes_tui.tui.band import Band


class Heading(Band):
    """Owned by the browser, which sets what it shows."""

    transcript: var[Transcript | None] = var(None, always_update=True, init=False)
    name_shown: var[str] = var("", init=False)
    """The title of the conversation, or its first words."""
    where: var[str] = var("", init=False)
    """`hit 3 of 7 · 12 of 340`: the place of the cursor."""
    lit: var[bool] = var(False, toggle_class="-lit", init=False)
    """Whether the transcript has the focus."""

    def watch_transcript(self) -> None:
        """Another conversation, or the same one grown."""
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

    def _show(self) -> None:
        width = self.size.width
        if width <= 0:
            return
        if self.transcript is None:
            return
        name = fit(one_line(self.name_shown, 400), width - cells(self.where) - 2)
        room = width - cells(self.where) - 2 - cells(name)
        about = ""
        for part in described(self.transcript):
            longer = f"{about} · {part}" if about else f"  {part}"
            about = longer if cells(longer) <= room else about
        gap = " " * (width - cells(name) - cells(about) - cells(self.where))
        self.put(Content.assemble((name, "bold"), (about, "$soft"), gap, (self.where, "$soft")))


def described(transcript: Transcript) -> list[str]:
    """What is worth knowing besides the title: source, date, how many messages are live, compacted, rewound."""
    session, counts = transcript.session, transcript.counts
    parts = [one_line(session.source, 20), labels.date(session.started_at)]
    if counts.compacted or counts.rewound:
        states = ((counts.live, "live"), (counts.compacted, "compacted"), (counts.rewound, "rewound"))
        parts += [f"{count(many)} {word}" for many, word in states if many]
    else:
        parts.append(count(counts.live, "message"))
    return [part for part in parts if part]


def position(at: int, total: int, hit: int | None, hits: int) -> str:
    """`hit 3 of 7 · 12 of 340`; all counted from 1."""
    found = f"hit {count(hit)} of {count(hits)} · " if hit is not None else f"{count(hits, 'hit')} · " if hits else ""
    return f"{found}{count(at)} of {count(total)}"
