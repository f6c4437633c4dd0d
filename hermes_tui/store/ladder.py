"""The opening ladder: how a store is opened so that nothing is written, nothing is left behind, nothing is missed."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from hermes_tui.model import Opened
from hermes_tui.model.record import dataclass
from hermes_tui.store.copies import Copy, Moved, borrow, give_back
from hermes_tui.store.failures import Failure, StoreError, StoreUnreadable, busy, classify, explain, unsteady
from hermes_tui.store.footing import GROUND, Footing, Key, look, see

PATIENCE_SECONDS = 2.5  # how long a locked store is waited for
# What SQLite itself waits; the rest of our patience is spent in Python, where a cancelled ticket is noticed.
_ENGINE_WAIT_SECONDS = 0.03
_IO_RETRIES = 3
_IO_PAUSE_SECONDS = 0.05
_COPY_ATTEMPTS = 4
_CACHE_KIB = 8192
_CUT_SHORT = "the agent was stopped in the middle of a save, and only the agent may repair the file"
_DECODE_ERRORS = "replace"  # bad UTF-8 is shown as U+FFFD, and never stops a whole answer

_READS = {sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_FUNCTION, sqlite3.SQLITE_RECURSIVE}
_QUESTIONS = {"data_version", "schema_version", "journal_mode", "page_count", "page_size", "freelist_count"}
_QUESTIONS_OF_A_TABLE = {"table_info", "table_xinfo", "index_list", "index_info"}
_FOREIGN_INDEX = "messages_fts_cjk"  # its tokenizer is a library other programs do not have


@dataclass(slots=True)
class Foothold:
    """An open SQLite connection and what must be put away with it. `footing` is what it was opened on."""

    raw: sqlite3.Connection
    opened: Opened
    footing: Footing
    schema: int = 0  # PRAGMA schema_version when it was opened: grows with each change of the schema
    key: Key | None = None
    copy: Copy | None = None

    def close(self) -> None:
        """Close the connection; then let go of the file or the copy."""
        self.raw.close()
        if self.key is not None:
            GROUND.let_go(self.key)
            self.key = None
        if self.copy is not None:
            give_back(self.copy)
            self.copy = None

    @property
    def badge(self) -> str | None:
        """A sentence for people when what is read may be older than what the agent has."""
        if self.copy is None:
            return None
        taken = time.strftime("%H:%M", time.localtime(self.copy.taken_at))
        return f"This is a private copy taken at {taken}: {self.footing.reason}. Anything newer is not shown."


def climb(footing: Footing, *, copying: bool = True) -> Foothold:
    """Open a store by the first rung that reads all of it without changing anything. The one way to open one.

    1. IMMUTABLE: a quiet WAL file (WAL header; no `-wal`, or an empty one without `-shm`). `mode=ro` would leave a
       `-wal` and a `-shm` behind, and fail in a folder we may not write. SQLite is told that the file does not change;
       the caller compares `see()` before and after each statement with what was seen here, and climbs anew when it
       moved (`Connection` does).
    2. RO: `mode=ro`, where that leaves nothing new: a rollback-journal file, or a WAL file whose `-wal` and `-shm`
       are there because an agent has it open (or was killed).
    3. COPY: a private copy, removed when it is closed: a `-wal` with content but no `-shm` (a copied store: `mode=ro`
       would create the `-shm`, or fail in a read-only folder), a hot journal (only a writer may roll it back), and
       whatever `mode=ro` was refused for. It carries a badge, since what the agent writes later is not in it.

    Each rung reads the list of tables before it counts as climbed. A file that changes meanwhile is looked at again.
    With `copying=False`, rung 3 raises Moved instead. Raises StoreError.
    """
    copies = 0
    deadline = time.monotonic() + PATIENCE_SECONDS
    while True:
        try:
            match footing.rung:
                case Opened.IMMUTABLE:
                    return _open_quiet(footing)
                case Opened.RO:
                    return _open_shared(footing)
                case Opened.COPY if copying:
                    copies += 1
                    return _open_copy(footing)
                case Opened.COPY:
                    raise Moved
        except Refused:
            reason = _CUT_SHORT if footing.hot_journal else "the file cannot be read where it is"
            footing = replace(footing, rung=Opened.COPY, reason=reason)
            continue
        except Moved:
            if not copying:
                raise
            if copies >= _COPY_ATTEMPTS or time.monotonic() > deadline:
                raise unsteady(footing.path) from None
        time.sleep(0.02)
        footing = look(footing.path)


class Refused(Exception):
    """SQLite may not read the file in place: another rung may."""


def wait_out(error: sqlite3.Error, *, path: Path, deadline: float, tries: int, pause: Callable[[float], None]) -> None:
    """Return when the statement that raised this is worth running again; else raise what it means.

    `deadline` is a monotonic time for locks, `tries` counts the runs so far, `pause` sleeps (and may raise Cancelled).
    """
    match classify(error):
        case Failure.BUSY if time.monotonic() < deadline:
            pause(min(0.002 * 2**tries, 0.05))
        case Failure.BUSY:
            raise busy(path) from error
        case Failure.IO if tries < _IO_RETRIES:
            pause(_IO_PAUSE_SECONDS)
        case Failure.GROUND:
            raise Refused from error
        case _:
            raise explain(error, path) from error


def _open_quiet(footing: Footing) -> Foothold:
    raw = _connect(footing.place, "mode=ro&immutable=1", footing)
    try:
        schema = _prove(raw, footing)
        if see(footing.place) != footing.sight:
            raise Moved
    except (StoreError, Refused, OSError):
        raw.close()
        if _moved(footing):
            raise Moved from None
        raise
    except BaseException:
        raw.close()
        raise
    return Foothold(raw=raw, opened=Opened.IMMUTABLE, footing=footing, schema=schema)


def _open_shared(footing: Footing) -> Foothold:
    key = footing.sight.key
    if _neighbours(footing) != (footing.sight.wal is None, footing.sight.shm):
        raise Moved  # an agent came or went: mode=ro might leave new files now
    with GROUND.lock:  # nobody may close a descriptor of this file between our promise and our first lock
        GROUND.hold(key)
        try:
            raw = _connect(footing.place, "mode=ro", footing)
        except BaseException:
            GROUND.let_go(key)
            raise
    foothold = Foothold(raw=raw, opened=Opened.RO, footing=footing, key=key)
    try:
        if see(footing.place).key != key:
            raise Moved
        foothold.schema = _prove(raw, footing)
    except FileNotFoundError:
        foothold.close()
        raise Moved from None
    except BaseException:
        foothold.close()
        raise
    return foothold


def _open_copy(footing: Footing) -> Foothold:
    copy = borrow(footing)
    try:
        raw = _connect(copy.path, "mode=ro", footing)
    except BaseException:
        give_back(copy)
        raise
    foothold = Foothold(raw=raw, opened=Opened.COPY, footing=footing, copy=copy)
    try:
        foothold.schema = _prove(raw, footing)
    except Refused as refused:
        foothold.close()
        raise StoreUnreadable(
            f"{footing.path} could not be read, not even from a copy. Restore it from a backup."
        ) from refused
    except BaseException:
        foothold.close()
        raise
    return foothold


def _connect(place: Path, options: str, footing: Footing) -> sqlite3.Connection:
    """Open with a proper URI: pasted together, a `?`, `#` or `%41` in a folder's name opens (or makes) another file."""
    try:
        raw = sqlite3.connect(
            f"{place.as_uri()}?{options}",
            uri=True,
            timeout=_ENGINE_WAIT_SECONDS,
            isolation_level=None,
            check_same_thread=False,
        )
    except sqlite3.Error as error:
        if classify(error) is Failure.GROUND:
            raise Refused from error
        raise explain(error, footing.path) from error
    raw.text_factory = _decode
    return raw


