"""What signs around it make one thing: quoted paths with blanks, `code`, targets of links, the headers of a diff."""

from __future__ import annotations

import re
from urllib.parse import unquote

from hermes_tui.hints.hint import Hint, HintKind, Row
from hermes_tui.hints.known import ENDINGS, ending
from hermes_tui.hints.places import split_spot, spot_at
from hermes_tui.hints.posix import is_path
from hermes_tui.hints.signs import QUOTES, TAIL
from hermes_tui.hints.windows import is_windows

FARTHEST = 400  # characters between two quotes
LONGEST_CODE = 1000
_OPENING = re.compile("[" + "".join(QUOTES) + "`]")
_TICKS = re.compile(r"`++")
_TARGET = re.compile(
    r"(?:<([^<>\n]{1,1000}+)>|([^\s()<>]{1,1000}+(?:\([^\s()<>]{0,200}+\)[^\s()<>]{0,200}+)?))(?=\)| [\"'])"
)
_ELSEWHERE = ("#", "?", "mailto:", "tel:", "data:", "javascript:", "www.")
_DIFF = re.compile(r"(?:---|\+\+\+) (?=[^\s])|diff --git |rename (?:from|to) |copy (?:from|to) |Binary files ")
_SIDE = re.compile(r"[abciow12]/(?=[^/\s])")
_UNQUOTABLE = frozenset('<>|*?"`')


def read_diff(row: Row) -> bool:
    """Note the files that the header of a diff names, without `a/` and `b/`; whether the line is such a header."""
    text = row.text
    begin = row.start
    while begin < row.end and text[begin] == " ":
        begin += 1
    found = _DIFF.match(text, begin, row.end)
    if found is None:
        return False
    start = found.end()
    match found[0].split()[0]:
        case "---" | "+++":
            if not _SIDE.match(text, start, row.end):
                return False
            tab = text.find("\t", start, row.end)
            ends = [(start, tab if tab >= 0 else row.end)]
        case "diff":
            ends = _two(text, start, row.end)
        case "Binary":
            middle, stop = text.find(" and ", start, row.end), text.rfind(" differ", start, row.end)
            ends = [(start, middle), (middle + 5, stop)] if start < middle < stop else []
        case _:
            ends = [(start, row.end)]
    for left, right in ends:
        side = _SIDE.match(text, left, right)
        left = side.end() if side and found[0][0] not in "rc" else left
        right -= len(text[left:right]) - len(text[left:right].rstrip())
        if left < right and text[left:right] != "/dev/null":
            row.add(HintKind.PATH, left, right, path=text[left:right])
    return bool(ends)


def read_quotes(row: Row) -> None:
    """Note paths that stand in quotes as a whole, blanks included, and code between back-ticks."""
    _quotes(row, row.start, row.end, code=row.code)


def _quotes(row: Row, at: int, end: int, *, code: bool) -> None:
    text = row.text
    while found := _OPENING.search(text, at, end):
        start, sign = found.start(), found[0]
        at = start + 1
        if sign == "`":
            at = start + 1 if code else _code(row, start, end)
        elif sign != "'" or start == row.start or not text[start - 1].isalnum():
            stop = text.find(QUOTES[sign], at, min(end, at + FARTHEST))
            if stop > at and _whole(row, at, stop):
                at = stop + 1


def read_links(row: Row) -> None:
    """Note the targets of Markdown links that are paths: what a link points at need not look like one."""
    text, at = row.text, row.start
    while (at := text.find("](", at, row.end)) >= 0:
        at += 2
        found = _TARGET.match(text, at, row.end)
        if found is None:
            continue
        start, end = found.span(1) if found[1] else found.span(2)
        target = text[start:end]
        if "://" in target or target.startswith(_ELSEWHERE):
            continue
        if row.free(start, end):
            path, spot = split_spot(target)
            path = unquote(path.partition("#")[0])
            row.add(HintKind.PATH, start, end, path=path, line=spot.line, column=spot.column)
        at = end


def _code(row: Row, start: int, end: int) -> int:
    """Note `code` that begins at `start`, and what is quoted in it; where to go on."""
    text = row.text
    opening = _TICKS.match(text, start, end)
    if opening is None:
        return start + 1
    begin, ticks = opening.end(), opening[0]
    place, limit = begin, min(end, begin + LONGEST_CODE)
    while len(ticks) <= 8 and (place := text.find(ticks, place, limit)) >= 0:
        closing = _TICKS.match(text, place, end)
        if closing is None:
            break
        if closing[0] == ticks:
            _inline(row, start, begin, place)
            return closing.end()
        place = closing.end()
    return begin


def _inline(row: Row, start: int, begin: int, end: int) -> None:
    text = row.text
    if end - begin > 2 and text[begin] == " " == text[end - 1]:
        begin, end = begin + 1, end - 1
    if not text[begin:end].strip() or _whole(row, begin, end):
        return
    kind = HintKind.INLINE
    if text.startswith("$ ", begin) and text[begin + 2 : end].strip():
        kind, begin = HintKind.COMMAND, begin + 2
    row.hints.append(
        Hint(kind, text[begin:end], begin, end, start)
    )  # not taken: what is in it may be something as well
    _quotes(row, begin, end, code=True)


def _whole(row: Row, start: int, end: int) -> bool:
    """Note the path that `start..end` is as a whole; whether it is one."""
    text = row.text
    if text[end - 1] == "\\" and text[start - 2 : start - 1] == "\\":  # \"path\" within a string
        end -= 1
    said = text[start:end]
    if not ("/" in said or "\\" in said) or "://" in said or said != said.strip() or not row.free(start, end):
        return False
    if said[-1] in TAIL:  # the sentence ends within the quotes
        return False
    path, inner = split_spot(said)
    if not _is_quoted_path(path):
        return False
    line, column = inner.line, inner.column
    if line is None:
        beside = spot_at(text, end, row.end)
        line, column = (beside.line, beside.column) if beside.end == end else (None, None)
    row.add(HintKind.PATH, start, end, path=path, line=line, column=column)
    return True


def _is_quoted_path(path: str) -> bool:
    if not path or _UNQUOTABLE & set(path):
        return False
    if path[1:3] in (":\\", ":/") or path.startswith(("\\\\", ".\\", "..\\")):
        return is_windows(path) and ";" not in path and (ending(path.rpartition("\\")[2]) != "" or " -" not in path)
    if " " not in path:
        return is_path(path) and not any(sign in path for sign in "()[]{}=,;\\:^")
    if not path.startswith(("/", "~/", "./", "../")) or any(sign in path for sign in "=;&:"):
        return False
    first, *others = path.split(" ")
    if "bin/" in first or any(word.startswith(("-", "/", "./", "~")) for word in others):
        return False  # a program and what it is given
    return is_path(path.replace(" ", "_")) and (ending(path) in ENDINGS or len(others) < 4)


def _two(text: str, start: int, end: int) -> list[tuple[int, int]]:
    """The two names behind `diff --git`: as a rule the same, with a blank between them that may be in a name, too."""
    length = end - start
    middle = start + (length - 1) // 2
    if length % 2 and text[middle] == " " and text[start + 2 : middle] == text[middle + 3 : end]:
        return [(start, middle), (middle + 1, end)]
    for sign in (" b/", " w/", " i/", " "):
        middle = text.find(sign, start, end)
        if middle > 0:
            return [(start, middle), (middle + 1, end)]
    return []
