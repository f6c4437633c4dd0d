"""The line under the hits: how many there are, by which routes, and which part of the store was looked at.

A search that is not finished, was cut, or left something out says so here; that is what the line is for.
"""

from __future__ import annotations

from hermes_tui.model import PLAIN, Answer, Coverage, Mode
from hermes_tui.render import count
from hermes_tui.tui import labels

CUT = "stopped at the "
"""How the library's own note of the limit begins, which the first part of the line says with its key."""


OUTDATED = "written to since, looked at again soon"


def coverage(
    answer: Answer | None,
    text: str,
    *,
    busy: bool,
    mode: Mode = PLAIN,
    conversations: int = 0,
    outdated: bool = False,
) -> list[str]:
    """The parts of the line, most telling first; none while no query stands.

    `text` in `mode` is the query that stands, which `answer` may not be about yet (or ever, when asking failed).
    `conversations` is how many the hits are in; `outdated` says that the store was written to since.
    """
    if answer is None:
        return [f"searching for {text} ..." if busy else f"no answer for {text}"] if text else []
    of_another = (answer.query, answer.mode) != (text, mode)
    parts = [f"these are the hits of {_named(answer, text)}"] if of_another else []
    if answer.problem is not None:
        return [answer.problem.strip().rstrip("."), *parts]
    parts.append(_found(answer, conversations))
    covered = answer.coverage
    if routes := _routes(covered):
        parts.append(routes)
    parts.append(_searched(answer))
    if outdated:
        parts.append(OUTDATED)
    if answer.complete:
        parts.append(f"{answer.elapsed_ms / 1000:.2f} s")
    if answer.hits:
        parts.append(f"{answer.sort} first (s)")
    parts += [_hidden(reason, many) for reason, many in labels.by_size(answer.hidden) if many]
    notes = (note.strip().rstrip(".") for note in covered.notes)
    parts += [note for note in notes if not (answer.truncated and note.startswith(CUT))]  # said already
    return parts


def _named(answer: Answer, text: str) -> str:
    """The query of an answer; where only the switches are others, that."""
    return answer.query if answer.query != text else "the same text understood otherwise"


def _found(answer: Answer, conversations: int) -> str:
    shown = len(answer.hits)
    if not shown and not answer.complete:
        return "no hits yet"
    if answer.truncated:
        of = f" of {count(answer.total)}" if answer.total is not None else ""
        return f"the first {count(shown)}{of} hits (a shows all)"
    if not shown:
        return "no hits"
    return f"{count(shown, 'hit')} in {count(conversations, 'conversation')}"


def _routes(covered: Coverage) -> str:
    brought = (("word", covered.word), ("trigram", covered.trigram), ("scan", covered.scan))
    return " + ".join(f"{route} {count(many)}" for route, many in brought if many)


def _searched(answer: Answer) -> str:
    covered = answer.coverage
    if answer.complete and covered.searched >= covered.messages:
        return (
            f"all {count(covered.messages, 'message')} searched" if covered.messages != 1 else "the 1 message searched"
        )
    if covered.scanning and not answer.complete:
        return f"scanning {covered.scanning}"
    done = f"{count(covered.searched)} of {count(covered.messages, 'message')} searched"
    return done if answer.complete else f"{done} so far"


def _hidden(reason: str, many: int) -> str:
    if reason == "rewound":
        return f"{count(many)} more in rewound turns (x)"
    return f"{count(many)} more in hidden messages (a)" if reason == "hidden" else f"{count(many)} more: {reason}"
