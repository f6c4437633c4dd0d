"""What each verb asks of the library. None of this imports Textual, and none of it prints."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from hermes_tui.cli.grammar import Options
from hermes_tui.library import Library, LibraryError, StoreMissing, other_stores, store_of
from hermes_tui.model import Answer, Case, Mode, SessionList, StoreReport, WayOut, Window

HITS = 200  # hits in one answer for a program
SCREENFUL = 25  # hits for a person, who would see the first ones scroll away; twice as many sessions, one line each
ALL = 2**31


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer and what the store it came from says of itself."""

    value: SessionList | Answer | Window | StoreReport
    profile: str | None = None
    badge: str | None = None
    ways_out: tuple[WayOut, ...] = ()  # of an answer without a hit


def place_of(options: Options) -> tuple[Path, str | None]:
    """The store that WHERE names, and its profile. Raises StoreMissing when nothing is there."""
    path, profile = store_of(path=options.db[0] if options.db else None, profile=options.profile)
    try:
        path.stat()
    except (FileNotFoundError, NotADirectoryError):
        raise StoreMissing(
            f"There is no session store at {path.absolute()}; to look around in a sample store: hermes-tui demo"
        ) from None
    except OSError:
        return path, profile  # opening it finds better words
    return path, profile


def open_library(options: Options) -> Library:
    """The store that WHERE names. Raises StoreError."""
    path, profile = place_of(options)
    return Library.open(path, profile=profile)


def ask(options: Options, *, brief: bool) -> Reply:
    """The answer to a verb; `brief` for a person's screen, where no limit was asked for.

    Raises StoreError, LibraryError and Cancelled.
    """
    if options.verb == "doctor":
        return Reply(_doctor(options))
    with open_library(options) as library:
        ways: tuple[WayOut, ...] = ()
        match options.verb:
            case "sessions":
                value: SessionList | Answer | Window = _sessions(library, options, brief=brief)
            case "search":
                value, ways = _search(library, options, brief=brief)
            case _:
                value = _show(library, options)
        return Reply(value, profile=library.profile, badge=library.badge, ways_out=ways)


def _sessions(library: Library, options: Options, *, brief: bool) -> SessionList:
    limit = options.limit or (2 * SCREENFUL if brief else None)
    filters = " ".join(options.text)
    return library.sessions(everything=options.everything, limit=limit, preview=limit or ALL, filters=filters)


def _search(library: Library, options: Options, *, brief: bool) -> tuple[Answer, tuple[WayOut, ...]]:
    """The answer, and where it has no hit, other questions that have one. What filters hide is counted for those who
    ask how the answer came about, and where it is all there is to say."""
    limit = options.limit or (SCREENFUL if brief else HITS)
    text, more = " ".join(options.text), options.everything
    mode = mode_of(options)
    answer = library.search(text, sort=options.sort, limit=limit, rewound=more, hidden=more, mode=mode)
    if answer.problem is not None:
        raise LibraryError(answer.problem)
    answer = replace(answer, sessions=library.detailed(answer.sessions))
    ways: tuple[WayOut, ...] = ()
    if answer.filters and (options.explain or not answer.hits):
        answer = replace(answer, filters=library.hides(text, rewound=more, hidden=more, mode=mode))
    if (answer.plan or answer.filters) and not answer.hits:
        others = other_stores(library.path)
        ways = library.ways_out(text, rewound=more, hidden=more, mode=mode, others=others)
    return answer, ways


def mode_of(options: Options) -> Mode:
    """How TEXT is understood."""
    case = Case.EXACT if options.case else Case.FOLD
    return Mode(case=case, regex=options.regex, reasoning=options.reasoning)


def _show(library: Library, options: Options) -> Window:
    anchor = library.resolve(options.anchor or "")
    return library.window(anchor, size=options.window, everything=options.everything)


def _doctor(options: Options) -> StoreReport:
    """Not by way of an open library: the proof of no touch begins before the first connection."""
    path, profile = place_of(options)
    return Library(path, profile=profile).report()
