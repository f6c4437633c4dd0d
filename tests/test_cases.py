"""Small inputs that broke other tools, with the right answer, on every layout: what a person types, what is found.

Classes: text read as query grammar, meaning changed in silence, scripts and short words, rows no index covers, damaged
indexes, and the hit that has to be the message that matched.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from hermes_tui.library import Library
from hermes_tui.model import Answer, State
from hermes_tui.recorder import Layout, Recorder


class Desk:
    """A store being written and searched: messages get names by their order, m1, m2 and so on."""

    def __init__(self, path: Path, layout: Layout) -> None:
        self.path = path
        self.layout = layout
        self._ids: dict[int, str] = {}
        self._clock = iter(range(1_780_000_000, 1_790_000_000))
        self.recorder = Recorder(path, layout=layout, clock=lambda: float(next(self._clock)))
        self.session = self.recorder.create_session("cli", title="plain")

    def say(self, content: Any, role: str = "user", session: str | None = None, **fields: Any) -> int:
        """One message; its id."""
        message = self.recorder.append(session or self.session, role, content, **fields)
        self._ids[message] = f"m{len(self._ids) + 1}"
        return message

    def sql(self, statement: str, *params: Any) -> None:
        """A change no API makes."""
        with closing(sqlite3.connect(self.path)) as connection, connection:
            connection.execute(statement, params)

    def search(self, text: str, **options: Any) -> Answer:
        """The whole answer."""
        with Library.open(self.path) as library:
            return library.search(text, **options)

    def found(self, text: str, **options: Any) -> set[str]:
        """The names of the messages found; asserts that the answer is complete and every hit marks something."""
        answer = self.search(text, **options)
        assert answer.complete
        assert all(hit.spans for hit in answer.hits)
        return {self._ids[hit.message.id] for hit in answer.hits}


@pytest.fixture(params=list(Layout), ids=lambda layout: layout.value)
def desk(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Desk]:
    desk = Desk(tmp_path / "state.db", request.param)
    yield desk
    desk.recorder.close()


# -- text read as query grammar ---------------------------------------------------------------------------------------


def test_qsyn_1_a_colon_is_text(desk: Desk) -> None:
    desk.say("TODO: fix the pager")
    desk.say("fix the kettle")
    assert desk.found("TODO: fix") == {"m1"}


def test_qsyn_2_addresses_paths_percents_apostrophes_and_languages(desk: Desk) -> None:
    desk.say("mail the build to ops@lab.test")
    desk.say("run scripts/deploy.sh --dry")
    desk.say("coverage rose to 61.2%")
    desk.say("we don't pin it")
    desk.say("C++ and C# samples")
    for text, name in (
        ("ops@lab.test", "m1"),
        ("scripts/deploy.sh", "m2"),
        ("61.2%", "m3"),
        ("don't", "m4"),
        ("C++", "m5"),
        ("C#", "m5"),
    ):
        assert desk.found(text) == {name}, text


def test_qsyn_3_every_state_while_typing(desk: Desk) -> None:
    desk.say('say "AND (x) and stop')
    typed = 'say "AND (x'
    for end in range(len(typed) + 1):
        desk.search(typed[:end])
    assert desk.found(typed) == {"m1"}


def test_qsyn_4_signs_alone(desk: Desk) -> None:
    desk.say("one * two - three (four) \\ five % NEAR(")
    desk.say("and so on")
    desk.say("plain")
    for nothing in ("", "   ", '"', '""'):
        answer = desk.search(nothing)
        assert not answer.hits
        assert [session.id for session in answer.sessions] == [desk.session]
    for sign in ("*", "-", "(", "\\", "NEAR(", "%"):
        assert desk.found(sign) == {"m1"}, sign
    assert desk.found("AND") == {"m2"}
    assert desk.found("\0") == set()


# -- meaning changed in silence ---------------------------------------------------------------------------------------


def test_qsem_1_a_word_with_a_colon_is_no_column(desk: Desk) -> None:
    desk.say("content: hello from a yaml file")
    desk.say("hello there")
    assert desk.found("content: hello") == {"m1"}


def test_qsem_2_words_in_any_order_phrases_in_theirs(desk: Desk) -> None:
    desk.say("the socket was stale")
    desk.say("stale socket found")
    desk.say("stale bread")
    assert desk.found("stale socket") == {"m1", "m2"}
    assert desk.found('"stale socket"') == {"m2"}


def test_qsem_3_no_wild_cards(desk: Desk) -> None:
    desk.say("tea_pot_lid")
    desk.say("teaXpotXlid")
    desk.say("100% done")
    desk.say("100 items")
    assert desk.found("tea_pot_lid") == {"m1"}
    assert desk.found("100%") == {"m3"}
    assert desk.found("%") == {"m3"}
    assert desk.found("_") == {"m1"}


def test_qsem_4_the_beginning_of_a_name(desk: Desk) -> None:
    desk.say("kv_map2 table")
    assert desk.found("kv_map") == {"m1"}


# -- scripts, short words, case, normal forms -------------------------------------------------------------------------


def test_lang_1_two_characters(desk: Desk) -> None:
    desk.say("来月の旅行を計画")
    desk.say("温泉に行く")
    assert desk.found("旅行") == {"m1"}
    assert desk.found("温泉 行く") == {"m2"}


def test_lang_2_latin_between_other_letters(desk: Desk) -> None:
    desk.say("パスをfixするmake_plan後")
    assert desk.found("fix") == {"m1"}
    assert desk.found("make_plan") == {"m1"}


def test_lang_3_case_of_every_script(desk: Desk) -> None:
    desk.say("Ошибка сети")
    desk.say("Да, готово")
    for text in ("ошибка", "ОШИБКА", "сети ошибка", "ош"):
        assert desk.found(text) == {"m1"}, text
    assert desk.found("да") == {"m2"}


def test_lang_4_a_picture_sign(desk: Desk) -> None:
    desk.say("shipped 🎉 today")
    assert desk.found("🎉") == {"m1"}


# -- rows no index covers ---------------------------------------------------------------------------------------------


def test_cover_1_the_end_of_a_long_output(desk: Desk) -> None:
    desk.say("x " * 5_000 + "deepneedle", role="tool", tool_name="terminal")
    assert desk.found("deepneedle") == {"m1"}
    assert "deepneedle" in desk.search("deepneedle").hits[0].snippet


def test_cover_2_part_of_a_word_in_tool_output(desk: Desk) -> None:
    desk.say("結果は成功しました", role="tool")
    assert desk.found("成功し") == {"m1"}
    assert desk.search("成功し").hits[0].message.role == "tool"


def test_cover_3_without_a_trigram_index(desk: Desk) -> None:
    desk.say("更新sparrow服务器脚本")
    with closing(sqlite3.connect(desk.path)) as connection:
        for (name,) in connection.execute(
            "SELECT name FROM sqlite_master WHERE type='trigger' AND name LIKE '%trigram%'"
        ):
            connection.execute(f"DROP TRIGGER {name}")
        connection.execute("DROP TABLE messages_fts_trigram")
    assert desk.found("sparrow") == {"m1"}


def test_cover_4_titles_and_ids(desk: Desk) -> None:
    session = desk.recorder.create_session("cli", session_id="20260202_020202_bbbbbb", title="quarterly-otter")
    desk.say("hi", session=session)
    for text in ("otter", "020202_bbb", "20260202_020202_bbbbbb", "quarterly-otter"):
        assert [found.id for found in desk.search(text).sessions] == [session], text


def test_drift_2_the_name_of_a_tool_is_found_in_every_layout(desk: Desk) -> None:
    desk.say("ok", role="tool", tool_name="terminal")
    desk.say("ok", role="tool", tool_name="browser")
    assert desk.found("terminal") == {"m1"}
    assert desk.search("terminal").hits[0].snippet == "terminal"


# -- damaged indexes --------------------------------------------------------------------------------------------------


def test_damage_1_an_index_that_answers_nothing(desk: Desk) -> None:
    for number in range(20):
        desk.say(f"number{number} of twenty")
    desk.sql("UPDATE messages_fts_data SET block = zeroblob(20) WHERE id > 10")
    assert desk.found("number2") == {"m3"}
    notes = desk.search("number2").coverage.notes
    assert any("damaged" in note and "history intact" in note for note in notes)


def test_damage_2_no_ghosts_of_deleted_rows(desk: Desk) -> None:
    desk.say("receipt one")
    second = desk.say("receipt two")
    with closing(sqlite3.connect(desk.path)) as connection, connection:
        names = connection.execute(
            "SELECT name FROM sqlite_master WHERE type='trigger' AND name LIKE '%delete%'"
        ).fetchall()
        for (name,) in names:
            connection.execute(f"DROP TRIGGER {name}")
        connection.execute("DELETE FROM messages WHERE id = ?", (second,))
    assert desk.found("receipt") == {"m1"}


def test_damage_3_an_index_without_its_pages(desk: Desk) -> None:
    message = desk.say("receipt one")
    desk.sql("DELETE FROM messages_fts_data")
    assert desk.found("receipt") == {"m1"}
    with Library.open(desk.path) as library:
        assert [row.id for row in library.sessions().rows] == [desk.session]
        assert [row.text for row in library.messages([message])] == ["receipt one"]


# -- what an answer says of itself -------------------------------------------------------------------------------------


def test_a_limit_never_passes_for_everything(desk: Desk) -> None:
    for number in range(300):
        desk.say(f"needle {number}")
    answer = desk.search("needle", limit=10, sort="newest")
    assert [hit.snippet for hit in answer.hits] == [f"needle {number}" for number in range(299, 289, -1)]
    assert answer.truncated
    assert answer.total is None
    assert answer.coverage.searched < answer.coverage.messages == 300
    assert any("newest 10 hits" in note for note in answer.coverage.notes)
    whole = desk.search("needle", limit=300, sort="oldest")
    assert whole.total == len(whole.hits) == 300


def test_what_is_meant_for_the_model_only_is_counted_and_shown_on_demand(desk: Desk) -> None:
    if desk.layout is Layout.INLINE:
        return
    desk.say("scaffold walrus", display_kind="hidden")
    answer = desk.search("walrus")
    assert not answer.hits
    assert answer.hidden == {"hidden": 1}
    assert len(desk.search("walrus", hidden=True).hits) == 1


def test_sessions_found_by_name_obey_the_limit_and_say_so(desk: Desk) -> None:
    for number in range(8):
        desk.recorder.create_session("cli", title=f"same topic {number}")
    answer = desk.search("topic", limit=5)
    assert len(answer.sessions) == 5
    assert answer.truncated
    assert any("there are more" in note for note in answer.coverage.notes)
    assert len(desk.search("topic", limit=8).sessions) == 8
    assert not desk.search("topic", limit=8).truncated


def test_a_few_characters_of_an_id_name_no_session(desk: Desk) -> None:
    assert not desk.search(desk.session[:4]).sessions
    assert [found.id for found in desk.search(desk.session[:12]).sessions] == [desk.session]


# -- rows nobody should have written ----------------------------------------------------------------------------------


def test_a_role_that_is_bytes_spoils_nothing(desk: Desk) -> None:
    desk.say("needle one")
    message = desk.say("needle two")
    desk.sql("UPDATE messages SET role = ? WHERE id = ?", b"\xff", message)
    assert desk.found("needle") == {"m1", "m2"}
    with Library(desk.path) as library:
        assert library.report().untouched


def test_what_is_left_of_a_session_without_a_row_can_be_read(desk: Desk) -> None:
    message = desk.say("orphaned walrus")
    desk.sql("UPDATE messages SET session_id = 'gone' WHERE id = ?", message)
    (hit,) = desk.search("walrus").hits
    with Library.open(desk.path) as library:
        anchor = library.resolve(str(hit.anchor))
        assert [row.text for row in library.window(anchor).messages] == ["orphaned walrus"]
        assert library.search(str(hit.anchor)).goto == anchor


def test_one_damaged_row_costs_no_other_hit(desk: Desk) -> None:
    ids = [desk.say(f"needle {number} " + f"{'abcdef'[number]}." * 15_000, role="tool") for number in range(6)]
    desk.recorder.close()
    with closing(sqlite3.connect(desk.path)) as connection:
        connection.execute("PRAGMA journal_mode = delete")
    content = bytearray(desk.path.read_bytes())
    # The page behind the row's own, which begins with the number of the next one.
    page = content.index(b"d." * 1_900) // 4_096 * 4_096
    content[page : page + 4] = b"\xee" * 4
    desk.path.write_bytes(content)
    answer = desk.search("needle")
    found = {hit.message.id for hit in answer.hits}
    assert found == set(ids) - {ids[3]}
    assert any("damaged and unreadable: 1 message" in note for note in answer.coverage.notes)
    assert not any("history intact" in note for note in answer.coverage.notes)
    assert answer.coverage.searched < answer.coverage.messages


# -- the hit is the message that matched ------------------------------------------------------------------------------


def test_anchor_1_a_compacted_message(desk: Desk) -> None:
    if desk.layout is Layout.INLINE:  # the oldest files delete what they compact
        return
    old = desk.say("old plan: copper kettle")
    desk.recorder.compact(desk.session, "a summary of it")
    desk.say("ok")
    hits = desk.search("kettle").hits
    assert [(hit.message.id, hit.message.state) for hit in hits] == [(old, State.COMPACTED)]


def test_anchor_2_what_was_taken_back_is_counted_and_shown_on_demand(desk: Desk) -> None:
    if desk.layout is Layout.INLINE:
        return
    desk.say("before")
    back = desk.say("secret undo walrus")
    desk.recorder.rewind(desk.session, back)
    answer = desk.search("walrus")
    assert not answer.hits
    assert answer.hidden == {"rewound": 1}
    assert [hit.message.state for hit in desk.search("walrus", rewound=True).hits] == [State.REWOUND]


def test_anchor_3_stored_three_times_is_one_hit(desk: Desk) -> None:
    if desk.layout is Layout.INLINE:
        return
    rows = [desk.say("kept tail heron", timestamp=1_780_000_100.0) for _ in range(3)]
    desk.sql("UPDATE messages SET active = 0, compacted = 1 WHERE id IN (?, ?)", rows[0], rows[1])
    (hit,) = desk.search("heron").hits
    assert (hit.message.id, hit.message.copies) == (rows[2], 3)


def test_anchor_4_the_title_and_date_of_the_session_that_holds_it(desk: Desk) -> None:
    recorder = desk.recorder
    root = recorder.create_session("cli", title="Spring", started_at=1_770_000_000.0)
    recorder.append(root, "user", "first", timestamp=1_770_000_001.0)
    child = recorder.split(root, "so far")
    recorder.set_title(child, "Autumn")
    message = recorder.append(child, "user", "the lantern", timestamp=1_777_000_000.0)
    (hit,) = desk.search("lantern").hits
    assert (hit.anchor.session_id, hit.anchor.message_id) == (child, message)
    assert hit.session.title == "Autumn"


# -- odd cells --------------------------------------------------------------------------------------------------------


def test_cell_1_multimodal_messages_are_found_by_what_is_read(desk: Desk) -> None:
    parts = [
        {"type": "text", "text": "receipt from Kraków"},
        {"type": "image_url", "image_url": {"url": "data:image/png;base64," + "iVBO" * 10_000}},
    ]
    first = desk.say("x")
    second = desk.say("y")
    for message, sentinel in ((first, "\0json:"), (second, "\1json:")):
        desk.sql("UPDATE messages SET content = ? WHERE id = ?", sentinel + json.dumps(parts), message)
    for text in ("receipt", "Kraków", "krakow"):
        assert desk.found(text) == {"m1", "m2"}, text


def test_cell_3_bytes_that_are_no_text(desk: Desk) -> None:
    message = desk.say("x")
    desk.say("fine")
    desk.sql("UPDATE messages SET content = CAST(x'68656c6c6f20e29c' AS TEXT) WHERE id = ?", message)
    assert desk.found("fine") == {"m2"}
    assert desk.found("hello") == {"m1"}
    assert desk.search("hello").hits[0].snippet == "hello \ufffd"


def test_an_accent_behind_a_nul_is_no_hiding_place(desk: Desk) -> None:
    desk.say("before\0don't CAFÉ", role="tool")
    assert desk.found("café") == desk.found("cafe") == {"m1"}


def test_markup_3_brackets_are_text(desk: Desk) -> None:
    desk.say("use [/b] to close")
    (hit,) = desk.search("[/b]").hits
    assert [hit.snippet[start:end] for start, end in hit.spans] == ["[/b]"]


def test_a_reply_that_only_a_provider_column_holds_is_found(desk: Desk) -> None:
    message = desk.say("", role="assistant")
    desk.say("other")
    items = [{"type": "message", "content": [{"type": "output_text", "text": "the codex walrus"}]}]
    desk.sql("UPDATE messages SET codex_message_items = ? WHERE id = ?", json.dumps(items), message)
    assert desk.found("walrus") == {"m1"}
    assert desk.found("codex wal") == {"m1"}
    assert desk.found('"x wal"') == {"m1"}
