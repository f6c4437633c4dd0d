"""Files that released versions of Hermes Agent wrote: every session and message of them is read, and means what it
meant to its writer.

HERMES_TUI_REAL_STORES names a folder with `NAME.db.gz` files; `NAME.manifest.json` beside one says which rows of it are
special, by name.
"""

from __future__ import annotations

import gzip
import json
import os
import re
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from hermes_tui.model import Capabilities, Kind, Message, OutlineRow, SessionKind, State, Status, Transcript
from hermes_tui.store.connection import Connection, connect, look
from hermes_tui.store.messages import read_messages, session_of, transcript
from hermes_tui.store.schema import detect
from hermes_tui.store.sessions import find_sessions, get_session, list_sessions

pytestmark = pytest.mark.real_stores

FOLDER = os.environ.get("HERMES_TUI_REAL_STORES", "")
FILES = sorted(Path(FOLDER).glob("*.db.gz")) if FOLDER else []
MISSING = Path("HERMES_TUI_REAL_STORES names no folder with *.db.gz files")


def name_of(file: Path) -> str:
    return file.name.removesuffix(".db.gz")


@dataclass(frozen=True)
class Opened:
    """One file, and the special rows its manifest names."""

    connection: Connection
    capabilities: Capabilities
    ids: dict[str, int]

    def messages(self, *ids: int) -> tuple[Message, ...]:
        return read_messages(self.connection, self.capabilities, ids)

    def special(self, name: str) -> Message:
        """A row by the name the manifest gives it."""
        if name not in self.ids:
            pytest.skip(f"this file has no {name}")
        if not self.connection.value("SELECT count(*) FROM messages WHERE id = ?", [self.ids[name]]):
            pytest.skip(f"this release removed {name} from its file")
        return self.messages(self.ids[name])[0]

    def conversation(self, session_id: str) -> Transcript:
        return transcript(self.connection, self.capabilities, session_id)

    def around(self, name: str) -> tuple[Transcript, OutlineRow | None]:
        """The conversation of a special row, and the row that stands for it there."""
        message = self.special(name)
        found = self.conversation(message.session_id)
        wanted = found.stands_for.get(message.id, message.id)
        return found, next((row for row in found.rows if row.id == wanted), None)


@pytest.fixture(scope="module", params=FILES or [MISSING], ids=name_of)
def opened(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Opened]:
    file: Path = request.param
    if file is MISSING:
        pytest.fail(str(MISSING))
    place = tmp_path_factory.mktemp("real") / "state.db"
    with gzip.open(file) as packed, place.open("wb") as plain:
        shutil.copyfileobj(packed, plain)
    manifest = file.with_name(f"{name_of(file)}.manifest.json")
    ids = json.loads(manifest.read_text("utf-8"))["ids"] if manifest.exists() else {}
    with connect(look(place)) as connection:
        yield Opened(connection, detect(connection), ids)


def test_every_session_is_in_one_place(opened: Opened) -> None:
    known = sorted(row[0] for row in opened.connection.rows("SELECT id FROM sessions"))
    everything = list_sessions(opened.connection, opened.capabilities, everything=True)
    assert sorted(member for row in everything.rows for member in row.segments) == known
    assert everything.hidden == {}
    default = list_sessions(opened.connection, opened.capabilities)
    assert sum(len(row.segments) for row in default.rows) + sum(default.hidden.values()) == len(known)
    times = [row.last_active_at for row in default.rows]
    assert None not in times
    assert times == sorted(times, key=lambda time: -(time or 0.0))


def test_what_people_typed_is_listed_and_automation_is_counted(opened: Opened) -> None:
    found = list_sessions(opened.connection, opened.capabilities, preview=100)
    sources = {row.source for row in found.rows}
    assert sources >= {"cli", "telegram", "discord", "tui", "acp", "api_server", "whatsapp", "desktop", "unknown"}
    assert not sources & {"cron", "subagent", "kanban", "tool", "webhook"}
    assert found.hidden["cron"] == found.hidden["kanban"] == found.hidden["tool"] == found.hidden["webhook"] == 1
    rows = {row.id: row for row in found.rows}
    assert rows["20261024_090000_e3b7ee"].status is Status.EMPTY
    assert rows["20261029_090000_d15b1a"].preview == "fix the title leak"
    assert rows["20261021_090000_a1b2c3"].preview.startswith("How do I package app.py with `pyinstaller --onefile")
    assert all(row.preview for row in found.rows if row.status is not Status.EMPTY)


