"""Bookmarks as a document: each place with its note and what it said when it was marked."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hermes_tui.export.as_markdown import field, stamp
from hermes_tui.export.documents import Form
from hermes_tui.export.shapes import FORMAT, Shape, dump, number
from hermes_tui.history import Bookmark
from hermes_tui.model import Anchor


def document(bookmarks: Sequence[Bookmark], form: Form) -> Iterator[str]:
    """Markdown, JSON or lines of JSON; there is no page of them, so any other form is Markdown too."""
    match form:
        case Form.JSON:
            yield dump({"format": FORMAT, "bookmarks": [_shape(each) for each in bookmarks]}, indent=2) + "\n"
        case Form.JSONL:
            yield from (dump(_shape(each)) + "\n" for each in bookmarks)
        case Form.MARKDOWN | Form.HTML:
            yield "# Bookmarks\n"
            for each in bookmarks:
                yield f"\n## {field(each.title) or field(each.session)}\n\n"
                about = (f"`{field(str(place(each)))}`", field(each.role), f"marked {stamp(each.when)}")
                yield " · ".join(part for part in about if part) + "\n"
                yield from (f"\n{field(text)}\n" for text in (each.note,) if text.strip())
                yield from (f"\n> {field(text)}\n" for text in (each.text,) if text.strip())


def place(bookmark: Bookmark) -> Anchor:
    """Where it was when it was marked."""
    return Anchor(bookmark.session, bookmark.message if bookmark.key is not None else None, bookmark.profile)


def _shape(bookmark: Bookmark) -> Shape:
    return {
        "anchor": str(place(bookmark)),
        "session": bookmark.session,
        "message": bookmark.message if bookmark.key is not None else None,
        "uid": None if bookmark.key is None else bookmark.key.uid,
        "note": bookmark.note,
        "marked_at": number(bookmark.when),
        "title": bookmark.title,
        "role": bookmark.role,
        "text": bookmark.text,
        "profile": bookmark.profile,
    }
