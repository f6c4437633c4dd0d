"""A screen with a hint mode: everything on it that can be copied bears a label, and typing the label copies it."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

from textual.getters import query_one

from hermes_tui.hints import Hint, Resolved, labels, remote_mounts, resolve
from hermes_tui.library import LibraryError
from hermes_tui.model import Hit, Message
from hermes_tui.model.record import dataclass
from hermes_tui.render import count, one_line
from hermes_tui.tui import outside
from hermes_tui.tui.commands import Where
from hermes_tui.tui.hint_bar import HintBar
from hermes_tui.tui.hint_menu import Deed, HintMenu, Offer
from hermes_tui.tui.lines import Lines
from hermes_tui.tui.listing import ListingScreen
from hermes_tui.tui.status import StatusLine
from hermes_tui.tui.tagging import Tagger
from hermes_tui.tui.tags import SIGNS, Seen, Tag, in_line, of_hit


@dataclass(frozen=True, slots=True)
class Labelled:
    """A label on the screen: on a row of a message's page, or (`hit`) on that row of the hits."""

    label: str
    seen: Seen
    hit: bool = False

    def tag(self, stands: Resolved | None) -> Tag:
        """It, as it is painted."""
        return Tag(self.seen.x, self.label, "" if stands is None else SIGNS.get(stands.state, ""))


