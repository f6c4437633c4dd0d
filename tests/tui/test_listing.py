"""The list of conversations as a reader meets it: unfolding, grouping, filters, columns, a glance at what is below."""

from __future__ import annotations

import shutil
from pathlib import Path

from hermes_tui.history import History
from hermes_tui.library import Library
from hermes_tui.recorder import Recorder
from hermes_tui.tui.column_picker import ColumnPicker
from tests.tui.conftest import NOW, Stage, staged


def highlighted(stage: Stage) -> str | None:
    session = stage.browser.sessions.rows.session
    return None if session is None else session.id


def line(stage: Stage, words: str) -> str:
    """The line of the list that has these words."""
    return next((line.split("▕")[0] for line in stage.lines() if words in line), "")


async def test_everything_is_shown_folded_and_unfolds(busy: Recorder) -> None:
    """Nothing is hidden without a count and a key; jobs and sub-agents take one row until they are asked for."""
    async with staged(Library.open(busy.path), size=(78, 30)) as stage:
        assert "8 conversations · 1 empty · 6 hidden: cron 5, subagent 1 (a shows all)" in stage.text()
        assert "Nightly" not in stage.text()
        for title, status in (("Nothing said", "empty"), ("Broken off", "error"), ("Under way", "running")):
            assert status in line(stage, title).split(), stage.text()
        await stage.press("a")
        await stage.until(lambda: "14 conversations · 1 empty · nothing hidden (a hides again)" in stage.text())
        assert "▸ 1 sub-agent" in line(stage, "Newest of all")
        assert " ×2  ▪✕ 1 failed" in line(stage, "×2")
        assert line(stage, "×2").startswith(" ▸ ")
        assert "count the spoons" not in stage.text()
        # Right shows what is under a row, Left puts it away again, also from below.
        rows = stage.browser.sessions.rows
        rows.go(rows.find((None, "newest")) or 0)
        await stage.press("right")
        await stage.until(lambda: "└ count the spoons" in stage.text())
        await stage.press("down", "left")
        await stage.until(lambda: "└ count" not in stage.text())
        assert highlighted(stage) == "newest"
        # Enter unfolds a job: there is nothing to read of it but its runs.
        rows.go(rows.find((None, "cron_backup_20260921_010000")) or 0)
        await stage.press("enter")
        await stage.until(lambda: stage.text().count("└ back the house up") == 2)
        assert stage.focus == "list-rows"
        await stage.press("down", "down", "enter")
        await stage.shown("cron_backup_20260921_010000")
        assert stage.focus == "transcript"


async def test_groups_have_headings_with_counts_and_fold(busy: Recorder) -> None:
    async with staged(Library.open(busy.path), size=(78, 30)) as stage:
        await stage.press("B")
        await stage.until(lambda: "grouped by day" in stage.text())
        assert " today, Monday 21 September 2026 · 3" in stage.text()
        await stage.press("B")
        await stage.until(lambda: "grouped by source" in stage.text())
        headings = [found for found in ("cli · 5", "discord · 1", "telegram · 2") if found in stage.text()]
        assert len(headings) == 3, stage.text()
        await stage.press("g", "left")
        await stage.until(lambda: "▸ cli · 5" in stage.text())
        assert "Under way" not in stage.text()
        assert highlighted(stage) is None
        await stage.press("down")  # the heading of the next group is passed over
        assert highlighted(stage) == "untitled"
        # What is new comes into its group, and the fold and the highlight stay.
        busy.create_session("cli", session_id="fresh", title="Just begun", started_at=NOW - 10)
        busy.append("fresh", "user", "good evening", timestamp=NOW - 5)
        stage.browser.look()
        await stage.until(lambda: "▸ cli · 6" in stage.text())
        assert highlighted(stage) == "untitled"
        await stage.press("up", "right")
        await stage.until(lambda: "Just begun" in stage.text())
        assert highlighted(stage) == "fresh"


