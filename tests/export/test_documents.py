"""Documents hold every message as it is read, whatever the texts try, and nothing of them is obeyed."""

from __future__ import annotations

import base64
import hashlib
import json
import re
import sqlite3
import tracemalloc
from contextlib import closing
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from markdown_it import MarkdownIt

from hermes_tui.cli.exporting import OPTIONS
from hermes_tui.export import shapes
from hermes_tui.export.documents import Form, pieces
from hermes_tui.export.files import write
from hermes_tui.export.material import Material, conversation, places, read
from hermes_tui.export.reading import Reading
from hermes_tui.library import Cancelled, Library, Stores, Ticket
from hermes_tui.model import Anchor, Kind, Message, State
from hermes_tui.recorder import Recorder, StorageSettings
from hermes_tui.render.clean import clean_for_document
from tests.export.conftest import PIXEL, SECRET


def text_of(material: Material, form: Form, **options: Any) -> str:
    return "".join(pieces(Reading(material, **options), form))


def messages_of(material: Material) -> list[Message]:
    return [message for chapter in material.chapters for message in read(chapter.library, chapter.rows)]


# -- JSON -------------------------------------------------------------------------------------------------------------


def test_json_holds_every_row_of_the_conversation_as_show_gives_it(stores: Stores, root: Anchor) -> None:
    material = conversation(stores, root)
    answer = json.loads(text_of(material, Form.JSON, keep_secrets=True))
    messages = messages_of(material)
    assert answer["messages"] == [shapes.message(message, is_anchor=False) for message in messages]
    assert list(answer) == ["format", "session", "sessions", "compactions", "messages", "masked"]
    assert (answer["format"], answer["masked"]) == (1, {})
    assert [session["id"] for session in answer["sessions"]] == answer["session"]["segments"]
    assert {message["state"] for message in answer["messages"]} >= {"live", "rewound"}
    assert {message["kind"] for message in answer["messages"]} == {"turn", "tool", "summary", "hidden"}
    assert [cut["at"] for cut in answer["compactions"]] == [m.id for m in messages if m.kind is Kind.SUMMARY]
    lines = [json.loads(line) for line in text_of(material, Form.JSONL, keep_secrets=True).splitlines()]
    assert lines[0]["session"] == answer["session"]
    assert lines[1:] == answer["messages"]


def test_an_anchor_is_marked_and_a_copy_is_the_row_that_stands_for_it(stores: Stores, root: Anchor) -> None:
    message = messages_of(conversation(stores, root))[2]
    answer = json.loads(text_of(conversation(stores, replace(root, message_id=message.id)), Form.JSON))
    assert [row["id"] for row in answer["messages"] if row["is_anchor"]] == [message.id]


def test_several_places_are_one_excerpt_for_each_conversation_and_gaps_are_counted(
    stores: Stores, root: Anchor
) -> None:
    other = messages_of(conversation(stores, Anchor("20260922_other")))
    wanted = [Anchor("20260922_other", other[number].id) for number in (25, 5, 6)] + [Anchor("20260921_root")]
    answer = json.loads(text_of(places(stores, wanted, size=2), Form.JSON))
    assert list(answer) == ["format", "conversations", "masked"]
    first, second = answer["conversations"]
    assert [row["text"] for row in first["messages"]] == [f"line {n}" for n in (3, 4, 5, 6, 7, 8, 23, 24, 25, 26, 27)]
    assert [row["text"] for row in first["messages"] if row["is_anchor"]] == ["line 5", "line 6", "line 25"]
    assert [row.get("skipped", 0) for row in first["messages"]] == [3, 0, 0, 0, 0, 0, 14, 0, 0, 0, 0]
    assert (first["before"], first["after"]) == (3, 2)
    assert second["session"]["id"] == "20260921_root"
    assert len(second["messages"]) == 5
    assert "taken back" not in {row["text"] for row in second["messages"]}
    undone = next(row for row in messages_of(conversation(stores, root)) if row.state is State.REWOUND)
    named = json.loads(text_of(places(stores, [replace(root, message_id=undone.id)], size=1), Form.JSON))
    assert "taken back" in {row["text"] for row in named["conversations"][0]["messages"]}