class HintingScreen(ListingScreen, inherit_bindings=False):
    """What `Browser` has of it."""

    hint_bar = query_one(HintBar)
    status = query_one(StatusLine)
    about_copy: str = ""
    """What is said of the text that is copied next, before where it is copied to."""
    hints_from: Where = Where.TRANSCRIPT
    """Where the reader was before, and is again after it."""

    labelled: tuple[Labelled, ...] = ()
    """The labels that are shown, those of the hits first, from top to bottom."""
    _of_hits: dict[tuple[str | None, int], tuple[Message, list[Hint]]]
    """What was found in the messages of hits, by their store and id."""
    _looked: bool = False
    """Whether the hits, if they bear labels, were looked at."""
    _ahead: str | None = None
    """What was typed for a menu that is not open yet; None when none is awaited."""
    _stands: dict[tuple[str, str, float | None], Resolved]

    @property
    def hinting(self) -> bool:
        """Whether labels are shown."""
        return bool(self.hint_bar.display)

    # Beginning and ending.

    def action_hint_mode(self) -> None:
        """Label everything on screen that can be copied."""
        self.hints_from = Where.HITS if self.where is Where.HITS else Where.TRANSCRIPT
        self._of_hits, self._stands, self._ahead = {}, {}, None
        self._looked = self.hints_from is Where.TRANSCRIPT
        self.hint_bar.styles.height = max(1, self.status.size.height)  # nothing above it moves
        self.status.display = False
        self.hint_bar.display = True
        self.hint_bar.begin()
        self.go(Where.HINTS)
        if self.hints_from is Where.HITS:
            self.ask("hints", self._look_at_hits)
        else:
            self.label_anew()
            self._go_on()

    def close_hints(self, *, back: bool = True) -> None:
        """Take the labels away; `back` to where the reader was."""
        self._take_labels_away()
        self._ahead = None
        self.hint_bar.display = False
        self.status.display = True
        if back:
            self.go(self.hints_from)

    def _take_labels_away(self) -> None:
        self.workers.cancel_group(self, "hints")
        self.labelled = ()
        self.transcript.put_tags(None)
        self.search.hits.put_tags({})

    def say(self, sentence: str, *, trouble: str = "") -> None:
        """Trouble is told where it can be read: the line of hint mode stands over the one for sentences."""
        if trouble and self.hinting:
            self.close_hints()
        super().say(sentence, trouble=trouble)

    # Labels.

    def label_anew(self) -> None:
        """Label what is on the screen now."""
        seen = self.transcript.seen() if self.query_one("#page").display else []
        places = [(each, True) for each in self._in_hits()] + [(each, False) for each in seen]
        made = labels(len(places))
        labelled = tuple(Labelled(label, each, hit) for label, (each, hit) in zip(made, places, strict=True))
        if self.labelled and labelled != self.labelled:
            self.hint_bar.typed = ""
        self.labelled = labelled
        on_its_way = not labelled and bool(self.query_one("#page").display) and self.transcript.lacking()
        self.hint_bar.things = None if on_its_way else len(labelled)
        self._paint()
        self.ask("standing-paths", self._resolve_all)

    def _go_on(self) -> None:
        """Take what was typed before there were labels; do not wait for one where there is nothing to label."""
        if self.hint_bar.things == 0:
            self.close_hints()
            self.say("Nothing on screen is a path, URL, command, code, id, hash or address.")
        elif self.hint_bar.things is not None:
            typed, self.hint_bar.typed = self.hint_bar.typed, ""
            for letter in typed:
                self._take_letter(letter)

    def _paint(self) -> None:
        pages: dict[tuple[int, int], list[Tag]] = {}
        hits: dict[int, list[Tag]] = {}
        for each in self.labelled:
            tag = each.tag(self._stands.get(self._key(each.seen)))
            if each.hit:
                hits.setdefault(each.seen.row, []).append(tag)
            else:
                pages.setdefault((each.seen.message.id, each.seen.row), []).append(tag)
        self.transcript.put_tags(pages, self.hint_bar.typed)
        self.search.hits.put_tags(hits, self.hint_bar.typed)

    def _in_hits(self) -> Iterator[Seen]:
        """What of it the hits in view show."""
        rows = self.search.hits
        for row in rows.in_view() if self._of_hits else ():
            hit = rows.hit_at(row)
            message, hints = self._of_hits.get(_row_of(hit), (None, [])) if hit is not None else (None, [])
            if message is not None:
                yield from (Seen(hint, message, row, x) for hint, x in in_line(hints, rows.painted(row)))

    async def _look_at_hits(self) -> None:
        """Find what the messages of the hits in view hold, of those that are not known yet."""
        rows = self.search.hits
        inview = [hit for row in rows.in_view() if (hit := rows.hit_at(row)) is not None]
        wanted = {key: hit.snippet for hit in inview if (key := _row_of(hit)) not in self._of_hits}
        read: list[tuple[str | None, Message]] = []
        for profile in {profile for profile, _ in wanted}:
            ids = [key for store, key in wanted if store == profile]
            read += [(profile, message) for message in await self.desk.messages(ids, profile=profile)]
        found = await asyncio.to_thread(lambda: [of_hit(each, wanted[store, each.id]) for store, each in read])
        self._of_hits |= {(store, each.id): (each, hints) for (store, each), hints in zip(read, found, strict=True)}
        self._looked = True
        self.label_anew()
        self._go_on()

    def on_tagger_rows_changed(self, event: Tagger.RowsChanged) -> None:
        """Label what is in the window now."""
        if self._labelling:
            awaited = self.hint_bar.things is None
            self.label_anew()
            if awaited:
                self._go_on()

    def on_lines_rows_changed(self, event: Lines.RowsChanged) -> None:
        """Label what the hits are now, and look at those that came."""
        if self._labelling and self.hints_from is Where.HITS:
            self.label_anew()
            self.ask("hints", self._look_at_hits)

    @property
    def _labelling(self) -> bool:
        return self.hinting and self._looked and self._ahead is None

    # Paths.

    def _key(self, seen: Seen) -> tuple[str, str, float | None]:
        return seen.hint.path, seen.message.session_id, seen.message.timestamp

    def _folder(self, session_id: str) -> str | None:
        """The folder that a session ran in."""
        shown = self._shown.segments if self._shown is not None else ()
        hits = (hit.session for part in self.search.hits.groups for hit in part.rows if isinstance(hit, Hit))
        return next((session.cwd for session in (*shown, *hits) if session.id == session_id), None)

    async def _resolve_all(self) -> None:
        wanted = [
            each.seen for each in self.labelled if each.seen.hint.path and self._key(each.seen) not in self._stands
        ]
        if wanted:
            asked = [(self._key(seen), self._folder(seen.message.session_id)) for seen in wanted]
            self._stands.update(await asyncio.to_thread(_resolve, asked))
            if self.hinting:
                self._paint()

    async def _standing_of(self, seen: Seen) -> Resolved | None:
        if not seen.hint.path:
            return None
        key = self._key(seen)
        if key not in self._stands:
            self._stands.update(await asyncio.to_thread(_resolve, [(key, self._folder(seen.message.session_id))]))
        return self._stands[key]

    # Typing.

    def on_hint_bar_typed(self, event: HintBar.Typed) -> None:
        """Take what a label is copied for, or show which are left."""
        self._take_letter(event.letter)

    def _take_letter(self, letter: str) -> None:
        typed = self.hint_bar.typed + letter if letter else self.hint_bar.typed[:-1]
        if self._ahead is not None:
            self._ahead += letter
        elif isinstance(self.app.screen, HintMenu):  # typed before it was there, told of after it
            self.app.screen.take(letter)
        elif self.hinting and self.hint_bar.things is not None:
            self._match(typed)
        elif self.hinting:
            self.hint_bar.typed = typed

    def _match(self, text: str) -> None:
        left = [each for each in self.labelled if each.label.startswith(text)]
        if not left and text:
            self.app.bell()
            return
        self.hint_bar.typed = text
        if len(left) == 1 and left[0].label == text:
            seen = left[0].seen
            if self.hint_bar.more:
                self._take_labels_away()
                self._ahead = ""  # the line keeps the keys until the menu is there to take them
                self.ask("hints", partial(self._offer, seen))
            else:
                self.close_hints()
                self.ask("hint", partial(self._copy, seen))
        else:
            self._paint()

    async def _copy(self, seen: Seen) -> None:
        stands = await self._standing_of(seen)
        self.about_copy = said(seen.hint, stands)
        self.app.copy_to_clipboard(seen.hint.text)

    async def _offer(self, seen: Seen) -> None:
        stands = await self._standing_of(seen)

        def chosen(offer: Offer | None) -> None:
            if offer is not None:
                self._do(offer, seen.hint)

        def show() -> None:
            if self._ahead is not None:
                ahead = self._ahead
                self.close_hints()
                self.app.push_screen(HintMenu(seen.hint, stands, ahead=ahead), chosen)

        # What is behind the menu is painted once more before it is covered: without labels.
        self.call_after_refresh(show)

    def _do(self, offer: Offer, hint: Hint) -> None:
        match offer.deed:
            case Deed.COPY | Deed.RELATIVE | Deed.ABSOLUTE | Deed.SPOT:
                self.app.copy_to_clipboard(offer.text)
            case Deed.EDIT:
                self.aside(partial(outside.edit_file, Path(offer.text), line=hint.line))
            case Deed.TOUCHED:
                self.open_files(offer.text)
            case Deed.OPEN:
                self.ask_about_link(offer.text)
            case Deed.GO:
                self.ask("hint", partial(self._go_to, offer.text))
            case Deed.SEARCH:
                self.search.box.put(f'"{offer.text}"')
                self.go(Where.BOX)

    async def _go_to(self, text: str) -> None:
        """Read the place of an id, if it is in the store."""
        try:
            anchor = await self.desk.overall(lambda stores, ticket: stores.resolve(text, ticket=ticket))
        except LibraryError as error:
            self.say(str(error))
            return
        self.open_place(anchor)


def _row_of(hit: Hit) -> tuple[str | None, int]:
    return hit.anchor.profile, hit.message.id


def said(hint: Hint, stands: Resolved | None) -> str:
    """What it was that was copied, in words for the status line."""
    what = one_line(hint.text, 60)
    lines = hint.text.count("\n") + 1
    kind = hint.kind.value[0].upper() + hint.kind.value[1:]
    told = f"{kind} {what}" if lines == 1 else f"{kind} of {count(lines, 'line')}"
    return f"{told}: {stands.said}." if stands is not None else f"{told}."


def _resolve(
    asked: Sequence[tuple[tuple[str, str, float | None], str | None]],
) -> dict[tuple[str, str, float | None], Resolved]:
    """How paths stand, each with its session's folder; a thread's work."""
    home, remote = os.path.expanduser("~"), remote_mounts()
    return {key: resolve(key[0], cwd=cwd, home=home, since=key[2], remote=remote) for key, cwd in asked}
