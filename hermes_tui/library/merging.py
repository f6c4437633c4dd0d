"""Answers of several stores -> one answer. Pure.

What is said of the answer (notes, counts, what was left out) stays true of all: numbers are summed, and a note that is
not true of every store names those it is about.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from typing import TypeVar

from hermes_tui.model import (
    Anchor,
    Answer,
    Coverage,
    Filtered,
    Hit,
    PlanStep,
    Route,
    Session,
    SessionList,
    Transcript,
    WayOut,
    Window,
)
from hermes_tui.store.connection import StoreError

Name = str | None
Part = TypeVar("Part")
CUT = "stopped at the "
"""How the note of a store begins that has more hits than were asked for."""


def given(rows: Iterable[Session], name: Name) -> tuple[Session, ...]:
    """The same rows with the name of their store."""
    return tuple(row._replace(profile=name) for row in rows)


def lists(
    parts: Mapping[Name, SessionList], errors: Mapping[Name, StoreError], *, limit: int | None = None
) -> SessionList:
    """The rows of all by last activity; each part comes in that order."""
    rows = sorted(chain.from_iterable(part.rows for part in parts.values()), key=_activity)
    cut = tuple(rows[:limit])
    return SessionList(
        rows=cut,
        hidden=summed(part.hidden for part in parts.values()),
        truncated=len(cut) < len(rows) or any(part.truncated for part in parts.values()),
        total=sum(part.total for part in parts.values()),
        of=sum(part.of for part in parts.values()),
        notes=(*said({name: part.notes for name, part in parts.items()}), *failures(errors)),
    )


def _activity(row: Session) -> tuple[float, str, str]:
    moment = row.last_active_at
    return (1.0 if moment is None else -moment), row.id, row.profile or ""


def summed(counts: Iterable[Mapping[str, int]]) -> dict[str, int]:
    """Counts by name, added up."""
    total: Counter[str] = Counter()
    for part in counts:
        total.update(part)
    return dict(total)


def said(notes: Mapping[Name, Sequence[str]]) -> tuple[str, ...]:
    """The notes of all in the order they come: as they are where every store says so, else behind the names."""
    by_note: dict[str, list[Name]] = {}
    for name, told in notes.items():
        for note in told:
            by_note.setdefault(note, []).append(name)
    return tuple(
        note if len(names) == len(notes) else f"{', '.join(str(name) for name in names)}: {note}"
        for note, names in by_note.items()
    )


def failures(errors: Mapping[Name, StoreError]) -> tuple[str, ...]:
    """A note for each store that did not answer."""
    return tuple(f"{name} did not answer: {error}" for name, error in errors.items())


# Searches.


def answers(
    parts: Mapping[Name, Answer],
    errors: Mapping[Name, StoreError],
    *,
    limit: int,
    complete: bool = True,
    elapsed_ms: float = 0.0,
) -> Answer:
    """One answer of all that is known so far; `parts` is not empty. `limit` counts messages."""
    first = next(iter(parts.values()))
    loose = _only_inside(parts)
    hits = sorted(
        (hit for name, part in parts.items() for hit in _named_hits(part, name, loose=name in loose)),
        key=lambda hit: hit.rank,
    )
    if first.sort == "best":
        from hermes_tui.library.growing import in_turns  # here: one store merges nothing

        hits = in_turns(hits, key=lambda hit: (hit.session.profile, hit.session.conversation or hit.session.id))
    cut = hits[:limit]
    named = _named_sessions(parts, first.query)[:limit]
    totals = [part.total for part in parts.values()]
    return replace(
        first,
        hits=tuple(cut),
        sessions=tuple(named),
        coverage=_coverage(parts, errors, cut),
        hidden=summed(part.hidden for part in parts.values()),
        total=None if not complete or any(total is None for total in totals) else sum(total or 0 for total in totals),
        truncated=len(cut) < len(hits) or any(part.truncated for part in parts.values()),
        elapsed_ms=elapsed_ms,
        complete=complete,
        plan=_steps(parts),
        goto=_goto(parts),
    )


def _only_inside(parts: Mapping[Name, Answer]) -> frozenset[Name]:
    """Stores that hold the words inside other words only, while another holds them whole."""
    from hermes_tui.query import LOOKED_INSIDE

    inside = frozenset(name for name, part in parts.items() if LOOKED_INSIDE in part.coverage.notes)
    return inside if any(part.hits for name, part in parts.items() if name not in inside) else frozenset()


def _named_hits(part: Answer, name: Name, *, loose: bool) -> Iterable[Hit]:
    for hit in part.hits:
        yield replace(
            hit,
            anchor=replace(hit.anchor, profile=name),
            session=hit.session if hit.session.profile == name else hit.session._replace(profile=name),
            rank=(float(loose), *hit.rank),
        )


def _named_sessions(parts: Mapping[Name, Answer], text: str) -> list[Session]:
    found = [row._replace(profile=name) for name, part in parts.items() for row in part.sessions]
    wanted = text.strip().casefold()
    return sorted(found, key=lambda row: (_likeness(row, wanted), *_activity(row)))


def _likeness(row: Session, wanted: str) -> int:
    """0 for a session called so, 1 for a beginning, 2 for anything else."""
    names = [(row.title or "").strip().casefold(), row.id.casefold()]
    if not wanted:
        return 0
    return 0 if wanted in names else 1 if any(name.startswith(wanted) for name in names) else 2


def _coverage(parts: Mapping[Name, Answer], errors: Mapping[Name, StoreError], hits: Sequence[Hit]) -> Coverage:
    from hermes_tui.library.growing import NOT_INSIDE

    routes = Counter(hit.route for hit in hits)
    covered = {name: part.coverage for name, part in parts.items()}
    found = any(part.hits for part in parts.values())
    notes = {
        # That a word is nowhere, not inside others either, is worth a word only where no store has it.
        name: [note for note in part.notes if not (found and note == NOT_INSIDE)]
        for name, part in covered.items()
    }
    doing = [f"{name}: {part.scanning}" for name, part in covered.items() if part.scanning]
    cut = [note for told in notes.values() for note in told if note.startswith(CUT)]
    kept = {name: [note for note in told if not note.startswith(CUT)] for name, told in notes.items()}
    return Coverage(
        messages=sum(part.messages for part in covered.values()),
        searched=sum(part.searched for part in covered.values()),
        word=routes[Route.WORD],
        trigram=routes[Route.TRIGRAM],
        scan=routes[Route.SCAN],
        notes=(*said(kept), *cut[:1], *failures(errors)),
        scanning=doing[0] if doing else None,
    )


def _steps(parts: Mapping[Name, Answer]) -> tuple[PlanStep, ...]:
    """The steps of all; one that not every store takes says in its reason whose it is."""
    by_step: dict[PlanStep, list[Name]] = {}
    for name, part in parts.items():
        for step in dict.fromkeys(part.plan):
            by_step.setdefault(step, []).append(name)
    return tuple(
        step
        if len(names) == len(parts)
        else replace(step, reason=f"{', '.join(str(name) for name in names)}: {step.reason}")
        for step, names in by_step.items()
    )


def _goto(parts: Mapping[Name, Answer]) -> Anchor | None:
    places = [replace(part.goto, profile=name) for name, part in parts.items() if part.goto is not None]
    return places[0] if len(places) == 1 else None


def filters(parts: Iterable[Sequence[Filtered]], *, whole: bool = True) -> tuple[Filtered, ...]:
    """The filters of one question with what they hide in all stores together; uncounted where one did not count. It may
    be more where not every store answered (`whole`)."""
    found: list[Filtered] = []
    for same in zip(*parts, strict=True):
        counts = [part.hides for part in same]
        hides = None if any(many is None for many in counts) else sum(many or 0 for many in counts)
        found.append(replace(same[0], hides=hides, more=not whole or any(part.more for part in same)))
    return tuple(found)


def ways(parts: Iterable[Sequence[WayOut]]) -> tuple[WayOut, ...]:
    """Ways out of all stores, the same question once. Where one change to it finds something in any store, those that
    take several are left out, as they are for one store."""
    from hermes_tui.library.ways import at_last

    together: dict[WayOut, WayOut] = {}
    for way in chain.from_iterable(parts):
        key = replace(way, hits=0, more=False)
        held = together.get(key)
        together[key] = way if held is None else replace(way, hits=held.hits + way.hits, more=held.more or way.more)
    found = tuple(together.values())
    near = tuple(way for way in found if not at_last(way))
    return near or found


def values(parts: Iterable[Sequence[tuple[str, int]]]) -> tuple[tuple[str, int], ...]:
    """Values of a filter field with their counts added up, the most frequent first; fixed words stay in their order."""
    total: dict[str, int] = {}
    for value, many in chain.from_iterable(parts):
        total[value] = total.get(value, 0) + many
    if not any(total.values()):
        return tuple(total.items())
    return tuple(sorted(total.items(), key=lambda pair: (-pair[1], pair[0])))


# What one store answers, under its name.


def transcript(found: Transcript, name: Name) -> Transcript:
    """The transcript with its store's name on its sessions."""
    return replace(
        found,
        session=found.session._replace(profile=name),
        segments=tuple(session._replace(profile=name) for session in found.segments),
    )


def window(found: Window, name: Name) -> Window:
    """The window with its store's name on session and anchor."""
    return replace(
        found,
        session=found.session._replace(profile=name),
        anchor=None if found.anchor is None else replace(found.anchor, profile=name),
    )


def grouped(rows: Iterable[Part], name_of: Callable[[Part], Name]) -> dict[Name, list[Part]]:
    """Things by the store they are of, in their order."""
    found: dict[Name, list[Part]] = {}
    for row in rows:
        found.setdefault(name_of(row), []).append(row)
    return found
