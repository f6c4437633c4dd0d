"""Several stores at once: what is asked of all is merged, what is asked of a place goes to its store."""

from __future__ import annotations

import os
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from hermes_tui.library import Ambiguous, Cancelled, LibraryError, NotFound, StoreError, Stores, StoreUnreadable, Ticket
from hermes_tui.library.where import named, places_of
from hermes_tui.model import Anchor, Answer, StorePlace
from hermes_tui.query import Field
from hermes_tui.recorder import Layout, Recorder

NOON = 1_790_000_000.0
TWIN = "20260101_000000_cccccc"


def write(
    path: Path, start: float, *told: tuple[str, str, str], layout: Layout = Layout.VIEWS, owner: str | None = None
) -> None:
    """Sessions as (id, title, words of the user), a minute apart from `start` on."""
    path.parent.mkdir(parents=True, exist_ok=True)
    times = iter(range(10**6))
    with Recorder(path, layout=layout, clock=lambda: start + 60.0 * next(times)) as recorder:
        for session_id, title, words in told:
            recorder.create_session("cli", session_id=session_id, title=title, profile_name=owner)
            recorder.append(session_id, "user", words)
            recorder.append(session_id, "assistant", "noted")


@pytest.fixture
def places(tmp_path: Path) -> tuple[StorePlace, ...]:
    """Three profiles: two that can be read, of different layouts and with a session of one id, and one that is no
    store."""
    home, work, lost = (tmp_path / name / "state.db" for name in ("home", "work", "lost"))
    told = (("a1", "Kettle", "boil the kettle"), (TWIN, "Twin", "the heron at home"), ("a3", "Late", "lantern"))
    write(home, NOON, *told)
    others = (("b1", "Pager", "the pager kettle"), (TWIN, "Twin", "the heron at work"))
    write(work, NOON + 30, *others, layout=Layout.INLINE)
    lost.parent.mkdir()
    lost.write_text("not a store at all, whatever its name says")
    return tuple(StorePlace(path, path.parent.name) for path in (home, work, lost))


@pytest.fixture
def stores(places: tuple[StorePlace, ...]) -> Iterator[Stores]:
    with Stores.open(places) as stores:
        yield stores


def test_what_cannot_be_read_is_told_and_spoils_nothing(stores: Stores, places: tuple[StorePlace, ...]) -> None:
    assert list(stores.libraries) == ["home", "work"]
    (unread,) = stores.unread
    assert (unread.name, unread.path) == ("lost", places[2].path)
    assert "not a SQLite file" in unread.why
    assert len(stores.sessions().rows) == 5


def test_only_when_no_store_can_be_read_is_that_an_error(places: tuple[StorePlace, ...], tmp_path: Path) -> None:
    with pytest.raises(StoreUnreadable) as refused:
        Stores.open([places[2], StorePlace(tmp_path / "nowhere.db", "nowhere")])
    assert "lost: " in str(refused.value)
    assert "nowhere: " in str(refused.value)
    with pytest.raises(StoreUnreadable) as alone:
        Stores.open([StorePlace(places[2].path)])
    assert "stores" not in str(alone.value)


def test_lists_are_merged_by_last_activity_and_rows_name_their_store(stores: Stores) -> None:
    listed = stores.sessions()
    moments = [row.last_active_at for row in listed.rows]
    assert moments == sorted(moments, key=lambda moment: -(moment or 0))
    assert sorted(row.key for row in listed.rows) == [
        ("home", TWIN), ("home", "a1"), ("home", "a3"), ("work", TWIN), ("work", "b1"),
    ]  # fmt: skip
    assert listed.total == 5
    cut = stores.sessions(limit=2)
    assert cut.rows == listed.rows[:2]
    assert (cut.truncated, cut.total) == (True, 5)
    assert all(row.counts.live == 2 for row in listed.rows)
    assert [row.key for row in stores.detailed(listed.rows)] == [row.key for row in listed.rows]


def test_hidden_sessions_are_summed_and_filters_apply_in_every_store(stores: Stores) -> None:
    assert stores.sessions(filters="title:twin").hidden == {"filters": 3}
    assert {row.key for row in stores.sessions(filters="profile:work").rows} == {("work", TWIN), ("work", "b1")}
    rows = stores.sessions(filters="-profile:work -title:twin").rows
    assert {row.key for row in rows} == {("home", "a1"), ("home", "a3")}


