"""A store in which everything is that can go wrong in a document."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from hermes_tui.library import Library, Stores
from hermes_tui.model import Anchor
from hermes_tui.recorder import Recorder

SECRET = "ghp_" + "abcdefghijklmnopqrstuvwxyz0123456789"
PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkM9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
SUMMARY = "[CONTEXT COMPACTION — REFERENCE ONLY] Earlier turns were compacted into the summary below."
HOSTILE = (
    "<script>alert(1)</script><img src=x onerror=alert(2)> & \"quotes\" 'single' <!-- open",
    "<!-- never closed\n<details>\n<pre>",
    "an open fence\n```python\ndef f(x): return '<b>' # never closed",
    "a list\n- ```sh\n  ls </div></main>\n  ```\n~~~~\n```\n~~~~ not\n~~~~\nafter",
    "\x1b[31mred\x1b[0m \x00nul \x9b1m \u202eover\u2066 tab\there\r\nline\rnext\u2028sep \ud800 \ufffe 👩‍👩‍👧 ﷽",
    "a <details> in a line, List<int> and `<b>`\n    <script>\n# heading\n---\n",
    "] ](javascript:alert(1)) [x](https://example.com) ![y](https://example.com/pixel.png)",
)


@pytest.fixture(scope="session")
def hostile_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One conversation of hostile texts, calls, a picture and a secret, compacted into a second session; another."""
    path = tmp_path_factory.mktemp("hostile") / "state.db"
    clock = iter(range(1_790_000_000, 1_800_000_000))
    with Recorder(path, clock=lambda: float(next(clock))) as recorder:
        root = recorder.create_session(
            "cli", session_id="20260921_root", title="</title><b>& \x1b[31mTitle", model="m<1>"
        )
        for number, text in enumerate(HOSTILE):
            recorder.append(
                root, "user" if number % 2 == 0 else "assistant", text, reasoning=f"think {number} </details>"
            )
        arguments = json.dumps({"command": f"cat <<'EOF'\n```\nEOF\nexport T={SECRET}", "timeout": 3})
        call = {"id": "c1", "type": "function", "function": {"name": "terminal<x>", "arguments": arguments}}
        recorder.append(root, "assistant", tool_calls=[call])
        output = json.dumps({"output": "```\n</details>\nout", "exit_code": 2})
        recorder.append(root, "tool", output, tool_name="terminal<x>", tool_call_id="c1")
        parts = [
            {"type": "text", "text": "look at this"},
            {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{PIXEL}"}},
            {"type": "image_url", "image_url": {"url": 'data:image/png;base64,"><script>alert(3)</script>'}},
            {"type": "image_url", "image_url": {"url": "https://example.com/pixel.png"}},
        ]
        recorder.append(root, "user", parts)
        undone = recorder.append(root, "user", "taken back")
        recorder.rewind(root, undone)
        tip = recorder.split(root, f"{SUMMARY} It was about <b>texts</b>.")
        recorder.append(tip, "user", "scaffold", display_kind="hidden")
        recorder.append(tip, "user", "and now?")
        recorder.append(tip, "assistant", "Done.", finish_reason="stop")
        other = recorder.create_session("telegram", session_id="20260922_other", title="Another")
        for number in range(30):
            recorder.append(other, "user" if number % 2 == 0 else "assistant", f"line {number}")
    with closing(sqlite3.connect(path)) as connection, connection:  # what no recorder writes: a lone surrogate
        connection.execute(
            "UPDATE messages SET content = content || X'EDA080' WHERE content LIKE '%' || char(27) || '[31mred%'"
        )
    return path


@pytest.fixture
def stores(hostile_file: Path) -> Iterator[Stores]:
    with Library.open(hostile_file) as library:
        yield Stores.only(library)


@pytest.fixture
def root() -> Anchor:
    return Anchor("20260921_root")
