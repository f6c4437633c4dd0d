"""Regular expressions people type: compiled with care, run with patience that ends.

The engine is the `regex` package, imported when the first expression is: the standard library's holds the interpreter
while it matches and cannot be stopped, so one bad expression would freeze the screen for good.

A text is matched as it is read: terminal escapes are blanks, decomposed letters composed. `^` and `$` are ends of
lines, `.` is anything but a newline. A match that is empty marks nothing, so it is none: `x*` matches where an x is.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from hermes_tui.model import Case
from hermes_tui.model.record import dataclass
from hermes_tui.query.fold import Folded, fold
from hermes_tui.query.regexp_parts import KNOWN_FLAGS, braces, literals, unknown_flag, weight

if TYPE_CHECKING:
    from regex import Pattern

__all__ = ["PATIENCE", "BadPattern", "Expression", "Searcher", "TooSlow", "compile_expression", "literals"]

PATIENCE = 0.25  # seconds for one text
MAX_CHARS = 500
MAX_PARTS = 5_000  # compiled: some megabytes, half a second at the very worst

# Three letters from elsewhere that case makes equal to k, s and i. The indexes of a store do not all agree, so here
# each is equal to itself only: a rare letter without cases stands for it, in the text and in the expression.
_ALOOF = str.maketrans({"\u212a": "\u1e9d", "\u017f": "\u1e9c", "\u0130": "\u01aa"})


class BadPattern(ValueError):
    """What was typed is no regular expression, or none to run. `str()` is a sentence for people."""


class TooSlow(RuntimeError):
    """A text took longer than PATIENCE, or more memory than there is. `str()` is a sentence for people."""


@dataclass(frozen=True, slots=True)
class Expression:
    """A regular expression that compiles."""

    text: str
    case: Case = Case.FOLD


def compile_expression(text: str, case: Case = Case.FOLD) -> Expression:
    """`text` as an Expression. Raises BadPattern with a sentence that says where it goes wrong."""
    _compiled(text, case)
    return Expression(text, case)


class Searcher:
    """An Expression made ready to search texts. Safe to share between threads; lets others run while it matches."""

    def __init__(self, expression: Expression) -> None:
        self.expression = expression
        self._pattern = _compiled(expression.text, expression.case)

    def spans(self, text: str, *, limit: int, patience: float = PATIENCE) -> list[tuple[int, int]]:
        """The first `limit` matches that are not empty: sorted, half-open ranges of code points of `text`.

        Raises TooSlow after `patience` seconds.
        """
        if limit < 1:
            return []
        view = _view(text, self.expression.case)
        found: list[tuple[int, int]] = []
        try:
            for match in self._pattern.finditer(view.text, concurrent=True, timeout=patience):
                start, end = match.span()
                if start < end:
                    found.append(view.back(start, end))
                    if len(found) >= limit:
                        break
        except TimeoutError:
            raise TooSlow(
                f"The regular expression takes longer than {patience} s on a text of {len(text):,} characters."
            ) from None
        except MemoryError:
            raise TooSlow(
                f"The regular expression takes too much memory on a text of {len(text):,} characters."
            ) from None
        return found

    def found(self, text: str) -> bool:
        """Whether `text` holds a match that is not empty. Raises TooSlow."""
        return bool(self.spans(text, limit=1))


def _view(text: str, case: Case) -> Folded:
    """`text` as it is matched, with the way back."""
    folding = case is Case.FOLD and not text.isascii()
    view = fold(text.translate(_ALOOF) if folding else text, case=False, accents=False)
    return Folded(view.text.translate(_ALOOF), view.starts) if folding else view


@lru_cache(maxsize=32)
def _compiled(text: str, case: Case) -> Pattern[str]:
    import regex  # most searches never need it

    if len(text) > MAX_CHARS:
        raise BadPattern(f"This regular expression has {len(text):,} characters; {MAX_CHARS} are allowed.")
    view = _view(text, case)
    if flag := unknown_flag(view.text):
        raise BadPattern(
            f"This regular expression sets the flag {flag[1]} at character {_place(view, flag[0])}; "
            f"{', '.join(KNOWN_FLAGS)} are allowed."
        )
    if weight(view.text) > MAX_PARTS:
        raise BadPattern("This regular expression repeats too much: its counts multiply to more than can be run.")
    literal = braces(view.text)
    source = "".join("\\{" if index in literal else char for index, char in enumerate(view.text))
    flags = regex.VERSION0 | regex.MULTILINE | (regex.IGNORECASE if case is Case.FOLD else 0)
    try:
        return regex.compile(source, flags)
    except regex.error as error:
        message, at = getattr(error, "msg", str(error)), getattr(error, "pos", None) or 0
        at -= sum(1 for count, index in enumerate(literal) if index + count < at)
        raise BadPattern(
            f"This is no regular expression: {_readable(message)} at character {_place(view, at)}."
        ) from None
    except RecursionError:
        raise BadPattern("This regular expression has groups in groups, more than can be run.") from None
    except (MemoryError, OverflowError):
        raise BadPattern("This regular expression takes too much memory.") from None
    except Exception:  # the parser's own slips on what it does not expect
        raise BadPattern("This is no regular expression: it cannot be read.") from None


def _place(view: Folded, index: int) -> int:
    """The number, counted from one, of the character typed that `view.text[index]` comes from."""
    index = min(index, len(view.text))
    return 1 + (index if view.starts is None else view.starts[index])


def _readable(message: str) -> str:
    """The engine's words; they may quote what was typed."""
    return "".join(char if char.isprintable() else "\ufffd" for char in message)
