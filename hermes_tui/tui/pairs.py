"""Calls and the rows that answer them.

An answer stands right below its call as a rule, and then the messages that are here tell how it ended. Where it does
not (somebody spoke meanwhile, or the conversation went on in another session), the store is asked: ids of calls may
come again in another generation, so an answer belongs to the nearest call above it that nothing answered yet.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from hermes_tui.library import Library, Ticket
from hermes_tui.model import Counts, Kind, Message, State, Transcript
from hermes_tui.render import Outcome, outcome, outcomes
from hermes_tui.tui.outline import Outline
from hermes_tui.tui.shelf import Shelf

Outcomes = tuple[Outcome | None, ...]
"""How the calls of a row ended, in their order; None where that is not known."""

Stamp = tuple[str, int, Counts]
"""What tells one reading of a conversation from another, without keeping all of it."""

MOST = 5_000
"""Rows whose answers are remembered."""
LATE = 200
"""Rows between a call and an answer to it that still folds with its card."""
LONGEST = 86_400.0
"""Seconds after which nobody believes that a call is still running."""


class Pairs:
    """What was worked out holds until `forget`, so that asking for every line that is painted costs nothing."""

    def __init__(self, shelf: Shelf) -> None:
        self._shelf = shelf
        self._outcomes: dict[int, Outcomes] = {}
        self._carded: dict[int, bool] = {}
        self._learned: dict[int, tuple[Stamp | None, Outcomes]] = {}
        self._asked: dict[int, Stamp] = {}
        self._unsure: set[int] = set()
        self._last_tool: tuple[Transcript, int] | None = None  # the position of the last answer of all
        self.faults: frozenset[int] = frozenset()
        """Messages of which the store tells that something went wrong."""
        self.clock: Callable[[], float] | None = None

    def forget(self) -> None:
        """Messages came, or other rows are shown."""
        self._outcomes.clear()
        self._carded.clear()

    def clear(self) -> None:
        """Another conversation is shown, whose messages may have the same ids in another store."""
        self._learned.clear()
        self._asked.clear()
        self._unsure.clear()
        self.forget()

    def ask_again(self) -> None:
        """What the store told may be another now; it stands until the store is heard again."""
        self._asked.clear()
        self._learned = {message: (None, found) for message, (_, found) in self._learned.items()}
        self.forget()

    def wanted(self) -> tuple[int, ...]:
        """The rows whose calls the store should be asked about; each is told once."""
        wanted, self._unsure = tuple(sorted(self._unsure)), set()
        return wanted

    def learn(self, transcript: Transcript, found: Mapping[int, Outcomes]) -> None:
        """The store told this of `transcript`."""
        if len(self._learned) > MOST:
            self._learned.clear()
            self._asked.clear()
        stamp = _stamp(transcript)
        self._learned |= {message: (stamp, ended) for message, ended in found.items()}
        self.forget()

    def outcomes(self, outline: Outline, index: int) -> Outcomes:
        """How the calls of row `index` ended; none for a row that makes no calls."""
        row = outline.rows[index]
        if row.role != "assistant":
            return ()
        found = self._outcomes.get(row.id)
        if found is None:
            message = self._shelf.message(row.id)
            found = outcomes(message, self._answers(outline, index), self.faults) if message is not None else ()
            if any(ended is not None and ended.missing for ended in found):
                found = self._looked_for(outline, index, found)
            self._outcomes[row.id] = found
        return found

    def failed(self, message_id: int) -> bool:
        """Whether the store tells of a message that something went wrong."""
        return message_id in self.faults

    def carded(self, outline: Outline, index: int) -> bool:
        """Whether row `index` is a tool's answer whose call is shown on a card above it."""
        row = outline.rows[index]
        if row.kind is not Kind.TOOL:
            return False
        found = self._carded.get(row.id)
        if found is None:
            found = self._carded[row.id] = self._is_carded(outline, index)
        return found

    def results(self, outline: Outline, index: int) -> list[int]:
        """The entries below row `index` that answer its calls, late ones too."""
        if outline.rows[index].kind is Kind.TOOL:
            return []
        near = outline.tools(index)
        return [at for at in near if self.carded(outline, at)] + self._late(outline, index, near)

    def _late(self, outline: Outline, index: int, near: range) -> list[int]:
        """The entries further down than `near` that answer calls of row `index`, of those that are here."""
        told = (self._shelf.message(outline.rows[at].id) for at in near)
        names = self._names(outline, index) - {message.tool_call_id for message in told if message is not None}
        found: list[int] = []
        for at in range(near.stop, min(len(outline), near.stop + LATE)):
            if not names:
                break
            names -= self._names(outline, at)  # what follows answers the later call of that id
            message = self._shelf.message(outline.rows[at].id) if outline.rows[at].kind is Kind.TOOL else None
            if message is not None and message.tool_call_id in names:
                names.discard(message.tool_call_id)
                found.append(at)
        return found

    def _names(self, outline: Outline, index: int) -> set[str | None]:
        """The ids of the calls that row `index` makes, if it is here."""
        message = self._shelf.message(outline.rows[index].id) if outline.rows[index].calls else None
        return set() if message is None else {call.id for call in message.tool_calls if call.id}

    def _looked_for(self, outline: Outline, index: int, found: Outcomes) -> Outcomes:
        """`found` with what is known of calls that nothing right below them answers."""
        row, transcript = outline.rows[index], outline.transcript
        position = outline.read_at(index)
        after = position + 1
        while after < len(transcript.rows) and transcript.rows[after].kind in (Kind.TOOL, Kind.HIDDEN):
            after += 1
        if self._last_answer(transcript) < after:  # nothing further down can be their answer
            running = self._may_run(outline, index, after)
            return tuple(Outcome(running=True) if running and each and each.missing else each for each in found)
        known, learned = self._learned.get(row.id, (None, ()))
        stamp = _stamp(transcript)
        open_still = known != stamp and any(each is None or each.missing for each in learned or (None,))
        if open_still and self._asked.get(row.id) != stamp:
            self._asked[row.id] = stamp
            self._unsure.add(row.id)
        told = learned if len(learned) == len(found) else (None,) * len(found)
        return tuple(
            late if each is not None and each.missing else each for each, late in zip(found, told, strict=True)
        )

    def _last_answer(self, transcript: Transcript) -> int:
        if self._last_tool is None or self._last_tool[0] is not transcript:
            rows = transcript.rows
            last = next((at for at in range(len(rows) - 1, -1, -1) if rows[at].kind is Kind.TOOL), -1)
            self._last_tool = transcript, last
        return self._last_tool[1]

    def _may_run(self, outline: Outline, index: int, after: int) -> bool:
        """Whether the calls of a row may be running: it is live and the last thing of a session that nobody ended."""
        row, transcript = outline.rows[index], outline.transcript
        tip = (transcript.segments or (transcript.session,))[-1]
        if row.state is not State.LIVE or row.session_id != tip.id or tip.ended_at is not None or tip.end_reason:
            return False
        if self.clock is not None and row.timestamp is not None and self.clock() - row.timestamp > LONGEST:
            return False
        behind = (transcript.rows[at] for at in range(after, len(transcript.rows)))
        return all(each.state is State.REWOUND or each.kind is Kind.HIDDEN for each in behind)

    def _is_carded(self, outline: Outline, index: int) -> bool:
        message = self._shelf.message(outline.rows[index].id)
        if message is None or message.tool_call_id is None:
            return False
        above = range(index - 1, max(-1, index - 1 - LATE), -1)
        return any(message.tool_call_id in self._names(outline, at) for at in above)

    def _answers(self, outline: Outline, index: int) -> Iterator[Message | None]:
        """The answers below a call, None for one that is not here or that does not say which call it answers."""
        for message_id in outline.answers(index):
            message = self._shelf.message(message_id)
            yield message if message is not None and message.tool_call_id else None


