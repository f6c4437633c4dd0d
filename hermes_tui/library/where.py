"""Which store is meant: a path, a profile's name, or the one Hermes itself would use."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from hermes_tui.store.connection import StoreMissing
from hermes_tui.store.locate import default_store, hermes_root, profile_of, profiles


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


def other_stores(path: Path, *, environ: Mapping[str, str] | None = None) -> dict[str, Path]:
    """The stores of the other profiles by name, for a store that belongs to one; none for a file somewhere else."""
    root = hermes_root(os.environ if environ is None else environ)
    own = profile_of(path, root)
    return {} if own is None else {name: store for name, store in profiles(root).items() if name != own}
