"""What runs by itself: which rows of a list are runs of the same job, and how many rows each session holds."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from hermes_tui.model import Capabilities, Job, Session, Status
from hermes_tui.store.cells import text_cell
from hermes_tui.store.connection import Connection, Ticket
from hermes_tui.store.details import standings, statuses
from hermes_tui.store.previews import Previewer
from hermes_tui.store.sessions import AUTOMATION

CRONS: Final = "cron"
OUTCOMES: Final = 60  # runs of each job whose end is looked up
CRON: Final = re.compile(r"cron_(?P<job>.+)_\d{8}_\d{6}")
_CRON_ID: Final = "cron_"  # how all of these begin
NAMED: Final = re.compile(r"^\[Cron job: ([^\]\n]+)\].*$", re.DOTALL)
# What makes titles of runs differ: the time that cron puts behind the name, and the number of a repeated title.
_TAIL: Final = re.compile(
    r"(?:\s+·\s+[^·]*\d{1,2}:\d{2}|\s+#\d+|\s+\d{4}-\d{2}-\d{2}(?:[ T]\d{2}:\d{2}(?::\d{2})?)?)\s*$"
)
CHUNK: Final = 500  # sessions in one statement


def jobs(
    connection: Connection, capabilities: Capabilities, rows: Sequence[Session], *, ticket: Ticket | None = None
) -> tuple[Job, ...]:
    """The automation among `rows` of a list by job, the last run first; other rows are left out.

    Runs of cron belong together by the job in their ids, others by their title, else by their source. A job of cron
    without a title is called by the first words of its newest run, where there are any. `outcomes` are those of the
    newest OUTCOMES runs. Raises StoreError and Cancelled.
    """
    groups: dict[tuple[str, str], list[Session]] = {}
    for row in rows:
        key = _job_of(row)
        if key is not None:
            groups.setdefault(key, []).append(row)
    for runs in groups.values():
        runs.sort(key=lambda row: (_when(row), row.id), reverse=True)
    titles = {key: _title(runs) for key, runs in groups.items()}
    looked_up = [row for runs in groups.values() for row in runs[:OUTCOMES]]
    ends = _ends(connection, capabilities, looked_up, ticket)
    nameless = [runs[0] for key, runs in groups.items() if key[0] == CRONS and key[1] and not titles[key]]
    reader = Previewer(connection, capabilities, ticket=ticket)
    said = reader.first_words([row.segments or (row.id,) for row in nameless]) if nameless else []
    words = {row.id: NAMED.sub(r"\1", text) for row, text in zip(nameless, said, strict=True)}
    told = [
        Job(
            name=titles[key] or words.get(runs[0].id) or _name(key),
            source=runs[0].source,
            runs=tuple(row.id for row in runs),
            outcomes=tuple(ends[row.id] for row in runs[:OUTCOMES]),
            last=next((row.last_active_at for row in runs if row.last_active_at is not None), None),
        )
        for key, runs in groups.items()
    ]
    return tuple(sorted(told, key=lambda job: (-(job.last or 0.0), job.source, job.name)))


def sizes(connection: Connection, *, ticket: Ticket | None = None) -> Mapping[str, int]:
    """How many rows each session holds that has any, whatever their state, counted in an index."""
    owner = text_cell("session_id")
    sql = f"""
        SELECT json_group_array(json_array(session, many))
        FROM (SELECT {owner} AS session, COUNT(*) AS many FROM messages GROUP BY session_id)
    """
    found: list[list[Any]] = connection.json(sql, ticket=ticket)
    return {session: many for session, many in found if session is not None}


def _job_of(row: Session) -> tuple[str, str] | None:
    """What the runs of one job have in common; None for what a person typed."""
    if row.id.startswith(_CRON_ID) or (len(row.segments) > 1 and any(s.startswith(_CRON_ID) for s in row.segments)):
        cron = CRON.fullmatch(row.id) or next(filter(None, map(CRON.fullmatch, row.segments)), None)
        if cron is not None:
            return CRONS, cron["job"]
    if row.source not in AUTOMATION:
        return None
    return row.source, f"title {named}" if (named := _bare(row.title)) else ""


def _title(runs: Sequence[Session]) -> str:
    """What people call the job: the newest title."""
    return next((named for row in runs if (named := _bare(row.title))), "")


def _name(key: tuple[str, str]) -> str:
    """What is left without any words: what the ids of the runs or their source say."""
    source, common = key
    return common if source == CRONS and not common.startswith("title ") and common else source


def _bare(title: str | None) -> str:
    if not title:
        return ""
    text = title.strip()
    while (shorter := _TAIL.sub("", text)) != text:
        text = shorter
    return text


def _when(row: Session) -> float:
    return row.last_active_at if row.last_active_at is not None else -1.0


def _ends(
    connection: Connection, capabilities: Capabilities, rows: Sequence[Session], ticket: Ticket | None
) -> dict[str, Status]:
    """How each conversation ended, told from its last row."""
    ends: dict[str, Status] = {}
    for start in range(0, len(rows), CHUNK):
        chunk = rows[start : start + CHUNK]
        held = [session for row in chunk for session in (row.segments or (row.id,))]
        standing = standings(connection, capabilities, held, ticket=ticket)
        lasts = {
            row.id: next(
                (standing[each].last for each in reversed(row.segments or (row.id,)) if each in standing), None
            )
            for row in chunk
        }
        status = statuses(connection, capabilities, filter(None, lasts.values()), ticket=ticket)
        for key, last in lasts.items():
            ends[key] = Status.EMPTY if last is None else status.get(last, Status.COMPLETE)
    return ends
