"""Plays scenes into a recorder, with a clock that only the play moves."""

from __future__ import annotations

import random
from collections.abc import Sequence

from hermes_tui.recorder import Layout, NewMessage, Recorder, SessionFields, Usage
from hermes_tui.sample.script import (
    Branch,
    Call,
    Compact,
    Delegate,
    Pause,
    Reply,
    Reset,
    Rewind,
    Scene,
    Split,
    Step,
    User,
    stored,
)

DAY = 86_400.0
SYSTEM_PROMPT = """You are Hermes, a helpful agent on Robin's machines.
Use the tools instead of guessing. Say what you changed and how you checked it. Ask before deleting anything."""


class Clock:
    """The time of the play in Unix seconds."""

    def __init__(self, now: float) -> None:
        self.now = now

    def __call__(self) -> float:
        """What the recorder asks for."""
        return self.now


class Stage:
    """Writes scenes; `session` is the one being told, `waiting` what was said in it and is not yet written."""

    def __init__(self, recorder: Recorder, clock: Clock, chance: random.Random) -> None:
        self.recorder = recorder
        self.clock = clock
        self.chance = chance
        self.session = ""
        self.model = ""
        self.calls = 0
        self.waiting: list[NewMessage] = []
        self.usage = (0, 0, 0)  # calls of the model, input and output tokens

    def play(self, scene: Scene, started_at: float) -> None:
        """Write one conversation that begins at a time in Unix seconds."""
        self.clock.now = started_at
        self.model = scene.model
        self.session = self.recorder.create_session(
            scene.source,
            session_id=scene.session_id,
            title=scene.title,
            system_prompt=SYSTEM_PROMPT,
            **_place(scene),
        )
        for step in scene.steps:
            self._perform(step)
        self._write()
        self._flag(scene.flags)
        if scene.end is not None:
            self.clock.now += self.chance.uniform(5, 60)
            self.recorder.end_session(self.session, scene.end)

    def _perform(self, step: Step) -> None:
        match step:
            case User() | Reply() | Call():
                self._say(step)
            case Pause(hours=hours):
                self.clock.now += hours * 3600
            case Compact(summary=summary, keep_last=keep_last):
                self._write()
                self.recorder.compact(self.session, summary, keep_last=keep_last)
            case Split(summary=summary, keep_last=keep_last):
                self._write()
                self.session = self.recorder.split(self.session, summary, keep_last=keep_last)
            case Rewind():
                self._write()
                asked = [row["id"] for row in self.recorder.live_messages(self.session) if row["role"] == "user"]
                self.recorder.rewind(self.session, asked[-1])
            case Reset():
                self._write()
                self.session = self.recorder.reset(self.session)
            case Delegate():
                self._delegate(step)
            case Branch():
                self._write()
                self.session = self.recorder.branch(self.session, title=step.title)
                self._say_all(step.steps)

    def _delegate(self, step: Delegate) -> None:
        parent = self.session
        call_id = self._call_id()
        self._wait(3, 15)
        arguments = stored({"goal": step.goal})
        self._add_call("delegate_task", arguments, call_id, saying="", thinking="")
        self._write()
        self.session = self.recorder.delegate(parent, model=self.model)
        self._say_all([User(step.goal), *step.steps])
        self._write()
        self.recorder.end_session(self.session, "agent_close")
        report = self.recorder.live_messages(self.session)[-1]["content"]
        self.session = parent
        self._add("tool", stored({"status": "completed", "summary": report}), tool="delegate_task", call_id=call_id)

    def _say_all(self, steps: Sequence[User | Reply | Call]) -> None:
        for step in steps:
            self._say(step)

    def _say(self, step: User | Reply | Call) -> None:
        match step:
            case User(content=content, observed=observed):
                self._wait(20, 240)
                message: NewMessage = {"role": "user", "content": content, "timestamp": self.clock.now}
                self.waiting.append(message | {"observed": True} if observed else message)
            case Reply(text=text, thinking=thinking):
                self._wait(4, 30)
                reply: NewMessage = {
                    "role": "assistant",
                    "content": text,
                    "timestamp": self.clock.now,
                    "token_count": len(text) // 4 + 1,
                    "finish_reason": "stop",
                }
                self.waiting.append(reply | {"reasoning": thinking} if thinking else reply)
                self._count(text + thinking)
            case Call(tool=tool, arguments=arguments, output=output):
                self._wait(3, 15)
                call_id = self._call_id()
                self._add_call(tool, stored(arguments), call_id, saying=step.saying, thinking=step.thinking)
                self._wait(0.3, 9)
                self._add("tool", output if isinstance(output, str) else stored(output), tool=tool, call_id=call_id)

    def _add_call(self, tool: str, arguments: str, call_id: str, *, saying: str, thinking: str) -> None:
        call = {"id": call_id, "type": "function", "function": {"name": tool, "arguments": arguments}}
        message: NewMessage = {
            "role": "assistant",
            "content": saying,
            "tool_calls": [call],
            "timestamp": self.clock.now,
            "token_count": (len(saying) + len(arguments)) // 4 + 1,
            "finish_reason": "tool_calls",
        }
        self.waiting.append(message | {"reasoning": thinking} if thinking else message)
        self._count(saying + arguments + thinking)

    def _add(self, role: str, content: str, *, tool: str, call_id: str) -> None:
        self.waiting.append(
            {"role": role, "content": content, "tool_name": tool, "tool_call_id": call_id, "timestamp": self.clock.now}
        )

    def _write(self) -> None:
        """Put into the file what was said so far, and what it cost."""
        if self.waiting:
            self.recorder.append_many(self.session, self.waiting)
            self.waiting = []
        calls, read, written = self.usage
        if calls:
            cost = round(read * 1e-6 + written * 3e-6, 6)
            self.recorder.record_usage(
                self.session,
                Usage(
                    self.model,
                    input_tokens=read,
                    output_tokens=written,
                    api_call_count=calls,
                    estimated_cost_usd=cost,
                    billing_provider="nous",
                ),
            )
        self.usage = (0, 0, 0)

    def _count(self, produced: str) -> None:
        calls, read, written = self.usage
        context = 1800 + 90 * min(len(self.waiting), 120)
        self.usage = (calls + 1, read + context, written + len(produced) // 4 + 1)

    def _flag(self, flags: frozenset[str]) -> None:
        old = self.recorder.layout is Layout.INLINE  # which knows neither pins nor hidden sessions
        if "archived" in flags:
            self.recorder.archive(self.session)
        if "pinned" in flags and not old:
            self.recorder.pin(self.session)
        if "hidden" in flags and not old:
            self.recorder.hide(self.session)

    def _call_id(self) -> str:
        self.calls += 1
        return f"call_{self.calls:05d}{self.chance.getrandbits(32):08x}"

    def _wait(self, least: float, most: float) -> None:
        self.clock.now += round(self.chance.uniform(least, most), 3)


def _place(scene: Scene) -> SessionFields:
    """Who answers and where: in a folder, or in a room of a messenger."""
    place: SessionFields = {"model": scene.model}
    if scene.cwd is not None:
        place["cwd"] = place["git_repo_root"] = scene.cwd
    if scene.git_branch is not None:
        place["git_branch"] = scene.git_branch
    if scene.chat is not None:
        platform, kind, number = scene.chat.split(":")
        place["session_key"] = f"agent:main:{scene.chat}"
        place["chat_id"] = number
        place["chat_type"] = kind
        place["display_name"] = scene.name
        place["origin_json"] = {"platform": platform, "chat_id": number}
    return place
