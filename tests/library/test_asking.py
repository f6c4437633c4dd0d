"""What a search says beside its hits: filters and what each hides, ways out of an empty answer, what can be picked."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from hermes_tui.library import Library
from hermes_tui.model import Case, Filtered, Mode, WayOut
from hermes_tui.query import Field
from hermes_tui.query.regexp import PATIENCE, Searcher
from hermes_tui.recorder import Recorder

DAY = 86_400.0
NOON = 1_780_056_000.0  # 2026-05-29 12:00 UTC


def write_kitchen(path: Path) -> dict[str, str]:
    """Kettles by source, role, state and day; the sessions' ids by what they are."""
    ticks = iter(range(10**6))
    with Recorder(path, clock=lambda: NOON + next(ticks)) as recorder:
        cli = recorder.create_session("cli", title="Tea", model="qwen3-coder", cwd="/srv/kitchen")
        recorder.append(cli, "user", "the copper kettle is old")
        recorder.append(cli, "assistant", "a kettle lid", reasoning="they want a walrus kettle")
        recorder.append(cli, "tool", "kettle --boil /etc/kettle.conf", tool_name="terminal", tool_call_id="c1")
        gone = recorder.append(cli, "user", "the kettle I take back, with a secret heron")
        recorder.append(cli, "assistant", "gone")
        recorder.rewind(cli, gone)
        cron = recorder.create_session("cron", title="Nightly", model="small-7b")
        recorder.append(cron, "assistant", "kettle report: all fine")
        recorder.append(cron, "assistant", "Kettle report: descaled")
        old = recorder.create_session(
            "telegram", title="Old talk", model="qwen3-max", cwd="/srv/attic", started_at=NOON - 60 * DAY
        )
        recorder.append(old, "user", "a kettle from long ago", timestamp=NOON - 60 * DAY)
        recorder.archive(old)
        recorder.end_session(old, "tui_shutdown")
    return {"cli": cli, "cron": cron, "old": old}


@pytest.fixture(scope="module")
def kitchen(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Library, dict[str, str]]]:
    path = tmp_path_factory.mktemp("kitchen") / "state.db"
    ids = write_kitchen(path)
    with Library.open(path) as library:
        yield library, ids


Kitchen = tuple[Library, dict[str, str]]


def found(library: Library, text: str, mode: Mode | None = None) -> list[str]:
    answer = library.search(text, sort="oldest", mode=mode or Mode())
    assert answer.complete
    return [hit.snippet for hit in answer.hits]


def test_every_filter_says_what_it_alone_hides(kitchen: Kitchen) -> None:
    library, _ = kitchen
    assert library.hides("kettle source:cli role:user") == (
        Filtered("source:cli", "kettle role:user", hides=1),  # the one on telegram
        Filtered("role:user", "kettle source:cli", hides=2),  # the lid and the tool
    )
    assert library.hides("kettle -source:cron") == (Filtered("-source:cron", "kettle", hides=2),)
    assert library.hides("kettle after:2026-05-01") == (Filtered("after:2026-05-01", "kettle", hides=1),)
    assert library.hides("kettle in:text") == (Filtered("in:text", "kettle", hides=1),)
    assert library.hides("kettle") == ()
    bad = library.hides("(kettle source:cli", mode=Mode(regex=True))
    assert bad == (Filtered("source:cli", "(kettle"),), "it stands, and nobody can count"


def test_an_answer_names_its_filters_before_anything_is_counted(kitchen: Kitchen) -> None:
    library, _ = kitchen
    answer = library.search('kettle  title:"Tea" -source:cron')
    assert answer.filters == (
        Filtered('title:"Tea"', "kettle -source:cron"),
        Filtered("-source:cron", 'kettle  title:"Tea"'),
    )


def ways(library: Library, text: str, **asked: object) -> dict[str, WayOut]:
    return {way.reason: way for way in library.ways_out(text, **asked)}  # type: ignore[arg-type]


