"""Terminal escapes in a text, left out so that a path with colours in its middle is one path; and the way back."""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass

_ESCAPE = re.compile(
    r"\x1b\[[0-?]{0,64}+[ -/]{0,8}+[@-~]"  # CSI: colours
    r"|\x1b[\]P_^X][^\x00-\x1f\x7f]{0,4096}+(?:\x07|\x1b\\)"  # OSC: links, titles
    r"|\x1b[ -/]{1,4}+[0-~]"
    r"|\x1b[78=>]"
)


@dataclass(frozen=True, slots=True)
class Bare:
    """`text` without escapes; `kept` are the places in it after which source offsets grow, `shifts` by how much."""

    text: str
    kept: tuple[int, ...] = ()
    shifts: tuple[int, ...] = ()

    def start(self, offset: int) -> int:
        """Where in the source the character at `offset` is: behind the escapes that stand before it."""
        return offset + self._shift(bisect_right(self.kept, offset))

    def end(self, offset: int) -> int:
        """Where in the source the stretch that ends at `offset` ends: before the escapes that stand there."""
        return offset + self._shift(bisect_right(self.kept, offset - 1)) if offset else 0

    def inside(self, offset: int) -> int:
        """The place in `text` of an offset of the source."""
        low, high = 0, len(self.kept)
        while low < high:
            middle = (low + high) // 2
            if self.kept[middle] + self.shifts[middle] <= offset:
                low = middle + 1
            else:
                high = middle
        inside = offset - self._shift(low)
        return max(0, min(inside, self.kept[low] if low < len(self.kept) else len(self.text)))

    def _shift(self, index: int) -> int:
        return self.shifts[index - 1] if index else 0


def bare(text: str) -> Bare:
    """`text` without terminal escapes; as it is where it has none."""
    if "\x1b" not in text:
        return Bare(text)
    parts: list[str] = []
    kept: list[int] = []
    shifts: list[int] = []
    last = cut = 0
    for found in _ESCAPE.finditer(text):
        parts.append(text[last : found.start()])
        kept.append(found.start() - cut)
        cut += found.end() - found.start()
        shifts.append(cut)
        last = found.end()
    return Bare("".join([*parts, text[last:]]), tuple(kept), tuple(shifts))
