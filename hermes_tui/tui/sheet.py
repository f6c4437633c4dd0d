"""What the list of conversations shows, worked out away from the event loop: groups, jobs, sub-agents under parents.

`make_sheet` looks at every row once. What the reader folds and unfolds afterwards is spliced together by `lay`, which
only puts lists of rows behind each other, so it costs next to nothing for a hundred thousand.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import field
from operator import attrgetter
from typing import NamedTuple, overload

from hermes_tui.model import Job, Session, SessionKey, SessionKind, SessionList, Status
from hermes_tui.model.record import dataclass
from hermes_tui.tui.columns import Column
from hermes_tui.tui.order import Grouper, Grouping, ListOrder, arranged, tokens


@dataclass(frozen=True, slots=True)
class View:
    """What the reader asks of the list. `filters` are those of the search box, as typed, each with its number."""

    order: ListOrder = ListOrder.ACTIVITY
    grouping: Grouping = Grouping.NONE
    everything: bool = False
    filters: tuple[tuple[int, str], ...] = ()

    def reads_as(self, other: View) -> bool:
        """Whether the same rows of the store are shown."""
        return (self.everything, self.filters) == (other.everything, other.filters)


class Under(NamedTuple):
    """A row that stands under another one: a run of a job, or a sub-agent."""

    session: Session
    depth: int


class Runs(NamedTuple):
    """The row of a job. `sessions` are its runs, newest first."""

    job: Job
    sessions: tuple[Session, ...]
    key: SessionKey


class Folded(NamedTuple):
    """The row of a group that is folded: its name and how many conversations are in it."""

    name: str
    size: int


Row = Session | Under | Runs | Folded


class Group(NamedTuple):
    """Rows that stand together; `size` counts their conversations, also those under a row."""

    name: str
    rows: Sequence[Session | Runs]
    size: int


@dataclass(frozen=True, slots=True)
class Sheet:
    """The list as asked for by `view`. `kids` are sub-agents by the conversation they work for; `empty` counts
    conversations without a message; `present` are the columns that any row has something for."""

    listing: SessionList
    view: View = View()
    groups: tuple[Group, ...] = ()
    kids: Mapping[SessionKey, tuple[Session, ...]] = field(default_factory=dict)
    empty: int = 0
    present: frozenset[Column] = frozenset()


def make_sheet(
    listing: SessionList,
    view: View,
    *,
    sizes: Mapping[SessionKey, int],
    jobs: Iterable[tuple[str | None, Job]],
    now: float,
) -> Sheet:
    """Put the rows of `listing` in order. `jobs` are those of each store, `now` is in Unix seconds."""
    rows = arranged(listing.rows, view.order, sizes)
    kids = _kids(rows)
    nested = {kid.key for some in kids.values() for kid in some}
    states = list(map(attrgetter("status"), rows))
    tops = list(_tops(rows, nested, jobs))
    return Sheet(
        listing=listing,
        view=view,
        groups=_groups(tops, kids, view, now),
        kids=kids,
        empty=states.count(Status.EMPTY),
        present=_present(rows),
    )


def _kids(rows: Iterable[Session]) -> dict[SessionKey, tuple[Session, ...]]:
    """Sub-agents by the row they work for, if that is in the list; those of a loop stay where they are."""
    delegate = SessionKind.DELEGATE
    agents = [row for row in rows if row.kind is delegate and row.parent_id is not None]
    if not agents:
        return {}
    parents = {agent.parent_id for agent in agents}
    owners = {
        (row.profile, segment): row.key
        for row in rows
        for segment in row.segments or (row.id,)
        if segment in parents  # of whichever store: most rows have nothing below them
    }
    above = {agent.key: owners.get((agent.profile, agent.parent_id or "")) for agent in agents}
    kids: dict[SessionKey, list[Session]] = {}
    for agent in agents:
        owner = above[agent.key]
        if owner is not None and not _loops(agent.key, above):
            kids.setdefault(owner, []).append(agent)
    return {owner: tuple(some) for owner, some in kids.items()}


def _loops(key: SessionKey, above: Mapping[SessionKey, SessionKey | None]) -> bool:
    seen = {key}
    at: SessionKey | None = above.get(key)
    while at is not None and at not in seen:
        seen.add(at)
        at = above.get(at)
    return at is not None


def _tops(
    rows: Iterable[Session], nested: Collection[SessionKey], jobs: Iterable[tuple[str | None, Job]]
) -> Iterator[Session | Runs]:
    """Rows under no other one; a job that ran more than once stands where the first of its runs does."""
    job_of = {(profile, run): (profile, job) for profile, job in jobs if len(job.runs) > 1 for run in job.runs}
    if not job_of and not nested:
        yield from rows
        return
    runs = {run for _, run in job_of}
    odd = runs | {session_id for _, session_id in nested}  # all others are told by their id alone
    by_key = {row.key: row for row in rows if row.id in runs}
    told: set[SessionKey] = set()
    for row in rows:
        if row.id not in odd:
            yield row
            continue
        key = row.key
        found = job_of.get(key)
        if found is None:
            if key not in nested:
                yield row
            continue
        profile, job = found
        name = (profile, f"\0{job.source}\0{job.name}\0{job.runs[-1]}")  # the oldest run, since new ones join
        if name not in told:
            told.add(name)
            yield Runs(job, tuple(by_key[profile, run] for run in job.runs if (profile, run) in by_key), name)


def _groups(
    tops: list[Session | Runs], kids: Mapping[SessionKey, tuple[Session, ...]], view: View, now: float
) -> tuple[Group, ...]:
    owners = {session_id for _, session_id in kids}
    if view.grouping is Grouping.NONE:
        return (Group("", tops, _size(tops, kids, owners)),)
    grouper = Grouper(view.grouping, view.order, now)
    found: dict[tuple[str, str], list[Session | Runs]] = defaultdict(list)
    place = grouper.place
    for top in tops:
        found[place(top.sessions[0] if isinstance(top, Runs) else top)].append(top)
    return tuple(Group(name, found[rank, name], _size(found[rank, name], kids, owners)) for rank, name in sorted(found))


def _size(
    tops: Sequence[Session | Runs], kids: Mapping[SessionKey, tuple[Session, ...]], owners: Collection[str]
) -> int:
    """Conversations in these rows and below them; `owners` are the ids of rows that have any below."""
    runs = sum(len(top.sessions) - 1 for top in tops if isinstance(top, Runs))
    if not kids:
        return len(tops) + runs

    def below(key: SessionKey) -> int:
        return sum(1 + below(kid.key) for kid in kids.get(key, ()))

    members = (one for top in tops for one in (top.sessions if isinstance(top, Runs) else (top,)))
    return len(tops) + runs + sum(below(one.key) for one in members if one.id in owners)


def _present(rows: Sequence[Session]) -> frozenset[Column]:
    """Columns that are not blank from top to bottom; several stores have a column when there are several."""
    found = set(Column) - {Column.STORE}
    tests: dict[Column, Sequence[Callable[[Session], object]]] = {
        Column.UNREAD: (attrgetter("unread"),),
        Column.MODEL: (attrgetter("model"),),
        Column.PROJECT: (attrgetter("project"), attrgetter("cwd")),
        Column.BRANCH: (attrgetter("branch"),),
        Column.TOKENS: (tokens,),
    }
    found -= {column for column, each in tests.items() if not any(any(map(has, rows)) for has in each)}
    if all(cost is None for cost in map(attrgetter("cost_usd"), rows)):
        found.discard(Column.COST)
    if len(set(map(attrgetter("profile"), rows))) > 1:
        found.add(Column.STORE)
    return frozenset(found)


# Rows of the screen.


class Firsts(Sequence[int]):
    """The line that each of `count` rows of `height` lines begins at, when a line of heading stands above some."""

    def __init__(self, count: int, height: int, headed: Sequence[int]) -> None:
        self._count, self._height, self._headed = count, height, headed

    def __len__(self) -> int:
        return self._count

    @overload
    def __getitem__(self, row: int) -> int: ...
    @overload
    def __getitem__(self, row: slice) -> list[int]: ...
    def __getitem__(self, row: int | slice) -> int | list[int]:
        if isinstance(row, slice):
            return [self[one] for one in range(*row.indices(self._count))]
        row = row + self._count if row < 0 else row
        if not 0 <= row < self._count:
            raise IndexError(row)
        return row * self._height + bisect_right(self._headed, row)


@dataclass(frozen=True, slots=True)
class Laid:
    """Rows from top to bottom. Above the rows `headed` stands the heading of a group, told by `names` in the same
    order as (name, conversations)."""

    rows: Sequence[Row] = ()
    headed: Sequence[int] = ()
    names: Sequence[tuple[str, int]] = ()

    def firsts(self, height: int) -> Firsts:
        """Where each row begins."""
        return Firsts(len(self.rows), height, self.headed)

    def total(self, height: int) -> int:
        """All lines."""
        return len(self.rows) * height + len(self.headed)


def lay(sheet: Sheet, *, folded: AbstractSet[str], opened: AbstractSet[SessionKey]) -> Laid:
    """The rows with the groups `folded` folded, and what stands under the rows `opened` shown."""
    rows: list[Row] = []
    headed: list[int] = []
    names: list[tuple[str, int]] = []
    for group in sheet.groups:
        if group.name in folded:
            rows.append(Folded(group.name, group.size))
            continue
        if sheet.view.grouping is not Grouping.NONE:
            headed.append(len(rows))
            names.append((group.name, group.size))
        rows.extend(group.rows if not opened else _unfolded(sheet, group.rows, opened))
    return Laid(rows, headed, names)


def _unfolded(sheet: Sheet, rows: Sequence[Session | Runs], opened: AbstractSet[SessionKey]) -> Iterator[Row]:
    """Pieces of `rows` with what is under the opened ones between them: most rows are only copied."""
    ids = {session_id for _, session_id in opened}
    likely = [at for at, row in enumerate(rows) if (row.id if row.__class__ is Session else row.key[1]) in ids]
    start = 0
    for at in likely:
        if row_key(rows[at]) in opened:
            yield from rows[start : at + 1]
            yield from _below(sheet, rows[at], opened, 1)
            start = at + 1
    yield from rows[start:]


def _below(sheet: Sheet, row: Session | Runs, opened: AbstractSet[SessionKey], depth: int) -> Iterator[Under]:
    for one in row.sessions if isinstance(row, Runs) else sheet.kids.get(row.key, ()):
        yield Under(one, depth)
        if one.key in opened:
            yield from _below(sheet, one, opened, depth + 1)


def row_key(row: Row) -> SessionKey:
    """What tells a row from all others of a sheet."""
    match row:
        case Session():
            return row.key
        case Under():
            return row.session.key
        case Runs():
            return row.key
        case Folded():
            return (None, f"\0\0{row.name}")


def session_of(row: Row | None) -> Session | None:
    """The conversation that a row stands for: of a job its newest run, of a folded group none."""
    match row:
        case Session():
            return row
        case Under():
            return row.session
        case Runs():
            return row.sessions[0]
        case _:
            return None
