"""How a store is opened: the table `[hermes.storage]` of a TOML file, or the same names as arguments.

```toml
[hermes.storage]
db_path = "~/.my-agent/state.db"   # a relative path is taken from the folder of this file
journal_mode = "wal"               # or "delete", "truncate", "persist"
synchronous = "normal"             # or "off", "full", "extra"
busy_timeout = 5000                # milliseconds one attempt waits for another writer
fts_enabled = true                 # false: a store without full-text indexes
```
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from hermes_tui.recorder.errors import RecorderError

JOURNAL_MODES = ("wal", "delete", "truncate", "persist")
SYNCHRONOUS = ("off", "normal", "full", "extra")
LONGEST_BUSY_TIMEOUT = 600_000  # ten minutes: anything longer is a unit mistaken for another


@dataclass(frozen=True, slots=True)
class StorageSettings:
    """Where a store is and how SQLite shall keep it. Raises `RecorderError` for a value that makes no sense.

    `busy_timeout` is in milliseconds. `fts_enabled` decides whether a new file gets full-text indexes; a file that
    has them keeps them.
    """

    db_path: Path | None = None
    journal_mode: str = "wal"
    synchronous: str = "normal"
    busy_timeout: int = 5000
    fts_enabled: bool = True

    def __post_init__(self) -> None:
        _one_of("journal_mode", self.journal_mode, JOURNAL_MODES)
        _one_of("synchronous", self.synchronous, SYNCHRONOUS)
        if not 0 <= self.busy_timeout <= LONGEST_BUSY_TIMEOUT:
            raise RecorderError(
                f"busy_timeout is in milliseconds, from 0 to {LONGEST_BUSY_TIMEOUT}; {self.busy_timeout} is not."
            )

    @classmethod
    def load(cls, path: Path) -> StorageSettings:
        """Read the table `[hermes.storage]` of a TOML file; names that are left out keep their defaults.

        Raises `RecorderError` when the file cannot be read, is not TOML, or holds an unknown name or a wrong value.
        """
        try:
            document = tomllib.loads(path.read_text(encoding="utf-8"))
        except OSError as error:
            raise RecorderError(f"Cannot read the settings in {path}: {error.strerror or error}.") from error
        except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
            raise RecorderError(f"{path} is not valid TOML: {error}.") from error
        try:
            return cls.from_table(_storage_table(document), folder=path.parent)
        except RecorderError as error:
            raise RecorderError(f"{path}, table [hermes.storage]: {error}") from error

    @classmethod
    def from_table(cls, table: Mapping[str, Any], *, folder: Path | None = None) -> StorageSettings:
        """Build settings from the names and values of a parsed table; a relative `db_path` starts at `folder`."""
        known = [field.name for field in fields(cls)]
        if unknown := sorted(set(table) - set(known)):
            raise RecorderError(f"unknown name {unknown[0]!r}; known are {', '.join(known)}.")
        values = dict(table)
        for name, kind in (("db_path", str), ("journal_mode", str), ("synchronous", str)):
            _check_kind(values, name, kind, "a string")
        _check_kind(values, "busy_timeout", int, "a whole number of milliseconds")
        _check_kind(values, "fts_enabled", bool, "true or false")
        for name in ("journal_mode", "synchronous"):
            if name in values:
                values[name] = values[name].lower()
        if "db_path" in values:
            values["db_path"] = _resolve(values["db_path"], folder)
        return cls(**values)


def _storage_table(document: Mapping[str, Any]) -> Mapping[str, Any]:
    """The table `[hermes.storage]`, empty when the file does not have one."""
    table: object = document
    for name in ("hermes", "storage"):
        if not isinstance(table, Mapping):
            break
        table = table.get(name, {})
    if not isinstance(table, Mapping):
        raise RecorderError("this must be a table.")
    return table


def _check_kind(values: Mapping[str, Any], name: str, kind: type, wanted: str) -> None:
    """Refuse a value of the wrong type; a TOML boolean is not a number."""
    if name not in values:
        return
    value = values[name]
    if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
        raise RecorderError(f"{name} must be {wanted}, not {value!r}.")


def _one_of(name: str, value: str, allowed: tuple[str, ...]) -> None:
    if value not in allowed:
        raise RecorderError(f"{name} must be one of {', '.join(allowed)}, not {value!r}.")


def _resolve(text: str, folder: Path | None) -> Path:
    if not text.strip():
        raise RecorderError("db_path must not be empty.")
    try:
        path = Path(text).expanduser()
    except RuntimeError as error:
        raise RecorderError(f"db_path: no home folder is known for {text!r}.") from error
    return path if folder is None else folder / path