def test_zero_hits_explain_themselves(kitchen: Kitchen) -> None:
    library, _ = kitchen
    assert not library.search("kettle source:discord role:user").hits
    out = ways(library, "kettle source:discord role:user")
    assert out["without source:discord"].hits == 2
    assert out["without source:discord"].text == "kettle role:user"
    assert "without role:user" not in out  # nothing there either
    assert out["without any filter"].hits == 6

    taken_back = ways(library, "heron")["in turns that were taken back"]
    assert (taken_back.hits, taken_back.rewound, taken_back.text) == (1, True, "heron")
    thought = ways(library, "walrus")["in what the model thought"]
    assert (thought.hits, thought.mode.reasoning) == (1, True)
    assert ways(library, "KETTLE", mode=Mode(case=Case.EXACT))["in capitals or small letters"].hits == 6
    small = ways(library, "/ETC/KETTLE", mode=Mode(case=Case.EXACT))["in capitals or small letters"]
    assert (small.hits, small.mode.case) == (1, Case.FOLD)
    assert ways(library, "kettle spaceship")["with kettle alone"].hits == 6
    assert ways(library, "kettle spaceship")["with any of the words"].hits == 6
    assert ways(library, '"old kettle"')["without the quotes, words in any order"].hits == 1
    assert ways(library, "kettle.conf$x", mode=Mode(regex=True)) == {}
    assert ways(library, "/etc/kettle.conf?(", mode=Mode(regex=True)) == {}
    assert ways(library, "fine+ kettle", mode=Mode(regex=True)) == {}


def test_each_way_out_keeps_its_word(kitchen: Kitchen) -> None:
    library, _ = kitchen
    for text in ("kettle source:discord role:user", "heron", "walrus in:text", "kettle spaceship", '"old kettle"'):
        for way in library.ways_out(text):
            answer = library.search(way.text, mode=way.mode, rewound=way.rewound, hidden=way.hidden)
            assert len(answer.hits) == way.hits, way


def test_other_profiles_are_asked_the_same_question(kitchen: Kitchen, tmp_path: Path) -> None:
    library, _ = kitchen
    path = tmp_path / "work.db"
    with Recorder(path) as recorder:
        session = recorder.create_session("cli")
        recorder.append(session, "user", "a spaceship with a kettle")
    damaged = tmp_path / "damaged.db"
    damaged.write_text("no store at all")
    others = {"work": path, "broken": damaged, "gone": tmp_path / "none.db"}
    out = ways(library, "spaceship", others=others)
    assert (out["in profile work"].hits, out["in profile work"].profile) == (1, "work")
    for name in ("broken", "gone"):  # nobody knows what they hold: that is not the same as nothing
        way = out[f"seen in profile {name}, which cannot be read"]
        assert (way.hits, way.profile) == (0, name)


def test_regions_are_looked_into_by_themselves(kitchen: Kitchen) -> None:
    library, _ = kitchen
    assert found(library, "walrus") == []
    assert found(library, "walrus in:reasoning") == ["they want a walrus kettle"]
    assert found(library, "lid walrus") == []
    assert len(found(library, "lid walrus", Mode(reasoning=True))) == 1
    assert len(found(library, "kettle in:tools")) == 1
    assert {"terminal"} == {hit.message.tool_name for hit in library.search("kettle in:tools").hits}
    titles = library.search("tea in:titles")
    assert not titles.hits
    assert [session.title for session in titles.sessions] == ["Tea"]
    by_pattern = library.search("^T.a$", mode=Mode(regex=True))
    assert [session.title for session in by_pattern.sessions] == ["Tea"]


def test_nothing_but_filters_lists_what_they_let_through(kitchen: Kitchen) -> None:
    library, ids = kitchen
    assert len(found(library, "source:cron")) == 2
    assert [session.id for session in library.search("source:cron").sessions] == [ids["cron"]]
    assert len(found(library, "role:user")) == 2
    assert library.search("role:user").sessions == ()
    assert found(library, "tool:terminal") == ["kettle --boil /etc/kettle.conf"]
    assert found(library, "is:rewound role:user") == ["the kettle I take back, with a secret heron"]


def test_a_conversation_is_all_of_its_sessions(tmp_path: Path) -> None:
    path = tmp_path / "state.db"
    with Recorder(path) as recorder:
        root = recorder.create_session("cli", title="Long")
        recorder.append(root, "user", "first heron")
        tip = recorder.split(root, "what was said")
        recorder.append(tip, "user", "second heron")
        other = recorder.create_session("cli")
        recorder.append(other, "user", "third heron")
    with Library.open(path) as library:
        assert len(found(library, f"heron session:{tip}")) == 1
        assert found(library, f"heron conversation:{tip}") == ["first heron", "second heron"]
        assert found(library, f"heron -conversation:{root}") == ["third heron"]


