"""One session by its id, and sessions found by what people call them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from hermes_tui.model import Capabilities, Session, SessionKind
from hermes_tui.store.connection import Cancelled, Connection, Ticket
from hermes_tui.store.sessions import (
    chain,
    find_sessions,
    get_session,
    get_sessions,
    list_sessions,
)
from tests.store.handmade import DAY, Store


@pytest.fixture
def store(tmp_path: Path) -> Store:
    """A file with the newest columns."""
    return Store(tmp_path / "state.db", indexes="new")


def test_a_session_by_itself(store: Store) -> None:
    store.session("root", title="Trip", end_reason="compression", ended_at=DAY + 1, source="telegram", input_tokens=5)
    store.session("tip", title="Trip #2", parent_session_id="root", started_at=DAY + 2, archived=1)
    connection, capabilities = store.open()
    assert get_session(connection, capabilities, "gone") is None
    assert get_session(connection, capabilities, "root") == Session(
        id="root",
        source="telegram",
        title="Trip",
        started_at=DAY,
        last_active_at=DAY,
        ended_at=DAY + 1,
        end_reason="compression",
        conversation="tip",
        segments=("root", "tip"),
        input_tokens=5,
    )
    tip, root = get_sessions(connection, capabilities, ["tip", "gone", "root"])
    assert (tip.id, tip.kind, tip.parent_id, tip.archived) == ("tip", SessionKind.CONTINUATION, "root", True)
    assert root.id == "root"
    assert chain(connection, capabilities, "tip") == ("root", "tip")
    assert chain(connection, capabilities, "gone") == ()


@pytest.fixture
def named(store: Store) -> Iterator[tuple[Connection, Capabilities]]:
    titles = {
        "20260202_020202_bbbbbb": "quarterly-otter",
        "20260203_030303_cccccc": "Otter",
        "20260204_040404_dddddd": "Otters in winter",
        "20260205_050505_eeeeee": "ОШИБКА сети",
        "20260206_060606_ffffff": "STRASSE",
        "20260207_070707_abcdef": "Caf\u00e9 \U0001f98a",
        "20260208_080808_000000": None,
        "20260209_090909_010101": "100% [done] a_b",
    }
    for number, (key, title) in enumerate(titles.items()):
        store.session(key, title=title, started_at=DAY + number, archived=number % 2, source="cron")
    connection, capabilities = store.open()
    yield connection, capabilities
    connection.close()


@pytest.mark.parametrize(
    ("typed", "found"),
    [
        ("otter", ["20260203_030303_cccccc", "20260204_040404_dddddd", "20260202_020202_bbbbbb"]),
        ("  OTTER ", ["20260203_030303_cccccc", "20260204_040404_dddddd", "20260202_020202_bbbbbb"]),
        ("020202_bbb", ["20260202_020202_bbbbbb"]),
        ("20260202_020202_BBBBBB", ["20260202_020202_bbbbbb"]),
        ("ошибка", ["20260205_050505_eeeeee"]),
        ("Ошибка Сети", ["20260205_050505_eeeeee"]),
        ("straße", ["20260206_060606_ffffff"]),
        ("cafe\u0301", ["20260207_070707_abcdef"]),
        ("🦊", ["20260207_070707_abcdef"]),
        ("%", ["20260209_090909_010101"]),
        ("a_b", ["20260209_090909_010101"]),
        ("[done]", ["20260209_090909_010101"]),
        ("", []),
        ("   ", []),
        ("nothing like it", []),
        ("x\x00y", []),
    ],
)
def test_names_in_whole_at_the_beginning_and_in_part(
    named: tuple[Connection, Capabilities], typed: str, found: list[str]
) -> None:
    assert [session.id for session in find_sessions(*named, typed)] == found


def test_the_newest_of_many_namesakes(named: tuple[Connection, Capabilities]) -> None:
    hits = find_sessions(*named, "202602", limit=2)
    assert [session.id for session in hits] == ["20260209_090909_010101", "20260208_080808_000000"]
    assert hits[0].archived
    assert hits[0].title == "100% [done] a_b"


def test_questions_can_be_given_up(named: tuple[Connection, Capabilities]) -> None:
    connection, capabilities = named
    ticket = Ticket()
    ticket.cancel()
    with pytest.raises(Cancelled):
        list_sessions(connection, capabilities, ticket=ticket)
    with pytest.raises(Cancelled):
        find_sessions(connection, capabilities, "otter", ticket=ticket)
