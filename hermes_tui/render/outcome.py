"""How a tool call ended, told on its card: how much it answered, how long it took, whether it failed.

Nothing is claimed that the rows do not say. A result that is not here yet says nothing; that there is none is said only
when all rows that could hold it are known.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterable
from itertools import takewhile

from hermes_tui.model import Kind, Message
from hermes_tui.model.record import dataclass
from hermes_tui.render.clean import clean
from hermes_tui.render.words import count, one_line, size

LARGE = 10_000  # characters of an answer from which its size is told besides its lines
_SHORT = 0.05  # seconds that are not worth a word, and may only say that both rows were written at once
_LONGEST = 86_400 * 7  # seconds; two rows farther apart tell of a clock, not of a tool

# A result in JSON is read as `key: value` lines, and a value of several lines stands between two of them: so the keys
# of the object itself are the lines at its very beginning and at its very end.
_FIELD = re.compile(r"([a-z_][A-Za-z0-9_]{0,40}):(?: (.*))?")
_HEAD, _TAIL = 2000, 2000  # characters in which they are looked for
_CODES = ("exit_code", "exitCode", "returncode", "return_code", "exit_status")
_FRAME = frozenset((*_CODES, "error", "error_message", "success", "ok", "status", "duration", "duration_ms", "cwd"))
_OUTPUT = ("output", "stdout", "content", "result")
_ERRORS = ("error", "error_message")
_SIGNS = ("Error", "ERROR", "error:", "Traceback (most recent call")  # plain text that begins so tells of one
_ERROR_LINE = re.compile(r"^(?:error|error_message):(?: (.*)|\n\s*(.*))?$", re.MULTILINE)
_FAR = 100_000  # characters from the end in which an error is looked for
_NOTHING = frozenset(("", "0", "null", "none", "false", "[]", "{}"))


@dataclass(frozen=True, slots=True)
class Outcome:
    """What the row that answers a call says. `size` is in characters.

    `failure` says in a few words what went wrong, "" for what went well or does not tell. `missing` says that no row
    answers the call, `running` that none does so far.
    """

    lines: int = 0
    size: int = 0
    seconds: float | None = None
    failure: str = ""
    missing: bool = False
    running: bool = False

    def words(self) -> str:
        """`14 lines, 0.3 s`, `failed: exit code 2, 0.1 s`, `no result`, `running …`."""
        if self.running:
            return "running …"
        if self.missing:
            return "no result"
        words = [f"failed: {self.failure}"] if self.failure else [self.amount()]
        took = duration(self.seconds)
        return ", ".join([*words, took] if took else words)

    def amount(self) -> str:
        """`14 lines`, `16,000 lines, 1.1 MB`, `no output`."""
        if not self.lines:
            return "no output"
        told = count(self.lines, "line")
        return f"{told}, {size(self.size)}" if self.size > LARGE else told


def outcome(call: Message, result: Message, *, wrong: bool = False) -> Outcome:
    """What `result` says of the call that the row `call` makes; `wrong` says that it is known to have failed."""
    text = result.text
    seconds = None
    if call.timestamp is not None and result.timestamp is not None:
        seconds = result.timestamp - call.timestamp
    return Outcome(
        lines=answered(text),
        size=len(text),
        seconds=seconds if seconds is not None and _SHORT <= seconds <= _LONGEST else None,
        failure=failure(text, wrong=wrong),
    )


def outcomes(
    message: Message, following: Iterable[Message | None], wrong: Container[int] = ()
) -> tuple[Outcome | None, ...]:
    """How each call of `message` ended, as far as the rows after it tell; None where that is not known.

    `following` are the rows after it in reading order, None for one that is not here. They are looked at up to the
    first that is no tool's, so hand over an iterator rather than all of them. `wrong` are ids of results that are known
    to tell of a failure: the readable text does not always say where a value ends.
    """
    calls = message.tool_calls
    if not calls:
        return ()
    waiting: dict[str | None, list[int]] = {}
    for index, call in enumerate(calls):
        waiting.setdefault(call.id, []).append(index)
    found: list[Outcome | None] = [None] * len(calls)
    known = True
    for row in following:
        if row is None:
            known = False
            continue
        if row.kind is not Kind.TOOL:
            break
        if queue := waiting.get(row.tool_call_id):
            found[queue.pop(0)] = outcome(message, row, wrong=row.id in wrong)
        if not any(waiting.values()):
            break
    if known:
        missing = Outcome(missing=True)
        for index in (at for name, queue in waiting.items() if name is not None for at in queue):
            found[index] = missing
    return tuple(found)


def answered(text: str) -> int:
    """How many lines a result holds; the other keys of an object that has an output are not among them."""
    if not text or text.isspace() or (len(text) < 200 and not clean(text).strip()):
        return 0
    lines = text.strip().count("\n") + 1
    fields = _fields(text)
    name = next((name for name in _OUTPUT if name in fields), None)
    if name is None or any(key not in _FRAME for key in fields if key != name):
        return lines
    if fields[name] or lines == len(fields):
        return 1 if fields[name] else 0
    return max(1, lines - len(fields))


def failure(text: str, *, wrong: bool = False) -> str:
    """What a result says went wrong, in a few words; "" where it says nothing of the kind, unless it is known to be
    `wrong`."""
    return _failure(text) or (_named(text) if wrong else "")


def _named(text: str) -> str:
    """The beginning of the last error that a text names, which may be of several lines and stand behind others."""
    found = _ERROR_LINE.findall(text[-_FAR:])
    return one_line("".join(found[-1]), 60) or "error" if found else "error"


def _failure(text: str) -> str:
    fields = _fields(text)
    code = next((fields[name] for name in _CODES if name in fields), "")
    error = next((fields[name] for name in _ERRORS if name in fields), "")
    if code and code.lstrip("-").isdecimal():
        return f"exit code {code}" if int(code) else ""
    if error.lower() not in _NOTHING:
        return one_line(error, 60) or "error"
    told = (fields.get("success", ""), fields.get("ok", ""), fields.get("is_error", "") or fields.get("isError", ""))
    if "false" in told[:2] or told[2] == "true":
        return "without success"
    if not fields and text.startswith(_SIGNS):
        return _told(text)
    return ""


def _told(text: str) -> str:
    """What a plain error says: its first line, or the last one of a traceback."""
    lines = text.strip().split("\n") if len(text) < 100_000 else [text[:200]]
    return one_line(lines[-1] if lines[0].startswith("Traceback") else lines[0], 60)


def duration(seconds: float | None) -> str:
    """`0.3 s`, `12 s`, `2 min 5 s`, `1 h 2 min`; "" if unknown."""
    if seconds is None:
        return ""
    if seconds < 9.95:
        return f"{seconds:.1f} s"
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s" if whole % 60 else f"{whole // 60} min"
    return f"{whole // 3600} h {whole % 3600 // 60} min"


def _fields(text: str) -> dict[str, str]:
    """The keys of the object that `text` reads as, as far as they surely are: of two of one name the outer one."""
    head = text[:_HEAD].split("\n")
    first = _FIELD.fullmatch(head[0])
    if first is None:
        return {}
    fields: dict[str, str] = {}
    if not _read(head, fields):
        _read(takewhile(_framed, reversed(text[-_TAIL:].rstrip("\n").split("\n"))), fields)
    return fields


def _framed(line: str) -> bool:
    """Whether a line is one of the keys that stand around an output, with its value."""
    found = _FIELD.fullmatch(line)
    return found is not None and found[1] in _FRAME and found[2] is not None


def _read(lines: Iterable[str], fields: dict[str, str]) -> bool:
    """Read keys up to the first line that is none; whether there was no such line."""
    below = iter(lines)
    for line in below:
        found = _FIELD.fullmatch(line)
        if found is None:
            return False
        fields.setdefault(found[1], (found[2] or "").strip())
        if found[2] is None:  # its value stands on the lines below, and what follows may be part of it
            if found[1] in _ERRORS:
                fields[found[1]] = next(below, "").strip()
            return False
    return True
