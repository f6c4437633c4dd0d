"""Fenced code in colour: read by the fence's language as far as rows are painted, and no further.

Pygments is imported when the first row of code is painted. Code in a language that is not among `LANGUAGES`, or longer
than `LONGEST`, stays plain: names of languages are stored text, and must not lead to a search through plugins.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from functools import lru_cache
from importlib import import_module
from time import thread_time
from typing import Any

from hermes_tui.render.data import data_runs
from hermes_tui.render.diff import diff_ink
from hermes_tui.render.ink import Ink, Run

LONGEST = 65_536  # characters of a block that is read
_LONG_LINE = re.compile(r"[^\n]{501}")  # minified, or no code at all: patterns of lexers are not made for it
_PATIENCE = 0.4  # seconds for one block: unclosed comments by the thousand take some lexers time that grows squared
LANGUAGES = frozenset(
    """
    bash sh shell zsh fish powershell bat dockerfile docker cmake nginx
    python py python3 pycon pytb javascript js jsx typescript ts tsx css scss less html xml vue
    json5 yaml yml toml ini cfg properties sql sqlite3 postgresql mysql graphql protobuf proto
    c cpp c++ csharp c# cs java kotlin scala swift objective-c go golang rust rs zig ruby rb php perl lua r julia
    haskell hs ocaml elixir erlang clojure lisp elisp scheme dart groovy nim terraform hcl nix vim
    """.split()  # noqa: SIM905 - as a list of strings it would fill the screen
)
_DATA = frozenset(("json", "jsonc", "jsonl", "ndjson"))
_DIFF = frozenset(("diff", "udiff", "patch"))

# By the beginning of a token type's name; the longest that fits counts.
_INKS = (
    ("Comment", Ink.COMMENT),
    ("Keyword", Ink.KEYWORD),
    ("Operator.Word", Ink.KEYWORD),
    ("Literal.String", Ink.STRING),
    ("Literal.Number", Ink.NUMBER),
    ("Name.Function", Ink.NAME),
    ("Name.Class", Ink.NAME),
    ("Name.Builtin", Ink.NAME),
    ("Name.Decorator", Ink.NAME),
    ("Name.Exception", Ink.NAME),
    ("Name.Tag", Ink.KEY),
    ("Name.Attribute", Ink.KEY),
    ("Generic.Prompt", Ink.COMMENT),
    ("Generic.Output", Ink.COMMENT),
    ("Generic.Traceback", Ink.FAILED),
    ("Generic.Error", Ink.FAILED),
)


class Fence:
    """The code between two fences, `start..end` of a text, and its language as the first of them names it."""

    __slots__ = ("_info", "_read", "_tokens", "end", "start")

    def __init__(self, start: int, end: int, info: str) -> None:
        self.start = start
        self.end = end
        self._info = info
        self._tokens: Iterator[Run] | None = None
        self._read: tuple[list[Run], list[int]] | None = None  # what was read so far, and where each run ends

    @property
    def language(self) -> str:
        """The first word behind the fence, in small letters."""
        words = self._info[:200].strip().strip("{}.").split(maxsplit=1)
        return words[0].lower()[:40] if words else ""

    def runs(self, text: str, start: int, end: int) -> list[Run]:
        """What is on the row `start..end` of `text` in another ink than code."""
        language = self.language
        if language in _DATA:
            return data_runs(text, start, end)
        if language in _DIFF:
            left = text.rfind("\n", self.start, start) + 1 or self.start
            ink = diff_ink(text, left)
            return [] if ink is None else [(start, end, ink)]
        if language not in LANGUAGES or self.end - self.start > LONGEST:
            return []
        if self._read is None or self._tokens is None:
            self._read = [], []
            self._tokens = _tokens(text[self.start : self.end], language, self.start)
        runs, ends = self._read
        while not ends or ends[-1] < end:
            run = next(self._tokens, None)
            if run is None:
                break
            runs.append(run)
            ends.append(run[1])
        first = bisect_right(ends, start)
        return runs[first : bisect_left(runs, (end,), lo=first)]


def _tokens(code: str, language: str, base: int) -> Iterator[Run]:
    """The stretches of `code` that are not plain, in order, as offsets from where `base` is 0."""
    try:
        long = _LONG_LINE.search(code)
        code = code[: code.rfind("\n", 0, long.start()) + 1] if long else code
        tokens = iter(_lexer(language).get_tokens_unprocessed(code + "\n"))
        spent = 0.0  # in the lexer alone: finding it, and what is done between two rows, is not its fault
        while spent <= _PATIENCE:
            begin = thread_time()
            token = next(tokens, None)
            spent += thread_time() - begin
            if token is None:
                return
            at, kind, value = token
            ink = _ink(kind)
            if ink is not None and value:
                yield base + at, base + min(at + len(value), len(code)), ink
    except Exception:  # whatever a lexer stumbles over, the rest of the code is shown without colours
        return


@lru_cache(maxsize=64)
def _lexer(language: str) -> Any:
    return import_module("pygments.lexers").get_lexer_by_name(language)


@lru_cache(maxsize=512)
def _ink(kind: Any) -> Ink | None:
    name = ".".join(kind)
    return next((ink for head, ink in _INKS if name == head or name.startswith(head + ".")), None)
