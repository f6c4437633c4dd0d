"""A message laid out for a width: header, body, cards and folds.

Nothing is cut without a row that says how much and how to see it, and a message that matches the query always shows a
match: a capped text is shown around its first one, and a folded card or block that alone holds it is opened.
"""

from __future__ import annotations

from hermes_tui.model import Kind, Message
from hermes_tui.model.record import dataclass
from hermes_tui.render.cards import gist
from hermes_tui.render.cells import cells, fit
from hermes_tui.render.clean import clean
from hermes_tui.render.ink import Ink, Run
from hermes_tui.render.outcome import Outcome, answered, failure
from hermes_tui.render.page import Block, Field, Marker, Page, Source
from hermes_tui.render.window import Reach, cut, cut_around
from hermes_tui.render.words import clock, count, first_line, one_line, role_label, state_label

MEASURE = 100  # cells: sentences longer than this are hard to follow from row to row
TURN_CAP = 200  # rows of a turn before the rest folds away
RESULT_CAP = 20  # the same for what a tool answered, for arguments, and for folded text that holds a match

_MATCHED = frozenset((Ink.TOOL, Ink.GIST, Ink.NOTICE))  # what in a line of the frame is the message's own text
_LARGE = 65_536  # characters: where looking for matches in the part that is not shown begins to cost


class Marks:
    """Where a marker matches in the texts of messages, each looked at once."""

    def __init__(self, marker: Marker) -> None:
        self._marker = marker
        self._known: dict[tuple[int, Source, int], list[tuple[int, int]]] = {}

    def spans(self, text: str) -> list[tuple[int, int]]:
        """The matches in any text."""
        return self._marker.spans(text)

    def of(self, message: Message, source: Source, text: str) -> list[tuple[int, int]]:
        """The matches in one text of `message`."""
        key = (message.id, source, hash(text))  # a message that is being written changes under its id
        if key not in self._known:
            if len(self._known) > 4000:
                self._known.clear()
            self._known[key] = self._marker.spans(text)
        return self._known[key]


@dataclass(frozen=True, slots=True)
class View:
    """Everything besides the message that its rows depend on.

    `width` is in cells. `seek` says that the message is a hit, so that a match of `marks` must be on its page. `joined`
    says that it goes on with what the row before it began, and needs no header of its own; `spaced` that an empty row
    is due all the same. `outcomes` tell how its calls ended, in their order, None where that is not known. `carded`
    says of a tool's answer that the card of its call is shown above, so that one line is enough; `failed` that it is
    known to tell of a failure.
    """

    width: int
    unfolded: bool = False
    reasoning: bool = False
    joined: bool = False
    spaced: bool = False
    carded: bool = False
    failed: bool = False
    seek: bool = False
    marks: Marks | None = None
    outcomes: tuple[Outcome | None, ...] = ()


def lay_out(message: Message, view: View) -> Page:
    """The rows of `message` in `view`; at least one."""
    layout = _Layout(message, view)
    match message.kind:
        case Kind.TOOL:
            layout.result()
        case Kind.SUMMARY:
            layout.summary()
        case Kind.NOTICE | Kind.HIDDEN:
            layout.notice()
        case Kind.TURN:
            layout.turn()
    return layout.page


