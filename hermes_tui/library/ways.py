"""Ways out of an answer that has too little (S11): what each filter hides, and what other question finds something.

Every number here was counted by the search itself, with one thing about the question changed. Counting stops at COUNTED
messages: whether there are two hundred or two thousand behind a filter makes no difference to what a person does next.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from hermes_tui.model import Answer, Case, Filtered, Mode, WayOut
from hermes_tui.model.record import dataclass
from hermes_tui.query import Field, Query, TermKind, parse
from hermes_tui.store.connection import StoreError

COUNTED = 200  # messages
ANYWHERE = "anywhere at all"
ALONE = 5  # words of a question that are tried by themselves

Ask = Callable[["Variant"], Answer]


@dataclass(frozen=True, slots=True)
class Variant:
    """A question to count hits of: `text` in `mode`, with rewound and hidden messages or not. `turned` is the number
    of the filter that is turned round, for what it hides."""

    text: str
    mode: Mode
    rewound: bool = False
    hidden: bool = False
    turned: int | None = None


@dataclass(frozen=True, slots=True)
class Try:
    """A variant and what to say of it."""

    reason: str
    variant: Variant


def hidden_by_filters(asked: Variant, ask: Ask) -> tuple[Filtered, ...]:
    """Each filter of a question with how many messages it alone hides. `in:` says where to look, so what it hides is
    what the question finds without it, less what it finds."""
    query = parse(asked.text, mode=asked.mode)
    return tuple(_hidden_by(asked, query, number, ask) for number in range(len(query.filters)))


def _hidden_by(asked: Variant, query: Query, number: int, ask: Ask) -> Filtered:
    part = query.filters[number]
    without = query.without(part)
    if part.field is not Field.IN:
        found = ask(replace(asked, turned=number))
        return Filtered(part.text, without, len(found.hits), found.truncated)
    freed, narrow = ask(replace(asked, text=without)), ask(asked)
    if freed.truncated or narrow.truncated:
        return Filtered(part.text, without, max(0, len(freed.hits) - len(narrow.hits)) or None, more=True)
    return Filtered(part.text, without, max(0, len(freed.hits) - len(narrow.hits)))


def turned(query: Query, number: int) -> Query:
    """`query` with one filter turned round."""
    filters = [
        replace(part, negated=not part.negated) if place == number else part for place, part in enumerate(query.filters)
    ]
    return replace(query, filters=tuple(filters))


def uncounted(query: Query) -> tuple[Filtered, ...]:
    """The filters of a query, of which nobody has counted what they hide."""
    return tuple(Filtered(part.text, query.without(part)) for part in query.filters)


def ways_out(asked: Variant, ask: Ask, *, patterns: bool = True) -> Iterator[WayOut]:
    """Other questions that find something, the most telling first. Where no single change does, several at once.

    Without `patterns` no question is asked that runs a regular expression.
    """
    tried = {asked}
    found = False
    for tries in (_tries, _last_tries):
        for way in _asked((one for one in tries(asked) if patterns or not one.variant.mode.regex), tried, ask):
            found = True
            yield way
        if found:
            return


def _asked(attempts: Iterator[Try], tried: set[Variant], ask: Ask) -> Iterator[WayOut]:
    for attempt in attempts:
        if attempt.variant in tried:
            continue
        tried.add(attempt.variant)
        found = ask(attempt.variant)
        if found.hits:
            variant = attempt.variant
            yield WayOut(
                attempt.reason,
                len(found.hits),
                found.truncated,
                variant.text,
                variant.mode,
                rewound=variant.rewound,
                hidden=variant.hidden,
            )


def elsewhere(
    asked: Variant, stores: Mapping[str, Path], ask: Callable[[str, Path, Variant], Answer]
) -> Iterator[WayOut]:
    """Profiles whose stores hold something. Those that cannot be read are told too, last: nobody knows what they hold,
    and asked by itself one says why."""
    unread: list[str] = []
    for profile, path in stores.items():
        try:
            found = ask(profile, path, asked)
        except StoreError:
            unread.append(profile)
            continue
        if found.hits:
            yield _there(asked, profile, f"in profile {profile}", len(found.hits), more=found.truncated)
    for profile in unread:
        yield _there(asked, profile, f"seen in profile {profile}, which cannot be read", 0)


def _there(asked: Variant, profile: str, reason: str, hits: int, *, more: bool = False) -> WayOut:
    return WayOut(
        reason, hits, more, asked.text, asked.mode, rewound=asked.rewound, hidden=asked.hidden, profile=profile
    )


def _tries(asked: Variant) -> Iterator[Try]:
    query = parse(asked.text, mode=asked.mode)
    for part in query.filters:
        yield Try(f"without {part.text}", replace(asked, text=query.without(part)))
    if len(query.filters) > 1:
        yield Try("without any filter", replace(asked, text=query.words))
    if not asked.rewound:
        yield Try("in turns that were taken back", replace(asked, rewound=True))
    if not asked.hidden:
        yield Try("in messages only the model was shown", replace(asked, hidden=True))
    if not asked.mode.reasoning and not any(part.field is Field.IN for part in query.filters):
        yield Try("in what the model thought", replace(asked, mode=replace(asked.mode, reasoning=True)))
    if asked.mode.case is Case.EXACT:
        yield Try("in capitals or small letters", replace(asked, mode=replace(asked.mode, case=Case.FOLD)))
    if asked.mode.regex:
        yield Try("as plain text", replace(asked, mode=replace(asked.mode, regex=False)))
        return
    yield from _looser(asked, query)


def _last_tries(asked: Variant) -> Iterator[Try]:
    """Everything that is left out by default or by a switch, then each word in all there is."""
    query = parse(asked.text, mode=asked.mode)
    mode = Mode(regex=asked.mode.regex, reasoning=True)
    wide = Variant(query.words, mode, rewound=True, hidden=True)
    yield Try(f"{ANYWHERE}: taken back, hidden, thought, in any case", replace(wide, text=asked.text))
    if query.filters:
        yield Try(f"{ANYWHERE}, without any filter", wide)
    if not asked.mode.regex:
        for word in _written(query)[:ALONE]:
            yield Try(f"with {word} alone, {ANYWHERE}", replace(wide, text=word))


def at_last(way: WayOut) -> bool:
    """Whether a way changes several things about the question, which is tried where no single change helps."""
    return ANYWHERE in way.reason


def _written(query: Query) -> list[str]:
    """The terms of a query as they are typed; what only looks like a filter would be one by itself."""
    written = [f'"{term.text}"' if term.kind is TermKind.PHRASE else term.text for term in query.terms]
    return [word for word in written if not parse(word).filters and not parse(word).notes]


def _looser(asked: Variant, query: Query) -> Iterator[Try]:
    """The same words asked for less strictly: quotes dropped, then each alone, then any of them."""
    filters = " ".join(part.text for part in query.filters)

    def but(words: str) -> Variant:
        return replace(asked, text=f"{words} {filters}".strip())

    if any(term.kind is TermKind.PHRASE for term in query.terms) and not _unbalanced(query):
        yield Try("without the quotes, words in any order", but(query.words.replace('"', " ").strip()))
    written = _written(query)
    if len(query.terms) < 2 or not written:
        return
    yield Try("with any of the words", but(" OR ".join(written)))
    for word in written[:ALONE]:
        yield Try(f"with {word} alone", but(word))


def _unbalanced(query: Query) -> bool:
    return any('"' in term.text for term in query.terms)
