"""Labels can be typed: short, none the beginning of another, under the fingers as long as two letters do."""

from __future__ import annotations

from itertools import pairwise

import pytest

from hermes_tui.hints import labels
from hermes_tui.hints.labels import HOME_ROW


@pytest.mark.parametrize("count", [0, 1, 8, 9, 10, 17, 18, 80, 81, 82, 600, 676, 677, 1000, 5000])
def test_every_label_is_told_by_its_own_letters(count: int) -> None:
    made = labels(count)
    assert len(made) == len(set(made)) == count
    ordered = sorted(made)
    assert not any(after.startswith(before) for before, after in pairwise(ordered))
    assert [len(label) for label in made] == sorted(len(label) for label in made)
    assert all(label.isalpha() and label.islower() for label in made)
    if count <= 81:
        assert set("".join(made)) <= set(HOME_ROW)
        assert all(len(label) <= 2 for label in made)
    assert all(len(label) <= 3 for label in made)


def test_as_few_as_can_be_are_long() -> None:
    assert [len(label) for label in labels(9)] == [1] * 9
    assert [len(label) for label in labels(10)] == [1] * 8 + [2] * 2
    assert [len(label) for label in labels(18)] == [1] * 7 + [2] * 11
