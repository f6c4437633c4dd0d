"""Where labels stand, apart from any screen: on the row where a thing begins to be seen, none on another."""

from __future__ import annotations

from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

from hermes_tui.hints import HintKind, find
from hermes_tui.model import Message, ToolCall
from hermes_tui.render import View, lay_out
from hermes_tui.tui.selecting import cut
from hermes_tui.tui.tags import Tag, in_line, of_hit, on_page, overlay, spread
from tests.render.reading import message, rows

PATH = "/srv/" + "very_long_name/" * 12 + "end.py"


def seen(held: Message, width: int, part: range | None = None, *, unfolded: bool = False) -> list[tuple[str, int, str]]:
    """What is labelled: its text, its row, and what the row shows from there on."""
    page = lay_out(held, View(width, unfolded=unfolded))
    shown = rows(page)
    found = on_page(held, page, range(page.height) if part is None else part)
    return [(each.hint.text, each.row, cut(shown[each.row], each.x, None)) for each in found]


def test_a_label_stands_where_the_thing_begins_to_be_seen() -> None:
    held = message(f"one two\n- see {PATH} and `x = 1`, 文件a.py里\n\n```py\n\tcode\n```", "user")
    for width in (20, 40, 100):
        found = seen(held, width)
        assert [text for text, _, _ in found] == [PATH, "x = 1", "a.py", "\tcode"]
        for (_, _, shown), begin in zip(found, ("/srv/very", "`x =", "a.py", "```py"), strict=True):
            assert shown.startswith(begin)


def test_what_began_above_has_its_label_on_the_first_row_that_is_seen() -> None:
    held = message(f"{PATH}\n```\n" + "line\n" * 20 + "```", "user")
    page = lay_out(held, View(40))
    middle = range(2, 4)
    assert [(text, row) for text, row, _ in seen(held, 40, middle)] == [(PATH, 2)]
    inside = range(page.height - 4, page.height)
    assert [(text, row) for text, row, _ in seen(held, 40, inside)] == [("line\n" * 19 + "line", inside.start)]
    assert seen(held, 40, range(0)) == []


def test_a_card_shows_the_beginning_of_a_command_and_hands_over_all_of_it() -> None:
    command = "grep -rn needle src/ | " + "sort | " * 40 + "head"
    held = message("", "assistant", tool_calls=(ToolCall("c", "terminal", f"command: {command}\ntimeout: 5"),))
    ((text, _, shown), *_) = seen(held, 60)
    assert text == command
    assert shown.startswith("grep -rn needle")
    many = message("", "assistant", tool_calls=(ToolCall("c", "terminal", "command:\ncd a/\nmake all"),))
    assert seen(many, 60)[0][0] == "cd a/\nmake all"
    assert [text for text, _, _ in seen(held, 60, unfolded=True)][:1] == [command]


def test_what_a_line_cuts_is_known_by_what_is_left_of_it() -> None:
    hints = find("see src/application.py and /etc/hosts, or https://lab.test/a")
    assert [(hint.text, x) for hint, x in in_line(hints, "… src/application.py and /et…")] == [
        ("src/application.py", 2)
    ]
    assert [(hint.text, x) for hint, x in in_line(hints, "…lication.py and /etc/h…")] == [
        ("src/application.py", 1),
        ("/etc/hosts", 17),
    ]
    assert list(in_line(hints, "nothing of it")) == []


def test_a_hit_far_in_a_long_message_is_read_around_its_words() -> None:
    text = "see src/first.py\n" + "x y\n" * 100_000 + "the needle is in src/last.py\n"
    assert [hint.text for hint in of_hit(message(text, "user"), "…the needle is in src/l…")] == ["src/last.py"]
    again = "no configuration here\n" + "x y\n" * 100_000 + "see\n\t/etc/hosts for the configuration\n"
    assert [hint.text for hint in of_hit(message(again, "user"), "…see /etc/hosts for the configuration")] == [
        "/etc/hosts"
    ]
    asked = message("", "assistant", tool_calls=(ToolCall("c", "terminal", "command: cat /etc/hosts"),))
    assert "/etc/hosts" in [hint.text for hint in of_hit(asked, "terminal command: cat /etc/hosts")]


def test_labels_of_one_row_never_overlap_and_stay_on_it() -> None:
    tags = [Tag(0, "aa", "✓"), Tag(1, "as"), Tag(2, "ad"), Tag(18, "af"), Tag(19, "ag")]
    placed = spread(tags, 20)
    ends = [tag.x + len(tag.label + tag.sign) for tag in placed]
    assert all(end <= tag.x for end, tag in zip(ends, placed[1:], strict=False))
    assert ends[-1] <= 20
    strip = Strip([Segment("0123456789" * 2)], 20)
    text = overlay(strip, tags, "", look=Style(bold=True), done=Style()).text
    assert text == "aa✓asad789012345afag"
    assert overlay(strip, tags, "ad", look=Style(bold=True), done=Style()).text == "01ad4567890123456789"
    assert overlay(strip, [], "", look=Style(), done=Style()) is strip


def test_a_label_on_half_of_a_wide_letter_keeps_the_row_its_width() -> None:
    strip = Strip([Segment("文件文件")], 8)
    painted = overlay(strip, [Tag(1, "a")], "", look=Style(bold=True), done=Style())
    assert painted.cell_length == 8
    assert painted.text[1] == "a"


def test_kinds_of_hints_in_a_message() -> None:
    held = message("```sh\nmake all\n```", "assistant")
    page = lay_out(held, View(80))
    found = list(on_page(held, page, range(page.height)))
    assert [(each.hint.kind, each.x) for each in found] == [(HintKind.CODE, 0), (HintKind.COMMAND, 0)]
