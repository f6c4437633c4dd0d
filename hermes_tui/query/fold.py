"""Text as the matcher compares it, with the way back to the characters of the original.

The engine that finds candidates (FTS5's unicode61) folds case and drops accents; verification has to agree with it
and still mark the right characters. Nearly every text folds to the same length, and then the map is None.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache

from hermes_tui.model.record import dataclass

# What a terminal obeys instead of showing: CSI, OSC with its terminator, and the two-character escapes.
_ESCAPES = re.compile(
    "(?:\x1b\\[|\x9b)[0-?]*[ -/]*[@-~]|(?:\x1b\\]|\x9d)[^\x07\x1b\x9c\n]{0,2048}(?:\x07|\x1b\\\\|\x9c)|\x1b[ -/]*[0-~]"
)
# A letter followed by combining marks, or a run of conjoining jamo: what normal form C may compose.
_CLUSTERS = re.compile(".[\u0300-\u036f\u3099\u309a]+|[\u1100-\u11ff]{2,}", re.DOTALL)
_ACCENTED = re.compile("[\u00c0-\u024f\u1e00-\u1eff]")


@dataclass(frozen=True, slots=True)
class Folded:
    """`text` to search in; `starts[i]` is where character i began in the original (None: at i)."""

    text: str
    starts: tuple[int, ...] | None = None

    def back(self, start: int, end: int) -> tuple[int, int]:
        """The range of the original that `text[start:end]` stands for."""
        if self.starts is None:
            return start, end
        while 0 < end < len(self.text) and self.starts[end] == self.starts[end - 1]:
            end += 1  # half of a letter that became two
        return self.starts[start], self.starts[end]


@cache
def bare_letter(char: str) -> str:
    """`char` without its accents when it is a Latin letter, else `char`: unicode61 folds no other script."""
    base = unicodedata.normalize("NFD", char)[0]
    return base if base.isascii() and base.isalpha() else char


def fold(text: str, *, case: bool, accents: bool) -> Folded:
    """Fold `text`: capitals to small letters when `case`, accented Latin letters to plain ones when `accents`.

    Decomposed letters are composed first, so both normal forms compare equal. Terminal escapes become blanks.
    """
    if "\x1b" in text or "\x9b" in text or "\x9d" in text:
        text = _ESCAPES.sub(lambda match: " " * len(match[0]), text)
    if text.isascii():
        return Folded(text.lower() if case else text)
    starts: tuple[int, ...] | None = None
    if _CLUSTERS.search(text):
        text, starts = _compose(text)
    if case:
        text = _lower(text, accents=accents)
        if SHARP_S in text:
            text, starts = _spell_out(text, starts)
    if accents:
        text = _ACCENTED.sub(lambda match: bare_letter(match[0]), text)
        if starts is not None:
            text, starts = _drop_marks(text, starts)
    return Folded(text, starts)


DOTTED_I = "\u0130"
SHARP_S = "\u00df"  # in capitals it is SS: the one letter of common writing that case makes two


def folded_needle(text: str, *, case: bool, accents: bool) -> str:
    """`text` folded the way the text it is looked for in is."""
    return fold(unicodedata.normalize("NFC", text), case=case, accents=accents).text


def _lower(text: str, *, accents: bool) -> str:
    """Small letters, one for one: the dotted capital I and the final sigma are the two that would not be.

    The dot is an accent like others. Where accents count, the letter has no small one that any index knows.
    """
    if DOTTED_I in text:
        return ("i" if accents else DOTTED_I).join(map(_small, text.split(DOTTED_I)))
    return _small(text)


def _small(text: str) -> str:
    return text.lower().replace("\u03c2", "\u03c3")


def _spell_out(text: str, starts: tuple[int, ...] | None) -> tuple[str, tuple[int, ...]]:
    """`text` with ss for every sharp s."""
    origins = range(len(text) + 1) if starts is None else starts
    doubled = [origin for char, origin in zip(text, origins, strict=False) for _ in range(1 + (char == SHARP_S))]
    return text.replace(SHARP_S, "ss"), (*doubled, origins[-1])


def _compose(text: str) -> tuple[str, tuple[int, ...]]:
    """Normal form C, cluster by cluster, with the start of each character and the end of the text."""
    pieces: list[str] = []
    starts: list[int] = []
    position = 0
    for match in _CLUSTERS.finditer(text):
        pieces.append(text[position : match.start()])
        starts.extend(range(position, match.start()))
        composed = unicodedata.normalize("NFC", match[0])
        pieces.append(composed)
        starts.extend(_spread(composed, match.start(), match.end()))
        position = match.end()
    pieces.append(text[position:])
    starts.extend(range(position, len(text) + 1))
    return "".join(pieces), tuple(starts)


def _spread(composed: str, start: int, end: int) -> list[int]:
    """Starts for the characters of one composed cluster; a part of it always marks from where it began."""
    if len(composed) == end - start:
        return list(range(start, end))
    return [start + index * (end - start) // len(composed) for index in range(len(composed))]


def _drop_marks(text: str, starts: tuple[int, ...]) -> tuple[str, tuple[int, ...]]:
    """Leave out what combining marks no composed letter took up."""
    kept = [index for index, char in enumerate(text) if not "\u0300" <= char <= "\u036f"]
    return "".join(text[index] for index in kept), (*(starts[index] for index in kept), starts[-1])
