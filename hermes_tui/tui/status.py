"""The bottom line: what just happened, else what the keys do here and which store is being read."""

from __future__ import annotations

from textual import events
from textual.content import Content
from textual.reactive import var

from hermes_tui.model.record import dataclass
from hermes_tui.render import cells, clean, fit
from hermes_tui.tui.band import Band
from hermes_tui.tui.commands import Where, applicable

LASTING = 6.0
"""Seconds a notice stays; trouble stays until it is over."""


@dataclass(frozen=True, slots=True)
class Notice:
    """One sentence for the reader. `trouble` names the questions that went wrong; "" when nothing did."""

    sentence: str
    trouble: str = ""


class StatusLine(Band):
    """Owned by the browser, which sets what it shows."""

    notice: var[Notice | None] = var(None, always_update=True, init=False)
    where: var[Where] = var(Where.LIST, init=False)
    store: var[str] = var("", init=False)
    """Path of the store, as people write it."""
    badge: var[str | None] = var(None, init=False)
    """How the store is read, where that is out of the ordinary."""

    def watch_notice(self) -> None:
        """Say it."""
        self._show()

    def watch_where(self) -> None:
        """Other keys apply."""
        self._show()

    def watch_store(self) -> None:
        """Name the store."""
        self._show()

    def watch_badge(self) -> None:
        """Say how it is read."""
        self._show()

    def on_resize(self, event: events.Resize) -> None:
        """More or fewer hints fit."""
        self._show()

    def _show(self) -> None:
        width = self.size.width
        if width <= 0:
            return
        if self.notice is not None:
            sentence = clean(self.notice.sentence, keep_newlines=False)
            self.put(Content.styled(sentence, "$text-error" if self.notice.trouble else "$accent"), lines=None)
            return
        badge = clean(self.badge or "", keep_newlines=False)
        room = width - (cells(badge) + 3 if badge else 0)
        pairs = hints(self.where, room)
        used = sum(cells(key) + cells(word) + 1 for key, word in pairs) + 2 * (len(pairs) - 1)
        parts: list[tuple[str, str] | str] = []
        for key, word in pairs:
            parts += (key, "$foreground bold"), (f" {word}  ", "$soft")
        store = clean(self.store, keep_newlines=False)
        gap = room - used - 3
        if store and gap >= 12:
            store = store if cells(store) <= gap else "…" + store[-(gap - 1) :]
            parts.append((" " * (gap + 1 - cells(store)) + store, "$soft"))
        elif badge:
            parts.append(" " * (gap + 1))
        if badge:
            parts.append((f"  {fit(badge, width)}", "$state"))
        self.put(Content.assemble(*parts))


def hints(where: Where, width: int) -> list[tuple[str, str]]:
    """Keys and their words, as many as fit: what leads back, opens help and quits are the last to go."""
    commands = [command for command in applicable(where) if where is not Where.LIST or command.action != "screen.back"]
    pairs = [(command.shown.split(", ")[0], command.hint) for command in commands if command.hint is not None]
    kept = ("back", "help", "quit")
    while len(pairs) > 1 and sum(cells(key) + cells(word) + 3 for key, word in pairs) - 2 > width:
        others = [at for at, (_, word) in enumerate(pairs) if word not in kept]
        pairs.pop(others[-1] if others else 0)
    return pairs
