"""What a person types behind `after:`, `before:` and `on:` -> half-open periods of Unix seconds.

Pure: the clock and the zone are arguments. A day is what the zone calls one, from midnight to midnight, so it has 23
or 25 hours where clocks change.
"""

from __future__ import annotations

import re
from datetime import date, datetime, timedelta, timezone, tzinfo

Period = tuple[float | None, float | None]

FIRST_YEAR, LAST_YEAR = 1970, 2103
FORMS = (
    "2026, 2026-08, 2026-08-01, 2026-08-01T12:30, today, yesterday, monday, this-week, last-month, 7d, 2026-01..2026-03"
)

_DATE = re.compile("([0-9]{4})(?:-([0-9]{1,2})(?:-([0-9]{1,2}))?)?")
_INSTANT = re.compile(
    "([0-9]{4})-([0-9]{1,2})-([0-9]{1,2})t([0-9]{1,2}):([0-9]{2})(?::([0-9]{2}))?(z|([+-])([0-9]{2}):?([0-9]{2}))?"
)
_AGO = re.compile("([0-9]{1,9})([hdwmy])")
_DIGITS = re.compile("[0-9]+[hdwmy]")
_CALENDAR = re.compile("(this|last)-(week|month|year)")
_WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_HOUR = 3600.0
_DAY = 24 * _HOUR


def period(value: str, now: float, zone: tzinfo | None = None) -> Period:
    """The half-open period [start, end) in Unix seconds that `value` names; None is open.

    `now` is in Unix seconds; `zone` None is the zone of this machine. A number with a unit is that long ago until
    whenever: `7d` is (now - 7 days, None), with days of 24 hours and months (`m`) of the calendar. In a range both ends
    belong to it: `2026-01..2026-03` ends with March, `30d..7d` at seven days ago. Raises ValueError with a sentence.
    """
    return _range(value, now, zone, whole=False)


def on(value: str, now: float, zone: tzinfo | None = None) -> Period:
    """The period `on:` means, as `period` does, but a number with a unit is the whole unit that long ago.

    `7d` is the day seven days ago from midnight to midnight, `3h` the hour of the clock, `2w` the week from its Monday,
    `1m` and `1y` the month and the year of the calendar. Raises ValueError with a sentence.
    """
    return _range(value, now, zone, whole=True)


def edge(value: str, now: float, zone: tzinfo | None = None, *, after: bool) -> float:
    """Where the period `value` names begins, in Unix seconds: from there on is `after:`, all earlier is `before:`.

    So `after:2026-08` has August in it, `before:2026-08` ends with July, and `before:7d` is older than seven days.
    Raises ValueError with a sentence; a range has two edges and goes behind `on:`.
    """
    if ".." in value:
        word = "after" if after else "before"
        raise ValueError(f"{word}: takes one date; a range goes behind on:, as in on:2026-01..2026-03.")
    return _single(_clean(value), now, zone, whole=False)[0]


def _clean(value: str) -> str:
    text = value.strip()
    if not text:
        raise ValueError(f"A date is missing. These work: {FORMS}.")
    return text


def _range(value: str, now: float, zone: tzinfo | None, *, whole: bool) -> Period:
    text = _clean(value)
    left, dots, right = (part.strip() for part in text.partition(".."))
    if not dots:
        return _single(text, now, zone, whole=whole)
    if not left and not right:
        raise ValueError(_unknown(text))
    start = _single(left, now, zone, whole=whole)[0] if left else None
    end: float | None = None
    if right:
        begins, ends = _single(right, now, zone, whole=whole)
        end = begins if ends is None else ends
    if start is not None and end is not None and start >= end:
        raise ValueError(f"The range {_shown(text)} ends before it begins.")
    return start, end


def _single(typed: str, now: float, zone: tzinfo | None, *, whole: bool) -> tuple[float, float | None]:
    """The period of one date, which always has a beginning."""
    today = datetime.fromtimestamp(now, zone).date()
    text = typed.lower() if typed.isascii() else typed
    if match := _AGO.fullmatch(text):
        return _ago(typed, int(match[1]), match[2], now, zone, whole=whole)
    if match := _INSTANT.fullmatch(text):
        return _instant(typed, match, zone)
    if match := _DATE.fullmatch(text):
        first, last = _dates(typed, *(int(part) if part else None for part in match.groups()))
    elif match := _CALENDAR.fullmatch(text):
        first, last = _unit(today, match[2][0], back=int(match[1] == "last"))
    elif text in ("today", "yesterday"):
        first = last = today - timedelta(days=int(text == "yesterday"))
    elif (number := _weekday(text)) is not None:
        first = last = today - timedelta(days=(today.weekday() - number) % 7)
    elif _DIGITS.fullmatch(text):
        raise ValueError(_too_far(typed))
    else:
        raise ValueError(_unknown(typed))
    return _midnight(first, zone), _midnight(last + timedelta(days=1), zone)


