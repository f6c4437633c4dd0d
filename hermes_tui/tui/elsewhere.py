"""The line above the list that tells what is in stores that are not open, and what cannot be read, with the key."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from textual import events
from textual.content import Content
from textual.reactive import var

from hermes_tui.model import FoundStore, Origin, Unread
from hermes_tui.render import count, one_line
from hermes_tui.tui.band import Band
from hermes_tui.tui.glance import in_two

KEY = "P"
MOST = 4
"""Lines it takes at most."""


class Elsewhere(Band):
    """Owned by the browser, which sets what it shows."""

    told: var[tuple[str, ...]] = var((), init=False)

    def watch_told(self) -> None:
        """Say it."""
        self._show()

    def on_resize(self, event: events.Resize) -> None:
        """It breaks elsewhere."""
        self._show()

    def _show(self) -> None:
        self.display = bool(self.told)
        width = max(20, self.size.width - 2)
        lines = [line for told in self.told for line in in_two(told, width) if line]
        if len(lines) > MOST:
            lines[MOST - 1 :] = [f"… and more ({KEY})"]
        self.put(Content.styled("\n".join(lines), "$soft"), lines=len(lines))


def sentences(found: Sequence[FoundStore], unread: Sequence[Unread], opened: Iterable[Path]) -> tuple[str, ...]:
    """What to say of stores beside those that are `opened` (real paths): what cannot be read of what was asked for
    (`unread`), how much other profiles hold, and what only a backup has."""
    held = frozenset(opened)
    told = [f"{each.name} cannot be read ({KEY}): {_reason(each)}" for each in unread]
    named = {each.path.resolve() for each in unread}
    others = [
        store for store in found if store.origin is Origin.PROFILE and store.place.path.resolve() not in held | named
    ]
    counted = [store for store in others if store.sessions is not None]
    if many := sum(store.sessions or 0 for store in counted):
        told.append(f"{count(many, 'session')} in {count(len(counted), 'other store')} ({KEY})")
    told += [f"{store.place.name} cannot be read ({KEY})" for store in others if store.sessions is None]
    return (*told, *_lost(found, held))


def _reason(each: Unread) -> str:
    """Why, without the path, which the list of stores tells."""
    return one_line(each.why.replace(str(each.path), "").split(". ")[0].split(", so")[0].strip(), 200)


def _lost(found: Sequence[FoundStore], held: frozenset[Path]) -> list[str]:
    """Sessions that only backups of what is open have."""
    having = [
        store
        for store in found
        if store.origin is Origin.BACKUP and store.missing and store.place.path.resolve() not in held
    ]
    if not having:
        return []
    most = max(having, key=lambda store: store.missing)
    more = f" and {count(len(having) - 1, 'other')}" if len(having) > 1 else ""
    return [f"{count(most.missing, 'session')} only in backup {most.place.name}{more} ({KEY})"]