def test_a_chain_is_one_row_and_forks_are_their_own(opened: Opened) -> None:
    rows = {row.id: row for row in list_sessions(opened.connection, opened.capabilities, preview=100).rows}
    chain = rows["20261026_110000_c0de02"]
    assert chain.segments == ("20261026_090000_c0de00", "20261026_100000_c0de01", "20261026_110000_c0de02")
    assert chain.title == "Long migration project #3"
    assert chain.preview == "start the long migration CHAINROOTTOKEN"
    assert rows["20261027_091000_b4a001"].kind is SessionKind.BRANCH
    assert rows["20261027_101000_4e5e71"].kind is SessionKind.RESET
    assert "20261027_090000_b4a000" in rows
    assert "20261027_100000_4e5e70" in rows


def test_every_message_is_read_and_the_outline_agrees(opened: Opened) -> None:
    total = opened.connection.value("SELECT count(*) FROM messages")
    seen = 0
    for session in list_sessions(opened.connection, opened.capabilities, everything=True).rows:
        found = opened.conversation(session.id)
        seen += found.counts.total
        assert found.counts.total == len(found.rows) + len(found.stands_for)
        assert sum(row.copies for row in found.rows) == found.counts.total
        messages = opened.messages(*(row.id for row in found.rows))
        for row, message in zip(found.rows, messages, strict=True):
            assert (message.id, message.session_id, message.role) == (row.id, row.session_id, row.role)
            assert (message.kind, message.state, message.timestamp) == (row.kind, row.state, row.timestamp)
            assert message.timestamp is not None
            message.text.encode()
    assert seen == total


def test_sessions_are_found_by_title_and_id(opened: Opened) -> None:
    for typed in ("fix pyinstaller build", "PYINSTALLER", "20261021_0900", "a1b2c3"):
        found = find_sessions(opened.connection, opened.capabilities, typed)
        assert "20261021_090000_a1b2c3" in [session.id for session in found]
    assert get_session(opened.connection, opened.capabilities, "no such session") is None


TEXTS: dict[str, Callable[[Message], bool]] = {
    "s1_multimodal": lambda message: message.text == "What does this screenshot say? MULTIMODALTOKEN\n[image/png 72 B]",
    "o0_mm2": lambda message: (
        message.text == "responses style INPUTTEXTTOKEN\n[image https://example.com/x.png]\n[image/png 72 B]"
    ),
    "s1_tool_ansi": lambda message: "\x1b[31mERROR\x1b[0m" in message.text and "42/100\rTOOLONLY" in message.text,
    "s1_tool_json": lambda message: (
        message.text == "content:\nimport foo.bar\nprint('hi')\npath: /home/bob/project/app.py\ntotal_lines: 2"
    ),
    "s1_tool_1mb": lambda message: len(message.text) > 1_000_000 and message.text.endswith("NEEDLEATEND"),
    "s1_tool_empty": lambda message: (message.text, message.kind) == ("", Kind.TOOL),
    "s1_null_content": lambda message: (
        message.text == "" and message.tool_calls[0].arguments.startswith("command: find")
    ),
    "s1_toolcall1": lambda message: (
        [call.name for call in message.tool_calls] == ["terminal", "read_file"] and "REASONONLY" in message.reasoning
    ),
    "s1_unicode": lambda message: "🚀🎉 Café naïve straße Привет مرحبا" in message.text,
    "s2_session_meta": lambda message: message.kind is Kind.NOTICE,
    "s2_zh_toolcall": lambda message: message.tool_calls[0].arguments == "command: echo 上海参数",
    "s2_zh_tool": lambda message: message.text.startswith("工具输出") and message.tool_name == "weather",
    "c1_summary": lambda message: message.kind is Kind.SUMMARY,
    "c1_user": lambda message: message.kind is Kind.TURN,
    "d0_bg": lambda message: message.kind is Kind.NOTICE,
    "o0_nul": lambda message: message.text == "nul\x00inside NULTOKEN",
    "o0_bytes": lambda message: message.text == "bytes �� BYTESTOKEN",
    "o0_int": lambda message: message.text == "12345",
    "o0_dict": lambda message: message.text == "ok: true\ntext: DICTTOKEN 字典",
    "o0_surrogate": lambda message: re.fullmatch(r"bad .+ surrogate SURROGATETOKEN", message.text) is not None,
    "o0_tc_str": lambda message: message.tool_calls[0].name == "terminal",
    "o0_tc_flat": lambda message: message.tool_calls[0].arguments == "command: ls",
    "o0_codex": lambda message: (message.text, message.reasoning) == ("codex answer", "thinking about it"),
    "o0_system": lambda message: message.kind is Kind.NOTICE and "SYSTEMROLETOKEN" in message.text,
    "o0_punct": lambda message: "back\\slash [brackets] {braces}" in message.text,
}


