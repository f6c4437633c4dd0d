"""URLs: with a scheme, of hosts that are written without one, and `git@host:path`."""

from __future__ import annotations

import re
from urllib.parse import unquote

from hermes_tui.hints.hint import HintKind, Row
from hermes_tui.hints.known import HOSTS
from hermes_tui.hints.places import split_spot
from hermes_tui.hints.signs import GLUE, TAIL

LONGEST = 4096  # characters
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.\-]{1,19}$")
_BODY = re.compile(r"[^\s<>\"`|\\^\x00-\x20\x7f“”‘’„«»…、。，；：！？（）【】《》〈〉「」『』〔〕［］｛｝～·]{1,4096}+")
_ENTITY = re.compile(r"&(?:quot|gt|lt|apos|#39|#34);")
_HOST = re.compile(r"(?:[A-Za-z0-9\-]{1,63}+\.){1,8}([A-Za-z]{2,12})(?::\d{1,5})?(?=[/?])")
_LOCAL = re.compile(
    r"(?<![\w.\-/@])(?:(?:localhost|127\.0\.0\.1|0\.0\.0\.0|\[::1\]):\d{2,5}(?!\w)"
    r"|(?:[A-Za-z0-9\-]{1,63}\.){1,8}(?:com|org|net|io|dev|ai|app|local|lan|internal|test|example):\d{2,5}(?=/))",
    re.ASCII,
)
_GIT = re.compile(r"(?<![\w.\-/@])git@[\w.\-]{1,100}+:(?=[\w~/])", re.ASCII)
_PAIRS = {")": "(", "]": "[", "}": "{"}


def read_urls(row: Row) -> None:
    """Note the URLs of a line."""
    text, at = row.text, row.start
    while (sign := text.find("://", at, row.end)) >= 0:
        at = sign + 3
        scheme = _SCHEME.search(text, max(row.start, sign - 20), sign)
        if scheme is None or not row.free(scheme.start(), sign):
            continue
        end = url_end(text, scheme.start(), sign + 3, row.end)
        if end > sign + 3:
            path, line, column = file_of(text[scheme.start() : end])
            row.add(HintKind.URL, scheme.start(), end, path=path, line=line, column=column)
            at = end
    for pattern in (_LOCAL, _GIT):
        for found in pattern.finditer(text, row.start, row.end):
            end = max(found.end(), url_end(text, found.start(), found.end(), row.end))
            if row.free(found.start(), end):
                row.add(HintKind.URL, found.start(), end)


def host_at(text: str, start: int, end: int) -> int:
    """Where a URL without a scheme that begins at `start` ends, or -1: `github.com/a/b`, `www.a.test/`."""
    found = _HOST.match(text, start, end)
    if found is None or (found[1].lower() not in HOSTS and not text.startswith("www.", start)):
        return -1
    return url_end(text, start, found.end(), end)


def url_end(text: str, start: int, place: int, end: int) -> int:
    """Where the URL that begins at `start` and surely reaches `place` ends, without what a sentence puts behind it."""
    body = _BODY.match(text, place, min(end, place + LONGEST))
    stop = body.end() if body else place
    if stop - place == LONGEST:  # half of it would be no URL
        return place
    if entity := _ENTITY.search(text, place, stop):
        stop = entity.start()
    before = text[start - 1] if start else ""
    if before in ("'", "*", "~") and (quote := text.find(before, place, stop)) >= 0:
        stop = quote
    stop = _unglued(text, place, _balanced(text, place, stop))
    while stop > place and (text[stop - 1] in TAIL or (text[stop - 1] in "'_~" and _odd(text, start, stop))):
        stop -= 1
    return stop


def file_of(url: str) -> tuple[str, int | None, int | None]:
    """The local path, line and column of a `file://` URL; ("", None, None) of any other."""
    if url[:7].lower() != "file://":
        return "", None, None
    host, slash, rest = url[7:].partition("/")
    if host not in ("", "localhost"):
        return "", None, None
    path, spot = split_spot(slash + rest)
    path = unquote(path.partition("#")[0].partition("?")[0])
    if len(path) > 2 and path[2] == ":" and path[1].isalpha():
        path = path[1:]
    return path, spot.line, spot.column


def _odd(text: str, start: int, stop: int) -> bool:
    """Whether the sign before `stop` closes something that was opened right before the URL."""
    return text[stop - 1] == "'" or (start > 0 and text[start - 1] == text[stop - 1])


def _balanced(text: str, place: int, stop: int) -> int:
    """The first bracket within the URL that has no partner there, or `stop`: it is the sentence's."""
    opened: list[int] = []
    for at in range(place, stop):
        char = text[at]
        if char in "([{":
            opened.append(at)
        elif char in _PAIRS:
            if not opened or text[opened[-1]] != _PAIRS[char]:
                return opened[0] if opened else at
            opened.pop()
    return opened[0] if opened else stop


def _unglued(text: str, place: int, stop: int) -> int:
    """Where letters of a script without blanks are those of the sentence: behind a letter, not behind a sign."""
    for glue in GLUE.finditer(text, place, stop):
        before = text[glue.start() - 1]
        if before.isascii() and before.isalnum():
            return glue.start()
    return stop
