"""The command line: what is typed -> a question for the library -> JSON, a table or plain lines; or the browser.

A contract of its own (formats, exit codes, streams). Textual is imported for the browser alone, inside the function
that starts it.
"""

from __future__ import annotations

import gc
from collections.abc import Sequence

__all__ = ["main"]

PACE = (50_000, 20, 20)
"""Objects made until garbage is looked for among them, and how often that is done until it is among older ones.

At the interpreter's pace of 700 that takes a tenth to a third of a program that imports much and then makes rows,
hardly any of which are garbage.
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run `hermes-tui` with these arguments (those of the process by default); the exit code."""
    gc.set_threshold(*PACE)
    try:
        # Importing takes long enough to be interrupted, which is no reason for a traceback.
        from hermes_tui.cli import run
    except KeyboardInterrupt:
        return 130
    return run.main(arguments)
