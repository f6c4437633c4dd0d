"""A line or two of text at the edge of a pane: headings, the coverage line, the status line."""

from __future__ import annotations

from textual.content import Content
from textual.widgets import Static


class Band(Static):
    """Text whose height seldom changes: only then is the screen laid out again, which costs more than all painting."""

    def __init__(self, *, id: str) -> None:  # noqa: A002 - Textual's own name for it
        super().__init__(id=id, markup=False)
        self._put: Content | None = None
        self._lines = -1

    def put(self, content: Content, *, lines: int | None = 1) -> None:
        """Show `content`, which takes `lines` lines; None when that is not known."""
        if content == self._put:
            return
        layout = lines is None or lines != self._lines
        self._put, self._lines = content, -1 if lines is None else lines
        self.update(content, layout=layout)
