"""Commands to hand over: we never write to a store, resume a session or run a tool; these are the words that do.

Pure text for a POSIX shell. What Hermes offers was read in its releases: `--resume`, `-p` and `sessions rename` are in
all from 0.13 on; `sessions archive` is in 0.19 and later, and takes filters, never an id.
"""

from __future__ import annotations

import math
import shlex
from datetime import UTC, datetime, timedelta
from pathlib import Path

from hermes_tui.model import Anchor, Session
from hermes_tui.model.record import dataclass


@dataclass(frozen=True, slots=True)
class Handed:
    """A command, None where there is none; `note` says why, or what to know about it."""

    command: str | None
    note: str = ""


def resume(session_id: str, *, profile: str | None = None, home: Path | None = None) -> str:
    """Goes on with a session in Hermes. `home` is the folder of a store that belongs to no profile."""
    option = ["--resume", session_id] if not session_id.startswith("-") else [f"--resume={session_id}"]
    return _hermes(option, profile, home)


def rename(session_id: str, title: str, *, profile: str | None = None, home: Path | None = None) -> str:
    """Gives a session another title."""
    words = [session_id, title]
    guard = ["--"] if any(word.startswith("-") for word in words) else []
    return _hermes(["sessions", "rename", *guard, *words], profile, home)


def archive(session: Session, *, profile: str | None = None, home: Path | None = None) -> Handed:
    """Archives a session and those it continues.

    `session` is one row by itself, not a row of a list, which has the beginning of its whole conversation. Hermes
    takes no id for this, so the session is named by the moment it began, exact to a few millionths of a second.
    """
    if session.archived:
        return Handed(None, "The session is archived already.")
    if session.ended_at is None:
        return Handed(None, "Hermes archives sessions that have ended, and this one has not.")
    if session.started_at is None or not math.isfinite(session.started_at):
        return Handed(None, "Hermes archives sessions by when they began, and nobody knows that of this one.")
    began = datetime.fromtimestamp(0, UTC) + timedelta(microseconds=math.floor(session.started_at * 1e6))
    after, before = began - timedelta(microseconds=1), began + timedelta(microseconds=2)
    words = ["sessions", "archive", "--after", _iso(after), "--before", _iso(before)]
    words += ["--source", session.source] if session.source and not session.source.startswith("-") else []
    note = "Hermes shows what matches and asks before it does anything (0.19 and later)."
    if session.pinned:
        note = f"The session is pinned, and Hermes archives no pinned one before it is unpinned. {note}"
    return Handed(_hermes(words, profile, home), note)


def opening(anchor: Anchor, *, db: Path | None = None, profile: str | None = None) -> str:
    """Opens this program at a place."""
    return shlex.join([*_ours(db, profile), *_guarded(anchor)])


def showing(anchor: Anchor, *, db: Path | None = None, profile: str | None = None) -> str:
    """Prints the messages around a place."""
    return shlex.join([*_ours(db, profile), "show", *_guarded(anchor)])


def _hermes(words: list[str], profile: str | None, home: Path | None) -> str:
    named = ["-p", profile] if profile is not None else []
    command = shlex.join(["hermes", *named, *words])
    return command if home is None or profile is not None else f"HERMES_HOME={shlex.quote(str(home))} {command}"


def _ours(db: Path | None, profile: str | None) -> list[str]:
    if db is not None:
        return ["hermes-tui", "--db", str(db)]
    return ["hermes-tui", *(["--profile", profile] if profile is not None else [])]


def _guarded(anchor: Anchor) -> list[str]:
    text = str(anchor)
    return ["--", text] if text.startswith("-") else [text]


def _iso(moment: datetime) -> str:
    return moment.isoformat(timespec="microseconds")