async def test_filters_of_the_search_narrow_the_list_and_say_so(busy: Recorder) -> None:
    async with staged(Library.open(busy.path), size=(160, 30)) as stage:
        await stage.press("down", "down")
        before = highlighted(stage)
        await stage.search("pager source:telegram")
        await stage.until(lambda: "2 of 8 conversations · source:telegram (F1)" in stage.text())
        assert {row.id for row in stage.browser.sessions.sheet.listing.rows} == {"broken", "pager"}  # type: ignore[union-attr]
        await stage.press("f1")
        await stage.until(lambda: stage.lines()[0].startswith(" 8 conversations"))
        assert highlighted(stage) == before  # as it was
        # A filter that nothing passes never leaves an empty list without a word.
        await stage.press("escape", "escape", "escape")
        await stage.until(lambda: not stage.browser.search.box.value)
        await stage.search("source:nobody")
        await stage.until(lambda: "0 of 8 conversations" in stage.text())
        assert "source:nobody" in line(stage, "0 of 8")
        await stage.press("escape", "escape", "escape")
        await stage.until(lambda: stage.lines()[0].startswith(" 8 conversations"))
        assert highlighted(stage) == before


async def test_columns_are_chosen_and_remembered(busy: Recorder, tmp_path: Path) -> None:
    history = History.open(tmp_path / "kept", environ={})
    async with staged(Library.open(busy.path), size=(78, 30), history=history) as stage:
        await stage.until(lambda: line(stage, "active"))
        heads = line(stage, "active").split()
        assert heads[0] == "title"
        assert {"status", "source", "msgs", "active"} <= set(heads)
        await stage.press("z")
        await stage.until(lambda: isinstance(stage.app.screen, ColumnPicker))
        await stage.type("source")
        await stage.press("enter")
        await stage.until(lambda: "[ ] source" in stage.text())
        await stage.press(*["backspace"] * 6)
        await stage.type("branch")
        await stage.until(lambda: "[x] branch" in stage.text())
        assert "nothing to show" in stage.text()
        await stage.press("escape")
        await stage.until(lambda: "source" not in line(stage, "active"))
        await stage.app.workers.wait_for_complete()
    kept = History.open(tmp_path / "kept", environ={})
    assert kept.columns is not None
    assert "source" not in kept.columns
    async with staged(Library.open(busy.path), size=(78, 30), history=kept) as stage:
        await stage.until(lambda: "status" in line(stage, "active"))
        assert "source" not in line(stage, "active")


async def test_rows_of_two_lines_show_what_they_are_sorted_by(busy: Recorder) -> None:
    """As the columns of one line do: a list sorted by something that is not seen looks like none."""
    async with staged(Library.open(busy.path), size=(120, 30)) as stage:
        assert "started" not in stage.text()
        await stage.press("s")
        await stage.until(lambda: "by start" in stage.text())
        ages = [line.split("▕")[0].strip("▌ ").split(" · ")[0] for line in stage.lines() if "started" in line]
        assert len(ages) == 8
        assert ages[0] == "started 1m"
        await stage.press("s")
        await stage.until(lambda: "by length" in stage.text())
        assert stage.lines()[3].strip("▌ ").startswith("4 messages · "), stage.text()


async def test_a_glance_is_that_of_the_highlighted_row(busy: Recorder) -> None:
    """In a tall list what a conversation began with and came to is below it; Space shows or hides it."""
    async with staged(Library.open(busy.path), size=(78, 34)) as stage:
        await stage.until(lambda: "Goal   go on please" in stage.text())
        assert "Answer no answer" in stage.text()
        rows = stage.browser.sessions.rows
        rows.go(rows.find((None, "garden")) or 0)
        await stage.pilot.pause()
        assert "Goal   go on please" not in stage.text()
        await stage.until(lambda: "Answer Done: plans/water.md has the plan." in stage.text())
        assert "Goal   plan the watering of the garden" in stage.text()
        busy.append("garden", "assistant", "It rained.")
        stage.browser.look()
        await stage.until(lambda: "Answer It rained." in stage.text())
        await stage.press("space")
        await stage.until(lambda: "Answer" not in stage.text())
        await stage.pilot.resize_terminal(78, 24)
        await stage.press("space")
        await stage.until(lambda: "Answer It rained." in stage.text())


async def test_a_file_put_in_the_place_of_the_store_is_listed_and_the_place_kept(
    busy: Recorder, house_store: Path, tmp_path: Path
) -> None:
    async with staged(Library.open(busy.path), size=(78, 30)) as stage:
        rows = stage.browser.sessions.rows
        rows.go(rows.find((None, "recipes")) or 0)
        shutil.copyfile(house_store, tmp_path / "other.db")
        busy.close()
        for beside in ("-wal", "-shm"):
            Path(f"{busy.path}{beside}").unlink(missing_ok=True)
        (tmp_path / "other.db").replace(busy.path)
        stage.browser.look()
        await stage.until(lambda: "5 conversations" in stage.lines()[0])
        assert highlighted(stage) == "recipes"