@pytest.mark.parametrize(("sort", "order"), [("newest", ["work", "home"]), ("oldest", ["home", "work"])])
def test_hits_are_merged_by_time(sort: str, order: list[str], stores: Stores) -> None:
    answer = stores.search("heron", sort=sort)
    assert [hit.anchor.profile for hit in answer.hits] == order
    assert [hit.session.profile for hit in answer.hits] == order
    assert {hit.anchor.session_id for hit in answer.hits} == {TWIN}
    assert (answer.total, answer.truncated, answer.complete) == (2, False, True)
    assert (answer.coverage.messages, answer.coverage.searched) == (10, 10)
    cut = stores.search("heron", sort=sort, limit=1)
    assert [hit.anchor.profile for hit in cut.hits] == order[:1]
    assert cut.truncated


def test_the_best_hit_stands_first_whatever_its_store(tmp_path: Path) -> None:
    dull = "a long talk in which, after many other words that say nothing, a kettle is named only once"
    write(tmp_path / "one" / "state.db", NOON, ("a", "", dull), ("b", "", f"{dull} again"))
    write(tmp_path / "two" / "state.db", NOON - 86_400, ("c", "", "kettle kettle"))
    with Stores.open(named([tmp_path / name / "state.db" for name in ("one", "two")])) as stores:
        hits = stores.search("kettle", sort="best").hits
        assert [hit.anchor.profile for hit in hits] == ["two", "one", "one"]
        assert hits[0].anchor == Anchor("c", 1, "two")
        assert [hit.rank for hit in hits] == sorted(hit.rank for hit in hits)


def test_words_found_inside_words_only_stand_behind_whole_ones(stores: Stores, tmp_path: Path) -> None:
    write(tmp_path / "more" / "state.db", NOON + 9999, ("c", "", "three teakettles"))
    places = [StorePlace(library.path, name) for name, library in stores.libraries.items()]
    with Stores.open([*places, StorePlace(tmp_path / "more" / "state.db", "more")]) as three:
        answer = three.search("kettle", sort="newest")
        assert [hit.anchor.profile for hit in answer.hits] == ["work", "home", "more"]
        assert any(note.startswith("more: ") for note in answer.coverage.notes)


def test_a_growing_answer_streams_from_all_stores(stores: Stores) -> None:
    grown: list[Answer] = []
    whole = stores.search("kettle", on_progress=grown.append)
    assert grown
    assert not any(answer.complete for answer in grown)
    assert {hit.anchor for answer in grown for hit in answer.hits} <= {hit.anchor for hit in whole.hits}
    assert {hit.anchor.profile for hit in whole.hits} == {"home", "work"}


def test_a_cancelled_ticket_ends_a_question_to_all(stores: Stores) -> None:
    ticket = Ticket()
    ticket.cancel()
    with pytest.raises(Cancelled):
        stores.search("kettle", ticket=ticket)


def test_titles_chips_ways_out_and_values_are_of_all(stores: Stores) -> None:
    assert {row.key for row in stores.search("twin").sessions} == {("home", TWIN), ("work", TWIN)}
    (hidden,) = stores.hides("kettle title:nothing")
    assert (hidden.text, hidden.hides) == ("title:nothing", 2)
    ways = {way.reason: way.hits for way in stores.ways_out("kettle title:nothing")}
    assert ways["without title:nothing"] == 2
    assert dict(stores.facets(Field.PROFILE)) == {"home": 3, "work": 2}
    assert dict(stores.facets(Field.SOURCE)) == {"cli": 5}


def test_what_is_in_one_store_is_asked_of_that_store(stores: Stores) -> None:
    for name, words in (("home", "the heron at home"), ("work", "the heron at work")):
        anchor = stores.resolve(f"{name}/{TWIN}")
        assert anchor == Anchor(TWIN, None, name)
        transcript = stores.transcript(anchor)
        assert {session.profile for session in (transcript.session, *transcript.segments)} == {name}
        message = transcript.rows[0].id
        assert stores.messages([message], profile=name)[0].text == words
        assert stores.row(message, profile=name)["content"] == words
        window = stores.window(stores.resolve(f"{name}/{TWIN}#{message}"))
        assert window.anchor == Anchor(TWIN, message, name)
        assert window.session.profile == name
        assert stores.previews([(name, TWIN)]) == {(name, TWIN): words}
    with pytest.raises(LibraryError, match="home, work"):
        stores.transcript(Anchor(TWIN))
    with pytest.raises(LibraryError, match="No open store is called"):
        stores.transcript(Anchor(TWIN, None, "elsewhere"))


