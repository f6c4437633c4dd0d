"""What is typed behind after:, before: and on: names the period a person means, in every zone and over every switch."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import suppress
from datetime import datetime, timedelta, tzinfo
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermes_tui.query.dates import edge, on, period

BERLIN = ZoneInfo("Europe/Berlin")
UTC = ZoneInfo("UTC")


def at(text: str, zone: tzinfo = BERLIN) -> float:
    """Unix seconds of an ISO time; without an offset it is one of `zone`."""
    moment = datetime.fromisoformat(text)
    return (moment if moment.tzinfo else moment.replace(tzinfo=zone)).timestamp()


def span(start: str | None, end: str | None) -> tuple[float | None, float | None]:
    return (at(start) if start else None, at(end) if end else None)


NOW = at("2026-08-20T15:45:30")  # a Thursday

ABSOLUTE = [
    ("2026", "2026-01-01", "2027-01-01"),
    ("2026-08", "2026-08-01", "2026-09-01"),
    ("2026-8", "2026-08-01", "2026-09-01"),
    ("2026-12", "2026-12-01", "2027-01-01"),
    ("2026-08-01", "2026-08-01", "2026-08-02"),
    ("2026-8-1", "2026-08-01", "2026-08-02"),
    ("2024-02-29", "2024-02-29", "2024-03-01"),
    ("2026-08-01T12:30", "2026-08-01T12:30", "2026-08-01T12:31"),
    ("2026-08-01t12:30", "2026-08-01T12:30", "2026-08-01T12:31"),
    ("2026-08-01T12:30:15", "2026-08-01T12:30:15", "2026-08-01T12:30:16"),
    ("2026-08-01T12:30Z", "2026-08-01T12:30+00:00", "2026-08-01T12:31+00:00"),
    ("2026-08-01T12:30:15z", "2026-08-01T12:30:15+00:00", "2026-08-01T12:30:16+00:00"),
    ("2026-08-01T12:30-05:30", "2026-08-01T12:30-05:30", "2026-08-01T12:31-05:30"),
    ("2026-08-01T12:30+0200", "2026-08-01T12:30+02:00", "2026-08-01T12:31+02:00"),
    ("today", "2026-08-20", "2026-08-21"),
    ("Today", "2026-08-20", "2026-08-21"),
    ("yesterday", "2026-08-19", "2026-08-20"),
    ("thursday", "2026-08-20", "2026-08-21"),
    ("thu", "2026-08-20", "2026-08-21"),
    ("friday", "2026-08-14", "2026-08-15"),
    ("FRI", "2026-08-14", "2026-08-15"),
    ("wed", "2026-08-19", "2026-08-20"),
    ("monday", "2026-08-17", "2026-08-18"),
    ("tue", "2026-08-18", "2026-08-19"),
    ("saturday", "2026-08-15", "2026-08-16"),
    ("sunday", "2026-08-16", "2026-08-17"),
    ("this-week", "2026-08-17", "2026-08-24"),
    ("last-week", "2026-08-10", "2026-08-17"),
    ("this-month", "2026-08-01", "2026-09-01"),
    ("last-month", "2026-07-01", "2026-08-01"),
    ("this-year", "2026-01-01", "2027-01-01"),
    ("Last-Year", "2025-01-01", "2026-01-01"),
    (" 2026 ", "2026-01-01", "2027-01-01"),
    ("1970", "1970-01-01", "1971-01-01"),
    ("2103", "2103-01-01", "2104-01-01"),
]
RANGES = [
    ("2026-01..2026-03", "2026-01-01", "2026-04-01"),
    ("2026-08-01..2026-08-01", "2026-08-01", "2026-08-02"),
    ("2026-08-01..", "2026-08-01", None),
    ("..2026-08-01", None, "2026-08-02"),
    ("monday..wed", "2026-08-17", "2026-08-20"),
    ("2026-08-01T12:30..2026-08-01T12:35", "2026-08-01T12:30", "2026-08-01T12:36"),
    ("last-year .. today", "2025-01-01", "2026-08-21"),
]


@pytest.mark.parametrize(("value", "start", "end"), [*ABSOLUTE, *RANGES])
def test_a_date_names_its_period_whoever_asks(value: str, start: str | None, end: str | None) -> None:
    assert period(value, NOW, BERLIN) == on(value, NOW, BERLIN) == span(start, end)


@pytest.mark.parametrize(("value", "start"), [(value, start) for value, start, _ in ABSOLUTE])
def test_after_begins_where_the_period_does_and_before_ends_there(value: str, start: str) -> None:
    assert edge(value, NOW, BERLIN, after=True) == edge(value, NOW, BERLIN, after=False) == at(start)


@pytest.mark.parametrize(
    ("value", "start", "whole"),
    [
        ("3h", "2026-08-20T12:45:30", ("2026-08-20T12:00", "2026-08-20T13:00")),
        ("0h", "2026-08-20T15:45:30", ("2026-08-20T15:00", "2026-08-20T16:00")),
        ("0d", "2026-08-20T15:45:30", ("2026-08-20", "2026-08-21")),
        ("7d", "2026-08-13T15:45:30", ("2026-08-13", "2026-08-14")),
        ("7D", "2026-08-13T15:45:30", ("2026-08-13", "2026-08-14")),
        ("2w", "2026-08-06T15:45:30", ("2026-08-03", "2026-08-10")),
        ("1m", "2026-07-20T15:45:30", ("2026-07-01", "2026-08-01")),
        ("8m", "2025-12-20T15:45:30", ("2025-12-01", "2026-01-01")),
        ("1y", "2025-08-20T15:45:30", ("2025-01-01", "2026-01-01")),
        ("30y", "1996-08-20T15:45:30", ("1996-01-01", "1997-01-01")),
    ],
)
def test_a_number_with_a_unit_is_since_then_and_on_is_the_whole_unit(
    value: str, start: str, whole: tuple[str, str]
) -> None:
    assert period(value, NOW, BERLIN) == span(start, None)
    assert on(value, NOW, BERLIN) == span(*whole)
    assert edge(value, NOW, BERLIN, after=True) == edge(value, NOW, BERLIN, after=False) == at(start)


@pytest.mark.parametrize(
    ("value", "since", "whole"),
    [
        ("30d..7d", ("2026-07-21T15:45:30", "2026-08-13T15:45:30"), ("2026-07-21", "2026-08-14")),
        ("..7d", (None, "2026-08-13T15:45:30"), (None, "2026-08-14")),
        ("7d..", ("2026-08-13T15:45:30", None), ("2026-08-13", None)),
        ("2026-08..3h", ("2026-08-01", "2026-08-20T12:45:30"), ("2026-08-01", "2026-08-20T13:00")),
    ],
)
def test_ranges_of_numbers_with_units(
    value: str, since: tuple[str | None, str | None], whole: tuple[str | None, str | None]
) -> None:
    assert period(value, NOW, BERLIN) == span(*since)
    assert on(value, NOW, BERLIN) == span(*whole)


@pytest.mark.parametrize(
    ("now", "value", "start"),
    [
        ("2026-03-31T10:00", "1m", "2026-02-28T10:00"),
        ("2024-03-31T10:00", "1m", "2024-02-29T10:00"),
        ("2024-02-29T10:00", "1y", "2023-02-28T10:00"),
        ("2026-01-15T10:00", "1m", "2025-12-15T10:00"),
    ],
)
def test_a_month_ago_is_never_a_day_that_does_not_exist(now: str, value: str, start: str) -> None:
    assert period(value, at(now), BERLIN) == span(start, None)


def test_the_first_days_of_a_year_look_back_into_the_old_one() -> None:
    now = at("2026-01-01T00:00")
    assert period("yesterday", now, BERLIN) == span("2025-12-31", "2026-01-01")
    assert period("last-month", now, BERLIN) == span("2025-12-01", "2026-01-01")
    assert period("last-week", now, BERLIN) == span("2025-12-22", "2025-12-29")
    assert on("1w", now, BERLIN) == period("last-week", now, BERLIN)


@pytest.mark.parametrize(("day", "hours"), [("2026-03-29", 23), ("2026-10-25", 25), ("2026-08-20", 24)])
def test_a_day_is_as_long_as_its_clocks_make_it(day: str, hours: int) -> None:
    start, end = period(day, NOW, BERLIN)
    assert start is not None
    assert end is not None
    assert (end - start) / 3600 == hours
    assert period("today", start + 3600 * (hours - 0.5), BERLIN) == (start, end)
    assert period("yesterday", end, BERLIN) == (start, end)
    assert on("1d", end, BERLIN) == (start, end)


def test_where_clocks_skip_midnight_the_day_begins_when_they_do() -> None:
    zone = ZoneInfo("America/Sao_Paulo")
    start, end = period("2018-11-04", NOW, zone)
    assert start == at("2018-11-04T03:00+00:00")
    assert end == at("2018-11-05T02:00+00:00")
    assert period("2018-11-03", NOW, zone)[1] == start


def test_the_hour_that_comes_twice_is_two_hours() -> None:
    second = at("2026-10-25T02:30+01:00")
    assert on("0h", second, BERLIN) == span("2026-10-25T02:00+01:00", "2026-10-25T03:00+01:00")
    assert on("1h", second, BERLIN) == span("2026-10-25T02:00+02:00", "2026-10-25T02:00+01:00")


WRONG = [
    "", "  ", "x", "..", "...", "a..b", "2026..x", "20261", "2026-", "-2026", "2026-08-01-02", "2026/08/01", "1.8.2026",
    "d", "7", "-7d", "7 d", "1.5d", "7s", "7dd", "mo", "mond", "next-week", "this-day", "last", "2026-08-01T12",
    "2026-08-01T1230", "12:30", "\uff12\uff10\uff12\uff16", "\u0661d", "this-wee\u212a", "\udc80", "2026\x00",
    "2026\n1", "today..yesterday..today",
]  # fmt: skip
IMPOSSIBLE = [
    "2026-13",
    "2026-00",
    "2026-02-30",
    "2026-0-1",
    "2026-08-01T24:00",
    "2026-08-01T12:60",
    "2026-08-01T12:30+24:00",
]
OUT_OF_REACH = [
    "1969", "0000", "2104", "9999-12-31", "1969-12-31T23:59Z", "2104-01-01T00:00", "99999999d", "9" * 30 + "d",
    "999999999h", "999999999m", "999999999y", "999999999w", "57y", "9" * 5000 + "y",
]  # fmt: skip


@pytest.mark.parametrize(
    "value", [*WRONG, *IMPOSSIBLE, *OUT_OF_REACH, "2026-03..2026-01", "7d..30d", "today..yesterday"]
)
def test_what_is_no_date_is_explained_in_a_sentence(value: str) -> None:
    for ask in (period, on, lambda *a: edge(*a, after=True), lambda *a: edge(*a, after=False)):
        with pytest.raises(ValueError, match=r"^[^\n]{10,300}\.$") as caught:
            ask(value, NOW, BERLIN)
        assert type(caught.value) is ValueError
        assert str(caught.value).isprintable()


@pytest.mark.parametrize("value", [word for word in WRONG if ".." not in word])
def test_the_sentence_names_forms_that_work(value: str) -> None:
    with pytest.raises(ValueError, match="These work: ") as caught:
        period(value, NOW, BERLIN)
    forms = str(caught.value).split("These work: ")[1].rstrip(".").split(", ")
    assert len(forms) > 8
    for form in forms:
        period(form, NOW, BERLIN)


def test_a_range_has_two_edges_so_it_is_neither_after_nor_before() -> None:
    for word, after in (("after", True), ("before", False)):
        with pytest.raises(ValueError, match=f"^{word}: takes one date"):
            edge("2026-01..2026-03", NOW, BERLIN, after=after)


DAYS = st.dates(min_value=datetime(1971, 1, 1).date(), max_value=datetime(2102, 12, 31).date())
ZONES = st.sampled_from(["UTC", "Europe/Berlin", "America/Sao_Paulo", "Asia/Kathmandu", "Pacific/Auckland"]).map(
    ZoneInfo
)
NAMED = st.sampled_from(
    ["today", "yesterday", "mon", "sunday", "this-week", "last-week", "this-month", "last-month", "this-year"]
)
DATES = NAMED | DAYS.map(str) | DAYS.map(lambda day: str(day)[:7]) | DAYS.map(lambda day: str(day)[:4])
TIMES = st.floats(min_value=at("1971-01-02"), max_value=at("2102-12-30"), allow_nan=False)


@given(value=DATES, now=TIMES, moment=TIMES, zone=ZONES)
def test_before_on_and_what_follows_divide_all_time(value: str, now: float, moment: float, zone: ZoneInfo) -> None:
    start, end = on(value, now, zone)
    assert start is not None
    assert end is not None
    assert start < end
    assert start == edge(value, now, zone, after=True) == edge(value, now, zone, after=False)
    for instant in (moment, start, end, start - 1, end - 1):
        parts = [on(f"..{value}", now, zone), on(f"{value}..", now, zone)]
        inside = [(a is None or a <= instant) and (b is None or instant < b) for a, b in parts]
        # Both halves hold the period itself; each alone holds what is on its side of it.
        assert inside == [instant < end, instant >= start]


@given(day=DAYS, zone=ZONES)
def test_days_lie_side_by_side_and_fill_their_month(day: datetime, zone: ZoneInfo) -> None:
    start, end = on(str(day), 0.0, zone)
    assert on(str(day + timedelta(days=1)), 0.0, zone)[0] == end
    first, last = on(str(day)[:7], 0.0, zone)
    assert first is not None
    assert last is not None
    assert start is not None
    assert end is not None
    assert first <= start < end <= last


@given(count=st.integers(0, 400), unit=st.sampled_from("hdwmy"), now=TIMES, zone=ZONES)
def test_the_whole_unit_holds_the_instant_it_is_named_for(count: int, unit: str, now: float, zone: ZoneInfo) -> None:
    value = f"{count}{unit}"
    try:
        start, end = on(value, now, zone)
        since, _ = period(value, now, zone)
    except ValueError:
        return  # before 1970
    assert start is not None
    assert end is not None
    assert since is not None
    assert since <= now
    # A clock that was changed in between may carry the instant an hour over the edge of a day, no further.
    assert start - 3600 <= since < end + 3600


@given(value=st.text(max_size=20) | st.text("0123456789-.:tzdwmyh+", max_size=30), now=TIMES)
def test_whatever_is_typed_is_a_period_or_a_value_error(value: str, now: float) -> None:
    for ask in (period, on):
        with suppress(ValueError):
            start, end = ask(value, now, BERLIN)
            assert start is None or end is None or start < end


@pytest.fixture
def machine_in_berlin(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    if not hasattr(time, "tzset"):
        pytest.skip("this platform cannot change its zone")
    before = os.environ.get("TZ")
    monkeypatch.setenv("TZ", "CET-1CEST,M3.5.0,M10.5.0/3")
    time.tzset()
    yield
    if before is None:
        monkeypatch.delenv("TZ")
    else:
        monkeypatch.setenv("TZ", before)
    time.tzset()


@pytest.mark.usefixtures("machine_in_berlin")
@pytest.mark.parametrize(
    "value",
    [value for value, *_ in (*ABSOLUTE, *RANGES)] + ["2026-03-29", "2026-10-25", "3h", "7d", "200d", "2w", "6m"],
)
def test_without_a_zone_it_is_the_machines(value: str) -> None:
    assert period(value, NOW) == period(value, NOW, BERLIN)
    assert on(value, NOW) == on(value, NOW, BERLIN)
