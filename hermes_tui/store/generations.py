"""Where compaction cut a conversation, and how much the model had before and after. Pure: no SQL.

What lies between two cuts is a generation: the rows the model had at one time. Compaction begins the next one with a
summary, and stores what it keeps again beside it, or goes on in a new session that begins like that.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from itertools import pairwise

from hermes_tui.model import Compaction, Kind, OutlineRow, State

Generation = Sequence[OutlineRow]

_COUNTED = (Kind.TURN, Kind.TOOL, Kind.NOTICE)
_GONE = State.REWOUND  # looking up a member of an enumeration costs as much as all the rest that is done with a row


def compactions(
    held: Sequence[Sequence[OutlineRow]], shown: Mapping[int, OutlineRow], repeats: Set[int]
) -> tuple[Compaction, ...]:
    """The cuts in reading order. `held` are the rows of each session by id, none folded; `shown` has the row that
    stands for each folded one, and `repeats` the ids of those that are not the first of their message."""
    generations = [
        (number, generation) for number, rows in enumerate(held) for generation in _generations(rows, repeats)
    ]
    found = []
    for index, ((earlier, old), (later, new)) in enumerate(pairwise(generations), 1):
        had, has = _messages(old, shown), _messages(new, shown)
        following = (row for _, generation in generations[index:] for row in generation)
        first = next((row for row in following if row.id not in repeats), None)
        if first is not None:
            at = shown.get(first.id, first).id
            found.append(Compaction(at, new[0].session_id, len(had), len(had & has), continued=earlier != later))
    return tuple(found)


def _messages(generation: Generation, shown: Mapping[int, OutlineRow]) -> set[int]:
    """The ids that stand for the messages of a generation."""
    stand = [shown[row.id] for row in generation if row.id in shown] if shown else []
    alone = [row for row in generation if row.id not in shown] if shown else generation
    return {row.id for rows in (alone, stand) for row in rows if row.kind in _COUNTED and row.state is not _GONE}


def _generations(rows: Sequence[OutlineRow], repeats: Set[int]) -> list[Generation]:
    """The rows of one session, cut where compaction did."""
    if not rows:
        return []
    starts = {0}
    summary = Kind.SUMMARY
    for index in [index for index, row in enumerate(rows) if row.kind is summary]:
        if rows[index].state is not _GONE and rows[index].id not in repeats:
            while index > 0 and rows[index - 1].id in repeats:
                index -= 1
            starts.add(index)
    last = next((index for index in range(len(rows) - 1, -1, -1) if rows[index].state is State.COMPACTED), None)
    if last is not None:  # a summary that is not there, or not known for one
        live = next((index for index in range(last + 1, len(rows)) if rows[index].state is State.LIVE), None)
        if live is not None and not any(last < start <= live for start in starts):
            starts.add(live)
    kept = [0]
    for start in sorted(starts)[1:]:
        if any(row.kind in (Kind.TURN, Kind.TOOL) and row.id not in repeats for row in rows[kept[-1] : start]):
            kept.append(start)
    return [rows[start:stop] for start, stop in pairwise((*kept, len(rows)))]
