"""What a tool call is about, in one line."""

from __future__ import annotations

import json

from hermes_tui.model import ToolCall
from hermes_tui.render.cells import fit
from hermes_tui.render.words import one_line

# The argument that says most, for tools of any maker; the first one there leads the line.
_LEADING = (
    "command", "cmd", "code", "query", "pattern", "file_path", "path", "url", "goal", "prompt", "task", "name",
    "action", "text", "message", "content",
)  # fmt: skip
_LONGEST = 20_000  # arguments longer than this are shown as they stand


def gist(call: ToolCall, width: int) -> str:
    """`ls -la src/` for a call of a shell, `src/app.py  limit=20` for one that reads; at most `width` cells."""
    arguments = _arguments(call.arguments)
    if arguments is None:
        return one_line(call.arguments, width)
    leading = next((key for key in _LEADING if isinstance(arguments.get(key), str) and arguments[key]), None)
    parts = [one_line(str(arguments[leading]), width)] if leading else []
    for key, value in arguments.items():
        if key != leading and value not in (None, "", [], {}):
            shown = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
            parts.append(one_line(f"{key}={shown}", width))
    return fit("  ".join(parts), width)


def _arguments(text: str) -> dict[str, object] | None:
    if len(text) > _LONGEST or not text.lstrip().startswith("{"):
        return None
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None
