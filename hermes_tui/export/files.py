"""Writes a document to a file: private, whole or not at all, and never over another without being asked."""

from __future__ import annotations

import os
import re
import stat
import tempfile
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

LONGEST_NAME = 80  # characters of a name made from a title
_ODD = re.compile(r"[^\w.-]+")
_STORE = b"SQLite format 3\0"
_BESIDE_A_STORE = ("-wal", "-shm", "-journal")


class WriteError(Exception):
    """A file that is not written. `str(error)` is a sentence for people."""


class Taken(WriteError):
    """There is a file of that name already, and nobody asked to replace it."""


def name_for(title: str | None, session_id: str, suffix: str) -> str:
    """A name for a file about a session: `mqtt-reconnect-loop-20260901_101500_ab12cd.md`."""
    parts = [_ODD.sub("-", text).strip("-.") for text in ((title or "").lower()[:LONGEST_NAME], session_id[:100])]
    return ("-".join(part for part in parts if part) or "session") + suffix


def check(path: Path, *, force: bool) -> Path:
    """The file that is meant, links followed, before any work is done. Raises WriteError and Taken."""
    try:
        real = Path(os.path.realpath(path))
        if not real.parent.is_dir():
            raise WriteError(f"There is no folder {real.parent} to write to.")
        seen = os.stat(real) if real.exists() else None
    except (OSError, ValueError) as error:
        raise WriteError(f"{path} cannot be written: {_why(error)}.") from None
    if real.name.endswith(tuple(f".db{end}" for end in _BESIDE_A_STORE)):
        raise WriteError(f"{path} is where SQLite keeps what belongs to a store; choose another name.")
    if seen is None:
        return real
    if stat.S_ISDIR(seen.st_mode):
        raise WriteError(f"{path} is a folder; give the name of a file in it.")
    if not stat.S_ISREG(seen.st_mode):
        raise WriteError(f"{path} is no ordinary file; for standard output use -o -")
    if not force:
        raise Taken(f"{path} is there already.")
    if _is_store(real):
        raise WriteError(f"{path} is a database, and will not be replaced.")
    return real


def write(path: Path, pieces: Iterable[str], *, force: bool = False) -> int:
    """Write the pieces to a file only its owner can read (0600), and return how many bytes there are.

    They go to a file beside it first, which takes the name when it is whole; whatever goes wrong, and whoever cancels,
    leaves nothing behind and what was there untouched. Raises WriteError, Taken, and what making the pieces raises.
    """
    real = check(path, force=force)
    temporary: str | None = None
    try:
        descriptor, temporary = tempfile.mkstemp(dir=real.parent, prefix=f".{real.name[:100]}.")
        with open(descriptor, "w", encoding="utf-8", errors="replace", newline="") as file:
            for piece in pieces:
                file.write(piece)
            file.flush()
            size = os.fstat(descriptor).st_size
            os.fsync(descriptor)
        if force:
            os.replace(temporary, real)
        else:
            _take_free_name(temporary, real, path)
        temporary = None
    except OSError as error:
        raise WriteError(f"{path} cannot be written: {_why(error)}.") from error
    finally:
        if temporary is not None:
            with suppress(OSError):
                os.unlink(temporary)
    return size


def _take_free_name(temporary: str, real: Path, path: Path) -> None:
    """Give the finished file its name, unless somebody else took it meanwhile."""
    try:
        if os.name == "nt":
            os.rename(temporary, real)  # there it never replaces anything
            return
        try:
            os.link(temporary, real)
        except FileExistsError:
            raise
        except OSError:  # a file system without hard links: the name is taken first, and filled at once
            os.close(os.open(real, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
            os.replace(temporary, real)
        else:
            os.unlink(temporary)
    except FileExistsError:
        raise Taken(f"{path} is there already.") from None


def _is_store(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            return file.read(len(_STORE)) == _STORE
    except OSError:
        return False


def _why(error: Exception) -> str:
    text = getattr(error, "strerror", None) or str(error) or type(error).__name__
    return str(text).rstrip(".")
