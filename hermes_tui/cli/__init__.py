"""The command line: what is typed -> a question for the library -> JSON, a table or plain lines; or the browser.

A contract of its own (formats, exit codes, streams). Textual is imported for the browser alone, inside the function
that starts it.
"""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["main"]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run `hermes-tui` with these arguments (those of the process by default); the exit code."""
    try:
        # Importing takes long enough to be interrupted, which is no reason for a traceback.
        from hermes_tui.cli import run
    except KeyboardInterrupt:
        return 130
    return run.main(arguments)
