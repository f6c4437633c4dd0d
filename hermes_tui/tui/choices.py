"""What filters there are to choose from, how a typed word narrows them, and how one is put into a query."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from textual.fuzzy import Matcher

from hermes_tui.model import Filtered, Mode, State
from hermes_tui.model.record import dataclass
from hermes_tui.query import Field, parse
from hermes_tui.render import count

FACETED = (Field.SOURCE, Field.MODEL, Field.TOOL, Field.ROLE, Field.CWD, Field.PROFILE, Field.IS)
"""Fields whose values are those that the store holds."""
FIXED: Mapping[Field, tuple[str, ...]] = {
    Field.ON: ("today", "yesterday", "this-week", "this-month", "last-month"),
    Field.AFTER: ("7d", "30d", "1y"),
    Field.IN: ("text", "tools", "reasoning", "titles"),
}
"""Fields whose values are known beforehand."""
FREE = (Field.ON, Field.BEFORE, Field.TITLE, Field.SESSION)
"""Fields that take what the reader types."""
ACTIVE = "In the query now: Enter removes"
HEADINGS = {
    Field.SOURCE: "Source",
    Field.MODEL: "Model",
    Field.TOOL: "Tool",
    Field.ROLE: "Role",
    Field.CWD: "Folder",
    Field.PROFILE: "Profile",
    Field.ON: "Date",
    Field.AFTER: "Since",
    Field.IS: "State",
    Field.IN: "Part of the message",
}
TO_TYPE = "To be typed"

Facets = Mapping[Field, Sequence[tuple[str, int]]]
"""Values of a field in the store with how many sessions or messages each has."""


@dataclass(frozen=True, slots=True)
class Choice:
    """One row: the filter `text` under a `heading`. `without` is the query without it, where it stands already;
    `unfinished` says that a value is still to be typed behind it."""

    heading: str
    text: str
    about: str = ""
    without: str | None = None
    unfinished: bool = False


def choices(filters: Iterable[Filtered], facets: Facets) -> list[Choice]:
    """Everything there is to choose, what stands in the query first."""
    rows = [Choice(ACTIVE, one.text, without=one.without) for one in filters]
    for field in FACETED:
        held = facets.get(field, ())
        if field is Field.PROFILE and len(held) < 2:
            continue  # there is nothing to tell apart
        for value, many in held:
            unit = "message" if field in (Field.TOOL, Field.ROLE) or value in tuple(State) else "session"
            rows.append(Choice(HEADINGS[field], f"{field.value}:{quoted(value)}", count(many, unit)))
    for field, values in FIXED.items():
        rows += [Choice(HEADINGS[field], f"{field.value}:{value}") for value in values]
    rows += [Choice(TO_TYPE, f"{field.value}:", "…", unfinished=True) for field in FREE]
    return rows


def narrowed(rows: Sequence[Choice], typed: str) -> list[Choice]:
    """The rows that are like what was typed; a leading `-` asks for their negation.

    Those under one heading stay together, and the headings come by the row that is most alike. Where no row holds the
    word, those under a heading that begins so are offered, else those that hold its letters in their order.
    """
    negated = typed.startswith("-")
    word = typed.lstrip("-").strip()
    if negated:
        rows = [_negated(row) for row in rows if row.without is None]
    if not word:
        return list(rows)
    scored = [(float(likeness(row.text, word)), row) for row in rows]
    if not any(score for score, _ in scored):
        scored = [(float(row.heading.casefold().startswith(word.casefold())), row) for row in rows]
    if not any(score for score, _ in scored):
        matcher = Matcher(word)
        scored = [(matcher.match(row.text), row) for row in rows]
    best: dict[str, float] = {}
    for score, row in scored:
        best[row.heading] = max(score, best.get(row.heading, 0.0))
    turn = {heading: at for at, heading in enumerate(best)}
    scored.sort(key=lambda pair: (-best[pair[1].heading], turn[pair[1].heading], -pair[0]))
    return [row for score, row in scored if score > 0]


def likeness(text: str, word: str) -> int:
    """How well a filter answers to a word: 5 when it or its value is the word, 4 when one begins so, 3 for the word
    inside the value, 2 for the beginning of a word inside, 1 for the letters anywhere in it, 0 for none of these."""
    text, word = text.casefold().lstrip("-").replace('"', ""), word.casefold()
    value = text.partition(":")[2]
    if word in (text, value):
        return 5
    if text.startswith(word) or value.startswith(word):
        return 4
    begins = [found.start() for found in re.finditer(rf"(?<!\w){re.escape(word)}", value)]
    if any(re.match(r"\W|$", value[begin + len(word) :]) for begin in begins):
        return 3
    return 2 if begins else int(word in value)


def _negated(row: Choice) -> Choice:
    return Choice(row.heading, f"-{row.text}", row.about, unfinished=row.unfinished)


def quoted(value: str) -> str:
    """A value as it is typed: in quotes where it holds a blank or a comma. Quotes inside it cannot be typed."""
    value = value.replace('"', "")
    return f'"{value}"' if re.search(r"[\s,]", value) or not value else value


def added(text: str, wanted: str, mode: Mode) -> str:
    """The query with the filter `wanted` in it: a second value of a field joins the first, as an alternative."""
    field, _, value = wanted.partition(":")
    for one in parse(text, mode=mode).filters:
        if one.text == wanted:
            return text
        if not one.negated and one.field.value == field and one.field in FACETED and one.field is not Field.IS:
            end = one.start + len(one.text)
            return f"{text[:end]},{value}{text[end:]}"
    return f"{text.rstrip()} {wanted}".lstrip()


def unfinished(text: str) -> tuple[Field, str] | None:
    """The field and the beginning of the value that are being typed at the end of a query; None when it is no filter
    whose values are known."""
    found = re.search(r'(?:^|\s)-?([a-z]+):(?:[^\s"]*,)?([^\s",]*)$', text)
    if found is None or found[1] not in {*(field.value for field in FACETED), *(field.value for field in FIXED)}:
        return None
    return Field(found[1]), found[2]


def completed(text: str, values: Iterable[str]) -> str | None:
    """The query with the value at its end completed to the first of `values` that begins so; None when none does."""
    begun = unfinished(text)
    if begun is None:
        return None
    typed = begun[1]
    for value in values:
        if quoted(value) == value and len(value) > len(typed) and value.casefold().startswith(typed.casefold()):
            return text + value[len(typed) :]
    return None
