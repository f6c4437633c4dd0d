"""What sessions, messages and counts are called on screen: plain strings, made safe where they are painted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import PurePosixPath, PureWindowsPath

from hermes_tui.model import HitMessage, Job, Moment, Session, SessionKind, Status
from hermes_tui.render import count, moment, role_label, store_label, when
from hermes_tui.tui.columns import Column
from hermes_tui.tui.order import tokens

RUNNING_FOR = 300.0
"""Seconds after its last message for which a session without an end is taken to be at work."""
RUNNING = "running"
BAR = 8
"""Runs that the bar of a job shows."""
SIGNS = {Status.COMPLETE: "▪", Status.INTERRUPTED: "▫", Status.ERROR: "✕", Status.EMPTY: "·"}
EDGES = {
    SessionKind.BRANCH: "branch",
    SessionKind.RESET: "reset",
    SessionKind.DELEGATE: "sub-agent",
    SessionKind.ORPHAN: "parent missing",
}
"""How a conversation hangs on another, where that is worth a word in the list."""
MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")


def title(session: Session, preview: str = "") -> str:
    """The title, else the first words of a person, else that there are none. Never empty."""
    return (session.title or "").strip() or (session.preview or preview).strip() or "(untitled)"


def named(session: Session) -> str:
    """The title, behind the name of its store where several are open."""
    store = store_label(session)
    return f"{store} · {title(session)}" if store else title(session)


def titled(session: Session) -> bool:
    """Whether somebody gave it a title."""
    return bool((session.title or "").strip())


def known(session: Session) -> bool:
    """Whether its messages were looked at: what a list has of most rows does not tell of them."""
    return session.counts.total > 0 or session.status is not Status.COMPLETE


def status(session: Session, now: float) -> str:
    """How a session stands, in a word; "" where nobody looked. One without an end that said something a moment ago
    is running."""
    active = session.last_active_at
    is_open = session.ended_at is None and session.end_reason is None and session.status is not Status.EMPTY
    if is_open and active is not None and 0 <= now - active < RUNNING_FOR:
        return RUNNING
    return session.status.value if known(session) else ""


def marks(session: Session, *, kids: int = 0, unfolded: bool = False) -> list[str]:
    """What else is out of the ordinary about a session, in words; `kids` are its sub-agents."""
    found: list[str] = []
    if session.kind in EDGES:
        found.append(EDGES[session.kind])
    if len(session.segments) > 1:
        found.append(f"x{len(session.segments)}")
    if kids:
        found.append(f"{'▾' if unfolded else '▸'} {count(kids, 'sub-agent')}")
    flags = ((session.pinned, "pinned"), (session.archived, "archived"), (session.hidden, "hidden"))
    return found + [word for flag, word in flags if flag]


def date(timestamp: float | None) -> str:
    """`4 Aug 2026`; "" if unknown."""
    then = moment(timestamp)
    return "" if then is None else f"{then.day} {MONTHS[then.month - 1]} {then.year}"


def messages(session: Session) -> int:
    """The messages that count for a reader: each once, and all but what was taken back or is for the model only."""
    return session.counts.live + session.counts.compacted if session.lived is None else session.lived


def cell(column: Column, session: Session, now: float) -> str:
    """What stands in a column, as short as it can be; "" for what is not known."""
    match column:
        case Column.STORE:
            return store_label(session)
        case Column.UNREAD:
            return "unread" if session.unread else ""
        case Column.STATUS:
            return status(session, now)
        case Column.SOURCE:
            return session.source
        case Column.MODEL:
            return model(session)
        case Column.PROJECT:
            return project(session)
        case Column.BRANCH:
            return session.branch or ""
        case Column.MESSAGES:
            return count(messages(session)) if known(session) else ""
        case Column.TOKENS:
            return short(tokens(session))
        case Column.COST:
            return dollars(session.cost_usd)
        case Column.STARTED:
            return when(session.started_at, now)
        case Column.ACTIVE:
            return when(session.last_active_at or session.started_at, now)
        case Column.TITLE | Column.MARKS:
            return ""


def model(session: Session) -> str:
    """The model without whose it is."""
    return (session.model or "").rstrip("/").rpartition("/")[2]


def project(session: Session) -> str:
    """The last part of the project's folder, else of the folder it ran in."""
    folder = session.project or session.cwd or ""
    pure = PureWindowsPath(folder) if "\\" in folder else PurePosixPath(folder)
    return pure.name or folder


def short(number: int | None) -> str:
    """`812`, `12k`, `1.2M`; "" for none."""
    if number is None:
        return ""
    amount = float(number)
    for unit in ("", "k", "M", "G"):
        if amount < 999.5 or unit == "G":
            return f"{amount:.1f}{unit}" if unit and amount < 9.95 else f"{amount:,.0f}{unit}"
        amount /= 1000
    return ""


def dollars(amount: float | None) -> str:
    """`$0.42`, `$12.30`, `$1,234`; "" where it is not known, and `<1¢` for less than one."""
    if amount is None:
        return ""
    if 0 < amount < 0.005:
        return "<1¢"
    return f"${amount:,.2f}" if amount < 999.995 else f"${amount:,.0f}"


def outcomes(job: Job) -> tuple[str, str]:
    """The last runs of a job as a bar of signs, the newest at the right, and in words how many went wrong of all whose
    end was looked up."""
    bar = "".join(SIGNS[one] for one in reversed(job.outcomes[:BAR]))
    few = len(job.outcomes) < len(job.runs)
    words = ", ".join(_ended(job.outcomes)) or "all complete"
    return bar, f"{words} (last {len(job.outcomes)})" if few else words


def _ended(outcomes: Sequence[Status]) -> list[str]:
    words = ((Status.ERROR, "failed"), (Status.INTERRUPTED, "interrupted"), (Status.EMPTY, "empty"))
    return [f"{many} {word}" for one, word in words if (many := outcomes.count(one))]


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


def speaker(message: HitMessage | Moment) -> str:
    """Whose message it is: the role, for a tool its name."""
    label = role_label(message.role, message.kind)
    return message.tool_name or label if message.role == "tool" else label
