r"""Paths of Windows: `C:\a`, `C:/a`, `\\server\share`, `.\a`, `src\app.cs`, and where one with blanks in it ends."""

from __future__ import annotations

import re

from hermes_tui.hints.hint import HintKind, Row
from hermes_tui.hints.known import ENDINGS, FOLDED_ENDINGS, ending
from hermes_tui.hints.places import split_spot, spot_at
from hermes_tui.hints.signs import GLUE, TAIL

_BEGIN = re.compile(
    r"(?<![A-Za-z0-9_.\\/])(?:"
    r"[A-Za-z]:(?:\\{1,2}|/)(?![/\\])"  # a drive; the backslash may be escaped, as in JSON
    r"|\\{2,4}(?:[?.]\\{1,2}(?:[A-Za-z]:\\{1,2})?)?(?=[A-Za-z0-9])"  # a share, \\?\ and \\.\
    r"|\.{1,2}\\(?=[\w.])"
    r"|%[A-Za-z_()]{2,30}%\\{1,2}"
    r"|(?=[\w\-]{1,64}+\\[\w.\-])"  # src\app.cs
    r")"
)
_RUN = re.compile(r"[^\s\x00-\x1f\"<>|*?`',;:…“”‘’«»、。，；：！？（）【】《》「」『』\[\]{}]{1,1024}+")
_WORD = re.compile(r" ([^\s\x00-\x1f\"<>|*?`',;:…“”‘’«»、。，；：！？（）【】《》「」『』\[\]{}]{1,128}+)")
_STOPS = frozenset(
    [
        "a",
        "an",
        "the",
        "is",
        "are",
        "was",
        "were",
        "be",
        "in",
        "on",
        "at",
        "to",
        "of",
        "or",
        "and",
        "then",
        "but",
        "for",
        "from",
        "with",
        "into",
        "as",
        "by",
        "via",
        "than",
        "that",
        "this",
        "it",
        "its",
        "und",
        "oder",
        "mit",
        "nach",
        "von",
        "et",
        "ou",
        "dans",
        "avec",
        "y",
        "con",
        "en",
        "vers",
    ]
)
_SPACED = ("Program Files", "Program Files (x86)", "Documents and Settings", "Common Files")
_ESCAPES = frozenset("nrtbfvx0u")


def read_windows(row: Row) -> None:
    """Note the Windows paths of a line that no quotes hold."""
    text, at = row.text, row.start
    if text.find("\\", at, row.end) < 0 and text.find(":/", at, row.end) < 0:
        return
    while found := _BEGIN.search(text, at, row.end):
        start, place = found.span()
        end = _end(text, start, place, row.end)
        at = max(end, place + 1)
        if end > place and row.free(start, end) and is_windows(text[start:end]):
            path, _ = split_spot(text[start:end])
            spot = spot_at(text, start + len(path), row.end)
            row.add(HintKind.PATH, start, spot.end, path=path, line=spot.line, column=spot.column)
            at = spot.end


def is_windows(path: str) -> bool:
    r"""Whether `path` is one of Windows, from its shape: `\d\w`, `\frac\alpha` and `a\nb` are none."""
    if path[1:3] in (":\\", ":/"):
        return path[0].isalpha() and path[0].isascii() and len(path) > 3 and any(map(str.isalnum, path[3:]))
    if path.startswith("\\\\"):
        parts = [part for part in path.split("\\") if part]
        return len(parts) > 1 and (parts[0] in "?." or (parts[0][0].isalnum() and len(parts[0]) > 1))
    if path.startswith((".\\", "..\\")):
        return any(map(str.isalnum, path)) and (len(path) > 4 or "." in path[2:])
    if path.startswith("%"):
        return path.find("%", 1) > 1 and path.rstrip("\\").find("\\") > 0
    parts = re.split(r"\\{1,2}", path)
    if len(parts) < 2 or not all(re.fullmatch(r"[\w.\-]+", part) for part in parts):
        return False
    # Two words with a backslash are more often an escape in a string than a file.
    return ending(parts[-1]) in ENDINGS and not (len(parts) == 2 and parts[1][0] in _ESCAPES and len(parts[0]) < 2)


def _end(text: str, start: int, place: int, limit: int) -> int:
    """Where the path that begins at `start` ends: at a blank, unless what follows says that it goes on."""
    run = _RUN.match(text, place, limit)
    end = _trimmed(text, place, run.end()) if run else place
    while end < limit and end > place and text[end] == " " and text[start + 1 : start + 2] in (":", "\\"):
        if ending(_last(text, start, end)) in FOLDED_ENDINGS:
            break
        longer = _longer(text, start, end, limit)
        if longer == end:
            break
        end = longer
    return end


def _longer(text: str, start: int, end: int, limit: int) -> int:
    """Where the path ends if the next words belong to it: to a folder, or to a name with an ending; else `end`."""
    for spaced in _SPACED:
        behind = end - (len(spaced.split(" ")[0]))
        if text.startswith(spaced + "\\", behind):
            run = _RUN.match(text, behind + len(spaced), limit)
            return _trimmed(text, start, run.end()) if run else end
    at = end
    for number in range(4):
        word = _WORD.match(text, at, limit)
        if word is None or word[1].lower() in _STOPS or word[1][0] in "\\/-.(":
            break
        if word[1][-1] in TAIL and "." not in word[1][:-1]:  # the sentence ends here
            break
        at = word.end()
        stop = _trimmed(text, start, at)
        if "\\" in word[1]:
            return stop
        if number < 2 and ending(word[1].rstrip(TAIL + ")")) in ENDINGS:
            return stop
        if stop != at:
            break
    return end


def _last(text: str, start: int, end: int) -> str:
    return text[max(text.rfind("\\", start, end), text.rfind("/", start, end)) + 1 : end]


def _trimmed(text: str, start: int, end: int) -> int:
    """`end` without what a sentence puts behind a path, and without letters glued to the ending of the name."""
    while end > start and (text[end - 1] in TAIL or _closing(text, start, end)):
        end -= 1
    if text.count("(", start, end) > text.count(")", start, end):  # app.cs(12,5)
        end = text.rfind("(", start, end)
    for glue in GLUE.finditer(text, start, end):
        if ending(_last(text, start, glue.start())) in ENDINGS:
            return glue.start()
    return end


def _closing(text: str, start: int, end: int) -> bool:
    """Whether the sign before `end` closes a bracket that the sentence opened."""
    return text[end - 1] == ")" and text.count(")", start, end) > text.count("(", start, end)
