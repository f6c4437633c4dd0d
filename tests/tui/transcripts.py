"""Conversations made up for tests of the transcript pane, and an app that holds nothing else."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from rich.segment import Segment
from textual.app import App, ComposeResult
from textual.strip import Strip

from hermes_tui.model import Anchor, Counts, Kind, Message, OutlineRow, Session, ToolCall, Transcript
from hermes_tui.store.generations import compactions
from hermes_tui.tui.colours import VARIABLES
from hermes_tui.tui.themes import DARK
from hermes_tui.tui.transcript import TranscriptPane

START = 1_785_000_000.0  # a Saturday in July 2026


class Words:
    """A marker that looks for words as they stand, capitals or not."""

    def __init__(self, *words: str) -> None:
        self._pattern = re.compile("|".join(map(re.escape, words)), re.IGNORECASE)

    def spans(self, text: str) -> list[tuple[int, int]]:
        return [found.span() for found in self._pattern.finditer(text)]


def said(number: int, text: str, role: str = "user", *, session_id: str = "s1", **more: object) -> Message:
    """A message, a minute after the one numbered before it."""
    kind = Kind.TOOL if role == "tool" else Kind.TURN
    message = Message(number, session_id, role, text, kind=kind, timestamp=START + 60 * number)
    return replace(message, **more)  # type: ignore[arg-type]


def called(number: int, name: str, arguments: str) -> Message:
    """An assistant row that only calls a tool."""
    return said(number, "", "assistant", tool_calls=(ToolCall(f"c{number}", name, arguments),))


def outline(messages: Iterable[Message]) -> tuple[OutlineRow, ...]:
    """What the store tells of messages before they are read."""

    def size(m: Message) -> int:
        texts = (m.text, m.reasoning, *(call.arguments for call in m.tool_calls))
        return sum(len(text.encode(errors="replace")) for text in texts)

    return tuple(
        OutlineRow(
            m.id,
            m.session_id,
            m.role,
            m.state,
            m.kind,
            size(m),
            timestamp=m.timestamp,
            copies=m.copies,
            calls=bool(m.tool_calls),
        )
        for m in messages
    )


def transcript(messages: Sequence[Message], **more: object) -> Transcript:
    """The conversation that these messages make, one session for each session id, in order."""
    ids = list(dict.fromkeys(m.session_id for m in messages)) or ["s1"]
    sessions = tuple(Session(id=name, source="cli", title=f"Title of {name}") for name in ids)
    rows = outline(messages)
    cuts = compactions([[row for row in rows if row.session_id == name] for name in ids], {}, frozenset())
    made = Transcript(sessions[-1], sessions, rows, Counts(live=len(messages)), compactions=cuts)
    return replace(made, **more)  # type: ignore[arg-type]


def talk(count: int, *, first: int = 1) -> list[Message]:
    """Turns of several shapes: questions, answers with lists and code, calls and their results."""
    made: list[Message] = []
    for number in range(first, first + count):
        match number % 4:
            case 1:
                made.append(said(number, f"Question {number}: how do I package the app so that it starts?"))
            case 2:
                made.append(called(number, "terminal", f"command: ls -la src/{number}\ntimeout: 30"))
            case 3:
                lines = "\n".join(f"-rw-r--r-- 1 user user {at:5} file_{number}_{at}.py" for at in range(number % 31))
                made.append(said(number, lines, "tool", tool_name="terminal"))
            case _:
                text = f"Answer {number}.\n\n" + "\n".join(f"- point {at} of the answer" for at in range(number % 9))
                made.append(said(number, text, "assistant"))
    return made


def needle(count: int = 120, at: int = 61, text: str = "here is the walrus you look for") -> list[Message]:
    """A long talk with one message that holds a word no other has."""
    messages = talk(count)
    messages[at - 1] = said(at, text)
    return messages


def anchor_at(message_id: int | None, session_id: str = "s1") -> Anchor:

    return Anchor(session_id, message_id)


def is_marked(segment: Segment) -> bool:
    return bool(segment.style and segment.style.underline and segment.style.bgcolor)


class PaneApp(App[None]):
    """Only the pane; plays the browser: hands over what is wanted, and notes what the pane says."""

    def __init__(self, messages: Sequence[Message] = (), *, deliver: bool = True) -> None:
        super().__init__()
        self.animation_level = "none"
        self.messages = {message.id: message for message in messages}
        self.deliver = deliver
        self.wanted: list[tuple[int, ...]] = []
        self.moves: list[TranscriptPane.CursorMoved] = []
        self.steps: list[int] = []  # what n and N asked for
        self.copied: list[str] = []
        self.register_theme(DARK)
        self.theme = DARK.name

    def get_theme_variable_defaults(self) -> dict[str, str]:
        return {**super().get_theme_variable_defaults(), **VARIABLES[self.current_theme.dark]}

    def compose(self) -> ComposeResult:
        yield TranscriptPane(id="transcript")

    @property
    def pane(self) -> TranscriptPane:
        return self.query_one(TranscriptPane)

    def open(self, message_id: int | None = None, *, matcher: Words | None = None, hits: Sequence[int] = (),
             seen: Callable[[int], bool] = lambda _: False, **more: object) -> None:  # fmt: skip
        """Show the messages around one of them; `seen` are those handed over at once."""
        whole = transcript(list(self.messages.values()), **more)
        row = next((row for row in whole.rows if row.id == message_id), whole.rows[0] if whole.rows else None)
        anchor = Anchor(row.session_id if row else "s1", message_id)
        self.pane.show(whole, [m for m in self.messages.values() if seen(m.id)], anchor, matcher)
        self.pane.set_matcher(matcher, hits)

    def hand_over(self) -> None:
        """Supply everything asked for so far."""
        wanted, self.wanted = self.wanted, []
        for ids in wanted:
            self.pane.supply([self.messages[number] for number in ids if number in self.messages])

    def on_transcript_pane_wanted(self, event: TranscriptPane.Wanted) -> None:
        self.wanted.append(event.ids)
        if self.deliver:
            self.hand_over()

    def on_transcript_pane_cursor_moved(self, event: TranscriptPane.CursorMoved) -> None:
        self.moves.append(event)

    def on_transcript_pane_hit_wanted(self, event: TranscriptPane.HitWanted) -> None:
        self.steps.append(event.direction)

    def on_transcript_pane_copy_requested(self, event: TranscriptPane.CopyRequested) -> None:
        self.copied.append(event.text)

    # What is on the screen.

    def strips(self) -> list[Strip]:
        return [self.pane.render_line(y) for y in range(self.pane.size.height)]

    def lines(self) -> list[str]:
        return [strip.text.rstrip() for strip in self.strips()]

    def line_of(self, text: str) -> int:
        """The screen line that shows `text`; -1 if none does."""
        return next((y for y, line in enumerate(self.lines()) if text in line), -1)
