"""Where Hermes Agent keeps its stores. Pure functions over an environment; creates nothing.

The rules are Hermes' own: `HERMES_HOME`, else the platform's default home; a root with profiles under `profiles/`; a
sticky profile named in `<root>/active_profile` that its command line follows.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Mapping
from pathlib import Path

STORE_NAME = "state.db"
DEFAULT_PROFILE = "default"

_BESIDE = ("-wal", "-shm", "-journal")  # what SQLite keeps beside a store
_PROFILE_NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,63}")
_VARIABLE = re.compile(r"\$(?:\{(\w+)\}|(\w+))|%(\w+)%")


def default_home(environ: Mapping[str, str], *, platform: str = sys.platform) -> Path:
    """The home Hermes uses when `HERMES_HOME` is not set: `~/.hermes`, on Windows `%LOCALAPPDATA%\\hermes`."""
    suffix = environ.get("HERMES_DATA_DIR_SUFFIX", "")
    if platform == "win32":
        local = environ.get("LOCALAPPDATA", "").strip()
        folder = Path(local) if local else user_home(environ, platform=platform) / "AppData" / "Local"
        return folder / f"hermes{suffix}"
    return user_home(environ, platform=platform) / f".hermes{suffix}"


def user_home(environ: Mapping[str, str], *, platform: str = sys.platform) -> Path:
    """The person's home folder, as the environment names it, else as the system knows it."""
    named = environ.get("USERPROFILE" if platform == "win32" else "HOME", "").strip()
    return Path(named) if named else Path.home()


def hermes_home(environ: Mapping[str, str], *, platform: str = sys.platform) -> Path:
    """The folder `HERMES_HOME` names (`~` and variables expanded), else the platform's default."""
    named = environ.get("HERMES_HOME", "").strip()
    return _expanded(named, environ, platform) if named else default_home(environ, platform=platform)


def hermes_root(environ: Mapping[str, str], *, platform: str = sys.platform) -> Path:
    """The folder that holds the default profile and `profiles/`.

    A home inside the default home belongs to the default home; `<x>/profiles/<name>` to `<x>`; any other home is its
    own root.
    """
    default = default_home(environ, platform=platform)
    home = hermes_home(environ, platform=platform)
    if _resolved(home).is_relative_to(_resolved(default)):
        return default
    return home.parent.parent if home.parent.name == "profiles" else home


def profiles(root: Path) -> dict[str, Path]:
    """The stores of all profiles under a root by name, `default` first, the others in order; only files that exist, or
    may exist in a folder that nobody lets us look into."""
    found = {}
    if _lies(root / STORE_NAME):
        found[DEFAULT_PROFILE] = root / STORE_NAME
    try:
        homes = sorted((root / "profiles").iterdir())
    except OSError:
        return found
    for home in homes:
        store = home / STORE_NAME
        # Hermes leaves a stone in `.deleted` for a profile that is gone, whatever still lies in its folder.
        if (
            home.name != DEFAULT_PROFILE
            and _PROFILE_NAME.fullmatch(home.name)
            and _lies(store)
            and not (root / "profiles" / ".deleted" / home.name).exists()
        ):
            found[home.name] = store
    return found


def _lies(store: Path) -> bool:
    try:
        return store.is_file()
    except PermissionError:
        return True
    except OSError:
        return False


def other_homes(environ: Mapping[str, str], *, platform: str = sys.platform) -> tuple[Path, ...]:
    """Roots of other Hermes homes of the same person: the default home where `HERMES_HOME` names another one, and on
    Windows `~/.hermes`, which releases before 0.16 used. Nothing need be there."""
    root = _resolved(hermes_root(environ, platform=platform))
    homes = [default_home(environ, platform=platform)]
    if platform == "win32":
        homes.append(user_home(environ, platform=platform) / ".hermes")
    return tuple(home for home in homes if _resolved(home) != root)


def backups(store: Path) -> tuple[Path, ...]:
    """Older states of a store that lie beside it: snapshots Hermes took, copies a repair put aside, and the store of
    releases that kept it in `data/`. The newest first."""
    home = store.parent
    found = [home / "data" / STORE_NAME]
    try:
        found += (home / "state-snapshots").rglob(STORE_NAME)
        found += (path for path in home.glob("*.malformed-backup-*") if not path.name.endswith(_BESIDE))
    except OSError:
        pass
    dated = {path: seen for path in found if path != store and (seen := _changed(path)) is not None}
    return tuple(sorted(dated, key=lambda path: (-dated[path], str(path))))


def _changed(path: Path) -> float | None:
    """When a file was last written; None where there is none."""
    try:
        return path.stat().st_mtime if path.is_file() else None
    except OSError:
        return None


def sticky_profile(root: Path) -> str | None:
    """The profile `hermes profile use` has set, None for the default or where the file makes no sense."""
    try:
        name = (root / "active_profile").read_text(encoding="utf-8-sig").strip()
    except (OSError, UnicodeDecodeError):
        return None
    return name if _PROFILE_NAME.fullmatch(name) and name != DEFAULT_PROFILE else None


def profile_of(store: Path, root: Path) -> str | None:
    """The name of the profile a store belongs to, None for a file outside this root."""
    place = _resolved(store)
    if place == _resolved(root / STORE_NAME):
        return DEFAULT_PROFILE
    home = place.parent
    if place.name == STORE_NAME and home.parent == _resolved(root / "profiles") and _PROFILE_NAME.fullmatch(home.name):
        return home.name
    return None


def default_store(environ: Mapping[str, str] | None = None, *, platform: str = sys.platform) -> Path:
    """The store `hermes` itself would use: also named when nothing is there.

    A home that is a profile is taken as it is; else the sticky profile is followed when its folder exists.
    """
    environ = os.environ if environ is None else environ
    home = hermes_home(environ, platform=platform)
    if environ.get("HERMES_HOME", "").strip() and home.parent.name == "profiles":
        return home / STORE_NAME
    root = hermes_root(environ, platform=platform)
    sticky = sticky_profile(root)
    if sticky is not None and (root / "profiles" / sticky).is_dir():
        return root / "profiles" / sticky / STORE_NAME
    return root / STORE_NAME


def _expanded(path: str, environ: Mapping[str, str], platform: str) -> Path:
    """`~`, `$NAME`, `${NAME}` (and `%NAME%` on Windows) from this environment; unknown ones stay as they are."""

    def value(match: re.Match[str]) -> str:
        if match[3] is not None and platform != "win32":
            return match[0]
        return environ.get(match[1] or match[2] or match[3], match[0])

    path = _VARIABLE.sub(value, path)
    if path == "~" or path.startswith(("~/", "~\\") if platform == "win32" else "~/"):
        return user_home(environ, platform=platform) / path[2:]
    return Path(os.path.expanduser(path))  # what is left may be `~somebody`


def _resolved(path: Path) -> Path:
    try:
        return path.resolve()
    except (OSError, RuntimeError):
        return path.absolute()