def test_a_place_without_a_store_has_to_be_in_one_only(stores: Stores) -> None:
    assert stores.resolve("Pager") == Anchor("b1", None, "work")
    with pytest.raises(Ambiguous) as refused:
        stores.resolve(TWIN)
    assert f"home/{TWIN} (Twin), work/{TWIN} (Twin)" in str(refused.value)
    with pytest.raises(Ambiguous, match="home/a1#1"):
        stores.resolve("1")
    with pytest.raises(NotFound, match="home, work"):
        stores.resolve("nobody")


def test_what_is_asked_of_many_sessions_adds_up_over_the_stores(stores: Stores) -> None:
    each = list(stores.libraries.values())
    day = stores.day(NOON - 1, NOON + 9_999)
    assert [one.timestamp for one in day.moments] == sorted(one.timestamp for one in day.moments)
    assert (len(day.moments), day.total, day.sessions) == (10, 10, 5)
    assert {one.anchor.key for one in day.moments} == {row.key for row in stores.sessions().rows}
    assert all(one.anchor.profile == one.session.profile for one in day.moments)
    cut = stores.day(NOON - 1, NOON + 9_999, limit=3)
    assert (cut.moments, cut.truncated) == (day.moments[:3], True)
    assert dict(stores.sizes()) == {row.key: 2 for row in stores.sessions().rows}
    parts = [library.activity(days=9, now=NOON + 9_999) for library in each]
    whole = stores.activity(days=9, now=NOON + 9_999)
    by_day = zip(*([one.sessions for one in part.days] for part in parts), strict=True)
    assert [one.sessions for one in whole.days] == [sum(same) for same in by_day]
    assert sum(one.sessions for one in whole.days) == 5
    assert [(share.name, share.sessions) for share in whole.by] == [("cli", 5)]
    assert stores.touched("kettle.py").total == 0
    os.unlink(stores.libraries["work"].path)
    assert [note.partition(":")[0] for note in stores.day(NOON - 1, NOON + 9_999).notes] == ["work did not answer"]


def test_with_one_store_no_row_names_it(places: tuple[StorePlace, ...]) -> None:
    with Stores.open(places[:1]) as stores:
        day = stores.day(NOON - 1, NOON + 9_999)
        assert {(one.anchor.profile, one.session.profile) for one in day.moments} == {(None, None)}
        assert {row.profile for row in stores.sessions().rows} == {None}
        assert {hit.anchor.profile for hit in stores.search("kettle").hits} == {None}
        assert stores.transcript(Anchor("a1", None, "any name")).session.profile is None


def test_an_anchor_that_is_searched_for_is_gone_to(stores: Stores) -> None:
    assert stores.search(f"work/{TWIN}#3").goto == Anchor(TWIN, 3, "work")
    assert stores.search("a3").goto == Anchor("a3", None, "home")
    assert stores.search(TWIN).goto is None, "two stores hold it"
    assert stores.search("work/Twin").goto is None
    assert {row.key for row in stores.search(TWIN).sessions} == {("home", TWIN), ("work", TWIN)}


def test_a_store_that_fails_later_becomes_a_note(stores: Stores) -> None:
    assert not stores.changed()
    os.unlink(stores.libraries["work"].path)
    listed = stores.sessions()
    assert {row.profile for row in listed.rows} == {"home"}
    assert any(note.startswith("work did not answer: ") for note in listed.notes)
    answer = stores.search("kettle")
    assert [hit.anchor.profile for hit in answer.hits] == ["home"]
    assert any(note.startswith("work did not answer: ") for note in answer.coverage.notes)
    (hidden,) = stores.hides("kettle title:nothing")
    assert (hidden.hides, hidden.more) == (1, True)
    assert stores.changed(), "that it is gone"
    assert not stores.changed()
    assert list(stores.failing) == ["work"]
    assert stores.jobs(stores.sessions().rows) == ()
    os.unlink(stores.libraries["home"].path)
    with pytest.raises(StoreError):
        stores.sessions()


