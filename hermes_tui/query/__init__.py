"""What was typed -> Query -> Plan, and the one engine that verifies and marks. Pure: no SQL, no screen."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hermes_tui.model.later import later
from hermes_tui.query.filters import Field, Filter
from hermes_tui.query.parse import parse
from hermes_tui.query.plan import LOOKED_INSIDE, Plan, Scope, Step, plan
from hermes_tui.query.terms import Clause, Query, Term, TermKind

if TYPE_CHECKING:
    from hermes_tui.query.match import MARKING, Excerpt, Matcher, matcher, merge
    from hermes_tui.query.regexp import TooSlow

__all__ = [
    "LOOKED_INSIDE",
    "MARKING",
    "Clause",
    "Excerpt",
    "Field",
    "Filter",
    "Matcher",
    "Plan",
    "Query",
    "Scope",
    "Step",
    "Term",
    "TermKind",
    "TooSlow",
    "matcher",
    "merge",
    "parse",
    "plan",
]

__getattr__ = later(__name__, {"match": ("MARKING", "Excerpt", "Matcher", "matcher", "merge"), "regexp": ("TooSlow",)})
