"""Tests of `hermes_tui.export`."""
