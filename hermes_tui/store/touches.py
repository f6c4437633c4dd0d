"""What a tool call does to which path, told from its name and its arguments. Pure: no SQL.

Agents name their tools and arguments as they like; known are those of Hermes, of other coding agents and of the usual
file servers. In the command line of a shell every word that looks like a path counts as one: the body of a here
document, options, addresses and sed expressions do not. Of a program its strings count that lead through a folder.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final, NamedTuple

from hermes_tui.model import Deed
from hermes_tui.store.readable import NotJsonError, Object, parse


class Named(NamedTuple):
    """A path as a call names it. `within` is the folder that the call says it works in, None where it says nothing."""

    path: str
    deed: Deed
    within: str | None = None


LONGEST: Final = 1024  # characters of a path
DEEPEST: Final = 4  # levels of lists and objects in the arguments
_FOLDERS: Final = frozenset({"workdir", "cwd", "working_directory", "work_dir", "working_dir"})
_COMMANDS: Final = frozenset({"command", "cmd", "commands", "shell_command"})
_CODE: Final = frozenset({"code", "python_code"})
_PATCHES: Final = frozenset({"patch", "diff", "input"})
_WRITTEN: Final = frozenset(
    {"output_path", "save_path", "output_file", "destination", "destination_path", "dest", "dest_path", "new_path"}
)
_PATHS: Final = _WRITTEN | {
    "absolute_path", "audio_path", "dir", "directory", "file", "file_path", "file_paths", "filename", "filenames",
    "filepath", "files", "folder", "image_path", "local_path", "notebook_path", "old_path", "path", "paths",
    "relative_path", "relative_workspace_path", "source_path", "target_file", "video_path",
}  # fmt: skip
_MAYBE: Final = frozenset({"image_url", "media", "script", "source"})  # of which some hold something else
# By words of the tool's name; the first set that holds one decides.
_DEEDS: Final = (
    (Deed.WROTE, frozenset({
        "write", "edit", "multiedit", "patch", "create", "save", "delete", "remove", "move", "rename", "copy", "append",
        "replace", "insert", "mkdir", "manage",
    })),
    (Deed.SEARCHED, frozenset({"search", "grep", "glob", "find", "list", "ls", "tree", "rg"})),
    (Deed.READ, frozenset({"read", "view", "open", "cat", "show", "load", "get", "vision", "analyze", "transcribe"})),
    (Deed.RAN, frozenset({
        "terminal", "bash", "shell", "sh", "exec", "execute", "run", "command", "process", "powershell", "python",
        "ssh",
    })),
)  # fmt: skip
_WORDS: Final = re.compile("[A-Z]+(?![a-z])|[A-Z]?[a-z]+")

_FILE: Final = re.compile(
    r"^\*\*\* (?:Update|Add|Delete) File: (?P<one>.+?)[ \t]*$"
    r"|^\*\*\* Move to: (?P<to>.+?)[ \t]*$"
    r"|^\*\*\* Move File: (?P<old>.+?) -> (?P<new>.+?)[ \t]*$"
    r"|^diff --git a/(?P<a>.+?) b/(?P<b>.+?)[ \t]*$"
    r"|^(?:--- a/|\+\+\+ b/)(?P<side>[^\t\n]+?)(?:\t.*)?[ \t]*$",
    re.MULTILINE,
)
_HERE: Final = re.compile(
    r"<<-?[ \t]*(['\"]?)(\w+)\1(?P<rest>[^\n]*)\n.*?(?:^[ \t]*\2[ \t]*$|\Z)", re.DOTALL | re.MULTILINE
)
_WORD: Final = re.compile(
    r"""'(?P<single>[^'\n]*)'|"(?P<double>(?:[^"\\\n]|\\.)*)"|(?P<bare>(?:\\[ ]|[^\s"'`;|&()<>])+)"""
)
_LITERAL: Final = re.compile(r"""'(?P<single>[^'\n]{2,1024})'|"(?P<double>[^"\n]{2,1024})\"""")
_ROOTED: Final = re.compile(r"[~/]|\.{1,2}[/\\]|[A-Za-z]:[\\/]|\\\\")
_SUFFIXED: Final = re.compile(r"[\w@+.-]*[^\W_]\.[A-Za-z][A-Za-z0-9_]{0,9}")
_SED: Final = re.compile(r"(?:s|y|tr)([/|#,@!]).*\1.*\1[a-zA-Z0-9]*")
_NO_FILES: Final = frozenset({"/dev/null", "/dev/stdin", "/dev/stdout", "/dev/stderr", "/dev/tty", "/", ".", ".."})


def touches(name: str, arguments: Any) -> tuple[Named, ...]:
    """The paths that the call of a tool names, each with its deed once, in their order.

    `arguments` are as `decode.named_arguments` gives them: JSON text, or what it holds.
    """
    value = arguments
    if isinstance(value, str):
        try:
            value = parse(value)
        except NotJsonError:
            value = arguments
    deed = deed_of(name)
    if isinstance(value, Object) and value.get("command") == "view":
        deed = Deed.READ  # of an editor with commands
    if isinstance(value, str):
        found = list(_patched(value))
        found += [Named(word, deed) for word in _spoken(value)] if deed is Deed.RAN else []
    else:
        found = list(_walk(value, deed, depth=0))
    return tuple(dict.fromkeys(one for one in found if one.path not in _NO_FILES))


def deed_of(name: str) -> Deed:
    """What a tool of this name does to the paths it is given."""
    words = {word.lower() for word in _WORDS.findall(name)}
    return next((deed for deed, known in _DEEDS if words & known), Deed.OTHER)


def _walk(value: Any, deed: Deed, *, depth: int) -> Iterator[Named]:
    if depth > DEEPEST:
        return
    if not isinstance(value, Object):
        for item in value if isinstance(value, list) else ():
            yield from _walk(item, deed, depth=depth + 1)
        return
    within = next((text for key, text in value if key in _FOLDERS and _is_path(text)), None)
    for key, item in value:
        if key in _FOLDERS and _is_path(item):
            yield Named(item, Deed.RAN if deed is Deed.OTHER else deed)
        elif key in _PATHS:
            for path in _listed(item):
                yield Named(path, Deed.WROTE if key in _WRITTEN else deed, within)
        elif key in _MAYBE and isinstance(item, str) and _looks_like_path(item, blanks=False):
            yield Named(item, deed, within)
        elif key in _COMMANDS and deed in (Deed.RAN, Deed.OTHER):
            for line in item if isinstance(item, list) else [item]:
                if isinstance(line, str):
                    yield from (one._replace(within=within) for one in _patched(line))
                    yield from (Named(word, Deed.RAN, within) for word in _spoken(line))
        elif key in _CODE and isinstance(item, str) and deed in (Deed.RAN, Deed.OTHER):
            yield from (Named(word, Deed.RAN, within) for word in _quoted(item))
        if key in _PATCHES and isinstance(item, str):
            yield from (one._replace(within=within) for one in _patched(item))
        elif isinstance(item, list):
            yield from _walk(item, deed, depth=depth + 1)


def _listed(value: Any) -> Iterator[str]:
    for item in value if isinstance(value, list) and not isinstance(value, Object) else [value]:
        if _is_path(item):
            yield item


def _is_path(value: Any) -> bool:
    """Whether an argument that is meant for paths holds one: an address or a text of several lines is none."""
    if not isinstance(value, str) or not 0 < len(value.strip()) <= LONGEST or "\n" in value or "\0" in value:
        return False
    return "://" not in value and not value.startswith(("data:", "{", "["))


def _patched(text: str) -> Iterator[Named]:
    """The files that a patch changes."""
    if "*** " not in text and "--- a/" not in text and "diff --git " not in text and "+++ b/" not in text:
        return
    for found in _FILE.finditer(text):
        for path in found.groupdict().values():
            if path is not None and len(path) <= LONGEST:
                yield Named(path.strip(), Deed.WROTE)


def _spoken(command: str) -> Iterator[str]:
    """The words of a command line that look like paths. Behind -m stands a module, a message or a mode."""
    before = ""
    for found in _WORD.finditer(_HERE.sub(lambda here: " " + here["rest"] + "\n", command)):
        if before == "-m":
            before = ""
            continue
        before = found["bare"] or ""
        quoted = found["single"] if found["single"] is not None else found["double"]
        word = found["bare"].replace("\\ ", " ") if quoted is None else quoted
        if quoted is None and not _ROOTED.match(word) and "=" in word:
            word = word.partition("=")[2]  # --file=PATH, NAME=PATH
        word = word.removeprefix("@").rstrip(",")
        if _looks_like_path(word, blanks=quoted is None):
            yield word


def _quoted(code: str) -> Iterator[str]:
    """The strings of a program that look like paths. A bare name may be anything there."""
    for found in _LITERAL.finditer(code):
        word = found["single"] if found["single"] is not None else found["double"]
        named = _SUFFIXED.fullmatch(re.split(r"[/\\]", word)[-1]) is not None
        if ("/" in word or "\\" in word) and (named or _ROOTED.match(word)) and _looks_like_path(word, blanks=False):
            yield word


def _looks_like_path(word: str, *, blanks: bool) -> bool:
    if not 1 < len(word) <= LONGEST or word.startswith("-") or "://" in word or _SED.fullmatch(word):
        return False
    rooted = _ROOTED.match(word) is not None
    if any(char.isspace() for char in word) and not blanks and not (rooted and not set(word) & set(";(){}|<>\"'=")):
        return False
    if rooted or ("/" in word and not set(word) & set("(){}|;\"'=^")):
        return any(char.isalnum() for char in word)
    return _SUFFIXED.fullmatch("".join(word.split())) is not None


# -- where a path is --------------------------------------------------------------------------------------------------


def resolved(path: str, *folders: str | None) -> str:
    """The whole path, as far as `folders` (the nearest first) tell it; steps up and dots are walked."""
    parts = [path]
    for folder in folders:
        if rooted(parts[0]):
            break
        if folder:
            parts.insert(0, folder)
    whole = parts[0]
    for part in parts[1:]:
        whole = whole.rstrip("/\\") + ("\\" if "\\" in whole and "/" not in whole else "/") + part
    return _walked(whole)


def rooted(path: str) -> bool:
    """Whether a path says by itself where it begins."""
    return path.startswith(("/", "\\", "~")) or re.match("[A-Za-z]:", path) is not None


def steps(path: str) -> tuple[str, ...]:
    """The names a path leads through, "" first where it begins at the root of a file system."""
    names: list[str] = []
    plain = path.strip().removeprefix("file://").replace("\\", "/")
    for name in plain.split("/"):
        if name == ".." and names and names[-1] not in ("", ".."):
            names.pop()
        elif name == ".." and names == [""]:
            continue
        elif name not in ("", "."):
            names.append(name)
        elif name == "" and not names and plain.startswith("/"):
            names.append("")
    return tuple(names)


def _walked(path: str) -> str:
    if not re.search(r"(?:^|[/\\])\.{1,2}(?:[/\\]|$)|(?<=.)[/\\]{2}", path):
        return path
    mark = "\\" if "\\" in path and "/" not in path else "/"
    host = mark if path.startswith("\\\\") else ""  # \\HOST\SHARE begins with two
    walked = mark.join(steps(path))
    return host + walked if walked else (mark if path.startswith(("/", "\\")) else ".")
