"""Which sessions are one conversation, and by which edge each hangs on its parent. Pure: no SQL.

Hermes goes on in a new session when it compresses one. Such a chain is one conversation, read root to tip. A session
belongs to exactly one chain: where several sessions continue the same one, the likeliest goes on with the chain and
each other begins a chain of its own. Broken links (a parent that is not there, loops) never lose a session.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final, NamedTuple

from hermes_tui.model import SessionKind

COMPRESSION: Final = "compression"
BRANCHED: Final = "branched"
RESETS: Final = frozenset(
    {"session_reset", "session_switch", "idle", "daily", "suspended", "resume_pending_expired", "new_session"}
)
# The markers a session has in its model_config. The first that applies counts: a migration of old files put the
# delegate marker on some resets besides.
FORKS: Final = {
    "_branched_from": SessionKind.BRANCH,
    "_reset_from": SessionKind.RESET,
    "_delegate_from": SessionKind.DELEGATE,
}
SUBAGENT: Final = "subagent"


class Link(NamedTuple):
    """What lineage asks of a session. `forks` holds the markers of FORKS that its model_config carries; times are
    Unix seconds, None also where the cell holds no time, so `open` says whether the session has ended."""

    id: str
    parent: str | None
    source: str
    end_reason: str | None
    started: float | None
    ended: float | None
    open: bool
    activity: float | None
    session_key: str | None
    forks: Mapping[str, str]


class Lineage:
    """The chains and edges among `links`; a parent outside of them counts as missing."""

    def __init__(self, links: Iterable[Link]) -> None:
        self._links = {link.id: link for link in links}
        self._next = self._continuations()
        self._chains: dict[str, tuple[str, ...]] = {}
        continued = set(self._next.values())
        for session_id in self._links:
            if session_id in self._next:
                if session_id not in continued:
                    self._follow(session_id)
            elif session_id not in continued:
                self._chains[session_id] = (session_id,)
        for session_id in self._links:  # what is left goes round in loops
            if session_id not in self._chains:
                self._follow(session_id)

    def chain(self, session_id: str) -> tuple[str, ...]:
        """The chain that holds the session, root first; () when there is no such session."""
        return self._chains.get(session_id, ())

    def chains(self) -> Iterable[tuple[str, ...]]:
        """Every chain once."""
        return (chain for session_id, chain in self._chains.items() if chain[0] == session_id)

    def kind(self, session_id: str) -> SessionKind:
        """The edge between the session and its parent."""
        link = self._links[session_id]
        if not link.parent or link.parent == session_id:
            return SessionKind.ROOT
        parent = self._links.get(link.parent)
        return SessionKind.ORPHAN if parent is None else _edge(link, parent)

    def delegated(self, session_id: str) -> bool:
        """Whether a sub-agent held this session, told by its source or its markers, whatever became of its parent."""
        link = self._links[session_id]
        if link.source == SUBAGENT or not link.forks:
            return link.source == SUBAGENT
        first = next((kind for marker, kind in FORKS.items() if marker in link.forks), None)
        own = self.kind(session_id) is SessionKind.DELEGATE and "_delegate_from" in link.forks
        return own or first is SessionKind.DELEGATE

    def _continuations(self) -> dict[str, str]:
        """Session -> the one that goes on with its chain."""
        children: dict[str, list[Link]] = {}
        for link in self._links.values():
            parent = self._links.get(link.parent) if link.parent else None
            if parent is not None and parent is not link and _edge(link, parent) is SessionKind.CONTINUATION:
                children.setdefault(parent.id, []).append(link)
        return {
            parent: min(siblings, key=lambda link: _rank(link, continued=link.id in children)).id
            for parent, siblings in children.items()
        }

    def _follow(self, session_id: str) -> None:
        chain = [session_id]
        seen = {session_id}
        while (following := self._next.get(chain[-1])) is not None and following not in seen:
            seen.add(following)
            chain.append(following)
        whole = tuple(chain)
        for member in whole:
            self._chains[member] = whole


def _rank(link: Link, *, continued: bool) -> tuple[int, float, float, tuple[int, ...]]:
    """Sorts first: what was itself continued, then what is still open, then what was used last."""
    standing = 0 if continued else 1 if link.open else 2
    newest_id = tuple(-ord(letter) for letter in link.id)
    return standing, -(link.activity or 0.0), -(link.started or 0.0), newest_id


def _edge(link: Link, parent: Link) -> SessionKind:
    """How a session hangs on a parent that is there. Children without any mark are the sub-agents of old releases."""
    for marker, kind in FORKS.items():
        if _own(link, parent, marker):
            return kind
    if link.source == SUBAGENT != parent.source:
        return SessionKind.DELEGATE
    if parent.end_reason == COMPRESSION and link.source != "tool":
        return SessionKind.CONTINUATION
    if link.source == SUBAGENT:
        return SessionKind.DELEGATE
    if parent.end_reason == BRANCHED and _after(link, parent):
        return SessionKind.BRANCH
    if parent.end_reason in RESETS and _same_place(link, parent):
        return SessionKind.RESET
    return SessionKind.DELEGATE


def _own(link: Link, parent: Link, marker: str) -> bool:
    """Whether the marker is the session's own: one that continues another has a copy of that one's markers."""
    named = link.forks.get(marker)
    return named is not None and (named == parent.id or parent.forks.get(marker) != named)


def _after(link: Link, parent: Link) -> bool:
    return link.started is not None and parent.ended is not None and link.started >= parent.ended


def _same_place(link: Link, parent: Link) -> bool:
    """The same chat; releases that note no chat leave the time to tell a successor from a sub-agent."""
    if link.session_key or parent.session_key:
        return link.session_key == parent.session_key
    return _after(link, parent)
