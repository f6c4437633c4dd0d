"""A store with one long conversation to read, and a short one beside it: the same for the same size and layout.

The long one has what slows a reader down: code, JSON, tables, long outputs, compaction.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from hermes_tui.recorder import Layout, NewMessage, Recorder, StorageSettings
from tests.benchmarks import words
from tests.benchmarks.stores import SIZES, Say, kept, recipe, to_stderr
from tests.benchmarks.words import TOOLS, Writer, wrapped

MOST = 20_000  # messages of the long conversation in a store of any size
SHORT = 40  # messages of the short one
SEED = 21
LAST_MOMENT = 1_790_000_000.0  # Unix seconds of the newest message
STEP = 45.0  # seconds between two messages
PORTION = 2_000  # messages in one transaction
KEPT = 4  # messages that compaction stores again
LONG_EVERY = 100  # one output in so many is a long one
LONG_LINES = 2_000


@dataclass(frozen=True, slots=True)
class Conversation:
    """A store on disk; `long` and `short` are the session ids, with the ids of the messages in their middle."""

    path: Path
    size: str
    layout: Layout
    messages: int
    long: str
    middle: int
    short: str
    short_middle: int


def prepare(
    folder: Path, size: str, layout: Layout, *, say: Say = to_stderr, messages: int | None = None
) -> Conversation:
    """The store for this size and layout, made now if it is not in `folder` yet; `messages` asks for another length."""
    total = messages or min(SIZES[size], MOST)
    stem = f"reading-{total}-{layout.value}"

    def make(path: Path) -> dict[str, object]:
        say(f"making {path.name}: {total:,} messages")
        return write(path, layout, total)

    path, known = kept(folder, stem, recipe(Path(__file__), Path(words.__file__)), make)
    return Conversation(
        path=path,
        size=size,
        layout=layout,
        messages=total,
        long=known["long"],
        middle=known["middle"],
        short=known["short"],
        short_middle=known["short_middle"],
    )


def write(path: Path, layout: Layout, total: int) -> dict[str, object]:
    """Write a store whose long conversation has `total` messages, besides what compaction adds, to a new file."""
    made = _Making(LAST_MOMENT - STEP * (total + SHORT))
    settings = StorageSettings(synchronous="off")  # a store that is cut short is made anew
    with Recorder(path, settings=settings, layout=layout, clock=made, randomness=made.chance) as recorder:
        short = recorder.create_session("cli", title="A short conversation", cwd="/srv/work")
        few = recorder.append_many(short, made.talk(SHORT))
        long = recorder.create_session("cli", title="A long conversation", cwd="/srv/work")
        ids = _append(recorder, long, made.talk(total * 2 // 3))
        recorder.compact(long, made.writer.prose(120), keep_last=KEPT)
        ids += _append(recorder, long, made.talk(total - len(ids)))
    return {"long": long, "middle": ids[total // 2], "short": short, "short_middle": few[SHORT // 2]}


def _append(recorder: Recorder, session: str, messages: list[NewMessage]) -> list[int]:
    ids: list[int] = []
    for start in range(0, len(messages), PORTION):
        ids += recorder.append_many(session, messages[start : start + PORTION])
    return ids


class _Making:
    """Messages in the order they were said; called, it is the recorder's clock."""

    def __init__(self, now: float) -> None:
        self.chance = random.Random(SEED)
        self.writer = Writer(self.chance)
        self._now = now
        self._calls = 0

    def __call__(self) -> float:
        return self._now

    def talk(self, count: int) -> list[NewMessage]:
        """Turns, `count` messages in all: a person asks, the agent calls tools and answers."""
        said: list[NewMessage] = []
        while len(said) < count:
            said.append(self._said("user", self.writer.said()))
            for _ in range(self.chance.choice((0, 1, 2, 3, 4, 6))):
                said += self._called()
            said.append(self._said("assistant", self._reply()))
        return said[:count]

    def _said(self, role: str, text: str) -> NewMessage:
        self._now += STEP
        said: NewMessage = {"role": role, "content": text, "timestamp": self._now}
        if role == "assistant" and self.chance.random() < 0.3:
            said["reasoning"] = self.writer.prose(25)
        return said

    def _called(self) -> list[NewMessage]:
        self._calls += 1
        name, call_id = TOOLS[self._calls % len(TOOLS)], f"call_{self._calls:08d}"
        arguments = json.dumps({"command": f"cat {self.writer.path()}", "workdir": "/srv/work"})
        call = self._said("assistant", "")
        call["tool_calls"] = [{"id": call_id, "type": "function", "function": {"name": name, "arguments": arguments}}]
        output = self._said("tool", self._output())
        return [call, output | {"tool_name": name, "tool_call_id": call_id}]

    def _output(self) -> str:
        if self._calls % LONG_EVERY == LONG_EVERY // 2:
            return self.writer.log(LONG_LINES)
        draw = self.chance.random()
        if draw < 0.2:
            return self._json()
        text = self.writer.printed()
        return wrapped(text, exit_code=int(draw > 0.95), escaped=False) if draw < 0.7 else text

    def _json(self) -> str:
        keys = self.writer.words(6)
        rows = [dict.fromkeys(keys, " ".join(self.writer.words(3))) for _ in range(self.chance.randrange(1, 30))]
        return json.dumps({"rows": rows, "total": len(rows), "next": None})

    def _reply(self) -> str:
        shapes: tuple[Callable[[], str], ...] = (
            self.writer.said,
            self.writer.said,
            self._code,
            self._list,
            self._table,
        )
        return self.chance.choice(shapes)()

    def _code(self) -> str:
        return f"{self.writer.prose(30)}\n\n{self.writer.code(self.chance.randrange(4, 40))}"

    def _list(self) -> str:
        points = (f"- **{self.writer.words(1)[0]}**: {' '.join(self.writer.words(9))}" for _ in range(8))
        return f"## {' '.join(self.writer.words(4))}\n\n" + "\n".join(points)

    def _table(self) -> str:
        rows = (f"| {' '.join(self.writer.words(2))} | `{self.writer.path()}` |" for _ in range(6))
        return f"{self.writer.prose(20)}\n\n| what | where |\n|---|---|\n" + "\n".join(rows)
