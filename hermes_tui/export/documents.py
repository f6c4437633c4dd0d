"""The forms of a document, and its text piece by piece."""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum

from hermes_tui.export import as_json
from hermes_tui.export.reading import Reading


class Form(StrEnum):
    """What a document is written in."""

    MARKDOWN = "markdown"
    JSON = "json"
    JSONL = "jsonl"
    HTML = "html"

    @property
    def suffix(self) -> str:
        """How a file of this form is called: `.md`."""
        return ".md" if self is Form.MARKDOWN else f".{self.value}"

    @classmethod
    def of_name(cls, name: str) -> Form | None:
        """The form that the end of a file's name stands for."""
        ending = name.lower().rpartition(".")[2]
        return {"md": cls.MARKDOWN, "markdown": cls.MARKDOWN, "htm": cls.HTML}.get(ending) or next(
            (form for form in cls if form.value == ending), None
        )


def pieces(reading: Reading, form: Form) -> Iterator[str]:
    """The document, read and written a portion at a time; together the pieces are valid UTF-8.

    Raises StoreError and Cancelled between two pieces.
    """
    match form:
        case Form.JSON:
            return as_json.value(reading)
        case Form.JSONL:
            return as_json.lines(reading)
        case Form.MARKDOWN:
            from hermes_tui.export import as_markdown  # who answers in JSON needs none of these

            return as_markdown.document(reading)
        case Form.HTML:
            from hermes_tui.export import as_html

            return as_html.document(reading)
