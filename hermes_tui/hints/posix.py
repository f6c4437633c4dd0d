"""Whether a word is a path, from its shape alone: `src/app.py` is; `and/or`, `1/2`, `text/html`, `s/a/b/` are not."""

from __future__ import annotations

import re

from hermes_tui.hints.known import (
    DOTFILES,
    ENDINGS,
    FILES,
    FOLDED_ENDINGS,
    FOLDED_FILES,
    FOLDERS,
    LOOSE_FOLDERS,
    MEDIA,
    NEVER_BARE,
    OWNERS,
    PRODUCTS,
    ROOTS,
    ending,
)

_VARIABLE = re.compile(r"\$(?:\w{1,64}|\{\w{1,64}\})/.")
_HOME = re.compile(r"~(?:[a-z_][\w\-]{0,31})?/")
_FLAGS = re.compile(r"[gimsuyxe]{1,4}")
_SCRIPTED = frozenset(("s", "y", "m", "tr", "qr", "sed"))  # s/foo/bar/


def is_path(word: str) -> bool:
    """Whether a word with a slash in it is a path of POSIX kind."""
    if "//" in word[:2] or "*" in word or "/" not in word:
        return False
    if word.startswith(("./", "../")):
        return any(map(str.isalnum, word))
    if _HOME.match(word) or _VARIABLE.match(word):
        return any(map(str.isalnum, word.partition("/")[2]))
    names = [name for name in word.split("/") if name]
    if not names or all(name.replace(".", "").isdigit() for name in names):
        return False
    if word.startswith("/"):
        return _absolute(names, word)
    return _relative(names, word)


def is_file(word: str) -> bool:
    """Whether a word without a slash names a file."""
    if word in FILES or word in DOTFILES or word.startswith(".env."):
        return True
    last = ending(word)
    stem = word[: -len(last) - 1].lower()
    if len(last) == 1 and "." in stem:  # a.b.c
        return False
    if last not in ENDINGS or word.lower() in PRODUCTS or stem in OWNERS or not any(map(str.isalnum, stem)):
        return False
    if stem.partition(".")[0] in OWNERS or word.startswith((".", "-", "@", "$", "~")):
        return False
    return last not in NEVER_BARE


def is_named(name: str) -> bool:
    """Whether the last name of a path says by itself that it is a file's."""
    if name in FOLDED_FILES or name in DOTFILES:
        return True
    return ending(name) in FOLDED_ENDINGS and name.lower() not in PRODUCTS


def _absolute(names: list[str], word: str) -> bool:
    if names[0] in ROOTS:
        return True
    if len(names) == 1:  # /help is a command, /swap.img a file
        return not word.endswith("/") and (ending(names[0]) in FOLDED_ENDINGS or names[0] in DOTFILES)
    return not (len(names) == 2 and _FLAGS.fullmatch(names[1])) and any(len(name) > 1 for name in names)


def _relative(names: list[str], word: str) -> bool:
    first, last = names[0], names[-1]
    if first in _SCRIPTED and (word.endswith("/") or _FLAGS.fullmatch(last)):
        return False
    if first in MEDIA and (ending(last) not in ENDINGS or last.startswith("vnd.")):
        return False
    if not any(map(str.isalpha, word)) or first == "..." or last in ("...", ".."):
        return False
    if word.endswith("/"):
        return _folder(names)
    if len(names) > 1 and is_named(last):
        # Two names of files with a slash between them are two files.
        return ending(first) not in ENDINGS
    if len(names) < 2:
        return False
    if first in FOLDERS:
        return True
    return len(names) > 2 and (
        first in LOOSE_FOLDERS or any(name in FOLDERS or "_" in name or name.startswith(".") for name in names)
    )


def _folder(names: list[str]) -> bool:
    """Whether a word that ends in a slash is a folder: `widgets/` is, `w/` and `he/she/` are not."""
    if len(names) == 1:
        return names[0] in FOLDERS or (len(names[0]) > 2 and any(map(str.isalpha, names[0])))
    return any(name in LOOSE_FOLDERS or any(sign in name for sign in "_.-") for name in names) or len(names) > 2
