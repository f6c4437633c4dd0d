"""A tool call as what a person types to do the same: a shell command where there is one, else the call as JSON.

The arguments come from the stored row, not from what is shown of it: every character counts.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable, Mapping
from typing import Any

from hermes_tui.model.record import dataclass

Arguments = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class RawCall:
    """A call as it is stored. `arguments` is a mapping, or the text that holds none."""

    name: str
    arguments: Arguments | str


def calls_of(row: Mapping[str, object]) -> tuple[RawCall, ...]:
    """The calls of a row as `Library.row` gives it, in their order; none where it holds no list of calls."""
    value = _parsed(row.get("tool_calls"))
    value = _parsed(value) if isinstance(value, str) else value
    items = value if isinstance(value, list) else [value]
    return tuple(call for item in items if isinstance(item, dict) and (call := _call(item)) is not None)


def command(call: RawCall) -> str:
    """The call as a command for a POSIX shell, or as JSON where no command does the same."""
    arguments = call.arguments
    if isinstance(arguments, Mapping):
        made = _MAKERS.get(call.name, _command)(arguments)
        if made is not None:
            return made
    return json.dumps({"name": call.name, "arguments": arguments}, ensure_ascii=False, indent=2)


def _call(item: Mapping[str, Any]) -> RawCall | None:
    inner = item.get("function")
    fields = inner if isinstance(inner, dict) else item
    name = inner if isinstance(inner, str) else fields.get("name")
    given: Any = next((fields[key] for key in ("arguments", "args", "input") if fields.get(key) is not None), {})
    parsed = _parsed(given) if isinstance(given, str) else given
    if not isinstance(name, str):
        return None
    return RawCall(name, parsed if isinstance(parsed, dict) else str(given))


def _parsed(text: object) -> Any:
    if isinstance(text, bytes):
        text = text.decode("utf-8", "replace")
    try:
        return json.loads(text, strict=False) if isinstance(text, str) else text
    except (ValueError, RecursionError):
        return None


def _text(arguments: Arguments, *names: str) -> str | None:
    return next((arguments[name] for name in names if isinstance(arguments.get(name), str)), None)


def _number(arguments: Arguments, name: str) -> int | None:
    value = arguments.get(name)
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else None


def _command(arguments: Arguments) -> str | None:
    """What a shell was given, in the folder it was given for."""
    given = arguments.get("command", arguments.get("cmd"))
    if isinstance(given, list) and given and all(isinstance(word, str) for word in given):
        given = shlex.join(given)
    if not isinstance(given, str) or not given.strip():
        return None
    folder = _text(arguments, "workdir", "cwd")
    if not folder:
        return given
    return f"cd {_path(folder)}\n{given}" if "\n" in given else f"cd {_path(folder)} && {given}"


def _read(arguments: Arguments) -> str | None:
    path = _text(arguments, "path", "file_path")
    if path is None:
        return None
    first, many = _number(arguments, "offset"), _number(arguments, "limit")
    if first is None and many is None:
        return f"cat {_path(path)}"
    first = first or 1
    return f"sed -n '{first},{first + many - 1 if many else '$'}p' {_path(path)}"


def _write(arguments: Arguments) -> str | None:
    path, content = _text(arguments, "path", "file_path"), _text(arguments, "content")
    if path is None or content is None:
        return None
    folder = path.rpartition("/")[0]
    lead = f"mkdir -p {_path(folder)} && " if folder and folder != "~" else ""
    if content.endswith("\n"):
        return f"{lead}cat > {_path(path)} {_document(content)}"
    return f"{lead}printf %s {shlex.quote(content)} > {_path(path)}"


def _patch(arguments: Arguments) -> str | None:
    """A replacement, refused like the tool's own where the text is not there once."""
    path, old, new = (_text(arguments, name) for name in ("path", "old_string", "new_string"))
    if path is None or old is None or new is None:
        return None
    every = arguments.get("replace_all") is True
    code = (
        "from pathlib import Path\n\n"
        f"path = Path({path!r}).expanduser()\n"
        f"old = {old!r}\nnew = {new!r}\n"
        "text = path.read_bytes().decode()\n"
        f"assert text.count(old) {'>= 1' if every else '== 1'}, text.count(old)\n"
        "path.write_bytes(text.replace(old, new).encode())\n"
    )
    return f"python3 - {_document(code)}"


def _search(arguments: Arguments) -> str | None:
    pattern = _text(arguments, "pattern")
    if pattern is None:
        return None
    where = _path(_text(arguments, "path") or ".")
    if arguments.get("target") == "files":
        return f"rg --files -g {shlex.quote(pattern)} -- {where}"
    options = ["-n"]
    if glob := _text(arguments, "file_glob"):
        options += ["-g", shlex.quote(glob)]
    if around := _number(arguments, "context"):
        options += ["-C", str(around)]
    return f"rg {' '.join(options)} -e {shlex.quote(pattern)} -- {where}"


def _code(arguments: Arguments) -> str | None:
    code = _text(arguments, "code")
    return None if code is None else f"python3 - {_document(code)}"


_MAKERS: dict[str, Callable[[Arguments], str | None]] = {
    "terminal": _command,
    "read_file": _read,
    "write_file": _write,
    "patch": _patch,
    "search_files": _search,
    "execute_code": _code,
}


def _path(path: str) -> str:
    """A path as one word; a `~` in front stays what it is to a shell."""
    head, slash, rest = path.partition("/")
    if head.startswith("~") and (head == "~" or head[1:].replace("-", "").replace("_", "").isalnum()):
        return head + slash + (shlex.quote(rest) if rest else "")
    return shlex.quote(f"./{path}" if path.startswith("-") else path)


def _document(text: str) -> str:
    """`text` as what a command reads, under a word that stands on none of its lines."""
    word = "EOF"
    lines = set(text.split("\n"))
    while word in lines:
        word += "_"
    return f"<<'{word}'\n{text}{'' if text.endswith(chr(10)) else chr(10)}{word}"
