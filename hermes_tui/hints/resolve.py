"""Whether a path that was written down is there now: one look at the file system, and none at another machine."""

from __future__ import annotations

import ntpath
import os
import posixpath
import re
import stat
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from urllib.parse import unquote

MOUNTS = Path("/proc/self/mounts")
_REMOTE = frozenset(
    ("nfs", "nfs4", "cifs", "smb3", "smbfs", "afs", "ceph", "9p", "autofs", "davfs", "ncpfs", "glusterfs", "lustre")
)
_LOCAL = ("fuse.portal", "fuse.lxcfs", "fuse.fuse-overlayfs", "fuse.overlayfs")
_FAR = ("/net/", "/afs/", "/Network/", "//")
_WINDOWS = re.compile(r"[A-Za-z]:[\\/]|\\\\|%\w++%|(?:\.{1,2}|[\w\-]++)\\")
_ESCAPE = re.compile(r"\\(\d{3})")
_SLACK = 2.0  # seconds that clocks of file systems and of messages may be apart


class State(StrEnum):
    """How a path stands here and now."""

    EXISTS = "exists"
    CHANGED = "changed since"
    GONE = "gone"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Resolved:
    """A path as this machine knows it. `absolute` and `relative` (to the session's folder) are None where they cannot
    be told; `why` says in a few words why a state is unknown, else it is "".
    """

    absolute: str | None
    relative: str | None
    state: State
    folder: bool = False
    why: str = ""

    @property
    def said(self) -> str:
        """The state in words: `exists`, `unknown: a Windows path`."""
        return f"{self.state.value}: {self.why}" if self.why else self.state.value


def resolve(
    path: str, *, cwd: str | None, home: str | None, since: float | None, remote: Iterable[str] | None = None
) -> Resolved:
    """How `path` stands, taken relative to `cwd`, the session's folder; `home` stands for `~`.

    Changed is a file written more than two seconds after `since` (Unix seconds). Costs one `stat`, and where that finds
    nothing one more of `cwd`, to tell a file that is gone from a session of another machine. Paths of Windows on
    another system, shares, and whatever lies below the mounts `remote` (None: `remote_mounts()`) are never looked at.
    Does not belong on an event loop: even a local disk may be slow. Raises nothing.
    """
    if path.startswith("file://"):
        path = unquote(path.removeprefix("file://").removeprefix("localhost"))
    if os.name != "nt" and _WINDOWS.match(path):
        return _unknown("a Windows path")
    absolute, why = _absolute(path, cwd, home)
    if absolute is None:
        return _unknown(why)
    relative = _relative(absolute, cwd)
    mounts = remote_mounts() if remote is None else remote
    if absolute.startswith((*_FAR, "\\\\")) or any(_below(absolute, mount) for mount in mounts):
        return Resolved(absolute, relative, State.UNKNOWN, why="on another machine")
    try:
        found = os.stat(absolute)
    except (FileNotFoundError, NotADirectoryError):
        # A relative path, or one below the session's folder, says nothing where that folder is not here.
        if cwd and not _is_folder(cwd, mounts):
            return Resolved(absolute, relative, State.UNKNOWN, why="the session's folder is not on this machine")
        return Resolved(absolute, relative, State.GONE)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else None
        return Resolved(absolute, relative, State.UNKNOWN, why=(reason or "no path of this system").lower())
    folder = stat.S_ISDIR(found.st_mode)
    changed = since is not None and not folder and found.st_mtime > since + _SLACK
    return Resolved(absolute, relative, State.CHANGED if changed else State.EXISTS, folder)


def remote_mounts(mounts: Path = MOUNTS) -> tuple[str, ...]:
    """The folders where file systems of other machines are mounted, from the list that Linux keeps; () elsewhere.

    Looking at a file below one may hang for minutes when that machine is away.
    """
    try:
        lines = mounts.read_text(encoding="utf-8", errors="surrogateescape").splitlines()
    except OSError:
        return ()
    found = []
    for fields in (line.split(" ") for line in lines):
        kind = fields[2] if len(fields) > 2 else ""
        if kind in _REMOTE or (kind.startswith("fuse.") and kind not in _LOCAL):
            found.append(_ESCAPE.sub(lambda code: chr(int(code[1], 8)), fields[1]))
    return tuple(found)


def _unknown(why: str) -> Resolved:
    return Resolved(None, None, State.UNKNOWN, why=why)


def _absolute(path: str, cwd: str | None, home: str | None) -> tuple[str | None, str]:
    """`path` from the root, or None and why that cannot be told."""
    if "\x00" in path:
        return None, "no path of this system"
    for sign in ("~", "$HOME", "${HOME}"):
        if path == sign or path.startswith(sign + "/"):
            return (posixpath.normpath(home + path[len(sign) :]), "") if home else (None, "no home folder is known")
    if path.startswith("~"):
        return None, "in somebody's home folder"
    if path.startswith("$"):
        return None, "begins with a variable"
    if os.path.isabs(path):
        return path if path.startswith("//") else os.path.normpath(path), ""
    if not cwd:
        return None, "relative, and the session tells no folder"
    if os.name != "nt" and (ntpath.splitdrive(cwd)[0] or not posixpath.isabs(cwd)):
        return None, "relative to a folder of another machine"
    return os.path.normpath(os.path.join(cwd, path)), ""


def _relative(absolute: str, cwd: str | None) -> str | None:
    if not cwd or not os.path.isabs(cwd):
        return None
    try:
        return os.path.relpath(absolute, cwd)
    except ValueError:  # another drive
        return None


def _below(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder.rstrip("/") + "/")


def _is_folder(path: str, mounts: Iterable[str]) -> bool:
    """Whether the session's folder is here; one that must not be looked at counts as not."""
    return not any(_below(path, mount) for mount in mounts) and os.path.isdir(path)
