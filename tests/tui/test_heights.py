"""Lines find their entries and entries their lines, also after heights change."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from hermes_tui.tui.heights import Heights

EACH = st.lists(st.integers(1, 50), min_size=1, max_size=60)


def check(heights: Heights, each: list[int]) -> None:
    assert len(heights) == len(each)
    assert heights.total == sum(each)
    line = 0
    for index, height in enumerate(each):
        assert heights[index] == height
        assert heights.before(index) == line
        for row in (0, height - 1):
            assert heights.find(line + row) == (index, row)
        line += height


@given(EACH)
def test_lines_and_entries_agree(each: list[int]) -> None:
    check(Heights(each), each)


@given(EACH, st.lists(st.tuples(st.integers(0, 1000), st.integers(1, 50)), max_size=30))
def test_they_agree_after_changes(each: list[int], changes: list[tuple[int, int]]) -> None:
    heights = Heights(each)
    for place, height in changes:
        index = place % len(each)
        assert heights.set(index, height) == (each[index] != height)
        each[index] = height
    check(heights, each)


@given(st.lists(st.integers(1, 50), max_size=10), st.lists(st.integers(1, 50), min_size=1, max_size=40))
def test_they_agree_after_entries_came(each: list[int], more: list[int]) -> None:
    heights = Heights(each)
    for height in more:
        heights.append(height)
    check(heights, [*each, *more])


def test_lines_beyond_the_ends_are_the_ends() -> None:
    heights = Heights([3, 2])
    assert heights.find(-5) == (0, 0)
    assert heights.find(99) == (1, 1)
    assert Heights().find(3) == (0, 0)