# -- HTML -------------------------------------------------------------------------------------------------------------


class Page(HTMLParser):
    """What a browser makes of a page: its elements, and the text of each message."""

    VOID = frozenset(("meta", "img"))

    def __init__(self, page: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[tuple[str, dict[str, str]]] = []
        self.open: list[tuple[str, dict[str, str]]] = []
        self.texts: dict[str, str] = {}  # by the id of an article: what stands in its text and code
        self.visible: list[str] = []
        self.unbalanced = 0
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        self.tags.append((tag, given))
        if tag not in self.VOID:
            self.open.append((tag, given))

    def handle_endtag(self, tag: str) -> None:
        self.unbalanced += self.open.pop()[0] != tag

    def handle_data(self, data: str) -> None:
        article = next((given["id"] for tag, given in self.open if tag == "article"), None)
        inside = any(given.get("class") in ("text", "code") for _, given in self.open)
        if article is not None and inside:
            self.texts[article] = self.texts.get(article, "") + data


def test_html_is_one_page_that_runs_and_fetches_nothing(stores: Stores, root: Anchor) -> None:
    text = text_of(conversation(stores, root), Form.HTML, images=True)
    page = Page(text)
    assert (page.unbalanced, page.open) == (0, [])
    allowed = "html head meta title style body main header h1 dl dt dd article p b i time a div span details summary"
    assert {tag for tag, _ in page.tags} <= {*allowed.split(), "img", "footer"}
    for tag, given in page.tags:
        assert not [name for name in given if name.startswith("on") or name in ("style", "srcset", "formaction")]
        assert given.get("href", "#").startswith("#")
        assert given.get("src", "data:image/").startswith("data:image/")
        assert tag != "img" or given["src"] == f"data:image/png;base64,{PIXEL}"
    policy = next(given["content"] for _, given in page.tags if given.get("http-equiv") == "Content-Security-Policy")
    style = re.search(r"<style>(.*?)</style>", text, re.DOTALL)
    assert style is not None
    digest = base64.b64encode(hashlib.sha256(style[1].encode()).digest()).decode()
    assert policy.startswith(f"default-src 'none'; style-src 'sha256-{digest}'; img-src data:;")
    assert "url(" not in style[1]
    assert "@import" not in style[1]
    assert text.index("Content-Security-Policy") < text.index("<title>")
    assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]", text)


def test_html_shows_every_character_that_was_said(stores: Stores, root: Anchor) -> None:
    material = conversation(stores, root)
    page = Page(text_of(material, Form.HTML, keep_secrets=True))
    for message in messages_of(material):
        parts = [message.text, *(call.arguments for call in message.tool_calls), message.reasoning]
        assert page.texts.get(f"m{message.id}", "") == "".join(map(clean_for_document, parts))
        assert message.id in {int(given["id"][1:]) for tag, given in page.tags if tag == "article"}


# -- Markdown ---------------------------------------------------------------------------------------------------------


def test_in_markdown_no_message_swallows_the_next(stores: Stores, root: Anchor) -> None:
    """Read by another's parser: each message has its heading, each tool text is a block of code with all of it."""
    material = conversation(stores, root)
    text = text_of(material, Form.MARKDOWN, keep_secrets=True, reasoning=True)
    tokens = MarkdownIt("commonmark").parse(text)
    headings = [
        tokens[n + 1].content for n, token in enumerate(tokens) if token.type == "heading_open" and token.tag == "h2"
    ]
    messages = messages_of(material)
    assert [heading.rsplit("`", 2)[1] for heading in headings] == [f"{m.session_id}#{m.id}" for m in messages]
    code = [token.content for token in tokens if token.type == "fence"]
    for message in messages:
        for part in ([message.text] if message.kind is Kind.TOOL else []) + [
            call.arguments for call in message.tool_calls
        ]:
            assert clean_for_document(part) + "\n" in code
    assert "![image/png]" not in text
    assert f"![image/png](data:image/png;base64,{PIXEL})" in text_of(material, Form.MARKDOWN, images=True)


