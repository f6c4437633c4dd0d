"""Classes of characters: what names of files are made of, what is written without blanks between words, what ends a
sentence."""

from __future__ import annotations

import re
from typing import Final

# Scripts written without blanks between words, and Korean, whose particles stick to the word before them. A path in
# such a text has no blanks around it, so where it ends is told from what it is made of.
GLUED: Final = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\u2fdf\u3005-\u3007\u3021-\u3029\u3031-\u3035\u3041-\u30fa"
    "\u30fc-\u30ff\u3105-\u318f\u31a0-\u31bf\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff"
    "\uff10-\uff19\uff21-\uff3a\uff41-\uff5a\uff66-\uff9f\U00020000-\U0003ffff"
)
MARKS: Final = "\u0300-\u036f\u0483-\u0487\u0591-\u05bd\u064b-\u065f\u0900-\u0dff\u3099\u309a\ufe0e\ufe0f\u200c\u200d"
"""Characters that belong to the letter before them and are no letters of their own to `re`."""

GLUE: Final = re.compile(f"[{GLUED}]++")
NAME: Final = rf"[\w{GLUED}{MARKS}.\-+@%~/$*]"
"""A character of a path as it stands in a sentence: no blank, no quote, no bracket, no sign that ends a sentence."""

QUOTES: Final = {'"': '"', "'": "'", "“": "”", "‘": "’", "„": "“", "«": "»", "「": "」", "『": "』"}
TAIL: Final = ".,;:!?*@$%…"
"""What a sentence may put behind a path or URL, and no name of either ends in."""


def is_word(char: str) -> bool:
    """Whether a character goes on a word: a letter, digit or underscore of a script that puts blanks between words."""
    return (char.isalnum() or char == "_") and GLUE.match(char) is None
