"""What a term looks like in the indexes and in raw rows: MATCH expressions and SQL patterns.

Every expression here is a superset: it may find rows the term is not in (verification throws them out) but must not
miss one in a row the index speaks for. Facts come from ../facts of SQLite's unicode61 and trigram tokenizers, tried:

* A word behind an escape of stored JSON is glued to it: `\\nerror` in a tool result is the token `nerror`.
* A word behind a terminal colour is glued to its last letter: `ESC[31mERROR` is the token `31merror`.
* `\\u5317` in stored JSON is the token `u5317`.
* unicode61 takes one accent off a letter, not two: `việt` stays, `viêt` becomes `viet`.
* A substring is a phrase of its tokens; the first may be the end of a longer token, the last the beginning of one.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache

from hermes_tui.model.record import dataclass
from hermes_tui.query.fold import SHARP_S, bare_letter, folded_needle
from hermes_tui.query.terms import Term, TermKind, is_word_char

# The tokens of unicode61 (letters, numbers, private use, marks on them).
_TOKEN = re.compile("(?:(?:[^\\W_]|[\ue000-\uf8ff])[\u0300-\u036f]*)+")
_ESCAPE_GLUE = ("n", "t", "r", "b", "f")
_PUNCTUATION_GLUE = tuple(
    f"u{ord(char):04x}"
    for char in "<>&'=+`\x1b\xa0\xab\xbb\xb7\u2013\u2014\u2018\u2019\u201c\u201d"
    "\u2022\u2026\u200b\u3000\u3001\u3002\uff0c\uff1a"
)
_COLOUR_GLUE = (
    *(f"{code}m" for code in (0, 1, 2, 3, 4, 7, 22, 23, 24, 27, *range(30, 38), 39, 49, *range(90, 98))),
    "m", "k", "0k", "1k", "2k", "b",
)  # fmt: skip
_BLANK_GLUE = ("u00a0", "u2002", "u2003", "u2009", "u202f", "u0085", "u2028")
GLUE = (*_ESCAPE_GLUE, *_PUNCTUATION_GLUE, *_COLOUR_GLUE)
RARE_GLUE = tuple(glue for glue in (f"{code}m" for code in range(256)) if glue not in _COLOUR_GLUE)


@dataclass(frozen=True, slots=True)
class Pattern:
    """One SQL condition on a raw column.

    `like` folds ASCII (`LIKE_ESCAPE` escapes), `glob` is exact; both are blind behind a NUL. `has` looks for `text`
    as it stands, also behind a NUL. `odd` is met by a column of more than int(text) characters that holds something
    else than ASCII; `nul` by one that holds a NUL, and the small letters `text` or an escape of JSON anywhere.
    `json` is `like` for a column that may hold JSON; `accent` is `odd` where only accents of Latin letters matter.
    """

    operator: str
    text: str


def quoted(text: str) -> str:
    """An FTS5 string: legal whatever it holds, except a NUL."""
    return '"' + text.replace('"', '""') + '"'


def any_of(expressions: list[str] | tuple[str, ...]) -> str:
    """A MATCH expression for rows that match any of `expressions`, or "" for none."""
    unique = list(dict.fromkeys(expressions))
    return unique[0] if len(unique) == 1 else f"({' OR '.join(unique)})" if unique else ""


def all_of(expressions: list[str] | tuple[str, ...]) -> str:
    """A MATCH expression for rows that match every one of `expressions`, of which "" says nothing."""
    return " AND ".join(dict.fromkeys(filter(None, expressions)))


# -- the word index ---------------------------------------------------------------------------------------------------


def word_expression(term: Term, *, rare: bool, prefix: bool | None = None) -> str:
    """Rows that hold a WORD as a word; with `rare` also stuck to any escape or colour, or with two accents on a letter.

    `prefix` overrules the term's own.
    """
    star = "*" if (term.prefix if prefix is None else prefix) else ""
    return any_of([f"{quoted(form)}{star}" for form in _word_forms(term, rare=rare)])


def rest_expression(term: Term) -> str:
    """Rows that hold a WORD only in a form that `word_expression` looks for with `rare` and not without."""
    star = "*" if term.prefix else ""
    common = set(_word_forms(term, rare=False))
    return any_of([f"{quoted(form)}{star}" for form in _word_forms(term, rare=True) if form not in common])


def _word_forms(term: Term, *, rare: bool) -> list[str]:
    bare = folded_needle(term.text, case=True, accents=True)
    typed = []
    for text in spellings(term.text):
        typed += [folded_needle(text, case=False, accents=True), *_final_forms(text), *json_forms(text)]
    # What begins with an escape of JSON sticks to nothing: its backslash stands between.
    open_left = [form for form in dict.fromkeys(typed) if not _BACKSLASHED.match(form)]
    glues = (*GLUE, *RARE_GLUE) if rare else _ESCAPE_GLUE
    forms = [*typed, *(glue + form for form in open_left for glue in glues)]
    if rare:
        forms += _twice_accented(bare)
    return forms


_BACKSLASHED = re.compile("u[0-9a-f]{4}")


def phrase_expression(term: Term, *, rare: bool) -> str:
    """Rows that hold a CODE or PHRASE term with its tokens whole and side by side: nearly all of its rows, at once."""
    if "\0" in term.text:
        return ""
    star = "*" if _open_right(term.text) else ""
    glues = (*GLUE, *RARE_GLUE) if rare else _ESCAPE_GLUE
    bodies = []
    for text in spellings(unicodedata.normalize("NFC", term.text)):
        tokens = _TOKEN.findall(text)
        if not tokens:
            return ""
        if not rare and _slow_end(tokens):
            star = ""  # where it goes on behind these letters, the superset finds it
        bodies.append(" ".join(tokens))
        if _open_left(text):
            bodies += [" ".join((glue + tokens[0], *tokens[1:])) for glue in glues]
        bodies += [form for form in json_forms(text) if form]
    return any_of([f"{quoted(body)}{star}" for body in bodies])


def superset_expression(term: Term) -> str:
    """Rows that can hold a CODE or PHRASE term anywhere, or "" when its tokens do not say (a piece of one word)."""
    if "\0" in term.text:
        return ""
    written = [_superset(text) for text in spellings(unicodedata.normalize("NFC", term.text))]
    return any_of(written) if all(written) else ""


def _superset(text: str) -> str:
    pieces = text.split()
    expressions = []
    for index, piece in enumerate(pieces):
        first, last = index == 0 and not text[0].isspace(), index == len(pieces) - 1
        star = last and not text[-1].isspace() and _open_right(piece)
        expressions.append(_piece_expression(piece, loose_left=first and _open_left(piece), star=star, inner=not first))
    return all_of(expressions)


def spellings(text: str) -> list[str]:
    """`text` as typed, and with each ss a sharp s or the other way round: case makes them equal, the indexes do not."""
    small = text.lower()
    spelt = [text]
    if SHARP_S in small:
        spelt.append(small.replace(SHARP_S, "ss"))
    elif "ss" in small:
        spelt += [small[:place] + SHARP_S + small[place + 2 :] for place in _places(small, "ss")]
    return spelt


def _places(text: str, part: str) -> list[int]:
    return [place for place in range(len(text)) if text.startswith(part, place)]


def _piece_expression(piece: str, *, loose_left: bool, star: bool, inner: bool) -> str:
    """One blank-free piece. `loose_left`: its first token may end a longer one, so it says nothing. `inner`: white
    space stands before it, which in stored JSON may be an escape that sticks to its first token."""
    bodies = []
    for body in (piece, *_escaped_pieces(piece)):
        tokens = _TOKEN.findall(body)
        tokens = tokens[1:] if loose_left else tokens
        if not tokens:
            return ""
        tail = "*" if star else ""
        if star and _slow_end(tokens):
            tokens, tail = tokens[:-1], ""
        forms = [" ".join(tokens)]
        if inner and _open_left(body):
            forms += [" ".join((glue + tokens[0], *tokens[1:])) for glue in (*GLUE, *_BLANK_GLUE)]
        bodies += [f"{quoted(form)}{tail}" for form in forms]
    return any_of(bodies)


def _slow_end(tokens: list[str]) -> bool:
    """Whether the last token, as the beginning of one, costs far more than the others and says little beside them: the
    `py` of a path is in every file's name, and 30 times as slow to look up as the folders before it."""
    return len(tokens) > 2 and len(tokens[-1]) <= 3