def _prove(raw: sqlite3.Connection, footing: Footing) -> int:
    """Set the connection up, check the tables, return the schema version: errors show with a first statement only."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    tries = 0
    while True:
        try:
            raw.execute("PRAGMA query_only = 1")
            raw.execute(f"PRAGMA cache_size = -{_CACHE_KIB}")
            raw.execute("PRAGMA temp_store = MEMORY")  # no message ever lands in a temporary file
            found = raw.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
            columns = {
                table: {row[1] for row in raw.execute(f"PRAGMA table_xinfo({table})").fetchall()}
                for table in _ESSENTIAL
            }
            schema = int(raw.execute("PRAGMA schema_version").fetchall()[0][0])
            break
        except sqlite3.Error as error:
            if classify(error) is Failure.DAMAGE and footing.missing_bytes and not _moved(footing):
                raise StoreUnreadable(
                    f"{footing.path} is cut short: {footing.missing_bytes} bytes are missing at its end. "
                    "Restore it from a backup."
                ) from error
            wait_out(error, path=footing.path, deadline=deadline, tries=tries, pause=time.sleep)
            tries += 1
    lacking = [name for name in ("sessions", "messages") if (name,) not in found]
    if lacking:
        raise StoreUnreadable(
            f"{footing.path} is a SQLite file, but not a session store: it has no table "
            f"{' and no table '.join(lacking)}. Name a state.db file."
        )
    for table, wanted in _ESSENTIAL.items():
        if missing := sorted(wanted - columns[table]):
            raise StoreUnreadable(
                f"{footing.path} is a SQLite file, but not a session store: its table {table} has no column "
                f"{' and no column '.join(missing)}. Name a state.db file."
            )
    raw.set_authorizer(_only_reads)
    return schema


# Columns without which there is nothing to show; every released layout has them.
_ESSENTIAL = {"sessions": {"id", "source"}, "messages": {"id", "session_id", "role", "content"}}


def _only_reads(action: int, first: str | None, second: str | None, _schema: str | None, _source: str | None) -> int:
    """SQLite asks this of every step of a statement while it is prepared; anything but reading is refused."""
    if action == sqlite3.SQLITE_READ:
        return sqlite3.SQLITE_DENY if first is not None and first.startswith(_FOREIGN_INDEX) else sqlite3.SQLITE_OK
    if action in _READS:
        return sqlite3.SQLITE_OK
    if action == sqlite3.SQLITE_UPDATE and first == "sqlite_master":
        # What a virtual table declares about itself is parsed as a change of the schema, and changes nothing; a real
        # one needs `PRAGMA writable_schema`, which is refused below.
        return sqlite3.SQLITE_OK
    if action == sqlite3.SQLITE_PRAGMA and (
        (first in _QUESTIONS and second is None) or (first in _QUESTIONS_OF_A_TABLE and second is not None)
    ):
        return sqlite3.SQLITE_OK
    return sqlite3.SQLITE_DENY


def _neighbours(footing: Footing) -> tuple[bool, bool]:
    try:
        seen = see(footing.place)
    except OSError:
        raise Moved from None
    return seen.wal is None, seen.shm


def _moved(footing: Footing) -> bool:
    try:
        return see(footing.place) != footing.sight
    except OSError:
        return True


def _decode(raw: bytes) -> str:
    return raw.decode("utf-8", _DECODE_ERRORS)
