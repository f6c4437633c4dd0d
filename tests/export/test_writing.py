"""What is written as somebody ordered it, and said of it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from hermes_tui.export.documents import Form
from hermes_tui.export.files import Taken
from hermes_tui.export.material import conversation
from hermes_tui.export.writing import Keepsakes, Order, Passage, Subject
from hermes_tui.history import Bookmark
from hermes_tui.library import Stores, Ticket
from hermes_tui.model import Anchor, MessageKey
from tests.export.conftest import SECRET


def nothing(done: int, total: int) -> None:
    """Nobody watches."""


def test_a_conversation_is_written_as_ordered(stores: Stores, root: Anchor, tmp_path: Path) -> None:
    subject = Subject("this", "Title", "name", lambda stores, ticket: conversation(stores, root, ticket=ticket))
    order = Order(Form.HTML, tmp_path / "talk.html")
    told = subject.write(stores, order, nothing, Ticket())
    assert told[0].endswith(f"messages written to {order.path}, {order.path.stat().st_size / 1000:.1f} KB.")
    assert told[1].startswith("1 secret masked: 1 GitHub token")
    with pytest.raises(Taken):
        subject.write(stores, order, nothing, Ticket())


def test_a_selected_text_is_written_as_it_stands_without_its_secrets(stores: Stores, tmp_path: Path) -> None:
    text = f"  first {SECRET}\n\tsecond \x1b[31m"
    masked, plain = tmp_path / "a.md", tmp_path / "b.md"
    told = Passage(text, "Title", "name").write(stores, Order(Form.MARKDOWN, masked), nothing, Ticket())
    assert masked.read_text(encoding="utf-8") == "  first [masked: GitHub token]\n\tsecond \n"
    assert told == [f"2 lines written to {masked}, {masked.stat().st_size} B.", "1 secret masked: 1 GitHub token."]
    Passage(text, None, "name").write(stores, Order(Form.MARKDOWN, plain, keep_secrets=True), nothing, Ticket())
    assert plain.read_text(encoding="utf-8") == f"  first {SECRET}\n\tsecond \n"


def test_bookmarks_are_written_with_their_notes(stores: Stores, tmp_path: Path) -> None:
    key = MessageKey("u", "d", 5.0)
    kept = (
        Bookmark("s1", key, 7, note="copper\nkettle", when=1.0, title="Kitchen", role="user", text="where is it"),
        Bookmark("s2", note="", when=2.0, profile="work"),
    )
    for form in Keepsakes(kept).forms:
        path = tmp_path / f"marks{form.suffix}"
        told = Keepsakes(kept).write(stores, Order(form, path), nothing, Ticket())
        assert told == [f"2 bookmarks written to {path}, {path.stat().st_size} B."]
    answer = json.loads((tmp_path / "marks.json").read_text(encoding="utf-8"))
    assert [each["anchor"] for each in answer["bookmarks"]] == ["s1#7", "work/s2"]
    lines = [json.loads(line) for line in (tmp_path / "marks.jsonl").read_text(encoding="utf-8").splitlines()]
    assert lines == answer["bookmarks"]
    text = (tmp_path / "marks.md").read_text(encoding="utf-8")
    assert "## Kitchen\n\n`s1#7` · user · marked 1970-01-0" in text
    assert "\ncopper kettle\n\n> where is it\n" in text
