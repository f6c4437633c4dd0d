"""Lineage, details, a day, activity and files: what they show, where Enter leads, and that Escape changes nothing."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from hermes_tui.library import Library
from hermes_tui.model import Activity, Anchor, DayUse, Details, Session, SessionKind, Share, TreeRow
from hermes_tui.query import Field
from hermes_tui.recorder import Recorder
from hermes_tui.render import cells, day
from hermes_tui.tui import sighting
from hermes_tui.tui.chart import Measure, bar, bars
from hermes_tui.tui.dossier import facts
from hermes_tui.tui.labels import short
from hermes_tui.tui.sight import SightScreen
from hermes_tui.tui.treeview import LEVELS, Twig, drawn
from tests.tui.conftest import HOUR, NOW, Clock, Stage, staged

SIZES = [(80, 24), (120, 36), (200, 50)]
AT = NOW - 30 * HOUR


def call(name: str, **arguments: str) -> list[dict[str, object]]:
    return [{"id": "c1", "type": "function", "function": {"name": name, "arguments": json.dumps(arguments)}}]


def family(path: Path) -> dict[str, int]:
    """A root that was split, a branch and a sub-agent of it, one whose parent is missing, and tool calls."""
    places: dict[str, int] = {}
    with Recorder(path, clock=Clock(AT)) as recorder:
        root = recorder.create_session("cli", session_id="root", title="Mend the roof", cwd="/home/robin/roof")
        recorder.append(root, "user", "mend the roof before winter")
        plan = call("write_file", path="plans/roof.md", content="x")
        places["wrote"] = recorder.append(root, "assistant", "I write it down.", tool_calls=plan)
        recorder.append(root, "assistant", "The plan stands.")
        helper = recorder.delegate(root)
        recorder.append(helper, "user", "count the tiles")
        recorder.append(helper, "assistant", "412 tiles")
        tip = recorder.split(root, "We mend the roof.", keep_last=1)
        places["late"] = recorder.append(tip, "user", "now the gutter")
        branch = recorder.branch(tip, title="Another roof")
        recorder.append(branch, "user", "what if we take slate")
        recorder.create_session("telegram", session_id="stray", title="A stray")
        recorder.append("stray", "user", "who was before me")
    with closing(sqlite3.connect(path)) as raw, raw:
        raw.execute("UPDATE sessions SET parent_session_id = 'gone' WHERE id = 'stray'")
    return places


async def opened(stage: Stage, key: str) -> SightScreen:
    """The view behind a key, once it has answered."""
    await stage.press(key)
    await stage.until(lambda: isinstance(stage.app.screen, SightScreen), f"the view of {key}")
    screen = stage.app.screen
    assert isinstance(screen, SightScreen)
    await stage.until(lambda: not screen.workers or screen.rows.rows, "its answer")
    await stage.until(lambda: "Reading the store" not in stage.text(), "its answer")
    await stage.pilot.pause()
    return screen


@pytest.mark.parametrize("size", SIZES)
async def test_every_view_opens_over_the_list_and_escape_puts_back_what_was(
    tmp_path: Path, size: tuple[int, int]
) -> None:
    family(tmp_path / "state.db")
    async with staged(Library.open(tmp_path / "state.db"), size=size) as stage:
        await stage.press("end", "home")
        await stage.until(lambda: "Answer …" not in stage.text(), "what the row is about")
        before = stage.lines(), stage.focus
        for key, told in (
            ("t", "Lineage of"),
            ("v", "The session"),
            ("T", day(AT)),
            ("A", "The last 90 days"),
            ("M", "Type a path"),
        ):
            await opened(stage, key)
            assert told in stage.text(), key
            assert all(cells(line) <= size[0] for line in stage.lines())
            await stage.press("escape")
            await stage.until(lambda: stage.app.screen is stage.browser, f"{key} closed")
            await stage.pilot.pause()
            assert (stage.lines(), stage.focus) == before, key


async def test_the_tree_names_every_edge_and_leads_to_each_session(tmp_path: Path) -> None:
    family(tmp_path / "state.db")
    async with staged(Library.open(tmp_path / "state.db"), anchor=Anchor("root")) as stage:
        await stage.shown("root")
        screen = await opened(stage, "t")
        text = stage.text()
        assert "Lineage of 4 sessions: 1 split, 1 branch, 1 sub-agent" in text
        for edge, title in (
            ("split: ", "Mend the roof"),
            ("sub-agent: ", "count the tiles"),
            ("branch: ", "Another roof"),
        ):
            assert any(edge in line and title in line for line in text.splitlines()), (edge, title)
        assert [line.strip("▌ ").split()[0] for line in text.splitlines()[:-3] if "  here" in line] == ["Mend"]
        lines = [line for line in text.splitlines() if "branch: " in line]
        assert "└─ branch" in lines[0] or "├─ branch" in lines[0]
        names = [row.anchor.session_id if row.anchor else "" for row in screen.rows.rows]
        assert names[0] == "root"
        await stage.press(
            "home", *["down"] * next(at for at, row in enumerate(screen.rows.rows) if "Another" in str(row))
        )
        wanted = screen.rows.here
        assert wanted is not None
        await stage.press("enter")
        await stage.shown(str(wanted.anchor))
        assert "what if we take slate" in stage.text()


async def test_a_long_title_is_shown_whole(tmp_path: Path) -> None:
    """What is left out and what failed stands at its end."""
    family(tmp_path / "state.db")
    async with staged(Library.open(tmp_path / "state.db"), size=(80, 24)) as stage:
        screen = await opened(stage, "T")
        screen.title_line("what was said " * 26 + "and why not")
        await stage.pilot.pause()
        assert "and why not" in stage.text()


async def test_a_missing_parent_is_named_and_not_opened(tmp_path: Path) -> None:
    family(tmp_path / "state.db")
    async with staged(Library.open(tmp_path / "state.db"), anchor=Anchor("stray")) as stage:
        await stage.shown("stray")
        await opened(stage, "t")
        assert "gone is not in the store" in stage.text()
        assert "parent missing: A stray" in stage.text()
        await stage.press("home", "enter")
        await stage.pilot.pause()
        assert isinstance(stage.app.screen, SightScreen)


async def test_details_tell_what_was_touched_and_lead_there(tmp_path: Path) -> None:
    places = family(tmp_path / "state.db")
    async with staged(Library.open(tmp_path / "state.db"), size=(120, 50), anchor=Anchor("root")) as stage:
        await stage.shown("root")
        await stage.press("escape")
        while stage.focus != "list-rows":
            await stage.press("escape")
        rows = stage.browser.sessions.rows
        rows.go(rows.find((None, "root")) or 0)
        # The row stands for the whole conversation: its files are those of the session before the split too.
        screen = await opened(stage, "v")
        assert "/home/robin/roof" in stage.text()
        assert "plans/roof.md" in stage.text()
        screen.rows.go(next(at for at, row in enumerate(screen.rows.rows) if row.anchor is not None))
        await stage.press("enter")
        await stage.shown(f"root#{places['wrote']}")
        stage.browser.read(Anchor("root"))
        await stage.shown("root")
        await opened(stage, "M")
        await stage.type("roof.md")
        await stage.until(lambda: "1 call touched roof.md" in stage.text(), "the call")
        assert any("wrote" in line and "plans/roof.md" in line for line in stage.lines())
        await stage.press("enter")
        await stage.shown(f"root#{places['wrote']}")


async def test_a_long_value_of_the_details_is_shown_whole(tmp_path: Path) -> None:
    goal = "mend the roof " * 8 + "before the first snow"
    with Recorder(tmp_path / "state.db", clock=Clock(AT)) as recorder:
        recorder.append(recorder.create_session("cli", session_id="root", title="Roof"), "user", goal)
    async with staged(Library.open(tmp_path / "state.db"), size=(80, 24)) as stage:
        screen = await opened(stage, "v")
        screen.rows.go(next(at for at, row in enumerate(screen.rows.rows) if "'goal'" in str(row)))
        assert "first snow" not in stage.text()
        await stage.press("enter")
        await stage.until(lambda: "snow" in stage.text(), "the whole goal")


async def test_details_call_a_session_under_way_what_the_list_calls_it(busy: Recorder) -> None:
    async with staged(Library.open(busy.path), anchor=Anchor("now")) as stage:
        await stage.shown("now")
        stage.browser.sessions.rows.focus()
        await opened(stage, "v")
        assert [line.split() for line in stage.lines() if "status" in line] == [["status", "running"]]


async def test_a_day_is_in_order_of_time_and_its_neighbours_are_a_key_away(tmp_path: Path) -> None:
    places = family(tmp_path / "state.db")
    async with staged(Library.open(tmp_path / "state.db"), anchor=Anchor("root", places["late"])) as stage:
        await stage.shown(f"root#{places['late']}")
        stage.browser.transcript.focus()
        screen = await opened(stage, "T")
        told = [row.anchor for row in screen.rows.rows]
        said = stage.text()
        assert said.index("mend the roof before winter") < said.index("count the tiles") < said.index("now the gutter")
        here = screen.rows.here
        assert here is not None
        assert here.anchor == Anchor(here.anchor.session_id if here.anchor else "", places["late"])
        await stage.press("left")
        await stage.until(lambda: "nothing was said" in stage.text(), "the day before")
        assert day(AT - 24 * HOUR) in stage.text()
        await stage.press("right")
        await stage.until(lambda: [row.anchor for row in screen.rows.rows] == told, "the day again")
        await stage.press("home", "enter")
        await stage.until(lambda: stage.app.screen is stage.browser, "the first message")
        assert told[0] is not None
        await stage.shown(str(told[0]))


async def test_what_a_limit_leaves_out_is_said_and_a_key_away(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sighting, "DAY_MOST", 2)
    monkeypatch.setattr(sighting, "TOUCHES_MOST", 1)
    places = family(tmp_path / "state.db")
    with Recorder(tmp_path / "state.db", clock=Clock(AT + HOUR)) as recorder:
        recorder.append("stray", "assistant", "Patched.", tool_calls=call("patch", path="plans/roof.md"))
    async with staged(Library.open(tmp_path / "state.db"), anchor=Anchor("root", places["late"])) as stage:
        await stage.shown(f"root#{places['late']}")
        stage.browser.transcript.focus()
        screen = await opened(stage, "T")
        assert "the first 2 are shown (a shows more)" in stage.text()
        await stage.press("a")
        await stage.until(lambda: len(screen.rows.rows) > 2, "the rest of the day")
        assert "a shows more" not in stage.text()
        await stage.press("escape")
        await opened(stage, "M")
        await stage.type("roof.md")
        await stage.until(
            lambda: "only the newest are shown (Alt+A shows more)" in stage.text(),
            "the newest call",
        )
        await stage.press("alt+a")
        await stage.until(lambda: "2 calls touched roof.md" in stage.text(), "both calls")


async def test_the_chart_changes_its_bars_and_opens_a_day(tmp_path: Path) -> None:
    family(tmp_path / "state.db")
    async with staged(Library.open(tmp_path / "state.db")) as stage:
        await opened(stage, "A")
        assert "bars by sessions" in stage.text()
        assert day(AT)[:3] in stage.text()
        await stage.press("b")
        await stage.until(lambda: "By model" in stage.text(), "by model, however many days stand above")
        await stage.press("b", "s")
        await stage.until(lambda: "By source" in stage.text(), "by source")
        assert "telegram" in stage.text()
        assert "bars by tokens" in stage.text()
        await stage.press("s")
        await stage.until(lambda: "bars by cost, which no session tells" in stage.text(), "why there are no bars")
        await stage.press("p")
        await stage.until(lambda: "The last 365 days" in stage.text(), "a longer period")
        await stage.press("home", "down", "enter")
        await stage.until(lambda: " in " in stage.text() and day(AT)[:5] in stage.text(), "a day")
        await stage.press("escape")
        await stage.until(lambda: "The last 365 days" in stage.text(), "the chart again")


# What the rows say, by itself.


@pytest.mark.parametrize(
    ("kind", "parent", "told"),
    [
        (SessionKind.ROOT, None, []),
        (SessionKind.DELEGATE, "p", ["sub-agent of p"]),
        (SessionKind.ORPHAN, "p", ["p, which is not in the store"]),
        (SessionKind.CONTINUATION, "p", ["goes on with p"]),
    ],
)
def test_details_name_the_edge_to_the_parent(kind: SessionKind, parent: str | None, told: list[str]) -> None:
    session = Session(id="s", source="cli", kind=kind, parent_id=parent)
    rows = facts(Details(session, columns=()), NOW)
    assert [row.value for row in rows if row.label == "parent"] == told


def test_bars_are_as_long_as_their_share() -> None:
    assert bar(0.0, 10) == ""
    assert bar(1.0, 10) == "█" * 10
    assert bar(0.5, 10) == "█" * 5
    assert bar(0.0001, 10) == "▏"
    assert all(cells(bar(share / 97, 13)) <= 13 for share in range(98))


@pytest.mark.parametrize(
    ("number", "said"),
    [
        (0, "0"),
        (999, "999"),
        (1000, "1.0k"),
        (12_340, "12k"),
        (999_600, "1.0M"),
        (3_400_000, "3.4M"),
        (2 * 10**9, "2.0G"),
    ],
)
def test_large_numbers_are_short(number: int, said: str) -> None:
    assert short(number) == said


def test_a_chart_has_every_day_since_the_first_and_shares_of_the_longest() -> None:
    days = tuple(
        DayUse(NOW + at * 24 * HOUR, sessions=many, input=10 * many, output=0) for at, many in enumerate([0, 4, 0, 2])
    )
    found = Activity(days, (Share("cli", 5, 50, 1.0), Share("", 1, 10, None)))
    rows = bars(found, Measure.SESSIONS, Field.SOURCE)
    assert [(row.sessions, row.share) for row in rows[:3]] == [(2, 0.5), (0, 0.0), (4, 1.0)]
    assert [(row.label, row.share) for row in rows[3:]] == [("cli", 1.0), ("(none)", 0.2)]
    assert [row.share for row in bars(found, Measure.COST, Field.SOURCE)[3:]] == [1.0, 0.0]


def test_deep_trees_keep_room_for_the_title() -> None:
    session = Session("deep", "cli", title="A title that can be read")
    row = TreeRow("deep", session, SessionKind.BRANCH, depth=500, rails=(True,) * 500)
    assert "500…" in drawn(row)
    assert cells(drawn(row)) <= 3 * LEVELS + 12
    assert "A title" in "".join(text for text, _ in Twig(row, "", NOW).pieces(80))
