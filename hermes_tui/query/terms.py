"""The parts of a question: terms, the clauses they form, filters, and the query that holds them."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import replace
from enum import StrEnum
from typing import TYPE_CHECKING

from hermes_tui.model import Case, Region
from hermes_tui.model.record import dataclass
from hermes_tui.query.filters import Filter

if TYPE_CHECKING:
    from hermes_tui.query.regexp import Expression

# Scripts written without spaces between words. Inside them any part of a run can be a word, so any part matches.
SPACELESS_RANGES = (
    "\u0e00-\u0eff"  # Thai, Lao
    "\u0f00-\u0fff\u1000-\u109f\u1780-\u17ff"  # Tibetan, Myanmar, Khmer
    "\u1100-\u11ff\u3130-\u318f\ua960-\ua97f\uac00-\ud7ff"  # Hangul
    "\u2e80-\u2fdf\u3005-\u3007\u3021-\u3029\u3038-\u303b"  # radicals, iteration marks
    "\u3041-\u3096\u3099-\u30ff\u31f0-\u31ff\uff66-\uffdc"  # kana, half width kana and Hangul
    "\u3100-\u312f\u31a0-\u31bf\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"  # Bopomofo, Han
    "\U0001b000-\U0001b16f\U00020000-\U0003ffff"
)
_SPACELESS = re.compile(f"[{SPACELESS_RANGES}]")


def is_spaceless(text: str) -> bool:
    """Whether any character of `text` belongs to a script written without spaces."""
    return not text.isascii() and _SPACELESS.search(text) is not None


def is_word_char(char: str) -> bool:
    """Whether `char` is part of a word: a letter, a number, a mark on one, or private use (as unicode61 has it)."""
    return char.isalnum() or (not char.isascii() and unicodedata.category(char) in _WORD_CATEGORIES)


_WORD_CATEGORIES = frozenset({"Mn", "Mc", "Me", "Co"})


class TermKind(StrEnum):
    """How a term is compared with text."""

    WORD = "word"  # letters and digits: a whole word, without regard to case or accents
    PART = "part"  # any part of a word, without regard to case or accents
    CODE = "code"  # an exact substring
    PHRASE = "phrase"  # what stood in quotes: an exact substring, any white space for a blank


@dataclass(frozen=True, slots=True)
class Term:
    """One thing to look for. `prefix` lets a WORD match the beginning of a longer word."""

    text: str
    kind: TermKind
    prefix: bool = False


@dataclass(frozen=True, slots=True)
class Clause:
    """A message matches when it holds every `wanted` term and no `unwanted` one."""

    wanted: tuple[Term, ...]
    unwanted: tuple[Term, ...] = ()


USUAL_REGIONS = frozenset({Region.TEXT, Region.TOOLS})


@dataclass(frozen=True, slots=True)
class Query:
    """What was typed, understood. A message matches when it passes every filter and matches any clause.

    `words` is what was typed without its filters; titles and ids are looked up by it, when `titles`. `regions` are the
    parts of a message that are looked into. With a `pattern` that is what has to match, and `clauses` only say what
    every match holds (none: nothing is known). `notes` are sentences about the text for people; `problem` is one that
    says why it cannot be searched for at all.
    """

    text: str
    clauses: tuple[Clause, ...] = ()
    case: Case = Case.FOLD
    words: str = ""
    filters: tuple[Filter, ...] = ()
    regions: frozenset[Region] = USUAL_REGIONS
    titles: bool = True
    pattern: Expression | None = None
    notes: tuple[str, ...] = ()
    problem: str | None = None

    @property
    def empty(self) -> bool:
        """Nothing to look for: the reader wants recent sessions, not "no results"."""
        return not (self.clauses or self.filters or self.pattern or self.problem)

    def without(self, part: Filter) -> str:
        """The text as it would be without this filter."""
        before, after = self.text[: part.start], self.text[part.start + len(part.text) :]
        return f"{before.rstrip()} {after.lstrip()}".strip()

    @property
    def terms(self) -> tuple[Term, ...]:
        """Every wanted term once, in the order typed."""
        return tuple(dict.fromkeys(term for clause in self.clauses for term in clause.wanted))

    def inside_words(self) -> Query:
        """The same question with words looked for inside words as well."""

        if self.pattern is not None:
            return self

        def loosen(term: Term) -> Term:
            return replace(term, kind=TermKind.PART, prefix=False) if term.kind is TermKind.WORD else term

        return replace(
            self, clauses=tuple(replace(clause, wanted=tuple(map(loosen, clause.wanted))) for clause in self.clauses)
        )

    def exact(self) -> Query:
        """The same question without the short prefixes: what matches it stands before what only begins so."""

        def whole(term: Term) -> Term:
            return replace(term, prefix=False) if len(term.text) < 3 else term

        return replace(
            self, clauses=tuple(replace(clause, wanted=tuple(map(whole, clause.wanted))) for clause in self.clauses)
        )
