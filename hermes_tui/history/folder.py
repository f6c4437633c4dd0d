"""Where what is remembered lies: the platform's folder for state, and never a home of Hermes Agent."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from hermes_tui.history.files import LOCK_NAME
from hermes_tui.history.troubles import shown, why

_VARIABLE = re.compile(r"\$(?:\{(\w+)\}|(\w+))|%(\w+)%")


class NoFolderError(Exception):
    """There is no folder to keep something in. `str(error)` is a sentence for people."""


def folder_for(
    what: str, names: Sequence[str], folder: Path | None = None, *, environ: Mapping[str, str] | None = None
) -> Path:
    """Where files of these `names` are kept: in `folder`, None for the platform's folder for state; nothing is created.

    `environ` says where Hermes has its homes, None for this process's own environment. Raises NoFolderError, about
    `what` they hold, when there is no folder or one of them would lie in such a home.
    """
    try:
        place = real(folder if folder is not None else state_folder())
        # A link in the place of a file leads elsewhere as well as one in the place of the folder.
        places = [place, *(real(place / name) for name in (*names, LOCK_NAME))]
        home = hermes_home_around(places, os.environ if environ is None else environ)
    except (OSError, ValueError, RuntimeError) as error:
        raise NoFolderError(f"There is no folder for {what}: {why(error)}.") from None
    if home is not None:
        raise NoFolderError(f"{what[0].upper()}{what[1:]} would lie in Hermes' own folder {shown(home)}.")
    return place


def state_folder() -> Path:
    """The platform's folder for what a program remembers. Raises ValueError with the reason when there is none."""
    import platformdirs  # only who keeps a history needs it

    folder = platformdirs.user_state_path("hermes-tui", appauthor=False)
    if not folder.is_absolute():
        raise ValueError("the system names no home folder")
    return folder


def hermes_home_around(places: Sequence[Path], environ: Mapping[str, str]) -> Path | None:
    """The home of Hermes that one of `places`, which are real paths, is or lies in; None for none."""
    around = dict.fromkeys(folder for place in places for folder in (place, *place.parents))
    for home in _hermes_homes(environ):
        if real(home) in around or any(_same(home, folder) for folder in around):
            return home
    return None


def _hermes_homes(environ: Mapping[str, str]) -> list[Path]:
    """The folder HERMES_HOME names, the one its profile belongs to, and the platform's default."""
    homes = []
    if named := environ.get("HERMES_HOME", "").strip():
        home = Path(_VARIABLE.sub(lambda match: environ.get(match[match.lastindex or 0], match[0]), named))
        home = _user_home(environ) / Path(*home.parts[1:]) if home.parts[:1] == ("~",) else home
        homes.append(home)
        if home.parent.name == "profiles" and (home.parent.parent / "state.db").exists():
            homes.append(home.parent.parent)
    suffix = environ.get("HERMES_DATA_DIR_SUFFIX", "")
    if sys.platform == "win32" and environ.get("LOCALAPPDATA", "").strip():
        homes.append(Path(environ["LOCALAPPDATA"].strip()) / f"hermes{suffix}")
    return [*homes, *(_user_home(environ) / name for name in dict.fromkeys((".hermes", f".hermes{suffix}")))]


def _user_home(environ: Mapping[str, str]) -> Path:
    named = environ.get("USERPROFILE" if sys.platform == "win32" else "HOME", "").strip()
    return Path(named) if named else Path.home()


def real(path: Path) -> Path:
    """`path` from the root, with every link followed."""
    return Path(os.path.realpath(path))


def _same(one: Path, other: Path) -> bool:
    try:
        return os.path.samefile(one, other)
    except (OSError, ValueError):
        return False
