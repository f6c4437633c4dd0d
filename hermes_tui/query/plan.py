"""Query and Capabilities -> Plan: which rows are looked at, by which route, in which order, and why.

The Plan is the only copy of this decision: the store runs it, the coverage line names it, `--explain` prints it. It is
pure, so a table of cases tests it without a database.

For each clause the words and code that the word index can speak for give candidates; the trigram index adds what is
inside words; a scan reads the rows that no index step covers. Together the steps of a plan cover every row that can
match, whatever the layout: each step's `scope` and `thin` say which rows and which raw text it is content with.
"""

from __future__ import annotations

from dataclasses import replace
from enum import StrEnum

from hermes_tui.model import Capabilities, Index, Layout, Region, Route
from hermes_tui.model.record import dataclass
from hermes_tui.query.literals import (
    Pattern,
    all_of,
    glued_patterns,
    phrase_expression,
    raw_patterns,
    rest_expression,
    superset_expression,
    trigram_expression,
    word_expression,
)
from hermes_tui.query.terms import USUAL_REGIONS, Clause, Query, Term, TermKind


class Scope(StrEnum):
    """A set of rows for a scan; a step's scope is the union of its members."""

    ALL = "all rows"
    TOOLS = "tool output"
    AUTOMATION = "automation sessions"
    CALLS = "tool arguments"
    UNINDEXED = "rows not indexed yet"
    NULS = "text behind a NUL"
    LONG = "the rest of long tool output"
    ESCAPED = "letters written as JSON escapes"
    STUCK = "words stuck to a script without spaces"
    FOREIGN = "text of more than ASCII"
    ELSEWHERE = "replies kept in a provider's column"
    REASONING = "reasoning"
    ACCENTED = "accented letters"


@dataclass(frozen=True, slots=True)
class Step:
    """One look at the store.

    `match` is the FTS5 expression of an index step, None for a scan. `scope` says which rows a scan walks. `thin` holds
    groups of raw-text conditions: a row is decoded only when it meets one condition of every group. `tier` orders hits:
    those of a lower tier stand before those of a higher one.
    """

    route: Route
    match: str | None
    reason: str
    scope: tuple[Scope, ...] = ()
    thin: tuple[tuple[Pattern, ...], ...] = ()
    tier: int = 0


@dataclass(frozen=True, slots=True)
class Plan:
    """Steps in the order to run them. `fallback` is asked when they find nothing; `notes` go to the coverage line."""

    query: Query
    steps: tuple[Step, ...]
    fallback: Plan | None = None
    notes: tuple[str, ...] = ()


def plan(query: Query, capabilities: Capabilities) -> Plan:
    """The plan for `query` on a file with these `capabilities`."""
    steps: list[Step] = []
    clauses = query.clauses or (() if query.empty or query.problem else (Clause(()),))
    for clause in clauses:
        if query.regions & USUAL_REGIONS:
            steps += _clause_steps(clause, capabilities) if clause.wanted else [_every_row(query)]
        if Region.REASONING in query.regions and REASONING_COLUMNS & capabilities.message_columns:
            thin = tuple(raw_patterns(term) for term in clause.wanted)
            steps.append(Step(Route.SCAN, None, "reasoning is in no index", (Scope.REASONING,), thin))
    steps.sort(key=lambda step: (step.route is Route.SCAN, step.tier))
    loose = query.inside_words()
    fallback = None
    if loose.clauses != query.clauses and steps:
        inner = plan(loose, capabilities)
        fallback = Plan(loose, inner.steps, notes=(LOOKED_INSIDE,))
    return Plan(query, _unique(steps), fallback, (*query.notes, *_notes(capabilities)))


LOOKED_INSIDE = "no message holds these as whole words: looked inside words"
REASONING_COLUMNS = frozenset({"reasoning", "reasoning_content", "reasoning_details", "codex_reasoning_items"})


def _every_row(query: Query) -> Step:
    """Nothing says which rows can match: all that the filters let through are read."""
    reason = "a regular expression that no index can narrow down" if query.pattern else "nothing but filters to go by"
    return Step(Route.SCAN, None, reason, (Scope.ALL,))


