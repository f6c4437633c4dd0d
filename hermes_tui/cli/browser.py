"""Starts the browser: the store first, so that its first page is read while Textual is still being imported."""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from threading import Thread

from hermes_tui.cli.ending import told_to_end
from hermes_tui.cli.grammar import Options, UsageError
from hermes_tui.cli.output import say
from hermes_tui.cli.verbs import open_stores
from hermes_tui.history import History
from hermes_tui.library import Library, StoreError, Stores
from hermes_tui.model import SessionList

MOMENT = 0.4
"""Seconds that the screen waits for the first page before it is put together without."""


def browse(options: Options) -> None:
    """The browser over the store that WHERE names. Raises StoreError, LibraryError and UsageError."""
    with told_to_end(), open_stores(options) as stores:  # closing removes private copies, if any were needed
        _run(stores, options.anchor, History.open if options.history else History.off)


def demo(options: Options) -> None:
    """The browser over a sample store: in a private folder that is gone afterwards, or at `--keep PATH`.

    In a pipe `--keep` only writes the store. Raises UsageError.
    """
    if options.keep is None:
        _need_terminal()
        with _private_folder() as folder:
            # What is looked for in a made-up store is nothing to remember beyond it.
            kept = partial(History.open, folder / "history") if options.history else History.off
            _show_sample(folder / "state.db", options.anchor, kept)
        return
    path = Path(options.keep)
    if path.exists():
        raise UsageError(f"{path} is there already; the sample store would have to overwrite it.")
    if not path.parent.is_dir():
        raise UsageError(f"There is no folder {path.parent} to write the sample store to.")
    if _terminal():
        _show_sample(path, options.anchor, History.off)
    else:
        _write(path)


def _show_sample(path: Path, anchor: str | None, history: Callable[[], History]) -> None:
    _write(path)
    with Library.open(path) as library:
        _run(Stores.only(library), anchor, history)


def _write(path: Path) -> None:
    from hermes_tui.sample import write_sample

    watched = sys.stderr is not None and sys.stderr.isatty()
    if not watched:
        say("Writing the sample store ...")
    write_sample(path, progress=_count if watched else None)
    if watched:
        print("\r\x1b[K", end="", file=sys.stderr, flush=True)


def _count(done: int, total: int) -> None:
    print(f"\rWriting the sample store, {done} of {total} conversations", end="", file=sys.stderr, flush=True)


def _run(stores: Stores, anchor: str | None, history: Callable[[], History]) -> None:
    """Start reading the list, show it as soon as it is there, then import what the screen is made of."""
    _need_terminal()
    listed = _in_thread(stores.opening)
    place = None if anchor is None else stores.resolve(anchor)

    from hermes_tui.tui.glimpse import Glimpse

    kept = history()

    with Glimpse() as glimpse:
        if place is None:
            with suppress(TimeoutError, StoreError):  # Textual waits longer, and finds the words
                glimpse.show(listed.result(MOMENT), now=time.time(), chosen=kept.columns)

        from hermes_tui.tui.app import run

        run(stores, sessions=listed, anchor=place, history=kept, glimpse=glimpse)


def _in_thread(question: Callable[[], SessionList]) -> Future[SessionList]:
    """The answer to a question that is asked from now on."""
    future: Future[SessionList] = Future()

    def ask() -> None:
        try:
            future.set_result(question())
        except BaseException as error:
            future.set_exception(error)

    Thread(target=ask, name="first list", daemon=True).start()
    return future


def _terminal() -> bool:
    return all(stream is not None and stream.isatty() for stream in (sys.stdin, sys.stdout, sys.stderr))


def _need_terminal() -> None:
    if not _terminal():
        raise UsageError(
            "The browser needs a terminal. In scripts and pipes use hermes-tui sessions, search or show; see --help."
        )


@contextmanager
def _private_folder() -> Iterator[Path]:
    """A folder for our eyes only, removed at the end."""
    with (
        told_to_end(),
        tempfile.TemporaryDirectory(prefix="hermes-tui-demo-", ignore_cleanup_errors=True) as folder,
    ):
        yield Path(folder)
