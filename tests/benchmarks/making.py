"""Writes a benchmark store with the recorder: the same for the same layout and size, its needles in known rows."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator
from pathlib import Path

from hermes_tui.recorder import Layout, NewMessage, Recorder, StorageSettings
from tests.benchmarks.needles import Draft, Planting
from tests.benchmarks.words import TOOLS, Writer, wrapped

SEED = 20
LAST_MOMENT = 1_790_000_000.0  # Unix seconds of the newest message
AGES = 400 * 86_400.0  # seconds between the oldest message and the newest
SOURCES = ("cli", "telegram", "cron", "subagent", "discord", "api_server")
SHARES = (45, 20, 15, 8, 10, 2)
KEPT = 4  # messages a compaction keeps, and stores again
BARREN = 9  # the last messages before a compaction, more than can be stored again
PORTION = 2_000  # messages in one transaction


def write(path: Path, layout: Layout, total: int, tell: Callable[[int], None]) -> Making:
    """Write a store of `total` messages (besides those a compaction stores again) to a new file."""
    chance = random.Random(SEED)
    settings = StorageSettings(synchronous="off")  # a store that is cut short is made anew
    clock = _Clock(total)
    with Recorder(path, settings=settings, layout=layout, clock=clock, randomness=random.Random(SEED)) as recorder:
        made = Making(recorder, chance, clock, Planting(total, chance.random))
        for count in _session_sizes(total, chance):
            made.session(count)
            tell(made.messages)
    return made


class _Clock:
    """Even steps from the oldest message to the newest."""

    def __init__(self, total: int) -> None:
        self.now = LAST_MOMENT - AGES
        self._step = AGES / total

    def __call__(self) -> float:
        return self.now

    def tick(self) -> float:
        """The time of the next message."""
        self.now += self._step
        return self.now


def _session_sizes(total: int, chance: random.Random) -> Iterator[int]:
    """How many messages each session has, many small ones and few large: one, in the middle, has a tenth of all."""
    left = total - total // 10
    placed = False
    while left > 0:
        if not placed and left <= total // 2:
            placed = True
            yield total // 10
        count = min(left, total // 50 + 4, int(chance.lognormvariate(3.2, 1.1)) + 2)
        left -= count
        yield count


class Making:
    """A store being written; `rows` notes the ids of every needle, `largest` the session with most messages."""

    def __init__(self, recorder: Recorder, chance: random.Random, clock: _Clock, planting: Planting) -> None:
        self.rows: dict[str, list[int]] = {"telegram user": [], "cron": []}
        self.messages = 0
        self.largest = ""
        self._recorder = recorder
        self._chance = chance
        self._clock = clock
        self._planting = planting
        self._writer = Writer(chance)
        self._parent = ""
        self._large = 0
        self._calls = 0

    def session(self, count: int) -> None:
        """Write one session of `count` messages."""
        (source,) = self._chance.choices(SOURCES, weights=SHARES)
        if count > self._large and count >= 200:
            source = "cli"
        session = self._begin(source)
        if count > self._large:
            self._large, self.largest = count, session
        drafts = list(self._drafts(source, count))
        cuts = source in ("cli", "discord") and 40 <= count < self._large and self._chance.random() < 0.3
        middle = self._turn_near(drafts, count * 2 // 3) if cuts else 0
        for draft in drafts[max(0, middle - BARREN) : middle]:
            draft.barren = True
        self._append(session, source, drafts[:middle])
        if middle:
            session = self._compacted(session)
        self._append(session, source, drafts[middle:])
        if self._chance.random() < 0.95:
            self._recorder.end_session(session, "cron_complete" if source == "cron" else "cli_close")

    def _begin(self, source: str) -> str:
        model = self._chance.choice(("large-405b", "small-70b", "coder-32b"))
        if source == "subagent" and self._parent:
            return self._recorder.delegate(self._parent, model=model)
        title = " ".join(self._writer.words(4)).capitalize() + f" {self.messages}"
        session = self._recorder.create_session(
            source, title=title if self._chance.random() < 0.6 else None, model=model, cwd="/srv/work"
        )
        if source == "cli":
            self._parent = session
        return session

    def _turn_near(self, drafts: list[Draft], place: int) -> int:
        """A place at or before `place` where a turn of the user begins; 0 when there is none."""
        while place > 0 and drafts[place].kind != "user":
            place -= 1
        return place if place > BARREN else 0

    def _compacted(self, session: str) -> str:
        summary = self._writer.prose(80)
        if self._chance.random() < 0.5:
            self._recorder.compact(session, summary, keep_last=KEPT)
            return session
        return self._recorder.split(session, summary, keep_last=KEPT)

    def _drafts(self, source: str, count: int) -> Iterator[Draft]:
        """Turns: a person asks, the agent calls tools and answers."""
        kinds: list[str] = []
        while len(kinds) < count:
            calls = self._chance.choice((0, 1, 2, 3, 4, 6))
            kinds += ["user", *["call", "output"] * calls, "reply"]
        for kind in kinds[:count]:
            draft = Draft(kind, source, self._text(kind))
            if kind == "call":
                draft.argument = f"cat {self._writer.path()}"
            if kind in ("call", "reply") and self._chance.random() < 0.3:
                draft.reasoning = self._writer.prose(25)
            yield draft

    def _text(self, kind: str) -> str:
        if kind == "call":
            return ""
        return self._writer.printed() if kind == "output" else self._writer.said()

    def _append(self, session: str, source: str, drafts: list[Draft]) -> None:
        written: list[NewMessage] = []
        for place, draft in enumerate(drafts):
            self._planting.plant(draft, self.messages + place)
            written.append(self._message(draft))
        for start in range(0, len(drafts), PORTION):
            ids = self._recorder.append_many(session, written[start : start + PORTION])
            for message, draft in zip(ids, drafts[start : start + PORTION], strict=True):
                self._note(message, draft, source)
        self.messages += len(drafts)

    def _note(self, message: int, draft: Draft, source: str) -> None:
        names = list(draft.names)
        if source == "telegram" and draft.kind == "user":
            names.append("telegram user")
        if source == "cron":
            names.append("cron")
        for name in dict.fromkeys(names):
            self.rows.setdefault(name, []).append(message)

    def _message(self, draft: Draft) -> NewMessage:
        said: NewMessage = {"role": "assistant", "content": draft.text, "timestamp": self._clock.tick()}
        if draft.reasoning:
            said["reasoning"] = draft.reasoning
        match draft.kind:
            case "user":
                said["role"] = "user"
            case "call":
                self._calls += 1
                arguments = json.dumps({"command": draft.argument, "workdir": "/srv/work"})
                function = {"name": self._tool(), "arguments": arguments}
                said["tool_calls"] = [{"id": self._call_id(), "type": "function", "function": function}]
            case "output":
                said |= {"role": "tool", "tool_name": self._tool(), "tool_call_id": self._call_id()}
                if self._chance.random() < 0.6:
                    said["content"] = wrapped(draft.text, exit_code=0, escaped=self._chance.random() < 0.5)
            case _:
                pass
        return said

    def _tool(self) -> str:
        return TOOLS[self._calls % len(TOOLS)]

    def _call_id(self) -> str:
        return f"call_{self._calls:08d}"
