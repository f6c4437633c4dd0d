"""Runs the command line of a real release, as its `hermes` script does: `python hermes_list.py sessions list ...`.

Imports nothing of hermes_tui.
"""

from __future__ import annotations

import runpy

runpy.run_module("hermes_cli.main", run_name="__main__", alter_sys=True)
