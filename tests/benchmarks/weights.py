"""A store of conversations that hold one message of a megabyte each: what opening one of those costs."""

from __future__ import annotations

import base64
import json
import random
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from hermes_tui.recorder import Layout, NewMessage, Recorder, StorageSettings
from tests.benchmarks import words
from tests.benchmarks.stores import Say, kept, recipe, to_stderr
from tests.benchmarks.words import Writer

MEGABYTE = 1 << 20
LINE = 64  # characters of a line of the log: 16,384 lines are a megabyte
LAST_MOMENT = 1_790_000_000.0


@dataclass(frozen=True, slots=True)
class Weights:
    """A store on disk. For each kind SESSION#MESSAGE of the large message, and a text that its first line holds."""

    path: Path
    anchors: Mapping[str, str]
    shown: Mapping[str, str]


def prepare(folder: Path, layout: Layout, *, characters: int = MEGABYTE, say: Say = to_stderr) -> Weights:
    """The store of this layout, made now if it is not in `folder` yet."""
    stem = f"weights-{characters}-{layout.value}"

    def make(path: Path) -> dict[str, object]:
        say(f"making {path.name}")
        return write(path, layout, characters)

    path, known = kept(folder, stem, recipe(Path(__file__), Path(str(words.__file__))), make)
    return Weights(path, known["anchors"], known["shown"])


def write(path: Path, layout: Layout, characters: int) -> dict[str, object]:
    """Write such a store to a new file; what is known of it."""
    chance = random.Random(8)
    texts = _texts(Writer(chance), chance, characters)
    settings = StorageSettings(synchronous="off")  # a store that is cut short is made anew
    anchors: dict[str, str] = {}
    with Recorder(path, settings=settings, layout=layout, clock=lambda: LAST_MOMENT, randomness=chance) as recorder:
        for kind, text in texts.items():
            session = recorder.create_session("cli", title=f"A large {kind}", cwd="/srv/work")
            said = _called(kind, text) if kind != "markdown" else [NewMessage(role="assistant", content=text)]
            ids = recorder.append_many(session, [NewMessage(role="user", content=f"please look at this {kind}"), *said])
            anchors[kind] = f"{session}#{ids[-1]}"
    return {"anchors": anchors, "shown": {kind: _shown(text) for kind, text in texts.items()}}


def _shown(text: str) -> str:
    """A few characters of the text that no wrapping and no laying out of JSON takes apart."""
    found = re.search(r"[A-Za-z]{4,}[0-9A-Za-z]*", text.replace('{"rows": [{"name": "', ""))
    return found[0][:12] if found else ""


def _called(kind: str, output: str) -> list[NewMessage]:
    arguments = json.dumps({"command": f"cat {kind}"})
    call = {"id": f"call_{kind}", "type": "function", "function": {"name": "terminal", "arguments": arguments}}
    return [
        NewMessage(role="assistant", content="", tool_calls=[call]),
        NewMessage(role="tool", content=output, tool_name="terminal", tool_call_id=f"call_{kind}"),
    ]


def _texts(writer: Writer, chance: random.Random, characters: int) -> dict[str, str]:
    rows = [{"name": " ".join(writer.words(4)), "place": writer.path()} for _ in range(characters // 64)]
    parts = []
    for number in range(characters // 640):
        parts.append(f"## Part {number}\n\n{writer.prose(60)}\n\n- **{writer.words(1)[0]}**: `{writer.path()}`\n")
        parts.append(writer.code(6))
    return {
        "log": "\n".join(f"{line:<{LINE - 1}}"[: LINE - 1] for line in writer.log(characters // LINE).splitlines()),
        "json": json.dumps({"rows": rows})[:characters],
        "base64": base64.b64encode(chance.randbytes(characters * 3 // 4)).decode("ascii"),
        "markdown": "\n\n".join(parts)[:characters],
    }
