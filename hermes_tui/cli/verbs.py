"""What each verb asks of the library. None of this imports Textual, and none of it prints."""

from __future__ import annotations

from dataclasses import replace

from hermes_tui.cli.grammar import Options
from hermes_tui.library import (
    Library,
    LibraryError,
    StoreError,
    StoreMissing,
    Stores,
    closed_stores,
    none_of,
    places_of,
)
from hermes_tui.model import (
    Answer,
    Case,
    FoundStore,
    Mode,
    SessionList,
    StorePlace,
    StoreReport,
    Unread,
    WayOut,
    Window,
)
from hermes_tui.model.record import dataclass

HITS = 200  # hits in one answer for a program
SCREENFUL = 25  # hits for a person, who would see the first ones scroll away; twice as many sessions, one line each
ALL = 2**31

Value = SessionList | Answer | Window | tuple[StoreReport, ...]


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer and what the stores it came from say of themselves. `many` says that there are several, `profile` is
    that of the only one; `elsewhere` are other stores that a report was not asked about."""

    value: Value
    profile: str | None = None
    many: bool = False
    unread: tuple[Unread, ...] = ()
    elsewhere: tuple[FoundStore, ...] = ()
    badge: str | None = None
    ways_out: tuple[WayOut, ...] = ()  # of an answer without a hit


def places(options: Options) -> tuple[StorePlace, ...]:
    """The stores that WHERE names. Raises StoreMissing when it names one and nothing is there."""
    found = places_of(paths=options.db, profile=options.profile, everything=options.all_profiles)
    if len(found) == 1:
        try:
            found[0].path.stat()
        except (FileNotFoundError, NotADirectoryError):
            raise StoreMissing(
                f"There is no session store at {found[0].path.absolute()}; to look around in a sample store: "
                "hermes-tui demo"
            ) from None
        except OSError:
            pass  # opening it finds better words
    return found


def open_stores(options: Options) -> Stores:
    """The stores that WHERE names. Raises StoreError when none can be read."""
    return Stores.open(places(options))


def ask(options: Options, *, brief: bool) -> Reply:
    """The answer to a verb; `brief` for a person's screen, where no limit was asked for.

    Raises StoreError, LibraryError and Cancelled.
    """
    if options.verb == "doctor":
        return _doctor(options)
    with open_stores(options) as stores:
        ways: tuple[WayOut, ...] = ()
        match options.verb:
            case "sessions":
                value: Value = _sessions(stores, options, brief=brief)
            case "search":
                value, ways = _search(stores, options, brief=brief)
            case _:
                value = _show(stores, options)
        return Reply(
            value,
            profile=None if stores.many else stores.first.profile,
            many=stores.many,
            unread=stores.unread,
            badge=stores.badge,
            ways_out=ways,
        )


def _sessions(stores: Stores, options: Options, *, brief: bool) -> SessionList:
    limit = options.limit or (2 * SCREENFUL if brief else None)
    filters = " ".join(options.text)
    return stores.sessions(everything=options.everything, limit=limit, preview=limit or ALL, filters=filters)


def _search(stores: Stores, options: Options, *, brief: bool) -> tuple[Answer, tuple[WayOut, ...]]:
    """The answer, and where it has no hit, other questions that have one. What filters hide is counted for those who
    ask how the answer came about, and where it is all there is to say."""
    limit = options.limit or (SCREENFUL if brief else HITS)
    text, more = " ".join(options.text), options.everything
    mode = mode_of(options)
    answer = stores.search(text, sort=options.sort, limit=limit, rewound=more, hidden=more, mode=mode)
    if answer.problem is not None:
        raise LibraryError(answer.problem)
    answer = replace(answer, sessions=stores.detailed(answer.sessions))
    ways: tuple[WayOut, ...] = ()
    if answer.filters and (options.explain or not answer.hits):
        answer = replace(answer, filters=stores.hides(text, rewound=more, hidden=more, mode=mode))
    if (answer.plan or answer.filters) and not answer.hits:
        others = closed_stores(stores)
        ways = stores.ways_out(text, rewound=more, hidden=more, mode=mode, others=others)
    return answer, ways


def mode_of(options: Options) -> Mode:
    """How TEXT is understood."""
    case = Case.EXACT if options.case else Case.FOLD
    return Mode(case=case, regex=options.regex, reasoning=options.reasoning)


def _show(stores: Stores, options: Options) -> Window:
    anchor = stores.resolve(options.anchor or "")
    return stores.window(anchor, size=options.window, everything=options.everything)


def _doctor(options: Options) -> Reply:
    """Not by way of open libraries: the proof of no touch begins before the first connection."""
    asked = places(options)
    reports: list[StoreReport] = []
    errors: dict[StorePlace, StoreError] = {}
    for place in asked:
        try:
            reports.append(Library(place.path, profile=place.name).report())
        except StoreError as error:
            errors[place] = error
    if not reports:
        raise none_of(errors)
    unread = tuple(Unread(place.path, place.name, str(error)) for place, error in errors.items())
    examined = {place.path.resolve() for place in asked}
    from hermes_tui.library import leads, survey

    found = () if options.db else survey(leads(asked))
    elsewhere = tuple(store for store in found if store.place.path.resolve() not in examined)
    return Reply(tuple(reports), many=len(asked) > 1, unread=unread, elsewhere=elsewhere)
