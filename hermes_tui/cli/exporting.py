"""`export`: a conversation to a file or to standard output, with what is told about it on the other stream."""

from __future__ import annotations

import sys
import time
from pathlib import Path

from hermes_tui.cli.ending import told_to_end
from hermes_tui.cli.grammar import Options, UsageError
from hermes_tui.cli.output import Output, say
from hermes_tui.cli.verbs import open_stores
from hermes_tui.export import files
from hermes_tui.export.documents import Form, pieces
from hermes_tui.export.material import Material, conversation, places
from hermes_tui.export.reading import Reading
from hermes_tui.library import LibraryError, Stores
from hermes_tui.render.words import count, size

TELL_EVERY = 0.1  # seconds between two counts on the terminal
PATIENCE = 0.5  # seconds before there is a count at all
OPTIONS = {"secrets": "--keep-secrets", "images": "--images", "reasoning": "--reasoning"}


def export(options: Options, output: Output) -> None:
    """Write what SESSION names. Raises StoreError, LibraryError and UsageError."""
    to_stdout = options.output == "-" or (options.output is None and not output.terminal)
    form = _form(options, to_stdout)
    path = None if to_stdout or options.output is None else Path(options.output)
    if path is not None:
        _checked(path, force=options.force)  # before any work is done
    with told_to_end(), open_stores(options) as stores:
        material = _material(stores, options)
        if path is None and not to_stdout:
            session = material.chapters[0].session
            path = Path(files.name_for(session.title, session.id, form.suffix))
        counting = _Counting()
        reading = Reading(
            material,
            keep_secrets=options.keep_secrets,
            images=options.images,
            reasoning=options.reasoning,
            progress=None if output.terminal and path is None else counting.tell,
        )
        try:
            if path is None:
                for piece in pieces(reading, form):
                    output.write(piece)
            else:
                written = _write(path, reading, form, force=options.force)
        finally:
            counting.clear()
        if path is not None:
            say(f"{count(material.total, 'message')} written to {path}, {size(written)}.")
        for sentence in filter(None, (*reading.remarks(OPTIONS), stores.badge)):
            say(sentence)


def _form(options: Options, to_stdout: bool) -> Form:
    if options.to is not None:
        return Form(options.to)
    named = None if to_stdout or options.output is None else Form.of_name(options.output)
    return named or Form.MARKDOWN


def _material(stores: Stores, options: Options) -> Material:
    anchor = stores.resolve(options.anchor or "")
    if options.around is None:
        return conversation(stores, anchor)
    return places(stores, [anchor], size=options.around)


def _write(path: Path, reading: Reading, form: Form, *, force: bool) -> int:
    try:
        return files.write(path, pieces(reading, form), force=force)
    except files.Taken as error:
        raise _taken(error) from None
    except files.WriteError as error:
        raise LibraryError(str(error)) from error


def _checked(path: Path, *, force: bool) -> None:
    try:
        files.check(path, force=force)
    except files.Taken as error:
        raise _taken(error) from None
    except files.WriteError as error:
        raise UsageError(str(error)) from None


def _taken(error: files.Taken) -> UsageError:
    return UsageError(f"{error} Give another -o FILE, or --force to replace it.")


class _Counting:
    """Counts messages on a terminal that is watched, once that takes long."""

    def __init__(self) -> None:
        self._watched = sys.stderr is not None and sys.stderr.isatty()
        self._next = time.monotonic() + PATIENCE
        self._shown = False

    def tell(self, done: int, total: int) -> None:
        """Say how far it is, if it is time to."""
        if self._watched and time.monotonic() >= self._next:
            self._next = time.monotonic() + TELL_EVERY
            self._shown = True
            print(f"\rExporting, {done:,} of {total:,} messages", end="", file=sys.stderr, flush=True)

    def clear(self) -> None:
        """Take the count off the terminal again."""
        if self._shown:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)
