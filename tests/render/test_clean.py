"""What reaches a terminal: no code it would obey, every letter it would show, and marks that stay on their text."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from hermes_tui.render import cells, clean, clean_for_document, clean_with_map

HOSTILE = {
    "clear-title-eightbit-cr": ("A\x1b[2J\x1b]0;own\x07B\x9b31mC\rD", "ABC\nD"),
    "colour": ("\x1b[31mERROR\x1b[0m: \x1b[1;33mhidden\x1b[0m", "ERROR: hidden"),
    "true-colour-colons": ("\x1b[38:2::10:20:30mx\x1b[m", "x"),
    "cursor-moves": ("a\x1b[10;20Hb\x1b[3Ac\x1b[?25ld", "abcd"),
    "unfinished-csi-at-end": ("tail\x1b[31", "tail[31"),
    "csi-cut-by-newline": ("\x1b[31\nm", "[31\nm"),
    "clipboard-by-bell": ("x\x1b]52;c;ZXZpbA==\x07y", "xy"),
    "clipboard-by-string-terminator": ("x\x1b]52;c;ZXZpbA==\x1b\\y", "xy"),
    "clipboard-eightbit": ("x\x9d52;c;ZXZpbA==\x9cy", "xy"),
    "link": ("\x1b]8;;http://evil.test\x1b\\click\x1b]8;;\x1b\\ here", "click here"),
    "unfinished-osc": (
        "before \x1b]0;title and the whole rest of the message",
        "before ]0;title and the whole rest of the message",
    ),
    "osc-never-across-lines": ("a\x1b]0;t\nstill here\x07b", "a]0;t\nstill hereb"),
    "osc-of-a-book": ("\x1b]0;" + "w" * 9000 + "\x07", "]0;" + "w" * 9000),
    "dcs": ("a\x1bPq#0;2;0;0;0\x1b\\b", "ab"),
    "tmux-passthrough": ("a\x1bPtmux;\x1b\x1b]52;c;eA==\x07\x1b\\b", "aPtmux;\\b"),
    "apc-pm-sos": ("\x1b_a\x1b\\1\x1b^b\x1b\\2\x1bXc\x1b\\3", "123"),
    "character-set": ("\x1b(0lqk\x1b(B", "lqk"),
    "reset-keeps-letter": ("a\x1bcb", "acb"),
    "save-restore-keypad": ("\x1b7a\x1b8b\x1b=c\x1b>", "abc"),
    "lone-escape": ("a\x1b", "a"),
    "bell-backspace-nul-del": ("a\x07b\x08c\x00d\x7fe", "abcde"),
    "vertical-tab-form-feed": ("a\x0bb\x0cc", "a\nb\nc"),
    "dos-lines": ("a\r\nb\r\r\nc\n", "a\nb\nc\n"),
    "progress-bar": ("10%\r50%\r100%\n", "10%\n50%\n100%\n"),
    "c1-letters-stay": ("na\x9bve \x85next\x8ee", "nave \nnexte"),
    "bidi-override": ("user\u202e\u2066// admin\u2069\u2066 only", "user// admin only"),
    "direction-marks": ("a\u200eb\u200fc\u061cd", "abcd"),
    "zero-width": ("pass\u200bword\ufeff\u2060\u00ad!", "password!"),
    "zwj-family": ("\U0001f468\u200d\U0001f469\u200d\U0001f467", "\U0001f468\U0001f469\U0001f467"),
    "skin-tone-and-variation": ("\U0001f44d\U0001f3fd \u2764\ufe0f", "\U0001f44d \u2764"),
    "lone-surrogate": ("a\ud83db\udfffc", "a\ufffdb\ufffdc"),
    "fillers": ("a\u3164b\u115fc\uffa0", "abc"),
    "tag-characters": ("hi\U000e0068\U000e0069", "hi"),
    "line-separators": ("a\u2028b\u2029c", "a\nb\nc"),
    "non-characters": ("\uffff\ufffe\ufffbx", "\ufffd\ufffdx"),
    "markup": ("[/] [@click=app.quit]press[/] [red]x", "[/] [@click=app.quit]press[/] [red]x"),
    "tabs": ("a\tb\n12345678\tc\n\x1b[1mab\x1b[0m\td", "a       b\n12345678        c\nab      d"),
    "tab-after-wide": ("\u6f22\u5b57\tx", "\u6f22\u5b57    x"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_text_shows_as(name: str) -> None:
    raw, shown = HOSTILE[name]
    assert clean(raw) == shown


def test_one_line_form_has_no_newline() -> None:
    assert clean("a\r\nb\rc\n", keep_newlines=False) == "a b c "


PIECES = st.one_of(
    st.text(max_size=6),
    st.text(alphabet=st.characters(codec=None), max_size=4),
    st.sampled_from([raw for raw, _ in HOSTILE.values() if len(raw) < 200]),
    st.sampled_from([chr(code) for code in (*range(0x20), *range(0x7F, 0xA0), 0x202E, 0x2066, 0xD800, 0x200D, 0xFE0F)]),
    st.sampled_from(["\x1b[", "\x1b]", "\x1b]0;", "\x1bP", "\x9b1", "31m", "\x07", "\x1b\\", "\r\n", "\t"]),
)
TEXTS = st.lists(PIECES, max_size=12).map("".join)

# Format characters that are drawn: signs that span the digits after them.
DRAWN = {"\u0600", "\u0601", "\u0602", "\u0603", "\u0604", "\u0605", "\u06dd", "\u070f", "\u0890", "\u0891", "\u08e2",
         "\U000110bd", "\U000110cd"}  # fmt: skip


@given(TEXTS)
def test_nothing_a_terminal_obeys_survives(text: str) -> None:
    shown = clean(text)
    for character in shown:
        category = unicodedata.category(character)
        if category == "Cf":  # musical and shorthand format signs have no width and no effect on the text around them
            assert character in DRAWN or ord(character) > 0xFFFF
            assert not 0xE0000 <= ord(character) <= 0xE01EF
        else:
            assert category not in ("Cs", "Cc", "Zl", "Zp") or character == "\n"
    shown.encode("utf-8")
    assert cells(shown.replace("\n", "")) == cell_len(shown.replace("\n", ""))


@given(TEXTS)
def test_cleaning_again_changes_nothing(text: str) -> None:
    assert clean(clean(text)) == clean(text)


@given(
    st.lists(
        st.sampled_from(["a", "Z", "\u00e9", "\u6f22", " ", "\r", "\x00", "\x08", "\x9b", "\u202e", "\ud800", "\t"])
    ).map("".join)
)
def test_letters_stay_where_no_sequence_swallows_them(text: str) -> None:
    def letters(value: str) -> str:
        return "".join(character for character in value if character.isalpha())

    assert letters(clean(text)) == letters(text)


@given(TEXTS)
def test_the_map_is_monotone_and_true_for_every_kept_character(text: str) -> None:
    cleaned = clean_with_map(text)
    assert cleaned.text == clean(text)
    edited = {place for start, end in zip(cleaned.starts, cleaned.ends, strict=True) for place in range(start, end)}
    previous = 0
    for place, character in enumerate(text):
        start, end = cleaned.span(place, place + 1)
        assert 0 <= start <= end <= len(cleaned.text)
        if place not in edited:
            assert cleaned.text[start:end] == character
            assert cleaned.source(start) == place
            assert start >= previous
            previous = start
    kept = [character for place, character in enumerate(text) if place not in edited]
    put_in = [place for low, high in zip(cleaned.froms, cleaned.tos, strict=True) for place in range(low, high)]
    assert kept == [character for place, character in enumerate(cleaned.text) if place not in set(put_in)]


@given(TEXTS, st.data())
def test_a_span_covers_exactly_what_is_left_of_it(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    cleaned = clean_with_map(text)
    edited = {place for low, high in zip(cleaned.starts, cleaned.ends, strict=True) for place in range(low, high)}
    kept = [place for place in range(start, end) if place not in edited]
    left, right = cleaned.span(start, end)
    if kept:
        assert left <= cleaned.span(kept[0], kept[0] + 1)[0]
        assert cleaned.span(kept[-1], kept[-1] + 1)[1] <= right
    if end > start and cleaned.text.strip("\n"):
        assert left < right, "a match is never invisible"


def test_a_match_inside_a_removed_code_is_shown_on_its_neighbour() -> None:
    cleaned = clean_with_map("see \x1b]8;;http://host.test\x1b\\docs\x1b]8;;\x1b\\")
    start = "see \x1b]8;;http://host.test".index("host")
    left, right = cleaned.span(start, start + 4)
    assert cleaned.text[left:right] == "d"


def test_a_match_that_spans_a_colour_code_stays_whole() -> None:
    raw = "\x1b[31mERR\x1b[0mOR: x"
    cleaned = clean_with_map(raw)
    left, right = cleaned.span(raw.index("ERR"), raw.index("OR") + 2)
    assert cleaned.text[left:right] == "ERROR"


def test_a_document_keeps_what_only_a_terminal_cannot_show() -> None:
    kept = "a\tb 👩‍👩‍👧 ❤️ soft\u00adhyphen\n\u200eשלום"
    assert clean_for_document(kept) == kept
    assert clean_for_document("\x1b[31mred\x1b[0m\r\n\x00a\rb\x85c\u2028d \u202eover\u2066 \ud800") == (
        "red\na\nb\nc\nd over \ufffd"
    )
