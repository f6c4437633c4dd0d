"""Moving through the transcript pane with keys and mouse."""

from __future__ import annotations

from textual.events import MouseScrollDown, MouseScrollUp

from tests.tui.transcripts import PaneApp, needle, said, talk


async def test_every_message_can_be_reached_line_by_line() -> None:
    messages = talk(60)
    messages[29] = said(30, "\n".join(f"tall {at}" for at in range(90)), "assistant")
    app = PaneApp(messages)
    async with app.run_test(size=(80, 24)) as pilot:
        app.open(seen=lambda _: True)
        await pilot.pause()
        pane, seen, reached = app.pane, set(app.lines()), [0]
        for move in [pane.action_cursor_down] * 300 + [pane.action_cursor_up] * 300:
            move()
            seen.update(app.lines())
            if reached[-1] != pane.cursor:
                reached.append(pane.cursor)
        assert reached == [*range(60), *range(58, -1, -1)]
        assert sum("tall" in line for line in seen) >= 90
        assert pane.scroll_y == 0


async def test_the_message_under_the_cursor_is_shown_whole_when_it_fits() -> None:
    app = PaneApp(talk(100))
    async with app.run_test(size=(80, 36)) as pilot:
        app.open(seen=lambda _: True)
        await pilot.pause()
        pane = app.pane
        for move in [pane.action_cursor_down] * 60 + [pane.action_cursor_up] * 40:
            move()
            begin = pane.heights.before(pane.cursor)
            assert pane.top <= begin
            assert begin + pane.heights[pane.cursor] <= pane.top + pane.window


async def test_keys_move_the_cursor_by_messages() -> None:
    app = PaneApp(talk(100))
    async with app.run_test(size=(80, 36)) as pilot:
        app.open(50)
        await pilot.pause()
        for key, position in (("j", 51), ("down", 52), ("k", 51), ("up", 50), ("g", 1), ("G", 100), ("home", 1)):
            await pilot.press(key)
            await pilot.pause()
            assert app.moves[-1].position == position, key


async def test_user_turns() -> None:
    app = PaneApp(talk(200))
    async with app.run_test(size=(80, 24)) as pilot:
        app.open(100)
        await pilot.pause()
        await pilot.press("u")
        await pilot.pause()
        assert app.moves[-1].anchor.message_id == 101
        assert app.line_of("Question 101:") in range(1, 6)
        await pilot.press("u", "u", "U")
        await pilot.pause()
        assert app.moves[-1].anchor.message_id == 105
        await pilot.press("home", "U")
        await pilot.pause()
        assert app.moves[-1].anchor.message_id == 1


async def test_the_wheel_scrolls_and_the_cursor_stays_in_view() -> None:
    app = PaneApp(talk(200))
    async with app.run_test(size=(80, 24)) as pilot:
        app.open(100)
        await pilot.pause()
        for _ in range(40):
            notch(app, 1)
        await pilot.pause()
        assert app.pane.cursor in app.pane.in_window()
        assert app.moves[-1].position > 100
        for _ in range(200):
            notch(app, -1)
        await pilot.pause()
        assert app.pane.cursor in app.pane.in_window()
        assert app.moves[-1].position < 60


def notch(app: PaneApp, direction: int) -> None:
    """One notch of the wheel."""
    if direction > 0:
        app.pane.post_message(MouseScrollDown(app.pane, 5, 5, 0, 1, 0, False, False, False))
    else:
        app.pane.post_message(MouseScrollUp(app.pane, 5, 5, 0, -1, 0, False, False, False))


async def test_dragging_the_scrollbar_lands_on_whole_lines() -> None:
    app = PaneApp(talk(400))
    async with app.run_test(size=(80, 24)) as pilot:
        app.open()
        await pilot.pause()
        for share in (0.5, 0.9, 0.1, 1.0, 0.0):
            app.pane.scroll_to(y=round(app.pane.max_scroll_y * share), animate=False, force=True)
            await pilot.pause()
            assert app.pane.cursor in app.pane.in_window()
            assert sum(bool(line[1:].strip()) for line in app.lines()) > 8
        assert app.pane.scroll_y == 0


async def test_a_click_places_the_cursor() -> None:
    app = PaneApp(needle())
    async with app.run_test(size=(80, 24)) as pilot:
        app.open(61)
        await pilot.pause()
        line = app.line_of("point 2 of the answer")
        await pilot.click("#transcript", offset=(10, line))
        await pilot.pause()
        assert app.lines()[line].startswith("▌")


async def test_a_click_on_the_fold_unfolds() -> None:
    sign = "▸ a sign in the text folds nothing"
    app = PaneApp([said(1, "\n".join([sign, *(f"line {at}" for at in range(60))]), "tool")])
    async with app.run_test(size=(80, 40)) as pilot:
        app.open(1)
        await pilot.pause()
        await pilot.click("#transcript", offset=(10, app.line_of(sign)))
        await pilot.pause()
        assert app.line_of("line 30") == -1
        await pilot.click("#transcript", offset=(10, app.line_of("more lines (Enter)")))
        await pilot.pause()
        assert app.line_of("line 30") > 0
