"""What can be seen of a store without connecting to it: the file, its header, the files beside it.

SQLite's locks on POSIX belong to the process: closing *any* descriptor of a file drops all locks that this process
holds on it. So a descriptor of a file that a connection of ours has locked is never closed here; it is kept until the
last such connection is gone (`_Ground`).
"""

from __future__ import annotations

import os
import stat
import threading
import time
from collections import Counter
from pathlib import Path
from typing import NamedTuple

from hermes_tui.model import Opened
from hermes_tui.model.record import dataclass
from hermes_tui.store.failures import StoreMissing, StoreUnreadable, unsteady

MAGIC = b"SQLite format 3\x00"
HEADER_BYTES = 100
# A file whose time is younger than a tick of its file system's clock may change once more and keep that time.
SECOND_NS = 1_000_000_000
FINE_GRAIN_NS = SECOND_NS // 10
COARSE_GRAIN_NS = 2 * SECOND_NS  # file systems that keep whole seconds; FAT keeps even ones

Key = tuple[int, int]  # device and inode


class Sight(NamedTuple):
    """File and neighbours as `stat` shows them, without a descriptor. Sizes in bytes, None where there is no file."""

    device: int
    inode: int
    size: int
    mtime_ns: int
    wal: int | None
    wal_mtime_ns: int | None
    journal: int | None
    shm: bool

    @property
    def key(self) -> Key:
        """What tells this file from one that took its name."""
        return self.device, self.inode


@dataclass(frozen=True, slots=True)
class Footing:
    """What was seen of a store before connecting.

    `path` is what was asked for, made absolute; `place` the file it leads to, links resolved. `rung` is the rung of the
    opening ladder to try first and `reason` says why, where that needs a word. `missing_bytes` tells how much shorter
    the file is than its header claims; `settled` that its time is old enough for the next change to show in it.
    """

    path: Path
    place: Path
    sight: Sight
    wal_header: bool
    hot_journal: bool
    missing_bytes: int
    settled: bool
    rung: Opened
    reason: str = ""

    @property
    def device(self) -> int:
        """The device that holds the file."""
        return self.sight.device

    @property
    def inode(self) -> int:
        """The inode of the file."""
        return self.sight.inode

    @property
    def size(self) -> int:
        """Bytes in the file itself."""
        return self.sight.size

    @property
    def mtime_ns(self) -> int:
        """When the file itself was last written; a commit in WAL mode does not show here."""
        return self.sight.mtime_ns

    @property
    def wal_size(self) -> int | None:
        """Bytes in the write-ahead log, None when there is none."""
        return self.sight.wal

    @property
    def shm(self) -> bool:
        """Whether a shared-memory file lies beside the store."""
        return self.sight.shm

    @property
    def journal(self) -> bool:
        """Whether a rollback journal with content that may be hot lies beside the store."""
        return self.hot_journal

    @property
    def journal_mode(self) -> str:
        """The journal mode as the header names it: `wal` or `rollback`."""
        return "wal" if self.wal_header else "rollback"


class _Ground:
    """The files this process holds SQLite locks on, and the descriptors that must live as long as those locks."""

    def __init__(self) -> None:
        self.lock = threading.RLock()
        self._holds: Counter[Key] = Counter()
        self._kept: dict[Key, list[int]] = {}

    def hold(self, key: Key) -> None:
        """A connection that takes locks is about to be opened on this file."""
        with self.lock:
            self._holds[key] += 1

    def let_go(self, key: Key) -> None:
        """Such a connection was closed; with the last one the kept descriptors go."""
        with self.lock:
            self._holds[key] -= 1
            if self._holds[key] <= 0:
                del self._holds[key]
                for descriptor in self._kept.pop(key, []):
                    os.close(descriptor)

    def retire(self, descriptor: int) -> None:
        """Close a descriptor of a store, or keep it as long as a connection of ours holds locks on that file."""
        with self.lock:
            key = _key(os.fstat(descriptor))
            if self._holds[key]:
                self._kept.setdefault(key, []).append(descriptor)
            else:
                os.close(descriptor)

    def read_head(self, place: Path) -> tuple[Key, bytes]:
        """The first bytes of the file, and which file it was."""
        with self.lock:
            key = _key(place.stat())
            if kept := self._kept.get(key):
                os.lseek(kept[0], 0, os.SEEK_SET)
                return key, os.read(kept[0], HEADER_BYTES)
            descriptor = open_for_reading(place)
            try:
                return _key(os.fstat(descriptor)), os.read(descriptor, HEADER_BYTES)
            finally:
                self.retire(descriptor)


GROUND = _Ground()


def open_for_reading(place: Path) -> int:
    """A descriptor of the file; the caller gives it to `GROUND.retire`, never to `os.close`."""
    return os.open(place, os.O_RDONLY | getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0))


def beside(place: Path, suffix: str) -> Path:
    """The file SQLite keeps beside a store: `-wal`, `-shm`, `-journal`."""
    return place.with_name(place.name + suffix)


