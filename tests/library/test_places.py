"""Names for places: what CLI.md lets a person write for an anchor, and a sentence when it names nothing or too much."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from hermes_tui.library import Ambiguous, Library, NotFound
from hermes_tui.model import Anchor
from tests.library.conftest import Town

Named = Callable[[Town], str]
Meant = Callable[[Town], Anchor]


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        pytest.param(lambda t: t.long, lambda t: Anchor(t.long), id="id"),
        pytest.param(lambda t: f"  {t.long}\n", lambda t: Anchor(t.long), id="blanks around"),
        pytest.param(lambda t: "20260101_000000_aaaa01", lambda t: Anchor(t.long), id="id that begins like others"),
        pytest.param(lambda t: "20260202", lambda t: Anchor(t.folded), id="beginning of one id"),
        pytest.param(lambda t: "Long talk", lambda t: Anchor(t.long), id="title"),
        pytest.param(lambda t: "long TALK", lambda t: Anchor(t.long), id="title in other letters"),
        pytest.param(lambda t: "Twin", lambda t: Anchor("20260303_000000_cccc01"), id="one of two that differ in case"),
        pytest.param(lambda t: "Harbour", lambda t: Anchor(t.tip), id="title of a chain: its newest"),
        pytest.param(lambda t: "Harbour #2", lambda t: Anchor(t.middle), id="numbered title"),
        pytest.param(lambda t: "Build #12", lambda t: Anchor("cccc#4"), id="title that looks like an anchor"),
        pytest.param(lambda t: "cccc#4", lambda t: Anchor("cccc#4"), id="id that looks like an anchor"),
        pytest.param(lambda t: f"{t.long}#2", lambda t: Anchor(t.long, 2), id="id and message"),
        pytest.param(lambda t: "Long talk#2", lambda t: Anchor(t.long, 2), id="title and message"),
        pytest.param(lambda t: f"20260202#{t.kept}", lambda t: Anchor(t.folded, t.kept), id="beginning and message"),
        pytest.param(lambda t: "2", lambda t: Anchor(t.long, 2), id="message id, though an id begins like it"),
        pytest.param(lambda t: "#3", lambda t: Anchor(t.long, 3), id="message id with its sign, though a title is 3"),
        pytest.param(lambda t: "3", lambda t: Anchor("77777"), id="title before message id"),
        pytest.param(lambda t: "7777", lambda t: Anchor("77777"), id="digits that are no message but begin an id"),
        pytest.param(
            lambda t: f"{t.tip}#{t.chain[0][1]}", lambda t: Anchor(t.root, t.chain[0][1]), id="tip and message of root"
        ),
        pytest.param(
            lambda t: f"{t.root}#{t.chain[2][0]}", lambda t: Anchor(t.tip, t.chain[2][0]), id="root and message of tip"
        ),
    ],
)
def test_a_name_means_a_place(name: Named, meant: Meant, town: Town, library: Library) -> None:
    assert library.resolve(name(town)) == meant(town)


@pytest.mark.parametrize(
    "text",
    ["", "  ", "#", "nowhere", "999999", "#999999", "0", "-1", "٣", "2²", "\0", "\ud800", "%", "_", "9" * 20,
     "9" * 5000, "20260101_000000_aaaa01#999999", "20260101_000000_aaaa01#", "20260101_000000_aaaa01#x", "nowhere#2",
     "alk", "long", "work/2", "20260101_000000_AAAA01" * 400],
)  # fmt: skip
def test_a_name_that_means_nothing_is_said(text: str, library: Library) -> None:
    with pytest.raises(NotFound, match=r"No session or message|has no message"):
        library.resolve(text)


def test_a_message_of_another_conversation_is_named_where_it_is(town: Town, library: Library) -> None:
    with pytest.raises(NotFound) as refused:
        library.resolve(f"{town.folded}#2")
    assert f"{town.long}#2" in str(refused.value)


def test_a_beginning_of_several_names_them(town: Town, library: Library) -> None:
    with pytest.raises(Ambiguous) as refused:
        library.resolve("20260101")
    assert {session.id for session in refused.value.candidates} == {town.long, town.root}
    assert town.long in str(refused.value)
    assert "Long talk" in str(refused.value)


def test_a_title_in_other_letters_that_two_have_names_both(library: Library) -> None:
    with pytest.raises(Ambiguous) as refused:
        library.resolve("TWIN")
    assert len(refused.value.candidates) == 2


def test_a_profile_in_front_is_understood(town: Town) -> None:
    with Library.open(town.path, profile="work") as library:
        assert library.resolve(f"work/{town.long}#2") == Anchor(town.long, 2)
        assert library.resolve("work/2") == Anchor(town.long, 2)
        with pytest.raises(NotFound):
            library.resolve("play/2")


def test_every_anchor_written_is_read_back(town: Town, library: Library) -> None:
    for row in library.sessions(everything=True).rows:
        for message in library.transcript(Anchor(row.id)).rows:
            anchor = Anchor(message.session_id, message.id)
            assert library.resolve(str(anchor)) == anchor


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        pytest.param(lambda t: f"{t.long}#2", lambda t: Anchor(t.long, 2), id="anchor"),
        pytest.param(lambda t: t.long, lambda t: Anchor(t.long), id="id"),
        pytest.param(lambda t: "2", lambda t: Anchor(t.long, 2), id="message id"),
        pytest.param(lambda t: f"{t.long}#999", lambda t: None, id="no such message"),
        pytest.param(lambda t: "20260101_000000_aaaa0", lambda t: None, id="beginning of an id"),
        pytest.param(lambda t: "Long talk", lambda t: None, id="title"),
        pytest.param(lambda t: "question", lambda t: None, id="words"),
        pytest.param(lambda t: "", lambda t: None, id="nothing"),
    ],
)
def test_a_search_for_a_whole_place_goes_there(
    text: Named, meant: Callable[[Town], Anchor | None], town: Town, library: Library
) -> None:
    assert library.search(text(town)).goto == meant(town)
