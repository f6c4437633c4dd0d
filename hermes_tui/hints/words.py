"""The words of a line, one by one: each may be a path, the name of a file, a host's page, an id, a hash, an address."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from hermes_tui.hints.hint import HintKind, Row
from hermes_tui.hints.known import ENDINGS, FILES, FOLDED_ENDINGS, ROOTS, ending
from hermes_tui.hints.names import read_name
from hermes_tui.hints.places import spot_at
from hermes_tui.hints.posix import is_file, is_path
from hermes_tui.hints.signs import GLUE, NAME, TAIL
from hermes_tui.hints.urls import host_at

LONGEST = 1024  # characters of a word; longer ones are data
_REST = re.compile(rf"{NAME}*+")
_FLAG = re.compile(r"-[A-Z](?=[/~.])")
_ESCAPED = re.compile(r"[nrt](?=[/~.])")
_KEY = re.compile(r"/[\w\-]{1,64}$")
_ROOT = re.compile(rf"/(?:{'|'.join(sorted(ROOTS))})(?=/)")


@cache
def _words() -> re.Pattern[str]:
    """A word; made when the first is looked for, since it takes as long as many a module to import.

    Brackets are part of a path where a name goes on behind them: pages/[slug].tsx, app/(group)/page.tsx, copy(1).pdf.
    """
    return re.compile(
        rf"(?:\$\{{\w{{1,64}}\}}(?=/))?(?:{NAME}|\\[ ()&'])(?:(?:{NAME}|\\[ ()&']){{1,{LONGEST}}}+"
        rf"|\({NAME}{{1,60}}+\)(?=[./])|\[{NAME}{{1,60}}+\](?=[./])|\{{{NAME}{{1,60}}+\}}(?=[./])){{0,16}}+"
        rf"|[\[({{]{NAME}{{1,60}}+[\])}}](?=/\w)(?:{NAME}){{1,{LONGEST}}}+"
    )


def read_words(row: Row) -> None:
    """Note what the words of a line are that nothing else has taken."""
    text, at = row.text, row.start
    while found := _words().search(text, at, row.end):
        word = found[0]
        if word.isalpha() and word.isascii() and word not in FILES:  # most words
            at = found.end()
            continue
        start, at = found.start(), _whole(text, found, row.end)
        end = at
        if end - start >= LONGEST:
            rest = _REST.match(text, end, row.end)
            at = rest.end() if rest else end
            continue
        if not row.free(start, end):
            at = _skip(row, start, end)
            continue
        for left, right in _parts(text, start, end):
            at = max(at, _read(row, left, right))


def _whole(text: str, found: re.Match[str], limit: int) -> int:
    """Where a word ends whose names hold `=`, as folders of data do: station=A/year=2015/part-0.parquet."""
    start, end = found.span()
    while end - start < LONGEST and text.startswith("=", end) and _KEY.search(text, max(start, end - 66), end):
        more = _words().match(text, end + 1, limit)
        if more is None or not text[end + 1].isalnum():
            break
        end = more.end()
    return end


def _skip(row: Row, start: int, end: int) -> int:
    """Where to go on behind what was taken within a word; what stands before it is read alone."""
    first = row.taken.find(1, start - row.start) + row.start
    if first > start:
        for left, right in _parts(row.text, start, first):
            _read(row, left, right)
    last = row.taken.find(0, first - row.start)
    return max(start + 1, last + row.start if last >= 0 else row.end)


def _read(row: Row, start: int, end: int) -> int:
    """Read one word, without what a sentence puts around it; where to go on."""
    text = row.text
    start, end = _trimmed(row, start, end)
    if start >= end:
        return end
    if (text[start - 1 : start] == "<" and text[start] == "/") or text.startswith("node:", max(0, start - 5)):
        return end  # </div>, node:internal/main
    if read_name(row, start, end):
        return row.hints[-1].end
    word = text[start:end]
    before = text[start - 1] if start > row.start else ""
    if "/" in word:
        stop = host_at(text, start, row.end) if word[0].isalnum() else -1
        if stop > 0:
            row.add(HintKind.URL, start, stop)
            return stop
        if before in ("^", "\\") or (word[-1] == "/" and text[end : end + 1] in tuple("{[(<*")):
            return end  # what follows stands for names, and is not read
        if not is_path(word):
            return _apart(row, start, end)
        return _path(row, start, end)
    spot = spot_at(text, end, row.end)
    called = text[end : end + 1] == "(" and spot.end == end
    if before in ("\\", "^", "/", "#") or called or not is_file(word):
        return end
    return _path(row, start, end)


def _path(row: Row, start: int, end: int) -> int:
    spot = spot_at(row.text, end, row.end)
    path = re.sub(r"\\([ ()&'])", r"\1", row.text[start:end])
    row.add(HintKind.PATH, start, spot.end, path=path, line=spot.line, column=spot.column)
    return spot.end


def _apart(row: Row, start: int, end: int) -> int:
    """Names of files with slashes between them, each by itself: `README.md/CHANGELOG.md`."""
    names = row.text[start:end].split("/")
    if len(names) < 5 and all(map(is_file, names)):
        at = start
        for name in names:
            row.add(HintKind.PATH, at, at + len(name), path=name)
            at += len(name) + 1
    return end


def _trimmed(row: Row, start: int, end: int) -> tuple[int, int]:
    """The word without the signs of a sentence, of Markdown and of a command line around it."""
    text = row.text
    while start < end and (text[start] in "*+@%," or (text[start] == "-" and not text.startswith(("-.", "--"), start))):
        if found := _FLAG.match(text, start, end):  # -I/usr/include
            start = found.end()
            break
        if text[start] == "*" and text[start + 1 : start + 2] in ("/", "."):  # a pattern, not bold
            return end, end
        if text[start] == "@" and text.find("/", start, end) > 0:  # @/lib/a.ts, @scope/package/a.js
            break
        start += 1
    if start > row.start and text[start - 1] == "\\" and (found := _ESCAPED.match(text, start, end)):
        start = found.end()  # "\n/etc/hosts" as code writes it
    while end > start and text[end - 1] in TAIL:
        if text[end - 1] == "*" and text[end - 2 : end - 1] == "/":
            return end, end
        end -= 1
    if end - start > 2 and text[start] == "_" == text[end - 1] and text[start + 1] != "_":
        start, end = start + 1, end - 1
    return start, end


def _parts(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """The stretches of a word that are read alone: letters of scripts without blanks are part of a path, or around it.

    They are part of it as a whole name between slashes (`/home/用户/a`), and before an ending (`/tmp/报告.txt`).
    """
    if GLUE.search(text, start, end) is None:
        yield start, end
        return
    at = start
    while at < end:
        stop = _glued_end(text, at, end)
        yield at, stop
        at = stop
        if glue := GLUE.match(text, at, end):
            at = glue.end()


def _glued_end(text: str, start: int, end: int) -> int:
    """Where the first stretch from `start` ends; `start` itself where letters of the sentence stand there."""
    for glue in GLUE.finditer(text, start, end):
        left, right = glue.span()
        if left == start:
            if not _opens(text, right, end):
                return start
            continue
        begin = max(text.rfind("/", start, left) + 1, start)
        if begin == left:  # a whole name, or the beginning of one
            continue
        if ending(text[begin:left]) in FOLDED_ENDINGS or _ROOT.match(text, right, end):
            return left
        rest = text[right:end]
        if ending("." + rest.partition("/")[0]) not in ENDINGS and not (begin > start and ending(rest) in ENDINGS):
            return left
    return end


def _opens(text: str, right: int, end: int) -> bool:
    """Whether letters of such a script are the first folder of a path that ends in a known way: `文档/报告.txt`."""
    if right >= end or text[right] != "/" or _ROOT.match(text, right, end):
        return False
    return ending(text[right:end].rpartition("/")[2]) in ENDINGS
