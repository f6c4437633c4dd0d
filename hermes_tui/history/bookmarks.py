"""Bookmarks: sessions and messages that somebody wants to find again, each with a note.

One file beside the searches, a line each. It is read anew and replaced at once under the lock of the folder, so that
several browsers lose nothing of each other's; lines of another format stay as they stand.
"""

from __future__ import annotations

import json
import math
import threading
import time
from collections.abc import Iterable, Mapping
from contextlib import AbstractContextManager, suppress
from dataclasses import replace
from pathlib import Path

from hermes_tui.history.files import locked, make_folder, read, write
from hermes_tui.history.folder import NoFolderError, folder_for
from hermes_tui.history.searches import foreign, from_line
from hermes_tui.history.troubles import Troubles
from hermes_tui.model import MessageKey
from hermes_tui.model.record import dataclass

FORMAT = 1
NAME = "bookmarks.jsonl"
LONGEST_NOTE = 2_000  # characters
LONGEST_TEXT = 300
_SESSION_ONLY = "Bookmarks are kept for this session only."


@dataclass(frozen=True, slots=True)
class Bookmark:
    """A place worth finding again. `key` is None for a session as a whole.

    `message` is the row the message had when it was marked; it may have moved since, and `key` finds it. `title`,
    `role` and `text` are what it said then, for a list. `when` is in Unix seconds. `profile` names its store.
    """

    session: str
    key: MessageKey | None = None
    message: int | None = None
    note: str = ""
    when: float = 0.0
    title: str = ""
    role: str = ""
    text: str = ""
    profile: str | None = None

    @property
    def identity(self) -> tuple[str, ...]:
        """What makes two bookmarks the same: the message, or the session."""
        return ("session", self.session) if self.key is None else ("message", self.session, self.key.digest)

    def holds(self, words: str) -> bool:
        """Whether each word is somewhere in it, in capitals or small letters."""
        everything = " ".join((self.note, self.title, self.text, self.session, self.role)).casefold()
        return all(word in everything for word in words.casefold().split())


class Bookmarks:
    """The bookmarks of one person. Methods may be called from any thread; none raises for what a disk does."""

    def __init__(self, folder: Path | None, *, off: bool = False) -> None:
        """`folder` None keeps everything in memory; `off` keeps nothing at all. Use `open` and `off`."""
        self._folder = folder
        self._off = off
        self._kept: dict[tuple[str, ...], Bookmark] = {}
        self._changes: dict[tuple[str, ...], Bookmark | None] = {}  # not in the file yet; None removes
        self._troubles = Troubles()
        self._memory = threading.Lock()
        self._files = threading.Lock()

    @classmethod
    def open(cls, folder: Path | None = None, *, environ: Mapping[str, str] | None = None) -> Bookmarks:
        """The bookmarks in `folder`, None for the platform's state folder; nothing is created yet, and nothing is read
        or written in a home of Hermes."""
        try:
            found = cls(folder_for("bookmarks", [NAME], folder, environ=environ))
        except NoFolderError as error:
            found = cls(None)
            found._troubles.tell("folder", f"{error} {_SESSION_ONLY}")
        found.refresh()
        return found

    @classmethod
    def off(cls) -> Bookmarks:
        """Keeps nothing and touches no file."""
        return cls(None, off=True)

    @property
    def trouble(self) -> str | None:
        """Sentences about what cannot be read, written or understood; None when all is well."""
        return self._troubles.text

    def all(self, words: str = "") -> tuple[Bookmark, ...]:
        """Those that hold every word, the newest first."""
        with self._memory:
            found = [each for each in self._kept.values() if each.holds(words)]
        return tuple(sorted(found, key=lambda each: (-each.when, each.identity)))

    def of_session(self, session: str) -> Bookmark | None:
        """The bookmark on a session as a whole."""
        with self._memory:
            return self._kept.get(("session", session))

    def of_message(self, sessions: Iterable[str], key: MessageKey) -> Bookmark | None:
        """The bookmark on a message, in whichever session of its conversation it was when it was marked."""
        with self._memory:
            among = set(sessions)
            same = (each for each in self._kept.values() if each.key is not None and each.session in among)
            return next((each for each in same if each.key is not None and each.key.same(key)), None)

    def put(self, bookmark: Bookmark) -> None:
        """Keep a bookmark, in place of one on the same message or session. Its note and text are cut to what is kept;
        without a time it is of now."""
        self._change(
            replace(
                bookmark,
                note=bookmark.note.strip()[:LONGEST_NOTE],
                text=bookmark.text[:LONGEST_TEXT],
                title=bookmark.title[:LONGEST_TEXT],
                when=bookmark.when or time.time(),
            ),
            bookmark.identity,
        )

    def remove(self, bookmark: Bookmark) -> None:
        """Take a bookmark away; nothing happens when there is none."""
        self._change(None, bookmark.identity)

    def refresh(self) -> None:
        """Read what other browsers have kept meanwhile."""
        if self._folder is not None:
            with self._files, self._telling("read"):
                self._take(read(self._path, whole=True))

    def _change(self, bookmark: Bookmark | None, identity: tuple[str, ...]) -> None:
        with self._memory:
            if self._off:
                self._troubles.tell("off", "History is off: no bookmark is kept or removed.")
                return
            self._changes[identity] = bookmark
            _apply(self._kept, self._changes)
        if self._folder is not None:
            with self._files, self._telling("written"):
                self._store()

    # Each of these runs under `_files`; nobody who only looks has to wait for a disk.

    def _store(self) -> None:
        make_folder(self._path.parent)
        with locked(self._path.parent):
            with self._memory:
                changes = dict(self._changes)
            before = read(self._path, whole=True)
            kept: list[bytes] = []
            old: dict[tuple[str, ...], Mapping[str, object]] = {}
            for line in before:
                entry = from_line(line)
                bookmark = from_entry(entry)
                if bookmark is not None and entry is not None and bookmark.identity in changes:
                    old[bookmark.identity] = entry
                else:
                    kept.append(line)
            kept += [to_line(each, old.get(name)) for name, each in changes.items() if each is not None]
            if kept != before:
                write(self._path, kept)
        with self._memory:
            for name, each in changes.items():
                if name in self._changes and self._changes[name] is each:
                    del self._changes[name]
        self._take(kept)

    def _take(self, lines: list[bytes]) -> None:
        """What the lines hold, with the changes that are in no file yet."""
        entries = [from_line(line) for line in lines]
        found = [from_entry(entry) for entry in entries]
        with self._memory:
            self._kept = {each.identity: each for each in found if each is not None}
            _apply(self._kept, self._changes)
        damaged = sum(each is None and not foreign(entry) for entry, each in zip(entries, found, strict=True))
        self._troubles.damaged(self._path, damaged)

    @property
    def _path(self) -> Path:
        assert self._folder is not None
        return self._folder / NAME

    def _telling(self, what: str) -> AbstractContextManager[None]:
        return self._troubles.of(what, f"Bookmarks cannot be {what}", self._path, _SESSION_ONLY)


