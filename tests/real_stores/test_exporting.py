"""Files of released versions, exported and compared with the rows of their tables, read by SQLite alone."""

from __future__ import annotations

import gzip
import json
import os
import shutil
import sqlite3
from collections import Counter
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from hermes_tui.export.documents import Form, pieces
from hermes_tui.export.material import conversation
from hermes_tui.export.reading import Reading
from hermes_tui.library import Library, Stores
from hermes_tui.model import Anchor

pytestmark = pytest.mark.real_stores

FOLDER = os.environ.get("HERMES_TUI_REAL_STORES", "")
FILES = sorted(Path(FOLDER).glob("*.db.gz")) if FOLDER else []
MISSING = Path("HERMES_TUI_REAL_STORES names no folder with *.db.gz files")
STATES = {(1, 0): "live", (1, 1): "live", (0, 1): "compacted", (0, 0): "rewound"}


@pytest.fixture(scope="module", params=FILES or [MISSING], ids=lambda file: file.name.removesuffix(".db.gz"))
def place(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    file: Path = request.param
    if file is MISSING:
        pytest.fail(str(MISSING))
    place = tmp_path_factory.mktemp("real") / "state.db"
    with gzip.open(file) as packed, place.open("wb") as plain:
        shutil.copyfileobj(packed, plain)
    return place


def rows_of(place: Path) -> dict[int, dict[str, Any]]:
    with closing(sqlite3.connect(place)) as connection:
        connection.row_factory = sqlite3.Row
        connection.text_factory = bytes
        return {row["id"]: dict(row) for row in connection.execute("SELECT * FROM messages")}


def exported(place: Path, form: Form) -> list[dict[str, Any]]:
    """Every conversation of the file, as one list of values."""
    with Library.open(place) as library:
        stores = Stores.only(library)
        listed = library.sessions(everything=True).rows
        texts = [
            "".join(pieces(Reading(conversation(stores, Anchor(row.id)), keep_secrets=True), form)) for row in listed
        ]
    if form is Form.JSON:
        return [json.loads(text) for text in texts]
    values = []
    for text in texts:
        head, *messages = [json.loads(line) for line in text.splitlines()]
        values.append({**head, "messages": messages})
    return values


@pytest.mark.parametrize("form", [Form.JSON, Form.JSONL])
def test_an_export_of_everything_is_the_table_of_messages(place: Path, form: Form) -> None:
    stored = rows_of(place)
    answers = exported(place, form)
    found = {message["id"]: message for answer in answers for message in answer["messages"]}
    assert sum(message["copies"] for message in found.values()) == len(stored)
    assert sum(len(answer["messages"]) for answer in answers) == len(found)
    for number, message in found.items():
        row = stored[number]
        assert message["session_id"] == row["session_id"].decode()
        assert message["role"] == row["role"].decode()
        assert message["timestamp"] == pytest.approx(float(row["timestamp"]), abs=1e-6)
        flags = (int(row.get("active", 1) != 0), int(bool(row.get("compacted", 0))))
        assert message["state"] == STATES[flags]
        content = row["content"]
        plain = isinstance(content, bytes) and not content.startswith((b"\x00json:", b"\x01json:", b"{", b"[", b"<"))
        if plain and content:
            assert message["text"].encode("utf-16", "surrogatepass").decode("utf-16", "replace") == content.decode(
                "utf-8", "replace"
            )
    # What is not there by itself is a copy: the same role, time and text as a row that is.
    kept = Counter((row["role"], row["timestamp"], row["content"]) for id_, row in stored.items() if id_ in found)
    for number in stored.keys() - found.keys():
        row = stored[number]
        assert kept[(row["role"], row["timestamp"], row["content"])]


def test_every_form_can_be_made_of_every_conversation(place: Path) -> None:
    with Library.open(place) as library:
        stores = Stores.only(library)
        for row in library.sessions(everything=True).rows:
            material = conversation(stores, Anchor(row.id))
            for form in (Form.MARKDOWN, Form.HTML):
                reading = Reading(material, images=True, reasoning=True)
                text = "".join(pieces(reading, form))
                text.encode()
                signs = text.count('\n<article id="m') if form is Form.HTML else text.count("\n## ")
                assert signs >= material.total
