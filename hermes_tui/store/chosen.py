"""Filters on a list of sessions: which conversations pass, judged as the rows people see.

A conversation has what any of its sessions has, but it is archived or running as its tip is. Dates ask whether it was
in use at that time. What is asked of messages (a role, a tool, a state) has to be true of one of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from hermes_tui.model import Capabilities, Message
from hermes_tui.query import Field, Filter, Query
from hermes_tui.query.fold import folded_needle
from hermes_tui.query.terms import USUAL_REGIONS
from hermes_tui.store.catalogue import Catalogue
from hermes_tui.store.cells import fetch, text_cell
from hermes_tui.store.connection import Connection, Ticket
from hermes_tui.store.messages import read_messages
from hermes_tui.store.schema import column
from hermes_tui.store.sieve import SessionFacts, sieve
from hermes_tui.store.standing import Standings

CHUNK = 256  # messages read at a time to see whether one of a session passes
OF_TIPS = frozenset({"archived", "running"})


class Chosen:
    """The conversations that pass the filters of one query; its words are looked for in titles and ids.

    `now` is in Unix seconds. Raises StoreError and Cancelled, as all its methods do.
    """

    def __init__(
        self,
        connection: Connection,
        capabilities: Capabilities,
        query: Query,
        *,
        now: float,
        profile: str | None = None,
        ticket: Ticket | None = None,
    ) -> None:
        self._connection, self._capabilities, self._ticket = connection, capabilities, ticket
        self._query, self._now, self._profile = query, now, profile
        self._of_sessions = [part for part in query.filters if part.of_sessions]
        self._dates = [part for part in query.filters if part.field in (Field.AFTER, Field.BEFORE, Field.ON)]
        self._of_messages = [part for part in query.filters if part.field in (Field.ROLE, Field.TOOL)]
        self._of_messages += [part for part in query.filters if part.field is Field.IS and not part.of_sessions]
        facts = SessionFacts(connection, capabilities, self._of_sessions, profile=profile, ticket=ticket)
        self._sets = [facts.chosen(part) for part in self._of_sessions]
        self._holding = [self._holders(part) for part in self._of_messages]
        self._words = [folded_needle(word, case=True, accents=True) for word in query.words.replace('"', " ").split()]
        self._titles = self._all_titles() if self._words else {}

    def passes(self, catalogue: Catalogue, segments: Sequence[str]) -> bool:
        """Whether the conversation made of these sessions, root to tip, passes."""
        return (
            all(
                self._has(part, chosen, segments) is not part.negated
                for part, chosen in zip(self._of_sessions, self._sets, strict=True)
            )
            and all(_overlaps(catalogue, segments, part.period(self._now)) is not part.negated for part in self._dates)
            and all(
                any(session in holders for session in segments) is not part.negated
                for part, holders in zip(self._of_messages, self._holding, strict=True)
            )
            and self._is_called(segments)
        )

    def asks_for(self, reason: str) -> bool:
        """Whether a filter asks for what a list leaves out for this reason ("archived", "subagent", a source)."""
        for part in self._query.filters:
            if part.negated:
                continue
            if part.field in (Field.SESSION, Field.CONVERSATION):
                return True
            if part.field is Field.IS and {"archived": "archived", "subagent": "child"}.get(reason) in part.values:
                return True
            if part.field is Field.SOURCE and reason not in ("archived", "hidden"):
                return True
        return False

    def _has(self, part: Filter, chosen: set[str], segments: Sequence[str]) -> bool:
        if part.field is Field.IS and OF_TIPS.issuperset(part.values):
            return segments[-1] in chosen
        return any(session in chosen for session in segments)

    def _is_called(self, segments: Sequence[str]) -> bool:
        names = [name for session in segments for name in (session.casefold(), self._titles.get(session, ""))]
        return all(any(word in name for name in names) for word in self._words)

    def _all_titles(self) -> dict[str, str]:
        title = text_cell(column(self._capabilities, "sessions", "title", alias="s"))
        rows = fetch(self._connection, [text_cell("s.id"), title], "FROM sessions AS s", ticket=self._ticket)
        return {key: folded_needle(name, case=True, accents=True) for key, name in rows if key and name}

    def _holders(self, part: Filter) -> set[str]:
        """Sessions with a message that has what `part` asks for, its negation apart."""
        alone = Query("", filters=(replace(part, negated=False),), regions=USUAL_REGIONS)
        judge = sieve(
            self._connection, self._capabilities, alone, now=self._now, profile=self._profile, ticket=self._ticket
        )
        standing = Standings(self._connection, self._capabilities, self._ticket)

        def admits(found: Message) -> bool:
            return judge.admits(found) and (part.field is not Field.IS or standing(found) is found.state)

        held: set[str] = set()
        waiting: list[int] = []
        sql = f"FROM messages AS m WHERE {judge.condition.sql}"
        owners = fetch(
            self._connection, ["m.id", text_cell("m.session_id")], sql, judge.condition.params, ticket=self._ticket
        )
        for message, owner in owners:
            if owner not in held:
                waiting.append(message)
            if len(waiting) >= CHUNK:
                held.update(found.session_id for found in self._read(waiting) if admits(found))
                waiting = []
        held.update(found.session_id for found in self._read(waiting) if admits(found))
        return held

    def _read(self, ids: Sequence[int]) -> tuple[Message, ...]:
        return read_messages(self._connection, self._capabilities, ids, ticket=self._ticket)


def _overlaps(catalogue: Catalogue, segments: Sequence[str], period: tuple[float | None, float | None]) -> bool:
    """Whether a conversation was in use within `period`; one without any time never was."""
    links = [catalogue.links[session] for session in segments]
    began = [link.started for link in links if link.started is not None]
    used = [link.activity for link in links if link.activity is not None]
    if not began and not used:
        return False
    first, last = min(began or used), max(used or began)
    return (period[0] is None or last >= period[0]) and (period[1] is None or first < period[1])