def test_changes_are_seen_in_every_store_and_a_store_that_is_put_right_is_read(
    stores: Stores, places: tuple[StorePlace, ...], tmp_path: Path
) -> None:
    assert not stores.changed()
    moments = iter((NOON + 50_000, NOON + 50_001))
    for place in places[:2]:
        with Recorder(place.path, clock=lambda: next(moments)) as recorder:
            recorder.append("b1" if place.name == "work" else "a1", "user", "one more word")
            assert stores.changed(), place.name
        stores.changed()
        assert stores.sessions().rows[0].profile == place.name
    assert not stores.changed()
    write(tmp_path / "new.db", NOON + 60_000, ("c1", "Found again", "here I am"))
    os.replace(tmp_path / "new.db", places[2].path)
    assert stores.changed()
    assert stores.unread == ()
    assert stores.sessions().rows[0].key == ("lost", "c1")
    shutil.copyfile(places[2].path, tmp_path / "copy.db")
    write(tmp_path / "copy.db", NOON + 70_000, ("c2", "Replaced", "another file"))
    for suffix in ("-wal", "-shm"):
        Path(f"{places[0].path}{suffix}").unlink(missing_ok=True)
    os.replace(tmp_path / "copy.db", places[0].path)  # a migration or a repair puts a new file in the old one's place
    assert stores.changed()
    assert stores.sessions().rows[0].key == ("home", "c2")


def test_a_gateway_s_sessions_name_the_profile_they_are_of(tmp_path: Path) -> None:
    path = tmp_path / "state.db"
    write(path, NOON, ("g1", "Gateway", "served for work"), owner="work")
    write(path, NOON + 900, ("d1", "Own", "typed at home"))
    with Stores.open([StorePlace(path, "default")]) as stores:
        rows = {row.id: row for row in stores.sessions().rows}
        assert (rows["g1"].owner, rows["d1"].owner) == ("work", None)
        assert {row.id for row in stores.sessions(filters="profile:work").rows} == {"g1"}
        assert {row.id for row in stores.sessions(filters="profile:default").rows} == {"d1"}
        assert stores.resolve("work/g1#1") == Anchor("g1", 1)
        with pytest.raises(NotFound):
            stores.resolve("work/d1")


@pytest.mark.parametrize(
    ("paths", "names"),
    [
        (["/x/one.db", "/x/two.db"], ["one", "two"]),
        (["/h/work/state.db", "/h/home/state.db"], ["work", "home"]),
        (["/a/p/state.db", "/b/p/state.db"], ["a-p", "b-p"]),
        (["/h/state.db", "/h/state.db.malformed-backup-7"], ["h", "malformed-backup-7"]),
        (["/h/copy.db", "/h/x/copy.db"], ["h-copy", "x-copy"]),
    ],
)
def test_files_are_named_by_the_words_that_tell_them_apart(paths: list[str], names: list[str]) -> None:
    assert [place.name for place in named([Path(path) for path in paths])] == names


def test_all_profiles_are_those_of_the_home_that_is_in_use(tmp_path: Path) -> None:
    for folder in ("", "profiles/work", "profiles/empty", "state-snapshots/1"):
        (tmp_path / folder).mkdir(parents=True, exist_ok=True)
    for store in ("state.db", "profiles/work/state.db", "state-snapshots/1/state.db"):
        (tmp_path / store).touch()
    environ = {"HERMES_HOME": str(tmp_path), "HOME": str(tmp_path / "nobody")}
    assert [place.name for place in places_of(everything=True, environ=environ)] == ["default", "work"]
    one = places_of(paths=[str(tmp_path / "state.db"), f"{tmp_path}/./state.db"], environ=environ)
    assert one == (StorePlace(tmp_path / "state.db", None),)


def test_a_store_that_is_migrated_while_it_is_open_is_looked_at_anew(tmp_path: Path) -> None:
    """A new release adds columns to the file that is being read."""
    for name in ("old", "other"):
        write(tmp_path / name / "state.db", NOON, ("m1", "Before", "words"), layout=Layout.INLINE)
    with closing(sqlite3.connect(tmp_path / "old" / "state.db")) as connection:
        connection.execute("ALTER TABLE sessions DROP COLUMN profile_name")
    with Stores.open(named([tmp_path / name / "state.db" for name in ("old", "other")])) as stores:
        assert {row.owner for row in stores.sessions().rows} == {None}
        with closing(sqlite3.connect(tmp_path / "old" / "state.db")) as connection:
            connection.execute("ALTER TABLE sessions ADD COLUMN profile_name TEXT")
            connection.execute("UPDATE sessions SET profile_name = 'work'")
            connection.commit()
        assert stores.changed()
        assert {(row.profile, row.owner) for row in stores.sessions().rows} == {("old", "work"), ("other", None)}
        assert [row.profile for row in stores.sessions(filters="profile:work").rows] == ["old"]
