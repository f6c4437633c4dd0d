"""An answer while it is being found: rows become messages, copies fold, hits are put in order and counted."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import TypeVar

from hermes_tui.library.ways import uncounted
from hermes_tui.model import (
    PLAIN,
    Anchor,
    Answer,
    Coverage,
    Hit,
    HitMessage,
    Kind,
    Message,
    Mode,
    PlanStep,
    Route,
    Session,
    State,
)
from hermes_tui.model.record import dataclass
from hermes_tui.query import LOOKED_INSIDE, Field, Plan, Query
from hermes_tui.store.connection import Connection, Ticket
from hermes_tui.store.events import Found, Progress, Slow
from hermes_tui.store.reach import Order
from hermes_tui.store.search import count_messages, count_within
from hermes_tui.store.sessions import AUTOMATION

SORTS = ("best", "newest", "oldest")
RANKED = 1_000  # newest hits that `best` puts in order: ranking every hit of a common word would take seconds
TURN = 20  # hits of one conversation in a row before the others have had as many
HALF_LIFE = 45 * 86_400.0  # seconds after which a hit counts half as much for being old
UNTYPED = AUTOMATION | {"subagent"}  # sources whose hits stand below what people typed
NOT_INSIDE = "no message holds these, not inside words either"
_STATE_RANK = {State.LIVE: 0, State.COMPACTED: 1, State.REWOUND: 2}

Item = TypeVar("Item")
Sessions = Callable[[Sequence[str]], Mapping[str, Session]]
Standing = Callable[[Message], State]
"""The state of the row that stands for a message in its conversation: compaction stores rows again, and the old ones
look as if they had been compacted or taken back."""


@dataclass(frozen=True, slots=True)
class Request:
    """What is asked. `limit` is in messages; `rewound` shows what the user took back as well, `hidden` what only the
    model was meant to read; `mode` is how the text is understood."""

    text: str
    sort: str = "best"
    limit: int = 200
    rewound: bool = False
    hidden: bool = False
    mode: Mode = PLAIN

    @property
    def order(self) -> Order:
        """The direction in which rows are looked at; `best` ranks the newest."""
        return Order.OLDEST if self.sort == "oldest" else Order.NEWEST

    def __post_init__(self) -> None:
        if self.sort not in SORTS:
            raise ValueError(f"sort is one of {', '.join(SORTS)}, not {self.sort!r}")


@dataclass(slots=True)
class _Group:
    """One message as found in any number of rows."""

    best: Found
    rows: int = 1


class Growing:
    """An answer while it is being found."""

    def __init__(
        self,
        request: Request,
        query: Query,
        connection: Connection,
        *,
        sessions: Sessions,
        named: tuple[Session, ...],
        goto: Anchor | None,
        standing: Standing,
        ticket: Ticket,
    ) -> None:
        self.request = request
        self.query = query
        self.ticket = ticket
        self.plan: Plan
        self.spoilt = 0  # ids where the file itself is damaged
        self.slow: Slow | None = None
        self.rewound = request.rewound or wants_rewound(query)
        self._began = time.perf_counter()
        self._connection = connection
        of_states = any(part.field is Field.IS and not part.of_sessions for part in query.filters)
        self._standing = standing if of_states else None
        self._sessions_of = sessions
        self._named = named[: request.limit]
        self._more_named = len(named) > request.limit
        self._goto = goto
        self._messages = count_messages(connection, ticket=ticket)
        self._known: dict[str, Session] = {}
        self._groups: dict[tuple[object, ...], _Group] = {}
        self._notes: dict[str, None] = {}
        self._steps: tuple[PlanStep, ...] = ()
        self._progress: Progress | None = None
        self._edge: int | None = None  # rows beyond it were not looked at

    @property
    def found(self) -> bool:
        """Whether any message matched, shown or hidden."""
        return bool(self._groups)

    @property
    def fresh(self) -> bool:
        """Whether there is something to show before the first row was looked at."""
        return bool(self._named) or self._goto is not None

    def begin(self, the_plan: Plan) -> None:
        """From here on `the_plan` is run."""
        self.plan = the_plan
        self._notes.update(dict.fromkeys(the_plan.notes))
        self._steps += tuple(PlanStep(step.route, step.match, step.reason) for step in the_plan.steps)
        self._progress = None

    def advance(self, progress: Progress) -> None:
        """Note how far the plan is."""
        self._progress = progress
        self._edge = progress.edge if self._edge is None else self._edge

    def expect(self, sessions: Iterable[str]) -> None:
        """Look up these sessions in one go: hits of theirs follow."""
        unknown = sorted(session for session in sessions if session not in self._known)
        if unknown:
            found = self._sessions_of(unknown)
            for session_id in unknown:
                self._known[session_id] = found.get(session_id) or Session(id=session_id, source="unknown")

    def add(self, found: Found) -> None:
        """Take in one row that matches."""
        if self._standing is not None and self._standing(found.message) is not found.message.state:
            return  # a filter asks for a state, and this is an old row of a message in another one
        key = self._key(found.message)
        group = self._groups.get(key)
        if group is None:
            self._groups[key] = _Group(found)
            return
        group.rows += 1
        if _stands_before(found.message, group.best.message):
            group.best = found

    def _key(self, message: Message) -> tuple[object, ...]:
        """What makes two rows one message: the key Hermes itself folds copies by, within one conversation."""
        conversation = self._session(message.session_id).conversation or message.session_id
        return (
            conversation,
            message.role,
            message.timestamp,
            message.text,
            message.tool_call_id,
            message.tool_calls,
            message.tool_name,
        )

    def _session(self, session_id: str) -> Session:
        self.expect([session_id])
        return self._known[session_id]

    def snapshot(self, *, complete: bool) -> Answer:
        """The answer as far as it is known."""
        shown, hidden = self._shown()
        ordered = self._in_turns(sorted(shown, key=self._rank))
        cut = ordered[: self.request.limit]
        stopped = self._edge is not None or len(cut) < len(ordered) or self._more_named
        return Answer(
            query=self.request.text,
            sort=self.request.sort,
            hits=tuple(self._hit(group) for group in cut),
            sessions=self._named,
            coverage=self._coverage(cut, looked_at=len(shown), complete=complete),
            hidden=hidden,
            total=None if self._edge is not None or not complete else len(ordered),
            truncated=stopped,
            elapsed_ms=(time.perf_counter() - self._began) * 1000,
            complete=complete,
            goto=self._goto,
            plan=self._steps,
            mode=self.request.mode,
            filters=uncounted(self.query),
            problem=self.query.problem,
        )

    def _shown(self) -> tuple[list[_Group], dict[str, int]]:
        hidden: Counter[str] = Counter()
        shown: list[_Group] = []
        for group in self._groups.values():
            message = group.best.message
            if message.state is State.REWOUND and not self.rewound:
                hidden["rewound"] += 1
            elif message.kind is Kind.HIDDEN and not self.request.hidden:
                hidden["hidden"] += 1
            else:
                shown.append(group)
        return shown, dict(hidden)

    def _rank(self, group: _Group) -> tuple[float, ...]:
        found = group.best
        message = found.message
        when = message.timestamp or 0.0
        match self.request.sort:
            case "newest":
                return (found.tier, -when, -message.id)
            case "oldest":
                return (found.tier, when, message.id)
            case _:
                return (found.tier, -self._score(found), -when, -message.id)

    def _in_turns(self, ordered: list[_Group]) -> list[_Group]:
        """For `best`, no conversation takes more than TURN places before the others had theirs: one that says a word
        two hundred times would hide all of them."""
        if self.request.sort != "best":
            return ordered
        return in_turns(ordered, key=lambda group: self._session(group.best.message.session_id).conversation)

    def _score(self, found: Found) -> float:
        message = found.message
        session = self._session(message.session_id)
        age = max(0.0, time.time() - (message.timestamp or 0.0))
        recency: float = 0.4 + 0.6 * 0.5 ** (age / HALF_LIFE)
        source = 0.2 if session.source in UNTYPED else 1.0
        role = 0.6 if message.role == "tool" or message.kind is not Kind.TURN else 1.0
        return found.weight * recency * source * role

    def _hit(self, group: _Group) -> Hit:
        found = group.best
        message = found.message
        return Hit(
            anchor=Anchor(message.session_id, message.id),
            snippet=found.snippet,
            spans=found.spans,
            message=HitMessage(
                id=message.id,
                role=message.role,
                tool_name=message.tool_name,
                timestamp=message.timestamp,
                state=message.state,
                copies=group.rows,
                kind=message.kind,
            ),
            session=self._session(message.session_id),
            route=found.route,
            rank=self._rank(group),
        )

    def _coverage(self, hits: Sequence[_Group], *, looked_at: int, complete: bool) -> Coverage:
        routes = Counter(group.best.route for group in hits)
        notes = list(self._notes)
        if complete and not self.found:
            notes = [NOT_INSIDE if note == LOOKED_INSIDE else note for note in notes]
        if self._goto is not None:
            notes.append(f"{self._goto} is a place in this store: it can be opened")
        if self._more_named:
            notes.append(f"the first {len(self._named):,} sessions by title or id; there are more")
        if self.spoilt:  # nobody may go on to say that the history is intact
            notes = [note.replace("history intact; ", "") for note in notes]
            notes.append(f"damaged and unreadable: {_messages(self.spoilt)}; every other message was searched")
        if self.slow is not None:
            notes.append(_slow(self.slow))
        if self._edge is not None and self.request.sort == "best":
            notes.append(f"ranked among the newest {looked_at:,} hits; older ones were not looked at")
        elif self._edge is not None:
            end = "oldest" if self.request.sort == "oldest" else "newest"
            notes.append(f"stopped at the {end} {self.request.limit:,} hits")
        return Coverage(
            messages=self._messages,
            searched=self._searched(complete=complete),
            word=routes[Route.WORD],
            trigram=routes[Route.TRIGRAM],
            scan=routes[Route.SCAN],
            notes=tuple(notes),
            scanning=None if complete or self._progress is None else self._doing(),
        )

    def _searched(self, *, complete: bool) -> int:
        if not complete:
            return int(self._messages * self._part())
        if self.query.problem is not None or (self.slow is not None and self.slow.gave_up):
            return 0
        if self._edge is None:
            return max(0, self._messages - self.spoilt)
        return count_within(self._connection, self._edge, self.request.order, ticket=self.ticket)

    def _part(self) -> float:
        if self._progress is None or not self._progress.steps:
            return 0.0
        return (self._progress.step + self._progress.part) / self._progress.steps

    def _doing(self) -> str:
        progress = self._progress
        return "" if progress is None else f"{progress.doing} {progress.part:.0%}"


def in_turns(ordered: Sequence[Item], *, key: Callable[[Item], Hashable]) -> list[Item]:
    """The same items with no more than TURN of one `key` before the others had as many."""
    taken: Counter[Hashable] = Counter()
    turns: list[int] = []
    for item in ordered:
        of = key(item)
        turns.append(taken[of] // TURN)
        taken[of] += 1
    return [item for _, item in sorted(zip(turns, ordered, strict=True), key=lambda pair: pair[0])]


def _messages(many: int) -> str:
    return "1 message" if many == 1 else f"{many:,} messages"


def _stands_before(one: Message, other: Message) -> bool:
    """Which of two copies is shown: live before compacted before rewound, then the newest."""
    return (_STATE_RANK[one.state], -one.id) < (_STATE_RANK[other.state], -other.id)


def _slow(slow: Slow) -> str:
    if slow.gave_up:
        return f"the pattern takes too long: given up after {_messages(slow.count)}, the rest was not searched"
    return f"the pattern took too long on {_messages(slow.count)}, which may hold it"


def wants_rewound(query: Query) -> bool:
    """Whether a filter asks for what was taken back, so that it has to be shown."""
    return any(part.field is Field.IS and not part.negated and "rewound" in part.values for part in query.filters)
