"""What a store is, what it offers, what is damaged, and proof that looking left no mark on it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

from hermes_tui.library.proof import Footprint, footprint
from hermes_tui.model import Capabilities, Index, StoreReport
from hermes_tui.store.connection import Connection, StoreDamaged, connect, look
from hermes_tui.store.messages import read_messages, transcript
from hermes_tui.store.schema import detect, verify_index
from hermes_tui.store.search import count_messages
from hermes_tui.store.sessions import list_sessions

T = TypeVar("T")

ROUNDS = 3  # a store that another program writes to is looked at this often, waiting for a quiet moment
TASTE = 50  # messages read of the newest conversation
UNLISTED = "Nothing is proven: the folder of the store cannot be listed."
BUSY = "Another program wrote to the store meanwhile, so this proves nothing; ask again when the agent is idle."


def examine(path: Path, *, profile: str | None) -> StoreReport:
    """Look at a store as the browser would, and compare its file and folder before and after.

    Call it while this process has no connection to the store: the files are read through descriptors that are closed
    again. A difference that appears while another program writes proves nothing either way; then all is done again, a
    few times. Raises StoreError when there is no store to look at.
    """
    for _ in range(ROUNDS):
        before = _footprint(path)
        report, written = _look(path, profile)
        after = _footprint(path)
        if before is None or after is None:
            return replace(report, notes=(*report.notes, UNLISTED))
        changes = before.differences(after)
        if not (changes and written):
            break
    touched = tuple(f"{change}." for change in changes)
    return replace(
        report,
        untouched=not changes,
        notes=(*report.notes, *touched, *((BUSY,) if changes and written else ())),
    )


def _footprint(path: Path) -> Footprint | None:
    try:
        return footprint(path)
    except OSError:
        return None


def _look(path: Path, profile: str | None) -> tuple[StoreReport, bool]:
    """A report that proves nothing yet, and whether another program was seen to write meanwhile."""
    notes: list[str] = []
    with connect(look(path)) as connection:
        before = connection.fingerprint()
        capabilities = detect(connection)
        capabilities = _whole(lambda: verify_index(connection, capabilities), notes, otherwise=capabilities)
        counted = _whole(lambda: count_messages(connection), notes, otherwise=0)
        held = _whole(lambda: _read(connection, capabilities), notes, otherwise=0)
        report = StoreReport(
            path=str(path),
            profile=profile,
            journal_mode="wal" if connection.footing.wal_header else "delete",  # as a PRAGMA would say
            opened=connection.opened,
            sqlite=capabilities.sqlite,
            capabilities=capabilities,
            messages=counted,
            sessions=held,
            untouched=False,
            notes=(*([connection.badge] if connection.badge else []), *ailments(capabilities), *notes),
        )
        return report, connection.fingerprint() != before


def _read(connection: Connection, capabilities: Capabilities) -> int:
    """List all sessions and read in the newest conversation, as a person would. How many sessions there are."""
    listed = list_sessions(connection, capabilities, everything=True, preview=1)
    if listed.rows:
        rows = transcript(connection, capabilities, listed.rows[0].id).rows
        read_messages(connection, capabilities, [row.id for row in rows[-TASTE:]])
    return sum(len(row.segments) for row in listed.rows)


def _whole(question: Callable[[], T], notes: list[str], *, otherwise: T) -> T:
    """The answer; or `otherwise` and a note when the file is damaged where the answer is."""
    try:
        return question()
    except StoreDamaged as error:
        if str(error) not in notes:
            notes.append(str(error))
        return otherwise


def ailments(capabilities: Capabilities) -> tuple[str, ...]:
    """A sentence for each index that cannot be believed, and for rows that are in none."""
    found = [sentence for index in (capabilities.word, capabilities.trigram) if (sentence := _ailment(index))]
    if capabilities.gap is not None:
        low, high = capabilities.gap
        found.append(f"An index rebuild is not finished: messages {low + 1} to {high} are scanned instead.")
    return tuple(found)


def _ailment(index: Index | None) -> str | None:
    if index is None or (index.usable and index.complete):
        return None
    sentence = index.note or f"index {index.table} {index.trust.value}, history intact; scanning"
    return f"{sentence[:1].upper()}{sentence[1:]}."
