"""Keys in a terminal, from the byte that is sent to those that are painted: typing a search, moving in list and text.

Every program runs in a terminal of its own at the same time, and they take turns, so that noise hits all alike. Typing
stands beside the same browser over a store with a few rows, moving beside a key in an empty app.
"""

from __future__ import annotations

import random
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

from hermes_tui.library import Library
from hermes_tui.recorder import Layout, Recorder, StorageSettings
from tests.benchmarks import conversation, empty, listing, stores, words
from tests.benchmarks.measure import Result, Spread, ratio, spread
from tests.benchmarks.questions import Question
from tests.benchmarks.starting import AT_REST, ROOT
from tests.benchmarks.stores import Say, Store, kept, recipe, to_stderr
from tests.benchmarks.terminal import KEYS_COUNT, Terminal

PACE = 0.08  # seconds between two keys of somebody who types fast
REPEAT = 1 / 30  # seconds between two keys while one is held down
STILL = 0.3  # seconds without a paint after which all that follows a key is done
SHOWN = 16  # letters of a hit that tell it from every other one
ROWS_IN_VIEW = 24
WORDS = 12  # words that are typed, one after the other
TYPED = words.INVENTED[:: len(words.INVENTED) // 60]
"""Those they are chosen among."""
NOWHERE = "xqvjkwqzpfxj"  # every beginning of it stands nowhere, so each key has the whole store looked through
PLAIN = 3  # letters that may stand in other text as well
CLEAR = b"\x15"
MOVES = {"cursor key": b"j", "page key": b"\x1b[6~"}
TO_BOX = b"/"
EMPTY, FEW = "empty app", "few rows"


@dataclass(frozen=True, slots=True)
class Stores:
    """The stores that are browsed: the usual one of each size by its name, a few rows, a crowd, and a long text."""

    size: str
    layout: Layout
    usual: Mapping[str, Store]
    few: Path
    crowd: listing.Crowd
    reading: conversation.Conversation


@dataclass(slots=True)
class Takes:
    """What a kind of key took: seconds on the wall, of CPU for each key, bytes painted for each key."""

    wall: list[float] = field(default_factory=list)
    cpu: list[float] = field(default_factory=list)
    painted: list[int] = field(default_factory=list)


def prepare(folder: Path, size: str, layout: Layout, *, say: Say = to_stderr, small: bool = False) -> Stores:
    """The stores of this size and layout, made now if they are not in `folder` yet; beside a larger one also the usual
    one of size S. `small` only to see it all run."""
    sizes = [size] if size in ("XS", "S") else ["S", size]
    few, _ = kept(folder, f"few-{layout.value}", recipe(Path(__file__), Path(words.__file__)), _few(layout))
    return Stores(
        size=size,
        layout=layout,
        usual={each: stores.prepare(folder, each, layout, say=say) for each in sizes},
        few=few,
        crowd=listing.prepare(folder, size, layout, say=say, sessions=400 if small else None),
        reading=conversation.prepare(folder, size, layout, say=say, messages=200 if small else None),
    )


def _few(layout: Layout) -> Callable[[Path], Mapping[str, object]]:
    """A handful of conversations in which every word that may be typed is said once."""

    def make(path: Path) -> Mapping[str, object]:
        writer = words.Writer(random.Random(3))
        with Recorder(path, settings=StorageSettings(synchronous="off"), layout=layout) as recorder:
            session = recorder.create_session("cli", title="A few rows")
            said = [f"{' '.join(writer.words(4))} {word} {' '.join(writer.words(6))}" for word in TYPED]
            recorder.append_many(session, [{"role": "user", "content": text} for text in said])
        return {}

    return make


def run(there: Stores, questions: Sequence[Question], *, runs: int, say: Say, keys: int = 20) -> Iterator[Result]:
    """Type `runs` words and `runs` times what is nowhere, and press each key `runs` times `keys` times. Typing is not
    asked the `questions`."""
    paths = {FEW: there.few, **{name: store.path for name, store in there.usual.items()}}
    reading = there.reading
    say(f"typing {there.size}: search")
    with _running({name: (_ours(path), "conv") for name, path in paths.items()}) as terminals:
        answers = _answers(terminals, {name: _words(path) for name, path in paths.items()}, runs)
        echoes = _echoes(terminals, runs)
    moving = {
        EMPTY: (("-m", empty.__name__), empty.SHOWN),
        "list": (_ours(there.crowd.path), "conv"),
        "transcript": (_ours(reading.path, f"{reading.long}#{reading.middle}"), "A long conv"),
    }
    say(f"typing {there.size}: move")
    with _running(moving) as terminals:
        moves = _moves(terminals, runs, keys)
    yield from _typing(there, "answer", "last key to hits", answers)
    yield from _typing(there, "echo", "while nothing is found", echoes)
    yield from _moving(there, moves)


@contextmanager
def _running(programs: Mapping[str, tuple[Sequence[str], str]]) -> Iterator[dict[str, Terminal]]:
    """Programs by name, each in a terminal and at rest after it showed a text."""
    with tempfile.TemporaryDirectory() as home, ExitStack() as stack:
        environment = {"HOME": home, "XDG_STATE_HOME": home, "XDG_DATA_HOME": home, "PYTHONPATH": str(ROOT)}
        terminals = {}
        for name, (command, shows) in programs.items():
            terminals[name] = terminal = Terminal([sys.executable, *command], environment=environment)
            stack.enter_context(terminal)
            terminal.wait(shows)
            if shows != empty.SHOWN:
                terminal.wait(KEYS_COUNT)
            terminal.rest(still=AT_REST)
        yield terminals


def _ours(path: Path, *places: str) -> tuple[str, ...]:
    return ("-m", "hermes_tui", "--db", str(path), *places)


# Typing.


def _words(path: Path) -> list[tuple[str, str]]:
    """Words with how their newest hit goes on, which is not in view while all but the last letter is typed: so what is
    waited for is painted by the last key."""
    found: list[tuple[str, str]] = []
    with Library.open(path) as library:
        for word in TYPED:
            hits = library.search(word, limit=1).hits
            before = library.search(word[:-1], limit=ROWS_IN_VIEW).hits
            if hits and hits[0].spans and hits[0].anchor not in {hit.anchor for hit in before[:1]}:
                text = hits[0].snippet[hits[0].spans[0][0] :]
                found.append((word, "".join(text.split())[:SHOWN]))
            if len(found) == WORDS:
                break
    return found


def _answers(
    terminals: Mapping[str, Terminal], said: Mapping[str, Sequence[tuple[str, str]]], runs: int
) -> dict[str, Takes]:
    """Type words, and wait after the last key for the newest hit."""
    takes = {name: Takes() for name in terminals}
    for number in range(runs):
        for name, terminal in terminals.items():
            word, shown = said[name][number % len(said[name])]
            _begin(terminal)
            cpu = terminal.cpu()
            _type(terminal, word[:-1])
            takes[name].wall.append(terminal.until(word[-1].encode(), _shows(shown)))
            terminal.rest(still=STILL)
            takes[name].cpu.append((terminal.cpu() - cpu) / len(word))
    return takes


def _echoes(terminals: Mapping[str, Terminal], runs: int) -> dict[str, Takes]:
    """Type what is nowhere, and see how long each letter takes to stand in the box."""
    takes = {name: Takes() for name in terminals}
    for _ in range(runs):
        for name, terminal in terminals.items():
            _begin(terminal)
            cpu = terminal.cpu()
            _type(terminal, NOWHERE[:PLAIN])
            for end in range(PLAIN + 1, len(NOWHERE) + 1):
                took = terminal.until(NOWHERE[end - 1].encode(), NOWHERE[:end])
                takes[name].wall.append(took)
                _drain(terminal, PACE - took)
            terminal.rest(still=STILL)
            takes[name].cpu.append((terminal.cpu() - cpu) / len(NOWHERE))
    return takes


def _begin(terminal: Terminal) -> None:
    """An empty box, and nothing under way."""
    terminal.send(TO_BOX)
    _drain(terminal, PACE)
    terminal.send(CLEAR)
    terminal.rest(still=AT_REST)


def _shows(text: str) -> Callable[[str], bool]:
    return lambda painted: text in "".join(painted.split())


def _type(terminal: Terminal, text: str) -> None:
    for letter in text:
        terminal.send(letter.encode())
        _drain(terminal, PACE)


def _drain(terminal: Terminal, seconds: float) -> None:
    end = time.perf_counter() + seconds
    while (left := end - time.perf_counter()) > 0:
        terminal.read(left)


# Moving.


def _moves(terminals: Mapping[str, Terminal], runs: int, keys: int) -> dict[tuple[str, str, str], Takes]:
    """By key, place and manner: pressed once, until its own picture is painted and until all that follows is (what is
    read and shown beside), and held down."""
    takes: dict[tuple[str, str, str], Takes] = {}
    for _ in range(runs):
        for key, sent in MOVES.items():
            for place, terminal in terminals.items():
                if place == "list":
                    terminal.send(b"g")
                    terminal.rest(still=STILL)
                alone = takes.setdefault((key, place, "by itself"), Takes())
                whole = takes.setdefault((key, place, "and what follows"), Takes())
                for _ in range(max(1, keys // 4)):
                    cpu = terminal.cpu()
                    echo = terminal.press(sent)
                    alone.wall.append(echo.first)
                    alone.cpu.append(echo.cpu)
                    alone.painted.append(echo.painted)
                    while terminal.read(STILL):
                        pass
                    whole.cpu.append(terminal.cpu() - cpu)
                    whole.painted.append(len(terminal.painted))
                held = takes.setdefault((key, place, "held down"), Takes())
                terminal.forget()
                cpu = terminal.cpu()
                for _ in range(keys):
                    terminal.send(sent)
                    _drain(terminal, REPEAT)
                while terminal.read(STILL):
                    pass
                held.cpu.append((terminal.cpu() - cpu) / keys)
                held.painted.append(len(terminal.painted) // keys)
    return takes


# Results.


def _typing(there: Stores, name: str, about: str, takes: Mapping[str, Takes]) -> Iterator[Result]:
    """Each store beside the few rows, and the larger one beside the usual one too. All of them wait equally long for a
    burst of typing to end."""
    times = {place: {"wall": spread(took.wall), "cpu": spread(took.cpu)} for place, took in takes.items()}
    floor = times[FEW]
    for place, ours in times.items():
        ratios = {} if place == FEW else _beside(ours, floor)
        if place not in (FEW, "S") and "S" in times:
            ratios |= {"wall / S": _known(ratio(ours["wall"], times["S"]["wall"]))}
        beside = {} if place == FEW else {"floor": floor["wall"], "floor cpu": floor["cpu"]}
        yield _result(there, name, f"{about}, {place}", ours | beside, ratios)


def _moving(there: Stores, takes: Mapping[tuple[str, str, str], Takes]) -> Iterator[Result]:
    for (key, place, manner), took in takes.items():
        floor = takes[key, EMPTY, manner]
        times = {"cpu": spread(took.cpu)} | ({"wall": spread(took.wall)} if took.wall else {})
        ratios: dict[str, float] = {}
        if place != EMPTY:
            times["floor cpu"] = spread(floor.cpu)
            if took.wall:
                times["floor"] = spread(floor.wall)
            ratios = _beside(times, {"cpu": times["floor cpu"], **({"wall": times["floor"]} if took.wall else {})})
        painted = {"bytes": int(median(took.painted))}
        counts = painted | ({"sessions": there.crowd.sessions} if place == "list" else {})
        yield _result(there, key, f"{place}, {manner}", times, ratios, counts)


def _beside(ours: Mapping[str, Spread], floor: Mapping[str, Spread]) -> dict[str, float]:
    found = {f"{name} / floor": _known(ratio(ours[name], floor[name])) for name in ("wall", "cpu") if name in floor}
    if "wall" in floor and floor["wall"].p95:
        found["p95 / floor"] = round(ours["wall"].p95 / floor["wall"].p95, 2)
    return found


def _known(value: float | None) -> float:
    return 0.0 if value is None else value


def _result(
    there: Stores,
    name: str,
    variant: str,
    times: Mapping[str, Spread],
    ratios: Mapping[str, float],
    counts: Mapping[str, int] | None = None,
) -> Result:
    return Result("typing", there.layout.value, there.size, name, variant, times, counts or {}, ratios)
