"""The writing side: a session store for your own agent, in files that Hermes Agent and hermes-tui can read.

```python
from hermes_tui.recorder import Recorder

with Recorder("state.db") as recorder:
    session = recorder.create_session("cli", title="First steps", model="some/model")
    recorder.append(session, "user", "How do I list files?")
    call = {"id": "call_1", "type": "function", "function": {"name": "terminal", "arguments": '{"command": "ls"}'}}
    recorder.append(session, "assistant", tool_calls=[call])
    recorder.append(session, "tool", "notes.md", tool_name="terminal", tool_call_id="call_1")
    recorder.append(session, "assistant", "With `ls`. There is one file here.", finish_reason="stop")
    recorder.end_session(session, "cli_close")
```

`Recorder.configured("settings.toml")` reads the path and the rest from the table `[hermes.storage]` (see `settings`).
Imports nothing of the reading side and shares no constant with it.
"""

from __future__ import annotations

from hermes_tui.recorder.errors import RecorderBusyError, RecorderError
from hermes_tui.recorder.fields import MessageChanges, MessageFields, NewMessage, SessionFields
from hermes_tui.recorder.layout import Layout
from hermes_tui.recorder.settings import StorageSettings
from hermes_tui.recorder.store import Recorder
from hermes_tui.recorder.usage import Usage

__all__ = [
    "Layout",
    "MessageChanges",
    "MessageFields",
    "NewMessage",
    "Recorder",
    "RecorderBusyError",
    "RecorderError",
    "SessionFields",
    "StorageSettings",
    "Usage",
]
