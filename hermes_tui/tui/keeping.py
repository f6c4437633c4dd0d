"""A screen that takes things out: an evidence pack to the clipboard, documents to files; and keeps bookmarks."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import replace
from functools import partial
from typing import TypeVar

from hermes_tui.history import Bookmark, Bookmarks
from hermes_tui.library import Library, Stores, Ticket
from hermes_tui.model import PLAIN, Anchor, Session, SessionList
from hermes_tui.render import one_line
from hermes_tui.tui.asking import Source
from hermes_tui.tui.command import Where
from hermes_tui.tui.lanes import Lane
from hermes_tui.tui.marking import REMOVE, BookmarkPicker, NoteScreen
from hermes_tui.tui.sighting import SightingScreen

AROUND = 10
"""Messages on either side of a place that is written out with its surroundings."""
NEAR = 2
"""The same for each of several hits."""
SAID = 200
"""Characters of a message that its bookmark remembers."""

T = TypeVar("T")


class KeepingScreen(SightingScreen, inherit_bindings=False):
    """What `Browser` has of these."""

    def __init__(self, library: Source, *, sessions: Future[SessionList] | None, rest: float | None) -> None:
        super().__init__(library, sessions=sessions, rest=rest)
        self._keeping = Lane("keeping")  # documents take long, and nothing else has to wait for them

    def on_unmount(self) -> None:
        """Stop what is being written."""
        self._keeping.close()

    async def _aside(self, question: Callable[[Stores, Ticket], T]) -> T:
        return await self._keeping.ask(lambda ticket: question(self.desk.stores, ticket))

    # Out of the browser.

    def action_evidence(self) -> None:
        """Copy the evidence pack of the place here."""
        here = self.place_here()
        if here is None:
            self.say("Nothing is highlighted here that could be copied.")
            return
        searched = bool(self.text) and self.where is not Where.LIST
        query, mode = (self.text, self.mode) if searched else ("", PLAIN)

        def pack(stores: Stores, ticket: Ticket) -> str:
            from hermes_tui.export import evidence  # needed by few, and not at the start

            return evidence.pack(stores, [here], query=query, mode=mode, ticket=ticket).markdown()

        async def copy() -> None:
            self.app.copy_to_clipboard(await self._aside(pack))

        self.ask("evidence", copy)

    def action_write_out(self) -> None:
        """Write the place here, its conversation or the hits to a file."""
        here = self.place_here()
        if here is None:
            self.say("Nothing is highlighted here that could be written out.")
            return
        hits = [hit.anchor for hit in self.answer.hits] if self.answer is not None and self.text else []

        async def show(here: Anchor = here) -> None:
            session = await self.desk.look(
                lambda library, ticket: library.session(here.session_id, ticket=ticket), profile=here.profile
            )
            self._write_out(session, here, hits if self.where is Where.HITS else [])

        self.ask("write", show)

    def _write_out(self, session: Session, here: Anchor, hits: Sequence[Anchor]) -> None:
        from hermes_tui.export.material import conversation, places
        from hermes_tui.export.writing import Keepsakes, Passage, Subject
        from hermes_tui.tui.writing import WriteScreen

        whole = Anchor(here.session_id, profile=here.profile)
        subjects: list[Subject | Passage | Keepsakes] = [
            Subject(
                "this conversation",
                session.title,
                session.id,
                lambda stores, ticket: conversation(stores, whole, ticket=ticket),
            )
        ]
        if here.message_id is not None:
            subjects.append(
                Subject(
                    f"{AROUND} messages around here",
                    session.title,
                    f"{session.id}-{here.message_id}",
                    lambda stores, ticket: places(stores, [here], size=AROUND, ticket=ticket),
                )
            )
        if hits:
            subjects.insert(
                0,
                Subject(
                    f"these {len(hits):,} hits" if len(hits) > 1 else "this hit",
                    self.text,
                    "hits",
                    lambda stores, ticket: places(stores, hits, size=NEAR, ticket=ticket),
                ),
            )
        if selected := self.transcript.selected_text():
            subjects.insert(0, Passage(selected, session.title, f"{session.id}-passage"))
        self.app.push_screen(WriteScreen(subjects, self._aside), self._written)

    def _written(self, sentences: str | None) -> None:
        if sentences:
            self.say(sentences)

    # Bookmarks.

    async def _bookmarks(self) -> Bookmarks | None:
        """The bookmarks, read in the thread of the files."""
        history = self.history
        if history is None:
            self.say("Nothing is remembered here, so there are no bookmarks.")
            return None
        return await asyncio.wrap_future(self._files.submit(lambda: history.bookmarks))

    def action_bookmark(self) -> None:
        """Mark the message here, in the list the conversation, with a note."""
        here = self.place_here()
        if here is None:
            self.say("Nothing is highlighted here that could be marked.")
            return

        async def mark(here: Anchor = here) -> None:
            kept = await self._bookmarks()
            if kept is None:
                return
            fresh, segments = await self.desk.look(
                lambda library, ticket: _bookmark(library, here, ticket), profile=here.profile
            )
            known = kept.of_session(fresh.session) if fresh.key is None else kept.of_message(segments, fresh.key)
            screen = NoteScreen(_about(fresh), None if known is None else known.note)
            self.app.push_screen(screen, partial(self._keep, kept, known, fresh))

        self.ask("bookmark", mark)

    def _keep(self, kept: Bookmarks, known: Bookmark | None, fresh: Bookmark, note: str | None) -> None:
        if note is None:
            return
        if note == f"\0{REMOVE}":
            if known is not None:
                self._change(kept, lambda: kept.remove(known), "The bookmark is removed.")
            return

        def put() -> None:
            if known is not None and known.identity != fresh.identity:
                kept.remove(known)  # the message has moved since
            kept.put(replace(fresh, note=note))

        self._change(kept, put, "Marked. ' lists the bookmarks.")

    def _change(self, kept: Bookmarks, work: Callable[[], None], said: str) -> None:
        """Change what is kept in the thread of the files, then say how it went."""
        done = asyncio.wrap_future(self._files.submit(work))

        async def change() -> None:
            await asyncio.shield(done)
            self.say(kept.trouble or said)

        self._work(change, group="bookmarks", exclusive=False)

    def action_bookmarks(self) -> None:
        """The bookmarks, to go to one of them."""

        async def show() -> None:
            kept = await self._bookmarks()
            if kept is None:
                return
            await asyncio.wrap_future(self._files.submit(kept.refresh))
            if not kept.all():
                self.say(kept.trouble or "There is no bookmark yet; m marks what is highlighted.")
                return
            self.app.push_screen(
                BookmarkPicker(
                    kept,
                    remove=lambda gone: self._change(kept, lambda: kept.remove(gone), "The bookmark is removed."),
                    write=self._write_bookmarks,
                    clock=self.search.clock,
                ),
                self._to_bookmark,
            )

        self.ask("bookmark", show)

    def _write_bookmarks(self, bookmarks: Sequence[Bookmark]) -> None:
        from hermes_tui.export.writing import Keepsakes
        from hermes_tui.tui.writing import WriteScreen

        self.app.push_screen(WriteScreen([Keepsakes(tuple(bookmarks))], self._aside), self._written)

    def _to_bookmark(self, bookmark: Bookmark | None) -> None:
        if bookmark is None:
            return

        def find(stores: Stores, ticket: Ticket) -> Anchor | None:
            """In its own store first; the same session can be in another one, which was copied."""
            named = [name for name in stores.libraries if name == bookmark.profile]
            for name in dict.fromkeys([*named, *stores.libraries]):
                library = stores.libraries[name]
                found = library.place(bookmark.session, bookmark.key, bookmark.message, ticket=ticket)
                if found is not None:
                    return Anchor(found.session_id, found.message_id, name if stores.many else None)
            return None

        async def go() -> None:
            anchor = await self.desk.overall(find)
            if anchor is None:
                self.say("What was marked there is in no store that is open.")
            else:
                self.open_place(anchor)

        self.ask("bookmark", go)


def _about(bookmark: Bookmark) -> str:
    """What is marked, in a line; a session without a title is called by its first words, which need no second time."""
    parts = [bookmark.title or bookmark.session]
    if bookmark.key is not None and not bookmark.text.startswith(bookmark.title[:40]):
        parts.append(bookmark.text)
    return one_line(": ".join(parts), 160)


def _bookmark(library: Library, here: Anchor, ticket: Ticket) -> tuple[Bookmark, tuple[str, ...]]:
    """A bookmark of the place, and the sessions of its conversation."""
    from hermes_tui.export.masks import Masker

    masker = Masker()
    session = masker.session(library.session(here.session_id, ticket=ticket))
    title = session.title or library.previews([session.id], ticket=ticket).get(session.id, "")
    segments = session.segments or (session.id,)
    found = None if here.message_id is None else library.key(here.message_id, ticket=ticket)
    if found is None:
        return Bookmark(session.id, title=title, profile=library.profile), segments
    message = next(iter(library.messages([here.message_id or 0], ticket=ticket)), None)
    said = "" if message is None else masker.text(message.text or " ".join(call.name for call in message.tool_calls))
    return (
        Bookmark(
            session=found[0],
            key=found[1],
            message=here.message_id,
            title=title,
            role="" if message is None else message.role,
            text=one_line(said, SAID),
            profile=library.profile,
        ),
        segments,
    )
