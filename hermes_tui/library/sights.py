"""What is asked of many sessions at once: the part of `Library` behind trees, details, days, paths, charts and jobs."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from hermes_tui.library.channel import Channel
from hermes_tui.library.places import NotFound
from hermes_tui.model import Anchor, Capabilities, Session
from hermes_tui.query import Field
from hermes_tui.store.connection import Connection, Ticket
from hermes_tui.store.sessions import get_session
from hermes_tui.store.survey import Survey

# None of these is needed to start: what answers a question is imported with the first question of its kind.
if TYPE_CHECKING:
    from hermes_tui.model import Activity, Day, Details, Job, Touch, Touches, TreeRow

T = TypeVar("T")


class Sights:
    """The questions of a `Library` that look at many sessions. They raise as its others do.

    Those that may walk the whole store have a connection of their own, so that a page or a list never waits for them.
    """

    path: Path
    profile: str | None
    _list: Channel
    _walk: Channel
    _walked: Survey  # of the connection of long walks

    def session(self, session_id: str, *, ticket: Ticket | None = None) -> Session:
        """One session by itself: counts, preview and status are not looked up. Raises NotFound."""

        def alone(
            connection: Connection, capabilities: Capabilities, session_id: str, *, ticket: Ticket | None
        ) -> Session:
            found = get_session(connection, capabilities, session_id, ticket=ticket)
            if found is None:
                raise KeyError(session_id)
            return found

        return self._named(self._one(session_id, alone, ticket))

    def tree(self, session_id: str, *, ticket: Ticket | None = None) -> tuple[TreeRow, ...]:
        """The whole lineage that holds the session, its beginning first: see `TreeRow`. Raises NotFound."""
        from hermes_tui.store.tree import tree

        rows = self._one(session_id, tree, ticket)
        return tuple(row if row.session is None else replace(row, session=self._named(row.session)) for row in rows)

    def children(self, session_ids: Sequence[str], *, ticket: Ticket | None = None) -> tuple[Session, ...]:
        """Sub-agents, branches and resets of the conversation made of these sessions, in the order they began."""
        from hermes_tui.store.children import children

        return self._list.ask(
            lambda connection, capabilities, ticket: children(connection, capabilities, session_ids, ticket=ticket),
            ticket=ticket,
        )

    def details(self, session_id: str, *, ticket: Ticket | None = None) -> Details:
        """One session in full. Raises NotFound."""
        from hermes_tui.store.dossier import dossier

        found = self._one(session_id, dossier, ticket)
        return replace(
            found,
            session=self._named(found.session),
            touches=tuple(map(self._done, found.touches)),
        )

    def touched(self, path: str, *, limit: int = 200, ticket: Ticket | None = None) -> Touches:
        """The tool calls that read, wrote or ran `path`, the last written first; a part of a path is whole names of it.

        A relative path in a call is completed by the folder of its session. Rewound calls count too: they were made.
        """
        from hermes_tui.store.touched import touched

        found = self._walk.ask(
            lambda connection, capabilities, ticket: touched(
                connection, capabilities, path, limit=limit, survey=self._walked, ticket=ticket
            ),
            ticket=ticket,
        )
        return replace(found, rows=tuple(map(self._done, found.rows)))

    def day(self, start: float, end: float, *, limit: int | None = None, ticket: Ticket | None = None) -> Day:
        """All that was said from `start` to before `end` (Unix seconds), the oldest first."""
        from hermes_tui.store.days import day

        found = self._walk.ask(
            lambda connection, capabilities, ticket: day(
                connection, capabilities, start, end, limit=limit, ticket=ticket
            ),
            ticket=ticket,
        )
        if self.profile is None:
            return found
        return replace(
            found,
            moments=tuple(
                replace(each, anchor=self._placed(each.anchor), session=self._named(each.session))
                for each in found.moments
            ),
        )

    def activity(
        self,
        *,
        days: int = 90,
        by: Field = Field.SOURCE,
        now: float | None = None,
        ticket: Ticket | None = None,
    ) -> Activity:
        """What was used on each of the last `days` local days as of `now`, and by source or model."""
        from hermes_tui.store.activity import activity

        moment = time.time() if now is None else now
        return self._walk.ask(
            lambda connection, capabilities, ticket: activity(
                connection, capabilities, days=days, by=by.value, now=moment, ticket=ticket
            ),
            ticket=ticket,
        )

    def jobs(self, rows: Sequence[Session], *, ticket: Ticket | None = None) -> tuple[Job, ...]:
        """The automation among the rows of a list, the runs of one job together; the last run first."""
        from hermes_tui.store.jobs import jobs

        return self._list.ask(
            lambda connection, capabilities, ticket: jobs(connection, capabilities, rows, ticket=ticket), ticket=ticket
        )

    def sizes(self, *, ticket: Ticket | None = None) -> Mapping[str, int]:
        """Rows of messages by session, whatever their state, for sorting by length; sessions without any are left
        out."""
        from hermes_tui.store.jobs import sizes

        return self._walk.ask(lambda connection, _, ticket: sizes(connection, ticket=ticket), ticket=ticket)

    def _one(self, session_id: str, ask: Callable[..., T], ticket: Ticket | None) -> T:
        def asking(connection: Connection, capabilities: Capabilities, ticket: Ticket) -> T:
            try:
                return ask(connection, capabilities, session_id, ticket=ticket)
            except KeyError:
                raise NotFound(f"There is no session {session_id} in {self.path}.") from None

        return self._walk.ask(asking, ticket=ticket)

    def _named(self, session: Session) -> Session:
        return session if self.profile is None else session._replace(profile=self.profile)

    def _done(self, row: Touch) -> Touch:
        session = None if row.session is None else self._named(row.session)
        return replace(row, anchor=self._placed(row.anchor), session=session)

    def _placed(self, anchor: Anchor) -> Anchor:
        return anchor if self.profile is None else replace(anchor, profile=self.profile)
