"""The scroll: a conversation of any length, read around a place.

The pane is handed the outline of a conversation and, little by little, its messages; it never asks anybody but by
posting `Wanted`. What it does is told in `Reader` and `EntryScroll`; here is what others see of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import ClassVar

from textual.actions import SkipAction
from textual.binding import Binding, BindingType
from textual.message import Message as Event
from textual.reactive import var

from hermes_tui.model import Anchor, Kind, Message, OutlineRow, Transcript
from hermes_tui.render import Marker, Marks
from hermes_tui.tui.ahead import Ahead
from hermes_tui.tui.commands import Where, bindings
from hermes_tui.tui.heights import Heights
from hermes_tui.tui.lens import Lens, Sight
from hermes_tui.tui.outline import Outline, root_of
from hermes_tui.tui.paint import CSS, LOOKS
from hermes_tui.tui.pairs import Outcomes
from hermes_tui.tui.reader import Target
from hermes_tui.tui.tagging import Tagger


class TranscriptPane(Tagger, can_focus=True, inherit_bindings=False):
    """A conversation; the cursor is on a message."""

    DEFAULT_CSS = CSS
    COMPONENT_CLASSES: ClassVar[set[str]] = set(LOOKS)
    BINDINGS: ClassVar[list[BindingType]] = [*bindings(Where.TRANSCRIPT), Binding("escape", "fold", show=False)]
    ALLOW_SELECT = False

    rewound: var[bool] = var(False, init=False)
    """Whether turns that were taken back are shown."""
    lens: var[Lens] = var(Lens.LIVED, init=False)
    """Which side of compaction is shown."""
    reasoning: var[bool] = var(False, init=False)
    """Whether what the model thought is unfolded everywhere."""

    class Wanted(Event):
        """Messages near the window are not here yet: hand them over with `supply`."""

        def __init__(self, ids: tuple[int, ...]) -> None:
            super().__init__()
            self.ids = ids

    class AnswersWanted(Event):
        """Nothing near the calls of these rows answers them: look them up, and tell with `take_answers`."""

        def __init__(self, transcript: Transcript, ids: tuple[int, ...]) -> None:
            super().__init__()
            self.transcript = transcript
            self.ids = ids

    class CursorMoved(Event):
        """The cursor is on message number `position` of `total` shown, hit number `hit` (None: no hit) of `hits`.

        All are counted from 1.
        """

        def __init__(self, anchor: Anchor, position: int, total: int, *, hit: int | None, hits: int) -> None:
            super().__init__()
            self.anchor = anchor
            self.position = position
            self.total = total
            self.hit = hit
            self.hits = hits

    class HitWanted(Event):
        """The reader wants the next hit (`direction` 1) or the one before (-1), in the order of the hits."""

        def __init__(self, direction: int) -> None:
            super().__init__()
            self.direction = direction

    class Laid(Event):
        """Other rows are shown, or more of them."""

    class FindWanted(Event):
        """The reader wants the next place (`direction` 1) of what is looked for, or the one before (-1)."""

        def __init__(self, direction: int) -> None:
            super().__init__()
            self.direction = direction

    class CopyRequested(Event):
        """The reader wants this text, as it was stored."""

        def __init__(self, text: str) -> None:
            super().__init__()
            self.text = text

    def __init__(self, *, id: str | None = None, clock: Callable[[], float] | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self.pairs.clock = clock
        self._matcher: Marker | None = None
        self._marks: Marks | None = None
        self._hits: tuple[int, ...] = ()
        self._hit_rows: dict[int, int] = {}  # the number of each entry that is a hit, in the order of the hits, from 1
        self._ahead = Ahead()
        self._told: tuple[object, ...] = ()

    # What the browser hands over.

    def show(self, transcript: Transcript, messages: Sequence[Message], anchor: Anchor, matcher: Marker | None) -> None:
        """Show `transcript` with the anchor's message in the middle; without a message, the session's beginning.

        `messages` are those read already. An anchor that the reader's settings hide is shown all the same.
        """
        old = self.outline
        outline = old
        if self._must_lay(transcript, anchor):
            outline = Outline(transcript, self._sight, kept=_foreign(transcript, self._sight, anchor))
        if outline is None or old is None or old.root != outline.root:
            self.shelf.clear()
            self.pairs.clear()
            self.unfolded.clear()
            self.forget_fresh()
            self.deselect()
            self._hits = ()
        self.shelf.put(messages)
        self.forget_views()
        self._ahead.clear()
        if outline is not None and outline is not old:
            self.lay(outline)
            self.post_message(self.Laid())
        self._mark(matcher, self._hits)
        index = outline.index(anchor.message_id) if outline and anchor.message_id is not None else None
        if outline is None or not outline.rows:
            self.put_back()
        elif index is None:
            session = (at for at, row in enumerate(outline.rows) if row.session_id == anchor.session_id)
            self.bring(next(session, 0), Target.TOP)
        else:
            self.bring(index, Target.CENTRE)
        self.refresh()

    def forget(self) -> None:
        """Show nothing: what was read is in a store that is not open any more."""
        self.outline, self.aim = None, None
        self.shelf.clear()
        self.pairs.clear()
        self.unfolded.clear()
        self.forget_fresh()
        self.deselect()
        self.forget_views()
        self.heights = Heights([])
        self._mark(None, ())
        self.put_back()
        self.refresh()

    def supply(self, messages: Iterable[Message]) -> None:
        """More messages are here; the line being read stays where it is."""
        arrived = {message.id: message for message in messages}
        self.shelf.put(arrived.values())
        self.forget_views()
        self._ahead.arrived(arrived)
        outline, entries = self.outline, self.in_window()
        if outline is not None and any(outline.rows[index].id in arrived for index in self._around_window()):
            with self.taking_in():
                self.put_back()
        elif outline is not None and entries:
            self._ask(outline.rows, entries)

    def take_answers(self, transcript: Transcript, found: Mapping[int, Outcomes]) -> None:
        """How calls ended whose answers are not right below them; nothing when another conversation is shown now."""
        if self.outline is None or self.outline.root != root_of(transcript):
            return
        self.pairs.learn(transcript, found)
        self.forget_views()
        with self.taking_in():
            self.put_back()

    def _around_window(self) -> range:
        """The entries in the window, with those beyond its edges that tell how they are shown: calls, answers."""
        entries, outline = self.in_window(), self.outline
        if outline is None or not entries:
            return entries
        first = entries.start
        while first > 0 and outline.rows[first].kind is Kind.TOOL:
            first -= 1
        return range(first, outline.tools(entries.stop - 1).stop)

    def renew(self, transcript: Transcript) -> Sequence[OutlineRow]:
        """The same conversation read again: rows came, or changed; the reader stays where they are. Returns the rows
        that came at the end."""
        old = self.outline
        if old is None:
            return ()
        self._ahead.clear()
        self.forget_views()
        shown = len(old)
        with self.taking_in():
            self._take_in(old, transcript)
        self.grown(shown)
        self.signs_changed()
        self.post_message(self.Laid())
        return self.outline.rows[shown:] if self.outline is old else ()

    def _take_in(self, old: Outline, transcript: Transcript) -> None:
        shown = len(old)
        if old.grow(transcript):
            for index in range(shown, len(old)):
                self.heights.append(old.guess(index, self.text_width))
        else:
            known = {row.id: row for row in old.transcript.rows}
            self.shelf.spoil(row.id for row in transcript.rows if known.get(row.id, row) != row)
            self.lay(Outline(transcript, self._sight, kept=old.kept))
        self._mark(self._matcher, self._hits)
        self.put_back()

    def set_matcher(self, matcher: Marker | None, hits: Sequence[int]) -> None:
        """Mark where `matcher` matches; `hits` are the ids of the messages that do, in the order they are
        counted in."""
        self._mark(matcher, hits)
        self.put_back()
        self.refresh()

    def watch_rewound(self) -> None:
        """Rows come or go."""
        self._lay_again()

    def watch_lens(self) -> None:
        """Other rows are shown; the reader stays on theirs, or goes to the nearest."""
        self._lay_again()

    def _lay_again(self) -> None:
        if self.outline is not None:
            self.lay(Outline(self.outline.transcript, self._sight))
            self._mark(self._matcher, self._hits)
            self.put_back()
            self.post_message(self.Laid())

    def watch_reasoning(self, shown: bool) -> None:
        """Blocks unfold or fold."""
        self.reasons = shown
        self.put_back()

    @property
    def _sight(self) -> Sight:
        return Sight(self.lens, rewound=self.rewound)

    def _must_lay(self, transcript: Transcript, anchor: Anchor) -> bool:
        old = self.outline
        if old is None or old.transcript is not transcript or old.sight != self._sight:
            return True
        if anchor.message_id is None:
            return old.kept is not None
        return old.index(anchor.message_id) is None or old.kept not in (None, anchor.message_id)

    def _mark(self, matcher: Marker | None, hits: Sequence[int]) -> None:
        if matcher is not self._matcher:
            self._matcher = matcher
            self._marks = None if matcher is None else Marks(matcher)
        self._hits = tuple(hits)
        outline = self.outline
        found = [outline.index(hit) for hit in self._hits] if outline else []
        entries = dict.fromkeys(index for index in found if index is not None)
        self.hit_entries = entries
        self._hit_rows = {index: number for number, index in enumerate(entries, 1)}
        sought = frozenset(outline.rows[index].id for index in self._hit_rows) if outline else frozenset[int]()
        self.set_marks(self._marks, sought)

    # What it tells the browser.

    def settled(self) -> None:
        """Ask for what is missing near the window, and tell where the cursor is."""
        super().settled()
        outline, entries = self.outline, self.in_window()
        if outline is not None and entries:
            self._ask(outline.rows, entries)
            if ids := self.pairs.wanted():
                self.post_message(self.AnswersWanted(outline.transcript, ids))
            self._tell(outline)

    def _ask(self, rows: Sequence[OutlineRow], entries: range) -> None:
        above, below = (self.window * windows for windows in self._ahead.look(self.top))
        first, last = self.heights.find(self.top - above)[0], self.heights.find(self.top + self.window + below)[0]
        for ids in self._ahead.wanted(rows, entries, range(first, last + 1), self.shelf.lacks):
            self.post_message(self.Wanted(ids))

    def _tell(self, outline: Outline) -> None:
        row, hits = outline.rows[self.cursor], len(self._hit_rows)
        hit = self._hit_rows.get(self.cursor)
        told = (row.id, self.cursor, len(outline), hit, hits)
        if told != self._told:
            self._told = told
            anchor = Anchor(row.session_id, row.id, outline.transcript.session.profile)
            self.post_message(self.CursorMoved(anchor, self.cursor + 1, len(outline), hit=hit, hits=hits))

    # Hits.

    def action_next_hit(self) -> None:
        """The next hit; while something is looked for in the conversation, the next place of that."""
        if self.finds is None:
            self.post_message(self.HitWanted(1))
        else:
            self.post_message(self.FindWanted(1))

    def action_previous_hit(self) -> None:
        """The hit before, or the place before of what is looked for."""
        if self.finds is None:
            self.post_message(self.HitWanted(-1))
        else:
            self.post_message(self.FindWanted(-1))

    # Folding, showing, copying.

    def action_toggle_fold(self) -> None:
        """Unfold the message under the cursor with what answers its calls, or fold them."""
        if self.outline is None or not self.outline.rows:
            return
        message_id, page = self.outline.rows[self.cursor].id, self.page(self.cursor)
        if message_id in self.unfolded:
            self.action_fold()
            return
        below = [self.page(at) for at in self.pairs.results(self.outline, self.cursor)]
        if any(each is not None and each.foldable for each in (page, *below)):
            self.unfold(self._folded_with(self.cursor))
            self.put_back()

    def action_fold(self) -> None:
        """Fold the message under the cursor; where it is not unfolded the key is somebody else's."""
        if not self.fold():
            raise SkipAction

    def fold(self) -> bool:
        """Fold the message under the cursor; whether it was unfolded."""
        rows = self.outline.rows if self.outline else []
        if not rows or rows[self.cursor].id not in self.unfolded:
            return False
        self.unfold(self._folded_with(self.cursor), again=True)
        self.put_back()
        if self.heights.before(self.cursor) + self.header(self.cursor) < self.top:
            self.settle(self.cursor, self.header(self.cursor), 0)
        return True

    def _folded_with(self, index: int) -> list[int]:
        """The messages that fold and unfold as one with entry `index`: it, and what answers the calls it makes."""
        outline = self.outline
        if outline is None:
            return []
        return [outline.rows[at].id for at in (index, *self.pairs.results(outline, index))]

    def action_toggle_rewound(self) -> None:
        """Show turns that were taken back, or hide them."""
        self.rewound = not self.rewound

    def action_toggle_reasoning(self) -> None:
        """Show what the model thought, or fold it."""
        self.reasoning = not self.reasoning

    def action_copy(self) -> None:
        """Hand over what is selected, else the text of the message under the cursor: what it says, else what it calls,
        else what it thinks."""
        if selected := self.selected_text():
            self.post_message(self.CopyRequested(selected))
            return
        message = self.shelf.message(self.outline.rows[self.cursor].id) if self.outline and self.outline.rows else None
        if message is not None:
            calls = "\n".join(f"{call.name}\n{call.arguments}" for call in message.tool_calls)
            self.post_message(self.CopyRequested(message.text or calls or message.reasoning))


def _foreign(transcript: Transcript, sight: Sight, anchor: Anchor) -> int | None:
    """The anchor's message where `sight` does not show it by itself."""
    wanted = anchor.message_id
    return None if wanted is None or sight.shows(transcript, wanted) else wanted
