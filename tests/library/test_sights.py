"""What a library says of many sessions: each answer names its store, and what is not there is said so."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from hermes_tui.library import Cancelled, Library, NotFound, Ticket
from hermes_tui.model import Anchor, SessionKind
from hermes_tui.query import Field
from hermes_tui.recorder import Layout, Recorder
from tests.library.conftest import NOON, Town


def test_a_conversation_is_a_straight_line(library: Library, town: Town) -> None:
    rows = library.tree(town.middle)
    assert [(row.id, row.edge, row.depth, row.tip, row.current) for row in rows] == [
        (town.root, SessionKind.ROOT, 0, False, False),
        (town.middle, SessionKind.CONTINUATION, 0, False, True),
        (town.tip, SessionKind.CONTINUATION, 0, True, False),
    ]
    assert library.details(town.middle).tree == 3


def test_who_is_not_there_is_said_to_be_missing(library: Library) -> None:
    for ask in (library.tree, library.details):
        with pytest.raises(NotFound, match="nobody"):
            ask("nobody")


@pytest.mark.parametrize("profile", [None, "work"])
def test_every_answer_names_its_store(tmp_path: Path, profile: str | None) -> None:
    path = tmp_path / "state.db"
    with Recorder(path, clock=lambda: NOON) as recorder:
        session = recorder.create_session("cli", cwd="/srv")
        call = {"id": "c", "type": "function", "function": {"name": "read_file", "arguments": '{"path": "a.py"}'}}
        message = recorder.append(session, "assistant", "reading", tool_calls=[call])
    with Library.open(path, profile=profile) as library:
        details, touched = library.details(session), library.touched("/srv/a.py")
        day = library.day(NOON - 1, NOON + 1)
        place = Anchor(session, message, profile)
        assert [row.anchor for row in touched.rows] == [each.anchor for each in details.touches] == [place]
        assert [each.anchor for each in day.moments] == [place]
        told = [details.session, touched.rows[0].session, day.moments[0].session, library.tree(session)[0].session]
        assert [each and each.profile for each in told] == [profile] * 4
        assert library.activity(by=Field.MODEL, now=NOON).days[-1].messages == 1
        assert dict(library.sizes()) == {session: 1}


def test_a_closed_library_answers_nothing_and_a_cancelled_ticket_ends_a_walk(town: Town) -> None:
    library = Library.open(town.path)
    ticket = Ticket()
    ticket.cancel()
    with pytest.raises(Cancelled):
        library.touched("a.py", ticket=ticket)
    assert library.touched("a.py").total == 0
    assert library.report().untouched, "no connection of ours is open while the proof is taken"
    assert library.touched("a.py").total == 0
    library.close()
    with pytest.raises(Cancelled):
        library.touched("a.py")


def test_the_oldest_index_finds_a_tool_by_its_name(tmp_path: Path) -> None:
    """H-DRIFT-2."""
    path = tmp_path / "state.db"
    with Recorder(path, layout=Layout.INLINE) as recorder:
        session = recorder.create_session("cli")
        first = recorder.append(session, "tool", "ok", tool_name="terminal")
        recorder.append(session, "tool", json.dumps({"output": "ok"}), tool_name="browser")
    with Library.open(path) as library:
        (hit,) = library.search("terminal").hits
    assert hit.anchor == Anchor(session, first)
    assert [hit.snippet[start:end] for start, end in hit.spans] == ["terminal"]