def _apply(kept: dict[tuple[str, ...], Bookmark], changes: Mapping[tuple[str, ...], Bookmark | None]) -> None:
    for identity, bookmark in changes.items():
        if bookmark is None:
            kept.pop(identity, None)
        else:
            kept[identity] = bookmark


def to_line(bookmark: Bookmark, old: Mapping[str, object] | None = None) -> bytes:
    """A bookmark as a line of JSON in ASCII, with the keys `old` had besides ours."""
    key = bookmark.key
    entry: dict[str, object] = {**(old or {}), "format": FORMAT, "session": bookmark.session}
    entry |= {
        "uid": None if key is None else key.uid,
        "digest": None if key is None else key.digest,
        "time": None if key is None else key.time,
        "message": bookmark.message,
        "note": bookmark.note,
        "when": bookmark.when,
        "title": bookmark.title,
        "role": bookmark.role,
        "text": bookmark.text,
        "profile": bookmark.profile,
    }
    return json.dumps(entry, separators=(",", ":")).encode("ascii")


def from_entry(entry: Mapping[str, object] | None) -> Bookmark | None:
    """The bookmark an object stands for, None when it stands for none that can be understood."""
    if entry is None or type(entry.get("format")) is not int or entry["format"] != FORMAT:
        return None
    session, digest, uid = entry.get("session"), entry.get("digest"), entry.get("uid")
    moment, message, when = entry.get("time"), entry.get("message"), entry.get("when")
    if not isinstance(session, str) or not session or not isinstance(digest, str | None):
        return None
    key = None
    if digest is not None:
        key = MessageKey(
            uid=uid if isinstance(uid, str) else None,
            digest=digest,
            time=moment if isinstance(moment, int | float | str) and not isinstance(moment, bool) else None,
        )
    words = {
        name: text if isinstance(text := entry.get(name), str) else "" for name in ("note", "title", "role", "text")
    }
    profile = entry.get("profile")
    return Bookmark(
        session=session,
        key=key,
        message=message if isinstance(message, int) and not isinstance(message, bool) else None,
        when=_seconds(when),
        profile=profile if isinstance(profile, str) else None,
        **words,
    )


def _seconds(value: object) -> float:
    with suppress(OverflowError):
        if isinstance(value, int | float) and math.isfinite(float(value)):
            return float(value)
    return 0.0
