"""Windows: the messages around a place, how many there are beyond, and the ends of the conversation."""

from __future__ import annotations

from pathlib import Path

import pytest

from hermes_tui.library import Library, NotFound
from hermes_tui.model import Anchor, Kind, State, Window
from hermes_tui.recorder import Recorder
from tests.library.conftest import SUMMARY, Town


def said(window: Window) -> list[str]:
    return [message.text for message in window.messages]


def test_the_anchor_is_in_the_middle_and_the_rest_is_counted(town: Town, library: Library) -> None:
    window = library.window(Anchor(town.long, 11), size=2)
    assert [message.id for message in window.messages] == [9, 10, 11, 12, 13]
    assert (window.before, window.after) == (8, 27)
    assert window.anchor == Anchor(town.long, 11)
    assert window.session.title == "Long talk"


@pytest.mark.parametrize(
    ("message", "size", "ids", "before", "after"),
    [(1, 3, [1, 2, 3, 4], 0, 36), (40, 3, [37, 38, 39, 40], 36, 0), (20, 100, list(range(1, 41)), 0, 0)],
)
def test_a_window_ends_where_the_conversation_ends(
    message: int, size: int, ids: list[int], before: int, after: int, town: Town, library: Library
) -> None:
    window = library.window(Anchor(town.long, message), size=size)
    assert [row.id for row in window.messages] == ids
    assert (window.before, window.after) == (before, after)


def test_bookends_are_the_first_and_last_turns_outside(town: Town, library: Library) -> None:
    window = library.window(Anchor(town.long, 20), size=2)
    assert [message.id for message in window.bookends_start] == [1, 2, 3]
    assert [message.id for message in window.bookends_end] == [38, 39, 40]
    near = library.window(Anchor(town.long, 4), size=2)
    assert [message.id for message in near.bookends_start] == [1]
    assert library.window(Anchor(town.long, 20), size=50).bookends_end == ()


def test_bookends_hold_words_of_people_and_model_only(tmp_path: Path) -> None:
    """No empty turns, tool results, summaries, rewound or hidden rows, however many of them come first."""
    with Recorder(tmp_path / "state.db") as recorder:
        talk = recorder.create_session("cli")
        recorder.append(talk, "user", f"{SUMMARY} of before")
        for number in range(20):
            call = {"id": f"c{number}", "function": {"name": "ls", "arguments": "{}"}}
            recorder.append(talk, "assistant", "  \n", tool_calls=[call])
            recorder.append(talk, "tool", f"output {number}", tool_call_id=f"c{number}", tool_name="ls")
        recorder.append(talk, "user", "model only", display_kind="hidden")
        turns = [recorder.append(talk, "user" if n % 2 == 0 else "assistant", f"turn {n}") for n in range(4)]
        for _ in range(4):
            recorder.append(talk, "tool", "more", tool_name="ls")
        middle = recorder.append(talk, "user", "the middle")
        recorder.append(talk, "tool", "result", tool_name="ls")
        last = [recorder.append(talk, "assistant", "closing"), recorder.append(talk, "user", "thanks")]
        undone = recorder.append(talk, "user", "undone")
        recorder.rewind(talk, undone)
    with Library.open(tmp_path / "state.db") as library:
        window = library.window(Anchor(talk, middle), size=1)
    assert [message.id for message in window.bookends_start] == turns[:3]
    assert [message.id for message in window.bookends_end] == last
    assert window.hidden == {"rewound": 1, "hidden": 1}


def test_a_place_in_a_copy_is_the_row_that_is_shown(town: Town, library: Library) -> None:
    window = library.window(Anchor(town.folded, town.copied), size=1)
    assert window.anchor == Anchor(town.folded, town.kept)
    (shown,) = [message for message in window.messages if message.id == town.kept]
    assert shown.text == "kept: how far is it seen?"
    assert shown.copies == 2
    everything = library.window(Anchor(town.folded), size=50)
    assert said(everything).count("kept: how far is it seen?") == 1