@pytest.mark.parametrize(
    ("filters", "shown"),
    [
        ("source:cron", ["cron"]),
        ("source:cli", ["cli"]),
        ("is:archived", ["old"]),
        ("-source:cli", []),  # what is left is automation and archived: counted, not shown
        ("model:qwen3", ["cli"]),
        ("session:OLD", ["old"]),
        ("tool:terminal", ["cli"]),
        ("is:rewound", ["cli"]),
        ("tea", ["cli"]),
        ("night source:cron", ["cron"]),
        ("before:2026-05-01 is:archived", ["old"]),
        ("after:2027", []),
    ],
)
def test_filters_on_the_list_of_sessions(kitchen: Kitchen, filters: str, shown: list[str]) -> None:
    library, ids = kitchen
    listing = library.sessions(filters=filters.replace("OLD", ids["old"]))
    assert [row.id for row in listing.rows] == [ids[name] for name in shown]
    counted = sum(len(row.segments) for row in listing.rows) + sum(listing.hidden.values())
    assert counted == 3  # every session is shown, or counted under one reason


def test_a_filter_that_narrows_no_list_down_says_so(kitchen: Kitchen) -> None:
    library, _ = kitchen
    listing = library.sessions(filters="in:tools")
    assert listing.notes == ("in:tools says where a search looks, and narrows no list down",)
    assert [row.id for row in listing.rows] == [row.id for row in library.sessions().rows]


def test_what_can_be_picked_is_what_stands_in_the_store(kitchen: Kitchen) -> None:
    library, _ = kitchen
    assert library.facets(Field.SOURCE) == (("cli", 1), ("cron", 1), ("telegram", 1))
    assert library.facets(Field.ROLE) == (("assistant", 4), ("user", 3), ("tool", 1))
    assert library.facets(Field.TOOL) == (("terminal", 1),)
    assert dict(library.facets(Field.IS)) == {
        "live": 6, "compacted": 0, "rewound": 2, "archived": 1, "pinned": 0, "running": 2, "branch": 0, "child": 0,
    }  # fmt: skip
    for field in Field:
        for value, many in library.facets(field):
            answer = library.search(f'{field.value}:"{value}"')
            assert [part.text for part in answer.filters] == [f'{field.value}:"{value}"'], value
            if field in (Field.SOURCE, Field.MODEL, Field.TITLE, Field.CWD) and many:
                assert answer.hits, (field, value)


def test_zero_hits_do_not_claim_a_look_that_found_something(kitchen: Kitchen) -> None:
    library, _ = kitchen
    assert library.search("zeppelin").coverage.notes == ("no message holds these, not inside words either",)
    (note,) = library.search("ettl").coverage.notes
    assert note == "no message holds these as whole words: looked inside words"
    assert library.search('"zeppelin"').coverage.notes == ()


def test_titles_are_found_as_messages_are(tmp_path: Path) -> None:
    path = tmp_path / "state.db"
    with Recorder(path) as recorder:
        for title in ("Café Müller, the plan", "Redoing the harbour", "nightly"):
            recorder.append(recorder.create_session("cli", title=title), "user", "hi")

    def titles(text: str, mode: Mode | None = None) -> set[str | None]:
        return {session.title for session in library.search(text, mode=mode or Mode()).sessions}

    with Library.open(path) as library:
        for text in ("cafe", "muller", "Müller plan", '"the plan"', "in:titles plan café", "plan NOT harbour"):
            assert titles(text) == {"Café Müller, the plan"}, text
        assert titles("plan OR redo") == {"Café Müller, the plan", "Redoing the harbour"}
        assert titles("the NOT harbour") == {"Café Müller, the plan"}
        assert titles('"nightly"') == {"nightly"}
        assert titles("ight") == {"nightly"}
        assert titles("the zeppelin") == set()


def test_another_profile_is_named_by_the_filter_that_asks_for_it(kitchen: Kitchen, tmp_path: Path) -> None:
    library, _ = kitchen
    path = tmp_path / "work.db"
    with Recorder(path) as recorder:
        recorder.append(recorder.create_session("cli"), "user", "a spaceship with a kettle")
    way = ways(library, "spaceship profile:work", others={"work": path})["in profile work"]
    assert (way.hits, way.profile) == (1, "work")


def test_several_reasons_for_nothing_are_taken_together(kitchen: Kitchen) -> None:
    library, _ = kitchen
    out = ways(library, "zeppelin kettle source:discord")
    assert out["with kettle alone, anywhere at all"].hits == 7
    out = ways(library, "WALRUS", mode=Mode(case=Case.EXACT))
    assert out["anywhere at all: taken back, hidden, thought, in any case"].hits == 1


