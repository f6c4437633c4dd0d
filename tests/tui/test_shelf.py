"""The shelf gives back what it was given, laid out as asked, and holds no more than memory should."""

from __future__ import annotations

from dataclasses import replace

from textual.strip import Strip

from hermes_tui.render import View
from hermes_tui.tui.shelf import Shelf
from tests.tui.transcripts import said

NARROW, WIDE = View(20), View(80)


def test_a_message_is_laid_out_once_for_a_view_and_anew_for_another() -> None:
    shelf = Shelf()
    shelf.put([said(1, "word " * 20)])
    first = shelf.leaf(1, WIDE)
    assert first is not None
    assert shelf.leaf(1, WIDE) is first
    narrow = shelf.leaf(1, NARROW)
    assert narrow is not None
    assert narrow.page.height > first.page.height


def test_a_message_handed_over_again_replaces_the_old_one() -> None:
    shelf = Shelf()
    shelf.put([said(1, "old")])
    old = shelf.leaf(1, WIDE)
    shelf.put([said(1, "new")])
    new = shelf.leaf(1, WIDE)
    assert old is not None
    assert new is not None
    assert (old.page.text(2), new.page.text(2)) == ("old", "new")


def test_a_spoilt_message_is_lacking_and_yet_here() -> None:
    shelf = Shelf()
    shelf.put([said(1, "old")])
    assert not shelf.lacks(1)
    shelf.spoil([1, 2])
    assert shelf.lacks(1)
    assert shelf.lacks(2)
    assert shelf.message(1) is not None
    shelf.put([said(1, "new")])
    assert not shelf.lacks(1)


def test_what_was_used_longest_ago_goes() -> None:
    shelf = Shelf()
    big = said(1, "x" * 2_000_000)
    for number in range(1, 60):
        shelf.put([replace(big, id=number)])
        shelf.leaf(1, WIDE)
    assert shelf.message(1) is not None, "in use all the time"
    assert shelf.message(2) is None
    kept = [number for number in range(1, 60) if shelf.message(number) is not None]
    assert 16 <= len(kept) < 30
    assert kept[-1] == 59


def test_painted_lines_are_kept_until_the_colours_change() -> None:
    shelf = Shelf()
    shelf.put([said(1, "words")])
    leaf = shelf.leaf(1, WIDE)
    assert leaf is not None
    painted: list[int] = []

    def make() -> Strip:
        painted.append(1)
        return Strip.blank(3)

    for _ in range(3):
        shelf.strip(leaf, 2, 0, make)
    assert len(painted) == 1
    shelf.strip(leaf, 2, 1, make)
    assert len(painted) == 2
    shelf.repaint()
    shelf.strip(leaf, 2, 0, make)
    assert len(painted) == 3
