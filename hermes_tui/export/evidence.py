"""The evidence pack: what places are about, short enough to paste to a model or a colleague.

For each conversation: what it is, what it began with, the messages that were asked for with others around them, and the
last answer. What is asked for comes first, then goal and last answer, then neighbours, the nearest first, as long as
there is room; what has none is counted.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import field

from hermes_tui.export.budget import cut
from hermes_tui.export.masks import Masker
from hermes_tui.export.material import Chapter, material_of, read
from hermes_tui.export.packing import (
    FRAME,
    Excerpt,
    Pack,
    Part,
    body_of,
    cost_of_head,
    cost_of_lead,
    cost_of_text,
)
from hermes_tui.library import Stores, Ticket
from hermes_tui.model import PLAIN, Anchor, Kind, Message, Mode, OutlineRow
from hermes_tui.model.record import dataclass
from hermes_tui.query import matcher, parse
from hermes_tui.render.clean import clean_for_document

BUDGET = 4_000  # tokens
SMALLEST = 300  # tokens that a pack has at least
AROUND = 6  # messages on either side of a place that are looked at
ENDS = 8  # turns in which the goal and the last answer are looked for
LEAST = 24.0  # tokens of text that are worth an excerpt
GOAL, TALK, TOOL = 400.0, 500.0, 160.0  # tokens at first: an end, a neighbour that talks, a tool's output
HITS = 0.6  # the share of the room that what was asked for may take at first


@dataclass(slots=True)
class _Candidate:
    """A message that may have a place in the pack, and as much of it as has room so far."""

    message: Message
    anchor: Anchor
    place: int
    label: str
    distance: int
    body: str
    spans: list[tuple[int, int]]
    text: str = ""
    left_out: int = 0
    spent: float = 0.0

    @property
    def least(self) -> float:
        """Tokens below which it is not worth its heading."""
        return self._lead + min(LEAST, cost_of_text(self.body[:200]))

    @property
    def usual(self) -> float:
        """Tokens that a neighbour takes at most at first."""
        return TOOL if self.message.kind is Kind.TOOL else TALK

    @property
    def _lead(self) -> float:
        return cost_of_lead(self.message, self.anchor, self.label)

    def fit(self, room: float) -> float:
        """Take up to `room` tokens, what it has already included; how many more it took."""
        before = self.spent
        if room < self.least:
            return 0.0
        made = cut(self.body, room - self._lead, self.spans, cost=cost_of_text)
        if not made.text and self.body:
            return 0.0
        self.text, self.left_out = made
        self.spent = self._lead + cost_of_text(made.text)
        return self.spent - before


@dataclass(slots=True)
class _Story:
    """One conversation and its candidates."""

    chapter: Chapter
    rows: int
    candidates: list[_Candidate] = field(default_factory=list)

    @property
    def began(self) -> float | None:
        return self.chapter.segments[0].started_at


def pack(
    stores: Stores,
    anchors: Sequence[Anchor],
    *,
    query: str = "",
    mode: Mode = PLAIN,
    budget: int = BUDGET,
    around: int = AROUND,
    keep_secrets: bool = False,
    more_hits: int = 0,
    ticket: Ticket | None = None,
) -> Pack:
    """The pack for these places, the most important first; `query` is what found them, if anything did.

    A session without a message stands for its beginning and its end. Raises NotFound, StoreError and Cancelled.
    """
    masker = Masker(keep=keep_secrets)
    budget = max(budget, SMALLEST)
    stories = [
        _story(chapter, masker, query, mode, around, ticket) for chapter in material_of(stores, anchors, ticket=ticket)
    ]
    order = {(anchor.profile, anchor.message_id): number for number, anchor in reversed(list(enumerate(anchors)))}
    stories, hits = _filled(stories, budget, order)
    placed = [candidate for story in stories for candidate in story.candidates if candidate.spent]
    everyone = sum(len(story.candidates) for story in stories)
    return Pack(
        parts=tuple(_part(story, masker) for story in stories),
        budget=budget,
        hits=hits,
        messages=everyone - len(placed),
        characters=sum(candidate.left_out for candidate in placed),
        more_hits=more_hits,
        masked=dict(masker.found),
    )


def _filled(
    stories: list[_Story], budget: int, order: dict[tuple[str | None, int | None], int]
) -> tuple[list[_Story], int]:
    """The conversations that have room, with excerpts in them; and how many places have none."""
    room = budget - FRAME
    kept: list[_Story] = []
    for story in stories:
        head = cost_of_head(story.chapter.session, story.began, story.rows)
        least = min((each.least for each in story.candidates), default=0.0)
        if kept and head + least > room / 2:
            break
        kept.append(story)
        room -= head
    hits = [each for story in kept for each in story.candidates if each.label.startswith("→")]
    hits.sort(key=lambda each: order.get((each.anchor.profile, each.anchor.message_id), len(order)))
    lost = sum(each.label.startswith("→") for story in stories[len(kept) :] for each in story.candidates)
    share = room * HITS
    for number, each in enumerate(hits):
        taken = each.fit(min(room, max(each.least + 1, share / (len(hits) - number))))
        room, share = room - taken, share - taken
    ends = [each for story in kept for each in story.candidates if each.label and not each.spent]
    ends = [each for each in ends if not each.label.startswith("→")]
    for number, each in enumerate(ends):
        room -= each.fit(min(GOAL, room / 2 / (len(ends) - number)))
    others = [each for story in kept for each in story.candidates if not each.label]
    others.sort(key=lambda each: each.distance)
    for each in others:
        room -= each.fit(min(each.usual, room))
    for each in (*hits, *ends, *others):
        if each.left_out or not each.spent:
            room -= each.fit(each.spent + room)
    return kept, lost + sum(not each.spent for each in hits)


def _part(story: _Story, masker: Masker) -> Part:
    found = sorted((each for each in story.candidates if each.spent), key=lambda each: each.place)
    return Part(
        session=masker.session(story.chapter.session),
        began=story.began,
        rows=story.rows,
        excerpts=tuple(
            Excerpt(each.message, each.anchor, each.place, each.text, each.left_out, each.label) for each in found
        ),
    )


def _story(chapter: Chapter, masker: Masker, query: str, mode: Mode, around: int, ticket: Ticket | None) -> _Story:
    rows = chapter.rows
    places = {row.id: number for number, row in enumerate(rows)}
    goal = _end(chapter, rows, "user", ticket)
    last = _end(chapter, rows[::-1], "assistant", ticket)
    near = _near(rows, sorted(places[message] for message in chapter.marked), around)
    for end in (goal, last):
        if end is not None:
            near.setdefault(places[end], 0)
    spans_of = matcher(parse(query, mode=mode)).spans if query else None
    story = _Story(chapter, len(rows))
    for stored in read(chapter.library, [rows[number] for number in sorted(near)], ticket=ticket):
        message = masker.message(stored)
        label = "→ " if message.id in chapter.marked else ""
        label += "Goal: " if message.id == goal else "Last answer: " if message.id == last else ""
        body = body_of(message)
        spans = spans_of(body) if spans_of else []
        if label.startswith("→") and message.reasoning.strip() and (not body or (spans_of and not spans)):
            body = f"{body}\n(reasoning) {clean_for_document(message.reasoning)}".strip("\n")
            spans = spans_of(body) if spans_of else []
        if body or label:
            place = places[message.id]
            story.candidates.append(
                _Candidate(message, chapter.anchor(message), place, label, near[place], body or "(no text)", spans)
            )
    return story


def _near(rows: Sequence[OutlineRow], marked: Sequence[int], around: int) -> dict[int, int]:
    """The rows that may be in the pack, each with how far it is from what was asked for."""
    if not marked:  # a session by itself: from both its ends inwards
        ends = [(number, number) for number in range(min(around, len(rows)))]
        ends += [(len(rows) - 1 - number, number) for number in range(min(around, len(rows)))]
        return _nearest(ends)
    return _nearest(
        (number, abs(number - place))
        for place in marked
        for number in range(max(0, place - around), min(len(rows), place + around + 1))
    )


def _nearest(found: Iterable[tuple[int, int]]) -> dict[int, int]:
    near: dict[int, int] = {}
    for number, distance in found:
        near[number] = min(distance, near.get(number, distance))
    return near


def _end(chapter: Chapter, rows: Sequence[OutlineRow], role: str, ticket: Ticket | None) -> int | None:
    """The first of `rows` in which somebody of that role says something."""
    turns = [row for row in rows if row.kind is Kind.TURN and row.role == role][:ENDS]
    found = read(chapter.library, turns, ticket=ticket)
    return next((message.id for message in found if message.text.strip()), None)
