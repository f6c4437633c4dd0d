"""Which stores are meant: paths, a profile's name, all profiles, or the store Hermes itself would use."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from hermes_tui.library.stores import Stores
from hermes_tui.model import FoundStore, Origin, StorePlace
from hermes_tui.store.connection import StoreMissing
from hermes_tui.store.locate import STORE_NAME, default_store, hermes_root, profile_of, profiles


def store_of(
    *, path: str | None = None, profile: str | None = None, environ: Mapping[str, str] | None = None
) -> tuple[Path, str | None]:
    """The path of the store and the profile it belongs to, if any. Nothing need be at that path.

    Raises StoreMissing for a profile that is not there, with the names of those that are.
    """
    environ = os.environ if environ is None else environ
    if path is not None:
        return Path(path), None
    root = hermes_root(environ)
    if profile is None:
        store = default_store(environ)
        return store, profile_of(store, root)
    found = profiles(root)
    if profile not in found:
        known = f"There are: {', '.join(found)}." if found else "There is none at all."
        raise StoreMissing(f"No profile called {profile} has a store under {root}. {known}")
    return found[profile], profile


def places_of(
    *,
    paths: Sequence[str] = (),
    profile: str | None = None,
    everything: bool = False,
    environ: Mapping[str, str] | None = None,
) -> tuple[StorePlace, ...]:
    """The stores that are meant, each with a name of its own where there are several; with `everything` those of all
    profiles. Raises StoreMissing as `store_of` does, and where there is no profile at all."""
    environ = os.environ if environ is None else environ
    if everything:
        root = hermes_root(environ)
        found = profiles(root)
        if not found:
            raise StoreMissing(
                f"No profile has a store under {root}; to look around in a sample store: hermes-tui demo"
            )
        return tuple(StorePlace(path, name) for name, path in found.items())
    unlike = _unlike([Path(path) for path in paths])
    if len(unlike) > 1:
        return named(unlike)
    path, name = store_of(path=paths[0] if paths else None, profile=profile, environ=environ)
    return (StorePlace(path, name),)


def profile_at(path: Path, *, environ: Mapping[str, str] | None = None) -> str | None:
    """The Hermes profile that a store belongs to; None for a file somewhere else, whatever it is called here."""
    return profile_of(path, hermes_root(os.environ if environ is None else environ))


def closed_stores(stores: Stores, *, environ: Mapping[str, str] | None = None) -> dict[str, Path]:
    """The stores of profiles by name that are not open, where one that is belongs to a profile."""
    opened = [library.path for library in stores.libraries.values()]
    others: dict[str, Path] = {}
    for path in opened:
        others |= other_stores(path, environ=environ)
    known = {os.path.realpath(path) for path in (*opened, *(each.path for each in stores.unread))}
    return {name: path for name, path in others.items() if os.path.realpath(path) not in known}


def other_stores(path: Path, *, environ: Mapping[str, str] | None = None) -> dict[str, Path]:
    """The stores of the other profiles by name, for a store that belongs to one; none for a file somewhere else."""
    root = hermes_root(os.environ if environ is None else environ)
    own = profile_of(path, root)
    return {} if own is None else {name: store for name, store in profiles(root).items() if name != own}


def named(paths: Sequence[Path]) -> tuple[StorePlace, ...]:
    """Different files, each with a name made of the words of its path: what the file is called, or its folder where the
    file is a plain state.db, with as many folders in front as tell all of them apart."""
    words = [_words(path) for path in paths]
    for many in range(1, max(map(len, words), default=0) + 1):
        names = ["-".join(path[-many:]) for path in words]
        if max(Counter(names).values()) == 1:
            return tuple(StorePlace(path, name) for path, name in zip(paths, names, strict=True))
    return tuple(StorePlace(path, f"store{number}") for number, path in enumerate(paths, 1))


def distinct(found: Sequence[FoundStore]) -> tuple[StorePlace, ...]:
    """Places of stores that are to be opened together, each with a name of its own: that of its profile or backup, or
    where two are called the same the words of their paths. One alone needs no name, unless it is a profile."""
    if len(found) == 1:
        only = found[0]
        return (only.place if only.origin is Origin.PROFILE else replace(only.place, name=None),)
    names = Counter(store.place.name for store in found)
    if None in names or max(names.values()) > 1:
        return named([store.place.path for store in found])
    return tuple(store.place for store in found)


def _words(path: Path) -> list[str]:
    """The folders of a path and what its file is called, without what all stores are called. A `/` would end a name in
    an anchor, so there is none in it."""
    whole = Path(os.path.abspath(path))
    own = whole.name.removesuffix(".db").removeprefix(f"{STORE_NAME}.")
    folders = list(whole.parts[1:-1])
    return folders if folders and own == Path(STORE_NAME).stem else [*folders, own]


def _unlike(paths: Sequence[Path]) -> list[Path]:
    """The paths without those that lead to a file named before."""
    found: dict[str, Path] = {}
    for path in paths:
        found.setdefault(os.path.realpath(path), path)
    return list(found.values())
