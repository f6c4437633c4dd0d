"""Which sessions read, wrote or ran a path, told from the arguments of tool calls, the newest first."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.widget import Widget
from textual.widgets import Input

from hermes_tui.model import Anchor, Touch, Touches
from hermes_tui.model.record import dataclass
from hermes_tui.render import count, when
from hermes_tui.tui import labels
from hermes_tui.tui.lines import STEERING, Piece, field
from hermes_tui.tui.sight import READING, SightScreen

DEED = 9
TOOL = 12
AGE = 10
NAME = 30
TYPING = 0.15
"""Seconds without a key before what is typed is looked for."""
ASKING = "Type a path or a part of one: app.py, src/, C:\\Users\\me"


@dataclass(frozen=True, slots=True)
class Deedly:
    """One call that touched it."""

    touch: Touch
    now: float

    @property
    def heading(self) -> str:
        """Calls of one path stand together only by time, so each names its own."""
        return ""

    @property
    def anchor(self) -> Anchor | None:
        """The call."""
        return self.touch.anchor

    def pieces(self, width: int) -> Iterable[Piece]:
        """What was done to which path, by which tool, in which session, when."""
        touch = self.touch
        named = NAME + 2 if width >= 84 and touch.session is not None else 0
        room = width - DEED - TOOL - AGE - 4 - named
        yield field(touch.deed.value, DEED), "lines--state"
        yield field(touch.path, max(8, room)), "lines--title"
        yield "  " + field(touch.tool, TOOL), "lines--tool"
        if named and touch.session is not None:
            yield "  " + field(labels.named(touch.session), NAME), "lines--soft"
        yield field(when(touch.timestamp, self.now), AGE, right=True) + " ", "lines--soft"


class FilesScreen(SightScreen):
    """A box for the path, and below it who touched it."""

    BINDINGS: ClassVar[list[BindingType]] = [*STEERING, Binding("alt+a", "more", "More", show=False)]
    KEYS = "Enter reads the call, Escape closes this."

    def __init__(
        self, read: Callable[[str, int], Awaitable[Touches]], *, clock: Callable[[], float], most: int, path: str = ""
    ) -> None:
        """`read` takes a path, and how many calls to read at `most`."""
        super().__init__(most=most)
        self._read = read
        self._clock = clock
        self._path = path

    def beside(self) -> Iterable[Widget]:
        """The box."""
        box = Input(self._path, id="sight-box", compact=True, placeholder="Path or part of one", select_on_focus=False)
        box.cursor_blink = False
        yield box

    def on_mount(self) -> None:
        """Type first."""
        self.rows.can_focus = False
        self.query_one(Input).focus()

    def on_input_changed(self, event: Input.Changed) -> None:
        """Look for what stands there."""
        event.stop()
        self.read_anew()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Go to the highlighted call."""
        event.stop()
        self.choose()

    async def load(self) -> None:
        """Those who touched what stands in the box, once the hand rests."""
        path = self.query_one(Input).value.strip()
        if not path:
            self.show(ASKING, [])
            return
        self.title_line(READING)
        await asyncio.sleep(TYPING)
        found = await self._read(path, self.most)
        self.cut = found.truncated
        now = self._clock()
        self.show(titled(found), [Deedly(touch, now) for touch in found.rows])

    def action_move(self, by: int) -> None:
        """Another row."""
        self.rows.go(self.rows.cursor + by)

    def action_page(self, direction: int) -> None:
        """Another page of rows."""
        self.rows.page(direction)


def titled(found: Touches) -> str:
    """`12 calls touched app.py`; of more than are shown nobody has counted how many there are."""
    shown = count(len(found.rows), "call")
    if not found.total:
        said = f"No tool call names {found.path}"
    elif found.truncated:
        said = f"More than {shown} touched {found.path}; only the newest are shown (Alt+A shows more)"
    else:
        said = f"{shown} touched {found.path}"
    if found.partly:
        said = f"{said} as a part of a longer name"
    if found.spoilt:
        said = f"{said} · {count(found.spoilt, 'row')} cannot be read"
    return " · ".join((said, *found.notes))
