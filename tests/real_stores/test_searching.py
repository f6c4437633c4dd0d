"""Searches in files that released versions wrote find what brute force over their decoded rows finds."""

from __future__ import annotations

import gzip
import random
import shutil
from collections.abc import Iterator

import pytest

from hermes_tui.library import Library
from hermes_tui.model import Case, Mode
from hermes_tui.query import Field
from tests.real_stores.test_reading import FILES, MISSING, name_of
from tests.test_oracle import check, facts_of, rows_of

pytestmark = pytest.mark.real_stores

QUESTIONS = 30


@pytest.fixture(scope="module", params=FILES or [MISSING], ids=name_of)
def store(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Library]:
    path = tmp_path_factory.mktemp("real") / "state.db"
    with gzip.open(request.param) as packed, path.open("wb") as unpacked:
        shutil.copyfileobj(packed, unpacked)
    with Library.open(path) as library:
        yield library
    rows_of.cache_clear()
    facts_of.cache_clear()


def pieces(library: Library, chance: random.Random) -> str:
    """Something that stands in the file, now and then cut out of the middle of a word."""
    rows = [row for row in rows_of(library.path) if row.text.split()]
    word = chance.choice(chance.choice(rows).text.split())[:40]
    if chance.random() < 0.4:
        start = chance.randrange(len(word))
        word = word[start : start + chance.randint(1, 12)]
    return word


def filters(library: Library, chance: random.Random) -> str:
    """A filter with a value that stands in the file."""
    field = chance.choice((Field.SOURCE, Field.MODEL, Field.ROLE, Field.TOOL, Field.TITLE, Field.CWD, Field.IN))
    values = [value for value, _ in library.facets(field) if value and '"' not in value and value != "titles"]
    sign = chance.choice(("", "", "-"))
    return f'{sign}{field.value}:"{chance.choice(values)}"' if values else "role:user"


def test_a_search_finds_what_brute_force_finds(store: Library) -> None:
    chance = random.Random(11)
    for _ in range(QUESTIONS):
        typed = " ".join(pieces(store, chance) for _ in range(chance.randint(1, 2)))
        check(store, typed)


def test_filters_modes_and_orders_find_what_brute_force_finds(store: Library) -> None:
    chance = random.Random(12)
    for _ in range(QUESTIONS):
        words = [pieces(store, chance)] if chance.random() < 0.8 else []
        typed = " ".join([*words, *(filters(store, chance) for _ in range(chance.randint(1, 2)))])
        mode = Mode(case=chance.choice(list(Case)), reasoning=chance.random() < 0.5)
        check(store, typed, mode, chance.choice(("newest", "oldest")))
