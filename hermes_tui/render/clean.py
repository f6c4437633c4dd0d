"""The one place that makes stored text safe for a terminal.

No control code, escape sequence, bidirectional override or lone surrogate leaves this module; every letter that a
terminal would have shown does. Because search marks places in the stored text and the screen shows the cleaned one,
`clean_with_map` also says where each place went: the map is monotone, so a range stays a range.
"""

from __future__ import annotations

import re
from array import array
from bisect import bisect_right

from hermes_tui.model.record import dataclass
from hermes_tui.render.cells import cells

TAB = 8  # columns: what tool output that lines up with tabs was written for

# Deleting these from an encoded string and comparing lengths is the quickest way to learn that there are none.
_ASCII_CONTROLS = bytes([*range(0x0A), *range(0x0B, 0x20), 0x7F])

# One character class and nothing else: an alternation here would be tried at every position of the text.
_SUSPECT = re.compile(
    "["
    "\x00-\x09\x0b-\x1f\x7f-\x9f"  # C0 except newline, DEL, C1
    "\u00ad\u180e\u200b\u200c\u2060-\u2064\ufeff"  # invisible: soft hyphen, zero-width spaces, joiners, byte order mark
    "\u115f\u1160\u3164\uffa0"  # fillers: letters without a shape
    "\u061c\u200e\u200f\u202a-\u202e\u2066-\u206f"  # direction marks, embeddings, overrides, isolates
    "\u2028\u2029"  # line and paragraph separator
    "\u200d\ufe00-\ufe0f\U0001f3fb-\U0001f3ff"  # joiner, variation selectors, skin tones: terminals disagree on widths
    "\ud800-\udfff\ufff9-\ufffb\ufffe\uffff"  # lone surrogates, annotation marks, non-characters
    "\U000e0000-\U000e01ef"  # tags and more variation selectors
    "]"
)

# What a terminal would swallow as a whole. Bounded, and never across a line or another control code, so that a sequence
# that is not finished costs its introducer and nothing else.
_SEQUENCE = re.compile(
    r"\x1b\[[0-?]{0,64}[ -/]{0,8}[@-~]"  # CSI
    r"|\x9b[0-?]{1,64}[ -/]{0,8}[@-~]"  # the same in eight bits; bare \x9b is more likely mangled text
    r"|(?:\x1b[\]P_^X]|[\x90\x98\x9d-\x9f])[^\x00-\x1f\x7f-\x9f\u2028\u2029]{0,4096}(?:\x07|\x1b\\|\x9c)"  # OSC, DCS
    r"|\x1b[ -/]{1,4}[0-~]"  # character sets and the like
    r"|\x1b[78=>]"  # save and restore the cursor, keypad modes
    r"|\r+\n"
)
_INTRODUCERS = frozenset("\x1b\x9b\x90\x98\x9d\x9e\x9f\r")

# What no document may hold: controls but tab and newline, direction overrides, what cannot be encoded, line breaks of
# other kinds. Joiners, variation selectors and the like stay: whoever shows a document knows them.
_UNFIT = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]")

_SHOWN = re.compile(r"[^\n]")

# What stands in for a code; nothing for those not named.
_REPLACEMENTS = dict.fromkeys("\r\x0b\x0c\x85\u2028\u2029", "\n") | dict.fromkeys(
    (*map(chr, range(0xD800, 0xE000)), "\ufffe", "\uffff"), "\ufffd"
)


@dataclass(frozen=True, slots=True)
class Cleaned:
    """Safe text and where the places of the source went.

    The four arrays describe the edits in order: source range `[starts, ends)` became `[froms, tos)` of `text`.
    Everything between two edits is the same on both sides.
    """

    text: str
    starts: array[int]
    ends: array[int]
    froms: array[int]
    tos: array[int]

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Where the source range `start..end` is in `text`; never shrinks to nothing while there is text to show it on.

        A range that lies wholly in removed codes is shown on the character that follows them.
        """
        left, right = self._place(start, upper=False), self._place(end, upper=True)
        if left < right or start >= end:
            return left, max(left, right)
        if left < len(self.text) and self.text[left] != "\n":
            return left, left + 1
        if left and self.text[left - 1] != "\n":
            return left - 1, left
        shown = _SHOWN.search(self.text, left) or _SHOWN.search(self.text)
        return shown.span() if shown else (left, left)

    def source(self, offset: int) -> int:
        """The place in the source of offset `offset` of `text`; the first one for text that an edit put in."""
        edit = bisect_right(self.froms, offset) - 1
        if edit < 0:
            return offset
        if offset < self.tos[edit]:
            return self.starts[edit]
        return self.ends[edit] + offset - self.tos[edit]

    def _place(self, offset: int, *, upper: bool) -> int:
        edit = bisect_right(self.starts, offset) - 1
        if edit < 0:
            return offset
        if offset >= self.ends[edit]:
            return self.tos[edit] + offset - self.ends[edit]
        return self.tos[edit] if upper and offset > self.starts[edit] else self.froms[edit]


def clean(text: str, *, keep_newlines: bool = True) -> str:
    """`text` made safe for a terminal: what a reader sees of it, and nothing a terminal would obey.

    Escape sequences and other control codes go, tabs become blanks (stops every 8 cells), a carriage return or another
    kind of line break becomes a newline (a blank without `keep_newlines`), what cannot be encoded becomes U+FFFD.
    """
    safe = text if _is_plain(text) else clean_with_map(text).text
    return safe if keep_newlines else safe.replace("\n", " ")


def clean_for_document(text: str) -> str:
    """`text` for a file that is read elsewhere: as `clean`, but tabs, joiners and invisible letters stay."""
    if _UNFIT.search(text) is None:
        return text
    bare = _SEQUENCE.sub(lambda found: "\n" if found[0].endswith("\n") else "", text)
    return _UNFIT.sub(lambda found: _REPLACEMENTS.get(found[0], ""), bare)


def clean_with_map(text: str) -> Cleaned:
    """`clean(text)` together with the map from places in `text` to places in the result."""
    starts, ends, froms, tos = array("Q"), array("Q"), array("Q"), array("Q")
    if _is_plain(text):
        return Cleaned(text, starts, ends, froms, tos)
    pieces: list[str] = []
    position = length = column = 0
    tabs = "\t" in text
    for found in _SUSPECT.finditer(text):
        start = found.start()
        if start < position:
            continue
        code = found[0]
        kept = text[position:start]
        if tabs:  # only a tab asks at which cell of its line it stands
            newline = kept.rfind("\n")
            column = column + cells(kept) if newline < 0 else cells(kept[newline + 1 :])
        sequence = _SEQUENCE.match(text, start) if code in _INTRODUCERS else None
        position = sequence.end() if sequence else start + 1
        new = " " * (TAB - column % TAB) if code == "\t" else _REPLACEMENTS.get(code, "")
        column = 0 if new == "\n" else column + len(new)
        length += len(kept)
        pieces += kept, new
        starts.append(start)
        ends.append(position)
        froms.append(length)
        length += len(new)
        tos.append(length)
    pieces.append(text[position:])
    return Cleaned("".join(pieces), starts, ends, froms, tos)


def _is_plain(text: str) -> bool:
    if text.isascii():
        return len(text.encode("ascii").translate(None, _ASCII_CONTROLS)) == len(text)
    return _SUSPECT.search(text) is None
