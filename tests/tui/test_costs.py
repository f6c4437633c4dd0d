"""What a key costs, told by what no noise can move: lines painted, layouts, statements.

Of several keys the one that costs least counts: things that were asked for before may come in between.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from textual._compositor import ChopsUpdate, LayoutUpdate
from textual.app import App
from textual.geometry import Region
from textual.screen import Screen

from hermes_tui.library import Library, Ticket
from hermes_tui.model import Anchor
from hermes_tui.recorder import Recorder
from hermes_tui.store.connection import Connection
from tests.tui.conftest import NOW, Clock, staged, tell

MANY = 300


class Costs:
    """Counts from `forget` on."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.spans: list[tuple[int, int, int]] = []
        self.whole = self.layouts = 0
        self.statements: list[str] = []
        display, layout, rows = App._display, Screen._refresh_layout, Connection.rows

        def shown(app: App[Any], screen: Screen[Any], renderable: Any) -> None:
            if isinstance(renderable, ChopsUpdate):
                self.spans += renderable.spans
            self.whole += isinstance(renderable, LayoutUpdate)
            display(app, screen, renderable)

        def laid(screen: Screen[Any], *more: Any, **how: Any) -> None:
            self.layouts += 1
            layout(screen, *more, **how)

        def read(
            connection: Connection, sql: str, params: Sequence[Any] = (), *, ticket: Ticket | None = None
        ) -> list[tuple[Any, ...]]:
            if not sql.startswith("PRAGMA"):
                self.statements.append(sql)
            return rows(connection, sql, params, ticket=ticket)

        monkeypatch.setattr(App, "_display", shown)
        monkeypatch.setattr(Screen, "_refresh_layout", laid)
        monkeypatch.setattr(Connection, "rows", read)

    def forget(self) -> None:
        self.spans.clear()
        self.statements.clear()
        self.whole = self.layouts = 0

    def lines(self, region: Region) -> set[int]:
        """The lines of a region that were painted, counted from its top."""
        inside = (y for y, first, last in self.spans if first < region.right and last > region.x)
        return {y - region.y for y in inside if region.y <= y < region.bottom}


@pytest.fixture
def costs(monkeypatch: pytest.MonkeyPatch) -> Costs:
    return Costs(monkeypatch)


@pytest.fixture
def library(tmp_path: Path) -> Library:
    """Many conversations, the newest of them long."""
    with Recorder(tmp_path / "state.db", clock=Clock(NOW - 30 * 86_400)) as recorder:
        for number in range(MANY):
            recorder.create_session("cli", session_id=f"s{number}", title=f"Conversation {number}")
            tell(recorder, f"s{number}", ("user", f"please see to {number}"), ("assistant", "It is done."))
        recorder.create_session("cli", session_id="long", title="A long one")
        tell(recorder, "long", *(("user" if turn % 2 else "assistant", f"turn {turn} of many") for turn in range(MANY)))
    return Library.open(tmp_path / "state.db")


async def test_a_cursor_key_paints_two_rows_and_lays_nothing_out(library: Library, costs: Costs) -> None:
    async with staged(library, size=(160, 36)) as stage:
        rows = stage.browser.sessions.rows
        asked, alone = [], []
        for row in (1, 2, 3, 4):
            await stage.settled()
            costs.forget()
            await stage.press("j")
            await stage.settled()
            height = rows.window_line() // row
            alone.append(costs.lines(rows.region) == set(range((row - 1) * height, (row + 1) * height)))
            assert (costs.whole, costs.layouts) == (0, 0)
            asked.append(len(costs.statements))
        assert any(alone[1:])  # what is known of the rows may just have come
        assert min(asked) <= 16  # the text beside it, its neighbours, how it began and ended

        costs.forget()
        await stage.press("pagedown")
        await stage.settled()
        assert (costs.whole, costs.layouts) == (0, 0)


async def test_a_key_in_a_text_paints_what_changes_and_reads_portions(library: Library, costs: Costs) -> None:
    async with staged(library, size=(160, 36), anchor=Anchor("long")) as stage:
        await stage.shown("long")
        pane = stage.browser.transcript
        moved, paged, alone = [], [], []
        for _ in range(3):
            await stage.settled()
            before = pane.cursor
            height = pane.heights[before] + pane.heights[before + 1]
            costs.forget()
            await stage.press("j")
            await stage.settled()
            assert pane.cursor == before + 1
            assert height < pane.window // 2
            alone.append(0 < len(costs.lines(pane.region)) <= height)
            assert costs.layouts == 0
            moved.append(len(costs.statements))
        for _ in range(3):
            costs.forget()
            await stage.press("pagedown")
            await stage.settled()
            assert costs.layouts == 0
            paged.append(len(costs.statements))
        assert any(alone)
        assert min(moved) == 0
        assert min(paged) <= 2  # a portion read ahead, if any


async def test_a_typed_key_asks_a_number_of_questions_that_does_not_grow(library: Library, costs: Costs) -> None:
    async with staged(library, size=(160, 36)) as stage:
        await stage.press("slash", "t")
        asked = []
        for key in "urn":
            await stage.settled()
            costs.forget()
            await stage.press(key)
            await stage.settled()
            asked.append((len(costs.statements), costs.layouts))
        assert min(asked)[0] <= 24
        assert min(layouts for _, layouts in asked) <= 4