def _open_left(text: str) -> bool:
    return is_word_char(text[0])


def _open_right(text: str) -> bool:
    return is_word_char(text[-1])


@cache
def _letters_with_two_accents() -> dict[str, tuple[str, ...]]:
    """Plain small letter -> the letters made of it and two marks, which unicode61 does not fold."""
    table: dict[str, list[str]] = {}
    for code in (*range(0xC0, 0x250), *range(0x1E00, 0x1F00)):
        char = chr(code)
        if len(unicodedata.normalize("NFD", char)) > 2 and char == char.lower():
            table.setdefault(bare_letter(char), []).append(char)
    return {base: tuple(chars) for base, chars in table.items()}


def _twice_accented(bare: str) -> list[str]:
    """`bare` with one letter given two accents: a syllable of Vietnamese or Pinyin carries at most one such letter."""
    table = _letters_with_two_accents()
    return [
        bare[:index] + accented + bare[index + 1 :]
        for index, char in enumerate(bare)
        for accented in table.get(char, ())
    ]


def _final_forms(text: str) -> list[str]:
    """The word as typed in both normal forms: outside Latin, unicode61 keeps the one and strips the other's marks."""
    if text.isascii():
        return []
    return [unicodedata.normalize("NFC", text), unicodedata.normalize("NFD", text)]


