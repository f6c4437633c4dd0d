"""Where compaction cut a conversation, and how many messages the model had before and after."""

from __future__ import annotations

from pathlib import Path

import pytest

from hermes_tui.model import Compaction, Kind, Transcript
from hermes_tui.recorder import Layout, Recorder
from hermes_tui.store.connection import connect, look
from hermes_tui.store.messages import transcript
from hermes_tui.store.schema import detect
from tests.store.handmade import DAY, Store

SUMMARY = "[CONTEXT COMPACTION — REFERENCE ONLY] Earlier turns were compacted into the summary below. More text."


def talk(recorder: Recorder, session: str, many: int, word: str) -> list[int]:
    roles = ("user", "assistant")
    return [recorder.append(session, roles[at % 2], f"{word} {at}") for at in range(many)]


def read(path: Path, session: str) -> Transcript:
    connection = connect(look(path))
    try:
        return transcript(connection, detect(connection), session)
    finally:
        connection.close()


@pytest.mark.parametrize("layout", list(Layout))
def test_compaction_in_place_counts_what_the_model_had_and_what_it_kept(tmp_path: Path, layout: Layout) -> None:
    with Recorder(tmp_path / "state.db", layout=layout) as recorder:
        session = recorder.create_session("cli")
        talk(recorder, session, 12, "first")
        one = recorder.compact(session, "what was said", keep_last=4)
        talk(recorder, session, 6, "second")
        two = recorder.compact(session, "and went on", keep_last=2)
        talk(recorder, session, 2, "third")
    assert read(tmp_path / "state.db", session).compactions == (
        Compaction(one, session, 12, 4),
        Compaction(two, session, 10, 2),
    )


@pytest.mark.parametrize("layout", list(Layout))
def test_a_split_counts_the_same_and_says_that_it_went_on_elsewhere(tmp_path: Path, layout: Layout) -> None:
    with Recorder(tmp_path / "state.db", layout=layout) as recorder:
        session = recorder.create_session("cli")
        talk(recorder, session, 9, "first")
        second = recorder.split(session, "what was said", keep_last=3)
        talk(recorder, second, 4, "second")
        third = recorder.split(second, "what was said then")
        last = talk(recorder, third, 1, "third")[0]
    found = read(tmp_path / "state.db", second)
    assert [(cut.session_id, cut.before, cut.kept, cut.continued) for cut in found.compactions] == [
        (second, 9, 3, True),
        (third, 7, 0, True),
    ]
    rows = {row.id: row for row in found.rows}
    assert [rows[cut.at].kind for cut in found.compactions] == [Kind.SUMMARY, Kind.SUMMARY]
    assert found.rows[-1].id == last


def test_what_was_taken_back_was_not_had(tmp_path: Path) -> None:
    with Recorder(tmp_path / "state.db") as recorder:
        session = recorder.create_session("cli")
        ids = talk(recorder, session, 8, "first")
        recorder.rewind(session, ids[6])
        recorder.compact(session, "what was said", keep_last=2)
    (cut,) = read(tmp_path / "state.db", session).compactions
    assert (cut.before, cut.kept) == (6, 2)


def test_a_head_that_was_kept_stands_before_the_summary(tmp_path: Path) -> None:
    store = Store(tmp_path / "state.db", indexes="new")
    store.session("s")
    for number in range(6):
        store.message("s", f"said {number}", timestamp=DAY + number, active=0, compacted=1)
    store.message("s", "said 0", timestamp=DAY)
    summary = store.message("s", SUMMARY, timestamp=DAY + 10)
    store.message("s", "said 5", timestamp=DAY + 5)
    store.message("s", "new", timestamp=DAY + 11)
    connection, capabilities = store.open()
    with connection:
        found = transcript(connection, capabilities, "s")
    assert found.compactions == (Compaction(summary, "s", 6, 2),)


def test_a_cut_without_a_summary_is_where_live_rows_begin(tmp_path: Path) -> None:
    store = Store(tmp_path / "state.db", indexes="new")
    store.session("s")
    for number in range(3):
        store.message("s", f"said {number}", timestamp=DAY + number, active=0, compacted=1)
    live = store.message("s", "new", timestamp=DAY + 11)
    connection, capabilities = store.open()
    with connection:
        found = transcript(connection, capabilities, "s")
    assert found.compactions == (Compaction(live, "s", 3, 0),)


def test_a_conversation_that_was_never_compacted_has_no_cut(tmp_path: Path) -> None:
    with Recorder(tmp_path / "state.db") as recorder:
        session = recorder.create_session("cli")
        talk(recorder, session, 8, "first")
        recorder.rewind(session, talk(recorder, session, 2, "again")[0])
    assert read(tmp_path / "state.db", session).compactions == ()
