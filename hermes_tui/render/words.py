"""Small words for people: times, counts, sizes, roles and states, and any text as one line."""

from __future__ import annotations

from datetime import datetime, timedelta, tzinfo

from hermes_tui.model import Kind, Session, State
from hermes_tui.render.cells import fit
from hermes_tui.render.clean import clean

_ROLES = {"user": "You", "assistant": "Assistant", "system": "System", "tool": "Tool"}
_STATES = {State.LIVE: "", State.COMPACTED: "compacted", State.REWOUND: "rewound"}


def one_line(text: str, width: int) -> str:
    """`text` as one clean line of at most `width` cells: runs of blanks and newlines become one blank."""
    text = text.lstrip()
    enough = max(0, width) * 8 + 256  # a line that is still too short after this many characters is not worth more
    line = " ".join(clean(text[:enough]).split())
    return fit(line + " …" if len(text) > enough else line, width)


def first_line(text: str, width: int) -> str:
    """The first line of `text` that says anything, of at most `width` cells; looked for near the beginning.

    The bare name of a value that stands on the lines below says nothing.
    """
    for line in text[: width * 8 + 2000].split("\n", 20)[:20]:
        shown = one_line(line, width)
        if shown and not (shown.endswith(":") and shown[:-1].isidentifier()):
            return shown
    return ""


def store_label(row: Session) -> str:
    """Which store a session is in, of several that are open, and whose it is where a gateway wrote it for another
    profile: `default`, `work in default`; of the only store just `work`, or nothing."""
    if row.owner is None or row.owner == row.profile:
        return row.profile or ""
    return row.owner if row.profile is None else f"{row.owner} in {row.profile}"


def moment(timestamp: float | None, zone: tzinfo | None = None) -> datetime | None:
    """`timestamp` (Unix seconds) in `zone`, local time by default; None for what no calendar holds."""
    if timestamp is None:
        return None
    try:
        return datetime.fromtimestamp(timestamp, zone)
    except (OverflowError, OSError, ValueError):
        return None


def when(timestamp: float | None, now: float, zone: tzinfo | None = None) -> str:
    """How long ago, as short as it can be: `just now`, `5m`, `3h`, `yesterday`, `Mon`, `2026-08-01`; "" if unknown.

    Hours count up to the end of the same calendar day (and through the small hours after midnight, up to six);
    a time in the future is shown as its date and clock.
    """
    then, today = moment(timestamp, zone), moment(now, zone)
    if timestamp is None or then is None or today is None:
        return ""
    age = now - timestamp
    if age < -60:
        return then.strftime("%Y-%m-%d %H:%M") if then.date() != today.date() else then.strftime("%H:%M")
    if age < 60:
        return "just now"
    if age < 3600:
        return f"{int(age // 60)}m"
    if then.date() == today.date() or age < 6 * 3600:
        return f"{int(age // 3600)}h"
    if then.date() == today.date() - timedelta(days=1):
        return "yesterday"
    if today.date() - then.date() < timedelta(days=7):
        return _DAYS[then.weekday()][:3]
    return then.strftime("%Y-%m-%d")


_DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_MONTHS = ("January", "February", "March", "April", "May", "June", "July", "August", "September", "October",
           "November", "December")  # fmt: skip


def clock(timestamp: float | None, zone: tzinfo | None = None) -> str:
    """The time of day, `14:02`; "" if unknown."""
    then = moment(timestamp, zone)
    return "" if then is None else then.strftime("%H:%M")


def day(timestamp: float | None, zone: tzinfo | None = None) -> str:
    """The date in full, `Tuesday 4 August 2026`; "" if unknown."""
    then = moment(timestamp, zone)
    return "" if then is None else f"{_DAYS[then.weekday()]} {then.day} {_MONTHS[then.month - 1]} {then.year}"


def count(number: int, noun: str = "", plural: str | None = None) -> str:
    """`4,812`, `1 line`, `4,812 lines`."""
    if not noun:
        return f"{number:,}"
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def size(bytes_: int) -> str:
    """`812 B`, `40 KB`, `1.2 MB`: powers of 1,000, two significant digits below ten."""
    amount = float(bytes_)
    for unit in ("B", "KB", "MB", "GB"):
        if amount < 999.5 or unit == "GB":
            return f"{amount:.1f} {unit}" if unit != "B" and amount < 9.95 else f"{amount:.0f} {unit}"
        amount /= 1000
    return ""


def role_label(role: str, kind: Kind = Kind.TURN) -> str:
    """Who speaks, for a header: `You`, `Assistant`, or the role as stored for roles we do not know."""
    match kind:
        case Kind.SUMMARY:
            return "Summary"
        case Kind.NOTICE:
            return "Note"
        case Kind.HIDDEN:
            return "Hidden"
        case Kind.TURN | Kind.TOOL:
            return _ROLES.get(role) or one_line(role, 24).capitalize() or "?"


def state_label(state: State, copies: int = 1) -> str:
    """The word that marks a row that is not simply live: `compacted`, `rewound`, `x3`, or both; "" for none."""
    return " ".join(word for word in (_STATES[state], f"x{copies}" if copies > 1 else "") if word)
