"""Files that real releases wrote: read whole, without a trace, with the layout and the trust they deserve.

`HERMES_TUI_REAL_STORES` names the folder of `*.db`, `*.db.gz` and `*.live.tar.gz` files with their manifests.
"""

from __future__ import annotations

import gzip
import os
import shutil
import sqlite3
import tarfile
from collections.abc import Callable
from pathlib import Path

import pytest

from hermes_tui.model import Layout, Opened, Trust
from hermes_tui.store.connection import Connection
from hermes_tui.store.schema import detect, verify_index
from tests.store.conftest import listing

pytestmark = pytest.mark.real_stores

Opener = Callable[[Path], Connection]

FOLDER = Path(os.environ.get("HERMES_TUI_REAL_STORES", "."))
CLOSED = sorted(FOLDER.glob("*.db.gz"))
LIVE = sorted(FOLDER.glob("*.live.tar.gz"))


def test_there_are_real_stores_to_read() -> None:
    assert CLOSED, "HERMES_TUI_REAL_STORES names no folder with stores"
    assert LIVE


def unpack(archive: Path, store: Path) -> None:
    """Put a store, and what lies beside it, at this path."""
    if archive.name.endswith(".db.gz"):
        with gzip.open(archive) as packed, store.open("wb") as out:
            shutil.copyfileobj(packed, out)
        return
    with tarfile.open(archive) as packed:
        for member in packed.getmembers():
            content = packed.extractfile(member)
            if content is not None:
                store.with_name(Path(member.name).name).write_bytes(content.read())


@pytest.mark.parametrize("archive", [*CLOSED, *LIVE], ids=lambda archive: archive.name)
def test_a_real_store_is_read_whole_and_left_alone(archive: Path, store: Path, tmp_path: Path, opened: Opener) -> None:
    unpack(archive, store)
    before = listing(store.parent)
    connection = opened(store)
    found = detect(connection)
    assert found.layout is (Layout.INLINE if archive.name.startswith("0.1") else Layout.VIEWS)
    assert found.word is not None
    assert found.trigram is not None
    assert {(one.trust, one.complete) for one in (found.word, found.trigram)} == {(Trust.GOOD, True)}
    assert found.gap is None
    assert verify_index(connection, found) == found
    whole = connection.rows("SELECT id, role, content FROM messages ORDER BY id")
    assert connection.badge is None
    assert (connection.opened is Opened.RO) == (archive in LIVE or connection.footing.journal_mode == "rollback")
    connection.close()

    after = listing(store.parent)
    if archive in LIVE:  # readers of a live log mark their place in its shared memory
        del before["state.db-shm"], after["state.db-shm"]
    assert after == before

    for path in store.parent.iterdir():
        shutil.copy(path, tmp_path)
    writable = sqlite3.connect(tmp_path / "state.db")
    writable.text_factory = lambda raw: raw.decode("utf-8", "replace")
    assert whole == writable.execute("SELECT id, role, content FROM messages ORDER BY id").fetchall()
    assert len(whole) > 300
    writable.close()


@pytest.mark.parametrize("archive", LIVE, ids=lambda archive: archive.name)
def test_a_live_store_copied_without_its_shared_memory(
    archive: Path, store: Path, opened: Opener, temporary: Path
) -> None:
    unpack(archive, store)
    store.with_name("state.db-shm").unlink()
    before = listing(store.parent)
    connection = opened(store)
    assert connection.opened is Opened.COPY
    assert connection.value("SELECT count(*) FROM messages") > 300
    assert {one.trust for one in (detect(connection).word, detect(connection).trigram) if one} == {Trust.GOOD}
    assert listing(store.parent) == before
    connection.close()
    assert list(temporary.iterdir()) == []