def _weekday(text: str) -> int | None:
    """The number of a day of the week, Monday 0, by its name or its first three letters."""
    return next((number for number, name in enumerate(_WEEKDAYS) if text in (name, name[:3])), None)


def _dates(text: str, year: int | None, month: int | None, day: int | None) -> tuple[date, date]:
    """The first and the last day of a year, a month or a day."""
    year = _checked_year(text, year or 0)
    try:
        first = date(year, month if month is not None else 1, day if day is not None else 1)
    except ValueError:
        raise ValueError(_no_such(text)) from None
    if day is not None:
        return first, first
    return first, _last_day(year, month or 12)


def _instant(text: str, match: re.Match[str], zone: tzinfo | None) -> tuple[float, float]:
    """The minute, or with seconds the second, of a clock in `zone` or in the zone written behind it."""
    year, month, day, hour, minute = (int(match[group]) for group in range(1, 6))
    _checked_year(text, year)
    try:
        moment = datetime(year, month, day, hour, minute, int(match[6] or 0))
        if match[7]:
            offset = timedelta(hours=int(match[9] or 0), minutes=int(match[10] or 0))
            zone = timezone(-offset if match[8] == "-" else offset)
    except ValueError:
        raise ValueError(_no_such(text)) from None
    start = _seconds(moment, zone)
    return start, start + (1 if match[6] else 60)


def _ago(
    text: str, count: int, unit: str, now: float, zone: tzinfo | None, *, whole: bool
) -> tuple[float, float | None]:
    """That many units before now, or the `whole` unit of the calendar or the clock it falls in."""
    local = datetime.fromtimestamp(now // 1, zone)
    try:
        if unit == "h" and whole:
            moment = datetime.fromtimestamp(now - count * _HOUR, zone)
            start = moment.replace(minute=0, second=0, microsecond=0).timestamp()
            end: float | None = start + _HOUR
        elif whole:
            first, last = _unit(local.date(), unit, back=count)
            start, end = _midnight(first, zone), _midnight(last + timedelta(days=1), zone)
        elif unit in "my":
            year, month = _months_back(local.date(), count * (12 if unit == "y" else 1))
            day = min(local.day, _last_day(year, month).day)
            start, end = _seconds(local.replace(year=year, month=month, day=day, tzinfo=None), zone), None
        else:
            start, end = now - count * {"h": _HOUR, "d": _DAY, "w": 7 * _DAY}[unit], None
    except (ValueError, OverflowError, OSError):
        raise ValueError(_too_far(text)) from None
    if start < -_DAY:  # 1970 itself begins before zero east of Greenwich
        raise ValueError(_too_far(text))
    return start, end


def _unit(today: date, unit: str, *, back: int) -> tuple[date, date]:
    """First and last day of the day, week (from Monday), month or year that is `back` of them before today's."""
    if unit == "d":
        day = today - timedelta(days=back)
        return day, day
    if unit == "w":
        monday = today - timedelta(days=today.weekday() + 7 * back)
        return monday, monday + timedelta(days=6)
    if unit == "m":
        year, month = _months_back(today, back)
        return date(year, month, 1), _last_day(year, month)
    return date(today.year - back, 1, 1), date(today.year - back, 12, 31)


def _months_back(today: date, back: int) -> tuple[int, int]:
    year, month = divmod(today.year * 12 + today.month - 1 - back, 12)
    if year < FIRST_YEAR - 1:
        raise OverflowError
    return year, month + 1


def _last_day(year: int, month: int) -> date:
    from calendar import monthrange  # brings the locale along, and few questions have a date

    return date(year, month, monthrange(year, month)[1])


def _checked_year(text: str, year: int) -> int:
    if not FIRST_YEAR <= year <= LAST_YEAR:
        raise ValueError(f"The year of {_shown(text)} is not between {FIRST_YEAR} and {LAST_YEAR}.")
    return year


def _midnight(day: date, zone: tzinfo | None) -> float:
    """The first instant of a day; where clocks skip midnight, the instant they do."""
    return _seconds(datetime(day.year, day.month, day.day), zone)


def _seconds(local: datetime, zone: tzinfo | None) -> float:
    """Unix seconds of what the clocks of `zone` show."""
    try:
        return local.replace(tzinfo=zone).timestamp()
    except OSError:  # Windows knows no local time before 1970
        return 0.0


def _shown(text: str) -> str:
    return repr(text if len(text) <= 40 else text[:40] + "\u2026")


def _no_such(text: str) -> str:
    return f"There is no {_shown(text)} in the calendar."


def _too_far(text: str) -> str:
    return f"{_shown(text)} reaches back before {FIRST_YEAR}."


def _unknown(text: str) -> str:
    return f"{_shown(text)} is no date. These work: {FORMS}."