@pytest.mark.parametrize("name", TEXTS)
def test_special_rows_read_as_they_were_meant(opened: Opened, name: str) -> None:
    message = opened.special(name)
    assert TEXTS[name](message), message
    assert session_of(opened.connection, message.id) == message.session_id


KINDS = {
    "hidden": Kind.HIDDEN,
    "model_switch": Kind.NOTICE,
    "personality_switch": Kind.NOTICE,
    "async_delegation_complete": Kind.NOTICE,
    "auto_continue": Kind.NOTICE,
    "internal_notification": Kind.NOTICE,
    "process_complete": Kind.NOTICE,
    "failed_turn": Kind.NOTICE,
    "steer": Kind.TURN,
}


@pytest.mark.parametrize("shown", KINDS)
def test_rows_for_the_model_are_told_from_rows_for_people(opened: Opened, shown: str) -> None:
    message = opened.special(f"dk_{shown}")
    marked = "display_kind" in opened.capabilities.message_columns
    assert message.kind is (KINDS[shown] if marked else Kind.TURN)


def test_compacted_turns_are_there_once(opened: Opened) -> None:
    found, row = opened.around("s7_old_u5")
    message = opened.special("s7_old_u5")
    assert row is not None
    assert message.state is not State.LIVE
    assert row.state is State.LIVE
    assert row.copies == 2
    texts = [message.text for message in opened.messages(*(each.id for each in found.rows))]
    assert [text for text in texts if "OLDUSER5TOKEN" in text] == [message.text]
    assert [text for text in texts if "OLDUSER0TOKEN" in text] == [opened.special("s7_old_u0").text]
    assert opened.special("s7_old_u0").state is State.COMPACTED
    summary = next(each for each in found.rows if each.kind is Kind.SUMMARY)
    assert found.rows.index(row) < found.rows.index(summary)
    assert texts[-2:] == ["after compaction NEWTURNTOKEN", "continuing NEWREPLYTOKEN"]


def test_rewound_turns_are_marked(opened: Opened) -> None:
    kept, kept_row = opened.around("s8_keep")
    assert kept_row is not None
    assert kept_row.state is State.LIVE
    for name in ("s8_rewound", "s8_rewound_a"):
        assert opened.special(name).state is State.REWOUND
    assert kept.counts.rewound == 2
    assert opened.special("s8_right").state is State.LIVE


def test_a_chain_reads_from_root_to_tip(opened: Opened) -> None:
    found, row = opened.around("c2_user")
    assert row is not None
    texts = [message.text for message in opened.messages(*(each.id for each in found.rows))]
    places = [
        next(number for number, text in enumerate(texts) if word in text)
        for word in ("CHAINROOTTOKEN", "CHAINSUMMARY1", "CHAINMIDTOKEN", "CHAINSUMMARY2", "CHAINTIPTOKEN")
    ]
    assert places == sorted(places)
    assert len(found.segments) == 3