def test_a_place_named_by_another_session_of_the_conversation(town: Town, library: Library) -> None:
    """A split moves a conversation on to another session: the message is shown in the one that holds it."""
    message = town.chain[2][0]
    window = library.window(Anchor(town.root, message), size=1)
    assert window.anchor == Anchor(town.tip, message)
    assert window.session.id == town.tip
    assert "now the buoy" in said(window)


def test_windows_cross_the_sessions_of_a_chain(town: Town, library: Library) -> None:
    texts = said(library.window(Anchor(town.middle, town.chain[1][0]), size=50))
    assert [text for text in texts if not text.startswith("[CONTEXT")] == [
        "chart the harbour", "charted", "and the pier", "pier too", "now the buoy", "buoy done",
    ]  # fmt: skip


def test_rewound_rows_are_left_out_and_counted_unless_asked_for(town: Town, library: Library) -> None:
    plain = library.window(Anchor(town.folded), size=50)
    assert "take this back" not in said(plain)
    assert plain.hidden["rewound"] >= 1
    whole = library.window(Anchor(town.folded), size=50, everything=True)
    assert "take this back" in said(whole)
    assert whole.hidden == {}
    asked = library.window(Anchor(town.folded, town.rewound), size=1)
    (shown,) = [message for message in asked.messages if message.id == town.rewound]
    assert shown.state is State.REWOUND


def test_compacted_rows_are_part_of_the_conversation(town: Town, library: Library) -> None:
    window = library.window(Anchor(town.folded), size=50)
    assert said(window)[:2] == ["light the lamp", "it burns"]
    assert [message.state for message in window.messages[:2]] == [State.COMPACTED] * 2
    assert Kind.SUMMARY in {message.kind for message in window.messages}


def test_a_session_without_a_message_begins_at_its_beginning(town: Town, library: Library) -> None:
    window = library.window(Anchor(town.long), size=2)
    assert window.anchor is None
    assert [message.id for message in window.messages] == [1, 2, 3, 4, 5]
    assert (window.before, window.after) == (0, 35)


def test_a_tip_stands_for_its_conversation_and_an_older_session_for_itself(town: Town, library: Library) -> None:
    assert said(library.window(Anchor(town.tip), size=1))[0] == "chart the harbour"
    middle = library.window(Anchor(town.middle), size=1)
    assert {message.session_id for message in middle.messages[:1]} == {town.middle}
    assert middle.before == 2


def test_a_session_without_messages_is_an_empty_window(town: Town, library: Library) -> None:
    window = library.window(Anchor("20260303_000000_cccc01"))
    assert (window.messages, window.before, window.after) == ((), 0, 0)


def test_before_window_and_after_are_the_whole_conversation(town: Town, library: Library) -> None:
    for session in (town.long, town.tip, town.folded):
        rows = library.transcript(Anchor(session)).rows
        for row in rows:
            window = library.window(Anchor(row.session_id, row.id), size=1, everything=True)
            assert window.before + len(window.messages) + window.after == len(rows)
            assert sum(message.id == row.id for message in window.messages) == 1


@pytest.mark.parametrize("anchor", [Anchor("nowhere"), Anchor("nowhere", 2), Anchor("20260101_000000_aaaa01", 999_999)])
def test_a_place_that_is_not_there(anchor: Anchor, library: Library) -> None:
    with pytest.raises(NotFound):
        library.window(anchor)


def test_a_session_that_is_not_there_has_no_transcript(library: Library) -> None:
    with pytest.raises(NotFound, match="nowhere"):
        library.transcript(Anchor("nowhere"))


def test_the_session_says_how_it_stands(town: Town, library: Library) -> None:
    window = library.window(Anchor(town.long, 5))
    (listed,) = [row for row in library.sessions(everything=True).rows if row.id == town.long]
    assert window.session.preview == listed.preview == "question 0"
    assert window.session.status is listed.status
    assert window.session.counts == listed.counts
