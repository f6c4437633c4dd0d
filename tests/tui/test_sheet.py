"""What the list shows of its rows: orders, groups, jobs, sub-agents; and what folding makes of it."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from hermes_tui.model import Job, Session, SessionKey, SessionKind, SessionList, Status
from hermes_tui.tui.columns import Column
from hermes_tui.tui.order import Grouping, ListOrder, renewed
from hermes_tui.tui.sheet import Firsts, Folded, Laid, Runs, Sheet, Under, View, lay, make_sheet, session_of

NOW = 1_790_000_000.0
DAY = 86_400.0


def sheet(
    *rows: Session,
    view: View | None = None,
    sizes: Mapping[SessionKey, int] | None = None,
    jobs: tuple[tuple[str | None, Job], ...] = (),
) -> Sheet:
    return make_sheet(SessionList(rows, {}), view or View(), sizes=sizes or {}, jobs=jobs, now=NOW)


def names(laid: Laid) -> list[str]:
    """Rows as text: groups in brackets, jobs with a star, what stands under another row with a dash for each."""
    told = []
    for row in laid.rows:
        match row:
            case Folded():
                told.append(f"[{row.name} {row.size}]")
            case Runs():
                told.append(f"*{row.job.name}")
            case Under():
                told.append("-" * row.depth + row.session.id)
            case Session():
                told.append(row.id)
    return told


def shown(
    held: Sheet, *, folded: frozenset[str] = frozenset(), opened: frozenset[SessionKey] = frozenset()
) -> list[str]:
    return names(lay(held, folded=folded, opened=opened))


def test_orders_put_unknowns_last_and_ties_as_they_came() -> None:
    rows = (
        Session("1", "cli", title="beta", started_at=10.0, input_tokens=5, cost_usd=0.0, segments=("0", "1")),
        Session("2", "cli", started_at=None, input_tokens=0, output_tokens=0, segments=("2",)),
        Session("3", "cli", title="Alpha", started_at=20.0, output_tokens=9, cost_usd=1.5, segments=("3",)),
        Session("4", "cli", preview="gamma", started_at=20.0, segments=("4",)),
    )
    sizes = {(None, "0"): 3, (None, "1"): 3, (None, "4"): 4, (None, "2"): 0, ("other", "3"): 99}
    by = {
        order: [session.id for row in lay(sheet(*rows, view=View(order), sizes=sizes), folded=frozenset(),
                opened=frozenset()).rows if (session := session_of(row))]
        for order in ListOrder
    }  # fmt: skip
    assert by == {
        ListOrder.ACTIVITY: ["1", "2", "3", "4"],
        ListOrder.STARTED: ["3", "4", "1", "2"],
        ListOrder.LENGTH: ["1", "4", "2", "3"],
        ListOrder.TOKENS: ["3", "1", "2", "4"],
        ListOrder.COST: ["3", "1", "2", "4"],
        ListOrder.TITLE: ["3", "1", "4", "2"],
    }


@pytest.mark.parametrize(
    ("grouping", "groups"),
    [
        (Grouping.NONE, [("", ["a", "b", "c", "d"])]),
        (Grouping.SOURCE, [("cli", ["a", "c"]), ("Telegram", ["b"]), ("no source", ["d"])]),
        (Grouping.MODEL, [("large", ["b"]), ("small", ["a"]), ("no model", ["c", "d"])]),
        (Grouping.PROJECT, [("/srv/one", ["a", "b"]), ("/srv/two", ["c"]), ("no project", ["d"])]),
    ],
)
def test_groups_stand_by_their_names_and_what_has_none_last(
    grouping: Grouping, groups: list[tuple[str, list[str]]]
) -> None:
    rows = (
        Session("a", "cli", model="small", cwd="/srv/one/src", project="/srv/one"),
        Session("b", "Telegram", model="large", cwd="/srv/one"),
        Session("c", "cli", cwd="/srv/two"),
        Session("d", "", cwd=""),
    )
    held = sheet(*rows, view=View(grouping=grouping))
    found = [(group.name, [s.id for row in group.rows if (s := session_of(row))]) for group in held.groups]
    assert found == groups
    assert [group.size for group in held.groups] == [len(ids) for _, ids in groups]


def test_days_stand_newest_first_under_the_time_that_the_order_goes_by() -> None:
    rows = (
        Session("a", "cli", started_at=NOW - 9 * DAY, last_active_at=NOW),
        Session("b", "cli", started_at=NOW - 2 * DAY, last_active_at=NOW - DAY),
        Session("c", "cli", started_at=NOW - DAY, last_active_at=NOW - 8 * DAY),
        Session("d", "cli", started_at=1e300),
    )
    by_use = sheet(*rows, view=View(grouping=Grouping.DAY))
    assert [group.rows for group in by_use.groups] == [[rows[0]], [rows[1]], [rows[2]], [rows[3]]]
    assert [group.name.split(",")[0] for group in by_use.groups[:2]] == ["today", "yesterday"]
    assert by_use.groups[3].name == "no date"
    by_start = sheet(*rows, view=View(ListOrder.STARTED, Grouping.DAY))
    assert [group.rows for group in by_start.groups] == [[rows[2]], [rows[1]], [rows[0]], [rows[3]]]


def test_what_was_read_later_takes_the_place_of_what_it_is_about() -> None:
    def row(name: str, at: float | None, *before: str, profile: str | None = None) -> Session:
        return Session(name, "cli", last_active_at=at, segments=(*before, name), profile=profile)

    old = SessionList((row("a", 9.0), row("b", 8.0), row("b", 7.0, profile="work"), row("c", None)), {"cron": 3})
    page = SessionList((row("new", 12.0), row("b2", 11.0, "b"), row("a", 9.5)), {}, truncated=True)
    found = renewed(old, page)
    assert [(one.id, one.profile, one.last_active_at) for one in found.rows] == [
        ("new", None, 12.0), ("b2", None, 11.0), ("a", None, 9.5), ("b", "work", 7.0), ("c", None, None),
    ]  # fmt: skip
    assert (found.hidden, found.truncated, found.total) == ({"cron": 3}, False, 5)


def agent(name: str, parent: str, profile: str | None = None) -> Session:
    return Session(name, "cli", kind=SessionKind.DELEGATE, parent_id=parent, segments=(name,), profile=profile)


def test_sub_agents_stand_under_the_conversation_they_work_for() -> None:
    rows = (
        agent("kid", "middle"),
        Session("tip", "cli", segments=("root", "middle", "tip")),
        agent("grandkid", "kid"),
        agent("stray", "nobody"),
        agent("one", "other"), agent("other", "one"),
        agent("far", "tip", "work"),
    )  # fmt: skip
    held = sheet(*rows)
    assert shown(held) == ["tip", "stray", "one", "other", "far"]
    assert shown(held, opened=frozenset({(None, "tip")}))[:3] == ["tip", "-kid", "stray"]
    both = frozenset({(None, "tip"), (None, "kid")})
    assert shown(held, opened=both)[:3] == ["tip", "-kid", "--grandkid"]
    assert held.groups[0].size == len(rows)  # every conversation is counted, wherever it stands


def test_a_job_is_one_row_where_its_first_run_stands() -> None:
    runs = [Session(f"run{number}", "cron", segments=(f"run{number}",)) for number in range(3)]
    rows = (runs[2], Session("a", "cli"), runs[1], runs[0], agent("helper", "run1"))
    job = Job("nightly", "cron", ("run2", "run1", "run0"), (Status.ERROR, Status.COMPLETE, Status.COMPLETE))
    held = sheet(*rows, jobs=((None, job),))
    assert shown(held) == ["*nightly", "a"]
    [row] = [row for row in held.groups[0].rows if isinstance(row, Runs)]
    opened = frozenset({row.key, (None, "run1")})
    assert shown(held, opened=opened) == ["*nightly", "-run2", "-run1", "--helper", "-run0", "a"]
    assert held.groups[0].size == 5
    # Another store's job of the same name and ids is another one.
    twin = Session("run2", "cron", profile="work")
    two = sheet(*rows, twin, jobs=((None, job), ("work", Job("nightly", "cron", ("run2",), (Status.ERROR,)))))
    assert shown(two) == ["*nightly", "a", "run2"]  # which ran once, and is a row as any other


def test_a_folded_group_is_one_row_and_the_others_have_a_heading() -> None:
    rows = (Session("a", "cli"), Session("b", "cron"), Session("c", "cli"))
    laid = lay(sheet(*rows, view=View(grouping=Grouping.SOURCE)), folded=frozenset({"cli"}), opened=frozenset())
    assert names(laid) == ["[cli 2]", "b"]
    assert (list(laid.headed), list(laid.names)) == ([1], [("cron", 1)])
    assert list(laid.firsts(2)) == [0, 3]
    assert laid.total(2) == 5


def test_lines_of_a_hundred_thousand_rows_are_told_without_a_list_of_them() -> None:
    firsts = Firsts(100_000, 2, range(0, 100_000, 10))
    expected = [row * 2 + row // 10 + 1 for row in range(100_000)]
    assert [firsts[row] for row in (0, 9, 10, 55_555, 99_999)] == [expected[row] for row in (0, 9, 10, 55_555, 99_999)]
    assert firsts[-1] == expected[-1]
    assert firsts[3:5] == expected[3:5]
    with pytest.raises(IndexError):
        firsts[100_000]


def test_columns_that_would_be_blank_are_told() -> None:
    bare = sheet(Session("a", "cli"), Session("b", "cli"))
    absent = {Column.STORE, Column.MODEL, Column.PROJECT, Column.BRANCH, Column.TOKENS, Column.COST, Column.UNREAD}
    assert set(Column) - bare.present == absent
    full = sheet(
        Session("a", "cli", model="m", cwd="/x", branch="main", input_tokens=1, cost_usd=0.0, unread=True),
        Session("a", "cli", profile="work"),
    )
    assert full.present == frozenset(Column)
