"""What was typed -> Query. Any text is legal; there is no grammar to get wrong.

Filters are taken out first, wherever they stand: they narrow the whole question down. A quote at the beginning of a
word opens a phrase; one that is never closed runs to the end, since it is still being typed. `AND`, `OR` and `NOT` are
operators only between two terms. Everything else is a word or code.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from hermes_tui.model import PLAIN, Mode
from hermes_tui.model.record import dataclass
from hermes_tui.query.filters import UNFINISHED, Filter, read_filter, regions_of
from hermes_tui.query.terms import Clause, Query, Term, TermKind, is_spaceless, is_word_char

MAX_CHARS = 2048  # a pasted file is not a question; what Hermes itself cuts a query to
MAX_TERMS = 32

_OPERATORS = frozenset({"AND", "OR", "NOT"})


@dataclass(frozen=True, slots=True)
class _Token:
    text: str
    quoted: bool = False
    start: int = 0
    end: int = 0
    filter: Filter | None = None

    @property
    def operator(self) -> bool:
        return not self.quoted and self.text in _OPERATORS


def parse(text: str, *, mode: Mode = PLAIN) -> Query:
    """Understand `text`. Never raises: what is not a phrase, a filter or an operator is looked for as it stands."""
    typed = text[:MAX_CHARS]
    if mode.regex:
        return _expression(text, typed, mode)
    notes: list[str] = []
    everything = _tokens(typed, notes)
    tokens, filters = _apart(everything, typed, notes)
    tokens = tokens[:MAX_TERMS]
    unfinished = len(everything) > 1 and tokens and tokens[-1] is everything[-1] and _is_unfinished(tokens[-1])
    if unfinished:
        notes.append(f"{tokens.pop().text} has no value yet; in quotes it is looked for as text")
    if len(tokens) > 1 and tokens[-1].operator and not tokens[-2].operator:
        tokens.pop()
    regions, titles = regions_of(filters, reasoning=mode.reasoning)
    words = " ".join(typed[token.start : token.end] for token in tokens) if filters or unfinished else text.strip()
    return Query(
        text=text,
        clauses=tuple(_clauses(tokens, led=bool(filters))),
        case=mode.case,
        words=words,
        filters=filters,
        regions=regions,
        titles=titles,
        notes=tuple(notes),
    )


def _is_unfinished(token: _Token) -> bool:
    return not token.quoted and UNFINISHED.fullmatch(token.text) is not None


def _expression(text: str, typed: str, mode: Mode) -> Query:
    """`typed` as one regular expression, filters apart."""
    filters: list[Filter] = []
    notes: list[str] = []
    position = 0
    while position < len(typed) and len(filters) < MAX_TERMS:
        if position == 0 or typed[position - 1].isspace():
            part, position, note = read_filter(typed, position)
            filters += [part] if part else []
            notes += [note] if note else []
        position += 1
    from hermes_tui.query.regexp import BadPattern, compile_expression, literals  # few questions are expressions

    words = _left_over(typed, filters)
    regions, titles = regions_of(filters, reasoning=mode.reasoning)
    pattern, problem = None, None
    if words:
        try:
            pattern = compile_expression(words, mode.case)
        except BadPattern as error:
            problem = str(error)
    held = tuple(Term(literal, TermKind.CODE) for literal in literals(words)) if pattern else ()
    return Query(
        text=text,
        clauses=(Clause(held),) if held else (),
        case=mode.case,
        words=words,
        filters=tuple(filters),
        regions=regions,
        titles=titles,
        pattern=pattern,
        notes=tuple(notes),
        problem=problem,
    )


def _left_over(typed: str, filters: Sequence[Filter]) -> str:
    """`typed` without its filters."""
    pieces, position = [], 0
    for part in filters:
        pieces.append(typed[position : part.start].strip())
        position = part.start + len(part.text)
    return " ".join(piece for piece in (*pieces, typed[position:].strip()) if piece)


def _tokens(text: str, notes: list[str]) -> list[_Token]:
    tokens: list[_Token] = []
    position = 0
    while position < len(text):
        if text[position].isspace():
            position += 1
        elif text[position] == '"':
            end = text.find('"', position + 1)
            inside = text[position + 1 :].rstrip() if end < 0 else text[position + 1 : end]
            end = len(text) if end < 0 else end + 1
            if inside.strip():
                tokens.append(_Token(inside, quoted=True, start=position, end=end))
            position = end
        else:
            part, end, note = read_filter(text, position)
            notes += [note] if note else []
            if part is None and note is None:
                match = _BLANK.search(text, position)
                end = match.start() if match else len(text)
            tokens.append(_Token(text[position:end], start=position, end=end, filter=part))
            position = end
    return tokens


_BLANK = re.compile(r"\s")


def _apart(tokens: list[_Token], typed: str, notes: list[str]) -> tuple[list[_Token], tuple[Filter, ...]]:
    """Terms with their operators, and filters. `NOT` right before a filter turns it round; other operators beside one
    say nothing: filters always narrow the whole question down."""
    terms: list[_Token] = []
    filters: list[Filter] = []
    for number, token in enumerate(tokens):
        part = token.filter
        before = tokens[number - 1] if number else None
        if part is None:
            last = number == len(tokens) - 1
            if not terms and before is not None and token.operator and token.text != "NOT" and not last:
                notes += [_idle(before, token)] if token.text == "OR" else []
            else:
                terms.append(token)
            continue
        if number > 1 and before is not None and before.operator and terms and terms[-1] is before:
            terms.pop()
            if before.text == "NOT":
                text = typed[before.start : part.start + len(part.text)]
                part = replace(part, negated=not part.negated, text=text, start=before.start)
            elif before.text == "OR":
                notes.append(_idle(token, before))
        if len(filters) < MAX_TERMS:
            filters.append(part)
    return terms, tuple(filters)


def _idle(part: _Token, joint: _Token) -> str:
    return f"{part.text} narrows the whole search down: {joint.text} beside it says nothing"


def _clauses(tokens: list[_Token], *, led: bool) -> list[Clause]:
    """Terms between `OR`s form a clause; `NOT` turns the term behind it round. `led`: filters stand before them."""
    clauses: list[Clause] = []
    wanted: list[Term] = []
    unwanted: list[Term] = []
    negate = False
    for index, token in enumerate(tokens):
        if _is_operator(tokens, index) or (led and index == 0 and token.text == "NOT" and _is_operand(tokens, 1)):
            if token.text == "OR":
                clauses.append(Clause(tuple(wanted), tuple(unwanted)))
                wanted, unwanted = [], []
            negate = token.text == "NOT"
            continue
        term = _term(token, last=index == len(tokens) - 1 and not negate)
        target = unwanted if negate else wanted
        if term not in target:
            target.append(term)
        negate = False
    if wanted or unwanted:
        clauses.append(Clause(tuple(wanted), tuple(unwanted)))
    return clauses


def _is_operand(tokens: list[_Token], index: int) -> bool:
    return index < len(tokens) and not tokens[index].operator


def _is_operator(tokens: list[_Token], index: int) -> bool:
    """Whether the token stands between two terms (`AND NOT` counts as one operator)."""
    token = tokens[index]
    if not token.operator or index == 0 or index == len(tokens) - 1:
        return False
    before, after = tokens[index - 1], tokens[index + 1]
    if token.text == "NOT" and before.text == "AND" and _is_operator_pair(tokens, index - 1):
        return not after.operator
    if token.text == "AND" and after.text == "NOT" and _is_operator_pair(tokens, index):
        return not before.operator
    return not before.operator and not after.operator


def _is_operator_pair(tokens: list[_Token], index: int) -> bool:
    """Whether `AND NOT` at `index` has a term on both sides."""
    if index == 0 or index + 2 >= len(tokens):
        return False
    pair, outside = tokens[index : index + 2], (tokens[index - 1], tokens[index + 2])
    return all(token.operator for token in pair) and not any(token.operator for token in outside)


def _term(token: _Token, *, last: bool) -> Term:
    # A mark without its letter is no text of its own: it would be taken for part of the letter before it.
    text = token.text.lstrip(_MARKS) or token.text
    if token.quoted:
        return Term(text, TermKind.PHRASE)
    if text[0] in _MARKS or not all(is_word_char(char) for char in text):
        return Term(text, TermKind.CODE)
    if is_spaceless(text):
        return Term(text, TermKind.PART)
    return Term(text, TermKind.WORD, prefix=last)


_MARKS = "".join(map(chr, range(0x300, 0x370)))
