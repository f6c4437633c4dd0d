"""A screen that can read other stores: it tells what they hold, offers them in a list, and goes over to them."""

from __future__ import annotations

import asyncio
from abc import abstractmethod
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from pathlib import Path

from hermes_tui.library import Stores, closed_stores, distinct, leads, survey
from hermes_tui.model import Anchor, FoundStore, SessionList, StorePlace, Unread, WayOut
from hermes_tui.store.connection import Ticket
from hermes_tui.tui.asking import ERRORS, theirs
from hermes_tui.tui.elsewhere import Elsewhere, sentences
from hermes_tui.tui.lanes import Desk, Lane, Relay
from hermes_tui.tui.roaming import RoamingScreen
from hermes_tui.tui.stores import StoresScreen
from hermes_tui.tui.trail import Trail

LATER = 0.4
"""Seconds after the first page before other stores are looked into."""

Found = tuple[FoundStore, ...]


class SwitchingScreen(RoamingScreen, inherit_bindings=False):
    """What `Browser` has of these."""

    _census: Lane | None = None
    _ours: Stores | None = None
    """The stores that were gone over to: those the browser was started with belong to whoever started it."""
    _found: Found = ()

    @abstractmethod
    async def opened(self, stores: Stores, listing: SessionList) -> None:
        """These stores are read from now on."""

    @abstractmethod
    def put_away(self, here: Anchor | None) -> None:
        """Forget what was shown of the stores before; the reader is at `here` if that is in the new ones too."""

    def on_unmount(self) -> None:
        """Stop looking."""
        if self._census is not None:
            self._census.close()
        self.close_ours()

    def close_ours(self) -> None:
        """Close what was gone over to, so that no private copy of it stays behind. Closing twice is fine."""
        if self._ours is not None:
            self._ours.close()

    # What lies elsewhere.

    def look_elsewhere(self) -> None:
        """Count what other stores hold, once there is time for it."""
        self.set_timer(LATER, lambda: self.ask("elsewhere", self._looking_elsewhere))
        self.tell_elsewhere()

    async def _looking_elsewhere(self) -> None:
        self._found = await self._survey()
        self.tell_elsewhere()

    def tell_elsewhere(self) -> None:
        """Say above the list what is known of other stores."""
        stores = self.desk.stores
        gone = [Unread(stores.of(name).path, name, str(error)) for name, error in stores.failing.items()]
        for band in self.query("#elsewhere").results(Elsewhere):
            band.told = sentences(self._found, (*stores.unread, *gone), self._opened())

    async def _survey(self, screen: StoresScreen | None = None) -> Found:
        if self._census is None:
            self._census = Lane("census")
        relay = None if screen is None else Relay[Found](partial(screen.supply, complete=False))
        opened = [StorePlace(library.path, name) for name, library in self.desk.stores.libraries.items()]

        def look(ticket: Ticket) -> Found:
            found: list[FoundStore] = []
            for store in survey(leads(opened), ticket=ticket):
                found.append(store)
                if relay is not None:
                    relay(tuple(found))
            return tuple(found)

        try:
            return await self._census.ask(look)
        finally:
            if relay is not None:
                relay.stop()

    def _opened(self) -> frozenset[Path]:
        return frozenset(library.path.resolve() for library in self.desk.stores.libraries.values())

    # Going over.

    def action_stores(self) -> None:
        """Offer every store there is."""
        if not self.is_open:
            return
        screen = StoresScreen(self._found, opened=self._opened(), clock=self.search.clock)
        self.app.push_screen(screen, self._chosen_stores)

        async def look() -> None:
            self._found = await self._survey(screen)
            screen.supply(self._found, complete=True)
            self.tell_elsewhere()

        self.ask("stores", look)

    def _chosen_stores(self, found: Sequence[FoundStore] | None) -> None:
        if found:
            self.switch(distinct(found))
        elif self.failed:
            self.tell_failed(self.failed)  # there is no list to come back to

    def switch(self, places: Sequence[StorePlace], then: WayOut | None = None) -> None:
        """Read these stores in place of those that are open; with `then`, its question is asked there."""
        self.say(f"Opening {', '.join(place.name or str(place.path) for place in places)} ...")
        self.ask("switch", partial(self._switching, places, then))

    async def _switching(self, places: Sequence[StorePlace], then: WayOut | None) -> None:
        try:
            stores, desk, listing = await self._open_all(places)
        except ERRORS as error:
            if not self.failed:
                raise
            self.tell_failed(str(error))
            return
        before, here = self.desk, self._place_in(stores)
        for worker in tuple(self.workers):
            if worker.node is self and worker.group not in ("switch", "history"):
                worker.cancel()
        self._desk, self._ours = desk, stores
        self._trail = Trail()
        self._facets.clear()
        self._shown, self._aim, self._on_its_way, self._at, self.reading = None, None, None, None, ""
        self.answer = None
        self.put_away(here)
        self.transcript.forget()
        self.heading.forget()
        await asyncio.to_thread(_close, before)
        self.notice, self.failed = None, ""
        await self.opened(stores, listing)
        if here is not None:
            self.show(here)
        if then is not None:
            self.ask_for(then.text, mode=then.mode, rewound=then.rewound, hidden=then.hidden)
        elif self.text:
            self.search_anew()

    async def _open_all(self, places: Sequence[StorePlace]) -> tuple[Stores, Desk, SessionList]:
        thread = ThreadPoolExecutor(1)
        opening = thread.submit(Stores.open, places)
        thread.shutdown(wait=False)
        try:
            stores = await theirs(opening)
        except asyncio.CancelledError:
            opening.add_done_callback(_unwanted)
            raise
        desk = Desk(stores)
        try:
            return stores, desk, await desk.sessions()
        except BaseException:
            desk.close()
            stores.close()
            raise

    def _place_in(self, stores: Stores) -> Anchor | None:
        """Where the reader is, as it is called among other stores that hold it too."""
        here = self.transcript.here or (None if self._shown is None else Anchor(self._shown.session.id))
        if here is None or self._shown is None:
            return None
        path = self.desk.stores.of(self._shown.session.profile).path.resolve()
        names = (name for name, library in stores.libraries.items() if library.path.resolve() == path)
        for name in names:
            return replace(here, profile=name if stores.many else None)
        return None

    def ask_elsewhere(self, way: WayOut) -> None:
        """Go over to the profile that has hits, and ask there; where several are open already, open it beside them."""
        stores = self.desk.stores
        path = closed_stores(stores).get(way.profile or "")
        if path is None:
            self.say(f"The store of {way.profile} is not there any more.")
            return
        beside = stores.libraries.items() if stores.many else ()
        self.switch([*(StorePlace(library.path, name) for name, library in beside), StorePlace(path, way.profile)], way)


def _close(desk: Desk) -> None:
    desk.close()
    desk.stores.close()


def _unwanted(opening: Future[Stores]) -> None:
    """Close what was opened for nobody, so that no private copy of it stays behind."""
    if not opening.cancelled() and opening.exception() is None:
        opening.result().close()
