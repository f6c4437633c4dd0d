"""What sessions, messages and counts are called on screen: plain strings, made safe where they are painted."""

from __future__ import annotations

from collections.abc import Mapping

from hermes_tui.model import HitMessage, Session, SessionKind, Status
from hermes_tui.render import count, moment, role_label

MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")


def title(session: Session, preview: str = "") -> str:
    """The title, else the first words of a person, else that there are none. Never empty."""
    return (session.title or "").strip() or (session.preview or preview).strip() or "(untitled)"


def titled(session: Session) -> bool:
    """Whether somebody gave it a title."""
    return bool((session.title or "").strip())


def trouble(session: Session) -> str:
    """How a session ended, where it did not end well; "" otherwise."""
    return session.status.value if session.status in (Status.INTERRUPTED, Status.ERROR) else ""


def marks(session: Session) -> list[str]:
    """What else is out of the ordinary about a session, in words."""
    found: list[str] = []
    match session.kind:
        case SessionKind.BRANCH | SessionKind.RESET | SessionKind.DELEGATE:
            found.append(session.kind.value)
        case SessionKind.ORPHAN:
            found.append("parent missing")
        case SessionKind.ROOT | SessionKind.CONTINUATION:
            pass
    if len(session.segments) > 1:
        found.append(f"x{len(session.segments)}")
    flags = ((session.pinned, "pinned"), (session.archived, "archived"), (session.hidden, "hidden"))
    return found + [word for flag, word in flags if flag]


def date(timestamp: float | None) -> str:
    """`4 Aug 2026`; "" if unknown."""
    then = moment(timestamp)
    return "" if then is None else f"{then.day} {MONTHS[then.month - 1]} {then.year}"


def messages(session: Session) -> int:
    """The messages that count for a reader: each once, and all but what was taken back or is for the model only."""
    return session.counts.live + session.counts.compacted if session.lived is None else session.lived


def left_out(hidden: Mapping[str, int], key: str, does: str) -> list[str]:
    """`1,000 hidden: cron 990, archived 10 (a shows all)` and ever shorter ways to say it; [] when nothing is hidden.

    `key` is what shows them, `does` what it does in words.
    """
    reasons = {reason: many for reason, many in hidden.items() if many}
    if not reasons:
        return []
    total = count(sum(reasons.values()))
    named = [f"{reason} {count(many)}" for reason, many in by_size(reasons)]
    ways = [f"{total} hidden: {', '.join(named)} ({key} {does})", f"{total} hidden: {', '.join(named)} ({key})"]
    ways += [f"{total} hidden: {', '.join(named[:some])}, … ({key})" for some in range(len(named) - 1, 0, -1)]
    return [*ways, f"{total} hidden ({key} {does})", f"{total} hidden ({key})"]


def by_size(reasons: Mapping[str, int]) -> list[tuple[str, int]]:
    """Reasons, the one that hides most first."""
    return sorted(reasons.items(), key=lambda item: (-item[1], item[0]))


def speaker(message: HitMessage) -> str:
    """Whose message it is: the role, for a tool its name."""
    label = role_label(message.role, message.kind)
    return message.tool_name or label if message.role == "tool" else label