# -- stored JSON ------------------------------------------------------------------------------------------------------


def json_forms(text: str) -> list[str]:
    """`text` as tokens of JSON that escapes it: for each common way of writing capitals; [] for plain ASCII letters."""
    forms = []
    for piece in _escaped_pieces(unicodedata.normalize("NFC", text)):
        tokens = _TOKEN.findall(piece)
        if tokens:
            forms.append(" ".join(tokens))
    return forms


def _escaped_pieces(text: str) -> list[str]:
    """`text` with what JSON writers escape written `\\uXXXX`: letters outside ASCII, and `<>&` as Go does."""
    written = [text] if text.isascii() else list(dict.fromkeys((text, text.lower(), text.upper(), text.title())))
    pieces = [_escape(form, html=False) for form in written if not form.isascii()]
    if re.search("[<>&]", text):
        pieces += [_escape(form, html=True) for form in written]
    return [piece for piece in dict.fromkeys(pieces) if piece != text]


def _escape(text: str, *, html: bool) -> str:
    out = []
    for char in text:
        if not char.isascii() or (html and char in "<>&"):
            out += [f"\\u{unit:04x}" for unit in _utf16(char)]
        else:
            out.append(char)
    return "".join(out)


def _utf16(char: str) -> tuple[int, ...]:
    code = ord(char)
    if code < 0x10000:
        return (code,)
    return (0xD800 + ((code - 0x10000) >> 10), 0xDC00 + ((code - 0x10000) & 0x3FF))


# -- the trigram index ------------------------------------------------------------------------------------------------


def trigram_expression(term: Term) -> str:
    """Rows that hold the term as a substring, in rows the trigram index holds; "" when it is too short for it.

    Trigram folds case but not accents, so a WORD or PART says only the stretches without Latin letters when it is not
    plain ASCII. White space, what JSON may put a backslash before, and what stands between its texts only when they are
    read are left to verification.
    """
    if "\0" in term.text:
        return ""
    text = unicodedata.normalize("NFC", term.text)
    if term.kind in (TermKind.WORD, TermKind.PART):
        bare = folded_needle(text, case=True, accents=True)
        pieces = [bare] if bare.isascii() else _LATIN.split(text)
    else:
        pieces = _HIDDEN.split(text)
    return all_of([_literal(piece) for piece in sorted(pieces, key=len, reverse=True) if len(piece) >= 3])


_LATIN = re.compile("[A-Za-z\u00c0-\u024f\u1e00-\u1eff]+")
_HIDDEN = re.compile("[\\s\"\\\\/<>&':-]+")


def _literal(text: str) -> str:
    """`text` as trigram may have it: both normal forms, and as JSON, JSON in JSON, or that in JSON spells it."""
    forms: list[str] = []
    for spelt in spellings(text):
        escaped = _escaped_pieces(spelt)
        deeper = [piece.replace("\\u", "\\" * more + "u") for more in (2, 4) for piece in escaped]
        forms += [spelt, unicodedata.normalize("NFD", spelt), *escaped, *deeper]
    return any_of([quoted(form) for form in forms])


# -- raw rows ---------------------------------------------------------------------------------------------------------

