"""Data a line at a time: `key: value` lines as decoded JSON reads, and JSON as it is stored.

Only what is on screen is read. In the middle of a line that is too long to be read from its beginning, reading starts
where one string surely ends and the next begins; where no such place is near, the row stays plain.
"""

from __future__ import annotations

import re

from hermes_tui.render.ink import Ink, Run

LONG = 2000  # characters of a line that are read from its beginning
_NEAR = 300  # characters before a row in which a place to start is looked for
_BEYOND = 200  # characters after a row that are read to tell whether its last string is a key

_FIELD = re.compile(r"(\s{0,200}(?:- ){0,20})([A-Za-z_$@/][\w.$@/-]{0,60}):(?=\s|$)")
_LITERAL = re.compile(r"\s*(?:-?\d[\d.eE+-]{0,40}|true|false|null)\s*,?\s*$")
_TOKEN = re.compile(
    r'(?P<string>"[^"\\\n]*(?:\\.[^"\\\n]*)*"?)'
    r"|(?P<number>(?<![\w.])-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.])|\b(?:true|false|null)\b)"
)
_COLON = re.compile(r"\s*:")
_SEAM = re.compile(r'(?<!\\)"\s*[,:]\s*(?=")')
_JSON = re.compile(r'\s*(?:\{\s*["}]|\[\s*(?:[{"\[\]]|-?\d+(?:\.\d+)?\s*[,\]]))')
_FIRST_FIELD = re.compile(r"\s*[a-z_][\w.-]{0,60}:(?: |\n|$)")
_BLOCKS = frozenset(("else", "try", "finally", "default", "public", "private", "protected"))  # code, not keys


def is_json(text: str) -> bool:
    """Whether `text` begins like a JSON object or array."""
    return _JSON.match(text[:400]) is not None


def is_data(text: str) -> bool:
    """Whether `text` begins like JSON, or like the lines that decoded JSON reads as."""
    head = text[:400]
    return _JSON.match(head) is not None or _FIRST_FIELD.match(head) is not None


def data_runs(text: str, start: int, end: int) -> list[Run]:
    """Keys, strings, numbers on the row `start..end` of `text`."""
    left = text.rfind("\n", max(0, start - LONG), start) + 1
    if left == 0 and start > LONG:
        return _json_runs(text, _seam(text, start), end) if _seam(text, start) else []
    found = _FIELD.match(text, left, min(end, left + 400))
    if found is None or found[2] in _BLOCKS:
        return _json_runs(text, (_seam(text, start) or left) if start - left > _NEAR else left, end)
    runs: list[Run] = [(found.start(2), found.end(), Ink.KEY)]
    right = text.find("\n", found.end(), end + _BEYOND)
    value = found.end(), right if right >= 0 else min(len(text), end + _BEYOND)
    if _LITERAL.match(text, *value):
        runs.append((*value, Ink.NUMBER))
    elif text[value[0] : value[0] + 2].strip()[:1] in ("{", "[", '"'):
        runs += _json_runs(text, value[0], end)
    return runs


def _json_runs(text: str, left: int, end: int) -> list[Run]:
    """The tokens of JSON from `left`, which is in no string, to the row's end."""
    runs: list[Run] = []
    right = text.find("\n", end, end + _BEYOND)
    right = right if right >= 0 else min(len(text), end + _BEYOND)
    opening = text[left : left + 200].lstrip()[:1]
    if (not opening or opening not in '{}[]",') and not _LITERAL.match(text, left, right):
        return []
    for token in _TOKEN.finditer(text, left, right):
        if token.start() >= end:
            break
        if token.lastgroup == "number":
            runs.append((*token.span(), Ink.NUMBER))
        else:
            runs.append((*token.span(), Ink.KEY if _COLON.match(text, token.end(), right) else Ink.STRING))
    return runs


def _seam(text: str, start: int) -> int:
    """The last place near before `start` where a string begins, 0 for none."""
    place = 0
    for found in _SEAM.finditer(text, max(0, start - _NEAR), start):
        place = found.end()
    return place
