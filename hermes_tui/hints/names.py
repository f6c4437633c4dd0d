"""Names that machines gave: ids of sessions with their anchors, UUIDs, ids of calls and answers, hashes, addresses."""

from __future__ import annotations

import re

from hermes_tui.hints.hint import HintKind, Row
from hermes_tui.hints.known import PICTURES

_SESSION = re.compile(
    r"(?:[\w\-]{1,64}/)?"  # the profile of an anchor
    r"(?:\d{8}_\d{6}_[0-9a-z]{4,16}|api_\d{8,12}_[0-9a-f]{6,16}|cron_[0-9a-f]{6,16}_\d{8}_\d{6})"
)
_UUID = re.compile(r"(?:[\w\-]{1,64}/)?[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
_ISSUED = re.compile(
    r"(?:call|toolu|chatcmpl|resp|req|msg|run|thread|asst|fc|rs)[_\-](?=[A-Za-z\-_]*+\d)[A-Za-z0-9_\-]{8,100}"
)
_MESSAGE = re.compile(r"#\d{1,18}(?!\w)", re.ASCII)
_EMAIL = re.compile(r"[\w.+\-]{1,64}@(?:[A-Za-z0-9\-]{1,63}\.){1,8}([A-Za-z]{2,24})")
_HEX = re.compile(r"(?<![\w\-])[0-9a-fA-F]{7,128}(?![\w\-])", re.ASCII)
_WHOLE_HASHES = (32, 40, 56, 64, 96, 128)  # MD5, SHA-1, SHA-224, SHA-256, SHA-384, SHA-512
_POWER = re.compile(r"\d++e\d++")


def read_name(row: Row, start: int, end: int) -> bool:
    """Note the one id, hash or address that the word `start..end` is, or the hashes in it; whether there was any."""
    text = row.text
    word = text[start:end]
    if _SESSION.fullmatch(word) or _UUID.fullmatch(word):
        message = _MESSAGE.match(text, end, row.end)
        row.add(HintKind.ID, start, message.end() if message else end)
        return True
    if "@" in word and (found := _EMAIL.fullmatch(word)):
        there = text[end : end + 2]
        if found[1].lower() in PICTURES or there in (":/", ":~"):  # logo@2x.png; user@host:/path is no address
            return False
        row.add(HintKind.EMAIL, start, end)
        return True
    if _ISSUED.fullmatch(word):
        row.add(HintKind.ID, start, end)
        return True
    if "/" in word or not _may_hash(word) or text[start - 1 : start] == "#":  # #a1b2c3d4 is a colour
        return False
    found_one = False
    for found in _HEX.finditer(text, start, end):
        if is_hash(found[0]):
            row.add(HintKind.HASH, *found.span())
            found_one = True
    return found_one


def is_hash(word: str) -> bool:
    """Whether hexadecimal digits are a hash: of a known length, or as git shortens one, with letters and digits."""
    if len(word) in _WHOLE_HASHES and (word.islower() or word.isupper()):
        return len(set(word)) > 3
    if not 7 <= len(word) <= 40 or _POWER.fullmatch(word):
        return False
    return word.islower() and any(map(str.isdigit, word)) and any(map(str.isalpha, word))


def _may_hash(word: str) -> bool:
    """Whether the word holds enough of both kinds; most words do not, and need no closer look."""
    return len(word) >= 7 and any(map(str.isdigit, word))
