"""`python -m hermes_tui`: the same as the command `hermes-tui`."""

from __future__ import annotations

import sys

from hermes_tui.cli import main

if __name__ == "__main__":
    sys.exit(main())
