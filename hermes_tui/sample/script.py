"""The parts a sample conversation is written down in: who says what, which tool answers, where history turns."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from textwrap import dedent
from typing import Any

LARGE = "nousresearch/hermes-4-405b"
SMALL = "nousresearch/hermes-4-70b"


@dataclass(frozen=True, slots=True)
class User:
    """Something a person says: text, or parts (text and images). `observed` was said to others in a group."""

    content: str | Sequence[Mapping[str, Any]]
    observed: bool = False


@dataclass(frozen=True, slots=True)
class Reply:
    """What the agent answers, and what it thought before."""

    text: str
    thinking: str = ""


@dataclass(frozen=True, slots=True)
class Call:
    """The agent uses a tool. `output` is what the tool answers: text as it came, or a value that is stored as JSON."""

    tool: str
    arguments: Mapping[str, Any]
    output: str | Mapping[str, Any]
    saying: str = ""
    thinking: str = ""


@dataclass(frozen=True, slots=True)
class Pause:
    """Nothing happens for some hours."""

    hours: float


@dataclass(frozen=True, slots=True)
class Compact:
    """History becomes a summary in place; the last few messages are kept."""

    summary: str
    keep_last: int = 2


@dataclass(frozen=True, slots=True)
class Split:
    """History becomes a summary at the head of a new session, in which the conversation goes on."""

    summary: str
    keep_last: int = 1


@dataclass(frozen=True, slots=True)
class Rewind:
    """The person takes back the last thing they said, and all that came of it."""


@dataclass(frozen=True, slots=True)
class Reset:
    """The person starts over in the same chat."""


@dataclass(frozen=True, slots=True)
class Delegate:
    """A sub-agent works on a goal in a session of its own, then reports."""

    goal: str
    steps: Sequence[User | Reply | Call]


@dataclass(frozen=True, slots=True)
class Branch:
    """Another way to go on from here, told in a session with a copy of what was said; this one ends here."""

    title: str
    steps: Sequence[User | Reply | Call]


Step = User | Reply | Call | Pause | Compact | Split | Rewind | Reset | Delegate | Branch


@dataclass(frozen=True, slots=True)
class Scene:
    """One conversation. `day` is how many days before "now" it begins; `end` None means that it is still open."""

    day: float
    steps: Sequence[Step]
    title: str | None = None
    source: str = "cli"
    model: str = LARGE
    cwd: str | None = None
    git_branch: str | None = None
    chat: str | None = None  # the room of a messenger, such as "telegram:dm:204"
    name: str | None = None  # of the room
    session_id: str | None = None
    end: str | None = "cli_close"
    flags: frozenset[str] = field(default_factory=frozenset)  # "archived", "pinned", "hidden"


def text(block: str) -> str:
    """A block of an indented source text as it was said."""
    return dedent(block).strip("\n")


def shell(command: str, output: str, *, code: int = 0, cwd: str | None = None, saying: str = "") -> Call:
    """A command in the terminal tool, which answers in JSON."""
    arguments = {"command": command} | ({"cwd": cwd} if cwd else {})
    result = {"output": text(output), "exit_code": code, "error": None}
    return Call("terminal", arguments, result, saying=saying)


def raw_shell(command: str, output: str, *, saying: str = "", thinking: str = "") -> Call:
    """A command whose answer came back as the terminal showed it, colours and all."""
    return Call("terminal", {"command": command}, text(output), saying=saying, thinking=thinking)


def read(path: str, content: str, *, saying: str = "") -> Call:
    """A file is read."""
    body = text(content)
    return Call(
        "read_file", {"path": path}, {"path": path, "total_lines": body.count("\n") + 1, "content": body}, saying=saying
    )


def patch(path: str, diff: str, *, saying: str = "", thinking: str = "") -> Call:
    """A file is changed; the answer shows the difference."""
    body = text(diff)
    changed = {"path": path, "diff": body}
    return Call("patch", {"path": path, "patch": body}, {"success": True, **changed}, saying=saying, thinking=thinking)


def stored(value: Mapping[str, Any]) -> str:
    """A tool's answer as the store keeps it: JSON text with letters of every script as they are."""
    return json.dumps(value, ensure_ascii=False)
