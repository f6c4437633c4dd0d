"""Reading the SQL that a file keeps of its own indexes, views and triggers. Pure: text in, facts out."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import field

from hermes_tui.model.record import dataclass

EVENTS = frozenset({"insert", "update", "delete"})
AUTOMATION = ("cron", "subagent")  # sources that the newest layout leaves out of its trigram index

_NOISE = re.compile(r"""'(?:[^']|'')*'|"(?:[^"]|"")*"|(--[^\n]*|/\*.*?\*/)""", re.DOTALL)
_VIRTUAL = re.compile(r"\bvirtual\s+table\b.*?\busing\s+(\w+)\s*\((.*)\)", re.DOTALL | re.IGNORECASE)
_NAME = r"""(?:"(?:[^"]|"")*"|\[[^\]]*\]|`[^`]*`|'[^']*'|[\w$]+)"""
_TRIGGER = re.compile(
    rf"\btrigger\s+(?:if\s+not\s+exists\s+)?(?:{_NAME}\s*\.\s*)?{_NAME}\s+(?:before\s+|after\s+)?"
    rf"(insert|update|delete)\b(?:\s+of\s+(.*?))?\s+on\s+{_NAME}(.*?)\bbegin\b(.*)",
    re.DOTALL | re.IGNORECASE,
)
_WRITE = r"""\b(?:into|from|update)\s+(?:\w+\s*\.\s*)?["'\[`]?{table}["'\]`]?(?!\w)"""
_NO_TOOL_ROWS = re.compile(r"\brole\s*(?:<>|!=|\bis\s+not\b|\bnot\s+in\b\s*\([^)]*)\s*'tool'", re.IGNORECASE)
_CUT = re.compile(r"\bsubstr(?:ing)?\s*\(.*?,\s*1\s*,\s*(\d+)\s*\)", re.DOTALL | re.IGNORECASE)
_AUTOMATION = re.compile(r"_delegate_from|'(?:" + "|".join(AUTOMATION) + r")'", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Object:
    """A row of `sqlite_master`. `sql` is without comments."""

    type: str
    name: str
    table: str
    sql: str


@dataclass(frozen=True, slots=True)
class Declared:
    """What the SQL says of one full-text table: its columns, its options, and which rows and texts reach it.

    `events` are the changes of `messages` that triggers pass on to it. `tool_chars` and `automation` as in `Index`.
    """

    table: str
    module: str
    columns: tuple[str, ...] = ()
    options: dict[str, str] = field(default_factory=dict)
    over_view: bool = False
    events: frozenset[str] = frozenset()
    tool_chars: int | None = None
    calls: bool = True
    automation: bool = True


def objects(rows: Iterable[Sequence[str | None]]) -> dict[str, Object]:
    """The tables, views and triggers of a file by lower-case name, from (type, name, tbl_name, sql) rows."""
    found = (Object(type_ or "", name or "", table or "", plain(sql or "")) for type_, name, table, sql in rows)
    return {thing.name.lower(): thing for thing in found}


def plain(sql: str) -> str:
    """SQL without its comments; what stands in quotes stays."""
    return _NOISE.sub(lambda noise: " " if noise[1] else noise[0], sql)


def declared(schema: dict[str, Object], table: str) -> Declared | None:
    """What the file's SQL says of this full-text table, None when there is no such virtual table."""
    thing = schema.get(table)
    virtual = _VIRTUAL.search(thing.sql) if thing is not None and thing.type == "table" else None
    if virtual is None:
        return None
    columns, options = _arguments(virtual[2])
    source = schema.get(options.get("content", "").lower())
    view = source.sql if source is not None and source.type == "view" else ""
    writes = [found for other in schema.values() if (found := _write(other, table)) is not None]
    filling = " ".join([view, *(sql for event, sql in writes if event == "insert")])
    return Declared(
        table=table,
        module=virtual[1].lower(),
        columns=columns,
        options=options,
        over_view=bool(view),
        events=frozenset(event for event, _ in writes),
        tool_chars=_tool_chars(filling),
        calls="tool_calls" in columns if len(columns) > 1 else "tool_calls" in filling.lower(),
        automation=_AUTOMATION.search(filling) is None,
    )


def _arguments(inside: str) -> tuple[tuple[str, ...], dict[str, str]]:
    """The columns that are indexed, and the options, of a `USING fts5(...)`."""
    columns: list[str] = []
    options: dict[str, str] = {}
    for part in re.findall(r"(?:'(?:[^']|'')*'|\"[^\"]*\"|[^,'\"])+", inside):
        name, equals, value = part.partition("=")
        words = name.replace('"', "").split()
        if equals:
            options[name.strip().lower()] = _unquoted(value.strip())
        elif words and "unindexed" not in part.lower().split()[1:]:
            columns.append(words[0].lower())
    return tuple(columns), options


def _unquoted(value: str) -> str:
    quote = value[:1]
    return value[1:-1].replace(quote * 2, quote) if quote in ("'", '"') else value


def _write(trigger: Object, table: str) -> tuple[str, str] | None:
    """The event on which a trigger of `messages` writes to `table`, and the SQL that does and limits it."""
    if trigger.type != "trigger" or trigger.table.lower() != "messages":
        return None
    parts = _TRIGGER.search(trigger.sql)
    if parts is None:
        return None
    event, of, when, body = parts.groups()
    if of is not None and "content" not in re.findall(r"\w+", of.lower()):
        return None
    wanted = re.compile(_WRITE.format(table=re.escape(table)), re.IGNORECASE)
    writes = [statement for statement in body.split(";") if wanted.search(statement)]
    return (event.lower(), " ".join([when, *writes])) if writes else None


def _tool_chars(filling: str) -> int | None:
    if _NO_TOOL_ROWS.search(filling):
        return 0
    cuts = [int(cut) for cut in _CUT.findall(filling)]
    return min(cuts) if cuts else None
