"""Sessions as far as lists and lineage need them, without a look at any message's text.

`load` reads what places a session (edges, times, flags) for all sessions or for the families of a few; `faces` reads
what is shown of them.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple

from hermes_tui.model import Capabilities, Counts, Session, SessionKind, Status
from hermes_tui.store.cells import (
    fetch,
    fetch_columns,
    is_plain,
    listed,
    number_cell,
    seekable,
    text_cell,
    time_cell,
    times,
)
from hermes_tui.store.connection import Connection, Ticket
from hermes_tui.store.decode import to_text
from hermes_tui.store.lineage import FORKS, Lineage, Link
from hermes_tui.store.schema import column

NO_FORKS: Final[Mapping[str, str]] = {}
_ROOT: Final = SessionKind.ROOT  # looking a member up in its class takes as long as making half a row
_COMPLETE: Final = Status.COMPLETE
_NO_COUNTS: Final = Counts()


class Flags(NamedTuple):
    """What the user or the agent set on a session."""

    archived: bool
    hidden: bool
    pinned: bool


class Face(NamedTuple):
    """What is shown of a session. Tokens are counts, cost is in US dollars."""

    title: str | None
    model: str | None
    input_tokens: int | None
    output_tokens: int | None
    cost_usd: float | None
    cwd: str | None
    branch: str | None
    project: str | None
    owner: str | None
    read: float | None  # when a person last looked, in Unix seconds; None where nobody noted it


NO_FLAGS: Final = Flags(False, False, False)
NO_FACE: Final = Face(None, None, None, None, None, None, None, None, None, None)


class Catalogue:
    """Sessions and how they hang together."""

    def __init__(self, links: Sequence[Link], flags: Mapping[str, Flags], silent: frozenset[str] = frozenset()) -> None:
        self.links = {link.id: link for link in links}
        self.lineage = Lineage(links)
        self.silent = silent
        """Sessions without any message."""
        self._flags = flags

    def flags(self, session_id: str) -> Flags:
        """The flags of one session."""
        return self._flags.get(session_id, NO_FLAGS)

    def session(self, session_id: str, face: Face) -> Session:
        """One session by itself, with the conversation it belongs to; counts, preview and status are not looked up."""
        chain = self.lineage.chain(session_id)
        _, parent, source, end_reason, started, ended, _, activity, _, _ = self.links[session_id]
        title, model, received, sent, cost, cwd, branch, project, owner, read = face
        archived, hidden, pinned = self._flags.get(session_id, NO_FLAGS)
        kind = _ROOT if parent is None else self.lineage.kind(session_id)
        waiting = read is not None and unread(activity, read)
        # In the order of the fields: by their names it takes four times as long, which a hundred thousand rows show.
        return Session._make((
            session_id, source, title, model, started, activity, ended, end_reason, parent, None, kind, chain[-1],
            chain, _NO_COUNTS, None, received, sent, cost, cwd, "", _COMPLETE, archived, hidden, pinned, None, branch,
            project, waiting, owner,
        ))  # fmt: skip


def unread(activity: float | None, read: float | None) -> bool:
    """Whether something was said since `read`; where nobody noted a look, nothing is waiting for one."""
    return read is not None and activity is not None and activity > read


# Families: everything that compression joins to the asked ids, upwards and downwards, and the parents of these.
_FAMILY: Final = """
    WITH RECURSIVE
      up(id) AS (
        SELECT value FROM json_each(?)
        UNION SELECT p.id FROM up JOIN sessions AS c ON c.id = up.id
          JOIN sessions AS p ON p.id = {c_parent} WHERE {p_reason} = 'compression'),
      family(id) AS (
        SELECT id FROM up
        UNION SELECT c.id FROM family JOIN sessions AS p ON p.id = family.id
          JOIN sessions AS c ON {c_parent} = p.id WHERE {p_reason} = 'compression')
    SELECT id FROM family
    UNION SELECT {c_parent} FROM family JOIN sessions AS c ON c.id = family.id
