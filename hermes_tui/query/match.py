"""The one engine that decides whether a message matches, and marks where.

Whatever found a candidate - word index, trigram index or scan - it is verified here on decoded text, and the same code
makes the snippet and the highlights of the transcript: what matched is what is marked.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from itertools import islice

from hermes_tui.model import Case
from hermes_tui.model.record import dataclass
from hermes_tui.query.fold import Folded, fold, folded_needle
from hermes_tui.query.regexp import PATIENCE, Expression, Searcher, TooSlow
from hermes_tui.query.terms import Query, Term, TermKind, is_spaceless, is_word_char

Span = tuple[int, int]
_Find = Callable[[str], Iterator[Span]]

TYPICAL_CHARS = 600  # what BM25 calls the average document
MAX_COUNT = 30  # occurrences of one term that still say more
MARKING = 0.05  # the patience of a screen
MAX_TIRED = 3  # texts a pattern may fail on before it marks none
MAX_SPANS = 20_000  # marks in one text; a megabyte of one letter is still marked at once


@dataclass(frozen=True, slots=True)
class Excerpt:
    """One line around a match. `spans` are half-open ranges of code points in `snippet`."""

    snippet: str
    spans: tuple[Span, ...]


class Text:
    """One text in the foldings terms ask for, each made once: what several methods of a Matcher look at."""

    __slots__ = ("_views", "original")

    def __init__(self, original: str) -> None:
        self.original = original
        self._views: dict[tuple[bool, bool], Folded] = {}

    def view(self, case: bool, accents: bool) -> Folded:
        """The text in one folding."""
        key = (case, accents)
        view = self._views.get(key)
        if view is None:
            view = self._views[key] = fold(self.original, case=case, accents=accents)
        return view


class _Finder:
    """Finds one term in a text."""

    __slots__ = ("_accents", "_case", "_find", "term")

    def __init__(self, term: Term, case: Case) -> None:
        self.term = term
        self._case = case is Case.FOLD
        self._accents = term.kind in (TermKind.WORD, TermKind.PART)
        needle = folded_needle(term.text, case=self._case, accents=self._accents)
        self._find: _Find
        match term.kind:
            case TermKind.WORD:
                self._find = _word_finder(needle, prefix=term.prefix)
            case TermKind.PHRASE:
                self._find = _phrase_finder(needle)
            case TermKind.PART | TermKind.CODE:
                self._find = _part_finder(needle)

    def found(self, text: Text) -> bool:
        return next(self._find(text.view(self._case, self._accents).text), None) is not None

    def spans(self, text: Text) -> Iterator[Span]:
        view = text.view(self._case, self._accents)
        return (view.back(start, end) for start, end in self._find(view.text))


class _PatternFinder:
    """Finds what a regular expression matches; marks are given up for good when text after text takes too long."""

    __slots__ = ("_patience", "_searcher", "_tired", "term")

    def __init__(self, expression: Expression, patience: float) -> None:
        self.term = Term(expression.text, TermKind.CODE)
        self._searcher = Searcher(expression)
        self._patience = patience
        self._tired = 0

    def found(self, text: Text) -> bool:
        """Raises TooSlow."""
        return self._searcher.found(text.original)

    def spans(self, text: Text) -> Iterator[Span]:
        """Nothing where the pattern gets too slow."""
        if self._tired >= MAX_TIRED:
            return
        try:
            yield from self._searcher.spans(text.original, limit=MAX_SPANS, patience=self._patience)
        except TooSlow:
            self._tired += 1


_Finds = _Finder | _PatternFinder


class Matcher:
    """A query made ready to verify and mark texts. Safe to share between threads.

    `patience` is how many seconds a regular expression may take to mark one text: a screen that waits has less.
    """

    def __init__(self, query: Query, *, patience: float = PATIENCE) -> None:
        self.query = query
        self._clauses: list[tuple[Sequence[_Finds], Sequence[_Finds]]]
        self._wanted: Sequence[_Finds]
        if query.pattern is not None:
            self._wanted = [_PatternFinder(query.pattern, patience)]
            self._clauses = [(self._wanted, ())]
        else:
            self._look_for_terms(query)
        # What a reader looks for first: the longest term says most.
        self._telling = sorted(self._wanted, key=lambda finder: -len(finder.term.text))

    def _look_for_terms(self, query: Query) -> None:
        finders = {
            term: _Finder(term, query.case) for clause in query.clauses for term in (*clause.wanted, *clause.unwanted)
        }
        self._clauses = [
            ([finders[term] for term in clause.wanted], [finders[term] for term in clause.unwanted])
            for clause in query.clauses
        ]
        self._wanted = [finders[term] for term in query.terms]

    def matches(self, fields: Sequence[str | Text]) -> bool:
        """Whether a message with these `fields` matches: each term in some field, each phrase within one.

        Raises TooSlow when a regular expression takes too long to say.
        """
        if not self._clauses:
            return True
        texts = _texts(fields)

        def held(finder: _Finds) -> bool:
            return any(finder.found(text) for text in texts)

        return any(
            all(held(finder) for finder in wanted) and not any(held(finder) for finder in unwanted)
            for wanted, unwanted in self._clauses
        )

    def weight(self, fields: Sequence[str | Text]) -> float:
        """How much a message is about the query, 0 to about 2 a term: BM25's saturation of counts by length.

        Every hit of a conjunction holds every term, so how rare a term is in the store changes no order.
        """
        texts = _texts(fields)
        length = sum(len(text.original) for text in texts) / TYPICAL_CHARS
        total = 0.0
        for finder in self._wanted:
            count = sum(sum(1 for _ in islice(finder.spans(text), MAX_COUNT)) for text in texts)
            total += count * 2.2 / (count + 1.2 * (0.25 + 0.75 * length))
        return total

    def spans(self, text: str) -> list[Span]:
        """Where wanted terms stand in `text`: sorted, merged, half-open ranges of code points."""
        if not self._wanted:
            return []
        views = Text(text)
        found: list[Span] = []
        for finder in self._wanted:
            for span in finder.spans(views):
                found.append(span)
                if len(found) >= MAX_SPANS:
                    break
        return merge(found)

    def excerpt(self, fields: Sequence[str | Text], *, width: int = 160) -> Excerpt:
        """One line of at most about `width` characters around the most telling match, or the beginning."""
        texts = _texts(fields)
        for finder in self._telling:
            for text in texts:
                span = next(finder.spans(text), None)
                if span is not None:
                    return self._around(text.original, span, width)
        first = next((text.original for text in texts if text.original.strip()), "")
        return self._around(first, (0, 0), width)

    def _around(self, text: str, span: Span, width: int) -> Excerpt:
        start, end = _cut(text, span, width)
        # Marks are found with some text on both sides, so that a word cut by the excerpt is not taken for another.
        left = max(0, start - 64)
        spans = [
            (max(a + left, start) - start, min(b + left, end) - start)
            for a, b in self.spans(text[left : end + 64])
            if b + left > start and a + left < end
        ]
        return _one_line(text[start:end], spans, cut_left=start > 0, cut_right=end < len(text))


def _texts(fields: Sequence[str | Text]) -> list[Text]:
    return [field if isinstance(field, Text) else Text(field) for field in fields]


@lru_cache(maxsize=64)
def matcher(query: Query) -> Matcher:
    """The matcher of `query`; the same object for an equal query."""
    return Matcher(query)


def merge(spans: Sequence[Span]) -> list[Span]:
    """Sorted, non-empty, non-overlapping ranges that cover what `spans` cover."""
    merged: list[Span] = []
    for start, end in sorted(span for span in spans if span[1] > span[0]):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged


def _part_finder(needle: str) -> _Find:
    def find(text: str) -> Iterator[Span]:
        position = text.find(needle)
        while position >= 0:
            yield position, position + len(needle)
            position = text.find(needle, position + max(1, len(needle)))

    return find


def _word_finder(needle: str, *, prefix: bool) -> _Find:
    def find(text: str) -> Iterator[Span]:
        position = text.find(needle)
        while position >= 0:
            end = position + len(needle)
            starts = position == 0 or _is_border(text[position - 1])
            if starts and (prefix or end == len(text) or _is_border(text[end])):
                yield position, end
            position = text.find(needle, position + 1)

    return find


def _is_border(char: str) -> bool:
    """Whether a word may end beside `char`: no letter, or one of a script that puts no blank between words."""
    return not is_word_char(char) or is_spaceless(char)


def _phrase_finder(needle: str) -> _Find:
    parts = needle.split()
    if parts == [needle]:
        return _part_finder(needle)
    lead = r"\s" if needle[0].isspace() else ""
    trail = r"\s" if needle[-1].isspace() else ""
    pattern = re.compile(lead + r"\s+".join(re.escape(part) for part in parts) + trail)

    def find(text: str) -> Iterator[Span]:
        return (match.span() for match in pattern.finditer(text))

    return find


def _cut(text: str, span: Span, width: int) -> Span:
    """The range of `text` to show: the match a third of the way in, ends on blanks where one is near."""
    start = max(0, span[0] - width // 3)
    end = min(len(text), max(start + width, span[0] + 1))
    start = max(0, min(start, end - width))
    if start > 0:
        blank = text.find(" ", start, min(start + 16, span[0]))
        start = blank + 1 if blank >= 0 else start
    if end < len(text):
        blank = text.rfind(" ", max(end - 16, span[1]), end)
        end = blank if blank >= 0 else end
    return start, end


def _one_line(text: str, spans: Sequence[Span], *, cut_left: bool, cut_right: bool) -> Excerpt:
    """`text` with every run of white space made one blank, ellipses where it was cut, and `spans` moved along."""
    lead, trail = "\u2026" if cut_left else "", "\u2026" if cut_right else ""
    shrunk: list[tuple[int, int, int]] = []  # runs that become shorter: where, and how many blanks stay
    for run in _BLANKS.finditer(text):
        start, end = run.span()
        shrunk.append((start, end, 0 if start == 0 and not cut_left else 1))

    def moved(place: int) -> int:
        gone = sum(min(place, end) - start - kept for start, end, kept in shrunk if start < place)
        return len(lead) + place - gone

    line = _BLANKS.sub(" ", text)
    if not cut_left:
        line = line.removeprefix(" ")
    marks = [(moved(start), moved(end)) for start, end in spans]
    return Excerpt(f"{lead}{line}{trail}", tuple(merge(marks)))


_BLANKS = re.compile(r"\s{2,}|[^\S ]|\A ")  # white space that is not one blank inside a line
