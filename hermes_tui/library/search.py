"""Search as a use case: plan, run, fold copies, order, and say how far the answer reaches.

The store yields verified messages; here they become hits of conversations. Each event may change the answer, and the
caller is told at most every few hundredths of a second, so that hits stream without flooding a screen.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace

from hermes_tui.library.growing import RANKED, SORTS, Growing, Request, Sessions, Standing
from hermes_tui.model import PLAIN, Anchor, Answer, Capabilities, Mode, PlanStep, Session
from hermes_tui.query import Plan, Query, parse, plan
from hermes_tui.store.connection import Connection, Ticket
from hermes_tui.store.events import Coming, Damaged, Found, Progress, Slow, Spoilt
from hermes_tui.store.search import run
from hermes_tui.store.sieve import Sieve
from hermes_tui.store.survey import Survey

__all__ = ["SORTS", "Request", "answer", "explain", "with_profile"]

TELL_EVERY = 0.03  # seconds between two reports of a growing answer


def answer(
    request: Request,
    query: Query,
    connection: Connection,
    capabilities: Capabilities,
    *,
    sessions: Sessions,
    sieve: Sieve,
    standing: Standing,
    named: tuple[Session, ...] = (),
    goto: Anchor | None = None,
    survey: Survey | None = None,
    loosen: bool = True,
    on_progress: Callable[[Answer], None] | None = None,
    ticket: Ticket | None = None,
) -> Answer:
    """The whole answer to `request`, whose text was understood as `query` and whose filters let `sieve` through;
    `on_progress` sees it grow, in the calling thread.

    `survey` is kept from one search on `connection` to the next. `sessions` gives session objects for ids, `standing`
    is asked where a filter looks at states, `named` are the sessions whose title or id match, `goto` is the place the
    text names. With `loosen`, words that no message holds are looked for inside words. Raises StoreError and Cancelled.
    """
    growing = Growing(
        request,
        query,
        connection,
        sessions=sessions,
        named=named,
        goto=goto,
        standing=standing,
        ticket=ticket or Ticket(),
    )
    if query.empty or query.problem is not None:
        return growing.snapshot(complete=True)
    the_plan: Plan | None = plan(query, capabilities)
    while the_plan is not None:
        growing.begin(the_plan)
        if on_progress is not None and growing.fresh:
            on_progress(growing.snapshot(complete=False))
        capabilities = _collect(growing, connection, capabilities, the_plan, sieve, survey, on_progress)
        the_plan = growing.plan.fallback if loosen and not growing.found else None
    return growing.snapshot(complete=True)


def _collect(
    growing: Growing,
    connection: Connection,
    capabilities: Capabilities,
    the_plan: Plan,
    sieve: Sieve,
    survey: Survey | None,
    on_progress: Callable[[Answer], None] | None,
) -> Capabilities:
    request = growing.request
    # One more than asked, so that "there are more" is known and not guessed.
    wanted = max(request.limit, RANKED) if request.sort == "best" else request.limit + 1
    told, shown = time.monotonic(), False
    for event in run(
        connection,
        capabilities,
        the_plan,
        order=request.order,
        limit=wanted,
        rewound=growing.rewound,
        hidden=request.hidden,
        weigh=request.sort == "best",
        sieve=sieve,
        survey=survey,
        ticket=growing.ticket,
    ):
        match event:
            case Coming():
                growing.expect(event.sessions)
            case Found():
                growing.add(event)
            case Progress():
                growing.advance(event)
            case Damaged():
                capabilities = event.capabilities
                growing.begin(event.plan)
            case Spoilt():
                growing.spoilt = event.count
            case Slow():
                growing.slow = event
        first = growing.found and not shown
        if on_progress is not None and (first or time.monotonic() - told >= TELL_EVERY):
            shown = growing.found
            on_progress(growing.snapshot(complete=False))
            told = time.monotonic()
    return capabilities


def explain(text: str, capabilities: Capabilities, *, mode: Mode = PLAIN) -> tuple[PlanStep, ...]:
    """The steps a search for `text` would take, the ones it falls back to included."""
    the_plan: Plan | None = plan(parse(text, mode=mode), capabilities)
    steps: list[PlanStep] = []
    while the_plan is not None:
        steps += [PlanStep(step.route, step.match, step.reason) for step in the_plan.steps]
        the_plan = the_plan.fallback
    return tuple(steps)


def with_profile(found: Answer, profile: str | None) -> Answer:
    """`found` with every session named after its profile."""
    if profile is None:
        return found
    return replace(
        found,
        hits=tuple(replace(hit, session=hit.session._replace(profile=profile)) for hit in found.hits),
        sessions=tuple(session._replace(profile=profile) for session in found.sessions),
    )
