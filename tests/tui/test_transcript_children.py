"""Sub-agents and branches, opened from where they began, and back."""

from __future__ import annotations

from pathlib import Path

import pytest

from hermes_tui.library import Library, Stores
from hermes_tui.model import Anchor, SessionKind
from hermes_tui.recorder import Layout, Recorder
from tests.tui.conftest import NOW, Clock, Stage, staged
from tests.tui.test_transcript_roaming import cursor_at


def family(path: Path, layout: Layout = Layout.VIEWS) -> dict[str, str | int]:
    with Recorder(path, layout=layout, clock=Clock(NOW - 86_400)) as recorder:
        parent = recorder.create_session("cli", session_id="parent", title="The parent")
        for number in range(20):
            recorder.append(parent, "user", f"before {number}")
        calling = recorder.append(parent, "assistant", "I ask two others")
        children = []
        for number in range(2):
            child = recorder.delegate(parent)
            recorder.append(child, "user", f"the task of sub-agent {number}")
            recorder.append(child, "assistant", f"sub-agent {number} is done")
            children.append(child)
        for number in range(20):
            recorder.append(parent, "user", f"after {number}")
        last = recorder.append(parent, "assistant", "the way parts here")
        branch = recorder.branch(parent, title="Another way")
    return {"calling": calling, "one": children[0], "two": children[1], "last": last, "branch": branch}


@pytest.mark.parametrize("layout", list(Layout))
def test_the_store_knows_what_began_in_a_conversation(tmp_path: Path, layout: Layout) -> None:
    made = family(tmp_path / "state.db", layout)
    with Library.open(tmp_path / "state.db") as library:
        found = library.children(["parent"])
        assert [(session.id, session.kind, session.counts.total) for session in found[:2]] == [
            (made["one"], SessionKind.DELEGATE, 2),
            (made["two"], SessionKind.DELEGATE, 2),
        ]
        assert [(session.id, session.kind) for session in found[2:]] == [(made["branch"], SessionKind.BRANCH)]
        assert library.children([str(made["one"])]) == ()


async def shows(stage: Stage, text: str) -> None:
    await stage.until(lambda: text in stage.text(), repr(text))


async def test_a_sub_agent_opens_from_where_it_began_and_back(tmp_path: Path) -> None:
    made = family(tmp_path / "state.db")
    calling = int(made["calling"])
    async with staged(Library.open(tmp_path / "state.db"), anchor=Anchor("parent", calling)) as stage:
        await stage.shown(f"parent#{calling}")
        await shows(stage, "sub-agent  the task of sub-agent 0  2 messages (d opens)")
        lines = stage.lines()
        (said,) = (y for y, line in enumerate(lines) if "I ask two others" in line)
        assert "sub-agent 0" in lines[said + 1]
        assert "sub-agent 1" in lines[said + 2]
        await stage.press("d")
        await shows(stage, "sub-agent 0 is done")
        await stage.press("backspace")
        await cursor_at(stage, calling)
        await shows(stage, "I ask two others")
        await stage.press("d")
        await shows(stage, "sub-agent 1 is done")
        await stage.press("D")
        await cursor_at(stage, calling)
        await stage.press("D")
        await stage.until(lambda: "did not begin in another one" in stage.status())


async def test_where_none_began_the_key_goes_to_the_next(tmp_path: Path) -> None:
    made = family(tmp_path / "state.db")
    async with staged(Library.open(tmp_path / "state.db"), anchor=Anchor("parent", 3)) as stage:
        await stage.shown("parent#3")
        await stage.until(lambda: stage.browser.transcript._begun)
        await stage.press("d")
        await cursor_at(stage, int(made["calling"]))
        await stage.press("j", "d")
        await cursor_at(stage, int(made["last"]))
        await shows(stage, "branch  Another way")
        await stage.press("d")
        await stage.until(lambda: stage.browser.reading == made["branch"])
        await stage.press("D")
        await cursor_at(stage, int(made["last"]))


async def test_a_click_on_its_line_opens_it(tmp_path: Path) -> None:
    made = family(tmp_path / "state.db")
    calling = int(made["calling"])
    async with staged(Library.open(tmp_path / "state.db"), anchor=Anchor("parent", calling)) as stage:
        await stage.shown(f"parent#{calling}")
        await shows(stage, "the task of sub-agent 1")
        pane = stage.browser.transcript
        (y,) = (y for y in range(pane.size.height) if "sub-agent 1" in pane.render_line(y).text)
        await stage.pilot.click("#transcript", offset=(8, y))
        await stage.until(lambda: stage.browser.reading == made["two"])


async def test_one_that_begins_meanwhile_shows(tmp_path: Path) -> None:
    made = family(tmp_path / "state.db")
    last = int(made["last"])
    async with staged(Library.open(tmp_path / "state.db"), anchor=Anchor("parent", last)) as stage:
        await stage.shown(f"parent#{last}")
        await shows(stage, "branch  Another way")
        with Recorder(tmp_path / "state.db") as recorder:
            child = recorder.delegate("parent")
            recorder.append(child, "user", "a late task")
        await shows(stage, "sub-agent  a late task")


async def test_going_up_and_down_agree_and_uncover_nothing(tmp_path: Path) -> None:
    """The call that started it was taken back: both ways lead to the last message above that is shown."""
    with Recorder(tmp_path / "state.db", clock=Clock(NOW - 86_400)) as recorder:
        parent = recorder.create_session("cli", session_id="parent", title="The parent")
        shown = recorder.append(parent, "assistant", "this stays")
        back = recorder.append(parent, "user", "this is taken back")
        asked = {"id": "c", "function": {"name": "delegate_task", "arguments": '{"goal": "count"}'}}
        calling = recorder.append(parent, "assistant", "I ask somebody", tool_calls=[asked])
        child = recorder.delegate(parent)
        recorder.append(child, "user", "count")
        recorder.rewind(parent, back)
        recorder.append(parent, "user", "and on")
    family(tmp_path / "other.db")
    stores = Stores({name: Library.open(tmp_path / f"{name}.db") for name in ("other", "state")})
    async with staged(stores, anchor=Anchor(child, profile="state")) as stage:
        await stage.shown(str(Anchor(child, profile="state")))
        await stage.press("D")
        await cursor_at(stage, shown)
        await shows(stage, "sub-agent  count")
        assert "taken back" not in "".join(stage.lines())
        assert "I ask somebody" not in stage.text()
        await stage.press("d")
        await stage.until(lambda: stage.browser.reading == str(Anchor(child, profile="state")))
        stage.browser.rewound = True
        await stage.press("D")
        await cursor_at(stage, calling)


async def test_a_lens_tells_of_those_only_that_began_in_what_it_shows(tmp_path: Path) -> None:
    path = tmp_path / "state.db"
    with Recorder(path, clock=Clock(NOW - 86_400)) as recorder:
        parent = recorder.create_session("cli", title="The parent")
        early = recorder.append(parent, "assistant", "I ask early")
        recorder.append(recorder.delegate(parent), "user", "the early task")
        recorder.compact(parent, "a summary")
        recorder.append(parent, "assistant", "I ask late")
        recorder.append(recorder.delegate(parent), "user", "the late task")
    async with staged(Library.open(path), anchor=Anchor(parent, early), size=(120, 40)) as stage:
        for wanted in ({"early", "late"}, {"late"}, {"early"}):

            def told(wanted: set[str] = wanted) -> bool:
                return {each for each in ("early", "late") if f"the {each} task" in stage.text()} == wanted

            await stage.until(told, str(wanted))
            await stage.press("c")
