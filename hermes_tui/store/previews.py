"""The first real words of a person in a conversation, as one line for a list.

Skipped are rows that were taken back, hidden rows, notices and hand-overs; of the others only what the person typed
counts. A picture without words stands in where there are no words at all.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any, Final, NamedTuple

from hermes_tui.model import Capabilities, Kind, State
from hermes_tui.store.cells import fetch, listed, seekable, size_cell, text_cell
from hermes_tui.store.connection import Connection, Ticket
from hermes_tui.store.decode import SENTINELS, decode_text, kind_of, state_of, to_text
from hermes_tui.store.scaffold import own_words, wraps_words
from hermes_tui.store.schema import column

WIDTH: Final = 200  # characters
ROUNDS: Final = (4, 40, 400)  # user rows looked at in a session before it is given up
HEAD: Final = 2000  # bytes of a row that suffice to cut a preview from
_PICTURES: Final = re.compile(r"\[(?:[a-z]+/[a-z0-9.+-]+ [0-9.]+ [KM]?B|image[^\]]*|screenshot)\]")

_FIRST: Final = """
    json((SELECT json_group_array(id) FROM (SELECT m.id FROM messages AS m
      WHERE m.session_id = s.value AND m.role = 'user' ORDER BY {time}, m.id LIMIT {limit})))
"""


class _Row(NamedTuple):
    state: State
    kind: Kind
    text: str  # decoded; cut off when it is not `whole`
    whole: bool


class Previewer:
    """Reads previews through one connection."""

    def __init__(self, connection: Connection, capabilities: Capabilities, *, ticket: Ticket | None = None) -> None:
        self._connection = connection
        self._capabilities = capabilities
        self._ticket = ticket
        self._seekable = seekable(connection, ticket=ticket)

    def first_words(self, chains: Sequence[Sequence[str]]) -> list[str]:
        """One preview for each chain of session ids, root first; "" where nobody said anything.

        Raises StoreError and Cancelled.
        """
        found: dict[int, str] = {}
        pictures: dict[int, str] = {}
        for number, rows in enumerate(ROUNDS):
            open_chains = {place: chain for place, chain in enumerate(chains) if place not in found}
            asked = {place: chain if number else chain[:1] for place, chain in open_chains.items()}
            firsts = self._firsts([session for chain in asked.values() for session in chain], rows)
            messages = self._read([message for session in firsts.values() for message in session])
            for place, chain in asked.items():
                ids = [message for session in chain for message in firsts.get(session, ())]
                for words in self._words(ids, messages):
                    if _PICTURES.sub("", words).strip():
                        found[place] = words
                        break
                    pictures.setdefault(place, words)
        return [found.get(place) or pictures.get(place, "") for place in range(len(chains))]

    def _firsts(self, sessions: Sequence[str], limit: int) -> dict[str, list[int]]:
        """The ids of the first user rows of each session."""
        if not sessions:
            return {}
        if self._seekable:
            time = column(self._capabilities, "messages", "timestamp", "m.id")
            cells, rest = ["s.value", _FIRST.format(time=time, limit=limit)], "FROM json_each(?) AS s"
            found = fetch(self._connection, cells, rest, [listed(sessions)], ticket=self._ticket)
            return dict(found)
        rest = "FROM messages WHERE role = 'user' AND session_id IN (SELECT value FROM json_each(?))"
        ids: dict[str, list[int]] = {}
        for session, message in fetch(
            self._connection, [text_cell("session_id"), "id"], rest, [listed(sessions)], ticket=self._ticket
        ):
            ids.setdefault(session, []).append(message)
        return {session: sorted(members)[:limit] for session, members in ids.items()}

    def _read(self, ids: Sequence[int]) -> dict[int, _Row]:
        if not ids:
            return {}

        def cell(name: str) -> str:
            return column(self._capabilities, "messages", name)

        head = f"CAST(substr(CAST({cell('content')} AS BLOB), 1, {HEAD}) AS TEXT)"
        flags = [text_cell(cell(name)) for name in ("active", "compacted", "display_kind", "display_metadata")]
        cells = ["m.id", *flags, text_cell(cell("_compressed_summary")), size_cell(cell("content")), head]
        rest = "FROM messages AS m WHERE m.id IN (SELECT value FROM json_each(?))"
        rows = {}
        for key, active, compacted, shown, metadata, summary, size, raw in fetch(
            self._connection, cells, rest, [listed(ids)], ticket=self._ticket
        ):
            whole = size <= HEAD
            text = decode_text(raw, "user") if whole else to_text(raw)
            kind = kind_of("user", text, shown, metadata, summary)
            rows[key] = _Row(state_of(active, compacted), kind, text, whole)
        return rows

    def _words(self, ids: Sequence[int], rows: dict[int, _Row]) -> Iterator[str]:
        """What each of these rows says, in one line, where a person says something."""
        for message in ids:
            row = rows.get(message)
            if row is None or row.state is State.REWOUND or row.kind in (Kind.HIDDEN, Kind.NOTICE):
                continue
            text = row.text
            if not row.whole and (text.startswith(SENTINELS) or wraps_words(text)):
                text = self._whole(message)
            elif row.kind is Kind.SUMMARY:
                continue
            if line := _one_line(own_words(text)):
                yield line

    def _whole(self, message: int) -> str:
        content = text_cell(column(self._capabilities, "messages", "content"))
        sql = f"SELECT {content} FROM messages AS m WHERE m.id = ?"
        raw: Any = self._connection.value(sql, [message], ticket=self._ticket)
        return decode_text(raw, "user")


def _one_line(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= WIDTH else line[: WIDTH - 1].rstrip() + "…"
