"""The store and the twelve searches that are put to other programs as well, and which rows are right.

The store is a benchmark store with some conversations more. What is right is found by brute force: every row is read,
its JSON decoded, and it is right when it holds every part of what was asked, in small letters or capitals.
"""

from __future__ import annotations

import json
import random
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from hermes_tui.recorder import Layout, NewMessage, Recorder
from tests.benchmarks import making, needles, stores, words
from tests.benchmarks.making import LAST_MOMENT, SEED
from tests.benchmarks.needles import PATH
from tests.benchmarks.stores import Say, Store
from tests.benchmarks.words import Writer, wrapped

MINUTE = 60.0
SPOKEN, CALLED, PRINTED = 8, 6, 6  # rows of each kind that get a planted text
BEHIND = 9_000  # characters before the text in long output: more than the newest word index holds of a row
COLOURED = "\x1b[31m{}\x1b[0m"


@dataclass(frozen=True, slots=True)
class Asked:
    """One search: `text` as typed, `parts` of which a right row holds every one.

    `planted` is the text that the added conversations get; empty where every benchmark store has rows to find.
    """

    name: str
    text: str
    parts: tuple[str, ...]
    planted: str = ""
    kinds: tuple[str, ...] = ("spoken", "called", "printed")


SEARCHES = (
    Asked("words", "lantern granite", ("lantern", "granite")),
    Asked("path", PATH, (PATH,)),
    Asked("flag", "--onefile", ("--onefile",), "pyinstaller --onefile run.py"),
    Asked("TODO:", "TODO:", ("todo:",), "# TODO: seal the crate"),
    Asked("mid-word", "brillig", ("brillig",)),
    Asked("two Chinese characters", "陨石", ("陨石",)),
    Asked("phrase", '"copper kettle sings"', ("copper kettle sings",)),
    Asked("dotted name", "quarry.ledger.sync_all", ("quarry.ledger.sync_all",), "quarry.ledger.sync_all(now)"),
    Asked("error line", '"ReaderStuck: [Errno 104]"', ("readerstuck: [errno 104]",), "ReaderStuck: [Errno 104] gone"),
    Asked("e-mail", "mira.okafor@example.org", ("mira.okafor@example.org",), "write to mira.okafor@example.org soon"),
    Asked("hash", "9f3c2ab71e04", ("9f3c2ab71e04",), "at 9f3c2ab71e04d58807b1c6aa92f0e1d3c4b5a697 now"),
    Asked("word in tool output", "marrowfat", ("marrowfat",), "the marrowfat line", ("printed",)),
)
DECOYS = ("the todo list is long", "one file to go", "quarry ledger, sync all", "mira okafor of example")
"""Like what is asked, and not it."""


@dataclass(frozen=True, slots=True)
class Asking:
    """A store, for each search of SEARCHES the ids of its right rows, and where each row stands."""

    store: Store
    right: dict[str, frozenset[int]]
    places: dict[int, tuple[str, int]] = field(repr=False)  # session id, whole seconds


def prepare(folder: Path, size: str, layout: Layout, *, say: Say) -> Asking:
    """The store of this size and layout with the added conversations, made now if it is not in `folder` yet."""
    store = stores.prepare(folder, size, layout, say=say)
    sources = [Path(str(module.__file__)) for module in (making, needles, words)]
    made_by = stores.recipe(*sources, Path(__file__))

    def make(path: Path) -> dict[str, object]:
        with closing(sqlite3.connect(store.path)) as before, closing(sqlite3.connect(path)) as connection:
            before.backup(connection)
        _add(path)
        say(f"made {path.name}")
        return {}

    path, _ = stores.kept(folder, f"asked-{size}-{layout.value}", made_by, make)
    rows = list(_rows(path))
    right = {one.name: frozenset(row for row, _, _, text in rows if _holds(text, one)) for one in SEARCHES}
    asked = Store(path, size, layout, {}, store.session, len(rows))
    return Asking(asked, right, {row: (session, second) for row, session, second, _ in rows})


def _holds(text: str, asked: Asked) -> bool:
    return all(part in text for part in asked.parts)


def _rows(path: Path) -> Iterator[tuple[int, str, int, str]]:
    """Id, session, whole second and decoded text (in small letters) of each row."""
    with closing(sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)) as connection:
        rows = connection.execute("SELECT id, session_id, timestamp, content, tool_calls FROM messages").fetchall()
    for row, session, moment, content, calls in rows:
        texts = [*_texts(content or ""), *_texts(calls or "")]
        yield row, session, int(moment), "\n".join(texts).replace("\x1b[31m", "").replace("\x1b[0m", "").lower()


def _texts(stored: str) -> Iterator[str]:
    """Every text in it where it is a JSON object or list, else the text as it is."""
    try:
        value = json.loads(stored) if stored[:1] in ("{", "[") else None
    except ValueError:
        value = None
    if isinstance(value, (dict, list)):
        yield from _within(value)
    else:
        yield stored


def _within(value: Any) -> Iterator[str]:
    match value:
        case str():
            yield from _texts(value)
        case list():
            for item in value:
                yield from _within(item)
        case dict():
            for item in value.values():
                yield from _within(item)
        case _:
            pass


# -- the added conversations ------------------------------------------------------------------------------------------


def _add(path: Path) -> None:
    """A conversation for each planted text, every third by cron, and one of decoys."""
    chance = random.Random(SEED)
    writer = Writer(chance)
    with Recorder(path, clock=lambda: LAST_MOMENT, randomness=random.Random(SEED)) as recorder:
        planted = [asked for asked in SEARCHES if asked.planted]
        for place, asked in enumerate(planted):
            source = "cron" if place % 3 == 2 else "cli"
            session = recorder.create_session(source, title=f"Asked for {asked.name}", model="small-70b")
            recorder.append_many(session, list(_planted(asked, writer, LAST_MOMENT + place * 60 * MINUTE)))
        session = recorder.create_session("cli", title="Decoys", model="small-70b")
        texts = [f"{writer.prose(12)} {decoy} {writer.prose(12)}" for decoy in DECOYS]
        recorder.append_many(session, [{"role": "user", "content": text} for text in texts])


def _planted(asked: Asked, writer: Writer, begun: float) -> Iterator[NewMessage]:
    count = {"spoken": SPOKEN, "called": CALLED, "printed": PRINTED}
    moments = iter(range(100))
    for kind in asked.kinds:
        for place in range(count[kind]):
            message = _message(kind, place, asked.planted, writer)
            message["timestamp"] = begun + next(moments) * MINUTE
            yield message


def _message(kind: str, place: int, text: str, writer: Writer) -> NewMessage:
    before, behind = writer.prose(20), writer.prose(20)
    if kind == "spoken":
        return {"role": "user" if place % 2 else "assistant", "content": f"{before}\n{text} {behind}"}
    if kind == "called":
        arguments = json.dumps({"command": f"cd /srv/work; {text}", "workdir": "/srv/work"})
        function = {"name": "terminal", "arguments": arguments}
        call = {"id": f"asked_{place}", "type": "function", "function": function}
        return {"role": "assistant", "content": "", "tool_calls": [call]}
    long = writer.prose(BEHIND // 5) if place == 0 else before  # words have five letters and more
    printed = f"{long}\n{COLOURED.format(text) if place % 3 == 1 else text}\n{behind}"
    content = wrapped(printed, exit_code=0, escaped=place % 2 == 0) if place % 3 else printed
    return {"role": "tool", "tool_name": "terminal", "tool_call_id": f"asked_{place}", "content": content}