def _stamp(transcript: Transcript) -> Stamp:
    return transcript.session.id, len(transcript.rows), transcript.counts


def look_up(
    library: Library, transcript: Transcript, ids: Sequence[int], wrong: frozenset[int], ticket: Ticket
) -> dict[int, Outcomes]:
    """How the calls of the rows `ids` ended, as the whole conversation tells; `wrong` are results that tell of a
    failure. Raises StoreError and Cancelled."""
    calling = library.messages(ids, ticket=ticket)
    told = answers_to(library, transcript, calling, ticket)
    found: dict[int, Outcomes] = {}
    for message in calling:
        ended: list[Outcome | None] = []
        for number, call in enumerate(message.tool_calls):
            answer = told.get((message.id, number))
            if answer is not None:
                ended.append(outcome(message, answer, wrong=answer.id in wrong))
            else:
                ended.append(Outcome(missing=True) if call.id else None)
        found[message.id] = tuple(ended)
    return found


def answers_to(
    library: Library, transcript: Transcript, calling: Sequence[Message], ticket: Ticket
) -> dict[tuple[int, int], Message]:
    """What answers the calls of these messages, wherever in the conversation it stands: by the row of a call and its
    number there. Raises StoreError and Cancelled."""
    names = sorted({call.id for message in calling for call in message.tool_calls if call.id})
    if not names:
        return {}
    making, answering = library.calls_and_answers([each.id for each in transcript.segments], names, ticket=ticket)
    order = {row.id: position for position, row in enumerate(transcript.rows)}
    stands = transcript.stands_for
    calls = {stands.get(message, message): each for message, each in making if stands.get(message, message) in order}
    answers = {stands.get(message, message): name for message, (name,) in answering}
    pairs = paired(
        sorted(calls.items(), key=lambda each: order[each[0]]),
        sorted((each for each in answers.items() if each[0] in order), key=lambda each: order[each[0]]),
        order,
    )
    wanted = {
        (message.id, number): answer
        for message in calling
        for number in range(len(message.tool_calls))
        if (answer := pairs.get((stands.get(message.id, message.id), number))) is not None
    }
    told = {message.id: message for message in library.messages(sorted(set(wanted.values())), ticket=ticket)}
    return {call: told[answer] for call, answer in wanted.items() if answer in told}


def paired(
    calls: Sequence[tuple[int, tuple[str | None, ...]]],
    answers: Sequence[tuple[int, str | None]],
    order: Mapping[int, int],
) -> dict[tuple[int, int], int]:
    """Which row answers which call (a row, and the number of the call in it). All are in reading order, which `order`
    tells: each answer belongs to the nearest call above it that goes by its id and has no answer yet."""
    open_calls: dict[str, list[tuple[int, int]]] = {}
    found: dict[tuple[int, int], int] = {}
    waiting = list(calls)
    for answer, name in answers:
        while waiting and order[waiting[0][0]] < order[answer]:
            row, names = waiting.pop(0)
            for number in range(len(names) - 1, -1, -1):  # of two of one row the first is answered first
                if (each := names[number]) is not None:
                    open_calls.setdefault(each, []).append((row, number))
        if name is not None and (held := open_calls.get(name)):
            found[held.pop()] = answer
    return found