def see(place: Path) -> Sight:
    """Stat the file and its neighbours. Raises OSError when the file itself cannot be seen."""
    name = os.fspath(place)  # runs before and after every statement, so no Path is made for each neighbour
    own = os.stat(name)
    wal, shm, journal = _stat_or_none(name + "-wal"), _stat_or_none(name + "-shm"), _stat_or_none(name + "-journal")
    return Sight(
        device=own.st_dev,
        inode=own.st_ino,
        size=own.st_size,
        mtime_ns=own.st_mtime_ns,
        wal=None if wal is None else wal.st_size,
        wal_mtime_ns=None if wal is None else wal.st_mtime_ns,
        journal=None if journal is None else journal.st_size,
        shm=shm is not None,
    )


def look(path: Path) -> Footing:
    """Look at a store before connecting: stat, header, neighbours; decide the rung to try first.

    Opens the file for reading and creates nothing. Raises StoreMissing or StoreUnreadable, each with a sentence.
    """
    path = Path(os.path.abspath(path))
    for _ in range(5):
        place, sight = _find(path)
        try:
            key, head = GROUND.read_head(place)
            hot = _hot_journal(place, sight)
        except FileNotFoundError:
            continue
        except PermissionError:
            raise _unreadable(path, "may not be read by you. Ask its owner, or run as that user.") from None
        except OSError as error:
            raise _unreadable(path, f"could not be read ({error.strerror}). Check the drive.") from None
        if key == sight.key:
            _check_head(path, sight, head)
            return _footing(path, place, sight, head=head, hot=hot)
    raise unsteady(path)


def _footing(path: Path, place: Path, sight: Sight, *, head: bytes, hot: bool) -> Footing:
    wal_header = head[18] == 2 or head[19] == 2
    rung, reason = _first_rung(sight, wal_header=wal_header, hot=hot)
    return Footing(
        path=path,
        place=place,
        sight=sight,
        wal_header=wal_header,
        hot_journal=hot,
        missing_bytes=_missing_bytes(sight, head),
        settled=_settled(sight.mtime_ns),
        rung=rung,
        reason=reason,
    )


def _first_rung(sight: Sight, *, wal_header: bool, hot: bool) -> tuple[Opened, str]:
    """The rung that reads everything and leaves nothing behind, as far as can be told from outside."""
    if sight.wal and not sight.shm:
        # SQLite would read this, and leave a new -shm file in the folder.
        return Opened.COPY, "its newest messages are in a write-ahead log that cannot be read in place without a trace"
    if sight.wal is not None and sight.shm:
        return Opened.RO, ""
    if wal_header and hot:
        return Opened.COPY, "the agent was stopped while it changed the file, and only the agent may repair it"
    if wal_header or sight.wal is not None:
        return Opened.IMMUTABLE, ""
    return Opened.RO, ""


def _find(path: Path) -> tuple[Path, Sight]:
    try:
        place = path.resolve(strict=True)
        mode = place.stat().st_mode
        if stat.S_ISDIR(mode):
            raise StoreMissing(f"{path} is a folder, not a store. Name the state.db file inside it.")
        if not stat.S_ISREG(mode):
            raise _unreadable(path, "is not an ordinary file. Name a state.db file.")
        return place, see(place)
    except (FileNotFoundError, NotADirectoryError):
        raise StoreMissing(
            f"There is no file {path}. Check the path, or let Hermes Agent save its first session."
        ) from None
    except PermissionError:
        raise _unreadable(path, "lies in a folder you may not look into. Ask its owner, or run as that user.") from None
    except (OSError, ValueError, RuntimeError) as error:
        raise StoreMissing(f"{path} does not lead to a file ({error}). Check the path.") from None


def _check_head(path: Path, sight: Sight, head: bytes) -> None:
    if sight.size == 0:
        raise _unreadable(path, "is empty (0 bytes): no session was ever saved in it. Name another file.")
    if not MAGIC.startswith(head[: len(MAGIC)]):
        raise _unreadable(path, "is not a SQLite file, so it is not a session store. Name a state.db file.")
    if len(head) < HEADER_BYTES:
        raise _unreadable(path, f"is cut short: only {sight.size} bytes are left. Restore it from a backup.")


def _unreadable(path: Path, what: str) -> StoreUnreadable:
    return StoreUnreadable(f"{path} {what}")


def _settled(mtime_ns: int) -> bool:
    grain = FINE_GRAIN_NS if mtime_ns % SECOND_NS else COARSE_GRAIN_NS
    return time.time_ns() - mtime_ns > grain


def _missing_bytes(sight: Sight, head: bytes) -> int:
    """How many bytes the header counts that the file does not have; 0 where the header's count is not in use."""
    if head[24:28] != head[92:96]:
        return 0
    page_size = int.from_bytes(head[16:18], "big")
    pages = int.from_bytes(head[28:32], "big")
    return max(0, pages * (65536 if page_size == 1 else page_size) - sight.size)


def _hot_journal(place: Path, sight: Sight) -> bool:
    """Whether the rollback journal has a header: a journal that was zeroed or emptied is done with."""
    if not sight.journal:
        return False
    try:
        with beside(place, "-journal").open("rb") as journal:  # SQLite takes no locks on a journal
            return journal.read(1) not in (b"", b"\x00")
    except FileNotFoundError:
        return False


def _stat_or_none(name: str) -> os.stat_result | None:
    try:
        return os.stat(name)
    except OSError:
        return None


def _key(status: os.stat_result) -> Key:
    return status.st_dev, status.st_ino