# Patterns begin with a plain character: SQLite skips to it at memory speed, but tries a leading class everywhere.
ACCENT_ESCAPES = ("*\\u00[c-fC-F]*", "*\\u0[12]*", "*\\u03[0-6]*", "*\\u1[eE]*")
_HIDDEN_BY_JSON = frozenset("\"\\/<>&'")  # what a JSON writer may put a backslash or an escape for
_ADDED_TOO = _HIDDEN_BY_JSON | frozenset("-:")  # and what reading JSON as lines puts between its texts
_ADDED = re.compile("[-:]")
LIKE_ESCAPE = "!"


def raw_patterns(term: Term, *, indexed: bool = False, indexed_chars: int | None = None) -> tuple[Pattern, ...]:
    """Conditions on a raw column, one of which every text that holds the term meets.

    `indexed`: the word index has found what is accented or spelt unusually, `indexed_chars` into a text (None: all).
    """
    text = unicodedata.normalize("NFC", term.text)
    loose = term.kind in (TermKind.WORD, TermKind.PART)
    needle = folded_needle(text, case=True, accents=loose)
    latin = any(char.isascii() and char.isalpha() for char in needle)
    patterns: list[Pattern] = []
    if needle.isascii():
        patterns.append(Pattern("like", f"%{_like(needle)}%"))
    else:
        patterns.append(Pattern("like", f"%{_escaped_like(text)}%"))
    if _ADDED.search(needle):
        loose_like = _like(needle, _ADDED_TOO) if needle.isascii() else _escaped_like(text, _ADDED_TOO)
        patterns.append(Pattern("json", f"%{loose_like}%"))
    if "ss" in needle:  # it may be written with a sharp s
        patterns += [Pattern("accent", "0"), Pattern("like", "%\\u00df%")]
    # lower() of SQLite folds ASCII only, so where accents may stand every text with a NUL is decoded.
    patterns.append(Pattern("nul", _longest_run(needle) if needle.isascii() and not (loose and latin) else ""))
    if not latin and needle == needle.upper() and text == unicodedata.normalize("NFD", text):
        patterns += [] if needle.isascii() else [Pattern("has", text)]
    elif not needle.isascii() and not indexed:
        patterns.append(Pattern("odd", "0"))
    elif not needle.isascii():
        patterns += [Pattern("has", form) for form in dict.fromkeys((text, text.lower(), text.upper(), text.title()))]
    elif loose and (not indexed or indexed_chars is not None):
        patterns.append(Pattern("accent", str(indexed_chars or 0)))
    if loose and latin:
        patterns += [Pattern("glob", glob) for glob in ACCENT_ESCAPES]
    return tuple(patterns)


def glued_patterns(term: Term) -> tuple[Pattern, ...]:
    """Conditions on a raw column for a WORD stuck to a letter of a script without spaces, or to an escape of one."""
    needle = folded_needle(term.text, case=True, accents=True)
    return (Pattern("odd", "0"), Pattern("like", f"%\\u____{_like(needle)}%"))


def _longest_run(text: str) -> str:
    """The longest run of ASCII letters and digits: JSON writes those as they are."""
    return max(re.findall("[0-9A-Za-z]+", text), key=len, default="")


def _like(text: str, hidden: frozenset[str] = _HIDDEN_BY_JSON) -> str:
    out: list[str] = []
    for char in text:
        if char in hidden or char.isspace() or not char.isprintable():
            out.append("%")
        else:
            out.append(LIKE_ESCAPE + char if char in f"%_{LIKE_ESCAPE}" else char)
    return "".join(out)


def _escaped_like(text: str, hidden: frozenset[str] = _HIDDEN_BY_JSON) -> str:
    """`text` with its letters outside ASCII as JSON escapes, whatever their case."""
    out = []
    for char in text:
        if char.isascii():
            out.append(_like(char, hidden))
            continue
        written = {char, char.lower(), char.upper(), *("σς" if char.lower() in "σς" else "")}
        forms = [_utf16(form) for form in written if len(form) == 1]
        for units in zip(*forms, strict=False):
            digits = [f"{unit:04x}" for unit in units]
            same = "".join(places[0] if len(set(places)) == 1 else "_" for places in zip(*digits, strict=True))
            out.append(f"%\\u{same}")  # arguments are JSON in JSON: their backslashes are two
    return "".join(out)
