"""A store that is written to while hits stand: they are looked for again, and until then the line says so."""

from __future__ import annotations

from typing import Any

import pytest

from hermes_tui.library import Library
from hermes_tui.model import Answer
from hermes_tui.recorder import Recorder
from hermes_tui.tui import seeking
from hermes_tui.tui.coverage import OUTDATED
from tests.tui.conftest import Stage, staged
from tests.tui.pace import Gate


def says(stage: Stage, sentence: str) -> bool:
    return sentence in " ".join(stage.text().split())


async def test_a_search_that_takes_long_is_done_again_after_a_while_and_the_line_says_so(
    house: Recorder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(seeking, "CHEAP", 0.0)
    monkeypatch.setattr(seeking, "PATIENTLY", 1e6)
    async with staged(Library.open(house.path)) as stage:
        await stage.search("kettle")
        before = stage.hits()
        assert not says(stage, OUTDATED)
        house.append("recipes", "user", "another kettle, please")
        stage.browser.look()
        await stage.until(lambda: says(stage, OUTDATED), "the word of it")
        await stage.settled()
        assert stage.hits() == before
        await stage.type("s")  # a query of its own is asked at once
        await stage.answered("kettles")
        assert not says(stage, OUTDATED)

        monkeypatch.setattr(seeking, "PATIENTLY", 0.0)
        await stage.press("backspace")
        await stage.answered("kettle")
        house.append("recipes", "user", "a third kettle")
        stage.browser.look()
        await stage.until(lambda: len(stage.hits()) == len(before) + 2, "both new ones")
        assert not says(stage, OUTDATED)


class Late(Library):
    """A library that knows its answer long before it tells it."""

    gate: Gate | None = None
    asked = 0

    def search(self, text: str, **how: Any) -> Answer:
        self.asked += 1
        answer = super().search(text, **how)
        if self.gate is not None:
            self.gate.pass_through()
        return answer


async def test_what_is_written_during_a_search_is_found_after_it(house: Recorder) -> None:
    library = Late.open(house.path)
    library.gate = gate = Gate()
    async with staged(library) as stage:
        await stage.press("slash")
        stage.burst(*"kettle")
        await stage.until(lambda: library.asked, "the question")
        await stage.pilot.pause()
        house.append("recipes", "user", "another kettle, please")
        stage.browser.look()
        await stage.until(lambda: stage.browser._behind, "the look")
        library.gate = None
        gate.set()
        with Library.open(house.path) as other:
            wanted = [hit.anchor for hit in other.search("kettle").hits]
        await stage.until(lambda: stage.hits() == wanted, "the new one")
        assert wanted[0].message_id is not None