def _unique(steps: list[Step]) -> tuple[Step, ...]:
    return tuple(dict.fromkeys(steps))


def _notes(capabilities: Capabilities) -> tuple[str, ...]:
    notes = [index.note for index in (capabilities.word, capabilities.trigram) if index and index.note]
    missing = [
        name for name, index in (("word", capabilities.word), ("trigram", capabilities.trigram)) if index is None
    ]
    if missing and capabilities.message_columns:
        notes.append(f"this store has no {' and no '.join(missing)} index, history intact; scanning")
    if capabilities.gap is not None:
        notes.append("the search index is being rebuilt: scanning what it lacks")
    return tuple(dict.fromkeys(notes))


def _usable(index: Index | None) -> bool:
    return index is not None and index.usable


def _clause_steps(clause: Clause, capabilities: Capabilities) -> list[Step]:
    words = [term for term in clause.wanted if term.kind is TermKind.WORD]
    literal = [term for term in clause.wanted if term.kind in (TermKind.CODE, TermKind.PHRASE)]
    thin = tuple(raw_patterns(term) for term in clause.wanted)
    steps: list[Step] = []
    whole: list[Term] = []
    if _usable(capabilities.word):
        # Code whose tokens say where it is speaks for the whole clause; words do when there is no such code.
        whole = [term for term in literal if superset_expression(term)] or words
        steps = _word_steps(clause, words, literal, whole, thin)
    words_only = bool(whole) and all(term.kind is TermKind.WORD for term in whole)
    trigram = None
    if words_only:
        trigram = _trigram_step(clause, capabilities, glued=words)
        scope = _holes_of_words(capabilities, trigram)
        cut = capabilities.word.tool_chars if capabilities.word else None
        if Scope.UNINDEXED not in scope and len(clause.wanted) == 1:
            thin = tuple(raw_patterns(term, indexed=True, indexed_chars=cut) for term in clause.wanted)
    elif whole:
        scope = _holes_of_code(capabilities)
    else:
        trigram = _trigram_step(clause, capabilities, glued=[])
        scope = _holes_of_trigram(clause, capabilities, trigram)
    steps += [trigram] if trigram else []
    if "codex_message_items" in capabilities.message_columns:
        scope = (*scope, Scope.ELSEWHERE)
    if scope:
        steps.append(Step(Route.SCAN, None, _scan_reason(clause, capabilities, scope), scope, thin))
    # Behind the step that asks for a short last word as a whole, everything else brings longer words as well.
    if _short(words):
        first, *rest = steps
        steps = [first if first.route is Route.WORD else replace(first, tier=1), *(replace(s, tier=1) for s in rest)]
    return steps


def _word_steps(
    clause: Clause, words: list[Term], literal: list[Term], whole: list[Term], thin: tuple[tuple[Pattern, ...], ...]
) -> list[Step]:
    """Steps on the word index: what holds nearly every hit first, then the superset that makes it complete."""
    steps: list[Step] = []
    code = [expression for term in literal if (expression := phrase_expression(term, rare=False))]
    if not words and not literal:
        code = [expression for term in clause.wanted if (expression := _json_expression(term))]
    common = [word_expression(term, rare=False) for term in words]
    if short := _short(words):
        exact = [word_expression(term, rare=False, prefix=False) for term in words]
        steps.append(Step(Route.WORD, all_of([*exact, *code]), f"{short.text} as a whole word"))
    if common or code:
        steps.append(Step(Route.WORD, all_of([*common, *code]), _first_reason(words, literal)))
    if whole and whole != words:
        rest, reason = all_of([superset_expression(term) for term in whole]), "the same text beside other letters"
    elif words:
        # Behind code that no tokens can tell, the words alone are asked for; of one word by itself, what is left.
        alone = len(words) == 1 and not code
        rare = [rest_expression(term) if alone else word_expression(term, rare=True) for term in words]
        rest, reason = all_of(rare), "words stuck to colours or escapes"
    else:
        rest, reason = all_of([phrase_expression(term, rare=True) for term in literal]), "code stuck to colours"
    if rest and (words or rest != all_of(code)):
        steps.append(Step(Route.WORD, rest, reason, thin=thin if literal else ()))
    return steps


