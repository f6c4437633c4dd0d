"""One document to one file, as somebody ordered it, and what there is to say of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import field
from pathlib import Path

from hermes_tui.export.documents import Form, pieces
from hermes_tui.export.files import write
from hermes_tui.export.keepsakes import document
from hermes_tui.export.masks import Masker
from hermes_tui.export.material import Material
from hermes_tui.export.reading import Progress, Reading
from hermes_tui.history import Bookmark
from hermes_tui.library import Stores, Ticket
from hermes_tui.model.record import dataclass
from hermes_tui.render.clean import clean_for_document
from hermes_tui.render.words import count, size


@dataclass(frozen=True, slots=True)
class Order:
    """What is wanted of a document. With `force` a file that is there is replaced; `how` are the keys or words by which
    the reader would have what is masked or left out (see `Reading.remarks`)."""

    form: Form
    path: Path
    force: bool = False
    keep_secrets: bool = False
    images: bool = False
    reasoning: bool = False
    how: Mapping[str, str] = field(default_factory=dict)


def write_out(material: Material, order: Order, *, progress: Progress | None, ticket: Ticket | None) -> list[str]:
    """Write a document; sentences about it. Raises WriteError, Taken, StoreError and Cancelled."""
    reading = Reading(
        material,
        keep_secrets=order.keep_secrets,
        images=order.images,
        reasoning=order.reasoning,
        progress=progress,
        ticket=ticket,
    )
    written = write(order.path, pieces(reading, order.form), force=order.force)
    return [_done(count(material.total, "message"), order.path, written), *reading.remarks(order.how)]


def write_bookmarks(bookmarks: Sequence[Bookmark], order: Order) -> list[str]:
    """Write bookmarks down with their notes. Raises WriteError and Taken."""
    told: Iterable[str] = document(bookmarks, order.form)
    return [_done(count(len(bookmarks), "bookmark"), order.path, write(order.path, told, force=order.force))]


def _done(what: str, path: Path, written: int) -> str:
    return f"{what} written to {path}, {size(written)}."


@dataclass(frozen=True, slots=True)
class Subject:
    """Something that can be written out: `label` says what, `title` and `name` name the file."""

    label: str
    title: str | None
    name: str
    material: Callable[[Stores, Ticket], Material]
    forms: tuple[Form, ...] = tuple(Form)

    def write(self, stores: Stores, order: Order, progress: Progress, ticket: Ticket) -> list[str]:
        """Write it; sentences about it."""
        return write_out(self.material(stores, ticket), order, progress=progress, ticket=ticket)


@dataclass(frozen=True, slots=True)
class Keepsakes:
    """Bookmarks, to be written out."""

    bookmarks: tuple[Bookmark, ...]
    label: str = "the bookmarks that are listed"
    title: str | None = "bookmarks"
    name: str = ""
    forms: tuple[Form, ...] = (Form.MARKDOWN, Form.JSON, Form.JSONL)

    def write(self, stores: Stores, order: Order, progress: Progress, ticket: Ticket) -> list[str]:
        """Write them; sentences about it."""
        return write_bookmarks(self.bookmarks, order)


@dataclass(frozen=True, slots=True)
class Passage:
    """A text that somebody selected, to be written out as it stands."""

    text: str
    title: str | None
    name: str
    label: str = "the text that is selected"
    forms: tuple[Form, ...] = (Form.MARKDOWN,)

    def write(self, stores: Stores, order: Order, progress: Progress, ticket: Ticket) -> list[str]:
        """Write it; sentences about it."""
        masker = Masker(keep=order.keep_secrets)
        text = masker.text(clean_for_document(self.text)).rstrip("\n") + "\n"
        told = [_done(count(text.count("\n"), "line"), order.path, write(order.path, [text], force=order.force))]
        return told + ([f"{masker.words()}."] if masker.words() else [])
