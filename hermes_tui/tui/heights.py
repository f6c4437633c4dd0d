"""How high each of many entries is, so that a line finds its entry and an entry its line without walking the rest."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import accumulate


class Heights:
    """Heights of entries one under another, in lines (each at least 1). Asking and changing cost O(log n)."""

    def __init__(self, heights: Iterable[int] = ()) -> None:
        self._each = list(heights)
        ends = [0, *accumulate(self._each)]
        # A Fenwick tree: _sums[i] holds the i & -i entries that end with entry i - 1.
        self._sums = [end - ends[node & (node - 1)] for node, end in enumerate(ends)]
        self.total = ends[-1]

    def __len__(self) -> int:
        return len(self._each)

    def __getitem__(self, index: int) -> int:
        return self._each[index]

    def all(self) -> Sequence[int]:
        """Every height, in order."""
        return self._each

    def set(self, index: int, height: int) -> bool:
        """Give entry `index` another height; whether it had another one."""
        change = height - self._each[index]
        if not change:
            return False
        self._each[index] = height
        self.total += change
        node = index + 1
        while node < len(self._sums):
            self._sums[node] += change
            node += node & -node
        return True

    def append(self, height: int) -> None:
        """Add an entry at the end."""
        node = len(self._sums)
        value, child = height, 1
        while child < (node & -node):
            value += self._sums[node - child]
            child <<= 1
        self._each.append(height)
        self._sums.append(value)
        self.total += height

    def before(self, index: int) -> int:
        """The lines above entry `index`: the line it begins on."""
        lines = 0
        while index > 0:
            lines += self._sums[index]
            index &= index - 1
        return lines

    def find(self, line: int) -> tuple[int, int]:
        """The entry that line `line` falls in, and the line within it; the ends for lines beyond them."""
        if line < 0 or not self._each:
            return 0, 0
        if line >= self.total:
            return len(self._each) - 1, self._each[-1] - 1
        index = 0
        step = 1 << len(self._each).bit_length()
        while step:
            node = index + step
            if node < len(self._sums) and self._sums[node] <= line:
                index = node
                line -= self._sums[node]
            step >>= 1
        return index, line
