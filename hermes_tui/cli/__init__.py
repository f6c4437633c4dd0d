"""The command line: what is typed -> a question for the library -> JSON, a table or plain lines; or the browser.

A contract of its own (formats, exit codes, streams). Textual is imported for the browser alone, inside the function
that starts it.
"""

from __future__ import annotations

from hermes_tui.cli.main import main

__all__ = ["main"]
