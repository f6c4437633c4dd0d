"""Conditions of a Step as SQL: which rows a scan walks, and which raw texts are worth decoding."""

from __future__ import annotations

import re
from collections.abc import Container, Sequence

from hermes_tui.model import Capabilities
from hermes_tui.model.record import dataclass
from hermes_tui.query import Scope
from hermes_tui.query.literals import LIKE_ESCAPE, Pattern
from hermes_tui.query.plan import REASONING_COLUMNS


@dataclass(frozen=True, slots=True)
class Condition:
    """A boolean SQL expression over `messages m`, and its parameters in order."""

    sql: str
    params: tuple[object, ...] = ()

    def and_(self, other: Condition) -> Condition:
        """Both."""
        return Condition(f"({self.sql}) AND ({other.sql})", (*self.params, *other.params))

    def or_(self, other: Condition) -> Condition:
        """Either."""
        return Condition(f"({self.sql}) OR ({other.sql})", (*self.params, *other.params))


def scope_condition(scope: Sequence[Scope], capabilities: Capabilities) -> Condition:
    """Rows of any member of `scope`."""
    parts = [_member(member, capabilities) for member in scope]
    return Condition(
        " OR ".join(part.sql for part in parts) or "0", tuple(value for part in parts for value in part.params)
    )


READ = ("content", "tool_calls", "tool_name")
THOUGHT = tuple(sorted(REASONING_COLUMNS))


def thin_condition(
    groups: Sequence[Sequence[Pattern]],
    capabilities: Capabilities,
    *,
    reasoning: bool = False,
    without: Container[str] = (),
) -> Condition:
    """Rows that meet one pattern of every group, in the columns a query is verified against.

    Rows that only a pattern with an operator in `without` would let through are somebody else's to look at.
    """
    sql: list[str] = []
    params: list[object] = []
    for group in groups:
        alternatives = []
        for column in (*READ, *THOUGHT) if reasoning else READ:
            if column not in capabilities.message_columns:
                continue
            for pattern in group:
                if pattern.operator in without:
                    continue
                if column != "tool_name" or pattern.operator == "like":
                    condition = _pattern(pattern, f"m.{column}")
                    alternatives.append(condition.sql)
                    params += condition.params
        sql.append(f"({' OR '.join(alternatives)})")
    return Condition(" AND ".join(sql) or "1", tuple(params))


def _member(member: Scope, capabilities: Capabilities) -> Condition:
    match member:
        case Scope.ALL:
            return Condition("1")
        case Scope.TOOLS:
            return Condition("m.role = 'tool'")
        case Scope.CALLS:
            return Condition("m.tool_calls IS NOT NULL" if "tool_calls" in capabilities.message_columns else "0")
        case Scope.AUTOMATION:
            return _automation(capabilities)
        case Scope.UNINDEXED:
            return _unindexed(capabilities)
        case Scope.REASONING:
            held = [f"m.{name} <> ''" for name in THOUGHT if name in capabilities.message_columns]
            return Condition(" OR ".join(held) or "0")
        case Scope.ELSEWHERE:
            return Condition("m.codex_message_items IS NOT NULL AND coalesce(m.content, '') = ''")
        case Scope.NULS | Scope.LONG | Scope.ESCAPED | Scope.STUCK | Scope.FOREIGN | Scope.ACCENTED:
            raise ValueError(f"a survey knows the rows of {member.value}")


def _automation(capabilities: Capabilities) -> Condition:
    marked = "0"
    if "model_config" in capabilities.session_columns:
        marked = "instr(model_config, '_delegate_from') > 0"
    return Condition(
        f"m.session_id IN (SELECT id FROM sessions WHERE source IN ('cron', 'subagent') OR {marked})"
        " OR NOT EXISTS (SELECT 1 FROM sessions s WHERE s.id = m.session_id)"
    )


def _unindexed(capabilities: Capabilities) -> Condition:
    sql: list[str] = []
    params: list[object] = []
    if capabilities.gap is not None:
        sql.append("(m.id > ? AND m.id <= ?)")
        params += capabilities.gap
    for index in (capabilities.word, capabilities.trigram):
        if index is not None and index.usable and not index.complete:
            sql.append(f"NOT EXISTS (SELECT 1 FROM {index.table}_docsize d WHERE d.id = m.id)")
    return Condition(" OR ".join(sql) or "0", tuple(params))


def _pattern(pattern: Pattern, column: str) -> Condition:
    octets = f"length(CAST({column} AS BLOB))"
    odd = f"length({column}) <> {octets}"
    match pattern.operator:
        case "like":
            return _like(column, pattern.text)
        case "json":
            return _like(column, pattern.text).and_(Condition(f"instr({column}, '{{') > 0 OR instr({column}, '[') > 0"))
        case "glob":
            return Condition(f"{column} GLOB ?", (pattern.text,))
        case "has":  # half the time of instr(); behind a NUL it is blind, and there `nul` is met
            return Condition(f"{column} GLOB ?", ("*" + _WILD.sub(r"[\g<0>]", pattern.text) + "*",))
        case "odd" | "accent":
            return Condition(f"({octets} > ? AND {odd})", (int(pattern.text),))
        case "nul":
            # length() stops at a NUL and lower() does not; a BLOB is compared by bytes, so it is always decoded.
            found = f"instr(lower({column}), ?) > 0 OR instr({column}, '\\u') > 0"
            sql = f"(instr({column}, char(0)) > 0 AND ({found}) OR typeof({column}) = 'blob')"
            return Condition(sql, (pattern.text,))
        case other:
            raise ValueError(f"no such pattern: {other}")


def _like(column: str, pattern: str) -> Condition:
    """LIKE, behind one that begins with a letter that few texts are full of: SQLite skips to the first letter of a
    pattern at memory speed, and tries the rest wherever that letter stands."""
    sql = f"{column} LIKE ? ESCAPE '{LIKE_ESCAPE}'"
    rare = rare_end(pattern)
    return Condition(sql, (pattern,)) if rare is None else Condition(f"({sql} AND {sql})", (rare, pattern))


_RAREST_FIRST = "zqxjkvbpgwy"
_TELLING = 3  # letters and signs that the end of a pattern must have, to say anything


def rare_end(pattern: str) -> str | None:
    """The end of a LIKE pattern (`%...%`, `!` escapes) from a letter on that is rarer than the first; None without one.

    Whatever the pattern matches, its end matches too.
    """
    signs = re.findall(f"{LIKE_ESCAPE}.|.", pattern, re.DOTALL)
    plain = [place for place, sign in enumerate(signs) if sign not in ("%", "_")]
    ranks = {place: _RAREST_FIRST.find(signs[place].lower()) % 100 for place in plain[: 1 - _TELLING]}
    if not ranks or not pattern.startswith("%"):
        return None
    best = min(ranks, key=lambda place: ranks[place])
    return None if ranks[best] >= ranks[plain[0]] else "%" + "".join(signs[best:])


_WILD = re.compile(r"[*?\[]")  # what GLOB does not take for itself