def test_a_pattern_that_was_given_up_is_not_tried_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    hostile, mode = "(a|aa)+$x", Mode(regex=True)
    path = tmp_path / "state.db"
    with Recorder(path) as recorder:
        session = recorder.create_session("cli")
        recorder.append(session, "user", f"never type {hostile} here")
        recorder.append_many(session, [{"role": "user", "content": "a" * 20_000} for _ in range(30)])
    tried = 0
    spans = Searcher.spans

    def counted(searcher: Searcher, text: str, *, limit: int, patience: float = PATIENCE) -> list[tuple[int, int]]:
        nonlocal tried
        tried += 1
        return spans(searcher, text, limit=limit, patience=min(patience, 0.02))  # the same, sooner

    monkeypatch.setattr(Searcher, "spans", counted)
    with Library.open(path) as library:
        text = f"{hostile} source:cli"
        answer = library.search(text, mode=mode)
        assert answer.complete
        assert not answer.coverage.searched
        assert any("takes too long" in note for note in answer.coverage.notes)
        assert tried > 0
        tried = 0
        assert [way.reason for way in library.ways_out(text, mode=mode)] == ["as plain text"]
        assert library.hides(text, mode=mode) == (Filtered("source:cli", hostile),), "it stands, whatever it hides"
        assert tried == 0
        assert library.search("a+", mode=mode).hits
        assert "without source:cron" in ways(library, "a+ source:cron", mode=mode)
        assert tried > 0


def test_best_first_gives_every_conversation_a_turn(tmp_path: Path) -> None:
    path = tmp_path / "state.db"
    with Recorder(path) as recorder:
        for _ in range(3):
            session = recorder.create_session("cli")
            recorder.append_many(session, [{"role": "user", "content": f"station {n}"} for n in range(60)])
    with Library.open(path) as library:
        hits = library.search("station", sort="best", limit=60).hits
        assert len({hit.session.id for hit in hits}) == 3


def test_a_hole_in_an_index_never_costs_a_hit(sample_home: Path, tmp_path: Path) -> None:
    whole = sample_home / "state.db"
    with closing(sqlite3.connect(whole)) as connection:
        pages = [row[0] for row in connection.execute("SELECT id FROM messages_fts_data WHERE id > 10 ORDER BY id")]
    asked = ("PE04", "residuals", "kettle OR archive", "station")
    with Library.open(whole) as library:
        right = [{hit.anchor for hit in library.search(text, limit=5_000).hits} for text in asked]
    for number, page in enumerate(pages[:: max(1, len(pages) // 12)]):
        path = tmp_path / f"{number}.db"
        shutil.copyfile(whole, path)
        with closing(sqlite3.connect(path)) as connection, connection:
            connection.execute(
                "UPDATE messages_fts_data SET block = CAST(substr(block, 1, length(block) / 2) AS BLOB)"
                " || zeroblob(length(block) - length(block) / 2) WHERE id = ?",
                (page,),
            )
        with Library.open(path) as library:
            for text, expected in zip(asked, right, strict=True):
                answer = library.search(text, limit=5_000)
                assert {hit.anchor for hit in answer.hits} == expected, (page, text)


def test_a_page_of_an_index_that_cannot_be_read_never_costs_a_hit(sample_home: Path, tmp_path: Path) -> None:
    """Also where no question asks for that page: what was found must not turn into an error."""
    path = tmp_path / "state.db"
    shutil.copyfile(sample_home / "state.db", path)
    with closing(sqlite3.connect(path)) as connection:
        size = connection.execute("PRAGMA page_size").fetchone()[0]
        blocks = connection.execute("SELECT block FROM messages_fts_data WHERE id > 10 ORDER BY id").fetchall()
    with Library.open(path) as library:
        right = {hit.anchor for hit in library.search("PE04", limit=5_000).hits}
    whole = path.read_bytes()
    spoilt = 0
    for (block,) in blocks[:: max(1, len(blocks) // 8)]:
        at = whole.find(block[:64])
        page = at - at % size
        if at < 0 or page == 0 or whole[page] != 0x0D:  # no leaf of a table
            continue
        spoilt += 1
        path.write_bytes(whole[:page] + b"\xff" * 8 + whole[page + 8 :])
        with Library.open(path) as library:
            answer = library.search("PE04", limit=5_000)
        assert {hit.anchor for hit in answer.hits} == right
        assert any("damaged, history intact" in note for note in answer.coverage.notes)
    assert spoilt
