"""What model calls cost: tokens and money, on the session and per model."""

from __future__ import annotations

from dataclasses import dataclass

from hermes_tui.recorder.rows import Rows

_COUNTERS = (
    "input_tokens",
    "output_tokens",
    "cache_read_tokens",
    "cache_write_tokens",
    "reasoning_tokens",
    "api_call_count",
)


@dataclass(frozen=True, slots=True)
class Usage:
    """What one or more calls of a model used. Money is in US dollars.

    `task` names side work such as "title_generation"; it is kept apart from the session's own sums.
    """

    model: str
    input_tokens: int = 0
    output_tokens: int = 0
    cache_read_tokens: int = 0
    cache_write_tokens: int = 0
    reasoning_tokens: int = 0
    api_call_count: int = 1
    estimated_cost_usd: float | None = None
    actual_cost_usd: float | None = None
    billing_provider: str = ""
    billing_base_url: str = ""
    billing_mode: str = ""
    task: str = ""


def add_usage(rows: Rows, session_id: str, usage: Usage) -> None:
    """Add a usage to the session (unless it is side work) and to its account of the model."""
    session = rows.session(session_id)
    if not usage.task:
        sums = {name: (session[name] or 0) + getattr(usage, name) for name in _COUNTERS}
        costs = {
            name: (session[name] or 0.0) + amount
            for name in ("estimated_cost_usd", "actual_cost_usd")
            if (amount := getattr(usage, name)) is not None
        }
        first_use = {
            name: getattr(usage, name)
            for name in ("model", "billing_provider", "billing_base_url", "billing_mode")
            if session[name] is None and getattr(usage, name)
        }
        rows.set_session(session_id, {**sums, **costs, **first_use})
    if "session_model_usage" in rows.columns.tables:
        _add_to_account(rows, session_id, usage)


def _add_to_account(rows: Rows, session_id: str, usage: Usage) -> None:
    route = ("model", "billing_provider", "billing_base_url", "billing_mode", "task")
    amounts = (*_COUNTERS, "estimated_cost_usd", "actual_cost_usd")
    names = ", ".join((*route, *amounts))
    added = ", ".join(f"{name} = {name} + excluded.{name}" for name in amounts)
    rows.connection.execute(
        f"INSERT INTO session_model_usage (session_id, {names}, first_seen, last_seen)"
        f" VALUES ({', '.join('?' * (len(route) + len(amounts) + 3))})"
        f" ON CONFLICT(session_id, {', '.join(route)}) DO UPDATE SET {added}, last_seen = excluded.last_seen",
        (
            session_id,
            *(getattr(usage, name) for name in route),
            *(getattr(usage, name) or 0 for name in amounts),
            rows.now,
            rows.now,
        ),
    )