"""


def load(
    connection: Connection,
    capabilities: Capabilities,
    ids: Iterable[str] | None = None,
    *,
    ticket: Ticket | None = None,
) -> Catalogue:
    """All sessions; or those that compression joins to `ids`. Lineage then holds for these, not for their parents.

    Raises StoreError and Cancelled.
    """

    def cell(name: str) -> str:
        return column(capabilities, "sessions", name, alias="s")

    config = cell("model_config")
    by_seek = seekable(connection, ticket=ticket)
    cells = [
        text_cell("s.id"),
        text_cell(cell("parent_session_id")),
        text_cell(cell("source")),
        text_cell(cell("end_reason")),
        time_cell(cell("started_at")),
        time_cell(cell("ended_at")),
        time_cell(cell("last_activity_at")),
        _newest_cell(capabilities) if by_seek else "NULL",
        text_cell(cell("session_key")),
        f"CASE WHEN instr({config}, '_from') THEN {text_cell(config)} END",
        f"{_flag(cell('archived'))} + 2 * {_flag(cell('hidden'))} + 4 * {_flag(cell('pinned'))}",
    ]
    rest, params = "FROM sessions AS s WHERE s.id IS NOT NULL", []
    if ids is not None:
        rest += f" AND s.id IN ({_family(capabilities)})"
        params.append(listed(ids))
    columns = fetch_columns(connection, cells, rest, params, ticket=ticket)
    if by_seek:
        untimed = [key for key, cell in zip(columns[0], columns[7], strict=True) if cell is None]
        silent = _silent(connection, untimed, ticket)
    else:
        found = _newest_of_all(connection, capabilities, columns[0], ticket)
        columns[7] = [found.get(key) for key in columns[0]]
        silent = frozenset(key for key in columns[0] if key not in found)
    return _catalogue(columns, _newest(connection, capabilities, columns[0], columns[7], ticket), silent)


def faces(
    connection: Connection,
    capabilities: Capabilities,
    ids: Iterable[str] | None = None,
    *,
    ticket: Ticket | None = None,
) -> dict[str, Face]:
    """What is shown of these sessions, or of all. Raises StoreError and Cancelled."""

    def cell(name: str) -> str:
        return column(capabilities, "sessions", name, alias="s")

    cost = f"COALESCE({cell('actual_cost_usd')}, {cell('estimated_cost_usd')})"
    cells = [
        text_cell("s.id"),
        text_cell(cell("title")),
        text_cell(cell("model")),
        number_cell(cell("input_tokens")),
        number_cell(cell("output_tokens")),
        number_cell(cost),
        text_cell(cell("cwd")),
        text_cell(cell("git_branch")),
        text_cell(cell("git_repo_root")),
        text_cell(cell("profile_name")),
        time_cell(cell("last_read_at")),
    ]
    rest, params = "FROM sessions AS s", []
    if ids is not None:
        rest += " WHERE s.id IN (SELECT value FROM json_each(?))"
        params.append(listed(ids))
    keys, titles, models, received, sent, costs, folders, branches, projects, owners, looks = fetch_columns(
        connection, cells, rest, params, ticket=ticket
    )
    known = map(
        Face,
        titles,
        models,
        _counts(received),
        _counts(sent),
        map(_dollars, costs),
        folders,
        branches,
        projects,
        [owner or None for owner in owners],
        times(looks),
    )
    return dict(zip(keys, known, strict=True))


def _newest_cell(capabilities: Capabilities) -> str:
    """SQL for the newest message time by a seek. Text sorts above all numbers, so this is odd where any time is."""
    time = column(capabilities, "messages", "timestamp")
    return f"(SELECT {time_cell(time)} FROM messages AS m WHERE m.session_id = s.id ORDER BY {time} DESC LIMIT 1)"


def _silent(connection: Connection, ids: Sequence[str], ticket: Ticket | None) -> frozenset[str]:
    """Which of these sessions have no message at all."""
    if not ids:
        return frozenset()
    rest = """
        FROM json_each(?) AS s WHERE NOT EXISTS (SELECT 1 FROM messages AS m WHERE m.session_id = s.value)
    """
    (found,) = fetch_columns(connection, ["s.value"], rest, [listed(ids)], ticket=ticket)
    return frozenset(found)


def _family(capabilities: Capabilities) -> str:
    return _FAMILY.format(
        c_parent=column(capabilities, "sessions", "parent_session_id", alias="c"),
        p_reason=column(capabilities, "sessions", "end_reason", alias="p"),
    )


def _flag(cell: str) -> str:
    return f"(COALESCE({cell}, 0) <> 0)"


def _newest_of_all(
    connection: Connection, capabilities: Capabilities, ids: list[str], ticket: Ticket | None
) -> dict[str, Any]:
    """The same for all by one pass over the messages."""
    time = column(capabilities, "messages", "timestamp")
    grouped = f"""
        FROM (SELECT m.session_id AS session, MAX({time}) AS newest FROM messages AS m
          WHERE m.session_id IN (SELECT value FROM json_each(?)) GROUP BY m.session_id)
    """
    return dict(fetch(connection, [text_cell("session"), time_cell("newest")], grouped, [listed(ids)], ticket=ticket))


def _newest(
    connection: Connection, capabilities: Capabilities, keys: list[str], cells: list[Any], ticket: Ticket | None
) -> Sequence[float | None]:
    """The newest message time of each session. Where a cell is no plain time the session may hold text or other units,
    of which the greatest is not the newest, so all its times are looked at."""
    found = times(cells)
    odd = [key for key, cell, moment in zip(keys, cells, found, strict=True) if cell != moment and not is_plain(cell)]
    if not odd:
        return found
    rest = "FROM messages AS m WHERE m.session_id IN (SELECT value FROM json_each(?))"
    asked = [text_cell("m.session_id"), time_cell(column(capabilities, "messages", "timestamp"))]
    owners, moments = fetch_columns(connection, asked, rest, [listed(odd)], ticket=ticket)
    newest: dict[str, float] = {}
    for owner, moment in zip(owners, times(moments), strict=True):
        if moment is not None:
            newest[owner] = max(moment, newest.get(owner, 0.0))
    known = set(odd)
    return [newest.get(key) if key in known else moment for key, moment in zip(keys, found, strict=True)]


def _catalogue(columns: list[list[Any]], newest: Sequence[float | None], silent: frozenset[str]) -> Catalogue:
    keys, parents, sources, reasons, started, ended, active, _, places, configs, bits = columns
    flags = {key: Flags(bit & 1 > 0, bit & 2 > 0, bit & 4 > 0) for key, bit in zip(keys, bits, strict=True) if bit}
    began = times(started)
    links = map(
        Link,
        keys,
        [parent or None for parent in parents],
        [source or "" for source in sources],
        reasons,
        began,
        times(ended),
        [end is None for end in ended],
        map(_latest, began, times(active), newest),
        places,
        [NO_FORKS if config is None else _forks(config) for config in configs],
    )
    return Catalogue(list(links), flags, silent)


def _latest(*moments: float | None) -> float | None:
    latest = None
    for moment in moments:
        if moment is not None and (latest is None or moment > latest):
            latest = moment
    return latest


def _forks(config: str) -> Mapping[str, str]:
    """The markers in a model_config, which may be encoded twice, cut off, or no JSON at all."""
    value: Any = config
    try:
        for _ in range(3):
            value = json.loads(value) if isinstance(value, str) else value
    except (ValueError, RecursionError):
        return NO_FORKS
    if not isinstance(value, dict):
        return NO_FORKS
    return {marker: to_text(value[marker]) for marker in FORKS if value.get(marker)}


def _counts(column: Iterable[Any]) -> Iterable[int | None]:
    return [cell if cell is None or cell.__class__ is int else _count(cell) for cell in column]


def _count(cell: Any) -> int | None:
    try:
        return int(float(cell))
    except (ValueError, OverflowError):
        return None


def _dollars(cell: Any) -> float | None:
    if cell.__class__ is float or cell is None:
        return cell
    try:
        amount = float(cell)
    except (TypeError, ValueError):
        return None
    return amount if abs(amount) < 1e300 else None
