"""The stores that lie on this machine: profiles, other homes, backups; what each holds, or why it cannot be read."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from hermes_tui.model import FoundStore, Origin, StorePlace
from hermes_tui.model.record import dataclass
from hermes_tui.store.census import costly, session_ids, tally
from hermes_tui.store.connection import Connection, StoreDamaged, StoreError, Ticket, connect, look
from hermes_tui.store.locate import (
    DEFAULT_PROFILE,
    backups,
    hermes_root,
    other_homes,
    profiles,
    sticky_profile,
)
from hermes_tui.store.schema import detect

UNCOUNTED = "not counted: only a copy of it can be read"


@dataclass(frozen=True, slots=True)
class Lead:
    """A store that was found and not looked into yet. `of` is the store that a backup is one of."""

    place: StorePlace
    origin: Origin
    sticky: bool = False
    of: Path | None = None


def leads(opened: Iterable[StorePlace], *, environ: Mapping[str, str] | None = None) -> tuple[Lead, ...]:
    """Every store there is to offer: the profiles, what is open besides, other homes, then backups of all of these.

    Looks into folders only. Names are those of profiles, of backups what they are called.
    """
    environ = os.environ if environ is None else environ
    root = hermes_root(environ)
    sticky = sticky_profile(root) or DEFAULT_PROFILE
    found = [
        Lead(StorePlace(path, name), Origin.PROFILE, sticky=name == sticky) for name, path in profiles(root).items()
    ]
    found += [Lead(place, Origin.FILE) for place in opened]
    for home in other_homes(environ):
        found += [Lead(StorePlace(path, name), Origin.HOME) for name, path in profiles(home).items()]
    found = _unlike(found)
    older = [
        Lead(StorePlace(path, _called(path, lead.place.path)), Origin.BACKUP, of=lead.place.path)
        for lead in found
        for path in backups(lead.place.path)
    ]
    return tuple(_unlike([*found, *older]))


def _unlike(found: Sequence[Lead]) -> list[Lead]:
    by_file: dict[str, Lead] = {}
    for lead in found:
        by_file.setdefault(os.path.realpath(lead.place.path), lead)
    return list(by_file.values())


def _called(path: Path, of: Path) -> str:
    """What a backup is called: its folder or what its name ends with, without what all of them have in common."""
    inside = path.relative_to(of.parent)
    own = inside.name.removeprefix(f"{of.name}.")
    return own if len(inside.parts) == 1 else "-".join(inside.parts[:-1])


def survey(found: Sequence[Lead], *, ticket: Ticket | None = None) -> Iterator[FoundStore]:
    """What each store holds, one after the other; a backup also how many sessions no other store has any more.

    Each is opened read-only and closed again. Raises Cancelled.
    """
    compared = any(lead.of is not None for lead in found)
    held: set[str] = set()
    unknown: set[Path] = set()  # stores of which nobody knows what they hold, so that nothing is called lost
    for lead in found:
        store = FoundStore(lead.place, lead.origin, sticky=lead.sticky, size=_size(lead.place.path))
        path = lead.place.path
        try:
            footing = look(path)
            if costly(footing):
                unknown.add(path)
                yield replace(store, why=UNCOUNTED)
                continue
            with connect(footing) as connection:
                own = session_ids(connection, ticket=ticket) if compared else frozenset[str]()
                store = _counted(store, connection, own, ticket)
        except StoreError as error:
            yield replace(store, why=str(error))
            continue
        missing = len(own - held) if lead.of is not None and lead.of not in unknown else 0
        if lead.of is None:
            held |= own
        yield replace(store, missing=missing)


def _counted(store: FoundStore, connection: Connection, own: frozenset[str], ticket: Ticket | None) -> FoundStore:
    """The store with what it holds; of a damaged one, what can be read."""
    try:
        sessions, last = tally(connection, detect(connection, ticket=ticket), ticket=ticket)
    except StoreDamaged as error:
        return replace(store, sessions=len(own), why=str(error))
    return replace(store, sessions=sessions, last_active_at=last)


def _size(path: Path) -> int | None:
    """Bytes of a store and its write-ahead log."""
    try:
        size = path.stat().st_size
    except OSError:
        return None
    try:
        return size + path.with_name(f"{path.name}-wal").stat().st_size
    except OSError:
        return size
