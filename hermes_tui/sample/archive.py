"""The longest session of the demo: a tide archive cleaned station by station, three thousand messages."""

from __future__ import annotations

import random
from collections.abc import Iterator

from hermes_tui.sample.script import Call, Reply, Scene, Step, User
from hermes_tui.sample.tides import TIDES

MESSAGES = 3000
_FIRST = (
    "Skar",
    "Elle",
    "Nord",
    "Hav",
    "Wester",
    "Ruden",
    "Mar",
    "Fjell",
    "Oster",
    "Lille",
    "Brand",
    "Sand",
    "Tor",
    "Grau",
)
_LAST = ("vik", "holm", "ness", "by", "mouth", "sund", "haven", "oog", "strand")
_ASKS = (
    "Next: station {name}, {year}.",
    "Go on with {name} {year}.",
    "station {name} please, {year}",
    "Now {name}, the year {year}.",
)
_CLOSING = (
    ("Anything left open?", "Nothing: the list of this round is empty."),
    ("Where are the backups?", "Beside each file, ending in `.bak`. They take 2.1 GB."),
    ("Keep them for four weeks, then they can go.", "I set a reminder for the day four weeks from now."),
    ("And the log?", "`clean.log` has one line a change: station, year, what was wrong, what was done."),
    ("Commit it.", "Committed on branch `clean`: 'Log of the cleaning, first round'."),
)
_THANKS = ("ok", "Good.", "Agreed.", "Keep it like that.", "Yes, apply it.", "Fine, note it in the log.")


def scene(chance: random.Random) -> Scene:
    """The session, told from the stations in order; every message of it is live."""
    steps: list[Step] = [
        User("We clean the tide archive now, one station and year after the other. You check, I decide. Ready?"),
        Reply(
            "Ready. I check gaps, spikes, doubled times, units and the zero of the gauge, and propose one change at a"
            " time."
        ),
    ]
    count = 2
    for name, year in _stations(chance):
        if count >= MESSAGES - 10:
            break
        turn = list(_year(chance, name, year))
        steps += turn
        count += sum(2 if isinstance(step, Call) else 1 for step in turn)
    for question, answer in _CLOSING[: (MESSAGES - count) // 2]:
        steps += [User(question), Reply(answer)]
    if (MESSAGES - count) % 2:
        steps.append(User("That's enough for this month."))
    return Scene(
        day=58,
        title="Clean the tide archive, station by station",
        cwd=TIDES,
        git_branch="clean",
        steps=steps,
        end="cli_close",
    )


def _stations(chance: random.Random) -> Iterator[tuple[str, int]]:
    names = [first + last for first in _FIRST for last in _LAST]
    chance.shuffle(names)
    names.remove("Skarvik")
    for name in ["Skarvik", *names]:
        first = chance.randrange(1987, 2019)
        yield from ((name, year) for year in range(first, first + chance.randrange(3, 7)))


def _year(chance: random.Random, name: str, year: int) -> Iterator[User | Reply | Call]:
    """One station and year: what is found wrong, and what is done about it."""
    path = f"/data/tides/parquet/station={name}/year={year}/part-0.parquet"
    yield User(chance.choice(_ASKS).format(name=name, year=year))
    find = chance.choice((_gap, _spike, _doubled, _units, _zero, _clean))
    problem, said, remedy = find(chance, name, year)
    rows = 52_560 - chance.randrange(900)
    yield Call(
        "terminal",
        {"command": f"python -m tides.check {path}", "cwd": TIDES},
        {"output": f"{name} {year}: {rows} rows\n{problem}", "exit_code": 0 if remedy is None else 1, "error": None},
    )
    if remedy is None:
        yield Reply(said)
        return
    yield Reply(
        said,
        thinking="The neighbours on both sides show nothing like it, so it is the gauge and not the sea."
        if chance.random() < 0.2
        else "",
    )
    yield User(chance.choice(_THANKS))
    yield Call(
        "terminal",
        {"command": f"python -m tides.fix {path} {remedy}", "cwd": TIDES},
        {"output": f"\x1b[32mok\x1b[0m {rows} rows written, backup in {path}.bak", "exit_code": 0, "error": None},
    )
    yield Reply(f"Applied to {name} {year} and written to `clean.log`.")


def _moment(chance: random.Random, year: int) -> str:
    month, day, hour = chance.randrange(1, 13), chance.randrange(1, 29), chance.randrange(24)
    return f"{year}-{month:02d}-{day:02d} {hour:02d}:{chance.randrange(6)}0"


def _gap(chance: random.Random, name: str, year: int) -> tuple[str, str, str | None]:
    start, hours = _moment(chance, year), chance.randrange(3, 90)
    return (
        f"GAP    {start} +{hours} h",
        f"{name} {year} has a gap of {hours} hours from {start}. I would leave it empty and mark it, not fill it in.",
        f"--mark-gap '{start}' --hours {hours}",
    )


def _spike(chance: random.Random, name: str, year: int) -> tuple[str, str, str | None]:
    at, level = _moment(chance, year), chance.randrange(900, 1900)
    return (
        f"SPIKE  {at} {level}.0 cm (neighbours {chance.randrange(280, 520)}.{chance.randrange(10)} cm)",
        f"One reading of {level} cm at {at}: a spike of the sensor. I would set its quality to 4 and keep the number.",
        f"--quality 4 --at '{at}'",
    )


def _doubled(chance: random.Random, name: str, year: int) -> tuple[str, str, str | None]:
    at, times = _moment(chance, year), chance.randrange(6, 145)
    return (
        f"DOUBLE {times} times from {at}",
        f"{times} times are there twice from {at} on, with the same levels: the file of that day was loaded two times.",
        f"--drop-doubles --from '{at}'",
    )


def _units(chance: random.Random, name: str, year: int) -> tuple[str, str, str | None]:
    month = chance.randrange(1, 13)
    return (
        f"UNITS  {year}-{month:02d} median 4.1, expected 410",
        f"{year}-{month:02d} is in metres, all other months in centimetres. Multiply that month by 100.",
        f"--scale 100 --month {year}-{month:02d}",
    )


def _zero(chance: random.Random, name: str, year: int) -> tuple[str, str, str | None]:
    at, shift = _moment(chance, year), chance.choice((-1, 1)) * chance.randrange(4, 31)
    return (
        f"ZERO   step of {shift:+d} cm at {at}",
        f"At {at} everything moves by {shift:+d} cm and stays there: the gauge at {name} was levelled anew.",
        f"--shift {-shift} --from '{at}'",
    )


def _clean(chance: random.Random, name: str, year: int) -> tuple[str, str, str | None]:
    return "OK", f"{name} {year} is clean.", None
