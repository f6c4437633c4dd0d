"""Brute force: what the promises S3 to S6 and S8 say a search finds, by reading every row with code of its own.

Shares the decoding of rows with the product (which has tests of its own) and nothing of the planning, folding or
matching: an error in those shows as a difference.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from hermes_tui.model import Case, Kind, Message, State
from hermes_tui.query import Query, Term, TermKind
from hermes_tui.store.decode import message_fields

_CODES = re.compile("\x1b\\[[0-9;?]*[A-Za-z]")


def _blanked(text: str) -> str:
    return _CODES.sub(lambda found: " " * len(found[0]), text)


@lru_cache(maxsize=4096)
def _plain(text: str, *, fold: bool, accents: bool) -> str:
    """Composed, small, and without Latin accents, one character at a time."""
    out = []
    for char in unicodedata.normalize("NFC", text):
        if accents and unicodedata.combining(char) and "\u0300" <= char <= "\u036f":
            continue
        if accents:
            base = unicodedata.normalize("NFD", char)[0]
            char = base if base in "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ" else char
        if fold:
            small = char.lower()
            char = {"ς": "σ", "ß": "ss"}.get(small, small if len(small) == 1 else char)
        out.append(char)
    return "".join(out)


def _letter(char: str) -> bool:
    """Part of a word of a script that separates words."""
    if any(
        low <= char <= high
        for low, high in (("\u0e00", "\u0e7f"), ("\u3040", "\u30ff"), ("\u4e00", "\u9fff"), ("\uac00", "\ud7a3"))
    ):
        return False
    return unicodedata.category(char)[0] in "LNM"


def holds(term: Term, text: str, case: Case) -> bool:
    """Whether one text holds one term."""
    fold, accents = case is Case.FOLD, term.kind in (TermKind.WORD, TermKind.PART)
    needle = _plain(term.text, fold=fold, accents=accents)
    hay = _plain(_blanked(text), fold=fold, accents=accents)
    if term.kind is TermKind.PHRASE:
        return " ".join(needle.split()) in " ".join(hay.split()) if needle == needle.strip() else needle in hay
    if term.kind is not TermKind.WORD:
        return needle in hay
    start = hay.find(needle)
    while start >= 0:
        before, after = hay[max(0, start - 1) : start], hay[start + len(needle) : start + len(needle) + 1]
        if (not before or not _letter(before)) and (term.prefix or not after or not _letter(after)):
            return True
        start = hay.find(needle, start + 1)
    return False


def matches(query: Query, message: Message) -> bool:
    """Whether a message matches: some clause with every wanted term in some field, and no unwanted one in any."""
    fields = message_fields(message)

    def held(term: Term) -> bool:
        return any(holds(term, field, query.case) for field in fields)

    return any(
        all(held(term) for term in clause.wanted) and not any(held(term) for term in clause.unwanted)
        for clause in query.clauses
    )


@dataclass(frozen=True, slots=True)
class Expected:
    """Ids of the messages that are shown, and how many are left out."""

    shown: frozenset[int]
    rewound: int


def expected(query: Query, messages: Iterable[Message]) -> Expected:
    """The answer: words where any row holds them, else the same words inside words."""
    rows = list(messages)
    found = [message for message in rows if matches(query, message)]
    if not found:
        loose = query.inside_words()
        found = [message for message in rows if matches(loose, message)]
    shown = {m.id for m in found if m.state is not State.REWOUND and m.kind is not Kind.HIDDEN}
    return Expected(frozenset(shown), sum(1 for m in found if m.state is State.REWOUND))
