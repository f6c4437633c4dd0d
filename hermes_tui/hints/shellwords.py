"""Whether a line of shell code goes on in the next: quotes, heredocs, loops, pipes, backslashes."""

from __future__ import annotations

import re

_TOKEN = re.compile(
    r"\\.|'|\"|<<-?\s?(?:'([\w.\-]{1,80})'|\"([\w.\-]{1,80})\"|([\w.\-]{1,80}))(?!<)|<<<|&&|\|\||[|&;(){}\n`]|#|[^\s\\'\"<&|;(){}`#]{1,200}+|\s++|.",
    re.DOTALL,
)
_OPEN = frozenset(("if", "for", "while", "until", "case", "select"))
_CLOSE = frozenset(("fi", "done", "esac"))
_GOES_ON = frozenset(("then", "do", "else", "elif", "!", "time", "{"))
_SEPARATORS = frozenset(("|", "&", ";", "(", "{", "&&", "||", "\n", ";;"))


class Reader:
    """One command, fed line by line until it is whole."""

    def __init__(self, caret: str = "\\") -> None:
        self.continued = False
        """Whether the line fed last ends in the sign that says so."""
        self._caret = caret
        self._parts: list[str] = []
        self._quote = ""
        self._ends: list[tuple[str, bool]] = []  # heredocs that are open: their last line, and whether it may hang in
        self._depth = 0
        self._piped = False

    def feed(self, line: str) -> bool:
        """Take one more line, without its line break; whether the command is whole now."""
        line = line.removesuffix("\r")
        if self._ends and not self.continued and not self._quote:
            self._parts += ("\n", line)
            word, hangs = self._ends[0]
            if (line.lstrip("\t") if hangs else line).rstrip() == word:
                del self._ends[0]
            return self._whole()
        was_quoted = self._quote
        continued, self.continued = self.continued, False
        ends_in_caret = self._read(line)
        said = line[:-1] if ends_in_caret else line
        self._join(said, continued=continued, quoted=bool(was_quoted))
        self.continued = ends_in_caret
        return self._whole()

    def joined(self) -> str:
        """All lines fed; those that a backslash continues are one."""
        return "".join(self._parts)

    def _whole(self) -> bool:
        return not (self.continued or self._quote or self._ends or self._depth > 0 or self._piped)

    def _join(self, said: str, *, continued: bool, quoted: bool) -> None:
        if not self._parts:
            self._parts.append(said)
        elif not continued:
            self._parts += ("\n", said)
        elif quoted:
            self._parts.append(said)
        else:
            last = self._parts[-1]
            blank = last[-1:].isspace() or said[:1].isspace()
            self._parts[-1] = last.rstrip()
            self._parts.append((" " if blank else "") + said.lstrip())

    def _read(self, line: str) -> bool:
        """Follow quotes, brackets and words through a line; whether it ends in the sign of a continued one."""
        at, starts, caret = 0, True, False
        self._piped = False
        while at < len(line):
            caret = line[at] == self._caret and at == len(line) - 1 and self._quote != "'"
            if caret:
                break
            if self._quote:
                at = self._quoted(line, at)
                starts = False
                continue
            found = _TOKEN.match(line, at)
            if found is None:
                break
            token = found[0]
            if token == "#" and (at == 0 or line[at - 1].isspace()):
                break
            at = found.end()
            if token.isspace():
                continue
            starts = self._token(token, found, starts)
        return caret

    def _token(self, token: str, found: re.Match[str], starts: bool) -> bool:
        """Take in one token outside quotes; whether a command may begin behind it."""
        self._piped = token in ("|", "&&", "||")
        if token in ("'", '"'):
            self._quote = token
        elif token.startswith("<<") and (word := found[1] or found[2] or found[3]):
            self._ends.append((word, token.startswith("<<-")))
        elif token in ("(", "{") or (starts and token in _OPEN):
            self._depth += 1
        elif token in (")", "}") or (starts and token in _CLOSE):
            self._depth = max(0, self._depth - 1)
        return token in _SEPARATORS or token in _GOES_ON

    def _quoted(self, line: str, at: int) -> int:
        """Read on within a quote; where it ends, or the end of the line."""
        while at < len(line):
            if self._quote == '"' and line[at] == "\\" and at < len(line) - 1:
                at += 2
            elif line[at] == self._quote:
                self._quote = ""
                return at + 1
            elif line[at] == "\\" and self._quote == '"':  # the last sign: the line goes on
                return at
            else:
                at += 1
        return at
