"""Proof of no touch: what a store's file and folder look like, to be compared with what they look like afterwards.

Reads through descriptors of its own, so it must run while this process has no connection to the file: closing any
descriptor on a file gives up every POSIX lock the process holds on it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path

from hermes_tui.model.record import dataclass

CHUNK = 1 << 20
KEPT = ("", "-wal", "-journal")  # held to their bytes; SQLite's readers keep their marks in -shm, whatever they read


@dataclass(frozen=True, slots=True)
class File:
    """One file: which one it is, when it last changed, and a digest of its bytes."""

    inode: int
    size: int
    mtime_ns: int
    sha256: str


@dataclass(frozen=True, slots=True)
class Footprint:
    """The store's files by name, and every name in its folder."""

    files: Mapping[str, File]
    names: frozenset[str]

    def differences(self, later: Footprint) -> tuple[str, ...]:
        """What is not as it was, in words; nothing when all is untouched."""
        found = [f"{name} is new" for name in sorted(later.names - self.names)]
        found += [f"{name} is gone" for name in sorted(self.names - later.names)]
        for name, file in sorted(self.files.items()):
            now = later.files.get(name)
            if now is None or now == file:
                continue
            if (now.inode, now.sha256) == (file.inode, file.sha256):
                found.append(f"{name} has another time stamp")
            else:
                found.append(f"{name} holds other bytes")
        return tuple(found)


def footprint(path: Path) -> Footprint:
    """What is there now. Raises OSError when the file or its folder cannot be read."""
    path = path.resolve()
    files = {}
    for suffix in KEPT:
        file = path.with_name(path.name + suffix)
        if file.is_file():
            files[file.name] = _file(file)
    return Footprint(files, frozenset(entry.name for entry in path.parent.iterdir()))


def _file(path: Path) -> File:
    digest = hashlib.sha256()
    with path.open("rb") as stream:
        while chunk := stream.read(CHUNK):
            digest.update(chunk)
    seen = path.stat()
    return File(seen.st_ino, seen.st_size, seen.st_mtime_ns, digest.hexdigest())
