"""What was typed -> Query. Any text is legal; there is no grammar to get wrong.

A quote at the beginning of a word opens a phrase; one that is never closed runs to the end, since it is still being
typed. `AND`, `OR` and `NOT` are operators only between two terms. Everything else is a word or code.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from hermes_tui.model import Case
from hermes_tui.query.terms import Clause, Query, Term, TermKind, is_spaceless, is_word_char

MAX_CHARS = 2048  # a pasted file is not a question; what Hermes itself cuts a query to
MAX_TERMS = 32

_OPERATORS = frozenset({"AND", "OR", "NOT"})


@dataclass(frozen=True, slots=True)
class _Token:
    text: str
    quoted: bool = False

    @property
    def operator(self) -> bool:
        return not self.quoted and self.text in _OPERATORS


def parse(text: str, *, case: Case = Case.FOLD) -> Query:
    """Understand `text`. Never raises: what is not a phrase or an operator is looked for as it stands."""
    tokens = list(_tokens(text[:MAX_CHARS]))[:MAX_TERMS]
    if len(tokens) > 1 and tokens[-1].operator and not tokens[-2].operator:
        tokens.pop()
    clauses = tuple(_clauses(tokens))
    return Query(text=text, clauses=clauses, case=case)


def _tokens(text: str) -> list[_Token]:
    tokens: list[_Token] = []
    position = 0
    while position < len(text):
        if text[position].isspace():
            position += 1
        elif text[position] == '"':
            end = text.find('"', position + 1)
            inside = text[position + 1 :].rstrip() if end < 0 else text[position + 1 : end]
            if inside.strip():
                tokens.append(_Token(inside, quoted=True))
            position = len(text) if end < 0 else end + 1
        else:
            match = _BLANK.search(text, position)
            end = match.start() if match else len(text)
            tokens.append(_Token(text[position:end]))
            position = end
    return tokens


_BLANK = re.compile(r"\s")


def _clauses(tokens: list[_Token]) -> list[Clause]:
    """Terms between `OR`s form a clause; `NOT` turns the term behind it round."""
    clauses: list[Clause] = []
    wanted: list[Term] = []
    unwanted: list[Term] = []
    negate = False
    for index, token in enumerate(tokens):
        if _is_operator(tokens, index):
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
    if wanted:
        clauses.append(Clause(tuple(wanted), tuple(unwanted)))
    return clauses


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
