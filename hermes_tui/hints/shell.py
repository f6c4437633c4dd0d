"""Commands: behind a prompt, in a block of shell code, as the `command` of a tool call; continued lines joined."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from hermes_tui.hints.hint import Hint, HintKind
from hermes_tui.hints.shellwords import Reader

SHELLS = frozenset(
    (
        *("sh", "bash", "zsh", "fish", "ksh", "dash", "ash", "shell", "nu"),
        *("bat", "batch", "cmd", "dosbatch", "powershell", "pwsh", "ps1", "ps"),
    )
)
CONSOLES = frozenset(("console", "shell-session", "shellsession", "sh-session", "bash-session", "terminal", "session"))
_CARETS = {"bat": "^", "batch": "^", "cmd": "^", "dosbatch": "^", "powershell": "`", "pwsh": "`", "ps1": "`", "ps": "`"}
_WHO = r"(?:\([\w.\-]{1,40}\) )?"
_PROMPT = re.compile(
    rf"[ \t]{{0,40}}+{_WHO}(?:"
    r"[$❯] "
    r"|[\w.\-]{1,40}@[\w.\-]{1,60}[: ][^\s$#%>]{0,200}+ ?[$#%] "  # ann@box:~/app$ ls
    r"|\[[\w.\-]{1,40}@[^\]\n]{1,200}+\][$#%] "  # [root@box ~]# ls
    r"|PS [A-Za-z]:[^>\n]{0,200}+> ?"
    r"|[A-Za-z]:\\[^<>|\n\"]{0,200}+> ?"
    r")[ \t]{0,20}+(?=[^\s\d>])"
)
_ROOT = re.compile(rf"[ \t]{{0,40}}+{_WHO}# (?=[^\s#])")
_SECOND = re.compile(r"[ \t]{0,40}+(?:> ?|\.\.\. )")
_FIELD = re.compile(r"[ \t]{0,40}+(?:- )?(?:command|cmd): ?(?=[^\s\[{>|\"'])")
_CALLED = re.compile(r"(?:command|cmd):(?: |(?=\n)|$)")
# Arguments that stand beside a command of several lines: where one begins, the command is over.
_BESIDE = re.compile(
    r"\n(?:cwd|workdir|working_dir(?:ectory)?|timeout(?:_ms|_seconds)?|background|description|run_in_background|env|pty|"
    r"shell|check_interval|notify_on_complete|session_id|task_id|stdin|restart|yield_time_ms|login|justification|"
    r"max_output_tokens|force|user):(?=[ \n]|$)"
)
LONGEST_COMMAND = 200
"""Lines of one command."""

Lines = Sequence[tuple[int, int]]


def fenced_commands(text: str, lines: Lines, language: str) -> Iterator[Hint]:
    """The commands of a block of code, `lines` of `text`, in a language as its fence names it."""
    console = language in CONSOLES
    prompts = [_prompt(text, start, end, root=console) for start, end in lines]
    if any(place >= 0 for place in prompts):
        yield from _session(text, lines, prompts)
    elif console or language in SHELLS:
        yield from _script(text, lines, _CARETS.get(language, "\\"))


def prompted_commands(text: str, lines: Lines) -> Iterator[Hint]:
    """The commands behind prompts on these lines, and those of fields that are named so."""
    prompts = [_prompt(text, start, end, root=False) for start, end in lines]
    yield from _session(text, lines, prompts)
    for start, end in lines:
        if found := _FIELD.match(text, start, end):
            yield _hint(text[found.end() : end].rstrip(), found.end(), end)


def called_command(text: str) -> Hint | None:
    """The command of a tool call, whose arguments read as `text`: all its lines."""
    found = _CALLED.match(text)
    if found is None:
        return None
    start = found.end() + text.startswith("\n", found.end())
    if start == found.end():
        end = text.find("\n", start)
    else:
        beside = _BESIDE.search(text, start)
        end = beside.start() if beside else -1
    end = len(text) if end < 0 else end
    return _hint(text[start:end], start, end) if text[start:end].strip() else None


def _hint(said: str, start: int, end: int) -> Hint:
    return Hint(HintKind.COMMAND, said, start, end, start)


def _prompt(text: str, start: int, end: int, *, root: bool) -> int:
    """Where the command of a line begins, -1 where it has no prompt."""
    found = _PROMPT.match(text, start, end) or (_ROOT.match(text, start, end) if root else None)
    return found.end() if found else -1


def _session(text: str, lines: Lines, prompts: Sequence[int]) -> Iterator[Hint]:
    for number, place in enumerate(prompts):
        if place < 0:
            continue
        stop = number + 1
        while stop < len(lines) and prompts[stop] < 0 and stop - number < LONGEST_COMMAND:
            stop += 1
        reader = Reader()
        last = number
        complete = reader.feed(text[place : lines[number][1]])
        while not complete and last + 1 < stop:
            last += 1
            start, end = lines[last]
            second = _SECOND.match(text, start, end)
            complete = reader.feed(text[second.end() if second else start : end])
        if not complete and last > number:  # an apostrophe, not a quote: the lines below are its output
            last, reader = number, Reader()
            reader.feed(text[place : lines[number][1]])
        yield _hint(reader.joined(), place, lines[last][1])


def _script(text: str, lines: Lines, caret: str) -> Iterator[Hint]:
    number, careful = 0, True
    while number < len(lines):
        start, end = lines[number]
        said = text[start:end].strip()
        if not said or said.startswith(("#", "REM ", "rem ", "::")):
            number += 1
            continue
        reader = Reader(caret)
        last = number
        complete = reader.feed(text[start:end])
        while (
            not complete and last + 1 < len(lines) and last - number < LONGEST_COMMAND and (careful or reader.continued)
        ):
            last += 1
            complete = reader.feed(text[slice(*lines[last])])
        if not complete and not reader.continued and careful and last > number:
            careful = False  # something is open to the end: from here on every line is taken as it stands
            continue
        joined = reader.joined()
        left = start + len(joined) - len(joined.lstrip()) if joined else start
        yield _hint(joined.strip(), left, lines[last][1])
        number = last + 1
