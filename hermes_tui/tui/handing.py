"""A screen that hands things over: a menu of what can be copied here, plain text, pager, editor, Hermes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import ClassVar

from textual.app import SuspendNotSupported

from hermes_tui.library import Library, Stores, Ticket, profile_at
from hermes_tui.model import Anchor, Message
from hermes_tui.tui import outside
from hermes_tui.tui.keeping import KeepingScreen
from hermes_tui.tui.offers import Offer, Outside, Where, alike, of_message, of_outside, of_place, whole
from hermes_tui.tui.pairs import answers_to
from hermes_tui.tui.picker import PickerScreen


class OfferPicker(PickerScreen[Offer]):
    """The menu."""

    PLACEHOLDER: ClassVar[str] = "Copy, or hand over"
    KEYS: ClassVar[str] = "Enter copies it, or does it; Escape closes this."

    def __init__(self, offers: Sequence[Offer]) -> None:
        super().__init__()
        self._offers = offers

    def offer(self, typed: str) -> Sequence[Offer]:
        """What is like `typed`."""
        return alike(self._offers, typed)

    def row(self, item: Offer) -> tuple[str, str, str]:
        """Under its heading, with how much it is."""
        return item.heading, item.label, item.about


class HandingScreen(KeepingScreen, inherit_bindings=False):
    """What `Browser` has of these."""

    def action_copy_menu(self) -> None:
        """Everything that can be copied or handed over at the place here."""
        here = self.place_here()
        if here is None:
            self.say("Nothing is highlighted here that could be copied.")
            return

        async def collect(here: Anchor = here) -> None:
            offers = await self._offers(here)
            self.app.push_screen(OfferPicker(offers), lambda offer: self._take(offer, here))

        self.ask("menu", collect)

    def action_plain(self) -> None:
        """The message here on the ordinary screen, for the terminal's own selection."""
        here = self.place_here()
        if here is None or here.message_id is None:
            self.say("There is no message here to show plainly.")
            return

        async def show(message_id: int = here.message_id) -> None:
            found = await self.desk.look(
                lambda library, ticket: library.messages((message_id,), ticket=ticket), profile=here.profile
            )
            if found:
                self.aside(partial(outside.plain, whole(found[0])))
            else:
                self.say(f"Message {message_id} is not in the store any more.")

        self.ask("plain", show)

    def aside(self, work: Callable[[], str]) -> None:
        """Let the terminal be somebody else's while `work` runs, and say what went wrong with it."""
        try:
            with self.app.suspend():
                trouble = work()
        except SuspendNotSupported:
            trouble = "This terminal cannot put the browser aside."
        if trouble:
            self.say(trouble)

    async def _offers(self, here: Anchor) -> list[Offer]:
        """What the place offers, read and worked out beside the loop."""

        def look(library: Library, ticket: Ticket) -> list[Offer]:
            session = library.session(here.session_id, ticket=ticket)
            where = _where(library)
            offers: list[Offer] = []
            message: Message | None = None
            if here.message_id is not None:
                message = next(iter(library.messages((here.message_id,), ticket=ticket)), None)
            if message is not None:
                transcript = library.transcript(here, ticket=ticket) if message.tool_calls else None
                told = {} if transcript is None else answers_to(library, transcript, [message], ticket)
                row = library.row(message.id, ticket=ticket)
                offers += of_message(message, row, [told[call] for call in sorted(told)])
            offers += of_place(here, session, where)
            resume = next((offer.text for offer in offers if offer.label == "resume"), None)
            return offers + of_outside(message, resume if outside.installed("hermes") else None)

        return await self.desk.look(look, profile=here.profile)

    def _take(self, offer: Offer | None, here: Anchor) -> None:
        if offer is None:
            return
        match offer.outside:
            case None:
                self.app.copy_to_clipboard(offer.text)
            case Outside.PLAIN:
                self.aside(lambda: outside.plain(offer.text))
            case Outside.PAGER:
                self.aside(lambda: outside.page([offer.text, "\n"], name="message.md"))
            case Outside.EDITOR:
                self.aside(lambda: outside.edit([offer.text, "\n"], name="message.md"))
            case Outside.RUN:
                self.aside(lambda: outside.run(offer.text))
            case Outside.PAGER_ALL:
                self._all_of(here, outside.page)
            case Outside.EDITOR_ALL:
                self._all_of(here, outside.edit)

    def _all_of(self, here: Anchor, show: Callable[..., str]) -> None:
        """Write the whole conversation out, then hand it to another program."""

        def write(stores: Stores, ticket: Ticket) -> list[str]:
            from hermes_tui.export.documents import Form, pieces
            from hermes_tui.export.material import conversation
            from hermes_tui.export.reading import Reading

            found = conversation(stores, Anchor(here.session_id, profile=here.profile), ticket=ticket)
            # It stays on this machine, in a file that is gone afterwards, so nothing of it is masked.
            return list(pieces(Reading(found, keep_secrets=True, reasoning=True, ticket=ticket), Form.MARKDOWN))

        async def read() -> None:
            self.say("Writing the conversation out ...")
            text = await self._aside(write)
            self.aside(lambda: show(text, name=f"{_name(here.session_id)}.md"))

        self.ask("menu", read)


def _where(library: Library) -> Where:
    path = Path(library.path)
    named = profile_at(path)  # what a copy is called while several stores are open means nothing to other programs
    return Where(path, named, path.resolve().parent if named is None and path.name == "state.db" else None)


def _name(session_id: str) -> str:
    return "".join(char if char.isalnum() or char in "-_" else "-" for char in session_id)[:80] or "conversation"