class _Layout:
    """One message being laid out."""

    def __init__(self, message: Message, view: View) -> None:
        self.message = message
        self.view = view
        self.page = Page()
        self.width = max(1, view.width)
        self.measure = min(self.width, MEASURE)
        state, stamp = state_label(message.state, message.copies), clock(message.timestamp)
        self.meta = [(word, ink) for word, ink in ((state, Ink.STATE), (stamp, Ink.META)) if word]

    # -- the kinds of messages

    def turn(self) -> None:
        """Something that was said, with the calls it makes."""
        message = self.message
        silent, calls = _blank(message.text), message.tool_calls
        if not (self.view.joined and silent and calls):
            ink = {"user": Ink.YOU, "assistant": Ink.ASSISTANT}.get(message.role, Ink.OTHER)
            self.gap()
            self.label([(role_label(message.role), ink)])
        elif self.view.spaced:
            self.gap()
        if not _blank(message.reasoning):
            self.reasoning(alone=silent and not calls)
        elif silent and not calls:
            self.line([("(no text)", Ink.META)])
        if not silent:
            self.body(Source(Field.TEXT), message.text, cap=TURN_CAP, prose=True)
            if calls:
                self.gap()
        for index in range(len(calls)):
            self.call(index)

    def result(self) -> None:
        """What a tool answered: below the card of its call one line, or all of it; else its beginning."""
        text, source = self.message.text, Source(Field.TEXT)
        if not self.view.joined:
            self.gap()
        name = one_line(self.message.tool_name or "tool", 40)
        blank, wrong = _blank(text), failure(text, wrong=self.view.failed)
        told = Outcome(answered(text), len(text)).amount()
        folded = self.view.carded and not self.view.unfolded and not blank and not self.sought(source, text)
        pieces = [("  ▸ " if folded else "↳ ", Ink.FOLD), (name, Ink.TOOL)]
        if not folded:  # else the card above has told how much, and what went wrong
            pieces.append((f"  {told}", Ink.META))
        if wrong:
            pieces.append(("  failed" if folded else f"  failed: {wrong}", Ink.FAILED))
        if folded:
            room = self.room(sum(cells(piece) for piece, _ in pieces) + 2)
            pieces.append(("  " + first_line(text, room) if room > 8 else "", Ink.GIST))
        self.label(pieces)
        if folded:
            self.page.blocks[-1].about = source
            self.page.foldable = True
        elif not blank:
            self.body(source, text, cap=RESULT_CAP, indent=2, ink=Ink.OUTPUT)
            self.page.foldable |= self.view.carded

    def summary(self) -> None:
        """A hand-off that a machine wrote; nobody's turn, so folded."""
        source, text = Source(Field.TEXT), self.message.text
        self.gap()
        told = f"Summary written by a machine, {_lines(text)}"
        self.fold(self.view.unfolded, [(told, Ink.SUMMARY)])
        if self.view.unfolded or self.sought(source, text):
            self.body(source, text, cap=RESULT_CAP, indent=2, prose=True)
        else:
            self.page.foldable = True

    def notice(self) -> None:
        """Bookkeeping: one quiet line."""
        source, text = Source(Field.TEXT), self.message.text
        self.gap()
        label = _NOTICES.get(self.message.display_kind or "") or role_label(self.message.role, self.message.kind)
        room = self.room(cells(label) + 2)
        line = one_line(text, room) or one_line(self.message.display_kind or self.message.role, room)
        self.label([(label, Ink.META), ("  " + line, Ink.NOTICE)])
        self.page.blocks[-1].about = source
        whole = _blank(text) or line == " ".join(clean(text[: 8 * room + 1000]).split())
        self.page.foldable = not whole
        if not whole and (self.view.unfolded or (self.sought(source, text) and not self.page.blocks[-1].marks)):
            self.body(source, text, cap=RESULT_CAP, indent=2, prose=True)

    # -- the parts of messages

    def reasoning(self, *, alone: bool) -> None:
        """What the model thought: one line, or all of it when asked for or when there is nothing else."""
        text, source = self.message.reasoning, Source(Field.REASONING)
        unfolded = self.view.unfolded or self.view.reasoning or alone
        key = "" if alone or self.view.unfolded else " (r)"
        self.fold(unfolded, [(f"thought for {_extent(text)}{key}", Ink.REASONING)])
        if unfolded or (self.sought(source, text) and not self.matches_elsewhere()):
            cap = TURN_CAP if unfolded else RESULT_CAP
            self.body(source, text, cap=cap, indent=2, ink=Ink.REASONING, data=False, bar="│")
        else:
            self.page.foldable = True

    def call(self, index: int) -> None:
        """One tool call: a card of one line, or its arguments."""
        call, source = self.message.tool_calls[index], Source(Field.ARGUMENTS, index)
        name = one_line(call.name, 40) or "tool"
        ended = self.view.outcomes[index] if index < len(self.view.outcomes) else None
        told = f"  -> {ended.words()}" if ended else ""
        room = self.room(cells(name) + 4 + cells(told))
        about = "" if self.view.unfolded else gist(call, room)
        pieces = [(name, Ink.TOOL), (f"  {about}" if about else "", Ink.GIST)]
        if ended:
            pieces.append(
                (told, Ink.STATE if ended.missing or ended.running else Ink.FAILED if ended.failure else Ink.META)
            )
        self.fold(self.view.unfolded, pieces)
        self.page.blocks[-1].about = source
        if self.view.unfolded or (self.sought(source, call.arguments) and not self.page.blocks[-1].marks):
            self.body(source, call.arguments, cap=RESULT_CAP, indent=4, ink=Ink.CODE, data=True)
        elif not _blank(call.arguments):
            self.page.foldable = True

    def body(self, source: Source, text: str, *, cap: int, indent: int = 0, ink: Ink = Ink.BODY, prose: bool = False,
             data: bool | None = None, bar: str = "") -> None:  # fmt: skip
        """One text of the message: all of it, or as many rows as `cap` allows, around the first match if need be."""
        indent = min(indent, max(0, self.width - 8))
        end = len(text.rstrip())
        start = min(end, len(text) - len(text.lstrip("\r\n")))
        width, measure = max(1, self.width - indent), max(1, self.measure - indent)
        reach = Reach(source, text, start, end, width=width, measure=measure, indent=indent, ink=ink, prose=prose,
                      data=data, bar=bar)  # fmt: skip
        window = cut(reach, start, None if self.view.unfolded else cap)
        spans: list[tuple[int, int]] = []
        if self.view.marks and (self.view.seek or window.complete or len(text) < _LARGE):
            spans = self.view.marks.of(self.message, source, text)
        elif self.view.marks:
            spans = self.view.marks.spans(text[: window.end() + 256])
        if self.view.seek and spans and not window.complete and not window.shows(spans[0][0]):
            window = cut_around(reach, spans[0][0], cap)
        window.mark(spans)
        if window.low > start:
            lines = text.count("\n", start, window.low)
            told = count(lines, "line") if lines else count(window.low - start, "character")
            self.line([(f"… {told} above", Ink.MORE)], indent=indent)
        self.page.add(window.block)
        if not window.complete:
            lines = text.count("\n", window.end(), end)
            told = count(lines, "more line") if lines else count(end - window.end(), "more character")
            self.line([(f"… {told} (Enter)", Ink.MORE)], indent=indent)
        self.page.foldable |= window.low > start or not window.complete

    # -- rows of the frame

    def gap(self) -> None:
        """An empty row."""
        if not self.page.blocks:
            self.page.lead = 1
        self.page.add(Block("", cuts=[(0, 0, 0, Ink.BODY)]))

    def fold(self, unfolded: bool, pieces: list[tuple[str, Ink]]) -> None:
        """The line of something that folds."""
        self.label([("▾ " if unfolded else "▸ ", Ink.FOLD), *pieces])

    def room(self, taken: int) -> int:
        """Cells beside a label of `taken` cells that the meta words leave."""
        return max(0, self.measure - taken - self.meta_need())

    def meta_need(self) -> int:
        """Cells that the meta words need, with the gap before them."""
        return sum(cells(word) + 1 for word, _ in self.meta) + 1 if self.meta else 0

    def label(self, pieces: list[tuple[str, Ink]]) -> None:
        """A line of the frame; the first of a message bears its state and time at the right of the measure."""
        if self.measure - self.meta_need() < 12:  # too narrow for all: the state is worth more than the time
            self.meta = [(word, ink) for word, ink in self.meta if ink is Ink.STATE]
        room = self.measure - self.meta_need()
        shown: list[tuple[str, Ink]] = []
        for text, ink in pieces:
            shown.append((fit(text, max(0, room)), ink))
            room -= cells(shown[-1][0])
        for number, (word, ink) in enumerate(self.meta):
            shown += ((" " * (max(0, room) + 2) if number == 0 else " ", Ink.META), (word, ink))
        self.meta = []
        self.line(shown)

    def line(self, pieces: list[tuple[str, Ink]], *, indent: int = 0) -> None:
        """One row of ready text."""
        block = Block("".join(text for text, _ in pieces), indent)
        runs: list[Run] = []
        start = 0
        for text, ink in pieces:
            runs.append((start, start + len(text), ink))
            if self.view.marks and ink in _MATCHED:
                block.marks += ((start + left, start + right) for left, right in self.view.marks.spans(text))
            start += len(text)
        block.text = fit(block.text, max(1, self.width - indent))
        block.runs = tuple(runs)
        block.cuts.append((0, len(block.text), 0, Ink.BODY))
        self.page.add(block)

    # -- the query

    def sought(self, source: Source, text: str) -> bool:
        """Whether the message is a hit and `text`, one of its texts, holds a match."""
        marks = self.view.marks
        return self.view.seek and marks is not None and bool(marks.of(self.message, source, text))

    def matches_elsewhere(self) -> bool:
        """Whether a text other than the reasoning holds a match."""
        texts = [(Source(Field.TEXT), self.message.text)]
        for index, call in enumerate(self.message.tool_calls):
            texts += ((Source(Field.CALL, index), call.name), (Source(Field.ARGUMENTS, index), call.arguments))
        return any(self.sought(source, text) for source, text in texts)


def _blank(text: str) -> bool:
    """Whether nothing of `text` would show."""
    return not text or text.isspace() or (len(text) < 200 and not clean(text).strip())


_NOTICES = {"model_switch": "Model", "personality_switch": "Personality", "failed_turn": "Failed turn"}


def _extent(text: str) -> str:
    """How much was thought: in words, or in characters where a script has no blanks or counting would take a while."""
    words = len(text.split()) if len(text) < 500_000 else 0
    return count(words, "word") if words * 12 > len(text) else count(len(text.strip()), "character")


def _lines(text: str) -> str:
    return count(text.strip().count("\n") + 1, "line")
