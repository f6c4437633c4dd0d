"""A screen that asks a library: opens it, keeps looking whether the store has changed, and says what went wrong.

Every question is a coroutine in a worker of a named group. Starting one cancels the one before it in its group, so the
newest wins; an error leaves on screen what is there and puts its sentence on the status line.
"""

from __future__ import annotations

import asyncio
import time
from abc import abstractmethod
from collections.abc import Awaitable, Callable, Coroutine
from concurrent.futures import Future
from contextlib import ExitStack
from typing import TypeVar, cast

from textual.css.query import NoMatches
from textual.message import Message
from textual.reactive import var
from textual.screen import Screen
from textual.worker import Worker

from hermes_tui.library import Library, LibraryError, Stores
from hermes_tui.model import SessionList
from hermes_tui.model.record import dataclass
from hermes_tui.store.connection import StoreError
from hermes_tui.tui.lanes import Desk
from hermes_tui.tui.status import LASTING, Notice

T = TypeVar("T")
Source = Stores | Library | Future[Stores] | Future[Library]
"""What a browser is opened over; a library is taken for the only one."""

MOMENT = 0.25
"""Seconds that the first picture waits for a first page that is still being read."""
POLL = 1.0
"""Seconds between two looks whether the store has changed."""
POLITE = 5
"""After a change was read, the next look waits this many times longer than reading it took."""
ERRORS = (StoreError, LibraryError)


class AskingScreen(Screen[None], inherit_bindings=False):
    """What `Browser` stands on."""

    notice: var[Notice | None] = var(None, always_update=True, init=False)
    """What the status line says."""

    @dataclass
    class Failed(Message):
        """The store could not be opened; there is nothing to browse."""

        sentence: str

    class Ready(Message):
        """The first page is there, or the word why it is not: keys mean something now."""

    def __init__(self, library: Source, *, sessions: Future[SessionList] | None) -> None:
        super().__init__()
        self._library = library
        self._first = sessions
        self._desk: Desk | None = None
        self._covered = ExitStack()
        self._looking = False
        self._rest_until = 0.0
        self.failed = ""
        """Why there is nothing to browse, while there is not."""

    @abstractmethod
    async def opened(self, stores: Stores, listing: SessionList) -> None:
        """The stores are open and this is its first page."""

    @abstractmethod
    async def changed(self) -> None:
        """Somebody wrote to the store."""

    @property
    def desk(self) -> Desk:
        """Where questions are asked. Only for questions: before the store is open there is none."""
        assert self._desk is not None
        return self._desk

    @property
    def is_open(self) -> bool:
        """Whether there is a store to ask."""
        return self._desk is not None

    def on_mount(self) -> None:
        """Start reading. What is there in a moment is in the first picture; else the panes are drawn meanwhile."""
        self._covered.enter_context(self.app.batch_update())
        if self._first is None or not self._first.done():
            self.set_timer(MOMENT, self._uncover)
        self._work(self._open, group="open", exclusive=True)

    def _uncover(self) -> None:
        """Paint from now on."""
        self._covered.close()
        self.refresh()

    def on_unmount(self) -> None:
        """Stop what runs, so that the library can be closed."""
        self._covered.close()
        self.workers.cancel_node(self)
        if self._desk is not None:
            self._desk.close()

    async def _open(self) -> None:
        try:
            found = self._library
            if isinstance(found, Future):
                found = await theirs(cast(Future[Stores | Library], found))
            stores = Stores.only(found) if isinstance(found, Library) else found
            self._desk = Desk(stores)
            listing = await (self._desk.sessions() if self._first is None else theirs(self._first))
        except ERRORS as error:
            self.tell_failed(str(error))
        else:
            await self.opened(stores, listing)
        finally:
            self._uncover()
            self.post_message(self.Ready())
        if self._desk is not None:
            self.set_interval(POLL, self.look)

    def tell_failed(self, sentence: str) -> None:
        """Say why there is nothing to browse, in place of an empty browser."""
        self.failed = sentence
        self.post_message(self.Failed(sentence))

    def ask(self, group: str, question: Callable[[], Awaitable[None]], *, exclusive: bool = True) -> None:
        """Run a question; with `exclusive` it takes the place of the one before in its group."""

        async def asking() -> None:
            try:
                await question()
            except ERRORS as error:
                self.say(str(error), trouble=group)
            except NoMatches:
                if self.app.is_running:  # on the way out the panes go before the answers to their questions do
                    raise
            else:
                if self.notice is not None and self.notice.trouble == group:
                    self.notice = None

        if self._desk is not None:
            self._work(asking, group=group, exclusive=exclusive)

    def _work(self, work: Callable[[], Coroutine[None, None, None]], *, group: str, exclusive: bool) -> Worker[None]:
        return self.run_worker(work, group=group, exclusive=exclusive)

    def say(self, sentence: str, *, trouble: str = "") -> None:
        """Show a sentence on the status line: for a while, or as long as the `trouble` (a group of questions) lasts."""
        self.notice = said = Notice(sentence, trouble)
        if not trouble:
            self.set_timer(LASTING, lambda: self._forget(said))

    def _forget(self, said: Notice) -> None:
        if self.notice is said:
            self.notice = None

    def look(self) -> None:
        """See whether the store has changed, unless that is being done or was costly a moment ago."""
        if not self._looking and time.monotonic() >= self._rest_until:
            self.ask("look", self._look)

    async def _look(self) -> None:
        self._looking = True  # not before: a question that is taken back before it begins would stay under way for ever
        try:
            if await self.desk.changed():
                started = time.monotonic()
                await self.changed()
                ended = time.monotonic()
                self._rest_until = ended + POLITE * (ended - started)
        finally:
            self._looking = False


async def theirs(future: Future[T]) -> T:
    """Wait for a future of somebody else's thread, which is not to be cancelled with us."""
    return await asyncio.shield(asyncio.wrap_future(future))
