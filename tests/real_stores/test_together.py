"""Files of different releases opened at once: what is said of all is what each says by itself."""

from __future__ import annotations

import gzip
import shutil
import sqlite3
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from hermes_tui.library import Stores, named
from hermes_tui.model import Anchor
from tests.real_stores.test_reading import FILES, name_of

pytestmark = pytest.mark.real_stores


@pytest.fixture(scope="module")
def together(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stores]:
    """Every real file, each a store of its own, and one that is none."""
    if not FILES:
        pytest.skip("HERMES_TUI_REAL_STORES names no folder with *.db.gz files")
    folder = tmp_path_factory.mktemp("together")
    paths: list[Path] = []
    for file in FILES:
        paths.append(folder / f"{name_of(file)}.db")
        with gzip.open(file) as packed, paths[-1].open("wb") as plain:
            shutil.copyfileobj(packed, plain)
    (folder / "none.db").write_bytes(bytes(5000))
    with Stores.open(named([*paths, folder / "none.db"])) as stores:
        yield stores


def test_every_session_of_every_file_is_there_once(together: Stores) -> None:
    assert [each.name for each in together.unread] == ["none"]
    listed = together.sessions(everything=True)
    shown = Counter((row.profile, segment) for row in listed.rows for segment in row.segments)
    held: Counter[tuple[str | None, str]] = Counter()
    for name, library in together.libraries.items():
        with closing(sqlite3.connect(f"file:{library.path}?mode=ro&immutable=1", uri=True)) as connection:
            held.update((name, key) for (key,) in connection.execute("SELECT id FROM sessions"))
    assert shown == held
    moments = [row.last_active_at for row in listed.rows]
    assert moments == sorted(moments, key=lambda moment: float("inf") if moment is None else -moment)


@pytest.mark.parametrize("text", ["the", "error", "token", "is:rewound"])
def test_a_search_finds_in_all_what_it_finds_in_each(text: str, together: Stores) -> None:
    for sort in ("newest", "oldest", "best"):
        found = together.search(text, sort=sort, limit=100_000)
        assert found.coverage.searched == found.coverage.messages
        each = {
            (name, hit.anchor.session_id, hit.message.id)
            for name, library in together.libraries.items()
            for hit in library.search(text, sort=sort, limit=100_000).hits
        }
        places = [(hit.anchor.profile, hit.anchor.session_id, hit.message.id) for hit in found.hits]
        assert len(places) == len(set(places)) == found.total
        assert set(places) == each


def test_one_id_in_several_files_is_as_many_conversations(together: Stores) -> None:
    rows = together.sessions(everything=True).rows
    twice = [key for key, many in Counter(row.id for row in rows).items() if many > 1]
    assert twice, "the files were written from one script"
    for row in rows:
        if row.id in twice[:3]:
            read = together.transcript(Anchor(row.id, profile=row.profile))
            by_itself = together.of(row.profile).transcript(Anchor(row.id))
            assert read.rows == by_itself.rows
            assert read.session.profile == row.profile
