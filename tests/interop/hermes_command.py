"""Runs inside a real release: its command line, with our arguments.

    python hermes_command.py sessions rename ...    # standard input answers what it asks

Imports nothing of hermes_tui.
"""

from __future__ import annotations

import sys

from hermes_cli.main import main  # type: ignore[import-not-found]

sys.argv = ["hermes", *sys.argv[1:]]
main()
