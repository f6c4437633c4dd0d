"""A row as it is stored."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from hermes_tui.library import Library
from hermes_tui.recorder import Recorder

ODD = 'an odd "name"'


def test_every_column_is_there_as_it_is_stored_and_in_its_order(tmp_path: Path) -> None:
    with Recorder(tmp_path / "state.db") as recorder:
        session = recorder.create_session("cli")
        message = recorder.append(session, "user", "x" * 300_000)
    writer = sqlite3.connect(tmp_path / "state.db")
    writer.execute("""ALTER TABLE messages ADD COLUMN "an odd ""name\"\"" BLOB""")
    writer.execute(f"""UPDATE messages SET "{ODD.replace('"', '""')}" = x'00ff', token_count = 7""")
    writer.commit()
    names = [name for (name,) in writer.execute("SELECT name FROM pragma_table_info('messages')")]
    values = writer.execute("SELECT * FROM messages").fetchone()
    writer.close()
    with Library.open(tmp_path / "state.db") as library:
        assert list(library.row(message).items()) == list(zip(names, values, strict=True))
        assert library.row(message)[ODD] == b"\x00\xff"
        assert library.row(message + 1) == {}
