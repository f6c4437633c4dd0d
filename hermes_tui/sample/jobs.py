"""What runs by itself: three cron jobs and their many nights."""

from __future__ import annotations

import random
import time

from hermes_tui.sample.script import SMALL, Reply, Scene, Step, User, raw_shell, shell
from hermes_tui.sample.stage import DAY

BACKUP, PRICES, IMPORT = "4be1c09a77d2", "91d3a5e0f6b8", "c07f5512be34"


def scenes(chance: random.Random, now: float) -> list[Scene]:
    """Every run, oldest first."""
    runs = [_backup(chance, now, night) for night in (112, 98, 83, 67, 50, 36, 21, 8, 1)]
    runs += [_prices(chance, now, week) for week in (16, 13, 10, 7, 4, 1)]
    runs += [_import(chance, now, night, late=night in (31, 30)) for night in (80, 60, 31, 30, 14, 2)]
    return runs


def _run(job: str, now: float, day: int, hour: float, *steps: Step) -> Scene:
    """A run at an hour (UTC) of a day, named as cron sessions are."""
    midnight = (now - day * DAY) // DAY * DAY
    started_at = midnight + hour * 3600
    stamp = time.strftime("%Y%m%d_%H%M%S", time.gmtime(started_at))
    return Scene(
        day=(now - started_at) / DAY,
        steps=steps,
        source="cron",
        model=SMALL,
        session_id=f"cron_{job}_{stamp}",
        end="cron_complete",
    )


def _backup(chance: random.Random, now: float, night: int) -> Scene:
    files, size = 14_000 + chance.randrange(900), 31 + chance.randrange(40) / 10
    return _run(
        BACKUP,
        now,
        night,
        3,
        User("[Cron job: nightly backup] Run ~/bin/backup, check the newest archive, report in one line."),
        shell(
            "~/bin/backup && borg list --last 1 --format '{archive} {time}{NL}' /mnt/backup/attic",
            f"""
            {files} files, {size:.1f} GB, {1 + night % 3}.{night % 10} GB new
            attic-{night:03d} verified, 0 errors
            """,
        ),
        Reply(f"Backup is fine: {files:,} files, {size:.1f} GB, archive attic-{night:03d} verified."),
    )


def _prices(chance: random.Random, now: float, week: int) -> Scene:
    cheaper = chance.choice(["sencha", "darjeeling", "rooibos", "genmaicha", "earl grey"])
    price = chance.randrange(379, 899) / 100
    return _run(
        PRICES,
        now,
        week * 7,
        6.5,
        User(
            "[Cron job: weekly price check] Compare our teas with the wholesale list and name what changed by over 5 %."
        ),
        shell(
            "bin/wholesale --diff --min-change 5",
            f"""
            {cheaper:<12} {price:6.2f} EUR/kg   {-5 - chance.randrange(9)}.{chance.randrange(10)} %
            """,
        ),
        Reply(f"Only {cheaper} changed: now {price:.2f} € per kg. All other teas stayed within 5 %."),
    )


def _import(chance: random.Random, now: float, night: int, *, late: bool) -> Scene:
    stations = 118 + chance.randrange(7)
    log = "\n".join(
        f"03:{minute:02d}:{chance.randrange(60):02d} \x1b[36mINFO\x1b[0m  tides.load  station"
        f" {chance.randrange(1, 126):03d}"
        f" {chance.randrange(138, 145)} readings"
        for minute in range(0, 24, 2)
    )
    outcome = (
        f"The import took until 05:{10 + night} again, {stations} stations. It is the third late night; someone"
        f" should look."
        if late
        else f"Import done at 03:2{chance.randrange(10)}: {stations} stations, no gaps."
    )
    return _run(
        IMPORT,
        now,
        night,
        3.5,
        User("[Cron job: tide import] Load last night's files and report stations that are missing."),
        raw_shell("python -m tides.load --night", log),
        Reply(outcome),
    )