@pytest.mark.parametrize("form", Form)
def test_secrets_pictures_and_reasoning_are_left_out_unless_asked_for_and_counted(
    stores: Stores, root: Anchor, form: Form
) -> None:
    material = conversation(stores, root)
    reading = Reading(material)
    text = "".join(pieces(reading, form))
    assert SECRET not in text
    assert "[masked: GitHub token]" in text
    assert PIXEL not in text
    assert reading.remarks()[0] == "1 secret masked: 1 GitHub token."
    told = reading.remarks(OPTIONS)
    assert told[0] == "1 secret masked: 1 GitHub token (--keep-secrets keeps them)."
    assert "1 image left out (--images)." in told  # the others are no pictures, or elsewhere
    assert any("reasoning left out (--reasoning)" in sentence for sentence in told) == (form is Form.MARKDOWN)
    kept = Reading(material, keep_secrets=True, images=True, reasoning=True)
    text = "".join(pieces(kept, form))
    assert SECRET in text
    assert PIXEL in text
    assert "think 3" in text
    assert kept.remarks() == ["Secrets are kept as they stand."]


@pytest.mark.parametrize("form", Form)
def test_a_secret_in_the_first_words_is_counted_once_for_each_mask_that_is_there(form: Form, tmp_path: Path) -> None:
    with Recorder(tmp_path / "state.db") as recorder:
        recorder.create_session("cli", session_id="s")
        recorder.append("s", "user", f"use {SECRET} for it, [image/png 40 KB] and [image]")
    with Library.open(tmp_path / "state.db") as library:
        reading = Reading(conversation(Stores.only(library), Anchor("s")))
        text = "".join(pieces(reading, form))
    body = text.partition("<footer>")[0]
    assert reading.masker.found.total() == body.count("[masked: GitHub token]")
    assert reading.left_out == {}  # what somebody typed is no picture


# -- while it is written ----------------------------------------------------------------------------------------------


def test_progress_is_told_and_cancelling_leaves_no_file(stores: Stores, root: Anchor, tmp_path: Path) -> None:
    material = conversation(stores, root)
    told: list[tuple[int, int]] = []
    text_of(material, Form.HTML, progress=lambda done, total: told.append((done, total)))
    assert told == [(number + 1, material.total) for number in range(material.total)]
    ticket = Ticket()
    reading = Reading(material, ticket=ticket, progress=lambda done, _: ticket.cancel() if done == 3 else None)
    with pytest.raises(Cancelled):
        write(tmp_path / "talk.html", pieces(reading, Form.HTML))
    assert list(tmp_path.iterdir()) == []


def test_messages_that_are_gone_meanwhile_are_counted(tmp_path: Path) -> None:
    path = tmp_path / "state.db"
    with Recorder(path) as recorder:
        session = recorder.create_session("cli")
        ids = [recorder.append(session, "user", f"line {number}") for number in range(5)]
    with Library.open(path) as library:
        material = conversation(Stores.only(library), Anchor(session))
        with closing(sqlite3.connect(path)) as connection, connection:
            connection.execute("DELETE FROM messages WHERE id = ?", (ids[2],))
        reading = Reading(material)
        text = "".join(pieces(reading, Form.MARKDOWN))
    assert "line 1" in text
    assert "line 2" not in text
    assert reading.remarks() == ["1 message gone from the store while it was read."]


def test_a_long_conversation_takes_no_more_memory_than_a_short_one(tmp_path: Path) -> None:
    text = "out put\n" * 40_000
    path = tmp_path / "state.db"
    with Recorder(path, settings=StorageSettings(fts_enabled=False)) as recorder:
        sessions = [recorder.create_session("cli") for _ in range(2)]
        for session, many in zip(sessions, (8, 32), strict=True):
            for _ in range(many):
                recorder.append(session, "tool", text, tool_name="terminal")
    with Library.open(path) as library:
        materials = [conversation(Stores.only(library), Anchor(session)) for session in sessions]
        for form in (Form.JSON, Form.HTML):
            peaks = []
            for material in materials:
                tracemalloc.start()
                size = write(tmp_path / "talk", pieces(Reading(material, keep_secrets=True), form), force=True)
                peaks.append(tracemalloc.get_traced_memory()[1])
                tracemalloc.stop()
                assert size > len(text) * material.total
            assert peaks[1] < 1.3 * peaks[0]