def _short(words: list[Term]) -> Term | None:
    """The last word while it has but one or two characters: as a prefix it matches half the store."""
    return next((term for term in words if term.prefix and len(term.text) < 3), None)


def _json_expression(term: Term) -> str:
    """A PART as tokens of escaped JSON: the word index is the only one that holds those."""
    escaped = phrase_expression(Term(term.text, TermKind.CODE), rare=False)
    return escaped if not term.text.isascii() else ""


def _first_reason(words: list[Term], literal: list[Term]) -> str:
    if words and literal:
        return "whole words, and code as side-by-side words"
    if words:
        return "whole words"
    return "code as side-by-side words" if literal else "characters as JSON escapes"


def _trigram_step(clause: Clause, capabilities: Capabilities, *, glued: list[Term]) -> Step | None:
    """The step on the trigram index; for `glued` words only rows where one may be stuck to another script."""
    if not _usable(capabilities.trigram):
        return None
    expressions = [expression for term in clause.wanted if (expression := trigram_expression(term))]
    if not expressions:
        return None
    if glued:
        patterns = tuple(pattern for term in glued for pattern in glued_patterns(term))
        return Step(Route.TRIGRAM, all_of(expressions), "words stuck to a script without spaces", thin=(patterns,))
    return Step(Route.TRIGRAM, all_of(expressions), "any part of the text, three characters or more")


def _holes_of_words(capabilities: Capabilities, trigram: Step | None) -> tuple[Scope, ...]:
    """Rows where a word of the text is no token of the word index, and no trigram step finds it either."""
    stuck = Scope.FOREIGN if trigram is None else Scope.STUCK
    return (*_holes_of_code(capabilities, always=(Scope.NULS,)), Scope.ESCAPED, stuck)


def _holes_of_code(capabilities: Capabilities, always: tuple[Scope, ...] = ()) -> tuple[Scope, ...]:
    """Rows where the tokens of a code term are not in the word index."""
    word = capabilities.word
    cut = word is not None and word.tool_chars is not None
    return (*_unindexed(capabilities, word), *((Scope.NULS, Scope.LONG) if cut else always))


def _holes_of_trigram(clause: Clause, capabilities: Capabilities, step: Step | None) -> tuple[Scope, ...]:
    """Rows the trigram index does not speak for."""
    index = capabilities.trigram
    # Trigram tells accents apart, and so do raw texts: a plain letter may stand there with one.
    accents = any(term.kind in (TermKind.WORD, TermKind.PART) and not _accent_free(term) for term in clause.wanted)
    if step is None or index is None:
        return (Scope.ALL, Scope.ACCENTED) if accents else (Scope.ALL,)
    scope = [Scope.TOOLS] if index.tool_chars is not None else []
    scope += [] if index.calls else [Scope.CALLS]
    scope += [*_automation(capabilities), *_unindexed(capabilities, index), Scope.NULS]
    return (*scope, Scope.ACCENTED, Scope.ESCAPED) if accents else tuple(scope)


def _automation(capabilities: Capabilities) -> tuple[Scope, ...]:
    index = capabilities.trigram
    return () if index is not None and index.automation else (Scope.AUTOMATION,)


def _unindexed(capabilities: Capabilities, index: Index | None) -> tuple[Scope, ...]:
    missing = capabilities.gap is not None or (index is not None and not index.complete)
    return (Scope.UNINDEXED,) if missing else ()


def _accent_free(term: Term) -> bool:
    """Whether no text can hold the term with accents that trigram would tell apart: no Latin letter in it."""
    return not any(char.isascii() and char.isalpha() for char in term.text)


def _scan_reason(clause: Clause, capabilities: Capabilities, scope: tuple[Scope, ...]) -> str:
    where = ", ".join(member.value for member in scope)
    if Scope.ALL not in scope:
        return f"not, or not wholly, in an index: {where}"
    if capabilities.layout is Layout.NONE:
        return "this store has no search index"
    if not _usable(capabilities.word) and not _usable(capabilities.trigram):
        return "no search index of this store can be used"
    longest = max((term.text for term in clause.wanted), key=len)
    if len(longest) < 3:
        return f"{longest!r} is too short for the trigram index"
    return "no index holds every row that could match"
