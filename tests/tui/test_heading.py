"""The line above the transcript."""

from __future__ import annotations

import pytest

from hermes_tui.library import Library
from hermes_tui.model import Anchor, Compaction, Counts, Kind, OutlineRow, Session, State, Transcript
from hermes_tui.recorder import Recorder
from hermes_tui.render import cells
from hermes_tui.tui.heading import arranged, described, joined, position
from hermes_tui.tui.lens import Lens, Standing, standing
from tests.tui.conftest import NOW, staged, tell


def transcript(*states: State, cut: bool = False) -> Transcript:
    session = Session("s", "cli", title="T", started_at=1_790_000_000.0)
    rows = tuple(OutlineRow(at, "s", "user", state, Kind.TURN, 9) for at, state in enumerate(states))
    counts = Counts(*(states.count(state) for state in (State.LIVE, State.COMPACTED, State.REWOUND)))
    cuts = (Compaction(len(states) - 1, "s", 40, 5),) if cut else ()
    return Transcript(session, (session,), rows, counts, compactions=cuts)


def told(whole: Transcript, lens: Lens) -> list[str]:
    return described(whole, standing(whole), lens)


def test_it_says_where_the_reader_is() -> None:
    assert position(12, 1340, None, 0) == "12 of 1,340"
    assert position(12, 340, 3, 7) == "hit 3 of 7 · 12 of 340"
    assert position(12, 340, None, 7) == "7 hits · 12 of 340"
    assert position(12, 340, 3, 200, cut=True) == "hit 3 of 200+ · 12 of 340"
    assert position(12, 340, None, 1, cut=True) == "1+ hits · 12 of 340"


def test_it_says_how_much_of_the_conversation_is_live() -> None:
    live, away, back = [State.LIVE] * 5, [State.COMPACTED] * 40, [State.REWOUND] * 2
    assert told(transcript(*live), Lens.LIVED) == ["5 messages"]
    assert told(transcript(State.LIVE), Lens.LIVED) == ["1 message"]
    assert told(transcript(*live, *back), Lens.LIVED) == ["5 messages", "2 rewound"]
    whole = transcript(*away, *back, *live, cut=True)
    assert told(whole, Lens.LIVED) == ["5 of 45 live", "as lived", "2 rewound"]
    assert told(whole, Lens.AWAY) == ["5 of 45 live", "only what was compacted away", "2 rewound"]
    assert told(transcript(*live), Lens.MODEL) == ["5 messages", "as the model saw it"]


def test_what_does_not_fit_is_dropped_from_the_end_with_a_sign() -> None:
    parts = ["5 live", "40 compacted", "cli"]
    assert joined(parts, 40) == "  5 live · 40 compacted · cli"
    assert joined(parts, 28) == "  5 live · 40 compacted · …"
    assert joined(parts, 26) == "  5 live · …"
    assert joined(parts, 5) == "  …"
    assert joined(parts, 2) == ""


@pytest.mark.parametrize("width", [79, 80, 118, 198])
@pytest.mark.parametrize("lens", list(Lens))
@pytest.mark.parametrize("where", ["12,012 of 20,340", "hit 103 of 200+ · 12,012 of 20,340"])
def test_the_lens_and_what_is_live_are_always_named(width: int, lens: Lens, where: str) -> None:
    now = Standing(live=12_345, lived=20_340, rewound=317)
    whole = transcript(*[State.COMPACTED] * 4, State.LIVE, cut=True)
    told, brief = (described(whole, now, lens, brief=each) for each in (False, True))
    name, about, place = arranged(
        "A title that goes on and on " * 4, (told, brief), ["telegram", "yesterday"], where, width
    )
    assert cells(name) + cells(about) + cells(place) + 2 <= width
    assert any(word in about for word in (lens.value, lens.short))
    assert "12,345" in about
    assert "20,340 live" in about
    assert "12,012" in place
    assert cells(name) >= 8
    if width > 150:
        assert (lens.value in about, place) == (True, where)


async def test_a_long_title_gives_way_to_what_was_compacted(recorder: Recorder) -> None:
    recorder.create_session(
        "cli", session_id="s", title="A title that goes on and on and on for quite a while and so on"
    )
    tell(recorder, "s", *[("user", f"words {number}") for number in range(16)])
    recorder.compact("s", "what was said")
    async with staged(Library.open(recorder.path), size=(80, 20)) as stage:
        await stage.press("enter")
        await stage.until(lambda: "1 of 17 live" in stage.lines()[0])


async def test_a_conversation_without_a_title_goes_by_its_first_words(library: Library) -> None:
    async with staged(library) as stage:
        await stage.press("down", "down")
        await stage.shown("untitled")
        assert stage.browser.heading.name_shown == "which pager do you read with"


async def test_a_conversation_that_was_split_is_called_what_the_list_calls_it(recorder: Recorder) -> None:
    recorder.create_session("cli", session_id="s", title="Move the shed")
    tell(recorder, "s", ("user", "where does the old shed go"), ("assistant", "behind the pear tree"))
    child = recorder.split("s", "The shed is to be moved.")
    recorder.set_title(child, "Moved the shed at last")
    tell(recorder, child, ("user", "it stands"))
    async with staged(Library.open(recorder.path), anchor=Anchor("s", 1)) as stage:
        await stage.shown("s#1")
        assert stage.browser.heading.name_shown == "Moved the shed at last"


async def test_it_follows_hits_and_cursor(library: Library) -> None:
    async with staged(library) as stage:
        await stage.search("kettle")
        await stage.shown("garden#2")
        await stage.until(lambda: "hit 1 of 2 · 2 of 4" in stage.text())
        await stage.press("enter", "n")
        await stage.until(lambda: "hit 2 of 2 · 1 of 4" in stage.text())
        await stage.press("end")
        await stage.until(lambda: "2 hits · 4 of 4" in stage.text())


async def test_an_empty_conversation_has_no_place_in_it(recorder: Recorder) -> None:
    recorder.create_session("cli", session_id="empty", title="Nothing said", started_at=NOW - 7200)
    recorder.create_session("cli", session_id="s", title="Something said")
    tell(recorder, "s", ("user", "hello"))
    async with staged(Library.open(recorder.path)) as stage:
        assert "2 conversations" in stage.text()
        await stage.press("end")
        await stage.shown("s")
        await stage.press("home")
        await stage.shown("empty")
        assert stage.browser.heading.name_shown == "Nothing said"
        assert stage.browser.heading.where == ""


async def test_it_keeps_the_title_and_the_place_in_little_room(recorder: Recorder) -> None:
    recorder.create_session("cli", session_id="s", title="A title that goes on and on and on for quite a while")
    tell(recorder, "s", ("user", "hello"))
    async with staged(Library.open(recorder.path), size=(40, 12)) as stage:
        await stage.press("enter")
        await stage.shown("s")
        await stage.until(lambda: stage.lines()[0].rstrip().endswith("1 of 1"))
        assert stage.lines()[0].startswith(" A title that goes on")
        assert "…" in stage.lines()[0]
