"""Filters: what is typed as `field:value` and narrows a question down instead of being looked for.

A field we do not know is text, and so is a value that makes no sense behind a field we know: then a note says so.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from enum import StrEnum

from hermes_tui.model import Region
from hermes_tui.model.record import dataclass
from hermes_tui.query.dates import edge, on

LARGEST = 64  # values of one filter, and filters of one query, that are read; the rest is noise


class Field(StrEnum):
    """What a filter asks about; the values are what is typed before the colon."""

    SOURCE = "source"
    MODEL = "model"
    ROLE = "role"
    TOOL = "tool"
    SESSION = "session"  # this one session
    CONVERSATION = "conversation"  # every session of the compression chain that holds it
    TITLE = "title"
    PROFILE = "profile"
    CWD = "cwd"
    AFTER = "after"
    BEFORE = "before"
    ON = "on"
    IS = "is"
    IN = "in"


STATES = ("live", "compacted", "rewound")  # is: of messages
FLAGS = ("archived", "pinned", "running", "branch", "child")  # is: of sessions
TITLES = "titles"
PLACES = (*(region.value for region in Region), TITLES)  # in:
OF_SESSIONS = frozenset(
    {Field.SOURCE, Field.MODEL, Field.SESSION, Field.CONVERSATION, Field.TITLE, Field.PROFILE, Field.CWD}
)
PERIODS = frozenset({Field.AFTER, Field.BEFORE, Field.ON})


@dataclass(frozen=True, slots=True)
class Filter:
    """One filter: what passes has one of `values`; with `negated`, none of them.

    `text` is what was typed and `start` where, in code points of the query.
    """

    field: Field
    values: tuple[str, ...]
    negated: bool
    text: str
    start: int = 0

    @property
    def of_sessions(self) -> bool:
        """Whether it asks about the session and not about the message."""
        return self.field in OF_SESSIONS or (self.field is Field.IS and self.values[0] in FLAGS)

    def period(self, now: float) -> tuple[float | None, float | None]:
        """The time that passes a date filter, negation apart: half-open, Unix seconds."""
        date = _CLOCK.sub(r"\1T\2", self.values[0])
        match self.field:
            case Field.AFTER:
                return edge(date, now, after=True), None
            case Field.BEFORE:
                return None, edge(date, now, after=False)
            case _:
                return on(date, now)


_CLOCK = re.compile(r"(\d) +(\d)")  # a date and a time, as people write them
NAMES = "|".join(field.value for field in Field)
PATTERN = re.compile(rf'(-?)({NAMES}):((?:"[^"]*"|[^\s"])+)(?=\s|$)')
"""A filter as typed, at the beginning of a word: sign, field, values."""
_OPEN_QUOTE = re.compile(rf'(-?)({NAMES}):((?:"[^"]*"|[^\s"])*"[^"]*)$')
UNFINISHED = re.compile(rf"-?({NAMES}):$")
"""A filter that has no value yet."""
_VALUES = re.compile(r'((?:"[^"]*"|[^,"])+)')


def read_filter(text: str, start: int) -> tuple[Filter | None, int, str | None]:
    """The filter that begins at `start` of a query, where it ends, and a note when it looks like one but is none.

    Without a filter or a note, the end is `start`; with a note, that of the text that is looked for instead.
    """
    found = PATTERN.match(text, start) or _OPEN_QUOTE.match(text, start)
    if found is None:
        return None, start, None
    sign, name, given = found.groups()
    if given.count('"') % 2:
        given += '"'  # still being typed
    field = Field(name)
    values = tuple(value for part in _VALUES.findall(given)[:LARGEST] if (value := part.replace('"', "").strip()))
    if not values:
        return None, start, None
    if field in (Field.IS, Field.IN):
        values = tuple(value.lower() for value in values)
    problem = _problem(field, values)
    if problem is not None:
        return None, found.end(), f"{found[0]} is no filter ({problem}): looked for as text"
    return Filter(field, values, bool(sign), found[0], start), found.end(), None


def _problem(field: Field, values: tuple[str, ...]) -> str | None:
    """Why these values make no sense, in words; None when they do."""
    match field:
        case Field.AFTER | Field.BEFORE | Field.ON:
            return _date_problem(field, values)
        case Field.IS:
            kinds = {value in FLAGS for value in values}
            if not all(value in (*STATES, *FLAGS) for value in values):
                return f"is: takes {', '.join((*STATES, *FLAGS))}"
            return "is: takes either states of messages or kinds of sessions" if len(kinds) > 1 else None
        case Field.IN:
            return None if all(value in PLACES for value in values) else f"in: takes {', '.join(PLACES)}"
        case _:
            return None


def _date_problem(field: Field, values: tuple[str, ...]) -> str | None:
    if len(values) > 1:
        return "one date at a time"
    try:
        Filter(field, values, negated=False, text="").period(_ANY_TIME)
    except ValueError as error:
        return str(error).rstrip(".")
    return None


_ANY_TIME = 1.0e9  # whether a date makes sense does not depend on when it is read


def regions_of(filters: Sequence[Filter], *, reasoning: bool) -> tuple[frozenset[Region], bool]:
    """Which parts of messages `in:` leaves to look into, and whether titles are looked at; `reasoning` adds that to
    the default."""
    places = {Region.TEXT.value, Region.TOOLS.value, TITLES} | ({Region.REASONING.value} if reasoning else set())
    asked = [part for part in filters if part.field is Field.IN]
    if wanted := [part for part in asked if not part.negated]:
        places = {value for part in wanted for value in part.values}
    for part in asked:
        if part.negated:
            places -= set(part.values)
    return frozenset(region for region in Region if region.value in places), TITLES in places
