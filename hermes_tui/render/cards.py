"""What a tool call is about, in one line."""

from __future__ import annotations

import re

from hermes_tui.model import ToolCall
from hermes_tui.render.cells import fit
from hermes_tui.render.words import one_line

# The argument that says most, for tools of any maker; the first one there leads the line.
_LEADING = (
    "command", "cmd", "code", "query", "pattern", "file_path", "path", "url", "goal", "prompt", "task", "name",
    "action", "text", "message", "content",
)  # fmt: skip
_FIELD = re.compile(r"([\w.-]+):(?: (.*))?")  # one argument in readable text; a value of several lines stands below it
_MOST = 12  # lines looked at: what comes later is a value of many lines, or not worth a place in one


def gist(call: ToolCall, width: int) -> str:
    """`ls -la src/` for a call of a shell, `src/app.py  limit=20` for one that reads; at most `width` cells."""
    lines = call.arguments[: width * 8 + 4096].lstrip().split("\n", _MOST)[:_MOST]
    fields: dict[str, str] = {}
    for number, line in enumerate(lines):
        found = _FIELD.fullmatch(line)
        if found is None:
            if number == 0:
                return one_line(call.arguments, width)
            break
        value = found[2]
        if value is None:  # the value stands on the lines below, and what follows may be part of it
            fields[found[1]] = next((below for below in lines[number + 1 :] if below.strip()), "")
            break
        fields[found[1]] = value
    leading = next((key for key in _LEADING if fields.get(key, "").strip()), None)
    parts = [one_line(fields.pop(leading), width)] if leading else []
    parts += (one_line(f"{key}={value}", width) for key, value in fields.items() if value.strip())
    return fit("  ".join(parts), width)
